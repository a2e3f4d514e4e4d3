//! `$filter`: which members of a collection are sent.
//!
//! The grammar of DSP0266: comparisons of a member with a value, joined by `and`, `or`, `not` and
//! parentheses. A member that is absent counts as `null`.

use std::cmp::Ordering;

use serde_json::{Map, Value};

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::router) enum Filter {
    And(Box<Filter>, Box<Filter>),
    Or(Box<Filter>, Box<Filter>),
    Not(Box<Filter>),
    Compare { path: Vec<String>, operator: Operator, value: Value },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::router) enum Operator {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

/// How deep parentheses and `not` may nest.
const MAX_DEPTH: usize = 32;
/// How many words, values and parentheses a condition may have: joined ones nest as well.
const MAX_TOKENS: usize = 1024;

impl Filter {
    pub(in crate::router) fn parse(text: &str) -> Option<Self> {
        let tokens = tokens(text).filter(|tokens| tokens.len() <= MAX_TOKENS)?;
        let mut parser = Parser { tokens: &tokens };
        let filter = parser.or(0)?;
        parser.tokens.is_empty().then_some(filter)
    }

    /// Whether a resource fulfils it.
    pub(in crate::router) fn holds(&self, document: &Map<String, Value>) -> bool {
        match self {
            Self::And(one, other) => one.holds(document) && other.holds(document),
            Self::Or(one, other) => one.holds(document) || other.holds(document),
            Self::Not(inner) => !inner.holds(document),
            Self::Compare { path, operator, value } => {
                let mut names = path.iter();
                let first = names.next().and_then(|name| document.get(name));
                let found = names.fold(first, |at, name| at.and_then(|at| at.get(name)));
                operator.holds(found.unwrap_or(&Value::Null), value)
            }
        }
    }
}

impl Operator {
    fn holds(self, found: &Value, wanted: &Value) -> bool {
        let order = match (found, wanted) {
            (Value::Number(found), Value::Number(wanted)) => {
                found.as_f64().partial_cmp(&wanted.as_f64())
            }
            (Value::String(found), Value::String(wanted)) => Some(found.cmp(wanted)),
            (found, wanted) if found == wanted => Some(Ordering::Equal),
            _ => None,
        };
        match self {
            Self::Eq => order == Some(Ordering::Equal),
            Self::Ne => order != Some(Ordering::Equal),
            Self::Gt => order == Some(Ordering::Greater),
            Self::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Self::Lt => order == Some(Ordering::Less),
            Self::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        }
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    Open,
    Close,
    /// A name, a keyword, a number.
    Word(String),
    Text(String),
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' => {}
            '(' => tokens.push(Token::Open),
            ')' => tokens.push(Token::Close),
            '\'' => {
                let mut literal = String::new();
                loop {
                    match rest.next()? {
                        // Two quotes are one.
                        '\'' if rest.peek() == Some(&'\'') => {
                            rest.next();
                            literal.push('\'');
                        }
                        '\'' => break,
                        other => literal.push(other),
                    }
                }
                tokens.push(Token::Text(literal));
            }
            first => {
                let mut word = String::from(first);
                while let Some(next) = rest.next_if(|next| !" \t()'".contains(*next)) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    Some(tokens)
}

struct Parser<'a> {
    tokens: &'a [Token],
}

impl Parser<'_> {
    fn or(&mut self, depth: usize) -> Option<Filter> {
        let mut left = self.and(depth)?;
        while self.keyword("or") {
            left = Filter::Or(Box::new(left), Box::new(self.and(depth)?));
        }
        Some(left)
    }

    fn and(&mut self, depth: usize) -> Option<Filter> {
        let mut left = self.one(depth)?;
        while self.keyword("and") {
            left = Filter::And(Box::new(left), Box::new(self.one(depth)?));
        }
        Some(left)
    }

    fn one(&mut self, depth: usize) -> Option<Filter> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.keyword("not") {
            return Some(Filter::Not(Box::new(self.one(depth + 1)?)));
        }
        match self.next()? {
            Token::Open => {
                let inner = self.or(depth + 1)?;
                matches!(self.next()?, Token::Close).then_some(inner)
            }
            Token::Word(path) => {
                let path: Vec<_> = path.split('/').map(str::to_owned).collect();
                let operator = self.operator()?;
                let value = self.value()?;
                let named = path.iter().all(|name| !name.is_empty());
                named.then_some(Filter::Compare { path, operator, value })
            }
            Token::Close | Token::Text(_) => None,
        }
    }

    fn operator(&mut self) -> Option<Operator> {
        let Token::Word(word) = self.next()? else { return None };
        Some(match word.as_str() {
            "eq" => Operator::Eq,
            "ne" => Operator::Ne,
            "gt" => Operator::Gt,
            "ge" => Operator::Ge,
            "lt" => Operator::Lt,
            "le" => Operator::Le,
            _ => return None,
        })
    }

    fn value(&mut self) -> Option<Value> {
        match self.next()? {
            Token::Text(text) => Some(Value::String(text.clone())),
            // Numbers, `true`, `false` and `null` are as in JSON.
            Token::Word(word) => serde_json::from_str(word).ok().filter(|v: &Value| !v.is_array()),
            Token::Open | Token::Close => None,
        }
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let found = matches!(self.tokens.first(), Some(Token::Word(word)) if word == keyword);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn next(&mut self) -> Option<&Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_hold_or_do_not() {
        let document = json!({
            "Id": "it's", "Count": 2, "Enabled": true, "Nothing": null,
            "Memory": {"GiB": 64.5}, "Created": "2026-01-02T00:00:00Z",
        });
        let check = |text: &str, expect: Option<bool>| {
            let filter = Filter::parse(text);
            let found = filter.map(|filter| filter.holds(document.as_object().unwrap()));
            assert_eq!(found, expect, "{text}");
        };
        check("Id eq 'it''s'", Some(true));
        check("Id ne 'it''s'", Some(false));
        check("not (Id eq 'x')", Some(true));
        check("not Id eq 'x'", Some(true));
        check("Count eq 2 and Memory/GiB gt 64", Some(true));
        check("Count gt 2 or Memory/GiB le 64.5", Some(true));
        check("Count lt 2 or Count eq 3 and Count eq 2", Some(false));
        check("(Count eq 3 or Count eq 2) and Enabled eq true", Some(true));
        check("Enabled eq 'true'", Some(false));
        check("Created ge '2026-01-01'", Some(true));
        check("Missing eq null", Some(true));
        check("Missing ne 5", Some(true));
        check("Missing gt 5", Some(false));
        check("Nothing eq null", Some(true));
        check("Memory/Missing/Deeper eq null", Some(true));
        check("", None);
        check("Id", None);
        check("Id eq", None);
        check("Id eq 'x", None);
        check("Id eq x", None);
        check("Id eq [1]", None);
        check("Id is 'x'", None);
        check("(Id eq 'x'", None);
        check("Id eq 'x')", None);
        check("Id eq 'x' and", None);
        check("Id eq 'x' Id eq 'y'", None);
        check("/Id eq 'x'", None);
        check(&format!("{}Id eq 'x'{}", "(".repeat(1000), ")".repeat(1000)), None);
        check(&format!("{}Id eq 'x'", "not ".repeat(1000)), None);
        check(&format!("Id eq 1{}", " or Id eq 1".repeat(100_000)), None);
        check(&format!("Count eq 2{}", " and Count eq 2".repeat(200)), Some(true));
    }
}

//! Query parameters (DSP0266, *Query parameters*).

use std::fmt::Write as _;

use reqwest::Url;

/// What `$expand` puts in the place of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expand {
    /// `.`: subordinate resources, that is the links that are not below `Links`.
    Subordinate,
    /// `~`: the resources below `Links`.
    Links,
    /// `*`: all of them.
    All,
}

/// Query parameters of a GET. A service says in `ProtocolFeaturesSupported` of its root which ones it knows.
///
/// ```
/// use redfish_client::{Expand, Query};
///
/// let query = Query::new().expand(Expand::Subordinate).select(&["Id", "PowerState"]).top(10);
/// assert_eq!(query.to_string(), "$expand=.&$select=Id,PowerState&$top=10");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Query(String);

impl Query {
    /// None.
    pub const fn new() -> Self {
        Self(String::new())
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `$expand`, one level.
    pub fn expand(self, what: Expand) -> Self {
        self.with("$expand", expand(what))
    }

    /// `$expand` with `$levels`.
    pub fn expand_levels(self, what: Expand, levels: u32) -> Self {
        let value = format!("{}($levels={levels})", expand(what));
        self.with("$expand", &value)
    }

    /// `$select`: these members alone; a path such as `Status/Health` is one, too.
    pub fn select(self, members: &[&str]) -> Self {
        self.with("$select", &members.join(","))
    }

    /// `$filter`: the members of a collection for which this is true, such as `PowerState eq 'On'`.
    pub fn filter(self, expression: &str) -> Self {
        self.with("$filter", expression)
    }

    /// `$top`: so many members of a collection.
    pub fn top(self, count: u64) -> Self {
        self.with("$top", &count.to_string())
    }

    /// `$skip`: the members of a collection after the first so many.
    pub fn skip(self, count: u64) -> Self {
        self.with("$skip", &count.to_string())
    }

    /// `only`: the one member in the place of a collection that has one.
    pub fn only(mut self) -> Self {
        self.next();
        self.0.push_str("only");
        self
    }

    /// A parameter that has no method here.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.next();
        encode(&mut self.0, name);
        self.0.push('=');
        encode(&mut self.0, value);
        self
    }

    /// These parameters and others.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        if !other.is_empty() {
            self.next();
            self.0.push_str(&other.0);
        }
        self
    }

    fn next(&mut self) {
        if !self.is_empty() {
            self.0.push('&');
        }
    }

    /// Adds the parameters to those that a URL has.
    pub(crate) fn apply(&self, url: &mut Url) {
        if self.is_empty() {
            return;
        }
        let query = match url.query() {
            Some(before) if !before.is_empty() => format!("{before}&{self}"),
            _ => self.0.clone(),
        };
        url.set_query(Some(&query));
    }
}

impl std::fmt::Display for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

const fn expand(what: Expand) -> &'static str {
    match what {
        Expand::Subordinate => ".",
        Expand::Links => "~",
        Expand::All => "*",
    }
}

/// Encodes what has a meaning in a query. The rest of what RFC 3986 allows there stays legible: services in the field
/// compare `$expand=.($levels=1)` as text.
fn encode(query: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => query.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b'$' | b'\'' | b'(' | b')' | b'*' | b',' | b'=' | b':'
            | b'@' | b'/' => query.push(char::from(byte)),
            // Writing into a string does not fail.
            _ => _ = write!(query, "%{byte:02X}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_as_services_expect_them() {
        let check = |query: Query, expect: &str| {
            assert_eq!(query.to_string(), expect);
            let mut url = Url::parse("https://bmc.test/redfish/v1/Systems?a=1").unwrap();
            query.apply(&mut url);
            let sent = if expect.is_empty() { "a=1".into() } else { format!("a=1&{expect}") };
            // The URL standard encodes the quotation mark in queries of web URLs.
            assert_eq!(url.query(), Some(sent.replace('\'', "%27").as_str()));
        };
        check(Query::new(), "");
        check(Query::new().expand(Expand::All).only(), "$expand=*&only");
        check(Query::new().expand_levels(Expand::Links, 2), "$expand=~($levels=2)");
        check(Query::new().skip(5).top(1), "$skip=5&$top=1");
        check(
            Query::new().filter("Name eq 'a&b+c%#' or x"),
            "$filter=Name%20eq%20'a%26b%2Bc%25%23'%20or%20x",
        );
        check(Query::new().with("a b", "ü"), "a%20b=%C3%BC");
    }
}

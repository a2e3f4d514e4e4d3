//! `$expand`: which links are replaced by what they lead to, and how deep.

use crate::message::Message;
use crate::messages;

use super::{MAX_LEVELS, short};

/// What is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::router) struct Expand {
    pub(in crate::router) links: Links,
    /// How many levels; at least one.
    pub(in crate::router) levels: usize,
}

/// Which links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::router) enum Links {
    /// `.`: those outside `Links`.
    Subordinate,
    /// `~`: those in `Links`.
    Related,
    /// `*`: all.
    All,
}

impl Links {
    /// Whether a link is meant; `related` says that it stands in `Links`.
    pub(in crate::router) fn takes(self, related: bool) -> bool {
        match self {
            Self::Subordinate => !related,
            Self::Related => related,
            Self::All => true,
        }
    }
}

impl Expand {
    pub(in crate::router) fn parse(text: &str) -> Result<Self, Box<Message>> {
        let malformed =
            || Box::new(messages::query_parameter_value_format_error(short(text), "$expand"));
        let mut rest = text.chars();
        let links = match rest.next() {
            Some('.') => Links::Subordinate,
            Some('~') => Links::Related,
            Some('*') => Links::All,
            _ => return Err(malformed()),
        };
        let rest = rest.as_str().trim();
        if rest.is_empty() {
            return Ok(Self { links, levels: 1 });
        }
        let levels = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let levels = levels.and_then(|option| option.trim().strip_prefix("$levels="));
        let levels = levels.and_then(|levels| levels.parse().ok()).ok_or_else(malformed)?;
        if !(1..=MAX_LEVELS).contains(&levels) {
            return Err(Box::new(messages::query_parameter_out_of_range(
                short(rest),
                "$levels",
                format!("1 to {MAX_LEVELS}"),
            )));
        }
        Ok(Self { links, levels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansions_are_read() {
        let check = |text: &str, expect: Option<(Links, usize)>| {
            let found = Expand::parse(text).ok().map(|expand| (expand.links, expand.levels));
            assert_eq!(found, expect, "{text}");
        };
        check(".", Some((Links::Subordinate, 1)));
        check("~", Some((Links::Related, 1)));
        check("*($levels=2)", Some((Links::All, 2)));
        check(".($levels=1)", Some((Links::Subordinate, 1)));
        check(".($levels=0)", None);
        check(".($levels=99)", None);
        check(".($levels=x)", None);
        check(".(levels=1)", None);
        check("Members", None);
        check("", None);
        check("..", None);
    }
}

//! Query parameters (DSP0266, "Query parameters").
//!
//! What begins with `$` is the protocol's, and not to obey it has to be said (501); anything else
//! that is unknown is ignored, as the standard asks. Parameters that make no sense together, or on
//! this resource, are refused (400) rather than half obeyed.

mod expand;
mod filter;
mod select;

use http::StatusCode;
use percent_encoding::percent_decode_str;
use redfish_model::service_root::{Expand as Expansion, ProtocolFeaturesSupported};

use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
pub(super) use expand::Expand;
pub(super) use filter::Filter;
pub(super) use select::Select;

/// The deepest `$levels`.
pub(crate) const MAX_LEVELS: usize = 6;

/// What is supported (`ServiceRoot.ProtocolFeaturesSupported`).
pub(crate) fn features() -> ProtocolFeaturesSupported {
    let levels = i64::try_from(MAX_LEVELS).unwrap_or(i64::MAX);
    ProtocolFeaturesSupported {
        excerpt_query: false.into(),
        expand_query: Expansion {
            expand_all: true.into(),
            levels: true.into(),
            links: true.into(),
            max_levels: levels.into(),
            no_links: true.into(),
            ..Expansion::default()
        }
        .into(),
        filter_query: true.into(),
        multiple_http_requests: false.into(),
        only_member_query: true.into(),
        select_query: true.into(),
        top_skip_query: true.into(),
        ..ProtocolFeaturesSupported::default()
    }
}

/// What a GET asks for beside the resource.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Query {
    /// The member, if there is only one.
    pub(super) only: bool,
    pub(super) expand: Option<Expand>,
    pub(super) select: Option<Select>,
    pub(super) filter: Option<Filter>,
    pub(super) top: Option<usize>,
    pub(super) skip: usize,
}

impl Query {
    /// Reads the query of a GET.
    ///
    /// # Errors
    /// All faults at once.
    pub(super) fn parse(query: &str) -> Result<Self> {
        let mut parsed = Self::default();
        let mut unsupported = Vec::new();
        let mut faults = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = match pair.split_once('=') {
                Some((name, value)) => (decode(name), Some(decode(value))),
                None => (decode(pair), None),
            };
            match (parsed.take(&name, value.as_deref()), name.starts_with('$')) {
                (Taken::Yes, _) | (Taken::Unknown, false) => {}
                (Taken::Unknown, true) => {
                    unsupported.push(messages::query_parameter_unsupported(short(&name)));
                }
                (Taken::Fault(message), _) => faults.push(*message),
            }
            if unsupported.len() + faults.len() >= MOST {
                break;
            }
        }
        if !unsupported.is_empty() {
            return Err(Error::with_messages(StatusCode::NOT_IMPLEMENTED, unsupported));
        }
        if faults.is_empty() && parsed.only && parsed.has_others() {
            faults.push(messages::query_combination_invalid());
        }
        if faults.is_empty() {
            return Ok(parsed);
        }
        Err(Error::with_messages(StatusCode::BAD_REQUEST, faults))
    }

    /// Refuses what only a GET can be asked with.
    pub(super) fn refuse_on_write(query: &str) -> Result<()> {
        let asked = Self::parse(query)?;
        if asked == Self::default() {
            return Ok(());
        }
        Err(Error::new(StatusCode::BAD_REQUEST, messages::query_not_supported_on_operation()))
    }

    /// Whether it asks for nothing.
    pub(super) fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it asks for members, which only collections have.
    pub(super) fn is_about_members(&self) -> bool {
        self.only || self.filter.is_some() || self.top.is_some() || self.skip > 0
    }

    fn has_others(&self) -> bool {
        *self != Self { only: true, ..Self::default() }
    }

    fn take(&mut self, name: &str, value: Option<&str>) -> Taken {
        let text = value.unwrap_or_default();
        let number = || text.parse::<usize>();
        match name {
            "only" if text.is_empty() => self.only = true,
            "$expand" => match Expand::parse(text) {
                Ok(expand) => self.expand = Some(expand),
                Err(message) => return Taken::Fault(message),
            },
            "$select" => match Select::parse(text) {
                Some(select) => self.select = Some(select),
                None => return format_error(name, text),
            },
            "$filter" => match Filter::parse(text) {
                Some(filter) => self.filter = Some(filter),
                None => return format_error(name, text),
            },
            "$top" => match number() {
                Ok(top) => self.top = Some(top),
                Err(_) => return type_error(name, text),
            },
            "$skip" => match number() {
                Ok(skip) => self.skip = skip,
                Err(_) => return type_error(name, text),
            },
            "only" => return type_error(name, text),
            _ => return Taken::Unknown,
        }
        Taken::Yes
    }
}

/// What became of a parameter.
enum Taken {
    Yes,
    Unknown,
    Fault(Box<Message>),
}

fn type_error(name: &str, value: &str) -> Taken {
    Taken::Fault(Box::new(messages::query_parameter_value_type_error(short(value), name)))
}

fn format_error(name: &str, value: &str) -> Taken {
    Taken::Fault(Box::new(messages::query_parameter_value_format_error(short(value), name)))
}

/// How many faults are told.
const MOST: usize = 8;

/// As much of a text as a message repeats.
fn short(text: &str) -> String {
    text.chars().take(64).collect()
}

/// A name or value as it was before it was put into a URI: by the rules of forms, which is what
/// libraries follow.
fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read_or_refused() {
        let check = |query: &str, expect: Result<Query, (u16, usize)>| {
            let found = Query::parse(query);
            let found = found.map_err(|error| (error.status.as_u16(), error.messages.len()));
            assert_eq!(found, expect, "{query}");
        };
        let plain = Query::default;
        check("", Ok(plain()));
        check("a=b&rpvunknown&&=", Ok(plain()));
        check("only", Ok(Query { only: true, ..plain() }));
        check("only=", Ok(Query { only: true, ..plain() }));
        check("only=foo", Err((400, 1)));
        check("$top=5&%24skip=2", Ok(Query { top: Some(5), skip: 2, ..plain() }));
        check("$top=-1&$skip=x", Err((400, 2)));
        check("$top", Err((400, 1)));
        check("$rpvunknown", Err((501, 1)));
        check("$top=x&$rpvunknown=1&$more", Err((501, 2)));
        check("only&$top=1", Err((400, 1)));
        check(&"&$x".repeat(1000), Err((501, MOST)));
        assert!(Query::parse("$select=A&$filter=A+eq+'b%20c'&$expand=.").is_ok());
        assert!(Query::parse("$filter=A").is_err() && Query::parse("$select=").is_err());
        assert!(Query::refuse_on_write("x=y").is_ok() && Query::refuse_on_write("only").is_err());
    }
}

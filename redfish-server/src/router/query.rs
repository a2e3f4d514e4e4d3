//! Query parameters (DSP0266, "Query parameters").
//!
//! None is supported yet. What begins with `$` is the protocol's, and not to obey it has to be said
//! (501); anything else is ignored, as the standard asks.

use http::StatusCode;
use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};
use crate::messages;

/// Refuses what the client must not take for obeyed.
pub(super) fn check(query: &str) -> Result<()> {
    let names = query.split('&').filter_map(|pair| pair.split('=').next());
    let name = |name| percent_decode_str(name).decode_utf8_lossy();
    let unsupported = names.map(name).filter(|name| name.starts_with('$'));
    let messages: Vec<_> = unsupported
        .take(MOST)
        .map(|name| {
            messages::query_parameter_unsupported(name.chars().take(SHOWN).collect::<String>())
        })
        .collect();
    if messages.is_empty() {
        return Ok(());
    }
    Err(Error::with_messages(StatusCode::NOT_IMPLEMENTED, messages))
}

/// How many are told.
const MOST: usize = 8;
/// How much of a name is repeated.
const SHOWN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocols_own_are_refused() {
        let faults = |query: &str| check(query).err().map_or(0, |error| error.messages.len());
        assert_eq!(faults(""), 0);
        assert_eq!(faults("a=b&only&rpvunknown"), 0);
        assert_eq!(faults("$expand=."), 1);
        assert_eq!(faults("a=$expand"), 0);
        assert_eq!(faults("%24filter=a&$top=5&&="), 2);
        assert_eq!(faults(&"&$x".repeat(1000)), MOST);
    }
}

//! The two messages: a search, and the answer to it (DSP0266, "Discovery"; their form is that of HTTP/1.1
//! in one datagram).

use std::fmt::Write as _;

use crate::services::root::REDFISH_VERSION;

/// What Redfish services are called, without the minor version.
const TARGET: &str = "urn:dmtf-org:service:redfish-rest:1";

/// How long an answer may be believed, in seconds.
const MAX_AGE: u32 = 1800;

/// The longest wait before an answer that a search can ask for, in seconds.
const LONGEST_WAIT: u64 = 3;

/// A search that asks for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Search {
    /// Within how many seconds the client wants the answers, spread.
    pub(super) within: u64,
}

impl Search {
    /// Reads a datagram; `None` for whatever is no search, or one for something else.
    pub(super) fn read(datagram: &[u8]) -> Option<Self> {
        let mut headers = [httparse::EMPTY_HEADER; 16];
        let mut request = httparse::Request::new(&mut headers);
        if !request.parse(datagram).ok()?.is_complete() {
            return None;
        }
        let header = |name: &str| {
            let mut found = request.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name));
            std::str::from_utf8(found.next()?.value).ok().map(str::trim)
        };
        let is_search = request.method == Some("M-SEARCH")
            && request.path == Some("*")
            && header("MAN") == Some("\"ssdp:discover\"");
        let asks_for_us = header("ST").is_some_and(|target| {
            let version = target.strip_prefix(TARGET);
            target == "ssdp:all"
                || version.is_some_and(|rest| {
                    let minor = rest.strip_prefix(':').and_then(|text| text.parse::<u32>().ok());
                    rest.is_empty() || minor.is_some_and(|minor| minor <= self::minor())
                })
        });
        let within = header("MX").and_then(|text| text.parse().ok()).unwrap_or(0);
        (is_search && asks_for_us).then_some(Self { within: u64::min(within, LONGEST_WAIT) })
    }
}

/// The second number of the protocol's version.
fn minor() -> u32 {
    REDFISH_VERSION.split('.').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The answer that names a service and its root.
pub(super) fn answer(uuid: &str, url: &str) -> String {
    let (uuid, minor) = (uuid.to_ascii_lowercase(), minor());
    let mut text = String::from("HTTP/1.1 200 OK\r\n");
    let mut header = |name: &str, value: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = write!(text, "{name}: {value}\r\n");
    };
    header("CACHE-CONTROL", format_args!("max-age={MAX_AGE}"));
    header("ST", format_args!("{TARGET}:{minor}"));
    header("USN", format_args!("uuid:{uuid}::{TARGET}:{minor}"));
    header("AL", format_args!("{url}"));
    header("EXT", format_args!(""));
    text.push_str("\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_for_us_are_understood() {
        #[track_caller]
        fn check(lines: &[&str], expect: Option<u64>) {
            let text = lines.iter().map(|line| format!("{line}\r\n")).collect::<String>() + "\r\n";
            let within = Search::read(text.as_bytes()).map(|search| search.within);
            assert_eq!(within, expect, "{text}");
        }
        let host = "HOST: 239.255.255.250:1900";
        let man = "MAN: \"ssdp:discover\"";
        let first = "M-SEARCH * HTTP/1.1";
        let with = |target: &'static str| [first, host, man, "MX: 2", target];
        check(&with("ST: urn:dmtf-org:service:redfish-rest:1"), Some(2));
        check(&with("st:urn:dmtf-org:service:redfish-rest:1:5"), Some(2));
        check(&with("ST: ssdp:all"), Some(2));
        check(&with("ST: urn:dmtf-org:service:redfish-rest:1:9999"), None);
        check(&with("ST: urn:dmtf-org:service:redfish-rest:10"), None);
        check(&with("ST: upnp:rootdevice"), None);
        check(&with("X: y"), None);
        let all = "ST: ssdp:all";
        check(&[first, host, man, all], Some(0));
        check(&[first, host, man, all, "MX: 600"], Some(3));
        check(&[first, host, man, all, "MX: soon"], Some(0));
        check(&[first, host, all], None);
        check(&["M-SEARCH /redfish HTTP/1.1", host, man, all], None);
        check(&["NOTIFY * HTTP/1.1", host, man, all], None);
        check(&["HTTP/1.1 200 OK", man, all], None);
    }

    #[test]
    fn any_bytes_are_taken() {
        for bytes in
            [&b""[..], b"\0", b"M-SEARCH", &[0xFF; 2048], b"M-SEARCH * HTTP/1.1\r\nST: \xFF"]
        {
            assert_eq!(Search::read(bytes), None);
        }
    }

    #[test]
    fn an_answer_says_where_and_who() {
        let text = answer("ABCD-1", "https://192.0.2.1/redfish/v1/");
        let lines: Vec<_> = text.split("\r\n").collect();
        assert_eq!(lines[0], "HTTP/1.1 200 OK");
        let urn = format!("{TARGET}:{}", REDFISH_VERSION.split('.').nth(1).unwrap());
        assert!(lines.contains(&format!("ST: {urn}").as_str()), "{text}");
        assert!(lines.contains(&format!("USN: uuid:abcd-1::{urn}").as_str()), "{text}");
        assert!(lines.contains(&"AL: https://192.0.2.1/redfish/v1/"), "{text}");
        assert!(lines.contains(&"CACHE-CONTROL: max-age=1800"), "{text}");
        assert!(text.ends_with("\r\n\r\n"));
    }
}

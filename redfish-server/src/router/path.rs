//! One spelling for each path, so that locks, caches and comparisons see one resource.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands for itself in a segment: `pchar` of RFC 3986, 3.3, as the URI types write it.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// The path without a slash at its end and with nothing encoded that need not be; `None` for what can
/// be no resource's: empty and dot segments, what is no UTF-8, controls, encoded slashes.
pub(super) fn normal(path: &str) -> Option<Cow<'_, str>> {
    if matches!(path, "/redfish/v1" | "/redfish/v1/") {
        return Some(Cow::Borrowed("/redfish/v1/"));
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    let segments = path.strip_prefix('/')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:@!$&'()*+,;=".contains(&byte);
    if path.bytes().all(plain) {
        return segments.split('/').all(is_segment).then_some(Cow::Borrowed(path));
    }
    let mut normal = String::with_capacity(path.len());
    for segment in segments.split('/') {
        let decoded = percent_decode_str(segment).decode_utf8().ok()?;
        if !is_segment(&decoded) || decoded.contains('/') || decoded.chars().any(char::is_control) {
            return None;
        }
        normal.push('/');
        normal.extend(utf8_percent_encode(&decoded, SEGMENT));
    }
    Some(Cow::Owned(normal))
}

fn is_segment(segment: &str) -> bool {
    !matches!(segment, "" | "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_spelling() {
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(normal(path).as_deref(), expect, "{path}");
        };
        check("/redfish/v1", Some("/redfish/v1/"));
        check("/redfish/v1/", Some("/redfish/v1/"));
        check("/redfish/v1/Systems/", Some("/redfish/v1/Systems"));
        check("/redfish/v1/Systems//", None);
        check("/redfish//v1/Systems", None);
        check("/redfish/v1/Systems/..", None);
        check("/redfish/v1/Systems/%2e%2E/a", None);
        check("/redfish/v1/Systems/%61", Some("/redfish/v1/Systems/a"));
        check("/redfish/v1/%53ystems", Some("/redfish/v1/Systems"));
        check("/redfish/v1/Systems/a%2Fb", None);
        check("/redfish/v1/Systems/a b", Some("/redfish/v1/Systems/a%20b"));
        check("/redfish/v1/Systems/a%20b", Some("/redfish/v1/Systems/a%20b"));
        check("/redfish/v1/Systems/%ff", None);
        check("/redfish/v1/Systems/a%00", None);
        check("/redfish/v1/$metadata", Some("/redfish/v1/$metadata"));
        check("redfish", None);
        check("*", None);
    }
}

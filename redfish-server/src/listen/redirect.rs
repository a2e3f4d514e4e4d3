//! Plain HTTP on a TLS port: the answer is where to come instead.
//!
//! 308 keeps method and body (RFC 9110, 15.4.9), so that a client that follows it does what it meant to. The
//! host is the client's own, port included, since proxies and port forwarding may lie between; one that could
//! lead elsewhere or break the header is refused.

use std::sync::Arc;

use axum::body::Body;
use http::header::{CONNECTION, HOST, LOCATION};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;

use super::{Answer, Connection, Service};

/// Redirects everything.
pub(super) struct Redirect;

impl Service for Redirect {
    fn call<'a>(&'a self, request: Request<Incoming>, _: &'a Arc<Connection>) -> Answer<'a> {
        let mut response = Response::new(Body::empty());
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        let location = target(request.uri(), request.headers());
        *response.status_mut() = match location.and_then(|to| HeaderValue::try_from(to).ok()) {
            Some(location) => {
                response.headers_mut().insert(LOCATION, location);
                StatusCode::PERMANENT_REDIRECT
            }
            None => StatusCode::BAD_REQUEST,
        };
        Box::pin(async { response })
    }
}

/// The same over https.
fn target(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => valid_host(host.to_str().ok()?)?,
        _ => return None,
    };
    let path = uri.path_and_query()?.as_str();
    path.starts_with('/').then(|| format!("https://{host}{path}"))
}

/// A host with or without a port, in lower case, when it is one (RFC 9110, 7.2).
pub(super) fn valid_host(text: &str) -> Option<String> {
    let authority: Authority = text.parse().ok()?;
    let host = authority.host();
    let name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let v6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let valid = match v6 {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => (1..=253).contains(&host.len()) && host.bytes().all(name),
    };
    let port = authority.port_u16();
    let written = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    // Compared with what came, nothing is left over: no user name, no port without a number.
    (valid && written == text).then(|| written.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let check = |uri: &str, hosts: &[&str], expect: Option<&str>| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_str(host).unwrap());
            }
            let found = target(&uri.parse().unwrap(), &headers);
            assert_eq!(found.as_deref(), expect, "{uri} {hosts:?}");
        };
        check("/redfish/v1/", &["a.example:8443"], Some("https://a.example:8443/redfish/v1/"));
        check("/x?a=b", &["Bmc"], Some("https://bmc/x?a=b"));
        check("/", &["[::1]:8443"], Some("https://[::1]:8443/"));
        check("/", &["192.0.2.1"], Some("https://192.0.2.1/"));
        check("http://other/x", &["a.example"], Some("https://a.example/x"));
        check("//evil.example/x", &["a.example"], Some("https://a.example//evil.example/x"));
        check("/", &[], None);
        check("/", &["a", "b"], None);
        check("*", &["a.example"], None);
        for bad in
            ["", "user@a", "a:", "a:x", "a:99999", "a/b", "a b", "[::1", "[zz]", "a?b", "a#b"]
        {
            check("/", &[bad], None);
        }
    }
}

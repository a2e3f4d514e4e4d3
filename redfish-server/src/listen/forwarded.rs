//! Who a request is from, when proxies lie between.
//!
//! Anybody can write `X-Forwarded-For`. So it counts only when the peer is a proxy that the operator trusts,
//! and only as far back as trusted proxies go: they append what they saw, hence the list is read from its
//! end, and the first address that is none of theirs is the client. What stands before it is the client's own
//! invention.
//!
//! A proxy that maintains one of the two families of headers passes the other one on as the client wrote it. So
//! one of them is read, by configuration, never both.

use std::net::{IpAddr, SocketAddr};

use http::header::HOST;
use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

use super::redirect::valid_host;

/// In which headers proxies say for whom they speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`: what nearly all write.
    #[default]
    XForwarded,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// Which proxies are trusted, and what they write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Their networks.
    pub proxies: Vec<IpNet>,
    /// Their headers.
    pub header: ForwardedHeader,
}

/// Who asks, and how they wrote the URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The address; the port is 0 where only a proxy knows it.
    pub address: SocketAddr,
    /// `https` or `http`.
    pub scheme: &'static str,
    /// Host and port as in `Host`, in lower case; empty when there is none or none that is valid.
    pub host: String,
}

/// Whether one of the networks has the address.
pub(super) fn covers(networks: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    networks.iter().any(|network| network.contains(&address))
}

/// Tells the client of a request by its connection and head.
pub fn client_of(peer: SocketAddr, tls: bool, headers: &HeaderMap, trust: &Trust) -> Client {
    let mut client = Client {
        address: peer,
        scheme: if tls { "https" } else { "http" },
        host: single(headers, &HOST).and_then(valid_host).unwrap_or_default(),
    };
    if !covers(&trust.proxies, peer.ip()) {
        return client;
    }
    let hops = match trust.header {
        ForwardedHeader::XForwarded => x_forwarded(headers),
        ForwardedHeader::Forwarded => forwarded(headers),
    };
    for hop in hops.into_iter().rev() {
        // Each trusted proxy describes what it received, so the farthest trusted description wins.
        if let Some(scheme) = hop.scheme {
            client.scheme = scheme;
        }
        if let Some(host) = hop.host {
            client.host = host;
        }
        let Some(address) = hop.address else { break };
        client.address = address;
        if !covers(&trust.proxies, address.ip()) {
            break;
        }
    }
    client
}

/// What one proxy says about whom it got the request from.
#[derive(Debug, Default, PartialEq, Eq)]
struct Hop {
    address: Option<SocketAddr>,
    scheme: Option<&'static str>,
    host: Option<String>,
}

/// A header that must be there once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// More than any chain of proxies is long.
const MAX_HOPS: usize = 32;

/// The last items of a list over all lines of a header, in their order.
fn items(headers: &HeaderMap, name: &'static str) -> Vec<String> {
    let lines: Vec<_> = headers.get_all(name).iter().collect();
    let mut items: Vec<String> = Vec::new();
    for line in lines.into_iter().rev() {
        let text = String::from_utf8_lossy(line.as_bytes());
        for item in split_outside_quotes(&text, ',').into_iter().rev() {
            if items.len() == MAX_HOPS {
                break;
            }
            items.push(item.trim().to_owned());
        }
    }
    items.reverse();
    items
}

fn x_forwarded(headers: &HeaderMap) -> Vec<Hop> {
    let addresses = items(headers, "x-forwarded-for");
    let [schemes, hosts] =
        ["x-forwarded-proto", "x-forwarded-host"].map(|name| items(headers, name));
    let count = addresses.len().max(1);
    // A list as long as that of the addresses was written hop by hop; else the peer wrote the last of it.
    let of = |list: &[String], index: usize| {
        let last = (index + 1 == count).then(|| list.last()).flatten();
        if list.len() == count { list.get(index) } else { last }.cloned()
    };
    (0..count)
        .map(|index| Hop {
            address: addresses.get(index).and_then(|text| node(text)),
            scheme: of(&schemes, index).and_then(|text| scheme(&text)),
            host: of(&hosts, index).and_then(|text| valid_host(&text)),
        })
        .collect()
}

fn forwarded(headers: &HeaderMap) -> Vec<Hop> {
    let hop = |element: String| {
        let mut hop = Hop::default();
        for pair in split_outside_quotes(&element, ';') {
            let Some((name, value)) = pair.split_once('=') else { continue };
            let value = value.trim();
            let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
            match name.trim().to_ascii_lowercase().as_str() {
                "for" => hop.address = node(value),
                "proto" => hop.scheme = scheme(value),
                "host" => hop.host = valid_host(value),
                _ => {}
            }
        }
        hop
    };
    items(headers, "forwarded").into_iter().map(hop).collect()
}

/// Parts between separators that are not inside quotes.
fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"';
        c == separator && !quoted
    })
    .collect()
}

/// An address with or without a port; `unknown` and hidden names (RFC 7239, 6.3) are none.
fn node(text: &str) -> Option<SocketAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = match bare.parse::<IpAddr>() {
        Ok(address) => SocketAddr::new(address, 0),
        Err(_) => text.parse().ok()?,
    };
    Some(SocketAddr::new(address.ip().to_canonical(), address.port()))
}

fn scheme(text: &str) -> Option<&'static str> {
    ["https", "http"].into_iter().find(|scheme| text.eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn check(
        header: ForwardedHeader,
        peer: &str,
        lines: &[(&'static str, &str)],
        expect: (&str, &str, &str),
    ) {
        let trusted = ["10.0.0.0/8", "2001:db8::/32"].map(|network| network.parse().unwrap());
        let trust = Trust { proxies: trusted.to_vec(), header };
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("Bmc.example"));
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let client = client_of(peer.parse().unwrap(), false, &headers, &trust);
        let found = (client.address.to_string(), client.scheme, client.host.as_str());
        assert_eq!((found.0.as_str(), found.1, found.2), expect, "{peer} {lines:?}");
    }

    #[test]
    fn x_forwarded_headers() {
        const FOR: &str = "x-forwarded-for";
        const PROTO: &str = "x-forwarded-proto";
        const NAME: &str = "x-forwarded-host";
        let check = |peer: &str, lines: &[(&'static str, &str)], expect| {
            check(ForwardedHeader::XForwarded, peer, lines, expect);
        };
        let own = "bmc.example";
        // From anybody else they are nothing.
        let all = [(FOR, "1.1.1.1"), (PROTO, "https"), (NAME, "evil.example")];
        check("192.0.2.9:5", &all, ("192.0.2.9:5", "http", own));
        check("192.0.2.9:5", &[("forwarded", "for=1.1.1.1")], ("192.0.2.9:5", "http", own));
        // From a trusted proxy they are.
        let all = [(FOR, "192.0.2.1"), (PROTO, "HTTPS"), (NAME, "Public.example:444")];
        check("10.0.0.1:5", &all, ("192.0.2.1:0", "https", "public.example:444"));
        check("[2001:db8::1]:5", &all, ("192.0.2.1:0", "https", "public.example:444"));
        check("[::ffff:10.0.0.1]:5", &all, ("192.0.2.1:0", "https", "public.example:444"));
        check("10.0.0.1:5", &[], ("10.0.0.1:5", "http", own));
        check("10.0.0.1:5", &[(PROTO, "https")], ("10.0.0.1:5", "https", own));
        // What the client wrote itself comes first, and is not believed.
        check("10.0.0.1:5", &[(FOR, "1.1.1.1, 192.0.2.1")], ("192.0.2.1:0", "http", own));
        check("10.0.0.1:5", &[(FOR, "10.9.9.9, 192.0.2.1")], ("192.0.2.1:0", "http", own));
        check("10.0.0.1:5", &[(FOR, "1.1.1.1"), (FOR, "192.0.2.1")], ("192.0.2.1:0", "http", own));
        let both = [(FOR, "192.0.2.1"), (PROTO, "https, http")];
        check("10.0.0.1:5", &both, ("192.0.2.1:0", "http", own));
        let both = [(FOR, "1.1.1.1, 192.0.2.1"), (PROTO, "https, http"), (NAME, "evil.example, a")];
        check("10.0.0.1:5", &both, ("192.0.2.1:0", "http", "a"));
        // Chains of trusted proxies.
        check("10.0.0.1:5", &[(FOR, "1.1.1.1, 192.0.2.1, 10.0.0.2")], ("192.0.2.1:0", "http", own));
        let chain = [(FOR, "192.0.2.1, 10.0.0.2"), (PROTO, "https, http")];
        check("10.0.0.1:5", &chain, ("192.0.2.1:0", "https", own));
        check("10.0.0.1:5", &[(FOR, "10.0.0.3, 10.0.0.2")], ("10.0.0.3:0", "http", own));
        // What is no address ends the search.
        check("10.0.0.1:5", &[(FOR, "192.0.2.1, unknown")], ("10.0.0.1:5", "http", own));
        check("10.0.0.1:5", &[(FOR, "192.0.2.1, x, 10.0.0.2")], ("10.0.0.2:0", "http", own));
        check("10.0.0.1:5", &[(FOR, ",,")], ("10.0.0.1:5", "http", own));
        // Forms.
        check("10.0.0.1:5", &[(FOR, "192.0.2.1:77")], ("192.0.2.1:77", "http", own));
        check("10.0.0.1:5", &[(FOR, "[2001:db9::1]:77")], ("[2001:db9::1]:77", "http", own));
        check("10.0.0.1:5", &[(FOR, "2001:db9::1")], ("[2001:db9::1]:0", "http", own));
        check("10.0.0.1:5", &[(FOR, "::ffff:192.0.2.1")], ("192.0.2.1:0", "http", own));
        check("10.0.0.1:5", &[(NAME, "a/b"), (PROTO, "ftp")], ("10.0.0.1:5", "http", own));
        // The other family is the client's own.
        check("10.0.0.1:5", &[("forwarded", "for=1.1.1.1")], ("10.0.0.1:5", "http", own));
        // However long the list is.
        let long = "10.0.0.7, ".repeat(500) + "10.0.0.8";
        check("10.0.0.1:5", &[(FOR, &long)], ("10.0.0.7:0", "http", own));
    }

    #[test]
    fn the_forwarded_header() {
        let check = |peer: &str, line: &str, expect| {
            check(ForwardedHeader::Forwarded, peer, &[("forwarded", line)], expect);
        };
        let own = "bmc.example";
        check("192.0.2.9:5", "for=1.1.1.1;proto=https", ("192.0.2.9:5", "http", own));
        check(
            "10.0.0.1:5",
            "For=192.0.2.1; Proto=https; Host=\"a.example:444\"",
            ("192.0.2.1:0", "https", "a.example:444"),
        );
        check("10.0.0.1:5", "for=1.1.1.1, for=192.0.2.1", ("192.0.2.1:0", "http", own));
        check("10.0.0.1:5", "for=\"[2001:db9::1]:77\"", ("[2001:db9::1]:77", "http", own));
        check("10.0.0.1:5", "for=\"1.1.1.1, for=2.2.2.2\"", ("10.0.0.1:5", "http", own));
        check("10.0.0.1:5", "for=_hidden;proto=https", ("10.0.0.1:5", "https", own));
        check(
            "10.0.0.1:5",
            "for=192.0.2.1;proto=https;host=a, for=10.0.0.2;proto=http;host=b",
            ("192.0.2.1:0", "https", "a"),
        );
        let x_forwarded = [("x-forwarded-for", "1.1.1.1")];
        let expect = ("10.0.0.1:5", "http", own);
        super::tests::check(ForwardedHeader::Forwarded, "10.0.0.1:5", &x_forwarded, expect);
    }
}

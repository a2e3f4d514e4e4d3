//! One line of the operator's lists.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

use crate::Error;

/// A network (`10.0.0.0/8`, `fd00::/8`, `192.0.2.1`), a host (`images.example.com`), or a domain with everything below
/// it (`*.example.com`, which does not cover `example.com` itself).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Network(IpNet),
    Host(Box<str>),
    /// With its leading dot.
    Below(Box<str>),
}

impl Rule {
    pub(super) const fn network(network: IpNet) -> Self {
        Self(Kind::Network(network))
    }

    pub(super) fn host(host: &str) -> Self {
        Self(Kind::Host(host.into()))
    }

    pub(super) fn below(domain: &str) -> Self {
        Self(Kind::Below(format!(".{domain}").into()))
    }

    /// Whether it is about addresses.
    pub(super) const fn is_network(&self) -> bool {
        matches!(self.0, Kind::Network(_))
    }

    /// Whether a host name, in lower case and without a final dot, is covered.
    pub(super) fn covers_host(&self, host: &str) -> bool {
        match &self.0 {
            Kind::Network(_) => false,
            Kind::Host(name) => **name == *host,
            Kind::Below(suffix) => host.len() > suffix.len() && host.ends_with(&**suffix),
        }
    }

    /// Whether an address is covered.
    pub(super) fn covers_address(&self, address: IpAddr) -> bool {
        match &self.0 {
            Kind::Network(network) => network.contains(&address),
            Kind::Host(_) | Kind::Below(_) => false,
        }
    }
}

impl FromStr for Rule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::network(address.into()));
        }
        if let Ok(network) = text.parse::<IpNet>() {
            return Ok(Self::network(network));
        }
        let (domain, below) =
            text.strip_prefix("*.").map_or((text, false), |domain| (domain, true));
        // A typing error in a network must not become a host that nothing ever matches: a last label of digits is none
        // of a host name, and neither is anything that a name can't hold.
        let name = match ::url::Host::parse(domain.trim_end_matches('.')) {
            Ok(::url::Host::Domain(name)) if !name.is_empty() && !name.contains('*') => name,
            _ => {
                return Err(Error::invalid(
                    "outbound",
                    format!(
                        "{text:?} is no network (10.0.0.0/8), host (example.com) or domain (*.example.com)"
                    ),
                ));
            }
        };
        Ok(if below { Self::below(&name) } else { Self::host(&name) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_networks_hosts_or_domains() {
        let check = |text: &str, expect: Option<Kind>| {
            assert_eq!(text.parse().ok(), expect.map(Rule), "{text}");
        };
        check("10.0.0.0/8", Some(Kind::Network("10.0.0.0/8".parse().unwrap())));
        check("fd00::/8", Some(Kind::Network("fd00::/8".parse().unwrap())));
        check("192.0.2.1", Some(Kind::Network("192.0.2.1/32".parse().unwrap())));
        check("Example.COM.", Some(Kind::Host("example.com".into())));
        check("bücher.example", Some(Kind::Host("xn--bcher-kva.example".into())));
        check("*.example.com", Some(Kind::Below(".example.com".into())));
        for bad in [
            "10.0.0.0/33",
            "10.0.0/8",
            "10.0.0.256",
            "",
            "*.",
            "*",
            "a/b",
            "a b",
            "*.*.example.com",
            "::1/x",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn a_domain_covers_what_is_below_it() {
        let rule: Rule = "*.example.com".parse().unwrap();
        assert!(rule.covers_host("a.example.com") && rule.covers_host("a.b.example.com"));
        assert!(!rule.covers_host("example.com") && !rule.covers_host("badexample.com"));
    }
}

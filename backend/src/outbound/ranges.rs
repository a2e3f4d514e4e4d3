//! Addresses that are guarded, and addresses inside addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::Rule;

/// Networks that lead to this host, its link, the cloud's own services, or to nobody in particular.
const GUARDED_V4: &[(Ipv4Addr, u8)] = &[
    // "This network": on many systems 0.0.0.0 is this host.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local: also the metadata service of most clouds.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Metadata services elsewhere: Alibaba, Oracle, Azure's wire server.
    (Ipv4Addr::new(100, 100, 100, 200), 32),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    // Multicast, reserved, broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

const GUARDED_V6: &[(Ipv6Addr, u8)] = &[
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::LOCALHOST, 128),
    // Link-local and its predecessor, site-local.
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8),
    // Translation to IPv4 by a prefix of the site: what is inside can't be told without knowing its length.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48),
    // Discard.
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64),
    // Metadata services: AWS, Google, Scaleway.
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128),
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), 128),
    (Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42), 128),
];

/// Names that mean the same: refused before anybody resolves them, as the resolver may be a helper's.
const GUARDED_HOSTS: &[&str] =
    &["localhost", "metadata", "metadata.google.internal", "metadata.goog", "instance-data"];

/// The built-in guarded rules.
pub(super) fn guarded() -> impl Iterator<Item = Rule> {
    let v4 = GUARDED_V4.iter().map(|(address, bits)| Rule::network(net_v4(*address, *bits)));
    let v6 = GUARDED_V6.iter().map(|(address, bits)| Rule::network(net_v6(*address, *bits)));
    let hosts = GUARDED_HOSTS.iter().map(|host| Rule::host(host));
    v4.chain(v6).chain(hosts).chain([Rule::below("localhost")])
}

/// This host's own addresses and names.
pub(super) fn loopback() -> [Rule; 4] {
    [
        Rule::network(net_v4(Ipv4Addr::new(127, 0, 0, 0), 8)),
        Rule::network(net_v6(Ipv6Addr::LOCALHOST, 128)),
        Rule::host("localhost"),
        Rule::below("localhost"),
    ]
}

fn net_v4(address: Ipv4Addr, bits: u8) -> IpNet {
    // A length out of range would be a typing error above; the whole address is the narrowest reading, and the tests
    // walk through every row.
    IpNet::V4(Ipv4Net::new(address, bits).unwrap_or(Ipv4Net::from(address)))
}

fn net_v6(address: Ipv6Addr, bits: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new(address, bits).unwrap_or(Ipv6Net::from(address)))
}

/// The address, and those that it carries inside: a translator on the way delivers to them.
pub(super) fn forms(address: IpAddr, nat64: &[Ipv6Net]) -> Vec<IpAddr> {
    let v6 = match address {
        IpAddr::V4(_) => return vec![address],
        IpAddr::V6(v6) => v6,
    };
    if let Some(v4) = v6.to_ipv4_mapped() {
        // Only another way of writing it: the connection is IPv4.
        return vec![IpAddr::V4(v4)];
    }
    let mut forms = vec![address];
    let s = v6.segments();
    let mut carry = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        forms.push(IpAddr::V4(Ipv4Addr::new(a, b, c, d)));
    };
    match s {
        // IPv4-compatible, long given up; the first two are the unspecified address and loopback.
        [0, 0, 0, 0, 0, 0, high, low] if (high, low) != (0, 0) && (high, low) != (0, 1) => {
            carry(high, low);
        }
        // The same with `ffff` one segment further up: SIIT.
        [0, 0, 0, 0, 0xffff, 0, high, low] => carry(high, low),
        // NAT64.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => carry(high, low),
        // 6to4.
        [0x2002, high, low, ..] => carry(high, low),
        // Teredo: the server, and the client with all bits flipped.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            carry(server_high, server_low);
            carry(!high, !low);
        }
        _ => {}
    }
    // ISATAP: any prefix, and an interface id that says so.
    if matches!(s[4], 0 | 0x200) && s[5] == 0x5efe {
        carry(s[6], s[7]);
    }
    if nat64.iter().any(|prefix| prefix.prefix_len() == 96 && prefix.contains(&v6)) {
        carry(s[6], s[7]);
    }
    forms
}

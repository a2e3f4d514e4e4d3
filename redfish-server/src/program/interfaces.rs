//! The network interfaces by which the listeners are reached: what managers show as theirs.
//!
//! Read once, at the start, like the sockets that are bound then. Only what has a hardware address counts:
//! a service that listens on loopback alone has no Ethernet interface, and shows none.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use ipnet::IpNet;
use redfish_backend::PartId;
use redfish_backend::machine::MacAddress;
use redfish_server::bmc::ManagerInterface;
use redfish_server::ssdp::Network;

/// Where Linux tells of its interfaces.
const CLASS: &str = "/sys/class/net";

/// The interfaces of this host that the bound addresses are reached by.
pub(super) fn reaching(bound: &[SocketAddr]) -> Vec<ManagerInterface> {
    let found = if_addrs::get_if_addrs().unwrap_or_else(|error| {
        tracing::warn!(%error, "the network interfaces are not known");
        Vec::new()
    });
    let addresses = found.into_iter().filter_map(|interface| {
        let address = IpNet::new(interface.ip(), prefix(&interface.addr)).ok()?;
        Some((interface.name, address))
    });
    let mac = |name: &str| {
        let text = std::fs::read_to_string(Path::new(CLASS).join(name).join("address")).ok()?;
        hardware(&text)
    };
    select(bound, addresses, mac)
}

/// The networks of this host, where searches may come from.
pub(super) fn networks() -> Vec<Network> {
    let found = if_addrs::get_if_addrs().unwrap_or_default();
    let network = |interface: if_addrs::Interface| {
        let address = IpNet::new(interface.ip(), prefix(&interface.addr)).ok()?;
        Some(Network { interface: interface.index?, address })
    };
    found.into_iter().filter_map(network).collect()
}

fn prefix(address: &if_addrs::IfAddr) -> u8 {
    match address {
        if_addrs::IfAddr::V4(v4) => v4.prefixlen,
        if_addrs::IfAddr::V6(v6) => v6.prefixlen,
    }
}

/// Those addresses that are bound, by interface, in the order of the host.
fn select(
    bound: &[SocketAddr],
    addresses: impl IntoIterator<Item = (String, IpNet)>,
    mac: impl Fn(&str) -> Option<MacAddress>,
) -> Vec<ManagerInterface> {
    let mut interfaces: Vec<ManagerInterface> = Vec::new();
    for (name, address) in addresses {
        if !bound.iter().any(|bound| covers(bound.ip(), address.addr())) {
            continue;
        }
        // A name that no URI can have is left out, as is one without a hardware address.
        let (Ok(name), Some(mac)) = (PartId::new(&name), mac(&name)) else { continue };
        match interfaces.iter_mut().find(|interface| interface.name == name) {
            Some(interface) => interface.addresses.push(address),
            None => interfaces.push(ManagerInterface { name, mac, addresses: vec![address] }),
        }
    }
    interfaces
}

/// Whether a socket bound to one address is reached by another: `[::]` takes IPv4 too.
fn covers(bound: IpAddr, address: IpAddr) -> bool {
    match (bound, address) {
        (IpAddr::V6(any), _) if any.is_unspecified() => true,
        (IpAddr::V4(any), IpAddr::V4(_)) if any.is_unspecified() => true,
        _ => bound == address,
    }
}

/// A hardware address; loopback has zeros in the place of one.
fn hardware(text: &str) -> Option<MacAddress> {
    let mac: MacAddress = text.trim().parse().ok()?;
    (mac != MacAddress([0; 6])).then_some(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_listeners_are_reached_by_is_shown() {
        #[track_caller]
        fn check(bound: &[&str], expect: &[(&str, &[&str])]) {
            let host = [
                ("lo", "127.0.0.1/8"),
                ("lo", "::1/128"),
                ("eth0", "192.0.2.7/24"),
                ("eth1", "198.51.100.7/25"),
                ("eth0", "2001:db8::7/64"),
            ];
            let host = host.map(|(name, net)| (name.to_owned(), net.parse().unwrap()));
            let bound: Vec<_> = bound.iter().map(|text| text.parse().unwrap()).collect();
            let mac = |name: &str| (name != "lo").then_some(MacAddress([2, 0, 0, 0, 0, 1]));
            let found: Vec<_> = select(&bound, host, mac)
                .into_iter()
                .map(|one| (one.name, one.addresses.iter().map(IpNet::to_string).collect()))
                .collect();
            let expect: Vec<(PartId, Vec<String>)> = expect
                .iter()
                .map(|(name, all)| {
                    let all = all.iter().map(|text| (*text).to_owned()).collect();
                    (PartId::new(name).unwrap(), all)
                })
                .collect();
            assert_eq!(found, expect, "{bound:?}");
        }
        check(&["127.0.0.1:8443", "[::1]:8443"], &[]);
        check(&["192.0.2.7:8443"], &[("eth0", &["192.0.2.7/24"])]);
        check(&["[2001:db8::7]:1"], &[("eth0", &["2001:db8::7/64"])]);
        check(&["0.0.0.0:1"], &[("eth0", &["192.0.2.7/24"]), ("eth1", &["198.51.100.7/25"])]);
        let all: &[(&str, &[&str])] =
            &[("eth0", &["192.0.2.7/24", "2001:db8::7/64"]), ("eth1", &["198.51.100.7/25"])];
        check(&["[::]:1"], all);
        check(&["203.0.113.1:1"], &[]);
        check(&[], &[]);
    }

    #[test]
    fn zeros_are_no_hardware_address() {
        assert_eq!(hardware("00:00:00:00:00:00\n"), None);
        assert_eq!(hardware("02:00:00:00:00:01\n"), Some(MacAddress([2, 0, 0, 0, 0, 1])));
        assert_eq!(hardware(""), None);
    }
}

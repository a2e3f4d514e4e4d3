//! Discovery by SSDP (DSP0266, "Discovery"): clients on the same network ask by multicast where Redfish
//! services are, and we answer with the URL of the service root.
//!
//! Off unless switched on. Only searches for Redfish, or for everything, are answered; only to clients on a
//! network of this host, since the answers are larger than the questions and their sender is easily forged;
//! and only so many in a second. The URL names the very address by which the client is reached, so nobody is
//! told of a listener that they can't get at. Nothing is announced unasked.

mod message;
mod pace;
mod responder;

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

pub use responder::{PORT, Responder, Unavailable};

/// The service that is found.
#[derive(Clone, Debug)]
pub struct Found {
    /// `ServiceRoot.UUID`.
    pub uuid: String,
    /// `https` or `http`.
    pub scheme: &'static str,
    /// Where the listeners are bound.
    pub listeners: Vec<SocketAddr>,
    /// The networks of this host.
    pub networks: Vec<Network>,
}

/// A network that this host is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// The index of the interface.
    pub interface: u32,
    /// The address that this host has there.
    pub address: IpNet,
}

impl Network {
    /// Whether its addresses mean something on this link only: no URL can name them.
    fn is_link_local(&self) -> bool {
        matches!(self.address.addr(), IpAddr::V6(v6) if v6.is_unicast_link_local())
    }
}

impl Found {
    /// The URL of the service root for a client on one of the networks: by an address that this host has on
    /// that interface and listens on, in that network if it can be.
    fn url(&self, client: IpAddr) -> Option<String> {
        let near = |network: &&Network| {
            network.address.prefix_len() > 0 && network.address.contains(&client)
        };
        let link = self.networks.iter().find(near)?;
        let same_link = self.networks.iter().filter(|other| other.interface == link.interface);
        let (address, port) = std::iter::once(link)
            .chain(same_link)
            .filter(|network| !network.is_link_local())
            .find_map(|network| self.reached(network.address.addr()))?;
        let port = match (self.scheme, port) {
            ("https", 443) | ("http", 80) => String::new(),
            _ => format!(":{port}"),
        };
        let host = match address {
            IpAddr::V4(v4) => v4.to_string(),
            IpAddr::V6(v6) => format!("[{v6}]"),
        };
        Some(format!("{}://{host}{port}/redfish/v1/", self.scheme))
    }

    /// An address of this host with the port, if one listens there.
    fn reached(&self, address: IpAddr) -> Option<(IpAddr, u16)> {
        let covers = |bound: &&SocketAddr| {
            let any = bound.ip().is_unspecified() && (bound.is_ipv6() || address.is_ipv4());
            any || bound.ip() == address
        };
        self.listeners.iter().find(covers).map(|bound| (address, bound.port()))
    }
}

#[cfg(test)]
mod tests;

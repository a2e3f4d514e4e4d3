//! Listening sockets.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use rustls::ServerConfig;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;

/// How many connections wait to be accepted.
const BACKLOG: i32 = 1024;

/// A listening socket, and what is spoken on it.
#[derive(Debug)]
pub struct Listener {
    pub(super) socket: TcpListener,
    pub(super) tls: Option<Arc<ServerConfig>>,
    pub(super) proxy_protocol: bool,
    address: SocketAddr,
}

/// An address that can't be listened on.
#[derive(Debug, thiserror::Error)]
#[error("Can't listen on {address}: {source}")]
pub struct BindError {
    /// The address.
    pub address: SocketAddr,
    /// What the system says.
    pub source: io::Error,
}

/// Opens a listener for each address, for plain HTTP at first. Port 0 takes a free one, see
/// [`Listener::address`].
///
/// `[::]` listens for IPv4 as well, unless `0.0.0.0` with the same port is given beside it.
///
/// # Errors
/// [`BindError`] with the first address that can't be had; none is kept then.
pub fn bind(addresses: &[SocketAddr]) -> Result<Vec<Listener>, BindError> {
    addresses
        .iter()
        .map(|address| {
            let v4 = SocketAddr::from((Ipv4Addr::UNSPECIFIED, address.port()));
            let dual = address.ip() == IpAddr::from(Ipv6Addr::UNSPECIFIED)
                && (address.port() == 0 || !addresses.contains(&v4));
            open(*address, dual).map_err(|source| BindError { address: *address, source })
        })
        .collect()
}

fn open(address: SocketAddr, dual: bool) -> io::Result<Listener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(!dual)?;
    }
    // A restart must not wait for the connections of its predecessor.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    let socket = TcpListener::from_std(socket.into())?;
    let address = socket.local_addr()?;
    Ok(Listener { socket, tls: None, proxy_protocol: false, address })
}

impl Listener {
    /// The address, with the port that it really has.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// For HTTPS. Who speaks plain HTTP is sent to https.
    #[must_use]
    pub fn with_tls(self, config: Arc<ServerConfig>) -> Self {
        Self { tls: Some(config), ..self }
    }

    /// For connections that begin with a header of the PROXY protocol, version 2, when they come from trusted
    /// proxies. From others it is not read.
    #[must_use]
    pub fn with_proxy_protocol(self) -> Self {
        Self { proxy_protocol: true, ..self }
    }
}

//! The sockets: open while the switch is on.

use std::error::Error as _;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Found;
use super::message::{self, Search};
use super::pace::Pace;
use crate::services::network_protocol::Options;

/// The port that searches go to.
pub const PORT: u16 = 1900;
const GROUP_V4: Ipv4Addr = Ipv4Addr::new(239, 255, 255, 250);
const GROUP_V6: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 0xC);

/// A search is a few hundred bytes; what is longer is cut, and then no search.
const LONGEST: usize = 1500;
/// Answers that wait for their time.
const WAITING: usize = 64;
const BURST: u32 = 32;
const INTERVAL: Duration = Duration::from_millis(50);
/// How long after a failure the sockets are opened again.
const PAUSE: Duration = Duration::from_secs(5);

/// Why nothing can be answered.
#[derive(Debug, thiserror::Error)]
#[error("UDP port {PORT} can't be used for SSDP on any network")]
pub struct Unavailable(#[source] io::Error);

/// Answers searches.
#[derive(Debug)]
pub struct Responder {
    found: Found,
    port: u16,
}

impl Responder {
    /// A responder for a service.
    pub fn new(found: Found) -> Self {
        Self { found, port: PORT }
    }

    /// One on another port, where tests search.
    #[cfg(test)]
    pub(super) fn on_port(self, port: u16) -> Self {
        Self { port, ..self }
    }

    /// Answers while `SSDP.ProtocolEnabled` is true, until nobody can switch it any more.
    pub async fn run(self, mut switch: watch::Receiver<Options>) {
        let on = |options: &Options| options.ssdp == Some(true);
        loop {
            if switch.wait_for(on).await.is_err() {
                return;
            }
            let failed = tokio::select! {
                error = self.answer() => error,
                changed = switch.wait_for(|options| !on(options)) => match changed {
                    Ok(_) => continue,
                    Err(_) => return,
                },
            };
            tracing::warn!(error = %failed, cause = ?failed.source(), "searches are not answered");
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Answers until there is no socket left.
    async fn answer(&self) -> Unavailable {
        let mut sockets = Vec::new();
        let mut failed = None;
        for open in [self.v4(), self.v6()] {
            match open {
                Ok(socket) => sockets.push(socket),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let nothing = || io::Error::from(io::ErrorKind::AddrNotAvailable);
        if sockets.is_empty() {
            return Unavailable(failed.unwrap_or_else(nothing));
        }
        let mut work: JoinSet<io::Error> = JoinSet::new();
        for socket in sockets {
            let found = self.found.clone();
            work.spawn(async move { listen(socket, &found).await });
        }
        let error = work.join_next().await.and_then(Result::ok);
        Unavailable(error.unwrap_or_else(nothing))
    }

    fn v4(&self) -> io::Result<UdpSocket> {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        let mut joined = Err(io::Error::from(io::ErrorKind::AddrNotAvailable));
        for network in &self.found.networks {
            if let IpAddr::V4(here) = network.address.addr() {
                joined = socket.join_multicast_v4(&GROUP_V4, &here).or(joined);
            }
        }
        joined?;
        self.bound(socket, (Ipv4Addr::UNSPECIFIED, self.port).into())
    }

    fn v6(&self) -> io::Result<UdpSocket> {
        let socket = Socket::new(Domain::IPV6, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_only_v6(true)?;
        let mut joined = Err(io::Error::from(io::ErrorKind::AddrNotAvailable));
        for network in self.found.networks.iter().filter(|network| network.address.addr().is_ipv6())
        {
            joined = socket.join_multicast_v6(&GROUP_V6, network.interface).or(joined);
        }
        joined?;
        self.bound(socket, (Ipv6Addr::UNSPECIFIED, self.port).into())
    }

    /// Other responders of the host may have the port too.
    fn bound(&self, socket: Socket, address: SocketAddr) -> io::Result<UdpSocket> {
        socket.set_reuse_address(true)?;
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        UdpSocket::from_std(socket.into())
    }
}

/// Answers what comes to a socket, until that fails.
async fn listen(socket: UdpSocket, found: &Found) -> io::Error {
    let socket = std::sync::Arc::new(socket);
    let mut pace = Pace::new(BURST, INTERVAL);
    // Answers that wait go with the socket: what is switched off is silent at once.
    let mut waiting = JoinSet::new();
    let mut datagram = [0; LONGEST];
    loop {
        let (length, client) = match socket.recv_from(&mut datagram).await {
            Ok(received) => received,
            Err(error) => return error,
        };
        while waiting.try_join_next().is_some() {}
        let Some(search) = datagram.get(..length).and_then(Search::read) else { continue };
        let Some(url) = found.url(client.ip().to_canonical()) else { continue };
        if waiting.len() >= WAITING || !pace.take() {
            continue;
        }
        let answer = message::answer(&found.uuid, &url);
        let socket = std::sync::Arc::clone(&socket);
        waiting.spawn(async move {
            tokio::time::sleep(spread(search.within)).await;
            if let Err(error) = socket.send_to(answer.as_bytes(), client).await {
                tracing::debug!(%error, "an answer to a search was not sent");
            }
        });
    }
}

/// Some time within so many seconds, so that not all services of a network answer at once.
fn spread(within: u64) -> Duration {
    let random = getrandom::u32().unwrap_or(0);
    // Half of the time, lest the last answers come too late.
    Duration::from_secs(within).mul_f64(f64::from(random) / f64::from(u32::MAX) / 2.0)
}

//! The accept loop: from a socket to requests, and nothing hostile in between.
//!
//! It is ours, since no ready-made one tells a service the name that TLS was asked for, answers plain HTTP on
//! a TLS port, takes addresses from proxies, and bounds everything that a stranger can hold: connections by
//! address, time for a handshake, a head, an answer that is not read, and idleness. What is behind it sees
//! whole heads of requests only, each with the [`Connection`] it came by.
//!
//! - [`bind`] opens sockets, [`serve`] answers on them until it is told to stop, then drains.
//! - [`Limits`] has every bound in one place.
//! - [`client_of`] tells the client's address, scheme and host, as far as trusted proxies say it.

mod activity;
mod connection;
mod forwarded;
mod limits;
mod proxy_protocol;
mod redirect;
mod slots;
mod socket;
mod stream;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures_util::future::join_all;
use http::{Request, Response};
use hyper::body::Incoming;
use ipnet::IpNet;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::admin::Metrics;
pub use forwarded::{Client, ForwardedHeader, Trust, client_of};
pub use limits::Limits;
pub use socket::{BindError, Listener, bind};

use slots::Slots;

/// What a [`Service`] gives.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Response<Body>> + Send + 'a>>;

/// What answers requests. A panic in it costs the client a 500, and nobody else anything.
pub trait Service: Send + Sync + 'static {
    /// Answers one request.
    fn call<'a>(
        &'a self,
        request: Request<Incoming>,
        connection: &'a Arc<Connection>,
    ) -> Answer<'a>;
}

impl<F, A> Service for F
where
    F: Fn(Request<Incoming>, Arc<Connection>) -> A + Send + Sync + 'static,
    A: Future<Output = Response<Body>> + Send + 'static,
{
    fn call<'a>(
        &'a self,
        request: Request<Incoming>,
        connection: &'a Arc<Connection>,
    ) -> Answer<'a> {
        Box::pin(self(request, connection.clone()))
    }
}

/// How a request came in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Connection {
    /// Who connected; behind a proxy that speaks the PROXY protocol, whom it speaks for. What a proxy writes
    /// into headers is another matter: [`client_of`].
    pub peer: SocketAddr,
    /// The address that was connected to.
    pub local: SocketAddr,
    /// Which of the listeners it was, counted from 0.
    pub listener: usize,
    /// Whether it is TLS.
    pub tls: bool,
    /// The host that the client asked for in TLS (RFC 6066), in lower case.
    pub server_name: Option<Box<str>>,
    closing: watch::Receiver<bool>,
}

impl Connection {
    /// Resolves when the service is about to stop: streams without end should end then.
    pub async fn closing(&self) {
        closed(self.closing.clone()).await;
    }
}

/// How connections are treated.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// What strangers may hold.
    pub limits: Limits,
    /// Peers that speak for others.
    pub trusted_proxies: Vec<IpNet>,
    /// Where connections are counted.
    pub metrics: Arc<Metrics>,
}

/// What all connections share.
struct Shared {
    service: Arc<dyn Service>,
    settings: Settings,
    slots: Arc<Slots>,
    requests: Semaphore,
}

/// Answers on the listeners until `shutdown` resolves; then stops accepting, lets what runs finish within
/// [`Limits::drain`], and closes the rest. Gives how many connections were cut off.
pub async fn serve(
    listeners: Vec<Listener>,
    service: Arc<dyn Service>,
    settings: Settings,
    shutdown: impl Future<Output = ()>,
) -> usize {
    let shared = Arc::new(Shared {
        service,
        slots: Slots::new(&settings.limits),
        requests: Semaphore::new(settings.limits.requests),
        settings,
    });
    let (stop, stopped) = watch::channel(false);
    let listeners = listeners.into_iter().enumerate().map(|(index, listener)| {
        accept(Arc::new(listener), index, shared.clone(), stopped.clone())
    });
    let stopping = async {
        shutdown.await;
        // Whoever accepts listens.
        let _ = stop.send(true);
    };
    let (cut, ()) = tokio::join!(join_all(listeners), stopping);
    cut.into_iter().sum()
}

async fn accept(
    listener: Arc<Listener>,
    index: usize,
    shared: Arc<Shared>,
    stopped: watch::Receiver<bool>,
) -> usize {
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(closed(stopped.clone()));
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut stop => break,
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "A connection ended in a panic");
                }
                continue;
            }
            accepted = listener.socket.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    pause_after(&error).await;
                    continue;
                }
            },
        };
        // A dual-stack socket writes IPv4 as IPv6; nobody else should have to know.
        let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
        start(&mut connections, &listener, index, &shared, &stopped, (stream, peer));
    }
    // The socket must be free for a successor at once, not after the last connection.
    drop(listener);
    drain(connections, shared.settings.limits.drain).await
}

fn start(
    connections: &mut JoinSet<()>,
    listener: &Listener,
    index: usize,
    shared: &Arc<Shared>,
    stopped: &watch::Receiver<bool>,
    (stream, peer): (TcpStream, SocketAddr),
) {
    let trusted = forwarded::covers(&shared.settings.trusted_proxies, peer.ip());
    let Some(slot) = shared.slots.take((!trusted).then_some(peer.ip()), &shared.settings.metrics)
    else {
        // The newest goes: who is connected keeps working.
        tracing::debug!(%peer, "Too many connections");
        return;
    };
    let accepted = connection::Accepted {
        stream,
        peer,
        listener: index,
        tls: listener.tls.clone(),
        proxy_protocol: listener.proxy_protocol && trusted,
        slot,
        closing: stopped.clone(),
    };
    connections.spawn(connection::run(accepted, shared.clone()));
}

/// Out of file descriptors or memory, accepting fails at once and again: that must not spin. A connection
/// that is gone before it was accepted is nothing to wait for.
async fn pause_after(error: &std::io::Error) {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    if matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
        return;
    }
    tracing::error!(%error, "Can't accept connections");
    tokio::time::sleep(Duration::from_millis(250)).await;
}

/// Waits for the connections, which know that they are to end; gives how many had to be cut off.
async fn drain(mut connections: JoinSet<()>, within: Duration) -> usize {
    let all = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(within, all).await.is_ok() {
        return 0;
    }
    let cut = connections.len();
    connections.shutdown().await;
    cut
}

/// Resolves when the service is to stop, also when nobody is left to say so.
async fn closed(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

#[cfg(test)]
mod tests;

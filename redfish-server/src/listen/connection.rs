//! One connection, from its first byte to its last.
//!
//! PROXY header, then TLS or what is taken for it, then requests. A client that speaks plain HTTP on a TLS
//! port gets a redirect; the first byte tells, since a TLS record of a handshake begins with 22 and a method
//! with a letter.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures_util::FutureExt;
use http::{Request, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::activity::{Activity, Busy, Phase};
use super::slots::Slot;
use super::stream::Guarded;
use super::{Connection, Limits, Service, Shared, closed, proxy_protocol, redirect};
use crate::error::Error;

/// A connection that was accepted and nothing more.
pub(super) struct Accepted {
    pub(super) stream: TcpStream,
    pub(super) rest: Waiting,
}

/// What is known of it.
pub(super) struct Waiting {
    pub(super) peer: SocketAddr,
    pub(super) listener: usize,
    pub(super) tls: Option<Arc<ServerConfig>>,
    pub(super) proxy_protocol: bool,
    pub(super) slot: Slot,
    pub(super) closing: watch::Receiver<bool>,
}

/// What is spoken.
enum Opened {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    /// Plain HTTP where TLS was expected.
    Mistaken(TcpStream),
}

pub(super) async fn run(accepted: Accepted, shared: Arc<Shared>) {
    let Accepted { stream, rest: mut accepted } = accepted;
    let (peer, closing) = (accepted.peer, accepted.closing.clone());
    let opening = timeout(shared.settings.limits.handshake, open(stream, &mut accepted));
    let opened = tokio::select! {
        opened = opening => opened.unwrap_or_else(|late| Err(late.into())),
        // Nothing was asked yet.
        () = closed(closing) => return,
    };
    let (opened, connection) = match opened {
        Ok(opened) => opened,
        Err(reason) => {
            tracing::debug!(%peer, %reason, "A connection was not opened");
            shared.settings.metrics.handshake_failed();
            return;
        }
    };
    let connection = Arc::new(connection);
    match opened {
        Opened::Plain(stream) => converse(stream, accepted.slot, connection, shared).await,
        Opened::Tls(stream) => converse(*stream, accepted.slot, connection, shared).await,
        Opened::Mistaken(stream) => {
            let service: Arc<dyn Service> = Arc::new(redirect::Redirect);
            let settings = shared.settings.clone();
            let (slots, requests) = (shared.slots.clone(), tokio::sync::Semaphore::new(1));
            let shared = Arc::new(Shared { service, settings, slots, requests });
            converse(stream, accepted.slot, connection, shared).await;
        }
    }
}

/// Finds out who connects and what is spoken.
async fn open(mut stream: TcpStream, accepted: &mut Waiting) -> io::Result<(Opened, Connection)> {
    stream.set_nodelay(true)?;
    let mut peer = accepted.peer;
    if accepted.proxy_protocol
        && let Some(client) = proxy_protocol::read(&mut stream).await?
    {
        peer = client;
        if !accepted.slot.count(peer.ip()) {
            return Err(io::Error::other("Too many connections from one address"));
        }
    }
    let mut connection = Connection {
        peer,
        local: stream.local_addr()?,
        listener: accepted.listener,
        tls: false,
        server_name: None,
        closing: accepted.closing.clone(),
    };
    let Some(config) = &accepted.tls else { return Ok((Opened::Plain(stream), connection)) };
    let mut first = [0; 1];
    if stream.peek(&mut first).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if first[0].is_ascii_alphabetic() {
        return Ok((Opened::Mistaken(stream), connection));
    }
    let stream = TlsAcceptor::from(config.clone()).accept(stream).await?;
    connection.tls = true;
    let name = stream.get_ref().1.server_name();
    connection.server_name = name.map(|name| name.to_ascii_lowercase().into());
    Ok((Opened::Tls(Box::new(stream)), connection))
}

fn http(limits: &Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.keep_alive(true)
        .half_close(false)
        .max_headers(limits.headers)
        // hyper asks for no less.
        .max_buf_size(limits.header_bytes.max(8192));
    http
}

/// Answers one request; whatever happens in there, with something.
async fn answer(
    request: Request<Incoming>,
    connection: Arc<Connection>,
    shared: Arc<Shared>,
    busy: Busy,
) -> Response<Body> {
    let response = match shared.requests.try_acquire() {
        Ok(_permit) => {
            let answer = shared.service.call(request, &connection);
            AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| {
                tracing::error!("A request ended in a panic");
                crate::router::refusal(Error::internal())
            })
        }
        Err(_) => crate::router::refusal(Error::unavailable(std::time::Duration::from_secs(1))),
    };
    response.map(|body| Body::new(Held { body, _busy: busy }))
}

/// A body that keeps its connection busy for as long as it is sent.
struct Held {
    body: Body,
    _busy: Busy,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Answers requests until there are none left.
async fn converse<S>(stream: S, slot: Slot, connection: Arc<Connection>, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let limits = shared.settings.limits;
    let closing = connection.closing.clone();
    let peer = connection.peer;
    let activity = Activity::new();
    let stream = Guarded::new(stream, activity.clone(), limits.write, slot);
    let busy = activity.clone();
    let service = service_fn(move |request| {
        let busy = Busy::new(&busy);
        answer(request, connection.clone(), shared.clone(), busy).map(Ok::<_, Infallible>)
    });
    let conversation =
        http(&limits).serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut conversation = pin!(conversation);
    let mut stop = pin!(closed(closing));
    let mut stopping = false;
    loop {
        tokio::select! {
            ended = conversation.as_mut() => {
                if let Err(reason) = ended {
                    tracing::debug!(%peer, %reason, "A connection ended");
                }
                return;
            }
            () = &mut stop, if !stopping => {
                stopping = true;
                conversation.as_mut().graceful_shutdown();
            }
            phase = activity.overdue(&limits) => {
                if phase == Phase::Head {
                    tracing::debug!(%peer, "A client was too slow");
                    return;
                }
                // In the time of a head it can say good-bye properly, or it is cut off.
                conversation.as_mut().graceful_shutdown();
                activity.enter(Phase::Head);
            }
        }
    }
}

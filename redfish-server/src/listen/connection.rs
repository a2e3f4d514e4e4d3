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
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Request, Response};
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
    let peer = accepted.peer;
    let closing = accepted.closing.clone();
    let opening = timeout(shared.settings.limits.handshake, open(accepted));
    let opened = tokio::select! {
        opened = opening => opened.unwrap_or_else(|late| Err(late.into())),
        // Nothing was asked yet.
        () = closed(closing) => return,
    };
    let (opened, slot, connection) = match opened {
        Ok(opened) => opened,
        Err(reason) => {
            tracing::debug!(%peer, %reason, "A connection was not opened");
            shared.settings.metrics.handshake_failed();
            return;
        }
    };
    let connection = Arc::new(connection);
    match opened {
        Opened::Plain(stream) => converse(stream, slot, connection, shared, None).await,
        Opened::Tls(stream) => converse(*stream, slot, connection, shared, None).await,
        Opened::Mistaken(stream) => {
            converse(stream, slot, connection, shared, Some(&redirect::Redirect)).await;
        }
    }
}

async fn open(accepted: Accepted) -> io::Result<(Opened, Slot, Connection)> {
    let Accepted { mut stream, mut peer, listener, tls, proxy_protocol, mut slot, closing } =
        accepted;
    // Without this the second half of an answer can wait for the client's delayed acknowledgement.
    stream.set_nodelay(true)?;
    let local = stream.local_addr()?;
    let local = SocketAddr::new(local.ip().to_canonical(), local.port());
    if proxy_protocol && let Some(client) = proxy_protocol::read(&mut stream).await? {
        peer = client;
        if !slot.count(client.ip()) {
            return Err(io::Error::other("Too many connections from this address"));
        }
    }
    let mut server_name = None;
    let opened = match tls {
        None => Opened::Plain(stream),
        Some(config) => match first_byte(&stream).await? {
            HANDSHAKE => {
                let stream = TlsAcceptor::from(config).accept(stream).await?;
                server_name =
                    stream.get_ref().1.server_name().map(|name| {
                        name.trim_end_matches('.').to_ascii_lowercase().into_boxed_str()
                    });
                Opened::Tls(Box::new(stream))
            }
            letter if letter.is_ascii_uppercase() => Opened::Mistaken(stream),
            _ => return Err(io::Error::other("It is neither TLS nor HTTP")),
        },
    };
    let tls = matches!(opened, Opened::Tls(_));
    Ok((opened, slot, Connection { peer, local, listener, tls, server_name, closing }))
}

/// The type of a TLS record in which a handshake is (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

/// The first byte, which stays where it is.
async fn first_byte(stream: &TcpStream) -> io::Result<u8> {
    let mut byte = [0];
    match stream.peek(&mut byte).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(byte[0]),
    }
}

/// Answers requests until there are none left, with the service or `instead` of it.
async fn converse<S>(
    stream: S,
    slot: Slot,
    connection: Arc<Connection>,
    shared: Arc<Shared>,
    instead: Option<&'static dyn Service>,
) where
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
        let (connection, shared) = (connection.clone(), shared.clone());
        async move {
            let service = instead.unwrap_or(&*shared.service);
            let response = answer(service, request, &connection, &shared).await;
            Ok::<_, Infallible>(response.map(|body| Tracked { body, _busy: busy }))
        }
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

fn http(limits: &Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.header_read_timeout(None)
        .max_buf_size(BUFFER.max(limits.header_bytes))
        .max_header_size(limits.header_bytes)
        .max_headers(limits.headers);
    http
}

/// Bytes that are read or written at once.
const BUFFER: usize = 64 << 10;

/// The service's answer, or ours when there are too many requests or the service panics.
async fn answer(
    service: &dyn Service,
    request: Request<Incoming>,
    connection: &Arc<Connection>,
    shared: &Shared,
) -> Response<Body> {
    let Ok(_running) = shared.requests.try_acquire() else {
        shared.settings.metrics.request_refused();
        return refusal(&Error::unavailable(Duration::from_secs(1)));
    };
    // The service is asked inside, so that a panic before its first await is caught as well.
    let called = async { service.call(request, connection).await };
    match AssertUnwindSafe(called).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!(peer = %connection.peer, "A request ended in a panic");
            refusal(&Error::internal())
        }
    }
}

fn refusal(error: &Error) -> Response<Body> {
    let body = serde_json::to_vec(&error.body()).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = error.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    headers.insert("odata-version", HeaderValue::from_static("4.0"));
    if let Some(seconds) = error.retry_after {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// A body during which the connection is busy.
struct Tracked {
    body: Body,
    _busy: Busy,
}

impl HttpBody for Tracked {
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

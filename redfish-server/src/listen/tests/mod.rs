//! Real connections on loopback, and what strangers may do with them.

mod drain;
mod limits;
mod plain;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use super::*;

/// No test waits longer than this for anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// Limits that let a test see the one it is about, and no other.
fn patient() -> Limits {
    Limits {
        handshake: PATIENCE,
        header: PATIENCE,
        idle: PATIENCE,
        write: PATIENCE,
        drain: PATIENCE,
        ..Limits::default()
    }
}

/// What tests are long, they may not be: time for what must end soon.
const SOON: Duration = Duration::from_millis(50);

struct Server {
    addresses: Vec<SocketAddr>,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<usize>,
    probe: Arc<Probe>,
    metrics: Arc<Metrics>,
}

/// A service that does what the path says.
#[derive(Default)]
struct Probe {
    /// Told when a `/wait` has begun.
    waiting: Notify,
    /// Lets one `/wait` go on.
    go_on: Notify,
}

impl Probe {
    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Arc<Connection>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        match head.uri.path() {
            "/wait" => {
                self.waiting.notify_one();
                self.go_on.notified().await;
            }
            "/panic" => panic!("as the test wants it"),
            "/large" => return Response::new(Body::from(vec![b'x'; 64 << 20])),
            "/endless" => {
                let endless =
                    futures_util::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
                return Response::new(Body::from_stream(endless));
            }
            "/ignore" => {
                let mut response = Response::new(Body::from("ignored"));
                *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
                return response;
            }
            "/upgrade" => return upgrade(Request::from_parts(head, body)),
            _ => {}
        }
        let body =
            axum::body::to_bytes(Body::new(body), 1 << 24).await.map_or(0, |body| body.len());
        let Connection { peer, local, listener, tls, server_name, .. } = &*connection;
        let peer = peer.ip();
        let port = local.port();
        let text = format!("{peer} {port} {listener} {tls} {server_name:?} {body}");
        Response::new(Body::from(text))
    }
}

/// Echoes bytes after a change of protocol.
fn upgrade(request: Request<Incoming>) -> Response<Body> {
    tokio::spawn(async move {
        let upgraded = hyper::upgrade::on(request).await.unwrap();
        let (mut read, mut write) = tokio::io::split(hyper_util::rt::TokioIo::new(upgraded));
        tokio::io::copy(&mut read, &mut write).await
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert("connection", http::HeaderValue::from_static("upgrade"));
    headers.insert("upgrade", http::HeaderValue::from_static("echo"));
    response
}

fn start(listeners: Vec<Listener>, limits: Limits, trusted: &[&str]) -> Server {
    let probe = Arc::<Probe>::default();
    let answering = probe.clone();
    let metrics = Arc::<Metrics>::default();
    let settings = Settings {
        limits,
        trusted_proxies: trusted.iter().map(|network| network.parse().unwrap()).collect(),
        metrics: metrics.clone(),
    };
    let addresses = listeners.iter().map(Listener::address).collect();
    let service =
        Arc::new(move |request, connection| answering.clone().answer(request, connection));
    let (stop, stopped) = oneshot::channel();
    let shutdown = async {
        let _ = stopped.await;
    };
    let ended = tokio::spawn(serve(listeners, service, settings, shutdown));
    Server { addresses, stop: Some(stop), ended, probe, metrics }
}

fn any_port(addresses: &[&str]) -> Vec<Listener> {
    let addresses: Vec<_> = addresses.iter().map(|address| address.parse().unwrap()).collect();
    bind(&addresses).unwrap()
}

fn plain(limits: Limits) -> Server {
    start(any_port(&["127.0.0.1:0"]), limits, &[])
}

impl Server {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.addresses[0]).await.unwrap()
    }

    /// Sends, and gives all that comes until the end of the connection.
    async fn exchange(&self, sent: &[u8]) -> String {
        exchange(self.connect().await, sent).await
    }

    async fn stop(mut self) -> usize {
        self.stop.take().unwrap().send(()).unwrap();
        bounded(self.ended).await.unwrap()
    }
}

async fn bounded<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it takes too long")
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, sent: &[u8]) -> String {
    // Who is refused early may not get rid of all of it.
    let _ = stream.write_all(sent).await;
    rest(&mut stream).await
}

/// All that still comes. A connection that is reset has come to its end as well.
async fn rest(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut received = Vec::new();
    let _ = bounded(stream.read_to_end(&mut received)).await;
    String::from_utf8_lossy(&received).into_owned()
}

/// One answer with a length, on a connection that stays open.
async fn one_answer(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut received = Vec::new();
    loop {
        let byte = bounded(stream.read_u8()).await.expect("an answer");
        received.push(byte);
        let text = String::from_utf8_lossy(&received);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return text.into_owned();
        }
    }
}

/// The status and the body of an answer.
fn status_and_body(answer: &str) -> (&str, &str) {
    let status = answer.split(' ').nth(1).unwrap_or_default();
    (status, answer.split_once("\r\n\r\n").map_or("", |(_, body)| body))
}

const LAST_GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

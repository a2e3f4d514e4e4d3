//! A server whose answers a test writes down, and which keeps what it was sent.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response, Uri};
use redfish_client::{Builder, Client};
use tokio::net::TcpListener;

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Seen {
    /// Method and URI.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.uri)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Starts a server; the handler gets each request and how many came before it.
    pub(crate) async fn start(
        handler: impl Fn(&Seen, usize) -> Response<Body> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (router, seen) = router(handler);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, seen }
    }

    pub(crate) fn builder(&self) -> Builder {
        Client::builder(&self.url).timeout(Duration::from_secs(2))
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Method and URI of each request.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().iter().map(Seen::line).collect()
    }
}

pub(crate) fn router(
    handler: impl Fn(&Seen, usize) -> Response<Body> + Send + Sync + 'static,
) -> (Router, Arc<Mutex<Vec<Seen>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (kept, handler) = (Arc::clone(&seen), Arc::new(handler));
    let service = async move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let body = String::from_utf8(body.to_vec()).unwrap();
        let seen = Seen { method: method.to_string(), uri: uri.to_string(), headers, body };
        let count = {
            let mut kept = kept.lock().unwrap();
            kept.push(seen.clone());
            kept.len() - 1
        };
        handler(&seen, count)
    };
    (Router::new().fallback(service), seen)
}

/// An answer; an empty body is none.
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(body.to_owned().into()).unwrap()
}

pub(crate) fn ok(body: &str) -> Response<Body> {
    answer(200, &[("Content-Type", "application/json")], body)
}

pub(crate) fn not_found() -> Response<Body> {
    let body = r#"{"error": {"code": "Base.1.0.GeneralError", "message": "no", "@Message.ExtendedInfo":
        [{"MessageId": "Base.1.0.ResourceMissingAtURI", "Message": "Not here."}]}}"#;
    answer(404, &[], body)
}

/// An answer whose body comes in these pieces, with a pause between them so that each is read alone.
pub(crate) fn pieces(headers: &[(&str, &str)], pieces: Vec<Vec<u8>>) -> Response<Body> {
    let stream = futures_util::stream::unfold(pieces.into_iter(), async |mut pieces| {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Some((Ok::<_, std::io::Error>(pieces.next()?), pieces))
    });
    let mut response = answer(200, headers, "");
    *response.body_mut() = Body::from_stream(stream);
    response
}

/// An address where nobody listens.
pub(crate) async fn nobody() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    listener.local_addr().unwrap()
}

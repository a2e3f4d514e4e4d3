//! The admin listener: health and metrics, for whoever operates the service.
//!
//! It has no credentials and listens on loopback unless told otherwise. `/healthz` says that the
//! process answers, and never depends on a hypervisor: a supervisor that restarted us because a
//! cluster is down would make it worse. `/readyz` says whether requests would be answered.

mod metrics;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{StatusCode, header};

pub use metrics::Metrics;

/// Says whether requests would be answered; if not, why.
pub type Ready = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// What the admin listener serves. More can be merged in, such as the control of a mock.
pub fn app(metrics: Arc<Metrics>, ready: Ready) -> Router {
    let ready_now = move || {
        let ready = ready();
        async move {
            match ready {
                Ok(()) => "ready\n".into_response(),
                Err(why) => (StatusCode::SERVICE_UNAVAILABLE, why + "\n").into_response(),
            }
        }
    };
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready_now))
        .route("/metrics", get(move || async move { exposition(&metrics) }))
}

fn exposition(metrics: &Metrics) -> Response {
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, content_type)], metrics.exposition()).into_response()
}

/// Serves until `stop` is done.
///
/// # Errors
/// Those of listening.
pub async fn serve(
    listener: tokio::net::TcpListener,
    app: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, app).with_graceful_shutdown(stop).await
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test]
    async fn health_readiness_and_metrics() {
        let up = Arc::new(AtomicBool::new(false));
        let seen = up.clone();
        let ready: Ready = Arc::new(move || match seen.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err("The machines are not all known yet".to_owned()),
        });
        let metrics = Arc::new(Metrics::new());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = std::future::pending();
        let serving = tokio::spawn(serve(listener, app(metrics, ready), stop));
        let get = |path: &'static str| async move {
            let stream = tokio::net::TcpStream::connect(address).await.unwrap();
            let io = hyper_util::rt::TokioIo::new(stream);
            let (mut send, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
            tokio::spawn(connection);
            let request = http::Request::get(path).header("host", "x");
            let answer = send.send_request(request.body(axum::body::Body::empty()).unwrap());
            let (head, body) = answer.await.unwrap().into_parts();
            let body = to_bytes(axum::body::Body::new(body), 1 << 20).await.unwrap();
            (head.status.as_u16(), String::from_utf8(body.to_vec()).unwrap())
        };
        assert_eq!(get("/healthz").await, (200, "ok\n".to_owned()));
        assert_eq!(get("/readyz").await.0, 503);
        assert!(get("/readyz").await.1.contains("not all known"));
        up.store(true, Ordering::Relaxed);
        assert_eq!(get("/readyz").await.0, 200);
        let (status, text) = get("/metrics").await;
        assert_eq!(status, 200);
        assert!(text.contains("redfish_build_info") && text.ends_with("# EOF\n"), "{text}");
        assert_eq!(get("/else").await.0, 404);
        serving.abort();
    }
}

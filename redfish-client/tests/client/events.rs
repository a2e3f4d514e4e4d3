//! The event stream.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Response;
use redfish_client::{Error, EventOptions};

use crate::server::{Seen, Server, answer, not_found, ok, pieces};

const KIND: (&str, &str) = ("Content-Type", "text/event-stream; charset=utf-8");

fn options() -> EventOptions {
    EventOptions { wait: Duration::from_millis(10), ..EventOptions::default() }
}

/// A service whose event stream is what `connection` says for each connection.
async fn service(
    connection: impl Fn(&Seen, usize) -> Response<Body> + Send + Sync + 'static,
) -> Server {
    let count = std::sync::atomic::AtomicUsize::new(0);
    Server::start(move |seen, _| match seen.uri.split('?').next().unwrap() {
        "/redfish/v1/" => ok(r#"{"EventService": {"@odata.id": "/e"}}"#),
        "/e" => ok(r#"{"ServerSentEventUri": "/sse"}"#),
        "/sse" => connection(seen, count.fetch_add(1, std::sync::atomic::Ordering::SeqCst)),
        _ => not_found(),
    })
    .await
}

/// The stream in pieces of one byte.
fn bytes(stream: &str) -> Response<Body> {
    pieces(&[KIND], stream.bytes().map(|byte| vec![byte]).collect())
}

fn whole(stream: &str) -> Response<Body> {
    pieces(&[KIND], vec![stream.into()])
}

#[tokio::test]
async fn events_are_read_across_pieces_faults_and_broken_connections() {
    let server = service(|_, count| match count {
        0 => bytes(
            ":hi\r\n\r\nid: 1\r\ndata: {\"Id\": \"a\",\r\ndata: \"Name\": 1}\r\n\r\ndata: no\r\r",
        ),
        1 => whole("id: 2\ndata: {\"Id\": \"b\"}\n\nid: 3\ndata: {\"Id\": \"half"),
        2 => whole("data: {\"Id\": \"c\"}\n\nretry: 20\n\n"),
        _ => answer(204, &[], ""),
    })
    .await;
    let mut events = server.client().events_with(options()).await.unwrap();
    let first = events.next().await.unwrap().unwrap();
    assert_eq!((first.id.as_deref(), first.faults().len()), (Some("a"), 1));
    assert!(matches!(events.next().await.unwrap().unwrap_err(), Error::Event(_)));
    for id in ["b", "c"] {
        assert_eq!(events.next().await.unwrap().unwrap().id.as_deref(), Some(id));
    }
    // The service wants no further connection.
    assert!(events.next().await.is_none());
    assert!(events.next().await.is_none());

    let seen: Vec<_> = server.seen().into_iter().filter(|seen| seen.uri == "/sse").collect();
    let ids: Vec<_> = seen.iter().map(|seen| seen.header("last-event-id")).collect();
    assert_eq!(ids, [None, Some("1"), Some("2"), Some("2")]);
    assert!(seen.iter().all(|seen| seen.header("accept") == Some("text/event-stream")));
}

#[tokio::test]
async fn a_stream_that_stays_away_is_lost() {
    let server = service(|_, count| match count {
        0 => whole("data: {}\n\n"),
        1 => answer(503, &[], ""),
        _ => whole(": nothing\n\n"),
    })
    .await;
    let options = EventOptions { attempts: 3, wait: Duration::from_millis(50), ..options() };
    let mut events = server.client().events_with(options).await.unwrap();
    events.next().await.unwrap().unwrap();
    let start = Instant::now();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::StreamLost { attempts: 3, .. }), "{error:?}");
    // 50, 100 and 200 ms.
    assert!(start.elapsed() >= Duration::from_millis(350));
    assert!(events.next().await.is_none());
    assert_eq!(server.lines().iter().filter(|line| *line == "GET /sse").count(), 4);
}

#[tokio::test]
async fn a_refusal_ends_the_stream() {
    let server = service(|_, count| match count {
        0 => whole("data: {}\n\n"),
        _ => answer(403, &[], ""),
    })
    .await;
    let mut events = server.client().events_with(options()).await.unwrap();
    events.next().await.unwrap().unwrap();
    assert!(matches!(events.next().await.unwrap(), Err(Error::NotAnEventStream { .. })));
    assert!(events.next().await.is_none());

    let server = service(|_, _| ok("{}")).await;
    let error = server.client().events().await.unwrap_err();
    assert!(matches!(error, Error::NotAnEventStream { .. }), "{error:?}");
    let server = Server::start(|_, _| ok("{}")).await;
    assert!(matches!(server.client().events().await.unwrap_err(), Error::NoEventStream));
}

#[tokio::test]
async fn a_large_event_is_left_out() {
    let server = service(|_, count| match count {
        0 => whole(&format!("data: {}\n\ndata: {{\"Id\": \"b\"}}\n\n", "x".repeat(5000))),
        _ => answer(204, &[], ""),
    })
    .await;
    let options = EventOptions { event_limit: 1000, ..options() };
    let mut events = server.client().events_with(options).await.unwrap();
    assert!(matches!(events.next().await.unwrap(), Err(Error::TooLarge { limit: 1000 })));
    assert_eq!(events.next().await.unwrap().unwrap().id.as_deref(), Some("b"));
}

#[tokio::test]
async fn the_stream_outlives_the_time_of_a_request() {
    let server = service(|_, count| match count {
        0 => pieces(
            &[KIND],
            vec![b":\n".to_vec(); 60].into_iter().chain([b"data: {}\n\n".to_vec()]).collect(),
        ),
        _ => answer(204, &[], ""),
    })
    .await;
    let client = server.builder().timeout(Duration::from_millis(150)).build().unwrap();
    let options = EventOptions {
        filter: Some("EventType eq 'Alert'".into()),
        last_event_id: Some("7".into()),
        ..options()
    };
    let mut events = client.events_with(options).await.unwrap();
    events.next().await.unwrap().unwrap();
    let seen = server.seen();
    assert_eq!(seen[2].line(), "GET /sse?$filter=EventType%20eq%20%27Alert%27");
    assert_eq!(seen[2].header("last-event-id"), Some("7"));
    assert_eq!(seen.len(), 3);
}

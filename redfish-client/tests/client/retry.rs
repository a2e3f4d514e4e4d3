//! What is sent again, how often, and what is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use redfish_client::{Client, Error, RetryPolicy};
use redfish_model::computer_system::ResetRequest;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::server::{Server, answer, ok};

const RESET: &str = "POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset";

#[tokio::test]
async fn a_busy_service_is_asked_again() {
    let server = Server::start(|_, count| match count {
        0 => answer(503, &[("Retry-After", "1")], ""),
        1 => answer(429, &[("Retry-After", "0")], ""),
        _ => answer(204, &[], ""),
    })
    .await;
    let start = Instant::now();
    server.client().systems_reset("1", &ResetRequest::default()).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.lines(), [RESET; 3]);
    assert!(server.seen().iter().all(|seen| seen.body == "{}"));
}

#[tokio::test]
async fn a_date_is_waited_for() {
    // Dates have whole seconds, so this is between one and two of them away.
    let date = std::time::SystemTime::now() + Duration::from_secs(2);
    let date = httpdate::fmt_http_date(date);
    let server = Server::start(move |_, count| match count {
        0 => answer(503, &[("Retry-After", &date)], ""),
        _ => ok("{}"),
    })
    .await;
    let start = Instant::now();
    server.client().systems_list().await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(900), "{:?}", start.elapsed());
    assert_eq!(server.lines().len(), 2);
}

#[tokio::test]
async fn there_is_an_end_to_it() {
    let server = Server::start(|_, _| answer(503, &[("Retry-After", "0")], "")).await;
    let error = Error::from(server.client().systems_list().await.unwrap_err());
    assert_eq!(error.status().unwrap(), 503);
    let Error::Service { retry_after, .. } = error else { panic!("{error:?}") };
    assert_eq!(retry_after, Some(Duration::ZERO));
    assert_eq!(server.lines().len(), 3);

    let client = server.builder().retry(RetryPolicy::NEVER).build().unwrap();
    client.systems_list().await.unwrap_err();
    assert_eq!(server.lines().len(), 4);

    // A wait that is longer than the whole time is none; nor is a 503 without a time.
    for headers in [&[("Retry-After", "3600")][..], &[]] {
        let server = Server::start(move |_, _| answer(503, headers, "")).await;
        server.client().systems_list().await.unwrap_err();
        assert_eq!(server.lines().len(), 1);
    }
}

/// A server that reads a request and closes the connection; the third one it answers.
async fn hangs_up() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            if counted.fetch_add(1, Ordering::SeqCst) == 2 {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await;
            }
        }
    });
    (url, count)
}

#[tokio::test]
async fn only_reads_are_repeated_when_the_connection_breaks() {
    let (url, count) = hangs_up().await;
    Client::builder(&url).build().unwrap().systems_list().await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 3);

    let (url, count) = hangs_up().await;
    let client = Client::builder(&url).build().unwrap();
    let error = Error::from(client.systems_reset("1", &ResetRequest::default()).await.unwrap_err());
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
    client.delete::<()>("/x", None).await.unwrap_err();
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

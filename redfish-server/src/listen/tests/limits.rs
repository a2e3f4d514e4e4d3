//! What strangers may hold, and for how long.

use super::*;

fn expect_status(answer: &str, expect: &str) {
    assert_eq!(status_and_body(answer).0, expect, "{answer}");
}

#[tokio::test]
async fn heads_have_a_size() {
    let limits = Limits { header_bytes: 2000, headers: 10, ..patient() };
    let server = plain(limits);
    let with = |line: &str| format!("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{line}\r\n");
    let long = |bytes: usize| format!("X-Long: {}\r\n", "x".repeat(bytes));
    expect_status(&server.exchange(with(&long(1500)).as_bytes()).await, "200");
    expect_status(&server.exchange(with(&long(2500)).as_bytes()).await, "431");
    expect_status(&server.exchange(with(&long(5_000_000)).as_bytes()).await, "431");
    expect_status(&server.exchange(with(&"A: b\r\n".repeat(8)).as_bytes()).await, "200");
    expect_status(&server.exchange(with(&"A: b\r\n".repeat(20)).as_bytes()).await, "431");
    let path = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(5000));
    expect_status(&server.exchange(path.as_bytes()).await, "431");
    expect_status(&server.exchange(b"not even close\r\n\r\n").await, "400");
}

#[tokio::test]
async fn slow_heads_are_cut_off() {
    let server = plain(Limits { header: SOON, ..patient() });
    assert_eq!(server.exchange(b"").await, "", "nothing is sent");
    assert_eq!(server.exchange(b"GET / HTTP/1.1\r\nHost: a\r\n").await, "", "half a head");
    let mut drip = server.connect().await;
    // One byte after the other gains no time.
    let dripping = async {
        while drip.write_all(b"G").await.is_ok() {
            tokio::time::sleep(SOON / 5).await;
        }
    };
    bounded(dripping).await;
    let mut second = server.connect().await;
    second.write_all(GET).await.unwrap();
    one_answer(&mut second).await;
    second.write_all(b"GET / HT").await.unwrap();
    assert_eq!(rest(&mut second).await, "", "the second head on a connection");
}

#[tokio::test]
async fn idle_connections_end() {
    let server = plain(Limits { idle: SOON, ..patient() });
    let mut stream = server.connect().await;
    stream.write_all(GET).await.unwrap();
    one_answer(&mut stream).await;
    assert_eq!(rest(&mut stream).await, "");
}

#[tokio::test]
async fn a_request_that_runs_is_not_idle() {
    let server = plain(Limits { idle: SOON, header: SOON, ..patient() });
    let mut stream = server.connect().await;
    stream.write_all(b"GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
    bounded(server.probe.waiting.notified()).await;
    tokio::time::sleep(SOON * 5).await;
    server.probe.go_on.notify_one();
    expect_status(&rest(&mut stream).await, "200");
}

#[tokio::test]
async fn who_does_not_read_is_cut_off() {
    let server = plain(Limits { write: SOON, ..patient() });
    let mut stream = server.connect().await;
    stream.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    bounded(stream.peek(&mut [0])).await.unwrap();
    bounded(async {
        while server.metrics.connections() != 0 {
            tokio::time::sleep(SOON / 5).await;
        }
    })
    .await;
    assert!(rest(&mut stream).await.len() < 64 << 20);
}

#[tokio::test]
async fn connections_are_counted_by_address() {
    let server = plain(Limits { connections_per_address: 2, ..patient() });
    let mut held = [server.connect().await, server.connect().await];
    for stream in &mut held {
        stream.write_all(GET).await.unwrap();
        one_answer(stream).await;
    }
    assert_eq!(server.exchange(LAST_GET).await, "", "one too many");
    assert!(server.metrics.exposition().contains("\nredfish_connections_refused_total 1\n"));
    let [first, _second] = held;
    drop(first);
    bounded(async {
        while server.metrics.connections() > 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    expect_status(&server.exchange(LAST_GET).await, "200");
    let trusting = start(
        any_port(&["127.0.0.1:0"]),
        Limits { connections_per_address: 0, ..patient() },
        &["127.0.0.1/32"],
    );
    expect_status(&trusting.exchange(LAST_GET).await, "200");
}

#[tokio::test]
async fn requests_are_counted() {
    let server = plain(Limits { requests: 1, ..patient() });
    let mut first = server.connect().await;
    first.write_all(b"GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
    bounded(server.probe.waiting.notified()).await;
    let answer = server.exchange(LAST_GET).await;
    expect_status(&answer, "503");
    assert!(answer.contains("retry-after: 1\r\n") && answer.contains("@Message.ExtendedInfo"));
    server.probe.go_on.notify_one();
    expect_status(&rest(&mut first).await, "200");
    expect_status(&server.exchange(LAST_GET).await, "200");
}

//! Bounds in size and time.

use std::time::{Duration, Instant};

use redfish_client::{Error, RetryPolicy};
use serde_json::Value;

use crate::server::{Server, answer, nobody, ok, pieces};

#[tokio::test]
async fn an_answer_has_a_largest_size() {
    let big = format!(r#"{{"Id": "{}"}}"#, "x".repeat(2000));
    let server = Server::start(move |seen, _| match seen.uri.as_str() {
        // Without a length in the header.
        "/pieces" => pieces(&[], vec![b"          ".to_vec(); 150]),
        // More than is allowed, which takes longer than is waited.
        "/announced" => pieces(&[("Content-Length", "1001")], vec![b" ".to_vec(); 1001]),
        "/error" => answer(500, &[], &big),
        _ => ok(&big),
    })
    .await;
    let client = server.builder().body_limit(1000).build().unwrap();
    for uri in ["/big", "/pieces", "/announced", "/error"] {
        let error = client.get_uri::<Value>(uri, &Default::default()).await.unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: 1000 }), "{uri}: {error:?}");
    }
    let error = Error::from(client.systems_list().await.unwrap_err());
    assert!(matches!(error, Error::TooLarge { .. }), "{error:?}");
    let client = server.builder().body_limit(2010).build().unwrap();
    client.systems_list().await.unwrap();
}

#[tokio::test]
async fn a_slow_service_is_not_waited_for() {
    let server = Server::start(|seen, _| match seen.uri.as_str() {
        "/redfish/v1/Systems" => pieces(&[], vec![b" ".to_vec(); 1000]),
        _ => ok("{}"),
    })
    .await;
    let client = server.builder().timeout(Duration::from_millis(200)).build().unwrap();
    let start = Instant::now();
    let error = Error::from(client.systems_list().await.unwrap_err());
    assert!(matches!(error, Error::Timeout(_)), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(2));
    client.root().await.unwrap();
}

#[tokio::test]
async fn a_service_that_is_not_there_is_an_error() {
    let client = redfish_client::Client::builder(&format!("http://{}", nobody().await));
    let client = client.retry(RetryPolicy::NEVER).build().unwrap();
    let error = Error::from(client.systems_list().await.unwrap_err());
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    assert!(std::error::Error::source(&error).is_some());
}

//! Writes: bodies, conditions, and clients that do not wait.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::{Method, StatusCode};

use super::{Media, SYSTEM, call, context, router, send};
use crate::operation::Privilege::{ConfigureManager, Login};

#[test]
fn bodies_arrive_checked() {
    let patch = |body: &str| call(context(&[ConfigureManager]), &Method::PATCH, SYSTEM, body);
    let check = |body: &str, status: u16, messages: &[&str]| {
        let answer = patch(body);
        let expect: Vec<_> = messages.iter().map(|name| format!("Base.1.22.{name}")).collect();
        assert_eq!(
            (answer.status.as_u16(), answer.messages()),
            (status, expect.iter().map(String::as_str).collect()),
            "{body}"
        );
        assert!(!answer.body.to_string().contains("hunter2"), "{body}");
        answer.body
    };
    assert_eq!(check(r#"{"Image": "http://a"}"#, 200, &[])["Image"], "http://a");
    assert!(check(r#"{"Image": null}"#, 200, &[]).as_object().unwrap().contains_key("Image"));
    check(r#"{"Inserted": false}"#, 200, &[]);
    check(
        r#"{"Image": 1, "Inserted": "yes", "Colour": 1, "Id": "x", "Password": ["hunter2"]}"#,
        400,
        &[
            "PropertyUnknown",
            "PropertyNotWritable",
            "PropertyValueTypeError",
            "PropertyValueTypeError",
            "PropertyValueTypeError",
        ],
    );
    let partly = check(r#"{"Image": "http://a", "Colour": 1}"#, 200, &["PropertyUnknown"]);
    assert_eq!(partly["Image"], "http://a");
    check(r#"{"@odata.id": "/x"}"#, 400, &["NoOperation"]);
}

#[test]
fn large_bodies_are_refused_and_read() {
    let body = format!(r#"{{"Image": "{}"}}"#, "x".repeat(10 << 20));
    let answer = call(context(&[ConfigureManager]), &Method::PATCH, SYSTEM, &body);
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    // Who may not write does not get to send a body.
    assert_eq!(call(context(&[Login]), &Method::PATCH, SYSTEM, &body).status, 403);
}

#[test]
fn conditions_are_compared_with_what_is_there() {
    let get = call(context(&[Login]), &Method::GET, SYSTEM, "");
    let tag = get.header("etag").unwrap().to_owned();
    assert_eq!(get.body["@odata.etag"], tag.as_str());
    assert!(get.header("link").unwrap().contains("VirtualMedia.v"));
    let check = |method: &str, name: &str, value: &str, expect: u16| {
        let request = http::Request::builder().method(method).uri(SYSTEM).header(name, value);
        let request = request.body(r#"{"Image": "a"}"#.to_owned()).unwrap();
        let answer = send(context(&[Login, ConfigureManager]), request);
        assert_eq!(answer.status.as_u16(), expect, "{method} {name}: {value}");
    };
    check("PATCH", "if-match", &tag, 200);
    check("PATCH", "if-match", "\"never\"", 412);
    check("PATCH", "if-match", &format!("{tag}foobar"), 412);
    check("GET", "if-none-match", &tag, 304);
    check("HEAD", "if-none-match", &tag, 304);
    check("GET", "if-none-match", "\"never\"", 200);
}

#[test]
fn work_that_goes_on_names_its_task() {
    let path = format!("{SYSTEM}/Actions/VirtualMedia.InsertMedia");
    let body = r#"{"Image": "http://images.test/a.iso"}"#;
    let answer = call(context(&[ConfigureManager]), &Method::POST, &path, body);
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(answer.header("location"), Some("/redfish/v1/TaskService/TaskMonitors/1"));
    assert_eq!(answer.header("x-test"), Some("1"));
    assert_eq!(answer.body["@odata.id"], "/redfish/v1/TaskService/Tasks/1");
    let answer = call(context(&[ConfigureManager]), &Method::POST, &path, r#"{"Picture": 1}"#);
    let expect = ["Base.1.22.ActionParameterMissing", "Base.1.22.ActionParameterUnknown"].to_vec();
    assert_eq!((answer.status.as_u16(), answer.messages()), (400, expect));
}

/// Polls a future so often, then drops it.
async fn hang_up_after<F: Future>(polls: usize, future: F) -> bool {
    let mut future = std::pin::pin!(future);
    for _ in 0..polls {
        let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(future.as_mut().poll(cx)));
        if polled.await.is_ready() {
            return true;
        }
        tokio::task::yield_now().await;
    }
    false
}

#[tokio::test]
async fn who_hangs_up_cancels_no_write() {
    let mut answered = false;
    let mut went_on = 0;
    for polls in 0.. {
        let media = Arc::<Media>::default();
        let router = router(media.clone());
        let request = http::Request::patch(SYSTEM).body(r#"{"Image": "a"}"#).unwrap();
        let (head, body) = request.into_parts();
        let call = router.call(context(&[Login, ConfigureManager]), &head, body.into());
        answered |= hang_up_after(polls, call).await;
        let begun = media.begun.load(Ordering::SeqCst);
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        // What was handed over is done, whoever still waits; the next write gets its turn.
        let finished = media.finished.load(Ordering::SeqCst);
        assert_eq!(media.begun.load(Ordering::SeqCst), finished, "{polls}");
        went_on += usize::from(!answered && begun <= finished && finished == 1);
        let next = http::Request::patch(SYSTEM).body(r#"{"Image": "b"}"#).unwrap();
        let (head, body) = next.into_parts();
        let answer = router.call(context(&[Login, ConfigureManager]), &head, body.into()).await;
        assert_eq!(answer.status(), StatusCode::OK, "{polls}");
        if answered {
            break;
        }
    }
    assert!(went_on > 1, "{went_on}");
}

#[tokio::test]
async fn of_writes_with_one_tag_one_wins() {
    let router = router(Arc::default());
    let get = http::Request::get(SYSTEM).body(()).unwrap().into_parts().0;
    let read = router.call(context(&[Login]), &get, axum::body::Body::empty()).await;
    let tag = read.headers()["etag"].clone();
    let request = http::Request::patch(SYSTEM).header("if-match", tag).body("").unwrap();
    let (head, _) = request.into_parts();
    let call =
        |body: &'static str| router.call(context(&[Login, ConfigureManager]), &head, body.into());
    let (one, two, three, four) = tokio::join!(
        call(r#"{"Image": "a"}"#),
        call(r#"{"Image": "b"}"#),
        call(r#"{"Image": "c"}"#),
        call(r#"{"Image": "d"}"#)
    );
    let mut statuses = [one, two, three, four].map(|response| response.status().as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412]);
}

//! Sessions, Basic authentication, and where credentials never go.

use axum::body::Body;
use axum::http::Response;
use redfish_client::{Client, Error};

use crate::server::{Seen, Server, answer, not_found, ok};

const ROOT: &str = r#"{"Links": {"Sessions": {"@odata.id": "/own/Sessions"}}}"#;

/// A service with sessions `s1`, `s2` and so on, each good for the requests that `valid` says.
fn sessions(
    valid: impl Fn(&str, usize) -> bool + Send + Sync + 'static,
) -> impl Fn(&Seen, usize) -> Response<Body> + Send + Sync + 'static {
    let logins = std::sync::atomic::AtomicUsize::new(0);
    move |seen, count| {
        let token = seen.header("x-auth-token");
        match (seen.line().as_str(), token) {
            ("GET /redfish/v1/", None) => ok(ROOT),
            ("POST /own/Sessions", None) if seen.body.contains("wrong") => answer(401, &[], ""),
            ("POST /own/Sessions", None) => {
                let id = logins.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
                let (token, location) = (format!("s{id}"), format!("/own/Sessions/{id}"));
                answer(201, &[("X-Auth-Token", &token), ("Location", &location)], "{}")
            }
            (_, Some(token)) if valid(token, count) => match seen.method.as_str() {
                "DELETE" => answer(204, &[], ""),
                _ => ok(r#"{"Id": "1"}"#),
            },
            _ => answer(401, &[], ""),
        }
    }
}

#[tokio::test]
async fn a_session_is_made_shown_and_ended() {
    let server = Server::start(sessions(|_, _| true)).await;
    let client = server.builder().login("admin", "hunter2").await.unwrap();
    assert_eq!(client.session().unwrap(), format!("{}/own/Sessions/1", server.url));
    client.systems_get("1").await.unwrap();
    client.logout().await.unwrap();
    assert_eq!(client.session(), None);
    // Without a session, and so not made again.
    let refused = Error::from(client.systems_get("1").await.unwrap_err());
    assert_eq!(refused.status().unwrap(), 401);
    client.logout().await.unwrap();
    let expect = [
        "GET /redfish/v1/",
        "POST /own/Sessions",
        "GET /redfish/v1/Systems/1",
        "DELETE /own/Sessions/1",
        "GET /redfish/v1/Systems/1",
    ];
    assert_eq!(server.lines(), expect);
    let seen = server.seen();
    assert_eq!(seen[1].body, r#"{"Password":"hunter2","UserName":"admin"}"#);
    assert_eq!(seen[2].header("x-auth-token"), Some("s1"));
    assert_eq!(
        (seen[2].header("odata-version"), seen[2].header("api-version")),
        (Some("4.0"), None)
    );
    assert_eq!((seen[4].header("x-auth-token"), seen[4].header("authorization")), (None, None));
}

#[tokio::test]
async fn an_ended_session_is_made_again_once() {
    let server = Server::start(sessions(|token, _| token == "s2")).await;
    let client = server.builder().login("admin", "hunter2").await.unwrap();
    // All find the session ended; one of them logs in.
    let (a, b, c) = tokio::join!(client.systems_get("1"), client.systems_get("2"), client.root());
    assert_eq!((a.is_ok(), b.is_ok(), c.is_ok()), (true, true, true));
    let logins = server.lines().iter().filter(|line| line.starts_with("POST")).count();
    assert_eq!(logins, 2);

    // A service that refuses every session is not asked for ever.
    let server = Server::start(sessions(|_, _| false)).await;
    let client = server.builder().login("admin", "hunter2").await.unwrap();
    assert_eq!(
        client.get_uri::<()>("/x", &Default::default()).await.unwrap_err().status().unwrap(),
        401
    );
    assert_eq!(server.lines().iter().filter(|line| *line == "GET /x").count(), 2);
}

#[tokio::test]
async fn a_refused_login_is_an_error() {
    let server = Server::start(sessions(|_, _| true)).await;
    let error = server.builder().login("admin", "wrong").await.unwrap_err();
    assert!(matches!(error, Error::Login(_)), "{error:?}");
    assert_eq!(error.status().unwrap(), 401);
}

#[tokio::test]
async fn a_failed_new_login_is_told_through_generated_methods() {
    // The second login is refused.
    let server = Server::start(|seen, count| match (seen.line().as_str(), count) {
        ("GET /redfish/v1/", _) => ok(ROOT),
        ("POST /own/Sessions", 1) => answer(201, &[("X-Auth-Token", "s1")], ""),
        _ => answer(401, &[], ""),
    })
    .await;
    let client = server.builder().login("admin", "hunter2").await.unwrap();
    let error = Error::from(client.systems_get("1").await.unwrap_err());
    assert!(matches!(error, Error::Login(_)), "{error:?}");
}

#[tokio::test]
async fn the_password_goes_to_no_other_server() {
    let other = Server::start(|_, _| answer(201, &[("X-Auth-Token", "x")], "")).await;
    let link = format!(r#"{{"Links": {{"Sessions": {{"@odata.id": "{}/Sessions"}}}}}}"#, other.url);
    let server = Server::start(move |_, _| ok(&link)).await;
    let error = server.builder().login("admin", "hunter2").await.unwrap_err();
    let Error::Login(error) = error else { panic!("{error:?}") };
    assert!(matches!(*error, Error::OtherOrigin(_)), "{error:?}");
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn basic_goes_with_every_request() {
    let server = Server::start(|_, _| ok("{}")).await;
    let client = server.builder().basic("Aladdin", "open sesame").build().unwrap();
    client.systems_list().await.unwrap();
    client.root().await.unwrap();
    for seen in server.seen() {
        assert_eq!(seen.header("authorization"), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
    }
}

#[tokio::test]
async fn links_and_redirections_stay_on_the_server() {
    let other = Server::start(|_, _| ok("{}")).await;
    let target = other.url.clone();
    let server = Server::start(move |seen, _| match seen.uri.as_str() {
        "/away" => answer(307, &[("Location", &format!("{target}/x"))], ""),
        "/redfish/v1/Systems" => answer(301, &[("Location", &target)], ""),
        "/moved" => answer(308, &[("Location", "/here")], ""),
        "/see" => answer(303, &[("Location", "/here")], ""),
        "/round" => answer(302, &[("Location", "/round")], ""),
        "/here" => ok(r#"{"Id": "here"}"#),
        _ => not_found(),
    })
    .await;
    let client = server.builder().basic("a", "b").build().unwrap();
    let get = async |uri: &str| client.get_uri::<serde_json::Value>(uri, &Default::default()).await;

    for uri in [
        other.url.as_str(),
        &server.url.replace("http:", "https:"),
        "//evil.test/x",
        "\\\\evil.test/x",
        "ftp://127.0.0.1/",
        "data:,x",
        &server.url.replace("//", "//user:pass@"),
    ] {
        let error = get(uri).await.unwrap_err();
        assert!(matches!(error, Error::OtherOrigin(_)), "{uri}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("pass"));
    }
    assert!(server.seen().is_empty());

    assert!(matches!(get("/away").await.unwrap_err(), Error::OtherOrigin(_)));
    let generated = Error::from(client.systems_list().await.unwrap_err());
    assert!(matches!(generated, Error::OtherOrigin(_)), "{generated:?}");
    assert!(other.seen().is_empty());

    assert_eq!(get("/moved").await.unwrap()["Id"], "here");
    assert_eq!(get("/see").await.unwrap()["Id"], "here");
    assert!(matches!(get("/round").await.unwrap_err(), Error::Redirected { .. }));
    // A write that is moved for good keeps its method; one that is not, would become a GET.
    client.post::<()>("/moved", &1).await.unwrap();
    assert_eq!(server.lines().last().unwrap(), "POST /here");
    let error = client.post::<()>("/see", &1).await.unwrap_err();
    assert!(matches!(error, Error::Redirected { .. }), "{error:?}");
    assert_eq!(server.lines().last().unwrap(), "POST /see");
}

#[tokio::test]
async fn secrets_are_not_shown() {
    let server = Server::start(sessions(|_, _| true)).await;
    let builder = server.builder().basic("admin", "hunter2").client_certificate_pem("", "hunter2");
    let basic = server.builder().basic("admin", "hunter2").build().unwrap();
    let session = server.builder().login("admin", "hunter2").await.unwrap();
    let error = Client::builder("https://user:hunter2@bmc.test").build().unwrap_err();
    let bad = Client::builder("https://user:hunter2@bmc.test");
    let create = redfish_model::session::SessionCreate::new("hunter2".to_owned(), "admin");
    let login = Server::start(|_, _| answer(201, &[("X-Auth-Token", "s1")], "{}")).await.client();
    let login = login.session_service_sessions_create(&create).await.unwrap();
    let headers = login.headers();
    let text = format!(
        "{builder:?} {basic:#?} {session:#?} {error} {error:?} {bad:?} {create:?} {login:?} {headers:?}"
    );
    // The password, in Base64, and the token.
    for secret in ["hunter2", "aHVudGVy", "YWRtaW46", "\"s1\""] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert!(text.contains("admin"));
}

//! Headers as clients and others send them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;

use super::super::{Basic, SessionToken};
use super::*;
use crate::authenticate::Authenticator;

/// What an authenticator says: `None` for nothing of its kind, a name, or a status.
async fn asked(
    authenticator: &dyn Authenticator,
    headers: &[(&str, &[u8])],
) -> Option<Result<String, u16>> {
    let mut request = http::Request::get("/redfish/v1/Systems");
    for (name, value) in headers {
        request = request.header(*name, HeaderValue::from_bytes(value).unwrap());
    }
    let (head, ()) = request.body(()).unwrap().into_parts();
    let verdict = authenticator.authenticate(&head, None).await?;
    Some(verdict.map(|p| p.user_name.clone()).map_err(|error| error.status.as_u16()))
}

#[tokio::test]
async fn basic() {
    let accounts = accounts(config()).await;
    let colons = NewAccount::new("colons", "a:b:c:ö:d", "ReadOnly");
    accounts.create(colons).await.unwrap();
    let basic = Basic::new(accounts.clone());
    let check = async |value: &[u8], expect: Option<Result<&str, u16>>| {
        let found = asked(&basic, &[("authorization", value)]).await;
        let expect = expect.map(|expect| expect.map(str::to_owned));
        assert_eq!(found, expect, "{}", String::from_utf8_lossy(value));
    };
    let encoded = |scheme: &str, text: &[u8]| format!("{scheme} {}", STANDARD.encode(text));
    let root = format!("root:{PASSWORD}");
    check(encoded("Basic", root.as_bytes()).as_bytes(), Some(Ok("root"))).await;
    check(encoded("bAsIc", root.as_bytes()).as_bytes(), Some(Ok("root"))).await;
    check(encoded("Basic ", root.as_bytes()).as_bytes(), Some(Ok("root"))).await;
    check(encoded("Basic", "colons:a:b:c:ö:d".as_bytes()).as_bytes(), Some(Ok("colons"))).await;
    check(encoded("Basic", b"root:wrong password").as_bytes(), Some(Err(401))).await;
    check(encoded("Basic", b"root").as_bytes(), Some(Err(401))).await;
    check(encoded("Basic", b":").as_bytes(), Some(Err(401))).await;
    check(encoded("Basic", b"root:\xff").as_bytes(), Some(Err(401))).await;
    check(b"Basic", Some(Err(401))).await;
    check(b"Basic \xe4\xf6", Some(Err(401))).await;
    check(b"Basic ====", Some(Err(401))).await;
    check(b"Bearer abc", None).await;
    check(b"\xe4", None).await;
    check(b"", None).await;
    assert_eq!(asked(&basic, &[]).await, None);
    let twice = encoded("Basic", root.as_bytes());
    let twice = [("authorization", twice.as_bytes()), ("authorization", twice.as_bytes())];
    assert_eq!(asked(&basic, &twice).await, Some(Err(401)));
}

#[tokio::test]
async fn basic_can_be_switched_off() {
    let accounts =
        with_options(Options { http_basic_auth: Some(false), ..Options::default() }).await;
    let value = format!("Basic {}", STANDARD.encode(format!("root:{PASSWORD}")));
    let headers = [("authorization", value.as_bytes())];
    assert_eq!(asked(&Basic::new(accounts.clone()), &headers).await, Some(Err(401)));
    accounts.log_in("root", &secret(PASSWORD), None).await.unwrap();
}

#[tokio::test]
async fn tokens() {
    let accounts = accounts(config()).await;
    let opened = accounts.log_in("op", &secret(PASSWORD), None).await.unwrap();
    let token = opened.token.expose().as_bytes();
    let bearer = [b"Bearer ", token].concat();
    let authenticator = SessionToken::new(accounts.clone());
    let check = async |headers: &[(&str, &[u8])], expect: Option<Result<&str, u16>>| {
        let expect = expect.map(|expect| expect.map(str::to_owned));
        assert_eq!(asked(&authenticator, headers).await, expect, "{headers:?}");
    };
    check(&[("x-auth-token", token)], Some(Ok("op"))).await;
    check(&[("authorization", &bearer)], Some(Ok("op"))).await;
    check(&[("x-auth-token", token), ("authorization", b"Basic x")], Some(Ok("op"))).await;
    check(&[("x-auth-token", b"wrong"), ("authorization", &bearer)], Some(Err(401))).await;
    check(&[("x-auth-token", token), ("x-auth-token", token)], Some(Err(401))).await;
    check(&[("x-auth-token", b"")], Some(Err(401))).await;
    check(&[("x-auth-token", b"\xff\xfe")], Some(Err(401))).await;
    check(&[("x-auth-token", &[b'a'; 60_000])], Some(Err(401))).await;
    check(&[("authorization", b"Bearer")], Some(Err(401))).await;
    check(&[("authorization", b"Basic x")], None).await;
    check(&[], None).await;
    accounts.log_out(&opened.session.id).await.unwrap();
    check(&[("x-auth-token", token)], Some(Err(401))).await;
}

#[tokio::test]
async fn errors_hold_no_credentials() {
    let accounts = accounts(config()).await;
    let error = accounts.log_in("root", &secret("hunter2-hunter2"), None).await.unwrap_err();
    let body = serde_json::to_string(&error.body()).unwrap();
    assert!(!body.contains("hunter2") && !body.contains("root"), "{body}");
}

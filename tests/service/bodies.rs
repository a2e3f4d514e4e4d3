//! Bodies that are none: each gets a 400 that says so, from where a body is read, and the service goes on.

use redfish_tests::client::Client;
use redfish_tests::mock::MACHINES;
use redfish_tests::server::Setup;

/// Targets that read a body, with the method; the last without credentials.
fn targets() -> [(&'static str, String); 4] {
    let system = format!("/redfish/v1/Systems/{}", MACHINES[0]);
    [
        ("PATCH", system.clone()),
        ("POST", format!("{system}/Actions/ComputerSystem.Reset")),
        ("POST", "/redfish/v1/AccountService/Accounts".to_owned()),
        ("POST", "/redfish/v1/SessionService/Sessions".to_owned()),
    ]
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> Vec<u8> {
    format!("{{\"a\":{}{inner}{}}}", open.repeat(depth), close.repeat(depth)).into_bytes()
}

#[test]
fn what_is_no_json_object_is_refused_everywhere() {
    let mut server = Setup::plain().start();
    let (admin, nobody) = (server.login(), server.anonymous());
    let check = |body: &[u8], expect: &str| {
        for (method, uri) in targets() {
            let client = if uri.ends_with("/Sessions") { &nobody } else { &admin };
            let answer = client.request(method, &uri, &[], Some(body)).expect(400);
            let ids = answer.message_ids();
            let start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            assert_eq!(ids, [expect], "{method} {uri} {start}");
        }
    };
    for body in [
        &b"{"[..],
        b"}",
        b"{}{}",
        b" ",
        b"{\"a\":}",
        b"{'a':1}",
        b"{\"a\":1,}",
        b"{\"a\":01}",
        b"{\"a\":NaN}",
        b"{\"a\":1e999}",
        b"{\"a\":\"\x01\"}",
        b"{\"a\":\"\\ud800\"}",
        b"{\"a\":\"\xff\xfe\"}",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b"{\"AssetTag\":\"a\",\"AssetTag\":\"b\"}",
        b"{\"Boot\":{\"x\":1,\"\\u0078\":2}}",
        b"\x00",
        b"<html>",
        b"UserName=admin&Password=x",
    ] {
        check(body, "MalformedJSON");
    }
    for depth in [100, 100_000] {
        check(&nested("[", "", "]", depth), "MalformedJSON");
        check(&nested("{\"a\":", "1", "}", depth), "MalformedJSON");
    }
    check(&b"[".repeat(500_000), "MalformedJSON");
    for body in [&b"[]"[..], b"null", b"1", b"\"x\"", b"true", b"[{}]"] {
        check(body, "UnrecognizedRequestBody");
    }
    assert!(server.runs());
}

#[test]
fn large_bodies_are_refused_and_the_connection_says_so() {
    let mut server = Setup::plain().start();
    let (admin, nobody) = (server.login(), server.anonymous());
    let large = format!("{{\"AssetTag\":\"{}\"}}", "x".repeat(10 << 20));
    for (method, uri) in targets() {
        let client = if uri.ends_with("/Sessions") { &nobody } else { &admin };
        let answer = client.request(method, &uri, &[], Some(large.as_bytes())).expect(413);
        assert_eq!(answer.message_ids(), ["PayloadTooLarge"], "{method} {uri}");
    }
    // Sent in pieces: no length tells beforehand.
    let (method, uri) = &targets()[0];
    let piece = format!("100000\r\n{}\r\n", "x".repeat(1 << 20));
    let chunks = format!("{}0\r\n\r\n", piece.repeat(10));
    let headers = [("Transfer-Encoding", "chunked")];
    let answer = admin.request(method, uri, &headers, Some(chunks.as_bytes())).expect(413);
    assert_eq!(answer.message_ids(), ["PayloadTooLarge"]);
    assert_well(&admin);
    assert!(server.runs());
}

/// Requests that are none on the level of HTTP: the connection may end, the service may not.
#[test]
fn broken_requests_end_at_most_their_connection() {
    let mut server = Setup::plain().start();
    let admin = server.login();
    for bytes in [
        &b"\r\n\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET /redfish/v1 HTTP/9.9\r\n\r\n",
        b"GET /redfish/v1 HTTP/1.1\r\n\r\n",
        b"GET  /redfish/v1  HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /redfish/v1 HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        b"GET /redfish/v1/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        b"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n{}",
    ] {
        let mut connection = server.endpoint().connect().unwrap();
        connection.send(bytes).unwrap();
        connection.finish().unwrap();
        let rest = connection.rest(1 << 20).unwrap_or_default();
        let text = String::from_utf8_lossy(&rest);
        assert!(!text.contains("HTTP/1.1 5"), "{:?} -> {text}", bytes.escape_ascii().to_string());
    }
    // One endless header line.
    let mut connection = server.endpoint().connect().unwrap();
    let line = [&b"GET /redfish/v1 HTTP/1.1\r\nX: "[..], &b"x".repeat(4 << 20)].concat();
    let _ = connection.send(&line);
    let _ = connection.rest(1 << 20);
    assert_well(&admin);
    assert!(server.runs());
}

#[track_caller]
fn assert_well(client: &Client) {
    client.read("/redfish/v1/Systems");
}

//! The reader against canned bytes of a peer.

use std::net::TcpListener;

use super::*;

/// What the reader makes of these bytes: status and body, or the reason why they are no answer.
#[track_caller]
fn check(bytes: &'static [u8], head: bool, expect: Result<(u16, &str), &str>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let peer = std::thread::spawn(move || listener.accept().unwrap().0.write_all(bytes));
    let mut connection = Endpoint::new(&url, None).unwrap().connect().unwrap();
    peer.join().unwrap().unwrap();
    let got = connection.receive(head);
    let got = got
        .map(|answer| (answer.status, String::from_utf8(answer.body).unwrap()))
        .map_err(|error| error.to_string());
    match (got, expect) {
        (Ok((status, body)), Ok(expect)) => assert_eq!((status, body.as_str()), expect),
        (Err(error), Err(expect)) => assert!(error.contains(expect), "{error}"),
        (got, expect) => panic!("{got:?} and not {expect:?}"),
    }
}

#[test]
fn answers_are_read_by_the_rules() {
    check(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", false, Ok((200, "{}")));
    check(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", true, Ok((200, "")));
    check(b"HTTP/1.1 204 \r\nAllow: GET\r\n\r\n", false, Ok((204, "")));
    check(b"HTTP/1.0 404 Not Found\r\n\r\ngone", false, Ok((404, "gone")));
    check(
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n",
        false,
        Ok((200, "abc")),
    );
    check(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx",
        false,
        Ok((200, "x")),
    );
}

#[test]
fn what_is_no_answer_is_told() {
    check(b"", false, Err("closed before an answer"));
    check(b"HTTP/2 200\r\n\r\n", false, Err("status line"));
    check(b"HTTP/1.1 2000 OK\r\n\r\n", false, Err("status line"));
    check(b"HTTP/1.1 200 OK\n\n", false, Err("without CRLF"));
    check(b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", false, Err("header line"));
    check(b"HTTP/1.1 200 OK\r\nX y: 1\r\n\r\n", false, Err("header line"));
    check(b"HTTP/1.1 200 OK\r\nX: \x01\r\n\r\n", false, Err("control"));
    check(b"HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n", false, Err("content-length in a 204"));
    check(
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        false,
        Err("lengths"),
    );
    check(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", false, Err("fill whole buffer"));
    check(
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        false,
        Err("longer than it says"),
    );
}

#[test]
fn urls_name_address_and_host() {
    #[track_caller]
    fn check(url: &str, expect: Option<(&str, &str)>) {
        let endpoint = Endpoint::new(url, None).ok();
        let got = endpoint.map(|e| (e.address.to_string(), e.host));
        assert_eq!(got, expect.map(|(address, host)| (address.to_owned(), host.to_owned())));
    }
    check("http://127.0.0.1:8000/redfish/v1/", Some(("127.0.0.1:8000", "127.0.0.1:8000")));
    check("http://127.0.0.1", Some(("127.0.0.1:80", "127.0.0.1")));
    check("http://[::1]:81", Some(("[::1]:81", "[::1]:81")));
    check("http://[::1]/", Some(("[::1]:80", "[::1]")));
    check("https://127.0.0.1", None);
    check("ftp://127.0.0.1", None);
    check("127.0.0.1", None);
}

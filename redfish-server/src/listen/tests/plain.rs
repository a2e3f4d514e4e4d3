//! Requests over plain HTTP.

use super::*;

#[tokio::test]
async fn both_families_and_what_the_service_is_told() {
    let server = start(any_port(&["127.0.0.1:0", "[::1]:0"]), patient(), &[]);
    for (index, family) in ["127.0.0.1", "::1"].into_iter().enumerate() {
        let address = server.addresses[index];
        assert_ne!(address.port(), 0);
        let stream = TcpStream::connect(address).await.unwrap();
        let answer = exchange(stream, LAST_GET).await;
        let expect = format!("{family} {} {index} false None 0", address.port());
        assert_eq!(status_and_body(&answer), ("200", expect.as_str()));
    }
}

#[tokio::test]
async fn one_socket_for_both_families() {
    let server = start(any_port(&["[::]:0"]), patient(), &[]);
    let port = server.addresses[0].port();
    for address in ["127.0.0.1", "::1"] {
        let address = SocketAddr::new(address.parse().unwrap(), port);
        let answer = exchange(TcpStream::connect(address).await.unwrap(), LAST_GET).await;
        let expect = format!("{} {port} 0 false None 0", address.ip());
        assert_eq!(status_and_body(&answer).1, expect, "addresses are written as what they are");
    }
    // With a socket of its own for IPv4, the other one keeps to IPv6.
    let v4 = SocketAddr::from(([0, 0, 0, 0], port));
    assert_eq!(server.stop().await, 0);
    let both = bind(&[v4, SocketAddr::new("::".parse().unwrap(), port)]);
    assert_eq!(both.map(|listeners| listeners.len()).unwrap(), 2);
}

#[tokio::test]
async fn an_address_in_use_is_named() {
    let first = any_port(&["127.0.0.1:0"]);
    let address = first[0].address();
    let error = bind(&[address]).unwrap_err();
    assert_eq!(error.address, address);
    assert!(error.to_string().starts_with(&format!("Can't listen on {address}: ")), "{error}");
}

#[tokio::test]
async fn connections_are_kept() {
    let server = plain(patient());
    let mut stream = server.connect().await;
    for _ in 0..3 {
        stream
            .write_all(b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
            .await
            .unwrap();
        let answer = one_answer(&mut stream).await;
        assert!(answer.ends_with(" 3"), "{answer}");
    }
    assert_eq!(server.metrics.connections(), 1);
}

#[tokio::test]
async fn a_panic_is_a_500_and_no_more() {
    let server = plain(patient());
    let mut stream = server.connect().await;
    stream.write_all(b"GET /panic HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    let answer = one_answer(&mut stream).await;
    assert_eq!(status_and_body(&answer).0, "500");
    assert!(answer.contains(".InternalError\"") && !answer.contains("as the test"), "{answer}");
    stream.write_all(LAST_GET).await.unwrap();
    assert_eq!(status_and_body(&rest(&mut stream).await).0, "200", "on the same connection");
}

#[tokio::test]
async fn an_answer_survives_a_body_that_nobody_reads() {
    let server = plain(patient());
    let head = b"POST /ignore HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n";
    let answer = server.exchange(&[&head[..], &[b'x'; 600_000]].concat()).await;
    assert_eq!(status_and_body(&answer), ("413", "ignored"));
}

#[tokio::test]
async fn protocols_can_be_changed() {
    let server = plain(patient());
    let mut stream = server.connect().await;
    let head = b"GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n";
    stream.write_all(head).await.unwrap();
    let answer = one_answer(&mut stream).await;
    assert_eq!(status_and_body(&answer).0, "101");
    stream.write_all(b"hello").await.unwrap();
    let mut echo = [0; 5];
    bounded(stream.read_exact(&mut echo)).await.unwrap();
    assert_eq!(&echo, b"hello");
    assert_eq!(server.metrics.connections(), 1, "it still counts");
}

#[tokio::test]
async fn the_proxy_protocol_is_for_trusted_proxies() {
    const HEADER: &[u8] =
        b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x01\x0a\0\0\x01\x1f\x90\x20\xfb";
    let with = |trusted: &[&str]| {
        let listeners = any_port(&["127.0.0.1:0"]);
        let listeners = listeners.into_iter().map(Listener::with_proxy_protocol).collect();
        start(listeners, patient(), trusted)
    };
    let trusting = with(&["127.0.0.0/8"]);
    let answer = trusting.exchange(&[HEADER, LAST_GET].concat()).await;
    assert!(status_and_body(&answer).1.starts_with("192.0.2.1 "), "{answer}");
    assert_eq!(trusting.exchange(LAST_GET).await, "", "it must be there");
    let other = with(&["192.0.2.0/24"]);
    let answer = other.exchange(&[HEADER, LAST_GET].concat()).await;
    assert_eq!(status_and_body(&answer).0, "400");
    let answer = other.exchange(LAST_GET).await;
    assert!(status_and_body(&answer).1.starts_with("127.0.0.1 "), "{answer}");
}

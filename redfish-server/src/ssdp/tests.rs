//! A real search over loopback, on a port of our own: by unicast, since a test may not join the groups of the
//! machine that it runs on. The suites search by multicast, in a network of their own.

use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::time::timeout;

use super::*;
use crate::services::network_protocol::Options;

fn found() -> Found {
    let network =
        |interface, address: &str| Network { interface, address: address.parse().unwrap() };
    Found {
        uuid: "0000-AB".into(),
        scheme: "https",
        listeners: vec!["0.0.0.0:443".parse().unwrap(), "[::1]:8443".parse().unwrap()],
        networks: vec![
            network(1, "127.0.0.1/8"),
            network(1, "::1/128"),
            network(2, "192.0.2.7/24"),
            network(2, "fe80::7/64"),
        ],
    }
}

#[test]
fn clients_get_the_address_that_they_reach() {
    #[track_caller]
    fn check(listeners: &[&str], client: &str, expect: Option<&str>) {
        let listeners = listeners.iter().map(|text| text.parse().unwrap()).collect();
        let found = Found { listeners, ..found() };
        let url = found.url(client.parse().unwrap());
        let expect = expect.map(|host| format!("https://{host}/redfish/v1/"));
        assert_eq!(url, expect, "{client}");
    }
    check(&["0.0.0.0:443"], "127.0.0.1", Some("127.0.0.1"));
    check(&["0.0.0.0:8443"], "192.0.2.99", Some("192.0.2.7:8443"));
    check(&["192.0.2.7:443"], "192.0.2.99", Some("192.0.2.7"));
    check(&["192.0.2.7:443"], "127.0.0.1", None);
    check(&["0.0.0.0:443"], "198.51.100.1", None);
    check(&["0.0.0.0:443"], "::1", Some("127.0.0.1"));
    check(&["192.0.2.7:443"], "::1", None);
    check(&["[::]:443"], "::1", Some("[::1]"));
    // No URL can name an address of the link: the other of that interface.
    check(&["[::]:443"], "fe80::99", Some("192.0.2.7"));
    check(&[], "127.0.0.1", None);
}

const SEARCH: &[u8] = b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n\
    MAN: \"ssdp:discover\"\r\nMX: 0\r\nST: ssdp:all\r\n\r\n";

async fn ask(client: &UdpSocket, port: u16) -> Option<String> {
    client.send_to(SEARCH, ("127.0.0.1", port)).await.unwrap();
    let mut answer = [0; 1500];
    let length = timeout(Duration::from_millis(300), client.recv(&mut answer)).await.ok()?.ok()?;
    Some(String::from_utf8(answer[..length].to_vec()).unwrap())
}

#[tokio::test]
async fn searches_are_answered_while_it_is_on() {
    let probe = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = probe.local_addr().unwrap().port();
    drop(probe);
    let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let on = watch::Sender::new(Options::default());
    let running = tokio::spawn(Responder::new(found()).on_port(port).run(on.subscribe()));
    assert_eq!(ask(&client, port).await, None);
    for _ in 0..2 {
        on.send_replace(Options { ssdp: Some(true) });
        let mut answer = None;
        for _ in 0..20 {
            answer = ask(&client, port).await;
            if answer.is_some() {
                break;
            }
        }
        let answer = answer.expect("no answer while it is on");
        assert!(answer.contains("AL: https://127.0.0.1/redfish/v1/\r\n"), "{answer}");
        on.send_replace(Options::default());
        // What is asked at this moment may still be answered.
        while ask(&client, port).await.is_some() {}
    }
    drop(on);
    timeout(Duration::from_secs(5), running).await.unwrap().unwrap();
}

//! TLS as clients see it, and plain HTTP where it is expected.

use std::collections::BTreeSet;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::*;
use crate::tls::{Certificates, provider, self_signed, server_config};

/// A certificate that says it is for loopback and these hosts.
fn certificate(hosts: &[&str]) -> Arc<CertifiedKey> {
    let folder = tempfile::tempdir().unwrap();
    let names: BTreeSet<_> =
        hosts.iter().chain(&["127.0.0.1", "::1"]).map(|name| (*name).to_owned()).collect();
    self_signed::ensure(folder.path(), &names, jiff::Timestamp::now()).unwrap()
}

fn serving(certificates: &Arc<Certificates>, limits: Limits, address: &str) -> Server {
    let config = server_config(certificates.clone()).unwrap();
    let listeners = any_port(&[address]);
    start(listeners.into_iter().map(|l| l.with_tls(config.clone())).collect(), limits, &[])
}

fn one(limits: Limits) -> (Server, Arc<CertifiedKey>) {
    let certificate = certificate(&["localhost"]);
    let certificates = Arc::new(Certificates::new(certificate.clone()));
    (serving(&certificates, limits, "127.0.0.1:0"), certificate)
}

const BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12, &rustls::version::TLS13];

/// Connects like a client that trusts these certificates.
async fn connect(
    server: &Server,
    name: &str,
    trusted: &[&Arc<CertifiedKey>],
    versions: &[&'static SupportedProtocolVersion],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    for certificate in trusted {
        roots.add(certificate.cert[0].clone()).unwrap();
    }
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let name = ServerName::try_from(name.to_owned()).unwrap();
    bounded(TlsConnector::from(Arc::new(config)).connect(name, server.connect().await)).await
}

fn leaf(stream: &TlsStream<TcpStream>) -> CertificateDer<'static> {
    stream.get_ref().1.peer_certificates().unwrap()[0].clone()
}

#[tokio::test]
async fn requests_over_both_versions() {
    for version in BOTH {
        for (address, name, server_name) in [
            ("127.0.0.1:0", "127.0.0.1", "None"),
            ("127.0.0.1:0", "localhost", "Some(\"localhost\")"),
            ("[::1]:0", "::1", "None"),
        ] {
            let certificate = certificate(&["localhost"]);
            let certificates = Arc::new(Certificates::new(certificate.clone()));
            let server = serving(&certificates, patient(), address);
            let stream = connect(&server, name, &[&certificate], &[version]).await.unwrap();
            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
            assert_eq!(stream.get_ref().1.protocol_version(), Some(version.version));
            let answer = exchange(stream, LAST_GET).await;
            let (status, body) = status_and_body(&answer);
            assert_eq!(status, "200");
            assert!(body.ends_with(&format!(" true {server_name} 0")), "{body}");
        }
    }
}

#[tokio::test]
async fn a_name_that_is_not_in_it_is_not_accepted() {
    let (server, certificate) = one(patient());
    let error = connect(&server, "other.example", &[&certificate], BOTH).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    assert!(server.metrics.exposition().contains("\nredfish_connections"), "it goes on");
    assert!(connect(&server, "localhost", &[&certificate], BOTH).await.is_ok());
}

#[tokio::test]
async fn names_choose_certificates_and_new_ones_count_from_then_on() {
    let [default, own, wild, new] =
        [&["localhost"], &["a.example"], &["*.b.example"], &["localhost"]]
            .map(|hosts| certificate(hosts));
    let certificates = Arc::new(Certificates::with_hosts(
        default.clone(),
        [("a.example".to_owned(), own.clone()), ("*.b.example".to_owned(), wild.clone())],
    ));
    let server = serving(&certificates, patient(), "127.0.0.1:0");
    for (name, expect) in [
        ("localhost", &default),
        ("127.0.0.1", &default),
        ("a.example", &own),
        ("A.Example", &own),
        ("x.b.example", &wild),
    ] {
        let stream = connect(&server, name, &[expect], BOTH).await.unwrap();
        assert_eq!(leaf(&stream), expect.cert[0], "{name}");
    }
    let mut before = connect(&server, "localhost", &[&default], BOTH).await.unwrap();
    certificates.replace(new.clone(), []);
    let after = connect(&server, "localhost", &[&new], BOTH).await.unwrap();
    assert_eq!(leaf(&after), new.cert[0]);
    before.write_all(GET).await.unwrap();
    assert_eq!(status_and_body(&one_answer(&mut before).await).0, "200", "the old one goes on");
}

#[tokio::test]
async fn plain_http_is_sent_to_https() {
    let (server, _) = one(patient());
    let check = async |sent: &[u8], expect: &str| {
        let answer = server.exchange(sent).await;
        let head: Vec<_> = answer.lines().collect();
        assert!(head.first().is_some_and(|line| line.contains(expect)), "{answer}");
        assert!(head.contains(&"connection: close") && answer.ends_with("\r\n\r\n"), "{answer}");
        head.iter().find_map(|line| line.strip_prefix("location: ")).map(str::to_owned)
    };
    let get = b"GET /redfish/v1/?a=b HTTP/1.1\r\nHost: bmc.example:8443\r\n\r\n";
    let location = check(get, " 308 ").await;
    assert_eq!(location.as_deref(), Some("https://bmc.example:8443/redfish/v1/?a=b"));
    // Also when a body follows that nobody wants.
    let head = b"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n";
    let location = check(&[&head[..], &[b'x'; 300_000]].concat(), " 308 ").await;
    assert_eq!(location.as_deref(), Some("https://a/redfish/v1/SessionService/Sessions"));
    for sent in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    ] {
        assert_eq!(check(sent.as_bytes(), " 400 ").await, None, "{sent}");
    }
}

#[tokio::test]
async fn whatever_is_neither_is_closed() {
    let (server, _) = one(patient());
    for sent in [&b"\0\0\0\0"[..], b"\x80\x2e\x01\x00\x02", b"get / HTTP/1.1\r\n\r\n", b"\xff"] {
        assert_eq!(server.exchange(sent).await, "", "{sent:?}");
    }
    // A record that says handshake and is none: an alert may come, nothing else.
    assert!(server.exchange(&[&[22, 3, 1, 0, 5][..], &[0xff; 5]].concat()).await.len() < 16);
}

#[tokio::test]
async fn slow_handshakes_and_slow_mistakes_end() {
    let limits = Limits { handshake: SOON, header: SOON, ..patient() };
    let (server, certificate) = one(limits);
    for sent in
        [&b""[..], b"\x16", b"\x16\x03\x01\x02\x00\x01", b"G", b"GET / HTTP/1.1\r\nHost: a\r\n"]
    {
        assert_eq!(server.exchange(sent).await, "", "{sent:?}");
    }
    let mut stream = connect(&server, "localhost", &[&certificate], BOTH).await.unwrap();
    assert_eq!(rest(&mut stream).await, "", "a handshake and then nothing");
}

#[tokio::test]
async fn draining_does_not_wait_for_handshakes() {
    let (server, certificate) = one(patient());
    let mut silent = server.connect().await;
    let mut open = connect(&server, "localhost", &[&certificate], BOTH).await.unwrap();
    open.write_all(GET).await.unwrap();
    one_answer(&mut open).await;
    assert_eq!(server.stop().await, 0);
    assert_eq!(rest(&mut silent).await, "");
    assert_eq!(open.read(&mut [0]).await.unwrap(), 0, "closed properly, not cut");
}

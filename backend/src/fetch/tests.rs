//! Real servers on this host, good and bad.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::outbound::ImageOptions;

/// What a server does after it has read a request.
#[derive(Clone)]
enum Answer {
    /// Sends this and closes.
    Bytes(String),
    /// Sends this and then nothing more.
    Silence(String),
    /// Sends this and then bytes without end.
    Endless(String),
}

fn ok(body: &str) -> Answer {
    Answer::Bytes(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
}

fn redirect(to: &str) -> Answer {
    Answer::Bytes(format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))
}

/// A server: its port, and the requests that it got.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

async fn serve_one(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answers: &[(&str, Answer)],
    requests: &Mutex<Vec<String>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().to_owned();
    requests.lock().unwrap().push(head);
    let answer = answers.iter().find(|(known, _)| *known == path).map(|(_, answer)| answer.clone());
    let answer = answer.unwrap_or_else(|| {
        Answer::Bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno!".into())
    });
    match answer {
        Answer::Bytes(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
        Answer::Silence(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            let _ = stream.flush().await;
            std::future::pending::<()>().await;
        }
        Answer::Endless(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            while stream.write_all(&[b'x'; 1000]).await.is_ok() {}
        }
    }
}

/// Serves the answers by path; with TLS where there is an acceptor.
async fn serve(answers: Vec<(&'static str, Answer)>, tls: Option<TlsAcceptor>) -> Server {
    serve_at("127.0.0.1:0", answers, tls).await
}

async fn serve_at(
    address: &str,
    answers: Vec<(&'static str, Answer)>,
    tls: Option<TlsAcceptor>,
) -> Server {
    let listener = TcpListener::bind(address).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::<Mutex<Vec<String>>>::default();
    tokio::spawn({
        let requests = Arc::clone(&requests);
        async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (answers, tls, requests) =
                    (answers.clone(), tls.clone(), Arc::clone(&requests));
                tokio::spawn(async move {
                    match tls {
                        None => serve_one(stream, &answers, &requests).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve_one(stream, &answers, &requests).await;
                            }
                        }
                    }
                });
            }
        }
    });
    Server { port, requests }
}

/// A server with a certificate for these names, and the authority that made it.
fn tls(names: &[&str]) -> (TlsAcceptor, String) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let leaf = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key.serialize_der().try_into().unwrap())
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), authority.pem())
}

fn settings() -> OutboundSettings {
    OutboundSettings {
        timeout: Duration::from_secs(60),
        ..OutboundSettings::default().with_loopback()
    }
}

fn fetcher(settings: OutboundSettings, authorities: &str) -> Fetcher {
    Fetcher::new(OutboundPolicy::new(settings), authorities.as_bytes()).unwrap()
}

async fn fetch(
    fetcher: &Fetcher,
    url: &str,
    options: ImageOptions,
) -> Result<Fetched, FetchFailure> {
    let source = fetcher.policy().image(url, options).unwrap();
    fetcher.fetch(&source, &mut |_, _| Ok(())).await
}

#[tokio::test]
async fn an_image_is_counted_and_hashed() {
    let server =
        serve(vec![("/a.iso", ok("hello")), ("/empty", ok("")), ("/to", redirect("/a.iso"))], None)
            .await;
    let fetcher = fetcher(settings(), "");
    let url = |path| format!("http://127.0.0.1:{}{path}", server.port);
    let source = fetcher.policy().image(&url("/a.iso"), ImageOptions::default()).unwrap();
    let mut seen = Vec::new();
    let mut last = None;
    let fetched = fetcher
        .fetch(&source, &mut |piece, received| {
            seen.extend_from_slice(piece);
            last = Some(received);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!((fetched.bytes, seen.as_slice()), (5, &b"hello"[..]));
    assert_eq!(
        format!("{:?}", fetched.sha256),
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    );
    assert_eq!(last, Some(Received { bytes: 5, total: Some(5) }));
    assert_eq!(last.unwrap().percent(), Some(100));
    assert_eq!(fetch(&fetcher, &url("/empty"), ImageOptions::default()).await.unwrap().bytes, 0);
    assert_eq!(fetch(&fetcher, &url("/to"), ImageOptions::default()).await.unwrap().bytes, 5);
    // By name, as nobody but this host's own resolver knows it.
    let named = format!("http://localhost:{}/a.iso", server.port);
    assert_eq!(fetch(&fetcher, &named, ImageOptions::default()).await.unwrap().bytes, 5);
    let dotted = format!("http://localhost.:{}/a.iso", server.port);
    assert_eq!(fetch(&fetcher, &dotted, ImageOptions::default()).await.unwrap().bytes, 5);
    // The sink has the last word.
    let full = fetcher.fetch(&source, &mut |_, _| Err(FetchFailure::NoSpace)).await;
    assert_eq!(full, Err(FetchFailure::NoSpace));
    let wrong = ImageOptions { checksum: Some(Sha256([1; 32])), ..ImageOptions::default() };
    assert_eq!(fetch(&fetcher, &url("/a.iso"), wrong).await, Err(FetchFailure::Checksum));
    let right = ImageOptions { checksum: Some(fetched.sha256), ..ImageOptions::default() };
    assert_eq!(fetch(&fetcher, &url("/a.iso"), right).await, Ok(fetched));
}

#[tokio::test]
async fn bad_servers_are_told_apart_only_where_it_helps() {
    let head = |rest: &str| format!("HTTP/1.1 200 OK\r\n{rest}\r\n");
    let server = serve(
        vec![
            ("/401", Answer::Bytes("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n".into())),
            ("/500", Answer::Bytes("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".into())),
            ("/206", Answer::Bytes("HTTP/1.1 206 Part\r\nContent-Length: 1\r\n\r\nx".into())),
            ("/short", Answer::Bytes(head("Content-Length: 100\r\n") + "hello")),
            ("/cut", Answer::Bytes(head("Transfer-Encoding: chunked\r\n") + "5\r\nhel")),
            ("/large", Answer::Silence(head("Content-Length: 2000\r\n"))),
            ("/endless", Answer::Endless(head("Connection: close\r\n"))),
            ("/nonsense", Answer::Bytes("SSH-2.0-secret\r\n".into())),
            ("/nowhere", Answer::Bytes("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".into())),
            ("/round", redirect("/round")),
            ("/file", redirect("file:///etc/passwd")),
            ("/user", redirect("http://u:p@127.0.0.1/")),
            ("/metadata", redirect("http://169.254.169.254/latest")),
        ],
        None,
    )
    .await;
    let fetcher = fetcher(OutboundSettings { max_bytes: 1500, ..settings() }, "");
    let check = async |path: &str, expect| {
        let url = format!("http://127.0.0.1:{}{path}", server.port);
        assert_eq!(fetch(&fetcher, &url, ImageOptions::default()).await, Err(expect), "{path}");
    };
    check("/404", FetchFailure::Status(404)).await;
    check("/401", FetchFailure::Credentials).await;
    check("/500", FetchFailure::Status(500)).await;
    check("/206", FetchFailure::Status(206)).await;
    check("/short", FetchFailure::Incomplete).await;
    check("/cut", FetchFailure::Incomplete).await;
    check("/large", FetchFailure::TooLarge).await;
    check("/endless", FetchFailure::TooLarge).await;
    check("/nonsense", FetchFailure::Unreachable).await;
    check("/nowhere", FetchFailure::Status(302)).await;
    check("/round", FetchFailure::Unreachable).await;
    assert_eq!(
        server
            .requests
            .lock()
            .unwrap()
            .iter()
            .filter(|head| head.starts_with("GET /round "))
            .count(),
        6
    );
    check("/file", FetchFailure::Unreachable).await;
    check("/user", FetchFailure::Unreachable).await;
    check("/metadata", FetchFailure::Unreachable).await;
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let url = format!("http://127.0.0.1:{closed}/");
    assert_eq!(
        fetch(&fetcher, &url, ImageOptions::default()).await,
        Err(FetchFailure::Unreachable)
    );
}

#[tokio::test]
async fn slow_servers_end() {
    let server = serve(
        vec![
            ("/silent", Answer::Silence(String::new())),
            ("/stalls", Answer::Silence("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx".into())),
        ],
        None,
    )
    .await;
    let fetcher =
        fetcher(OutboundSettings { timeout: Duration::from_millis(200), ..settings() }, "");
    for path in ["/silent", "/stalls"] {
        let url = format!("http://127.0.0.1:{}{path}", server.port);
        assert_eq!(
            fetch(&fetcher, &url, ImageOptions::default()).await,
            Err(FetchFailure::TooSlow)
        );
    }
}

#[tokio::test]
async fn guarded_addresses_are_not_reached_by_name_or_redirect() {
    let inner = serve(vec![("/secret", ok("secret"))], None).await;
    let to_address = redirect(&format!("http://127.0.0.1:{}/secret", inner.port));
    let to_name = redirect(&format!("http://localhost:{}/secret", inner.port));
    let near = serve_at("127.0.0.2:0", vec![("/secret", ok("secret"))], None).await;
    let to_near = redirect(&format!("http://127.0.0.2:{}/secret", near.port));
    let outer =
        serve(vec![("/address", to_address), ("/name", to_name), ("/near", to_near)], None).await;
    // The name passes by a rule; the address that it has stays guarded.
    let mut by_name = OutboundSettings::default();
    by_name.allow.push("localhost".parse().unwrap());
    let direct = format!("http://localhost:{}/secret", inner.port);
    assert_eq!(
        fetch(&fetcher(by_name, ""), &direct, ImageOptions::default()).await,
        Err(FetchFailure::Unreachable)
    );
    // The first server is allowed, and leads to one that is not.
    let mut one = OutboundSettings::default();
    one.allow.push("127.0.0.1/32".parse().unwrap());
    let denied = |mut settings: OutboundSettings| {
        settings.deny.push("localhost".parse().unwrap());
        fetcher(settings, "")
    };
    let url = |path| format!("http://127.0.0.1:{}{path}", outer.port);
    assert_eq!(
        fetch(&denied(one.clone()), &url("/name"), ImageOptions::default()).await,
        Err(FetchFailure::Unreachable)
    );
    assert!(inner.requests.lock().unwrap().is_empty());
    let found = fetch(&fetcher(one.clone(), ""), &url("/near"), ImageOptions::default()).await;
    assert_eq!(found, Err(FetchFailure::Unreachable));
    assert!(near.requests.lock().unwrap().is_empty());
    // The same, allowed.
    let found = fetch(&fetcher(settings(), ""), &url("/near"), ImageOptions::default()).await;
    assert_eq!(found.unwrap().bytes, 6);
    assert_eq!(
        fetch(&fetcher(one, ""), &url("/address"), ImageOptions::default()).await.unwrap().bytes,
        6
    );
    // Nothing is even asked where the host is an address that does not pass.
    let refused = Fetcher::default().policy().image(&url("/address"), ImageOptions::default());
    assert!(refused.is_err());
}

#[tokio::test]
async fn certificates_are_checked_unless_told_otherwise() {
    let (acceptor, authority) = tls(&["localhost"]);
    let plain = serve(vec![("/a", ok("hello"))], None).await;
    let down = redirect(&format!("http://localhost:{}/a", plain.port));
    let server = serve(vec![("/a", ok("hello")), ("/down", down)], Some(acceptor)).await;
    let url = |host: &str, path: &str| format!("https://{host}:{}{path}", server.port);
    let any = || ImageOptions { verify_certificate: false, ..ImageOptions::default() };
    let check = async |authorities: &str,
                       host: &str,
                       options: ImageOptions,
                       expect: Result<u64, FetchFailure>| {
        let found = fetch(&fetcher(settings(), authorities), &url(host, "/a"), options).await;
        assert_eq!(found.map(|fetched| fetched.bytes), expect, "{host}");
    };
    check(&authority, "localhost", ImageOptions::default(), Ok(5)).await;
    // Another name than the certificate has.
    check(&authority, "127.0.0.1", ImageOptions::default(), Err(FetchFailure::Certificate)).await;
    check("", "localhost", ImageOptions::default(), Err(FetchFailure::Certificate)).await;
    check("", "localhost", any(), Ok(5)).await;
    check("", "127.0.0.1", any(), Ok(5)).await;
    let fetcher = fetcher(settings(), &authority);
    assert_eq!(
        fetch(&fetcher, &url("localhost", "/down"), ImageOptions::default()).await,
        Err(FetchFailure::Unreachable)
    );
    assert!(plain.requests.lock().unwrap().is_empty());
    // TLS with who does not speak it is no certificate's fault.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/a", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 This is no TLS\r\n\r\n").await.unwrap();
    });
    let found = fetch(&fetcher, &url, ImageOptions::default()).await;
    assert_eq!(found, Err(FetchFailure::Unreachable));
    assert!(Fetcher::new(OutboundPolicy::new(settings()), b"no certificate").is_err());
}

#[tokio::test]
async fn credentials_stay_at_their_origin() {
    let other = serve(vec![("/b", ok("b"))], None).await;
    let to_other = redirect(&format!("http://127.0.0.1:{}/b", other.port));
    let server = serve(vec![("/a", redirect("/c")), ("/c", to_other)], None).await;
    let fetcher = fetcher(settings(), "");
    let options = ImageOptions {
        credentials: Some(Credentials::new("user", "pass word")),
        ..ImageOptions::default()
    };
    let url = format!("http://127.0.0.1:{}/a", server.port);
    assert_eq!(fetch(&fetcher, &url, options).await.unwrap().bytes, 1);
    let has = |server: &Server| -> Vec<bool> {
        let requests = server.requests.lock().unwrap();
        requests
            .iter()
            .map(|head| head.to_lowercase().contains("authorization: basic dxnlcjpwyxnzihdvcmq="))
            .collect()
    };
    assert_eq!(has(&server), [true, true]);
    assert_eq!(has(&other), [false]);
    assert!(!other.requests.lock().unwrap()[0].to_lowercase().contains("authorization"));
}

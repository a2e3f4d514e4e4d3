//! The limit: an axum handler that returns bytes from memory, with nothing between it and the socket but
//! what every axum service has.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::serve::{Listener, ListenerExt as _};
use redfish_tests::client::{Auth, Client};
use redfish_tests::connection::Endpoint;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

/// Serves until killed.
pub(crate) fn serve(bytes: Vec<u8>, ca: Option<&Path>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let bytes = axum::body::Bytes::from(bytes);
        let handler = move || {
            let bytes = bytes.clone();
            async move { ([(CONTENT_TYPE, "application/json")], bytes) }
        };
        let app = Router::new().fallback(handler);
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = tcp.local_addr().unwrap();
        match ca {
            None => {
                println!("http://{address}");
                let listener = tcp.tap_io(|stream| stream.set_nodelay(true).unwrap());
                axum::serve(listener, app).await.unwrap();
            }
            Some(ca) => {
                let acceptor = acceptor(ca);
                println!("https://{address}");
                axum::serve(Tls::new(tcp, acceptor), app).await.unwrap();
            }
        }
    });
}

fn acceptor(ca: &Path) -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(ca, made.cert.pem()).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Accepts TLS connections, each handshake in a task of its own.
struct Tls {
    accepted: tokio::sync::mpsc::Receiver<(TlsStream<TcpStream>, std::net::SocketAddr)>,
    address: std::net::SocketAddr,
}

impl Tls {
    fn new(tcp: TcpListener, acceptor: TlsAcceptor) -> Self {
        let address = tcp.local_addr().unwrap();
        let (sender, accepted) = tokio::sync::mpsc::channel(64);
        tokio::spawn(async move {
            while let Ok((stream, peer)) = tcp.accept().await {
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    stream.set_nodelay(true).unwrap();
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _ = sender.send((stream, peer)).await;
                    }
                });
            }
        });
        Self { accepted, address }
    }
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        self.accepted.recv().await.unwrap()
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}

/// The limit as a process of its own; killed when dropped.
pub(crate) struct Bare {
    child: Child,
    pub(crate) client: Client,
    _folder: TempDir,
}

impl Bare {
    /// Starts one that serves these bytes.
    pub(crate) fn start(bytes: &[u8], tls: bool) -> Self {
        let folder = TempDir::new().unwrap();
        let file = |name: &str| -> PathBuf { folder.path().join(name) };
        std::fs::write(file("body"), bytes).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("bare").arg(file("body")).stdout(Stdio::piped());
        if tls {
            command.arg("--ca").arg(file("ca.pem"));
        }
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut url).unwrap();
        let ca = tls.then(|| file("ca.pem"));
        let endpoint = Endpoint::new(url.trim(), ca.as_deref()).unwrap();
        Self { child, client: Client::new(endpoint, Auth::None), _folder: folder }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! TLS with certificates that no system knows.

use std::sync::Arc;

use axum::serve::Listener;
use redfish_client::{Client, Error, RetryPolicy};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, pem::PemObject};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use crate::server::{ok, router};

struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.listener.accept().await.unwrap();
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

struct Certificate {
    pem: String,
    key: String,
}

fn certificate(host: &str) -> (Certificate, rcgen::Certificate) {
    let made = rcgen::generate_simple_self_signed(vec![host.to_owned()]).unwrap();
    let (pem, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    (Certificate { pem, key }, made.cert)
}

/// A server with a certificate for this host; it asks for the client certificate, if one is given.
async fn serve(host: &str, client: Option<&rcgen::Certificate>) -> (String, Certificate) {
    let (own, der) = certificate(host);
    let provider = Arc::new(crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match client {
        None => builder.with_no_client_auth(),
        Some(client) => {
            let mut roots = RootCertStore::empty();
            roots.add(client.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let key = PrivateKeyDer::from_pem_slice(own.key.as_bytes()).unwrap();
    let config = builder.with_single_cert(vec![der.der().clone()], key).unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let listener = TlsListener { listener, acceptor: TlsAcceptor::from(Arc::new(config)) };
    let (router, _) = router(|_, _| ok("{}"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, own)
}

fn builder(url: &str) -> redfish_client::Builder {
    Client::builder(url).retry(RetryPolicy::NEVER)
}

#[tokio::test]
async fn a_certificate_is_trusted_when_it_is_said_so() {
    let (url, own) = serve("127.0.0.1", None).await;
    let trusting = builder(&url).ca_pem(&own.pem).only_ca_pem().build().unwrap();
    trusting.root().await.unwrap();
    let besides_system = builder(&url).ca_pem(&own.pem).build().unwrap();
    besides_system.root().await.unwrap();
    let careless = builder(&url).danger_accept_invalid_certs().build().unwrap();
    careless.root().await.unwrap();

    let (other, _) = certificate("127.0.0.1");
    let wary = builder(&url).ca_pem(&other.pem).build().unwrap();
    assert!(matches!(wary.root().await.unwrap_err(), Error::Transport(_)));
}

#[tokio::test]
async fn a_certificate_of_another_host_is_not_trusted() {
    let (url, own) = serve("bmc.test", None).await;
    let client = builder(&url).ca_pem(&own.pem).only_ca_pem().build().unwrap();
    assert!(matches!(client.root().await.unwrap_err(), Error::Transport(_)));
    builder(&url).danger_accept_invalid_certs().build().unwrap().root().await.unwrap();
}

#[tokio::test]
async fn a_client_certificate_is_shown() {
    let (mine, der) = certificate("client.test");
    let (url, own) = serve("127.0.0.1", Some(&der)).await;
    let client = builder(&url).ca_pem(&own.pem).only_ca_pem();
    assert!(client.clone().build().unwrap().root().await.is_err());
    let client = client.client_certificate_pem(&mine.pem, &mine.key).build().unwrap();
    client.root().await.unwrap();
    let error = builder(&url).client_certificate_pem(&mine.pem, &own.key).build().unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error:?}");
}

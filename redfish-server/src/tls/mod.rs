//! Certificates and what TLS is spoken with them.
//!
//! A BMC is reached by address as often as by name, mostly with a certificate that it made itself, and
//! certificates are replaced while it runs. So there are four small pieces: [`self_signed`] makes one
//! that fits, [`read`] loads what an operator has, [`Certificates`] chooses by the name that the client
//! asks for and can be given others at any time, and [`CertificateDetails`] is what the `Certificate`
//! resource tells of one.
//!
//! The crypto provider is named here and nowhere else ([`provider`]).

mod certificates;
mod details;
mod file;
pub mod self_signed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;

pub use certificates::Certificates;
pub use details::{CertificateDetails, DistinguishedName};
pub use file::{from_pem, read};

/// The crypto that TLS is spoken with, on both sides.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// How a listener speaks TLS: 1.2 and 1.3, HTTP/1.1, with the certificates that are current when a client
/// connects.
///
/// # Errors
/// When the provider can't do these versions.
pub fn server_config(certificates: Arc<Certificates>) -> Result<Arc<ServerConfig>, Error> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])?
        .with_no_client_auth()
        .with_cert_resolver(certificates);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // One ticket does: clients that resume at all use the newest, and many connect once per request.
    config.send_tls13_tickets = 1;
    Ok(Arc::new(config))
}

/// Why a certificate or key can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file can't be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is no certificate in it.
    #[error(
        "{origin}: There is no certificate in it; PEM is expected (-----BEGIN CERTIFICATE-----)"
    )]
    NoCertificate {
        /// Where it was looked for.
        origin: String,
    },
    /// There is no private key in it, or one that is encrypted.
    #[error(
        "{origin}: There is no private key in it; PEM is expected, PKCS #8, PKCS #1 or SEC 1, not encrypted"
    )]
    NoKey {
        /// Where it was looked for.
        origin: String,
    },
    /// Certificate and key do not belong together, or TLS can't use them.
    #[error("{origin}: {source}")]
    Unusable {
        /// Where they are from.
        origin: String,
        /// What is wrong.
        source: rustls::Error,
    },
    /// A certificate is no X.509.
    #[error("The certificate can't be read: {0}")]
    Malformed(String),
    /// A private key of ours that others can read.
    #[error("{}: Others can read this private key (mode {mode:o}); it must be 600", path.display())]
    Exposed {
        /// The key.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// No certificate could be made.
    #[error("Can't make a certificate: {0}")]
    Make(#[from] rcgen::Error),
    /// TLS can't be set up.
    #[error("Can't set up TLS: {0}")]
    Setup(#[from] rustls::Error),
}

impl Error {
    fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests;

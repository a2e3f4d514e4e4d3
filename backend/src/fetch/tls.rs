//! Which servers are trusted: rustls with the crypto provider ring, and nothing that the environment suggests.

use std::error::Error as StdError;
use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

use crate::Error;
use crate::media::FetchFailure;

/// The authorities, and the configurations made of them. Those of the system are read when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Trust {
    authorities: Vec<CertificateDer<'static>>,
    verifying: OnceLock<Option<ClientConfig>>,
    trusting: OnceLock<Option<ClientConfig>>,
}

impl Trust {
    pub(super) fn new(pem: &[u8]) -> Result<Self, Error> {
        let wrong = || Error::invalid("outbound.ca", "The text is no list of certificates in PEM");
        let authorities: Vec<_> =
            CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(|_| wrong())?;
        if authorities.is_empty() && !pem.trim_ascii().is_empty() {
            return Err(wrong());
        }
        Ok(Self { authorities, ..Self::default() })
    }

    /// The configuration that verifies certificates, or the one that takes any.
    pub(super) fn config(&self, verify: bool) -> Result<ClientConfig, FetchFailure> {
        let config = if verify {
            self.verifying.get_or_init(|| self.verifying())
        } else {
            self.trusting.get_or_init(|| {
                let provider = Arc::new(ring::default_provider());
                make(Arc::new(AcceptAnything(Arc::clone(&provider))), provider)
            })
        };
        config.clone().ok_or(FetchFailure::Certificate)
    }

    fn verifying(&self) -> Option<ClientConfig> {
        let provider = Arc::new(ring::default_provider());
        let authorities = self.authorities.iter().cloned();
        let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(
            authorities,
            Arc::clone(&provider),
        );
        make(Arc::new(verifier.ok()?), provider)
    }
}

fn make(
    verifier: Arc<dyn ServerCertVerifier>,
    provider: Arc<CryptoProvider>,
) -> Option<ClientConfig> {
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().ok()?;
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Some(config)
}

/// Whether it is the server's certificate that an error is about.
pub(super) fn is_certificate(error: &reqwest::Error) -> bool {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = next {
        // An I/O error keeps what it wraps from its sources.
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let rustls = match inner {
            Some(inner) => inner.downcast_ref::<rustls::Error>(),
            None => error.downcast_ref(),
        };
        if let Some(rustls) = rustls {
            return matches!(rustls, rustls::Error::InvalidCertificate(_));
        }
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

/// Accepts any certificate, for sources whose owner said so. Signatures are not checked either: whoever may present any
/// certificate may present one of their own.
#[derive(Debug)]
struct AcceptAnything(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnything {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

//! The TLS configuration: rustls with the crypto provider ring, named here and nowhere else.
//!
//! reqwest's own choice of provider is another one, and two in a program make rustls refuse to pick; so it gets a
//! finished configuration. Most BMCs come with a certificate of their own, hence the three ways to deal with that:
//! trust its CA besides those of the system, trust its CA alone, or trust anything, which is what its name says.

use std::sync::Arc;

use redfish_model::Secret;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::{Error, Result};

/// What the builder collects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// CA certificates in PEM.
    pub(crate) ca: Vec<u8>,
    /// Trust the CAs of the system too.
    pub(crate) only_ca: bool,
    /// Certificate chain and private key in PEM.
    pub(crate) identity: Option<(Vec<u8>, Secret<Vec<u8>>)>,
    /// Trust anything.
    pub(crate) accept_invalid: bool,
}

/// Makes the configuration.
pub(crate) fn config(options: &Options) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(failed("protocol versions"))?;
    let authorities = certificates(&options.ca, "the CA certificates")?;
    let builder = if options.accept_invalid {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAnything(provider)))
    } else if options.only_ca {
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots.add(authority).map_err(failed("a CA certificate"))?;
        }
        builder.with_root_certificates(roots)
    } else {
        let verifier =
            rustls_platform_verifier::Verifier::new_with_extra_roots(authorities, provider)
                .map_err(failed("the CA certificates of the system"))?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    };
    let mut config = match &options.identity {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => {
            let chain = certificates(chain, "the client certificate")?;
            let key = PrivateKeyDer::from_pem_slice(key.expose())
                .map_err(failed("the key of the client certificate"))?;
            builder.with_client_auth_cert(chain, key).map_err(failed("the client certificate"))?
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn certificates(pem: &[u8], what: &'static str) -> Result<Vec<CertificateDer<'static>>> {
    let list: Vec<_> =
        CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(failed(what))?;
    if list.is_empty() && !pem.is_empty() {
        return Err(failed(what)("there is no certificate in the text"));
    }
    Ok(list)
}

fn failed<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    context: &'static str,
) -> impl FnOnce(E) -> Error {
    move |error| Error::Tls { context, source: error.into() }
}

/// Accepts any certificate. Signatures are not checked either: whoever may present any certificate may present one of
/// their own, and the certificates of old BMCs are beyond what rustls can parse.
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

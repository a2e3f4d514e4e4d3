//! What is in a certificate, in the words of the `Certificate` resource.

use jiff::Timestamp;
use redfish_model::certificate::KeyUsage;
use rustls::pki_types::CertificateDer;
use sha2::{Digest, Sha256};
use x509_parser::extensions::{ExtendedKeyUsage, GeneralName};
use x509_parser::oid_registry::{Oid, OidRegistry};
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

use super::Error;

/// The facts of one certificate; what it does not state is absent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CertificateDetails {
    /// `CertificateString`: the certificate in PEM, without its chain.
    pub pem: String,
    /// `Issuer`: who signed it.
    pub issuer: DistinguishedName,
    /// `Subject`: whom it is for.
    pub subject: DistinguishedName,
    /// `Subject.AlternativeNames`: host names and addresses.
    pub alternative_names: Vec<String>,
    /// `ValidNotBefore`.
    pub not_before: Timestamp,
    /// `ValidNotAfter`.
    pub not_after: Timestamp,
    /// `KeyUsage`: what the key may be used for, by key usage and extended key usage.
    pub key_usage: Vec<KeyUsage>,
    /// `SerialNumber`: octets in hexadecimal, colons between.
    pub serial_number: String,
    /// `Fingerprint`, by SHA-256.
    pub fingerprint: String,
    /// `SignatureAlgorithm`, by its registered name.
    pub signature_algorithm: Option<String>,
}

impl CertificateDetails {
    /// `FingerprintHashAlgorithm` of [`CertificateDetails::fingerprint`].
    pub const FINGERPRINT_HASH_ALGORITHM: &'static str = "TPM_ALG_SHA256";

    /// Reads a certificate.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn of(der: &CertificateDer<'_>) -> Result<Self, Error> {
        let malformed = |error: String| Error::Malformed(error);
        let (_, certificate) =
            X509Certificate::from_der(der).map_err(|error| malformed(error.to_string()))?;
        let time = |time: x509_parser::time::ASN1Time| {
            Timestamp::from_second(time.timestamp()).map_err(|error| malformed(error.to_string()))
        };
        let names = certificate.subject_alternative_name().ok().flatten();
        let names = names.iter().flat_map(|names| &names.value.general_names);
        Ok(Self {
            pem: pem(der),
            issuer: DistinguishedName::of(certificate.issuer()),
            subject: DistinguishedName::of(certificate.subject()),
            alternative_names: names.filter_map(general_name).collect(),
            not_before: time(certificate.validity().not_before)?,
            not_after: time(certificate.validity().not_after)?,
            key_usage: key_usage(&certificate),
            serial_number: octets(certificate.raw_serial()),
            fingerprint: octets(&Sha256::digest(der)),
            signature_algorithm: algorithm(&certificate.signature_algorithm.algorithm),
        })
    }
}

/// A name by X.501, as `Identifier` shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DistinguishedName {
    /// `CommonName`.
    pub common_name: Option<String>,
    /// `Organization`.
    pub organization: Option<String>,
    /// `OrganizationalUnit`.
    pub organizational_unit: Option<String>,
    /// `City`.
    pub city: Option<String>,
    /// `State`.
    pub state: Option<String>,
    /// `Country`.
    pub country: Option<String>,
    /// `Email`.
    pub email: Option<String>,
    /// `DisplayString`: the whole of it, on one line.
    pub display: Option<String>,
}

impl DistinguishedName {
    fn of(name: &X509Name<'_>) -> Self {
        fn first<'a>(
            mut of: impl Iterator<Item = &'a AttributeTypeAndValue<'a>>,
        ) -> Option<String> {
            known(of.next()?.as_str().ok()?)
        }
        Self {
            common_name: first(name.iter_common_name()),
            organization: first(name.iter_organization()),
            organizational_unit: first(name.iter_organizational_unit()),
            city: first(name.iter_locality()),
            state: first(name.iter_state_or_province()),
            country: first(name.iter_country()),
            email: first(name.iter_email()),
            display: known(&name.to_string()),
        }
    }
}

/// Text that somebody put into a certificate: bounded and harmless, or absent.
fn known(text: &str) -> Option<String> {
    redfish_backend::Label::known(text).map(|text| text.as_str().to_owned())
}

fn general_name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) | GeneralName::RFC822Name(name) | GeneralName::URI(name) => {
            known(name)
        }
        GeneralName::IPAddress(octets) => match <[u8; 4]>::try_from(*octets) {
            Ok(v4) => Some(std::net::Ipv4Addr::from(v4).to_string()),
            Err(_) => {
                let v6 = <[u8; 16]>::try_from(*octets).ok()?;
                Some(std::net::Ipv6Addr::from(v6).to_string())
            }
        },
        _ => None,
    }
}

fn key_usage(certificate: &X509Certificate<'_>) -> Vec<KeyUsage> {
    let mut usage = Vec::new();
    if let Some(key) = certificate.key_usage().ok().flatten() {
        let key = key.value;
        let stated = [
            (key.digital_signature(), KeyUsage::DigitalSignature),
            (key.non_repudiation(), KeyUsage::NonRepudiation),
            (key.key_encipherment(), KeyUsage::KeyEncipherment),
            (key.data_encipherment(), KeyUsage::DataEncipherment),
            (key.key_agreement(), KeyUsage::KeyAgreement),
            (key.key_cert_sign(), KeyUsage::KeyCertSign),
            (key.crl_sign(), KeyUsage::CRLSigning),
            (key.encipher_only(), KeyUsage::EncipherOnly),
            (key.decipher_only(), KeyUsage::DecipherOnly),
        ];
        usage.extend(stated.into_iter().filter(|(stated, _)| *stated).map(|(_, usage)| usage));
    }
    if let Some(extended) = certificate.extended_key_usage().ok().flatten() {
        let ExtendedKeyUsage {
            server_auth,
            client_auth,
            code_signing,
            email_protection,
            time_stamping,
            ocsp_signing,
            ..
        } = *extended.value;
        let stated = [
            (server_auth, KeyUsage::ServerAuthentication),
            (client_auth, KeyUsage::ClientAuthentication),
            (code_signing, KeyUsage::CodeSigning),
            (email_protection, KeyUsage::EmailProtection),
            (time_stamping, KeyUsage::Timestamping),
            (ocsp_signing, KeyUsage::OCSPSigning),
        ];
        usage.extend(stated.into_iter().filter(|(stated, _)| *stated).map(|(_, usage)| usage));
    }
    usage
}

/// The registered name of an algorithm; one that we do not know, by its number.
fn algorithm(oid: &Oid<'_>) -> Option<String> {
    let registry = OidRegistry::default().with_crypto();
    let name = registry.get(oid).map(|entry| entry.sn().to_owned());
    name.or_else(|| known(&oid.to_id_string()))
}

fn octets(bytes: &[u8]) -> String {
    let octets: Vec<_> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    octets.join(":")
}

/// RFC 7468.
fn pem(der: &[u8]) -> String {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        pem.push_str(line);
        pem.push('\n');
        rest = after;
    }
    pem.push_str("-----END CERTIFICATE-----\n");
    pem
}

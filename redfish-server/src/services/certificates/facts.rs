//! What a certificate says, read once from its bytes.

use std::fmt::Write as _;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use redfish_model::Field;
use redfish_model::certificate::{Identifier, KeyUsage};
use sha2::{Digest as _, Sha256};
use x509_parser::asn1_rs::Oid;
use x509_parser::extensions::GeneralName;
use x509_parser::objects::{oid_registry, oid2sn};
use x509_parser::prelude::{AttributeTypeAndValue, X509Certificate, X509Name};

/// What a certificate says.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CertificateFacts {
    /// Whom it is about.
    pub subject: Name,
    /// Further names of the subject, host names and addresses.
    pub alternative_names: Vec<String>,
    /// Who says so.
    pub issuer: Name,
    /// From when on it is valid, in seconds since 1970-01-01T00:00:00Z.
    pub not_before: i64,
    /// Until when.
    pub not_after: i64,
    /// What the key may be used for.
    pub key_usage: Vec<KeyUsage>,
    /// The serial number as pairs of digits.
    pub serial: String,
    /// The SHA-256 of the certificate as pairs of digits.
    pub fingerprint: String,
    /// How it is signed: `ecdsa-with-SHA256`.
    pub signature_algorithm: String,
    /// The certificate itself, without its key.
    pub pem: String,
}

/// A distinguished name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Name {
    /// `CN`.
    pub common_name: Option<String>,
    /// `O`.
    pub organization: Option<String>,
    /// `OU`.
    pub organizational_unit: Option<String>,
    /// `L`.
    pub city: Option<String>,
    /// `ST`.
    pub state: Option<String>,
    /// `C`.
    pub country: Option<String>,
    /// `emailAddress`.
    pub email: Option<String>,
}

/// The bytes are no certificate.
#[derive(Debug, thiserror::Error)]
#[error("No X.509 certificate: {0}")]
pub struct Unreadable(String);

impl CertificateFacts {
    /// Reads a certificate in DER.
    ///
    /// # Errors
    /// The bytes are no X.509 certificate, or more than one.
    pub fn from_der(der: &[u8]) -> Result<Self, Unreadable> {
        let (rest, certificate) =
            x509_parser::parse_x509_certificate(der).map_err(|e| Unreadable(e.to_string()))?;
        if !rest.is_empty() {
            return Err(Unreadable("something follows the certificate".to_owned()));
        }
        let algorithm = &certificate.signature_algorithm.algorithm;
        let validity = certificate.validity();
        Ok(Self {
            subject: Name::read(certificate.subject()),
            alternative_names: alternative_names(&certificate),
            issuer: Name::read(certificate.issuer()),
            not_before: validity.not_before.timestamp(),
            not_after: validity.not_after.timestamp(),
            key_usage: key_usage(&certificate),
            serial: pairs(certificate.raw_serial()),
            fingerprint: pairs(&Sha256::digest(der)),
            signature_algorithm: algorithm_name(algorithm),
            pem: pem(der),
        })
    }
}

impl Name {
    fn read(name: &X509Name<'_>) -> Self {
        fn first<'a>(
            mut values: impl Iterator<Item = &'a AttributeTypeAndValue<'a>>,
        ) -> Option<String> {
            let text = values.next()?.as_str().ok()?;
            (!text.is_empty()).then(|| text.to_owned())
        }
        Self {
            common_name: first(name.iter_common_name()),
            organization: first(name.iter_organization()),
            organizational_unit: first(name.iter_organizational_unit()),
            city: first(name.iter_locality()),
            state: first(name.iter_state_or_province()),
            country: first(name.iter_country()),
            email: first(name.iter_email()),
        }
    }

    pub(super) fn identifier(&self) -> Identifier {
        let text = |text: &Option<String>| Field::from(text.clone());
        Identifier {
            common_name: text(&self.common_name),
            organization: text(&self.organization),
            organizational_unit: text(&self.organizational_unit),
            city: text(&self.city),
            state: text(&self.state),
            country: text(&self.country),
            email: text(&self.email),
            ..Identifier::default()
        }
    }
}

fn alternative_names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(extension)) = certificate.subject_alternative_name() else { return Vec::new() };
    let name = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(text) | GeneralName::RFC822Name(text) | GeneralName::URI(text) => {
            Some((*text).to_owned())
        }
        GeneralName::IPAddress(bytes) => {
            let v4 = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
            let v6 = <[u8; 16]>::try_from(*bytes).map(IpAddr::from);
            v4.or(v6).ok().map(|address| address.to_string())
        }
        _ => None,
    };
    extension.value.general_names.iter().filter_map(name).collect()
}

fn key_usage(certificate: &X509Certificate<'_>) -> Vec<KeyUsage> {
    let mut found = Vec::new();
    if let Ok(Some(extension)) = certificate.key_usage() {
        let usage = extension.value;
        found.extend([
            (usage.digital_signature(), KeyUsage::DigitalSignature),
            (usage.non_repudiation(), KeyUsage::NonRepudiation),
            (usage.key_encipherment(), KeyUsage::KeyEncipherment),
            (usage.data_encipherment(), KeyUsage::DataEncipherment),
            (usage.key_agreement(), KeyUsage::KeyAgreement),
            (usage.key_cert_sign(), KeyUsage::KeyCertSign),
            (usage.crl_sign(), KeyUsage::CRLSigning),
            (usage.encipher_only(), KeyUsage::EncipherOnly),
            (usage.decipher_only(), KeyUsage::DecipherOnly),
        ]);
    }
    if let Ok(Some(extension)) = certificate.extended_key_usage() {
        let usage = extension.value;
        found.extend([
            (usage.server_auth, KeyUsage::ServerAuthentication),
            (usage.client_auth, KeyUsage::ClientAuthentication),
            (usage.code_signing, KeyUsage::CodeSigning),
            (usage.email_protection, KeyUsage::EmailProtection),
            (usage.time_stamping, KeyUsage::Timestamping),
            (usage.ocsp_signing, KeyUsage::OCSPSigning),
        ]);
    }
    found.into_iter().filter(|(set, _)| *set).map(|(_, usage)| usage).collect()
}

/// The usual name of an algorithm; its number where it has none.
fn algorithm_name(algorithm: &Oid<'_>) -> String {
    oid2sn(algorithm, oid_registry()).map_or_else(|_| algorithm.to_id_string(), str::to_owned)
}

/// `0A:FF`.
fn pairs(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (index, byte) in bytes.iter().enumerate() {
        let colon = if index == 0 { "" } else { ":" };
        _ = write!(text, "{colon}{byte:02X}");
    }
    text
}

/// RFC 7468: lines of 64 characters between the marks.
fn pem(der: &[u8]) -> String {
    let mut text = String::from("-----BEGIN CERTIFICATE-----\n");
    for (index, character) in STANDARD.encode(der).chars().enumerate() {
        if index > 0 && index % 64 == 0 {
            text.push('\n');
        }
        text.push(character);
    }
    text.push_str("\n-----END CERTIFICATE-----\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_pairs() {
        let check = |bytes: &[u8], expect: &str| assert_eq!(pairs(bytes), expect);
        check(&[], "");
        check(&[10], "0A");
        check(&[0, 255, 16], "00:FF:10");
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        for bytes in [&b""[..], b"x", &[0x30, 0x82, 0xFF, 0xFF], &[0; 4096]] {
            assert!(CertificateFacts::from_der(bytes).is_err(), "{bytes:?}");
        }
    }
}

//! Certificates and keys from PEM, as files and as text.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::{Error, provider};

/// A certificate with its chain from one file, its key from another; both may be the same file.
///
/// Who may read the key is the operator's business here: mounted Secrets are readable to all in their
/// container.
///
/// # Errors
/// [`Error`], with the file at fault.
pub fn read(certificate: &Path, key: &Path) -> Result<CertifiedKey, Error> {
    let text = |path: &Path| fs::read(path).map_err(|source| Error::file(path, source));
    let (chain, secret) = (text(certificate)?, text(key)?);
    load(&chain, &secret, &certificate.display().to_string(), &key.display().to_string())
}

/// The same from text, as `ReplaceCertificate` and the store have it. `origin` names it in errors.
///
/// # Errors
/// [`Error`].
pub fn from_pem(chain: &str, key: &str, origin: &str) -> Result<CertifiedKey, Error> {
    load(chain.as_bytes(), key.as_bytes(), origin, origin)
}

fn load(chain: &[u8], key: &[u8], origin: &str, key_origin: &str) -> Result<CertifiedKey, Error> {
    let chain = CertificateDer::pem_slice_iter(chain)
        .collect::<Result<Vec<_>, _>>()
        .ok()
        .filter(|chain| !chain.is_empty())
        .ok_or_else(|| Error::NoCertificate { origin: origin.to_owned() })?;
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|_| Error::NoKey { origin: key_origin.to_owned() })?;
    let unusable = |source| Error::Unusable { origin: origin.to_owned(), source };
    // This compares the two, so that a certificate renewed before its key is not taken over.
    CertifiedKey::from_der(chain, key, &provider()).map_err(unusable)
}

/// Writes a file of ours that only we may read: whole or not at all, however the process ends.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let beside = path.with_extension("new");
    let write = || {
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|source| Error::file(path, source))
}

/// Refuses a private file of ours that group or others may touch.
pub(super) fn check_private(path: &Path) -> Result<(), Error> {
    let data = fs::metadata(path).map_err(|source| Error::file(path, source))?;
    match data.permissions().mode() & 0o777 {
        mode if mode & 0o077 == 0 => Ok(()),
        mode => Err(Error::Exposed { path: path.to_owned(), mode }),
    }
}

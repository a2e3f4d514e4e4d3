//! A certificate of our own making, for who has none.
//!
//! Clients that check certificates compare the address that they dialled with the alternative names, so
//! all of these have to be in it; and operators who trusted it once expect it to stay. So it is kept, and
//! made again only when a name is missing, its end is near, or it can't be read.
//!
//! It states no key usage: OpenSSL before 3.0 takes a certificate that is its own issuer for a trust anchor only
//! when it may sign certificates or says nothing of the matter, and this one is no authority.

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::{Timestamp, ToSpan, tz::TimeZone};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::sign::CertifiedKey;

use super::file::{check_private, write_private};
use super::{CertificateDetails, Error, from_pem};

/// How long one is valid: the longest that all clients accept.
const DAYS: i64 = 825;
/// With fewer days left it is made again.
const DAYS_LEFT: i64 = 30;

/// The file of the certificate below the state folder: also what clients are to trust.
pub fn certificate_file(folder: &Path) -> PathBuf {
    folder.join("certificate.pem")
}

/// The file of its key.
pub fn key_file(folder: &Path) -> PathBuf {
    folder.join("certificate.key")
}

/// The names that clients may dial: those configured, the machine's own, the addresses of the listeners, and
/// loopback.
///
/// A listener on all addresses stands for those from which this machine reaches others.
pub fn names(listeners: &[SocketAddr], hosts: &[String]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = hosts
        .iter()
        .chain(&machine_name())
        .map(|host| host.trim_end_matches('.').to_ascii_lowercase())
        .filter(|host| is_host(host))
        .collect();
    names.insert("localhost".to_owned());
    let mut addresses =
        BTreeSet::from([IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()]);
    for listener in listeners {
        match listener.ip() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => addresses.extend(own_address("192.0.2.1:9")),
            // It answers IPv4 as well.
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => {
                addresses.extend(own_address("192.0.2.1:9"));
                addresses.extend(own_address("[2001:db8::1]:9"));
            }
            address => {
                addresses.insert(address);
            }
        }
    }
    names.extend(addresses.iter().map(IpAddr::to_string));
    names
}

/// The one in the folder if it still does, else a new one, which is kept there. The folder exists and
/// is ours alone.
///
/// # Errors
/// [`Error`] when there is none and none can be made or kept, or when others can read its key.
pub fn ensure(
    folder: &Path,
    names: &BTreeSet<String>,
    now: Timestamp,
) -> Result<Arc<CertifiedKey>, Error> {
    let (certificate, key) = (certificate_file(folder), key_file(folder));
    if key.exists() {
        check_private(&key)?;
        match kept(&certificate, &key, names, now) {
            Ok(kept) => return Ok(Arc::new(kept)),
            Err(reason) => tracing::warn!(%reason, "The self-signed certificate is made again"),
        }
    }
    let (chain, secret) = make(names, now)?;
    // The key first: a crash in between leaves two that do not match, and the next start makes new ones.
    write_private(&key, secret.as_bytes())?;
    write_private(&certificate, chain.as_bytes())?;
    from_pem(&chain, &secret, &certificate.display().to_string()).map(Arc::new)
}

/// The kept one, or why it does not do.
fn kept(
    certificate: &Path,
    key: &Path,
    names: &BTreeSet<String>,
    now: Timestamp,
) -> Result<CertifiedKey, String> {
    let text = |path: &Path| fs::read_to_string(path).map_err(|error| error.to_string());
    let certified =
        from_pem(&text(certificate)?, &text(key)?, "kept").map_err(|error| error.to_string())?;
    let leaf = certified.cert.first().ok_or("there is none")?;
    let details = CertificateDetails::of(leaf).map_err(|error| error.to_string())?;
    if let Some(name) = names.iter().find(|name| !details.alternative_names.contains(*name)) {
        return Err(format!("it lacks the name {name}"));
    }
    let left = details.not_after.duration_since(now).as_secs() / 86_400;
    if left < DAYS_LEFT {
        return Err(format!("it ends at {}", details.not_after));
    }
    if now < details.not_before {
        return Err(format!("it begins at {} only", details.not_before));
    }
    Ok(certified)
}

/// A new one and its key, as PEM.
fn make(names: &BTreeSet<String>, now: Timestamp) -> Result<(String, String), Error> {
    let mut params = CertificateParams::new(names.iter().cloned().collect::<Vec<_>>())?;
    let today = TimeZone::UTC.to_datetime(now).date();
    // Clocks differ, those of machines that just booted a lot.
    let (from, until) = (today.saturating_sub(1.day()), today.saturating_add(DAYS.days()));
    let [from, until] = [from, until].map(|date| {
        // Months and days are never negative.
        let [month, day] = [date.month(), date.day()].map(i8::unsigned_abs);
        rcgen::date_time_ymd(date.year().into(), month, day)
    });
    (params.not_before, params.not_after) = (from, until);
    params.is_ca = IsCa::ExplicitNoCa;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let common_name = names.iter().find(|name| name.parse::<IpAddr>().is_err());
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "VirtualBMC");
    // Its upper bound in X.520; the alternative names have it whole.
    let common_name = common_name.filter(|name| name.len() <= 64);
    params.distinguished_name.push(DnType::CommonName, common_name.map_or("localhost", |n| n));
    let key = KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?;
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

/// The name of this machine, where the system tells.
/// The machine's own name, where it is known.
pub fn machine_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned())
}

/// The address from which a destination would be reached. Nothing is sent.
fn own_address(towards: &str) -> Option<IpAddr> {
    let towards: SocketAddr = towards.parse().ok()?;
    let any: IpAddr = match towards {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(towards).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_unspecified())
}

/// Whether a text can be an alternative name: an address, or labels, of which the first may be a star.
fn is_host(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let labels = text.strip_prefix("*.").unwrap_or(text);
    text.parse::<IpAddr>().is_ok() || (text.len() <= 253 && labels.split('.').all(label))
}

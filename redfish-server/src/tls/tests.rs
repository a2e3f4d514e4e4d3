//! What is made is what clients accept, stays while it does, and is told truthfully.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use jiff::{Timestamp, ToSpan};
use redfish_model::certificate::KeyUsage;

use super::*;

fn now() -> Timestamp {
    "2026-05-04T12:00:00Z".parse().unwrap()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_made_certificate_tells_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let names = set(&["127.0.0.1", "::1", "localhost", "bmc.example.com"]);
    let made = self_signed::ensure(folder.path(), &names, now()).unwrap();
    let details = CertificateDetails::of(&made.cert[0]).unwrap();
    assert_eq!(details.alternative_names.iter().cloned().collect::<BTreeSet<_>>(), names);
    assert_eq!(details.issuer, details.subject);
    assert_eq!(details.subject.common_name.as_deref(), Some("bmc.example.com"));
    assert_eq!(details.subject.country, None);
    assert_eq!(details.key_usage, [KeyUsage::ServerAuthentication]);
    assert_eq!(details.signature_algorithm.as_deref(), Some("ecdsa-with-SHA256"));
    assert_eq!(details.not_before.to_string(), "2026-05-03T00:00:00Z");
    assert_eq!(details.not_after.to_string(), "2028-08-06T00:00:00Z");
    assert_eq!(details.fingerprint.len(), 32 * 3 - 1);
    assert!(details.serial_number.split(':').all(|octet| octet.len() == 2), "{details:?}");
    let on_disk = fs::read_to_string(self_signed::certificate_file(folder.path())).unwrap();
    assert_eq!(details.pem, on_disk.replace("\r\n", "\n"));
}

#[test]
fn it_is_kept_while_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let ensure = |names: &[&str], days: i64| {
        let later = now() + (days * 24).hours();
        let made = self_signed::ensure(folder.path(), &set(names), later).unwrap();
        CertificateDetails::of(&made.cert[0]).unwrap().fingerprint
    };
    let first = ensure(&["a.example.com", "10.0.0.1"], 0);
    assert_eq!(ensure(&["a.example.com"], 0), first, "fewer names");
    assert_eq!(ensure(&["a.example.com"], 790), first, "35 days left");
    let second = ensure(&["a.example.com", "10.0.0.2"], 0);
    assert_ne!(second, first, "a name is missing");
    let third = ensure(&["a.example.com"], 800);
    assert_ne!(third, second, "25 days left");
    let fourth = ensure(&["a.example.com"], 0);
    assert_ne!(fourth, third, "it begins in the future");
    fs::write(self_signed::certificate_file(folder.path()), "damaged").unwrap();
    assert_ne!(ensure(&["a.example.com"], 0), fourth, "damaged");
}

#[test]
fn the_key_is_ours_alone() {
    let folder = tempfile::tempdir().unwrap();
    let key = self_signed::key_file(folder.path());
    self_signed::ensure(folder.path(), &set(&["localhost"]), now()).unwrap();
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let error = self_signed::ensure(folder.path(), &set(&["localhost"]), now()).unwrap_err();
    assert!(matches!(error, Error::Exposed { mode: 0o640, .. }), "{error}");
}

#[test]
fn names_that_clients_may_dial() {
    let check = |listeners: &[&str], hosts: &[&str], has: &[&str], lacks: &[&str]| {
        let listeners: Vec<_> = listeners.iter().map(|l| l.parse().unwrap()).collect();
        let hosts: Vec<_> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let names = self_signed::names(&listeners, &hosts);
        assert!(has.iter().all(|name| names.contains(*name)), "{has:?} {names:?}");
        assert!(!lacks.iter().any(|name| names.contains(*name)), "{lacks:?} {names:?}");
    };
    check(&[], &[], &["127.0.0.1", "::1", "localhost"], &[]);
    check(&["192.0.2.7:443"], &["BMC.example.com."], &["192.0.2.7", "bmc.example.com"], &[]);
    check(&["[2001:db8::7]:443"], &["*.example.com"], &["2001:db8::7", "*.example.com"], &[]);
    check(&["0.0.0.0:443", "[::]:443"], &[], &["127.0.0.1"], &["0.0.0.0", "::"]);
    check(&[], &["two words", "", "a..b", "a*.b"], &[], &["two words", "", "a..b", "a*.b"]);
}

#[test]
fn files_that_do_not_do() {
    let folder = tempfile::tempdir().unwrap();
    let pair = |name: &str| {
        let folder = folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        self_signed::ensure(&folder, &set(&["localhost"]), now()).unwrap();
        (self_signed::certificate_file(&folder), self_signed::key_file(&folder))
    };
    let (a, b) = (pair("a"), pair("b"));
    let empty = folder.path().join("empty");
    fs::write(&empty, "nothing here").unwrap();
    let missing = folder.path().join("missing");
    let check = |certificate: &Path, key: &Path, expect: &str| {
        let error = read(certificate, key).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(expect)), "{error:?} {expect}");
    };
    assert!(read(&a.0, &a.1).is_ok());
    check(&a.0, &b.1, "certificate.pem");
    check(&empty, &a.1, "empty: There is no certificate");
    check(&a.0, &empty, "empty: There is no private key");
    check(&a.0, &missing, "missing: ");
    check(&a.0, &a.0, "There is no private key");
}

#[test]
fn names_choose_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let folder = folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        self_signed::ensure(&folder, &set(&[name]), now()).unwrap()
    };
    let [default, exact, wild, other] = ["default", "exact", "wild", "other"].map(make);
    let certificates = Certificates::with_hosts(
        default.clone(),
        [("A.example.com".to_owned(), exact.clone()), ("*.example.com".to_owned(), wild.clone())],
    );
    let check = |name: Option<&str>, expect: &Arc<rustls::sign::CertifiedKey>| {
        assert!(Arc::ptr_eq(&certificates.for_name(name), expect), "{name:?}");
    };
    check(None, &default);
    check(Some("a.example.com"), &exact);
    check(Some("A.EXAMPLE.com."), &exact);
    check(Some("b.example.com"), &wild);
    check(Some("c.b.example.com"), &default);
    check(Some("example.com"), &default);
    check(Some(".example.com"), &default);
    check(Some("elsewhere.org"), &default);
    certificates.replace(other.clone(), []);
    check(Some("a.example.com"), &other);
}

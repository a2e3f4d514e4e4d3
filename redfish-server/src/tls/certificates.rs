//! Which certificate a client gets to see.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// The certificates of a listener: one for each host that has its own, and one for everybody else, those
/// who ask for no name (RFC 6066 has none for addresses) included.
///
/// They can be replaced while connections come in; those that are open keep what they started with.
#[derive(Debug)]
pub struct Certificates(RwLock<Table>);

#[derive(Clone, Debug)]
struct Table {
    default: Arc<CertifiedKey>,
    /// By name in lower case; of a wildcard, what follows the star: `.example.com`.
    hosts: HashMap<Box<str>, Arc<CertifiedKey>>,
}

impl Certificates {
    /// One certificate for all.
    pub fn new(default: Arc<CertifiedKey>) -> Self {
        Self::with_hosts(default, std::iter::empty())
    }

    /// One for each host (`a.example.com`, or `*.example.com` for all names one label longer), and one for
    /// everybody else.
    pub fn with_hosts(
        default: Arc<CertifiedKey>,
        hosts: impl IntoIterator<Item = (String, Arc<CertifiedKey>)>,
    ) -> Self {
        Self(RwLock::new(Table::new(default, hosts)))
    }

    /// From the next connection on, these.
    pub fn replace(
        &self,
        default: Arc<CertifiedKey>,
        hosts: impl IntoIterator<Item = (String, Arc<CertifiedKey>)>,
    ) {
        let table = Table::new(default, hosts);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = table;
    }

    /// The certificate for those who ask for no name, or one that has none of its own.
    pub fn default_certificate(&self) -> Arc<CertifiedKey> {
        self.for_name(None)
    }

    /// The certificate for a name.
    pub fn for_name(&self, name: Option<&str>) -> Arc<CertifiedKey> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).choose(name).clone()
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.for_name(hello.server_name()))
    }
}

impl Table {
    fn new(
        default: Arc<CertifiedKey>,
        hosts: impl IntoIterator<Item = (String, Arc<CertifiedKey>)>,
    ) -> Self {
        let key = |host: String| {
            let host = host.trim_end_matches('.').to_ascii_lowercase();
            host.strip_prefix('*').map_or(host.as_str(), |rest| rest).into()
        };
        Self { default, hosts: hosts.into_iter().map(|(host, cert)| (key(host), cert)).collect() }
    }

    fn choose(&self, name: Option<&str>) -> &Arc<CertifiedKey> {
        // Most services have one certificate: nothing to look up.
        let Some(name) = name.filter(|_| !self.hosts.is_empty()) else { return &self.default };
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let exact = self.hosts.get(name.as_str()).filter(|_| !name.starts_with('.'));
        let wildcard = || {
            let (label, _) = name.split_once('.').filter(|(label, _)| !label.is_empty())?;
            self.hosts.get(&name[label.len()..])
        };
        exact.or_else(wildcard).unwrap_or(&self.default)
    }
}

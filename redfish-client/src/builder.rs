//! How a client is made.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redfish_model::Secret;
use reqwest::Url;

use crate::auth::Auth;
use crate::hooks::Inner;
use crate::retry::RetryPolicy;
use crate::transport::Shared;
use crate::{Client, Error, Result, tls};

const USER_AGENT: &str = concat!("redfish-client/", env!("CARGO_PKG_VERSION"));

/// What a [`Client`] is made of. Nothing is sent before [`login`](Self::login).
#[derive(Clone)]
#[must_use]
pub struct Builder {
    url: String,
    credentials: Option<(String, Secret<String>)>,
    tls: tls::Options,
    connect_timeout: Duration,
    timeout: Duration,
    user_agent: String,
    retry: RetryPolicy,
    body_limit: u64,
}

impl Builder {
    pub(crate) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            credentials: None,
            tls: tls::Options::default(),
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            user_agent: USER_AGENT.to_owned(),
            retry: RetryPolicy::default(),
            body_limit: 64 << 20,
        }
    }

    /// Sends user and password with every request (HTTP Basic). A service checks the password each time, which may be
    /// slow on purpose: for more than a few requests, [`login`](Self::login) is better.
    pub fn basic(mut self, user: impl Into<String>, password: impl Into<Secret<String>>) -> Self {
        self.credentials = Some((user.into(), password.into()));
        self
    }

    /// Trusts these CA certificates (PEM) besides those of the system.
    pub fn ca_pem(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.tls.ca.extend_from_slice(pem.as_ref());
        self.tls.ca.push(b'\n');
        self
    }

    /// Trusts the certificates of [`ca_pem`](Self::ca_pem) alone, and not those of the system.
    pub fn only_ca_pem(mut self) -> Self {
        self.tls.only_ca = true;
        self
    }

    /// Shows a client certificate: its chain and its private key, both in PEM.
    pub fn client_certificate_pem(
        mut self,
        chain: impl AsRef<[u8]>,
        key: impl AsRef<[u8]>,
    ) -> Self {
        self.tls.identity = Some((chain.as_ref().to_vec(), key.as_ref().to_vec().into()));
        self
    }

    /// Accepts any certificate, of any host, even an expired one: whoever sits between client and service can read and
    /// change everything, passwords included.
    pub fn danger_accept_invalid_certs(mut self) -> Self {
        self.tls.accept_invalid = true;
        self
    }

    /// How long making a connection may take; 10 seconds when not set.
    pub const fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long one attempt of a request may take, with its answer; 60 seconds when not set.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What the client calls itself.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// How requests are repeated; [`RetryPolicy::default`] when not set.
    pub const fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How many bytes an answer may have; 64 MiB when not set.
    pub const fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// A client with the credentials of [`basic`](Self::basic), or without any.
    ///
    /// # Errors
    /// The address, the credentials or the TLS options are not usable.
    pub fn build(self) -> Result<Client> {
        let auth = match &self.credentials {
            None => Auth::Nobody,
            Some((user, password)) => Auth::basic(user, password)?,
        };
        self.build_with(auth)
    }

    /// A client with a session, which it makes now and, when it ends unasked, again. [`Client::logout`] ends it; a
    /// client that is only dropped leaves it to the service's time-out.
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and [`Error::Login`].
    pub async fn login(
        self,
        user: impl Into<String>,
        password: impl Into<Secret<String>>,
    ) -> Result<Client> {
        let client = self.build_with(Auth::session(user.into(), password.into()))?;
        client.shared().login(None).await?;
        Ok(client)
    }

    fn build_with(mut self, auth: Auth) -> Result<Client> {
        let base = base(&self.url)?;
        // No need for the certificates of the system where none is checked.
        self.tls.only_ca |= base.scheme() == "http";
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config(&self.tls)?)
            .connect_timeout(self.connect_timeout)
            .tcp_keepalive(Duration::from_secs(60))
            .tcp_nodelay(true)
            .user_agent(self.user_agent)
            // Followed by hand, since what may be followed depends on the method and the origin.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .build()
            .map_err(Error::transport)?;
        let address = base.as_str().trim_end_matches('/').to_owned();
        let shared = Shared {
            base,
            http: http.clone(),
            auth,
            timeout: self.timeout,
            retry: self.retry,
            body_limit: self.body_limit,
            expand: tokio::sync::OnceCell::new(),
        };
        let inner = Inner(Arc::new(shared));
        Ok(Client::new(crate::Api::new_with_client(&address, http, inner)))
    }
}

/// The address of a service is scheme, host and port: the protocol fixes all paths, and a user name in it would end up
/// in logs.
fn base(url: &str) -> Result<Url> {
    let no = |why: &str| Err(Error::BaseUrl(why.to_owned()));
    let Ok(base) = Url::parse(url) else { return no("it is no URL such as https://bmc.example") };
    if !matches!(base.scheme(), "http" | "https") {
        return no("the scheme is neither https nor http");
    }
    if !base.username().is_empty() || base.password().is_some() {
        return no("it contains credentials");
    }
    if base.path() != "/" || base.query().is_some() || base.fragment().is_some() {
        return no("there is something after host and port");
    }
    Ok(base)
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("url", &base(&self.url).map(String::from))
            .field("user", &self.credentials.as_ref().map(|(user, _)| user))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_scheme_host_and_port() {
        let check = |url: &str, good: bool| assert_eq!(base(url).is_ok(), good, "{url}");
        check("https://bmc.example", true);
        check("https://bmc.example/", true);
        check("http://127.0.0.1:8000", true);
        check("https://[fe80::1]:8443", true);
        check("bmc.example", false);
        check("", false);
        check("ftp://bmc.example", false);
        check("file:///etc", false);
        check("https://bmc.example/redfish/v1", false);
        check("https://bmc.example/?a", false);
        check("https://user:calvin@bmc.example", false);
    }

    #[test]
    fn credentials_must_fit_into_a_header() {
        let builder = || Client::builder("http://bmc.example");
        assert!(builder().basic("a:b", "c").build().is_err());
        assert!(builder().basic("ü", "\n\0").build().is_ok());
        assert!(builder().ca_pem("no certificate").build().is_err());
        assert!(builder().client_certificate_pem("", "").build().is_err());
    }
}

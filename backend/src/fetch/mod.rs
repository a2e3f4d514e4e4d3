//! Fetching an image for a caller, and nothing else for anybody.
//!
//! The one HTTP client of the machine seam. It connects to nothing that the [`OutboundPolicy`] has not let pass: names are
//! resolved here, the addresses are judged, and the connection goes to one of those and to no other, whatever a second
//! look at the name would say. Redirects are followed by hand, each judged anew; proxies of the environment are not
//! asked. Credentials go to the origin they were given for. Size and time are bounded.
//!
//! What went wrong is told as a [`FetchFailure`]: nothing of the answer's bytes, and no word about which address, port or
//! rule it was.

mod tls;

#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, LOCATION};
use reqwest::{Client, Response, StatusCode};
use sha2::Digest;

use crate::Error;
use crate::media::FetchFailure;
use crate::outbound::{Destination, ImageSource, OutboundPolicy, OutboundSettings, Sha256};
use crate::secret::Credentials;
use tls::Trust;

/// How long a name may take to be resolved, and a connection to be made.
const CONNECT: Duration = Duration::from_secs(30);
/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// What is told about each piece of an image: the piece, and how far it is with it. An error ends the fetch.
pub type Sink<'a> = dyn FnMut(&[u8], Received) -> Result<(), FetchFailure> + Send + 'a;

/// How much of an image is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Bytes so far.
    pub bytes: u64,
    /// Bytes in all, if the server said so.
    pub total: Option<u64>,
}

impl Received {
    /// The same in percent, if known.
    pub fn percent(self) -> Option<u8> {
        let total = self.total.filter(|total| *total > 0)?;
        let percent = u128::from(self.bytes.min(total)) * 100 / u128::from(total);
        u8::try_from(percent).ok()
    }
}

/// An image that was fetched to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// How many bytes it has.
    pub bytes: u64,
    /// What they hash to.
    pub sha256: Sha256,
}

/// Fetches images, by one policy.
#[derive(Debug)]
pub struct Fetcher {
    policy: OutboundPolicy,
    trust: Trust,
}

impl Default for Fetcher {
    /// The default policy, and the authorities of the system.
    fn default() -> Self {
        let policy = OutboundPolicy::new(OutboundSettings::default());
        Self { policy, trust: Trust::default() }
    }
}

impl Fetcher {
    /// Fetches by this policy, and trusts these authorities (certificates in PEM) besides those of the system.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the text holds anything but certificates.
    pub fn new(policy: OutboundPolicy, authorities: &[u8]) -> Result<Self, Error> {
        Ok(Self { policy, trust: Trust::new(authorities)? })
    }

    /// The policy.
    pub const fn policy(&self) -> &OutboundPolicy {
        &self.policy
    }

    /// Fetches an image. Dropping the future ends the connection.
    ///
    /// # Errors
    /// [`FetchFailure`], also the one that the sink returns.
    pub async fn fetch(
        &self,
        source: &ImageSource,
        sink: &mut Sink<'_>,
    ) -> Result<Fetched, FetchFailure> {
        let all = async {
            let response = self.follow(source).await?;
            self.receive(response, source.checksum(), sink).await
        };
        tokio::time::timeout(self.policy.settings().timeout, all)
            .await
            .unwrap_or(Err(FetchFailure::TooSlow))
    }

    /// The answer that has the image, at the end of all redirects.
    async fn follow(&self, source: &ImageSource) -> Result<Response, FetchFailure> {
        let mut to = source.destination().clone();
        for hops in 0.. {
            let credentials = source.credentials().filter(|_| to.same_origin(source.destination()));
            let response = self.ask(&to, source.verify_certificate(), credentials).await?;
            let location = match response.status() {
                StatusCode::OK => return Ok(response),
                StatusCode::UNAUTHORIZED => return Err(FetchFailure::Credentials),
                status if is_redirect(status) => response.headers().get(LOCATION),
                status => return Err(FetchFailure::Status(status.as_u16())),
            };
            let location = location.and_then(|location| location.to_str().ok());
            let location = location.ok_or(FetchFailure::Status(response.status().as_u16()))?;
            // A refusal must not tell more than a port that nobody answers at.
            let next = self.policy.redirect(&to, location, hops);
            to = next.map_err(|_| FetchFailure::Unreachable)?;
        }
        Err(FetchFailure::Unreachable)
    }

    /// The answer of one server.
    async fn ask(
        &self,
        to: &Destination,
        verify: bool,
        credentials: Option<&Credentials>,
    ) -> Result<Response, FetchFailure> {
        let addresses = Addresses(self.resolve(to).await?);
        // A client for each question: it has the addresses of that one only, and no connection is ever shared.
        let client = Client::builder()
            .tls_backend_preconfigured(self.trust.config(verify)?)
            .dns_resolver(addresses)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .http1_only()
            .referer(false)
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .build()
            .map_err(|_| FetchFailure::Unreachable)?;
        let mut request = client.get(to.url().as_str()).header(ACCEPT_ENCODING, "identity");
        if let Some(Credentials { user, password }) = credentials {
            request = request.basic_auth(user.expose(), Some(password.expose()));
        }
        request.send().await.map_err(|error| failure(&error))
    }

    /// The addresses of a host that may be connected to.
    async fn resolve(&self, to: &Destination) -> Result<Vec<SocketAddr>, FetchFailure> {
        let port = to.port();
        let found: Vec<_> = match to.address() {
            Some(address) => vec![SocketAddr::new(address, port)],
            None => {
                let looking = tokio::net::lookup_host((to.host(), port));
                match tokio::time::timeout(CONNECT, looking).await {
                    Ok(Ok(found)) => found.collect(),
                    _ => return Err(FetchFailure::Unreachable),
                }
            }
        };
        self.policy.connectable(to, found).map_err(|_| FetchFailure::Unreachable)
    }

    async fn receive(
        &self,
        mut response: Response,
        checksum: Option<Sha256>,
        sink: &mut Sink<'_>,
    ) -> Result<Fetched, FetchFailure> {
        let most = self.policy.settings().max_bytes;
        let total = response.content_length();
        if total.is_some_and(|total| total > most) {
            return Err(FetchFailure::TooLarge);
        }
        let mut hash = sha2::Sha256::new();
        let mut bytes = 0_u64;
        loop {
            let piece = match response.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(error) if error.is_timeout() => return Err(FetchFailure::TooSlow),
                Err(_) => return Err(FetchFailure::Incomplete),
            };
            bytes = bytes.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            if bytes > most {
                return Err(FetchFailure::TooLarge);
            }
            hash.update(&piece);
            sink(&piece, Received { bytes, total })?;
        }
        if total.is_some_and(|total| bytes < total) {
            return Err(FetchFailure::Incomplete);
        }
        let sha256 = Sha256(hash.finalize().into());
        if checksum.is_some_and(|wanted| wanted != sha256) {
            return Err(FetchFailure::Checksum);
        }
        Ok(Fetched { bytes, sha256 })
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// What a client may know of why there is no answer.
fn failure(error: &reqwest::Error) -> FetchFailure {
    if tls::is_certificate(error) {
        FetchFailure::Certificate
    } else if error.is_timeout() && !error.is_connect() {
        FetchFailure::TooSlow
    } else {
        // Closed, silent, no route, no TLS: all the same.
        FetchFailure::Unreachable
    }
}

/// A resolver that knows one answer, whatever the question.
struct Addresses(Vec<SocketAddr>);

impl Resolve for Addresses {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(async { Ok(addresses) })
    }
}

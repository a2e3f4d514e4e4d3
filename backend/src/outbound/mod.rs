//! Where the service may connect on behalf of a caller.
//!
//! A client names a URL and our process, or a helper of the hypervisor, fetches it from inside the operator's network:
//! the classic way to reach what the client itself can't. So there is one policy, nothing else makes an [`ImageSource`],
//! and it is asked three times: about the URL ([`OutboundPolicy::destination`]), about each address that the host
//! resolves to, right before connecting to that very address ([`OutboundPolicy::connectable`]), and about each redirect
//! ([`OutboundPolicy::redirect`]). Checking the name alone would be undone by a DNS server that answers differently the
//! second time.
//!
//! **Rules.** What matches `deny` is refused, always. What is *guarded* (loopback, link-local, metadata services,
//! multicast, unspecified, and what the operator adds, such as the ranges of a cluster) is refused unless an address
//! rule of `allow` covers it; a host rule of `allow` does not lift the guard of an address, since whoever owns the name
//! chooses the address. Everything else passes, or with `only_allowed` what `allow` covers. An address that carries
//! another one inside (IPv4-mapped, NAT64, 6to4, Teredo) passes when all of them do.
//!
//! Refusals read the same whatever the rule was: a client learns nothing of the network from them. The exact reason is
//! for the operator's log ([`Refusal`]).

mod ranges;
mod rule;
mod url;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use ipnet::Ipv6Net;

pub use rule::Rule;
pub use url::{Destination, ImageUrl, Scheme};

use crate::secret::Credentials;
use crate::{Error, text::Message};

/// What the operator configured: `[outbound]`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OutboundSettings {
    /// What passes although guarded, and all that passes with `only_allowed`.
    pub allow: Vec<Rule>,
    /// What never passes.
    pub deny: Vec<Rule>,
    /// What is guarded besides the built-in ranges: networks of the cluster, its service names.
    pub guard: Vec<Rule>,
    /// Whether everything that `allow` does not cover is refused.
    pub only_allowed: bool,
    /// Prefixes of 96 bits by which the network translates to IPv4, besides the well-known one.
    pub nat64: Vec<Ipv6Net>,
    /// Whether `http` passes, or `https` only.
    pub http: bool,
    /// How many redirects are followed.
    pub max_redirects: usize,
    /// How many bytes a fetch may bring.
    pub max_bytes: u64,
    /// How long a fetch may take in all.
    pub timeout: Duration,
}

impl Default for OutboundSettings {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            deny: Vec::new(),
            guard: Vec::new(),
            only_allowed: false,
            nat64: Vec::new(),
            http: true,
            max_redirects: 5,
            max_bytes: 64 << 30,
            timeout: Duration::from_secs(4 * 3600),
        }
    }
}

impl OutboundSettings {
    /// The same, with this host's own addresses allowed: for the mock, whose images tests serve themselves.
    #[must_use]
    pub fn with_loopback(mut self) -> Self {
        self.allow.extend(ranges::loopback());
        self
    }
}

/// The one policy about connections to elsewhere.
#[derive(Clone, Debug)]
pub struct OutboundPolicy {
    settings: OutboundSettings,
    guarded: Vec<Rule>,
}

impl OutboundPolicy {
    /// A policy by these settings.
    pub fn new(settings: OutboundSettings) -> Self {
        let guarded = ranges::guarded().chain(settings.guard.iter().cloned()).collect();
        Self { settings, guarded }
    }

    /// The settings, for who enforces the limits on size, time and redirects.
    pub const fn settings(&self) -> &OutboundSettings {
        &self.settings
    }

    /// Reads a URL and asks whether its scheme and host may be connected to. What a host name resolves to is asked
    /// later; an address in the URL is asked at once.
    ///
    /// # Errors
    /// [`Refusal`]; malformed URLs are one as well.
    pub fn destination(&self, url: &str) -> Result<Destination, Refusal> {
        let (destination, user) = Destination::parse(url)?;
        if user.is_some() {
            // Whoever wants credentials in the URL goes through `image`, which takes them out.
            return Err(Refusal::Malformed("User names and passwords do not belong in this URL"));
        }
        self.check(&destination)?;
        Ok(destination)
    }

    /// Of the addresses that a host resolved to, those that may be connected to. Connect to these addresses, and do
    /// not resolve again.
    ///
    /// # Errors
    /// [`Refusal`] when none is left.
    pub fn connectable(
        &self,
        destination: &Destination,
        resolved: impl IntoIterator<Item = SocketAddr>,
    ) -> Result<Vec<SocketAddr>, Refusal> {
        let mut refusal = Refusal::NoAddress;
        let mut passed = Vec::new();
        for address in resolved {
            match self.check_address(destination, address.ip()) {
                Ok(()) => passed.push(address),
                Err(found) => refusal = found,
            }
        }
        if passed.is_empty() { Err(refusal) } else { Ok(passed) }
    }

    /// Where a redirect leads, if it may be followed: `hops` counts those followed before.
    ///
    /// The new destination has to be resolved and asked about like the first. Credentials go with it only to the same
    /// origin ([`Destination::same_origin`]).
    ///
    /// # Errors
    /// [`Refusal`]: also when there were too many, when https leads to http, and for credentials in the new URL.
    pub fn redirect(
        &self,
        from: &Destination,
        location: &str,
        hops: usize,
    ) -> Result<Destination, Refusal> {
        if hops >= self.settings.max_redirects {
            return Err(Refusal::TooManyRedirects);
        }
        let (to, user) = from.join(location)?;
        if user.is_some() {
            return Err(Refusal::Malformed("A redirect must not carry a user name or password"));
        }
        if from.scheme() == Scheme::Https && to.scheme() == Scheme::Http {
            return Err(Refusal::Downgrade);
        }
        self.check(&to)?;
        Ok(to)
    }

    /// The source of an image, from what a client sent: `Image`, `UserName` and `Password` of InsertMedia, or the
    /// user name and password in the URL.
    ///
    /// # Errors
    /// [`Refusal`], and when credentials are given in both ways.
    pub fn image(&self, url: &str, options: ImageOptions) -> Result<ImageSource, Refusal> {
        let (destination, user) = Destination::parse(url)?;
        let credentials = match (user, options.credentials) {
            (Some(_), Some(_)) => {
                return Err(Refusal::Malformed(
                    "Credentials are given in the URL and beside it; give one of them",
                ));
            }
            (user, given) => given.or(user),
        };
        self.check(&destination)?;
        let ImageOptions { verify_certificate, write_protected, checksum, .. } = options;
        Ok(ImageSource { destination, credentials, verify_certificate, write_protected, checksum })
    }

    /// Scheme, host, and the address where the host is one.
    fn check(&self, destination: &Destination) -> Result<(), Refusal> {
        if destination.scheme() == Scheme::Http && !self.settings.http {
            return Err(Refusal::Scheme);
        }
        if let Some(address) = destination.address() {
            return self.check_address(destination, address);
        }
        let host = destination.host();
        let matches = |rules: &[Rule]| rules.iter().any(|rule| rule.covers_host(host));
        if matches(&self.settings.deny) {
            return Err(Refusal::Denied);
        }
        if matches(&self.guarded) && !matches(&self.settings.allow) {
            return Err(Refusal::Guarded);
        }
        let by_address_only = self.settings.allow.iter().any(Rule::is_network);
        if self.settings.only_allowed && !matches(&self.settings.allow) && !by_address_only {
            return Err(Refusal::NotAllowed);
        }
        Ok(())
    }

    fn check_address(&self, destination: &Destination, address: IpAddr) -> Result<(), Refusal> {
        let mut allowed =
            self.settings.allow.iter().any(|rule| rule.covers_host(destination.host()));
        for form in ranges::forms(address, &self.settings.nat64) {
            let matches = |rules: &[Rule]| rules.iter().any(|rule| rule.covers_address(form));
            if matches(&self.settings.deny) {
                return Err(Refusal::Denied);
            }
            let lifted = matches(&self.settings.allow);
            if matches(&self.guarded) && !lifted {
                return Err(Refusal::Guarded);
            }
            allowed |= lifted;
        }
        if self.settings.only_allowed && !allowed { Err(Refusal::NotAllowed) } else { Ok(()) }
    }
}

/// Why a connection was refused: for the operator's log. What the client reads is the [`Error`] it turns into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The URL can't be used.
    #[error("{0}")]
    Malformed(&'static str),
    /// The scheme is none that passes.
    #[error("The scheme is not allowed")]
    Scheme,
    /// A rule of `outbound.deny` covers it.
    #[error("A rule of outbound.deny covers it")]
    Denied,
    /// It is in a guarded range, and no address rule of `outbound.allow` lifts that.
    #[error("It is guarded: loopback, link-local, metadata or outbound.guard")]
    Guarded,
    /// `outbound.only_allowed` is set, and no rule of `outbound.allow` covers it.
    #[error("No rule of outbound.allow covers it")]
    NotAllowed,
    /// The host has no address.
    #[error("The host has no address")]
    NoAddress,
    /// Redirects without end.
    #[error("There are too many redirects")]
    TooManyRedirects,
    /// A redirect from https to http.
    #[error("A redirect leads from https to http")]
    Downgrade,
}

impl From<Refusal> for Error {
    /// What is wrong with the text of a URL may be told; what the policy has against it is one sentence for all.
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Malformed(reason) => Self::invalid("Image", reason),
            Refusal::Scheme => Self::invalid("Image", "The scheme of the URL is not allowed"),
            _ => Self::Denied {
                reason: Message::new("The outbound policy does not permit this destination"),
            },
        }
    }
}

/// How an image is to be fetched and attached.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImageOptions {
    /// User name and password.
    pub credentials: Option<Credentials>,
    /// Whether the server's certificate must be trusted: `VerifyCertificate`.
    pub verify_certificate: bool,
    /// Whether the guest can't write to it: `WriteProtected`.
    pub write_protected: bool,
    /// What the bytes must hash to.
    pub checksum: Option<Sha256>,
}

impl Default for ImageOptions {
    /// Verified and write-protected.
    fn default() -> Self {
        Self { credentials: None, verify_certificate: true, write_protected: true, checksum: None }
    }
}

/// A SHA-256 sum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sha256(pub [u8; 32]);

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An image that the policy lets pass. Only [`OutboundPolicy::image`] makes one, so a backend that takes this type can't
/// be made to fetch anything else; it still has to ask about addresses and redirects when it connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSource {
    destination: Destination,
    credentials: Option<Credentials>,
    verify_certificate: bool,
    write_protected: bool,
    checksum: Option<Sha256>,
}

impl ImageSource {
    /// Where to connect.
    pub const fn destination(&self) -> &Destination {
        &self.destination
    }

    /// The URL as it may be shown and kept.
    pub const fn url(&self) -> &ImageUrl {
        self.destination.url()
    }

    /// User name and password.
    pub const fn credentials(&self) -> Option<&Credentials> {
        self.credentials.as_ref()
    }

    /// Whether the server's certificate must be trusted.
    pub const fn verify_certificate(&self) -> bool {
        self.verify_certificate
    }

    /// Whether the guest can't write to it.
    pub const fn write_protected(&self) -> bool {
        self.write_protected
    }

    /// What the bytes must hash to.
    pub const fn checksum(&self) -> Option<Sha256> {
        self.checksum
    }
}

#[cfg(test)]
mod tests;

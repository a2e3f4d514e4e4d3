//! URLs of images, and what of them may be seen.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

use super::Refusal;
use crate::secret::Credentials;

/// The longest URL.
const MAX: usize = 2048;

/// A URL without user name and password: it can be shown (`Image` of a VirtualMedia) and kept with the VM.
///
/// `Debug` and [`ImageUrl::for_log`] leave out the query as well, where signed URLs carry their signature.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ImageUrl(Box<str>);

impl ImageUrl {
    /// The whole URL, for the answer to who may see the machine.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URL without its query, for logs and events.
    pub fn for_log(&self) -> &str {
        self.0.split('?').next().unwrap_or_default()
    }

    /// The last segment of the path, where there is one: `ImageName`.
    pub fn file_name(&self) -> Option<&str> {
        let (_, path) = self.for_log().split_once("://")?.1.split_once('/')?;
        path.rsplit('/').next().filter(|name| !name.is_empty())
    }
}

impl fmt::Display for ImageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ImageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.for_log())
    }
}

impl Serialize for ImageUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ImageUrl {
    /// A kept URL is read like a new one: it lay where others can write.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match Destination::parse(&text) {
            Ok((destination, None)) => Ok(destination.url),
            _ => Err(serde::de::Error::custom("no URL of an image")),
        }
    }
}

/// The schemes that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// With TLS.
    Https,
}

/// Where a URL leads.
#[derive(Clone, PartialEq, Eq)]
pub struct Destination {
    url: ImageUrl,
    scheme: Scheme,
    host: Box<str>,
    address: Option<IpAddr>,
    port: u16,
}

impl Destination {
    /// Reads a URL; user name and password come apart from it.
    pub(super) fn parse(text: &str) -> Result<(Self, Option<Credentials>), Refusal> {
        // The parser forgives and drops tabs, line breaks and surrounding blanks. Programs that read the same text
        // elsewhere do not, and then it is another URL there than here.
        if text.len() > MAX
            || text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\')
        {
            return Err(Refusal::Malformed(
                "The URL is too long or holds blanks, control characters or backslashes",
            ));
        }
        Self::take(Url::parse(text).map_err(|_| Refusal::Malformed("The text is no absolute URL"))?)
    }

    /// Where a reference leads that is relative to this one.
    pub(super) fn join(&self, location: &str) -> Result<(Self, Option<Credentials>), Refusal> {
        let wrong = Refusal::Malformed("The redirect leads to no URL");
        if location.len() > MAX
            || location.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\')
        {
            return Err(wrong);
        }
        let base = Url::parse(self.url.as_str()).map_err(|_| wrong)?;
        Self::take(base.join(location).map_err(|_| wrong)?)
    }

    fn take(mut url: Url) -> Result<(Self, Option<Credentials>), Refusal> {
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(Refusal::Scheme),
        };
        let (host, address): (Box<str>, _) = match url.host() {
            Some(Host::Domain(name)) => (name.trim_end_matches('.').into(), None),
            Some(Host::Ipv4(v4)) => (v4.to_string().into(), Some(IpAddr::V4(v4))),
            Some(Host::Ipv6(v6)) => (v6.to_string().into(), Some(IpAddr::V6(v6))),
            None => return Err(Refusal::Malformed("The URL has no host")),
        };
        let port = url.port_or_known_default().filter(|port| *port != 0);
        let (false, Some(port)) = (host.is_empty(), port) else {
            return Err(Refusal::Malformed("The URL has no host or port that can be connected to"));
        };
        let credentials = (!url.username().is_empty() || url.password().is_some()).then(|| {
            Credentials::new(decode(url.username()), decode(url.password().unwrap_or_default()))
        });
        let cleared = url.set_username("").and_then(|()| url.set_password(None));
        cleared.map_err(|()| Refusal::Malformed("The URL has no host"))?;
        url.set_fragment(None);
        if url.as_str().len() > MAX {
            // Quoting made it longer.
            return Err(Refusal::Malformed("The URL is too long"));
        }
        let url = ImageUrl(String::from(url).into());
        Ok((Self { url, scheme, host, address, port }, credentials))
    }

    /// The URL as it may be shown and kept.
    pub const fn url(&self) -> &ImageUrl {
        &self.url
    }

    /// The scheme.
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host in lower case, without a final dot or brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The address, where the host is one.
    pub const fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Whether scheme, host and port are the same: where credentials may follow a redirect.
    pub fn same_origin(&self, other: &Self) -> bool {
        (self.scheme, &self.host, self.port) == (other.scheme, &other.host, other.port)
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

/// Undoes the quoting of a user name or password.
fn decode(quoted: &str) -> String {
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.as_bytes();
    while let [first, tail @ ..] = rest {
        let digit = |at: usize| tail.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.extend(u8::try_from(high * 16 + low));
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

//! Every bound of a connection in one place.

use std::time::Duration;

/// What a stranger can make the service hold, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Connections in all; one more is closed at once.
    pub connections: usize,
    /// Connections from one address (of IPv6: one network of 64 bits); trusted proxies aside.
    pub connections_per_address: usize,
    /// Requests being answered at the same time; one more gets 503.
    pub requests: usize,
    /// Bytes of a request's head; more gets 431.
    pub header_bytes: usize,
    /// Header fields of a request; more gets 431.
    pub headers: usize,
    /// Until a connection is open: PROXY header and TLS handshake.
    pub handshake: Duration,
    /// From the first byte of a head to its last. It may take twice as long to notice.
    pub header: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// While the client takes nothing of an answer.
    pub write: Duration,
    /// From the signal to stop until what still runs is cut off.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            connections_per_address: 1024,
            requests: 1024,
            header_bytes: 16 << 10,
            headers: 100,
            handshake: Duration::from_secs(10),
            header: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            drain: Duration::from_secs(10),
        }
    }
}

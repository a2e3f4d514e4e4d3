//! The PROXY protocol, version 2: a load balancer says for whom it connects, before anything else.
//!
//! Version 1 is text of unknown length and is not spoken. What else a header may carry (TLVs) is skipped.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncRead, AsyncReadExt};

const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
/// More than any sender writes: addresses and a few TLVs.
const MAX: u16 = 4096;

/// Reads a header, and nothing beyond it. `None` when the proxy speaks for itself (a health check), or for
/// somebody without an address.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<SocketAddr>> {
    let mut fixed = [0; 16];
    stream.read_exact(&mut fixed).await?;
    let (start, length) = parse_start(&fixed)?;
    let mut rest = vec![0; usize::from(length)];
    stream.read_exact(&mut rest).await?;
    start.source(&rest)
}

#[derive(Debug, PartialEq, Eq)]
enum Start {
    /// The connection is the proxy's own.
    Local,
    /// TCP over IPv4.
    V4,
    /// TCP over IPv6.
    V6,
    /// Anything else has no address for us.
    Other,
}

/// The part of fixed length: what follows, and how long it is.
fn parse_start(fixed: &[u8; 16]) -> io::Result<(Start, u16)> {
    let invalid = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
    let [signature @ .., command, family, high, low] = fixed;
    if signature != SIGNATURE {
        return Err(invalid("There is no header of the PROXY protocol, version 2"));
    }
    let length = u16::from_be_bytes([*high, *low]);
    if length > MAX {
        return Err(invalid("The header of the PROXY protocol is too long"));
    }
    let start = match (command, family) {
        (0x20, _) => Start::Local,
        (0x21, 0x11) => Start::V4,
        (0x21, 0x21) => Start::V6,
        (0x21, _) => Start::Other,
        _ => return Err(invalid("The PROXY protocol has no such version or command")),
    };
    Ok((start, length))
}

impl Start {
    /// The address in what follows: source, destination, source port, destination port.
    fn source(self, rest: &[u8]) -> io::Result<Option<SocketAddr>> {
        let address = match self {
            Self::Local | Self::Other => return Ok(None),
            Self::V4 => (|| {
                let (address, rest) = rest.split_first_chunk::<4>()?;
                let port = rest.get(4..8)?.first_chunk::<2>()?;
                Some((Ipv4Addr::from(*address).into(), *port))
            })(),
            Self::V6 => (|| {
                let (address, rest) = rest.split_first_chunk::<16>()?;
                let port = rest.get(16..20)?.first_chunk::<2>()?;
                Some((Ipv6Addr::from(*address).to_canonical(), *port))
            })(),
        };
        let short = || io::Error::new(io::ErrorKind::InvalidData, "The PROXY header is too short");
        let (address, port): (std::net::IpAddr, _) = address.ok_or_else(short)?;
        Ok(Some(SocketAddr::new(address, u16::from_be_bytes(port))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let length = u16::try_from(rest.len()).unwrap().to_be_bytes();
        [SIGNATURE, &[command, family][..], &length, rest].concat()
    }

    #[tokio::test]
    async fn headers() {
        async fn check(bytes: &[u8], expect: Result<Option<&str>, ()>) {
            let sent = [bytes, b"GET /"].concat();
            let mut stream = sent.as_slice();
            let read = read(&mut stream).await.map_err(drop);
            let expect = expect.map(|address| address.map(|a| a.parse().unwrap()));
            assert_eq!(read, expect, "{bytes:?}");
            if read.is_ok() {
                assert_eq!(stream, b"GET /", "nothing beyond the header is read");
            }
        }
        let v4 = [192, 0, 2, 1, 10, 0, 0, 1, 0x1f, 0x90, 0x20, 0xfb];
        check(&header(0x21, 0x11, &v4), Ok(Some("192.0.2.1:8080"))).await;
        let with_tlv = [&v4[..], &[4, 0, 2, 0, 0]].concat();
        check(&header(0x21, 0x11, &with_tlv), Ok(Some("192.0.2.1:8080"))).await;
        let mut v6 = [0; 36];
        v6[..2].copy_from_slice(&[0x20, 1]);
        v6[15] = 7;
        v6[33] = 80;
        check(&header(0x21, 0x21, &v6), Ok(Some("[2001::7]:80"))).await;
        let mut mapped = [0; 36];
        mapped[10..16].copy_from_slice(&[0xff, 0xff, 192, 0, 2, 1]);
        check(&header(0x21, 0x21, &mapped), Ok(Some("192.0.2.1:0"))).await;
        check(&header(0x20, 0, &[]), Ok(None)).await;
        check(&header(0x20, 0x11, &v4), Ok(None)).await;
        check(&header(0x21, 0, &[]), Ok(None)).await;
        check(&header(0x21, 0x31, &[0; 216]), Ok(None)).await;
        check(&header(0x21, 0x11, &v4[..11]), Err(())).await;
        check(&header(0x21, 0x21, &v4), Err(())).await;
        check(&header(0x11, 0x11, &v4), Err(())).await;
        check(&header(0x22, 0x11, &v4), Err(())).await;
        check(&header(0x21, 0x11, &[0; 5000]), Err(())).await;
        check(b"PROXY TCP4 192.0.2.1 10.0.0.1 8080 8443\r\n", Err(())).await;
        check(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\x00\x00\x00", Err(())).await;
    }
}

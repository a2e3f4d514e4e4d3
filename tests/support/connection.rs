//! One HTTP/1.1 connection that sends bytes as given and reads answers strictly.
//!
//! Clients made for use repair what they send (dot segments, escapes, lengths) and forgive what they get.
//! A test of a server wants neither: what goes out is what the test wrote, and an answer that breaks
//! RFC 9112 is an error, told with its reason.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::answer::Answer;

/// Longest wait for any one read or write. A server that needs more has hung.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Limits of what we read, so that a broken server fails the test and not the machine.
const LONGEST_LINE: u64 = 64 * 1024;
const LARGEST_BODY: usize = 256 * 1024 * 1024;

/// Where a service listens, and how it is trusted.
#[derive(Clone)]
pub struct Endpoint {
    /// The address that is connected to.
    pub address: SocketAddr,
    /// The `Host` of requests.
    pub host: String,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

impl Endpoint {
    /// Reads `http://HOST:PORT` or `https://HOST:PORT`, any path ignored; `ca` is what an HTTPS server is
    /// verified with.
    pub fn new(url: &str, ca: Option<&Path>) -> io::Result<Self> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let (scheme, rest) =
            url.split_once("://").ok_or_else(|| invalid(format!("no scheme in {url}")))?;
        let host = rest.split('/').next().unwrap_or_default();
        let default = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return Err(invalid(format!("no HTTP in {url}"))),
        };
        let has_port = host.rsplit_once(':').is_some_and(|(name, port)| {
            port.parse::<u16>().is_ok() && (!name.contains(':') || name.ends_with(']'))
        });
        let target = if has_port { host.to_owned() } else { format!("{host}:{default}") };
        let address = target
            .to_socket_addrs()?
            .next()
            .ok_or_else(|| invalid(format!("{host} has no address")))?;
        let tls = match (scheme, ca) {
            ("http", _) => None,
            (_, Some(ca)) => {
                let name = target.rsplit_once(':').map_or(host, |(name, _)| name);
                let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
                let name = ServerName::try_from(name).map_err(|e| invalid(e.to_string()))?;
                Some((Arc::new(tls_config(ca)?), name))
            }
            (_, None) => return Err(invalid(format!("no CA for {url}"))),
        };
        Ok(Self { address, host: host.to_owned(), tls })
    }

    /// Opens a connection, with the TLS handshake done.
    pub fn connect(&self) -> io::Result<Connection> {
        let tcp = TcpStream::connect_timeout(&self.address, PATIENCE)?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        tcp.set_write_timeout(Some(PATIENCE))?;
        let stream = match &self.tls {
            None => Stream::Plain(tcp),
            Some((config, name)) => {
                let session = ClientConnection::new(Arc::clone(config), name.clone())
                    .map_err(io::Error::other)?;
                let mut stream = StreamOwned::new(session, tcp);
                while stream.conn.is_handshaking() {
                    stream.conn.complete_io(&mut stream.sock)?;
                }
                Stream::Tls(Box::new(stream))
            }
        };
        Ok(Connection { stream: BufReader::with_capacity(32 * 1024, stream) })
    }
}

/// Trusts the certificates in the file and nothing else. New connections are full handshakes: resumption
/// would measure and test something else.
fn tls_config(ca: &Path) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(ca).map_err(io::Error::other)? {
        roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

/// An open connection.
pub struct Connection {
    stream: BufReader<Stream>,
}

impl Connection {
    /// Sends bytes.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)?;
        self.stream.get_mut().flush()
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.stream.get_mut() {
            Stream::Plain(stream) => stream.shutdown(std::net::Shutdown::Write),
            Stream::Tls(stream) => {
                stream.conn.send_close_notify();
                stream.flush()
            }
        }
    }

    /// Reads the next answer; `head` when the request was a HEAD, whose answer has no body. Interim
    /// answers (1xx) are passed over.
    pub fn receive(&mut self, head: bool) -> io::Result<Answer> {
        loop {
            let answer = self.receive_one(head)?;
            if answer.status >= 200 {
                return Ok(answer);
            }
        }
    }

    fn receive_one(&mut self, head: bool) -> io::Result<Answer> {
        if self.stream.fill_buf()?.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "closed before an answer"));
        }
        let line = self.line()?;
        let status = status(&line).ok_or_else(|| broken(format!("status line {line:?}")))?;
        let mut answer = Answer { status, ..Answer::default() };
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let field = line.split_once(':').filter(|(name, _)| is_token(name));
            let (name, value) = field.ok_or_else(|| broken(format!("header line {line:?}")))?;
            answer.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let bodiless = head || status < 200 || status == 204 || status == 304;
        if status < 200 || status == 204 {
            for name in ["content-length", "transfer-encoding"] {
                if answer.header(name).is_some() {
                    return Err(broken(format!("{name} in a {status}")));
                }
            }
        }
        let lengths: Vec<_> = answer.all("content-length").collect();
        let chunked = answer.header("transfer-encoding").map(str::to_ascii_lowercase);
        answer.body = match (lengths.as_slice(), chunked.as_deref()) {
            ([], None) | (_, Some(_)) | ([_], None) if bodiless => Vec::new(),
            ([length], None) => {
                let length = length.parse().map_err(|_| broken(format!("length {length:?}")))?;
                self.exactly(length)?
            }
            ([], Some("chunked")) => self.chunks()?,
            ([], None) => {
                answer.closed = true;
                let mut body = Vec::new();
                self.stream.by_ref().take(LARGEST_BODY as u64).read_to_end(&mut body)?;
                body
            }
            _ => return Err(broken(format!("lengths {lengths:?}, coding {chunked:?}"))),
        };
        answer.closed |=
            answer.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        Ok(answer)
    }

    /// Reads whatever comes until the other side closes, at most so many bytes.
    pub fn rest(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.stream.by_ref().take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.stream.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        let line = line.strip_suffix(b"\r\n").ok_or_else(|| broken("a line without CRLF"))?;
        let clean = line.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
        match std::str::from_utf8(line) {
            Ok(text) if clean => Ok(text.to_owned()),
            _ => Err(broken(format!(
                "control or non-ASCII bytes in {:?}",
                line.escape_ascii().to_string()
            ))),
        }
    }

    fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > LARGEST_BODY {
            return Err(broken(format!("a body of {length} bytes")));
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16)
                .map_err(|_| broken(format!("size of a chunk {line:?}")))?;
            if body.len().saturating_add(size) > LARGEST_BODY {
                return Err(broken("an endless body"));
            }
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.exactly(size)?);
            if !self.line()?.is_empty() {
                return Err(broken("a chunk longer than it says"));
            }
        }
    }
}

fn status(line: &str) -> Option<u16> {
    let rest = line.strip_prefix("HTTP/1.1 ").or_else(|| line.strip_prefix("HTTP/1.0 "))?;
    let (code, _) = rest.split_at_checked(3)?;
    let bounded = rest.as_bytes().get(3).is_none_or(|byte| *byte == b' ');
    code.parse().ok().filter(|code| bounded && (100..600).contains(code))
}

fn is_token(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(token)
}

fn broken(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not HTTP: {what}"))
}

#[cfg(test)]
mod tests;

//! A small web server on loopback: for images that a service fetches, and as a stand-in for a service
//! when a test is itself tested.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// A request, as far as stand-ins look at it.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The target, as sent.
    pub target: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What to answer with: status, type, body.
pub type Reply = (u16, &'static str, Vec<u8>);

/// Starts a server that ends with the process; gives its URL without a slash at the end.
pub fn serve(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let handler = Arc::new(handler);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let handler = Arc::clone(&handler);
            std::thread::spawn(move || converse(&stream, &*handler));
        }
    });
    url
}

/// An image that a service can fetch; gives its URL.
pub fn image() -> String {
    let url = serve(|request| match request.target.as_str() {
        "/boot.iso" => (200, "application/octet-stream", vec![0; 256 * 1024]),
        _ => (404, "text/plain", Vec::new()),
    });
    url + "/boot.iso"
}

/// Answers one request after the other.
fn converse(stream: &TcpStream, handler: &dyn Fn(&Request) -> Reply) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let request = read(&mut reader)?;
        let (status, media_type, body) = handler(&request);
        let length = if status == 204 {
            String::new()
        } else {
            format!("Content-Type: {media_type}\r\nContent-Length: {}\r\n", body.len())
        };
        let mut bytes = format!("HTTP/1.1 {status} \r\n{length}\r\n").into_bytes();
        if request.method != "HEAD" {
            bytes.extend(body);
        }
        let mut stream = stream;
        stream.write_all(&bytes).ok()?;
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = || {
        let mut line = Vec::new();
        let read = reader.read_until(b'\n', &mut line).ok()?;
        (read > 0).then(|| String::from_utf8_lossy(&line).trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap_or(0));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, target, headers, body })
}

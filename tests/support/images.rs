//! A web server with one image on loopback.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

/// Bytes of the image: more than one read, less than anybody waits for.
const SIZE: usize = 256 * 1024;

/// The server; it ends with the process.
pub struct Images {
    /// The URL of the image.
    pub url: String,
}

impl Images {
    /// Starts it.
    pub fn serve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/images/boot.iso", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || answer(&stream));
            }
        });
        Self { url }
    }
}

fn answer(mut stream: &TcpStream) -> Option<()> {
    let mut head = BufReader::new(stream).lines();
    let request = head.next()?.ok()?;
    while !head.next()?.ok()?.is_empty() {}
    let found = request.split(' ').nth(1)?.starts_with("/images/");
    let (status, body) =
        if found { ("200 OK", vec![0; SIZE]) } else { ("404 Not Found", Vec::new()) };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/octet-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    if !request.starts_with("HEAD ") {
        stream.write_all(&body).ok()?;
    }
    Some(())
}

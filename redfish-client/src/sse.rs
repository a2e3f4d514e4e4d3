//! Server-sent events: from bytes to messages, after the HTML standard (section 9.2, *Server-sent events*).
//!
//! There are crates for this. The ones that are kept up end at the first byte that is no UTF-8 or let a message grow
//! without bound; a BMC that does either must cost one event here, and neither the stream nor the memory.

use std::collections::VecDeque;
use std::time::Duration;

/// What comes out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// The data of a message.
    Data(String),
    /// A message with more bytes than allowed was left out.
    TooLarge,
}

/// Takes the bytes of one connection in pieces of any size.
#[derive(Debug)]
pub(crate) struct Parser {
    limit: usize,
    /// The line so far; the first one may start with a byte order mark.
    line: Vec<u8>,
    first: bool,
    /// The last byte was a carriage return, so a line feed now belongs to it.
    after_return: bool,
    data: Vec<u8>,
    has_data: bool,
    too_large: bool,
    /// The id of the message that is being read.
    id: Option<String>,
    /// The id of the last message that was complete.
    pub(crate) last_id: Option<String>,
    /// How long the service asks to wait before the next connection.
    pub(crate) retry: Option<Duration>,
}

impl Parser {
    pub(crate) fn new(limit: usize, last_id: Option<String>) -> Self {
        Self {
            limit,
            line: Vec::new(),
            first: true,
            after_return: false,
            data: Vec::new(),
            has_data: false,
            too_large: false,
            id: last_id.clone(),
            last_id,
            retry: None,
        }
    }

    /// Takes the next piece; messages that it completes go to `out`.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut VecDeque<Message>) {
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(out),
                _ if self.line.len() + self.data.len() < self.limit => self.line.push(byte),
                // The line is lost, but that it is not empty must be known at its end.
                _ => self.too_large = true,
            }
        }
    }

    fn end_line(&mut self, out: &mut VecDeque<Message>) {
        let line = std::mem::take(&mut self.line);
        let text = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if self.first => rest,
            _ => &line,
        };
        self.first = false;
        if text.is_empty() {
            self.dispatch(out);
        } else if !self.too_large {
            self.field(text);
        }
        // Its memory is used again.
        self.line = line;
        self.line.clear();
    }

    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let text = String::from_utf8_lossy(value);
                self.retry = Some(Duration::from_millis(text.parse().unwrap_or(u64::MAX)));
            }
            // Comments have an empty name; `event` only repeats what the data says.
            _ => {}
        }
    }

    /// A blank line ends a message, even one without data, whose id counts.
    fn dispatch(&mut self, out: &mut VecDeque<Message>) {
        self.last_id.clone_from(&self.id);
        let data = std::mem::take(&mut self.data);
        let has_data = std::mem::take(&mut self.has_data);
        if std::mem::take(&mut self.too_large) {
            out.push_back(Message::TooLarge);
        } else if has_data {
            out.push_back(Message::Data(String::from_utf8_lossy(&data).into_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(text: &str) -> Message {
        Message::Data(text.to_owned())
    }

    /// The messages must be the same wherever the stream is cut into pieces.
    fn check(stream: &[u8], expect: &[Message], id: Option<&str>, retry: Option<u64>) {
        for size in 1..=stream.len().max(1) {
            let (mut parser, mut out) = (Parser::new(64, None), VecDeque::new());
            for piece in stream.chunks(size) {
                parser.push(piece, &mut out);
            }
            assert_eq!(out, expect, "{:?} in {size}s", String::from_utf8_lossy(stream));
            assert_eq!(parser.last_id.as_deref(), id);
            assert_eq!(parser.retry, retry.map(Duration::from_millis));
        }
    }

    #[test]
    fn messages_are_read() {
        check(b"", &[], None, None);
        check(b"data: a\n\n", &[data("a")], None, None);
        check(
            b"data:a\r\n\r\ndata:  b\r\rdata\n\n",
            &[data("a"), data(" b"), data("")],
            None,
            None,
        );
        check(b"data: a\ndata: b\r\ndata:\n\n", &[data("a\nb\n")], None, None);
        check(b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", &[data("a")], None, None);
        check("data: ü€\n\n".as_bytes(), &[data("ü€")], None, None);
        check(b"data: \xff\n\ndata: b\n\n", &[data("\u{fffd}"), data("b")], None, None);
        check(b": hello\n\n:\n\nevent: x\n\nother: y\nDATA: z\n\n", &[], None, None);
        check(b"event: x\ndata: {\"a\": 1}\n\n", &[data("{\"a\": 1}")], None, None);
        check(b"data: never ended\n", &[], None, None);
    }

    #[test]
    fn ids_and_waits_are_kept() {
        check(b"id: 1\ndata: a\n\n", &[data("a")], Some("1"), None);
        check(b"id: 1\n\ndata: a\n\n", &[data("a")], Some("1"), None);
        check(b"id: 1\n\nid: 2\ndata: a\n", &[], Some("1"), None);
        check(b"id: 1\n\nid\n\n", &[], Some(""), None);
        check(b"id: a\0b\n\n", &[], None, None);
        check(b"retry: 1500\nretry: 2s\nretry:\nretry: -1\n", &[], None, Some(1500));
        check(b"retry: 99999999999999999999\n", &[], None, Some(u64::MAX));
    }

    #[test]
    fn memory_is_bounded() {
        let long = "x".repeat(200);
        let check_long = |start: &str| {
            let stream = format!("{start}{long}\n\ndata: b\n\n");
            check(stream.as_bytes(), &[Message::TooLarge, data("b")], None, None);
        };
        check_long("data: ");
        check_long("data: a\ndata: ");
        check_long(":");
        check_long("");
        let lines = format!("{}\ndata: b\n\n", "data: 0123456789\n".repeat(8));
        check(lines.as_bytes(), &[Message::TooLarge, data("b")], None, None);
        let (mut parser, mut out) = (Parser::new(64, None), VecDeque::new());
        parser.push(&[b'x'; 100_000], &mut out);
        assert!(parser.line.capacity() <= 128);
    }
}

//! The event stream of the service (DSP0266, *Server-Sent Events*).
//!
//! A stream that a client watches for days breaks now and then. It is connected again with the id of the last event, so
//! that a service that can will send what was missed. What cannot be read is an error among the events; the stream ends
//! only when the service ends it or stays away.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::unfold;
use redfish_model::event::Event;
use reqwest::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Method, Response, StatusCode, Url};
use tokio::time::{Instant, sleep};

use crate::sse::{Message, Parser};
use crate::{Client, Decoded, Error, Items, Query, Result};

/// The longest wait before a connection.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// A connection that held so long was none that failed.
const HELD: Duration = Duration::from_secs(30);

/// How events are watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventOptions {
    /// `$filter`, such as `EventType eq 'Alert'`: what the service is asked to send.
    pub filter: Option<String>,
    /// The id of the last event that was seen earlier, in another stream.
    pub last_event_id: Option<String>,
    /// How many bytes an event may have; larger ones are left out with an error.
    pub event_limit: usize,
    /// How many connections in a row may fail before the stream ends.
    pub attempts: u32,
    /// How long to wait before the first of them, unless the service asks for another wait; the wait doubles each time.
    pub wait: Duration,
}

impl Default for EventOptions {
    /// All events, of at most 1 MiB; 5 attempts that start after a second.
    fn default() -> Self {
        Self {
            filter: None,
            last_event_id: None,
            event_limit: 1 << 20,
            attempts: 5,
            wait: Duration::from_secs(1),
        }
    }
}

impl Client {
    /// The events of the service as they happen.
    ///
    /// A metric report, which a service may send in the same stream, is read as an event whose `odata_type` tells and
    /// whose members are in `extra`.
    ///
    /// # Errors
    /// The service has no event stream, refuses, or cannot be reached. Later failures are items of the stream.
    pub async fn events(&self) -> Result<Items<Event>> {
        self.events_with(EventOptions::default()).await
    }

    /// The same with options.
    ///
    /// # Errors
    /// Those of [`events`](Self::events).
    pub async fn events_with(&self, options: EventOptions) -> Result<Items<Event>> {
        let root = self.root().await?;
        let service = root.event_service.value().ok_or(Error::NoEventStream)?;
        let service = self.get(service).await?;
        let uri = service.server_sent_event_uri.as_deref().ok_or(Error::NoEventStream)?;
        let mut url = self.shared().resolve(uri)?;
        let filter = options.filter.as_deref();
        filter.map_or(Query::new(), |filter| Query::new().filter(filter)).apply(&mut url);
        let parser = Parser::new(options.event_limit, options.last_event_id.clone());
        let mut watch = Watch {
            client: self.clone(),
            url,
            options,
            connection: None,
            parser,
            messages: VecDeque::new(),
            failed: 0,
            ended: false,
        };
        watch.connect().await?;
        Ok(Items::new(unfold(watch, async |mut watch| Some((watch.next().await?, watch)))))
    }
}

/// The state of a stream.
struct Watch {
    client: Client,
    url: Url,
    options: EventOptions,
    connection: Option<(Response, Instant)>,
    parser: Parser,
    messages: VecDeque<Message>,
    /// How many connections in a row brought nothing.
    failed: u32,
    ended: bool,
}

impl Watch {
    async fn next(&mut self) -> Option<Result<Decoded<Event>>> {
        let mut last_error = None;
        loop {
            if let Some(message) = self.messages.pop_front() {
                self.failed = 0;
                match message {
                    Message::TooLarge => {
                        let limit = self.options.event_limit as u64;
                        return Some(Err(Error::TooLarge { limit }));
                    }
                    // Some services send empty ones to keep the connection.
                    Message::Data(data) if data.trim().is_empty() => continue,
                    Message::Data(data) => {
                        return Some(Decoded::from_slice(data.as_bytes()).map_err(Error::Event));
                    }
                }
            }
            if self.ended {
                return None;
            }
            match self.read().await {
                Ok(true) => {}
                Ok(false) => self.ended = true,
                Err(error) if permanent(&error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                Err(error) => last_error = Some(Box::new(error)),
            }
            if self.connection.is_none() && self.failed >= self.options.attempts && !self.ended {
                self.ended = true;
                return Some(Err(Error::StreamLost { attempts: self.failed, source: last_error }));
            }
        }
    }

    /// Reads on, or connects again; `false` when the service wants no further connection.
    async fn read(&mut self) -> Result<bool> {
        let Some((response, since)) = &mut self.connection else {
            let wait = self.parser.retry.unwrap_or(self.options.wait);
            let wait = wait.saturating_mul(2_u32.saturating_pow(self.failed.min(16)));
            self.failed += 1;
            sleep(wait.min(LONGEST_WAIT)).await;
            return self.connect().await;
        };
        match response.chunk().await {
            Ok(Some(bytes)) => {
                self.parser.push(&bytes, &mut self.messages);
                Ok(true)
            }
            end => {
                if since.elapsed() > HELD {
                    self.failed = 0;
                }
                self.connection = None;
                end.map(|_| true).map_err(Error::transport)
            }
        }
    }

    async fn connect(&mut self) -> Result<bool> {
        let shared = self.client.shared();
        let mut request = shared.request(Method::GET, self.url.clone());
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let id = self.parser.last_id.take().filter(|id| !id.is_empty());
        if let Some(Ok(value)) = id.as_deref().map(|id| HeaderValue::from_bytes(id.as_bytes())) {
            headers.insert(HeaderName::from_static("last-event-id"), value);
        }
        // What is left of the last connection is half a message.
        let retry = self.parser.retry;
        self.parser = Parser::new(self.options.event_limit, id);
        self.parser.retry = retry;

        let response = shared.open(request).await?;
        let status = response.status();
        if status == StatusCode::NO_CONTENT {
            return Ok(false);
        }
        let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let kind = String::from_utf8_lossy(kind.unwrap_or_default()).into_owned();
        let is_stream = kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream");
        if status != StatusCode::OK || !is_stream {
            return Err(Error::NotAnEventStream { status, content_type: kind });
        }
        self.connection = Some((response, Instant::now()));
        Ok(true)
    }
}

/// Will another connection fail as well?
fn permanent(error: &Error) -> bool {
    match error {
        Error::NotAnEventStream { status, .. } => !status.is_server_error(),
        Error::Transport(_) | Error::Timeout(_) => false,
        // A login fails for a service that is starting, too.
        Error::Login(error) => permanent(error),
        Error::Service { status, .. } => !status.is_server_error(),
        _ => true,
    }
}

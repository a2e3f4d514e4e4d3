//! The one error type: a status, and messages for everything that was wrong.

use std::fmt;

use http::{HeaderName, HeaderValue, StatusCode};
use redfish_model::RedfishError;

use crate::message::Message;
use crate::messages;

/// What an operation gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal or failure, as the client gets to see it (DSP0266, "Error responses").
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Error {
    /// The HTTP status.
    pub status: StatusCode,
    /// What was wrong, all of it; never empty.
    pub messages: Vec<Message>,
    /// When to try again, in seconds (`Retry-After`).
    pub retry_after: Option<u32>,
    /// Headers beside those that follow from the status.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl Error {
    /// An error with one message.
    pub fn new(status: StatusCode, message: Message) -> Self {
        Self::with_messages(status, vec![message])
    }

    /// An error with a message for each fault.
    pub fn with_messages(status: StatusCode, messages: Vec<Message>) -> Self {
        Self { status, messages, retry_after: None, headers: Vec::new() }
    }

    /// Nothing is at the URI, or nothing that the caller may know of: the two look the same.
    pub fn not_found(uri: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, messages::resource_missing_at_uri(uri))
    }

    /// There are no valid credentials.
    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, messages::no_valid_session())
    }

    /// The caller's privileges do not suffice.
    pub fn forbidden() -> Self {
        Self::new(StatusCode::FORBIDDEN, messages::insufficient_privilege())
    }

    /// The resource is there but has no such operation.
    pub fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, messages::operation_not_allowed())
    }

    /// The body is no JSON.
    pub fn malformed_json() -> Self {
        Self::new(StatusCode::BAD_REQUEST, messages::malformed_json())
    }

    /// Something of ours went wrong; the log says what.
    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, messages::internal_error())
    }

    /// The body of the response.
    pub fn body(&self) -> RedfishError {
        RedfishError::from_messages(self.messages.clone())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        for message in &self.messages {
            let text = message.message.value().map_or("", String::as_str);
            write!(f, ": {text}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

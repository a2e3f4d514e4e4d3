//! The one error type: a status, and messages for everything that was wrong.

use std::fmt;
use std::time::Duration;

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

    /// An error with one message whose text says more than the registry's.
    pub fn explained(status: StatusCode, message: Message, reason: &str) -> Self {
        Self::new(status, explain(message, reason))
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

    /// Not now, but after a while.
    pub fn unavailable(retry_after: Duration) -> Self {
        let seconds = u32::try_from(retry_after.as_secs()).unwrap_or(u32::MAX).max(1);
        let message = messages::service_temporarily_unavailable(seconds.to_string());
        let retry_after = Some(seconds);
        Self { retry_after, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
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

impl From<redfish_backend::Error> for Error {
    /// Each kind has one status and one message id; what the backend says is an argument of it or
    /// stands beside it.
    fn from(error: redfish_backend::Error) -> Self {
        use redfish_backend::Error as Backend;
        match error {
            Backend::NotFound { what } => Self::new(
                StatusCode::NOT_FOUND,
                messages::resource_not_found("resource", what.as_str()),
            ),
            Backend::Busy { retry_after } => Self::unavailable(retry_after),
            Backend::Conflict { reason } => {
                Self::explained(StatusCode::CONFLICT, messages::resource_in_use(), reason.as_str())
            }
            Backend::Unsupported { reason } => Self::explained(
                StatusCode::BAD_REQUEST,
                messages::action_not_supported("request"),
                reason.as_str(),
            ),
            Backend::Invalid { field, reason } => Self::explained(
                StatusCode::BAD_REQUEST,
                messages::property_value_error(field.as_str()),
                reason.as_str(),
            ),
            Backend::Denied { reason } => Self::explained(
                StatusCode::FORBIDDEN,
                messages::insufficient_privilege(),
                reason.as_str(),
            ),
            Backend::Unavailable { retry_after, reason } => {
                let error = Self::unavailable(retry_after);
                let explained = error.messages.into_iter().map(|m| explain(m, reason.as_str()));
                Self { messages: explained.collect(), ..error }
            }
            // Why is for the log of the operator.
            _ => Self::internal(),
        }
    }
}

/// A message with a text that says more than the registry's.
fn explain(message: Message, reason: &str) -> Message {
    Message { message: redfish_model::Field::Value(reason.to_owned()), ..message }
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

//! What can go wrong, as one type.
//!
//! The generated methods have an error type of their own, made for any OpenAPI document. Its conversion into [`Error`]
//! keeps what matters to a caller: did the service refuse, and with which messages; could it not be reached; or did it
//! answer something that is no Redfish.

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use redfish_model::RedfishError;
use redfish_model::task::Task;
use reqwest::StatusCode;

/// The errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address of the service is none, or has parts that do not belong there.
    #[error("not the address of a Redfish service: {0}")]
    BaseUrl(String),
    /// A user name, password, ETag or other value cannot be sent as an HTTP header.
    #[error("{0} cannot be sent in an HTTP header")]
    Header(&'static str),
    /// Certificates or keys that are none, or do not fit each other.
    #[error("TLS cannot be set up: {context}")]
    Tls {
        /// What was being done.
        context: &'static str,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The login was refused, or the service could not be reached for it.
    #[error("the login failed")]
    Login(#[source] Box<Error>),
    /// There is no URI, or the text is none.
    #[error("not a URI of this service: {0:?}")]
    Uri(String),
    /// The URI, or a redirection, leads to another scheme, host or port. Credentials are never sent there.
    #[error("refused to go to another server: {0}")]
    OtherOrigin(String),
    /// The service answered with a redirection that cannot be followed.
    #[error("redirected (HTTP {status}) to {location:?}, which is not followed")]
    Redirected {
        /// The status.
        status: StatusCode,
        /// Where to, as the service wrote it.
        location: String,
    },
    /// No answer came in time.
    #[error("no answer in time")]
    Timeout(#[source] Option<reqwest::Error>),
    /// The connection could not be made, or broke.
    #[error("the service cannot be reached")]
    Transport(#[source] reqwest::Error),
    /// The request could not be made.
    #[error("the request cannot be made: {0}")]
    Request(String),
    /// The body to be sent cannot be written as JSON.
    #[error("the request body cannot be written")]
    Encode(#[source] serde_json::Error),
    /// The service refused, or failed.
    #[error("HTTP {status}: {error}")]
    Service {
        /// The HTTP status.
        status: StatusCode,
        /// The messages of the service.
        #[source]
        error: Box<RedfishError>,
        /// How long the service asks to wait before the next try.
        retry_after: Option<Duration>,
    },
    /// The answer is larger than the client accepts.
    #[error("the answer has more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The answer is no JSON, or not the resource that was asked for.
    #[error("the answer of {uri} cannot be read")]
    Decode {
        /// Where it came from.
        uri: String,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// The pages of a collection lead back to one that was there before.
    #[error("the pages of the collection go in a circle at {0}")]
    PageLoop(String),
    /// A task ended without success.
    #[error("the task ended as {}", state(.0))]
    TaskFailed(Box<Task>),
    /// The service accepted the operation, but named no task monitor.
    #[error("the service gave no task monitor")]
    NoMonitor,
    /// The service has no event stream.
    #[error("the service has no event stream")]
    NoEventStream,
    /// The answer of the event stream is not one.
    #[error("not an event stream: HTTP {status}, {content_type:?}")]
    NotAnEventStream {
        /// The HTTP status.
        status: StatusCode,
        /// What the service says that it is.
        content_type: String,
    },
    /// One event of the stream is no Redfish event; the stream goes on.
    #[error("an event cannot be read")]
    Event(#[source] serde_json::Error),
    /// The event stream broke, and could not be connected again.
    #[error("the event stream is lost after {attempts} attempts")]
    StreamLost {
        /// How often the connection was tried.
        attempts: u32,
        /// The last failure; `None` when the service closed the stream each time.
        #[source]
        source: Option<Box<Error>>,
    },
}

/// The result of what this crate does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The HTTP status of the answer, where the service refused or failed.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Service { status, .. } | Self::Redirected { status, .. } => Some(*status),
            Self::Login(error) => error.status(),
            _ => None,
        }
    }

    /// The messages of the service, where it refused or failed.
    pub fn redfish(&self) -> Option<&RedfishError> {
        match self {
            Self::Service { error, .. } => Some(error),
            Self::Login(error) => error.redfish(),
            _ => None,
        }
    }

    /// Tells apart a time that ran out and other failures of the connection.
    pub(crate) fn transport(error: reqwest::Error) -> Self {
        // A URL in the text of an error is harmless: credentials and tokens never stand in one.
        if error.is_timeout() {
            Self::Timeout(Some(error))
        } else if error.is_builder() {
            Self::Request(error.to_string())
        } else {
            Self::Transport(error)
        }
    }
}

fn state(task: &Task) -> &str {
    task.task_state.value().map_or("unknown", redfish_model::task::TaskState::as_str)
}

/// Brings an [`Error`] through the generated methods, whose hooks can only fail with an error of reqwest: it becomes
/// the failure of a body, and is taken out again by the conversion below.
#[derive(Debug)]
pub(crate) struct Carrier(Mutex<Option<Error>>);

impl Carrier {
    pub(crate) fn new(error: Error) -> Self {
        Self(Mutex::new(Some(error)))
    }

    fn take(&self) -> Option<Error> {
        self.0.lock().ok()?.take()
    }
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.lock().as_deref() {
            Ok(Some(error)) => error.fmt(f),
            _ => f.write_str("the request failed"),
        }
    }
}

impl std::error::Error for Carrier {}

impl From<progenitor_client::Error<RedfishError>> for Error {
    fn from(error: progenitor_client::Error<RedfishError>) -> Self {
        use progenitor_client::Error as Generated;
        match error {
            Generated::InvalidRequest(text) | Generated::Custom(text) => Self::Request(text),
            Generated::CommunicationError(error)
            | Generated::InvalidUpgrade(error)
            | Generated::ResponseBodyError(error) => {
                carried(&error).unwrap_or_else(|| Self::transport(error))
            }
            Generated::ErrorResponse(response) => {
                let (status, retry_after) =
                    (response.status(), crate::retry::retry_after(response.headers()));
                Self::Service { status, error: Box::new(response.into_inner()), retry_after }
            }
            // The URI is not told by the generated methods.
            Generated::InvalidResponsePayload(_, source) => {
                Self::Decode { uri: "the service".to_owned(), source }
            }
            Generated::UnexpectedResponse(response) => Self::Service {
                status: response.status(),
                error: Box::default(),
                retry_after: crate::retry::retry_after(response.headers()),
            },
        }
    }
}

fn carried(error: &reqwest::Error) -> Option<Error> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(carrier) = error.downcast_ref::<Carrier>() {
            return carrier.take();
        }
        source = error.source();
    }
    None
}

//! From what a backend refuses to the message that names what the client sent.

use http::StatusCode;
use redfish_backend::Error as Backend;
use redfish_model::Field;

use crate::error::Error;
use crate::message::Message;

/// The error for a client whose request a backend refused. Of what the machine can't do, the message
/// is the caller's, since only there it is known what of the request it was; the text is the
/// backend's.
pub(super) fn refused(error: Backend, unsupported: impl FnOnce() -> Message) -> Error {
    match error {
        Backend::Unsupported { reason } => {
            Error::explained(StatusCode::BAD_REQUEST, unsupported(), reason.as_str())
        }
        other => other.into(),
    }
}

/// A refusal of what was sent.
pub(super) fn bad_request(message: Message) -> Error {
    Error::new(StatusCode::BAD_REQUEST, message)
}

/// A message that says more than the registry's text.
pub(super) fn explain(message: Message, reason: impl Into<String>) -> Message {
    Message { message: Field::Value(reason.into()), ..message }
}

/// A message about a member of the request body, by its path: `Boot/BootOrder`.
pub(super) fn about(path: &str, message: Message) -> Message {
    Message { related_properties: Field::Value(vec![format!("#/{path}")]), ..message }
}

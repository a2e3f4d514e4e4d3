//! The body of an error response (DSP0266, "Error responses").
//!
//! No schema file defines it, so it is written by hand, in the same form as the generated types.

use crate::foundation::{Extra, Field, object};
use crate::message::Message;

/// What leads where no message does.
const GENERAL_ERROR: &str = "Base.1.0.GeneralError";

/// The body of an error response.
#[derive(Clone, PartialEq)]
pub struct RedfishError {
    /// `error`: required.
    pub error: Field<ErrorDetail>,
    /// Whatever else the service says.
    pub extra: Extra,
}
object! {
    RedfishError {
        error = "error",
    }
    required {
        error: ErrorDetail = "error",
    }
}

/// The `error` member of an error response.
#[derive(Clone, PartialEq)]
pub struct ErrorDetail {
    /// `code`: required, a message id.
    pub code: Field<String>,
    /// `message`: required.
    pub message: Field<String>,
    /// `@Message.ExtendedInfo`: the messages, one for each fault.
    pub extended_info: Field<Vec<Message>>,
    /// Whatever else the service says.
    pub extra: Extra,
}
object! {
    ErrorDetail {
        code = "code",
        message = "message",
        extended_info = "@Message.ExtendedInfo",
    }
    required {
        code: String = "code",
        message: String = "message",
    }
}

impl RedfishError {
    /// The body that tells of these messages. One message is the error itself; of several the
    /// first one's id and text would hide the others, so the registry's general error leads.
    pub fn from_messages(messages: Vec<Message>) -> Self {
        let (code, message) = match messages.as_slice() {
            [one] => (
                one.message_id.value().cloned().unwrap_or_default(),
                one.message.value().cloned().unwrap_or_default(),
            ),
            [] => (GENERAL_ERROR.to_owned(), "There is no more to be said.".to_owned()),
            [first, ..] => {
                let id = first.message_id.value().map_or(GENERAL_ERROR, String::as_str);
                let registry = id.rsplit_once('.').map_or("Base.1.0", |(registry, _)| registry);
                let text = "There is more than one message; see @Message.ExtendedInfo.";
                (format!("{registry}.GeneralError"), text.to_owned())
            }
        };
        let detail = ErrorDetail {
            code: Field::Value(code),
            message: Field::Value(message),
            extended_info: Field::Value(messages),
            extra: Extra::default(),
        };
        Self { error: Field::Value(detail), extra: Extra::default() }
    }

    /// The messages; none where the service sent none.
    pub fn messages(&self) -> &[Message] {
        let info = self.error.value().and_then(|error| error.extended_info.value());
        info.map_or(&[], Vec::as_slice)
    }

    /// Whether one of the messages has this id, without registry and version: `ResourceNotFound`.
    pub fn has(&self, message: &str) -> bool {
        let ids = self.messages().iter().filter_map(|m| m.message_id.value());
        ids.filter_map(|id| id.rsplit('.').next()).any(|id| id == message)
    }
}

impl std::fmt::Display for RedfishError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<_> = self.messages().iter().filter_map(|m| m.message.value()).collect();
        let own = self.error.value().and_then(|error| error.message.value());
        let texts = if texts.is_empty() { own.into_iter().collect() } else { texts };
        let texts: Vec<_> = texts.into_iter().map(String::as_str).collect();
        f.write_str(if texts.is_empty() { "an error without a message" } else { "" })?;
        f.write_str(&texts.join(" "))
    }
}

impl std::error::Error for RedfishError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(json: &str) -> RedfishError {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn display_says_what_there_is() {
        let check = |json: &str, expect: &str| assert_eq!(error(json).to_string(), expect);
        check("{}", "an error without a message");
        check(r#"{"error": {"code": "a", "message": "b"}}"#, "b");
        check(
            r#"{"error": {"message": "b", "@Message.ExtendedInfo": [{"Message": "c"}, {"Message": "d"}]}}"#,
            "c d",
        );
    }

    #[test]
    fn messages_are_found_by_name() {
        let error = RedfishError::from_messages(vec![Message::new("Base.1.22.ResourceNotFound")]);
        assert!(error.has("ResourceNotFound"));
        assert!(!error.has("Found"));
        assert_eq!(error.error.value().unwrap().code(), Ok("Base.1.22.ResourceNotFound"));
        let two = vec![Message::new("A.1.0.B"), Message::new("A.1.0.C")];
        assert_eq!(
            RedfishError::from_messages(two).error.value().unwrap().code(),
            Ok("A.1.0.GeneralError")
        );
    }
}

//! What is wrong with a body: one message for each fault, until there are more than anybody reads.

use redfish_model::Field;
use serde_json::Value;

use crate::message::Message;
use crate::messages;

/// How many faults are told.
const MOST: usize = 32;
/// How much of a value is repeated in a message.
const SHOWN: usize = 64;

/// The messages of one body.
#[derive(Debug)]
pub(crate) struct Faults {
    voice: Voice,
    messages: Vec<Message>,
}

/// Which of the registry's two families of messages speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Voice {
    /// About properties of a resource.
    Properties,
    /// About parameters of the named action.
    Parameters(&'static str),
}

/// What can be wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    Type,
    NotInList,
    OutOfRange,
    Format,
}

impl Faults {
    pub(crate) fn new(voice: Voice) -> Self {
        Self { voice, messages: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    pub(crate) fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// There is no such member.
    pub(crate) fn unknown(&mut self, path: &Path<'_>) {
        let name = path.name();
        let message = match self.voice {
            Voice::Properties => messages::property_unknown(name),
            Voice::Parameters(action) => messages::action_parameter_unknown(action, name),
        };
        self.add(path, message);
    }

    /// It can only be read.
    pub(crate) fn not_writable(&mut self, path: &Path<'_>) {
        self.add(path, messages::property_not_writable(path.name()));
    }

    /// It has to be given.
    pub(crate) fn missing(&mut self, path: &Path<'_>) {
        let name = path.name();
        let message = match self.voice {
            Voice::Properties => messages::create_failed_missing_req_properties(name),
            Voice::Parameters(action) => messages::action_parameter_missing(action, name),
        };
        self.add(path, message);
    }

    /// The value can't be. It is repeated, unless it is a secret.
    pub(crate) fn misfit(&mut self, path: &Path<'_>, misfit: Misfit, value: &Value, secret: bool) {
        let (name, value) = (path.name(), shown(value, secret));
        let message = match (self.voice, misfit) {
            (Voice::Properties, Misfit::Type) => messages::property_value_type_error(value, name),
            (Voice::Properties, Misfit::NotInList) => {
                messages::property_value_not_in_list(value, name)
            }
            (Voice::Properties, Misfit::OutOfRange) => {
                messages::property_value_out_of_range(value, name)
            }
            (Voice::Properties, Misfit::Format) => {
                messages::property_value_format_error(value, name)
            }
            (Voice::Parameters(action), Misfit::Type) => {
                messages::action_parameter_value_type_error(value, name, action)
            }
            (Voice::Parameters(action), Misfit::NotInList) => {
                messages::action_parameter_value_not_in_list(value, name, action)
            }
            (Voice::Parameters(action), Misfit::OutOfRange) => {
                messages::action_parameter_value_out_of_range(value, name, action)
            }
            (Voice::Parameters(action), Misfit::Format) => {
                messages::action_parameter_value_format_error(value, name, action)
            }
        };
        self.add(path, message);
    }

    fn add(&mut self, path: &Path<'_>, message: Message) {
        if self.messages.len() < MOST {
            let related = Field::Value(vec![format!("#{}", path.pointer())]);
            self.messages.push(Message { related_properties: related, ..message });
        } else if self.messages.len() == MOST {
            self.messages.push(messages::maximum_errors_exceeded());
        }
    }
}

/// Where in the body, from the inside out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'a> {
    pub(crate) above: Option<&'a Path<'a>>,
    pub(crate) token: &'a str,
}

impl<'a> Path<'a> {
    pub(crate) const fn top(token: &'a str) -> Self {
        Self { above: None, token }
    }

    pub(crate) const fn below(&'a self, token: &'a str) -> Path<'a> {
        Path { above: Some(self), token }
    }

    /// The name as messages have it: `Boot/BootSourceOverrideTarget`.
    fn name(&self) -> String {
        let mut name = self.above.map_or_else(String::new, |above| above.name() + "/");
        name.extend(self.token.chars().take(SHOWN));
        name
    }

    /// The JSON pointer (RFC 6901).
    fn pointer(&self) -> String {
        let above = self.above.map_or_else(String::new, Path::pointer);
        let token: String = self.token.chars().take(SHOWN).collect();
        format!("{above}/{}", token.replace('~', "~0").replace('/', "~1"))
    }
}

/// A value as messages repeat it.
fn shown(value: &Value, secret: bool) -> String {
    if secret {
        return "******".to_owned();
    }
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

/// Messages as tests compare them: the last part of the id, and the arguments.
#[cfg(test)]
pub(super) fn lines(messages: &[Message]) -> Vec<String> {
    let line = |message: &Message| {
        let id = message.message_id().unwrap_or_default();
        let arguments = message.message_args.value().cloned().unwrap_or_default();
        format!("{} {}", id.rsplit('.').next().unwrap_or_default(), arguments.join(" "))
    };
    messages.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_names_and_pointers() {
        let above = Path::top("Boot");
        let path = above.below("a/b~");
        assert_eq!((path.name().as_str(), path.pointer().as_str()), ("Boot/a/b~", "/Boot/a~1b~0"));
    }

    #[test]
    fn secrets_and_long_values_are_not_repeated() {
        let check = |value: Value, secret, expect: &str| assert_eq!(shown(&value, secret), expect);
        check("x".into(), false, "x");
        check("x".into(), true, "******");
        check(7.into(), false, "7");
        check("é".repeat(100).into(), false, &format!("{}…", "é".repeat(SHOWN)));
    }

    #[test]
    fn faults_are_bounded() {
        let mut faults = Faults::new(Voice::Properties);
        (0..1000).for_each(|_| faults.unknown(&Path::top("x")));
        let messages = faults.into_messages();
        assert_eq!(messages.len(), MOST + 1);
        assert_eq!(lines(&messages).last().map(String::as_str), Some("MaximumErrorsExceeded "));
    }
}

//! Messages of a registry, filled in (DSP0266, "Messages").

use redfish_model::Field;
use redfish_model::resource::Health;

pub use redfish_model::message::Message;

/// A message of a registry, in our words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition {
    /// `Base.1.22.PropertyUnknown`.
    pub(crate) id: &'static str,
    /// How bad it is.
    pub(crate) severity: Severity,
    /// The text, with `%1` and so on for the arguments.
    pub(crate) text: &'static str,
    /// What to do about it.
    pub(crate) resolution: &'static str,
}

/// The severity of a message in a registry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Severity {
    OK,
    Warning,
    Critical,
}

/// An argument of a message.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Text(String),
    Number(serde_json::Number),
}

impl Definition {
    /// The message with its arguments; the generated constructors see to their number.
    pub(crate) fn with(self, arguments: Vec<Argument>) -> Message {
        let arguments: Vec<String> = arguments
            .into_iter()
            .map(|argument| match argument {
                Argument::Text(text) => text,
                Argument::Number(number) => number.to_string(),
            })
            .collect();
        let health = match self.severity {
            Severity::OK => Health::OK,
            Severity::Warning => Health::Warning,
            Severity::Critical => Health::Critical,
        };
        Message {
            message: Field::Value(fill(self.text, &arguments)),
            message_args: match arguments.is_empty() {
                true => Field::Absent,
                false => Field::Value(arguments),
            },
            message_severity: Field::Value(health),
            resolution: Field::Value(self.resolution.to_owned()),
            ..Message::new(self.id)
        }
    }
}

/// Puts the arguments into a text; what they hold is not looked at again.
fn fill(text: &str, arguments: &[String]) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut parts = text.split('%');
    out.extend(parts.next());
    for part in parts {
        let digit = part.chars().next().and_then(|c| c.to_digit(10));
        let argument = digit.and_then(|d| arguments.get((d as usize).checked_sub(1)?));
        match argument {
            Some(argument) => {
                out.push_str(argument);
                out.push_str(&part[1..]);
            }
            None => {
                out.push('%');
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;

    #[test]
    fn arguments_are_filled_in_once() {
        let check = |text: &str, arguments: &[&str], expect: &str| {
            let arguments: Vec<_> = arguments.iter().map(|a| (*a).to_owned()).collect();
            assert_eq!(fill(text, &arguments), expect);
        };
        check("'%1' of %2.", &["a", "b"], "'a' of b.");
        check("'%1' of %2.", &["%2", "b"], "'%2' of b.");
        check("100 % of %1", &["x"], "100 % of x");
        check("%3", &["x"], "%3");
    }

    #[test]
    fn constructors_say_everything() {
        let message = messages::property_unknown("Colour");
        assert_eq!(message.message_id(), Ok("Base.1.22.PropertyUnknown"));
        assert_eq!(message.message_args.value(), Some(&vec!["Colour".to_owned()]));
        assert_eq!(message.message_severity.value(), Some(&Health::Warning));
        assert!(message.message.value().is_some_and(|text| text.contains("Colour")));
        assert!(messages::success().message_args.is_absent());
    }
}

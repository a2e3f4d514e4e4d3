//! `schema/messages.toml`: our sentences for the messages of the Base registry.
//!
//! The registry gives ids, arity and severity; its prose stays with DMTF.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::json::ValueExt;

const FILE: &str = "schema/messages.toml";

/// The wording by message id.
pub type Wording = BTreeMap<String, Words>;

/// How we say one message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Names of the arguments, in the registry's order.
    pub args: Vec<String>,
    /// The message, with `%1` and so on for the arguments.
    pub text: String,
    /// What to do about it.
    pub resolution: String,
}

/// Parses `schema/messages.toml`.
pub fn parse(text: &str) -> Result<Wording> {
    toml::from_str(text).map_err(|e| Error::syntax(FILE, e))
}

/// Gives the messages of `x-messages` their wording; each must have one, and no other.
pub fn join(registry: &mut Value, wording: &Wording) -> Result<()> {
    let messages = registry["messages"].as_object_mut().ok_or_else(|| error("", "no registry"))?;
    if let Some(id) = wording.keys().find(|id| !messages.contains_key(*id)) {
        return Err(error(id, "the registry has no such message"));
    }
    for (id, message) in messages {
        let words = wording.get(id).ok_or_else(|| error(id, "has no wording yet"))?;
        let types = message.texts("args");
        if types.len() != words.args.len() {
            return Err(error(
                id,
                format!("has {} arguments, not {}", types.len(), words.args.len()),
            ));
        }
        for number in 1..=types.len() {
            if words.text.matches(&format!("%{number}")).count() != 1 {
                return Err(error(id, format!("must say %{number} once")));
            }
        }
        let args = words.args.iter().zip(types);
        message["args"] = args.map(|(name, ty)| json!({"name": name, "type": ty})).collect();
        message["text"] = words.text.clone().into();
        message["resolution"] = words.resolution.clone().into();
    }
    Ok(())
}

fn error(id: &str, message: impl std::fmt::Display) -> Error {
    Error::syntax(FILE, format!("[{id}]: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_has_its_words() {
        let check = |toml: &str, expect: &str| {
            let mut registry = json!({"messages": {"A": {"args": ["string"]}}});
            let result = join(&mut registry, &parse(toml).unwrap());
            let text = result.err().map(|e| e.to_string()).unwrap_or_default();
            assert!(text.contains(expect) && text.is_empty() == expect.is_empty(), "{text}");
        };
        check("[A]\nargs = ['x']\ntext = 'Is %1.'\nresolution = 'None.'", "");
        check("", "[A]: has no wording yet");
        check(
            "[B]\nargs = []\ntext = ''\nresolution = ''",
            "[B]: the registry has no such message",
        );
        check("[A]\nargs = []\ntext = ''\nresolution = ''", "[A]: has 1 arguments, not 0");
        check("[A]\nargs = ['x']\ntext = 'Is.'\nresolution = ''", "[A]: must say %1 once");
    }
}

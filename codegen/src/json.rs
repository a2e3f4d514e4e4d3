//! JSON values as this crate writes them: members always sorted, whatever map `serde_json` uses.
//!
//! Another crate of a build can switch `serde_json` to insertion order; the committed document
//! must not change with that.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// The compact form with sorted members.
pub fn canonical(value: &Value) -> Vec<u8> {
    // Writing a tree of sorted maps to memory has no way to fail.
    serde_json::to_vec(&Sorted::from(value)).unwrap_or_default()
}

/// The indented form with sorted members and a final newline.
pub fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(&Sorted::from(value)).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
#[serde(untagged)]
enum Sorted<'a> {
    Scalar(&'a Value),
    Array(Vec<Sorted<'a>>),
    Object(BTreeMap<&'a str, Sorted<'a>>),
}

impl<'a> From<&'a Value> for Sorted<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(map) => {
                Self::Object(map.iter().map(|(k, v)| (k.as_str(), Self::from(v))).collect())
            }
            scalar => Self::Scalar(scalar),
        }
    }
}

/// Reading helpers for documents whose shape earlier passes have checked.
pub(crate) trait ValueExt {
    /// A text member.
    fn text(&self, name: &str) -> Option<&str>;
    /// Whether a member is there and `true`.
    fn flag(&self, name: &str) -> bool;
    /// The members of an object member; none when it is absent.
    fn members(&self, name: &str) -> impl Iterator<Item = (&String, &Value)>;
    /// The texts of an array member; none when it is absent.
    fn texts(&self, name: &str) -> Vec<String>;
}

impl ValueExt for Value {
    fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    fn members(&self, name: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.get(name).and_then(Value::as_object).into_iter().flatten()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let items = self.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

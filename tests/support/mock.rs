//! The mock backend as seen by tests: which machines it has, and what was done to them.
//!
//! The one place that knows the shape of its control API.

use serde_json::Value;

use crate::server::Server;

/// An action that the mock was told to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The id of the machine.
    pub machine: String,
    /// What was done: `power`, `boot`, `insert`, `eject`, …
    pub action: String,
    /// With what.
    pub details: Value,
}

/// The journal so far, oldest first.
#[track_caller]
pub fn journal(server: &Server) -> Vec<Entry> {
    let answer = server.admin().get("/mock/journal").expect(200);
    let text = String::from_utf8(answer.body).unwrap();
    text.lines().filter(|line| !line.trim().is_empty()).map(entry).collect()
}

#[track_caller]
fn entry(line: &str) -> Entry {
    let mut value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let machine = text("machine").unwrap_or_else(|| panic!("no machine: {line}"));
    let action = text("action").unwrap_or_else(|| panic!("no action: {line}"));
    if let Some(members) = value.as_object_mut() {
        for known in ["action", "machine"] {
            members.remove(known);
        }
    }
    Entry { machine, action, details: value }
}

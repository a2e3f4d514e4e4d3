//! The mock backend as seen by tests: which machines it has, and what was done to them.
//!
//! The one place that knows the shape of its control API.

use serde_json::Value;

use crate::server::Server;

/// The machines of `--mock-machines 3`.
pub const MACHINES: [&str; 3] = ["vm-1", "vm-2", "vm-3"];

/// Something that happened to a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The id of the machine.
    pub machine: String,
    /// What happened: `asked`, `refused`, `power`, `booted`, `medium_attached`, …
    pub event: String,
    /// All that the entry says.
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
    let details: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let text = |name: &str| {
        details[name].as_str().unwrap_or_else(|| panic!("no {name}: {line}")).to_owned()
    };
    Entry { machine: text("machine"), event: text("event"), details }
}

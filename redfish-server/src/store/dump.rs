//! All records of a store as one text, for backups and for moving from one kind of store to another.
//!
//! It is JSON with a line per record, so that a diff of two exports shows what changed. Revisions
//! are not in it: they belong to the store. It holds password hashes and the like; whoever writes
//! it to a file gives that file mode 0600.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::{Error, Kind, Result};

/// The version of the text, and of the records in it.
pub(super) const SCHEMA: u64 = 1;

/// All records of a store. `Debug` shows how many.
#[derive(Clone, PartialEq, Eq)]
pub struct Dump {
    records: Vec<DumpRecord>,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct DumpRecord {
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) bytes: Vec<u8>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    redfish_state: u64,
    records: usize,
}

/// Any other line: the content is JSON where the record is, so that people can read it.
#[derive(Serialize, Deserialize)]
struct Line {
    kind: String,
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    json: Option<Box<serde_json::value::RawValue>>,
}

impl Dump {
    pub(super) fn new(records: Vec<DumpRecord>) -> Self {
        Self { records }
    }

    pub(super) fn into_records(self) -> Vec<DumpRecord> {
        self.records
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// As text.
    ///
    /// # Errors
    /// None that a store's own records can cause.
    pub fn to_text(&self) -> Result<String> {
        let failed = |error: serde_json::Error| Error::Failed(error.to_string());
        let head = Head { redfish_state: SCHEMA, records: self.records.len() };
        let mut text = serde_json::to_string(&head).map_err(failed)? + "\n";
        for record in &self.records {
            text += &serde_json::to_string(&Line::from(record)).map_err(failed)?;
            text.push('\n');
        }
        Ok(text)
    }

    /// From text.
    ///
    /// # Errors
    /// [`Error::Newer`], and [`Error::Damaged`] with the line that is no record.
    pub fn from_text(text: &str) -> Result<Self> {
        let damaged = |line: usize, reason: &str| Error::Damaged {
            what: format!("line {line} of the export"),
            reason: reason.to_owned(),
        };
        let mut lines = text.lines().enumerate();
        let head = lines.next().map(|(_, line)| serde_json::from_str::<Head>(line));
        let Some(Ok(head)) = head else {
            return Err(damaged(1, "it is not the head of an export"));
        };
        if head.redfish_state > SCHEMA {
            return Err(Error::Newer { found: head.redfish_state, known: SCHEMA });
        }
        let mut records = Vec::new();
        for (index, line) in lines {
            let line = serde_json::from_str::<Line>(line)
                .map_err(|_| damaged(index + 1, "it is no record"))?;
            records.push(line.record().map_err(|reason| damaged(index + 1, reason))?);
        }
        match records.len() == head.records {
            true => Ok(Self::new(records)),
            false => Err(damaged(text.lines().count(), "the number of records is wrong")),
        }
    }
}

impl fmt::Debug for Dump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dump").field("records", &self.records.len()).finish()
    }
}

impl From<&DumpRecord> for Line {
    fn from(record: &DumpRecord) -> Self {
        let text = std::str::from_utf8(&record.bytes).ok().filter(|text| !text.contains('\n'));
        let json = text.and_then(|text| serde_json::value::RawValue::from_string(text.into()).ok());
        // RawValue drops white space around the value.
        let json = json.filter(|json| json.get().len() == record.bytes.len());
        let base64 = json.is_none().then(|| STANDARD.encode(&record.bytes));
        Self { kind: record.kind.to_string(), id: record.id.clone(), base64, json }
    }
}

impl Line {
    fn record(self) -> Result<DumpRecord, &'static str> {
        let kind = Kind::from_name(&self.kind).ok_or("its kind is unknown")?;
        let bytes = match (self.json, self.base64) {
            (Some(json), None) => json.get().as_bytes().to_vec(),
            (None, Some(base64)) => {
                STANDARD.decode(base64).map_err(|_| "its content is no base64")?
            }
            _ => return Err("it needs either json or base64"),
        };
        Ok(DumpRecord { kind, id: self.id, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hold_any_bytes() {
        let check = |bytes: &[u8], json: bool| {
            let record = DumpRecord { kind: Kind::Log, id: "a/\"b".into(), bytes: bytes.into() };
            let dump = Dump::new(vec![record]);
            let text = dump.to_text().unwrap();
            assert_eq!(text.contains("\"json\""), json, "{text}");
            assert_eq!(text.lines().count(), 2);
            assert_eq!(Dump::from_text(&text).unwrap(), dump);
        };
        check(br#"{"a":1.0,"b":[null]}"#, true);
        check(b" 1", false);
        check(b"{\n}", false);
        check(b"\xff\x00", false);
        check(b"", false);
    }

    #[test]
    fn wrong_texts_are_refused() {
        let check = |text: &str, expect: &str| {
            let error = Dump::from_text(text).unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        };
        check("", "line 1");
        check("{}", "line 1");
        check("{\"redfish_state\":9,\"records\":0}", "version 9");
        check("{\"redfish_state\":1,\"records\":1}", "number of records");
        check(
            "{\"redfish_state\":1,\"records\":1}\n{\"kind\":\"x\",\"id\":\"\"}",
            "kind is unknown",
        );
        check("{\"redfish_state\":1,\"records\":1}\n{\"kind\":\"log\",\"id\":\"\"}", "either");
        let bad =
            "{\"redfish_state\":1,\"records\":1}\n{\"kind\":\"log\",\"id\":\"\",\"base64\":\"=\"}";
        check(bad, "line 2");
    }
}

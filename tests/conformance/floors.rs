//! How much must have passed: for each profile and schema a number of checks, in `floors.json`.
//!
//! A validator that found nothing wrong may have found nothing at all. `REDFISH_RECORD=1` writes the table
//! anew from what this run gave, less a tenth for what varies (sessions, log entries); the diff is the
//! review.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use redfish_tests::root;

type Table = BTreeMap<String, BTreeMap<String, usize>>;

/// Tests of several profiles record at the same time.
static RECORDING: Mutex<()> = Mutex::new(());

/// Schemas that passed fewer checks than they must; those that nobody expects are told too.
pub(crate) fn shortfalls(profile: &str, passed: &BTreeMap<String, usize>) -> Vec<String> {
    if std::env::var_os("REDFISH_RECORD").is_some() {
        record(profile, passed);
    }
    compare(read().get(profile), passed)
}

fn compare(
    floors: Option<&BTreeMap<String, usize>>,
    passed: &BTreeMap<String, usize>,
) -> Vec<String> {
    let Some(floors) = floors else {
        return vec!["no floors for this profile: record them with REDFISH_RECORD=1".to_owned()];
    };
    let mut faults = Vec::new();
    for (schema, floor) in floors {
        let number = passed.get(schema).copied().unwrap_or_default();
        if number < *floor {
            faults.push(format!("{schema}: {number} checks passed, {floor} must"));
        }
    }
    for schema in passed.keys().filter(|schema| !floors.contains_key(*schema)) {
        faults.push(format!("{schema}: new, record its floor with REDFISH_RECORD=1"));
    }
    faults
}

fn record(profile: &str, passed: &BTreeMap<String, usize>) {
    let _guard = RECORDING.lock().unwrap();
    let mut table = read();
    let floors = passed.iter().map(|(schema, number)| (schema.clone(), number - number / 10));
    table.insert(profile.to_owned(), floors.collect());
    let text = serde_json::to_string_pretty(&table).unwrap();
    std::fs::write(path(), text + "\n").unwrap();
}

fn read() -> Table {
    let path = path();
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn path() -> PathBuf {
    root().join("tests/conformance/floors.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_missing_and_new() {
        #[track_caller]
        fn check(passed: &[(&str, usize)], expect: &[&str]) {
            let table = |list: &[(&str, usize)]| {
                list.iter().map(|(schema, number)| ((*schema).to_owned(), *number)).collect()
            };
            let floors: BTreeMap<_, _> = table(&[("Chassis", 10), ("Manager", 5)]);
            assert_eq!(compare(Some(&floors), &table(passed)), expect);
        }
        check(&[("Chassis", 10), ("Manager", 50)], &[]);
        check(
            &[("Chassis", 9), ("Drive", 1)],
            &[
                "Chassis: 9 checks passed, 10 must",
                "Manager: 0 checks passed, 5 must",
                "Drive: new, record its floor with REDFISH_RECORD=1",
            ],
        );
        assert_eq!(compare(None, &BTreeMap::new()).len(), 1);
    }
}

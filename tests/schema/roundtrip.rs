//! Published documents go through their types and come back as they were.
//!
//! The check is the one of the example program `roundtrip`; here the count per type is recorded,
//! so that a type which silently drops out is noticed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use redfish_model::catalog::TYPES;
use redfish_model::reflect::TypeKind;
use serde_json::Value;

use crate::support::{bundle_file, json_documents};

#[path = "../../redfish-model/examples/roundtrip/check.rs"]
pub(crate) mod check;

use check::Outcome;

const MOCKUPS: [&str; 4] = ["bladed", "rackmount1", "telemetry", "tower"];

/// Documents per type that came back identical when this was last recorded.
const RECORDED: &str = include_str!("roundtrip_counts.json");

/// Values of the published files that do not fit the schema, and are kept all the same.
const KNOWN_MISFITS: [(&str, usize); 4] = [
    ("License.1.0.0.json", 8),
    ("Platform.1.3.0.json", 24),
    ("RenderStorage/index.json", 1),
    ("Update.1.0.0.json", 10),
];

#[derive(Default)]
struct Counts {
    identical: BTreeMap<String, usize>,
    faults: Vec<String>,
    misfits: BTreeMap<String, usize>,
}

/// What became of the documents; all tests look at one reading of them.
static COUNTS: LazyLock<Counts> = LazyLock::new(count);

fn count() -> Counts {
    let mockups = MOCKUPS.map(|name| format!("mockup-public-{name}.zip"));
    let mut counts = Counts::default();
    for zip in mockups.into_iter().chain(["DSP8011_2025.4.zip".to_owned()]) {
        for (name, text) in json_documents(&bundle_file(&zip)) {
            let (schema, outcome) = check::check(text.as_bytes());
            match outcome {
                Outcome::Identical { misfits, .. } => {
                    *counts.identical.entry(schema).or_default() += 1;
                    if !misfits.is_empty() {
                        counts.misfits.insert(name, misfits.len());
                    }
                }
                Outcome::Unsupported | Outcome::NoResource(_) => {}
                fault => counts.faults.push(format!("{zip}: {name}: {fault:?}")),
            }
        }
    }
    counts
}

#[test]
fn published_documents_come_back_identical() {
    let counts = &*COUNTS;
    assert!(counts.faults.is_empty(), "{}", counts.faults.join("\n"));
    let recorded: BTreeMap<String, usize> = serde_json::from_str::<Value>(RECORDED)
        .unwrap()
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, count)| (name.clone(), usize::try_from(count.as_u64().unwrap()).unwrap()))
        .collect();
    for (name, count) in &recorded {
        let now = counts.identical.get(name).copied().unwrap_or_default();
        assert!(now >= *count, "{name}: {now} documents instead of {count}");
    }
    assert_eq!(
        counts.identical, recorded,
        "more documents than recorded: update tests/schema/roundtrip_counts.json"
    );
    println!(
        "{} documents of {} types came back identical",
        counts.identical.values().sum::<usize>(),
        counts.identical.len()
    );
}

#[test]
fn only_known_values_do_not_fit() {
    let found = &COUNTS.misfits;
    assert_eq!(found.len(), KNOWN_MISFITS.len(), "{found:?}");
    for (name, expect) in KNOWN_MISFITS {
        let (_, count) = found.iter().find(|(path, _)| path.ends_with(name)).unwrap();
        assert_eq!(*count, expect, "{name}");
    }
}

/// These rest on the property tests alone.
#[test]
fn types_without_published_documents() {
    let counts = &*COUNTS;
    let without: Vec<_> = TYPES
        .iter()
        .filter(|entry| entry.kind == TypeKind::Resource)
        .filter_map(|entry| entry.schema)
        .filter(|schema| !counts.identical.contains_key(*schema))
        .collect();
    insta::assert_json_snapshot!(without);
}

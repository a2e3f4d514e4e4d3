//! The sentences of `schema/messages.toml` are ours and not the registry's.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{bundle_file, json_document, trimmed};

/// The words of a sentence, arguments and punctuation aside.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// How much of two sentences is the same, in order: 1.0 for all of it.
fn likeness(a: &[String], b: &[String]) -> f64 {
    let mut row = vec![0_u32; b.len() + 1];
    for word in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    let longest = u32::try_from(a.len().max(b.len())).unwrap();
    f64::from(row[b.len()]) / f64::from(longest)
}

#[test]
fn no_sentence_is_the_registrys() {
    let registry = json_document(&bundle_file("DSP8011_2025.4.zip"), "registries/Base.1.22.1.json");
    let theirs: BTreeSet<_> = registry["Messages"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|m| ["Message", "Description", "LongDescription", "Resolution"].map(|k| &m[k]))
        .filter_map(Value::as_str)
        .map(words)
        .collect();
    let document = trimmed();
    let ours = document["x-messages"]["messages"].as_object().unwrap();
    let mut compared = 0;
    for (id, message) in ours {
        for key in ["text", "resolution"] {
            let sentence = words(message[key].as_str().unwrap());
            // "None." has no other wording.
            for other in theirs.iter().filter(|_| sentence.len() > 1) {
                let likeness = likeness(&sentence, other);
                assert!(likeness < 0.8, "{id}: {sentence:?} is too like {other:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn likeness_is_measured() {
    let check = |a: &str, b: &str, expect: f64| {
        assert!((likeness(&words(a), &words(b)) - expect).abs() < 1e-9, "{a} / {b}");
    };
    check("The value '%1' is wrong.", "the value 1 is wrong", 1.0);
    check("a b c d", "a x c y", 0.5);
    check("a b", "c d", 0.0);
}

//! Puts one document through its type.

use redfish_model::Inspection;
use redfish_model::reflect::resource_entry;
use serde_json::Value;

/// What became of a document.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It came back as it was; the required members that it lacks, and those that do not fit
    /// their types and were kept as they are.
    Identical {
        /// JSON pointers.
        missing: Vec<String>,
        /// JSON pointers and reasons.
        misfits: Vec<String>,
    },
    /// It came back otherwise; where.
    Different(Vec<String>),
    /// It does not fit its type.
    Unparsed(String),
    /// Its type is not in this crate.
    Unsupported,
    /// It is no Redfish resource, or no JSON at all.
    NoResource(String),
}

/// The schema of a document, and what became of it.
pub(crate) fn check(text: &[u8]) -> (String, Outcome) {
    let none = |why: &str| ("-".to_owned(), Outcome::NoResource(why.to_owned()));
    // A byte order mark is no part of JSON, but some services write one.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let Ok(text) = std::str::from_utf8(text) else { return none("not UTF-8") };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return none(&format!("not JSON: {error}")),
    };
    let Some(odata_type) = value.get("@odata.type").and_then(Value::as_str) else {
        return none("no @odata.type");
    };
    let schema = schema(odata_type).to_owned();
    let Some(entry) = resource_entry(&schema) else { return (schema, Outcome::Unsupported) };
    let outcome = match (entry.rewrite)(text) {
        Err(error) => Outcome::Unparsed(error.to_string()),
        Ok(rewritten) => {
            let mut differences = Vec::new();
            compare(&value, &rewritten.value, "", &mut differences);
            if differences.is_empty() {
                let Inspection { missing, misfits, .. } = rewritten.inspection;
                Outcome::Identical {
                    missing: missing.into_iter().map(|m| m.pointer).collect(),
                    misfits: misfits
                        .iter()
                        .map(|m| format!("{}: {}", m.pointer, m.reason))
                        .collect(),
                }
            } else {
                Outcome::Different(differences)
            }
        }
    };
    (schema, outcome)
}

/// `#VirtualMedia.v1_6_5.VirtualMedia` -> `VirtualMedia`.
fn schema(odata_type: &str) -> &str {
    odata_type.trim_start_matches('#').split('.').next().unwrap_or_default()
}

/// Collects the JSON pointers at which two values differ.
fn compare(before: &Value, after: &Value, at: &str, differences: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for (name, value) in a {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match b.get(name) {
                    Some(other) => compare(value, other, &at, differences),
                    None => differences.push(format!("{at}: lost")),
                }
            }
            for name in b.keys().filter(|name| !a.contains_key(*name)) {
                differences.push(format!("{at}/{name}: invented"));
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(a, b, &format!("{at}/{index}"), differences);
            }
        }
        // serde_json's numbers tell 1 from 1.0, and compare integers exactly.
        (a, b) if a == b => {}
        (a, b) => differences.push(format!("{at}: {a} became {b}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_documents() {
        let check = |text: &str, schema: &str, expect: Outcome| {
            assert_eq!(check(text.as_bytes()), (schema.to_owned(), expect), "{text}");
        };
        let role = |rest: &str| format!(r##"{{"@odata.type": "#Role.v1_3_0.Role"{rest}}}"##);
        let outcome = |missing: &[&str], misfits: &[&str]| Outcome::Identical {
            missing: missing.iter().map(|m| (*m).to_owned()).collect(),
            misfits: misfits.iter().map(|m| (*m).to_owned()).collect(),
        };
        check(&role(""), "Role", outcome(&["/@odata.id", "/Id", "/Name", "/RoleId"], &[]));
        check(
            &role(r#", "RoleId": 1"#),
            "Role",
            outcome(
                &["/@odata.id", "/Id", "/Name"],
                &["/RoleId: invalid type: integer `1`, expected a string"],
            ),
        );
        check(r##"{"@odata.type": "#Fan.v1_0_0.Fan"}"##, "Fan", Outcome::Unsupported);
        check("{}", "-", Outcome::NoResource("no @odata.type".into()));
    }

    #[test]
    fn differences_are_found() {
        let check = |a: &str, b: &str, expect: &[&str]| {
            let (a, b) = (serde_json::from_str(a).unwrap(), serde_json::from_str(b).unwrap());
            let mut differences = Vec::new();
            compare(&a, &b, "", &mut differences);
            assert_eq!(differences, expect);
        };
        check(r#"{"a": [1, {"b/c": null}]}"#, r#"{"a": [1, {}]}"#, &["/a/1/b~1c: lost"]);
        check(r#"{"a": 1}"#, r#"{"a": 1.0}"#, &["/a: 1 became 1.0"]);
        check("{}", r#"{"a": 1}"#, &["/a: invented"]);
        check(
            "18446744073709551615",
            "18446744073709551614",
            &[": 18446744073709551615 became 18446744073709551614"],
        );
    }
}

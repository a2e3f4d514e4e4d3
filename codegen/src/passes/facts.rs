//! Keeps facts, drops prose.
//!
//! The document that we commit holds names, types, enums, units, permissions and versions, and
//! no sentence of DMTF's. Keywords are listed on both sides, so that a new one is noticed
//! rather than silently kept or lost.

use serde_json::{Map, Value};

use crate::error::{Error, Result};

const PROSE: [&str; 7] = [
    "description",
    "title",
    "x-deprecatedReason",
    "x-enumDeprecated",
    "x-enumDescriptions",
    "x-enumLongDescriptions",
    "x-longDescription",
];

const FACTS: [&str; 28] = [
    "$ref",
    "additionalProperties",
    "deprecated",
    "enum",
    "format",
    "items",
    "maximum",
    "minimum",
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "readOnly",
    "required",
    "type",
    "writeOnly",
    "x-autoExpand",
    "x-cut",
    "x-enumVersionAdded",
    "x-enumVersionDeprecated",
    "x-excerpt",
    "x-excerptCopy",
    "x-excerptCopyOnly",
    "x-patternProperties",
    "x-requiredOnCreate",
    "x-units",
    "x-uriSegment",
    "x-versionAdded",
];

/// Written beside `deprecated`, with the version in which that happened.
const DEPRECATED_IN: &str = "x-versionDeprecated";

/// Removes prose from a schema object, all the way down.
pub fn keep_facts(schema: &mut Value, place: &str) -> Result<()> {
    let Some(map) = schema.as_object_mut() else { return Ok(()) };
    map.retain(|keyword, _| !PROSE.contains(&keyword.as_str()));
    for (keyword, value) in map.iter_mut() {
        match keyword.as_str() {
            "properties" | "x-patternProperties" => each_member(value, place)?,
            "items" | "additionalProperties" => keep_facts(value, place)?,
            "oneOf" => {
                for branch in value.as_array_mut().into_iter().flatten() {
                    keep_facts(branch, place)?;
                }
            }
            known if FACTS.contains(&known) || known == DEPRECATED_IN => {}
            unknown => {
                return Err(Error::schema(
                    place,
                    format!(
                        "unknown keyword `{unknown}`: list it in codegen/src/passes/facts.rs as fact or prose"
                    ),
                ));
            }
        }
    }
    Ok(())
}

fn each_member(members: &mut Value, place: &str) -> Result<()> {
    let empty = &mut Map::new();
    for (name, member) in members.as_object_mut().unwrap_or(empty) {
        keep_facts(member, &format!("{place}.{name}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prose_goes_facts_stay() {
        let check = |mut input: Value, expect: Value| {
            keep_facts(&mut input, "X").unwrap();
            assert_eq!(input, expect);
        };
        check(
            json!({"type": "string", "description": "d", "x-longDescription": "l"}),
            json!({"type": "string"}),
        );
        // A property may be named like a keyword.
        check(
            json!({"properties": {"description": {"type": "string", "description": "d"}}}),
            json!({"properties": {"description": {"type": "string"}}}),
        );
        check(
            json!({"items": {"oneOf": [{"$ref": "#/a", "description": "d"}, {"enum": [null]}]}}),
            json!({"items": {"oneOf": [{"$ref": "#/a"}, {"enum": [null]}]}}),
        );
        check(
            json!({"enum": ["A"], "x-enumDescriptions": {"A": "d"}, "x-enumVersionAdded": {"A": "v1_1_0"}}),
            json!({"enum": ["A"], "x-enumVersionAdded": {"A": "v1_1_0"}}),
        );
    }

    #[test]
    fn a_new_keyword_is_noticed() {
        let error = keep_facts(&mut json!({"properties": {"A": {"x-new": 1}}}), "X").unwrap_err();
        assert!(error.to_string().starts_with("X.A: unknown keyword `x-new`"), "{error}");
    }
}

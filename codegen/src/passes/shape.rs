//! Brings DMTF's spellings of one thing into one form.
//!
//! After this pass a schema object has at most one of `$ref` and `allOf` with one reference,
//! `nullable` says what `oneOf: [X, {enum: [null]}]` said, item keywords stand on items, and
//! an object whose member names are free says so with `additionalProperties`.

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};

/// The pattern of annotation names; every Redfish object may have them, so it says nothing.
const ANNOTATIONS: &str =
    r"^([a-zA-Z_][a-zA-Z0-9_]*)?@(odata|Redfish|Message)\.[a-zA-Z_][a-zA-Z0-9_]*$";

/// Keywords that describe a text or number and that DMTF also writes on arrays of them.
const ITEM_KEYWORDS: [&str; 4] = ["format", "maximum", "minimum", "pattern"];

/// Normalises a schema object, all the way down.
pub fn normalise(schema: &mut Value, place: &str) -> Result<()> {
    let Some(map) = schema.as_object_mut() else { return Ok(()) };
    lift_item_keywords(map);
    one_of_null(map, place)?;
    free_names(map, place)?;
    for (name, member) in
        map.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        normalise(member, &format!("{place}.{name}"))?;
    }
    if let Some(items) = map.get_mut("items") {
        normalise(items, place)?;
    }
    siblings(map);
    Ok(())
}

/// `{type: array, format: F, items: {}}` -> `{type: array, items: {format: F}}`.
fn lift_item_keywords(map: &mut Map<String, Value>) {
    if map.get("type").and_then(Value::as_str) != Some("array") {
        return;
    }
    let lifted: Vec<_> = ITEM_KEYWORDS.iter().filter_map(|k| map.remove_entry(*k)).collect();
    if let Some(items) = map.get_mut("items").and_then(Value::as_object_mut) {
        items.extend(lifted);
    }
}

/// `{oneOf: [{$ref: R}, {enum: [null]}]}` -> `{$ref: R, nullable: true}`.
fn one_of_null(map: &mut Map<String, Value>, place: &str) -> Result<()> {
    let Some(branches) = map.remove("oneOf") else { return Ok(()) };
    match branches.as_array().map(Vec::as_slice) {
        Some([Value::Object(value), null]) if *null == json!({"enum": [null]}) => {
            map.extend(value.clone());
            map.insert("nullable".into(), true.into());
            Ok(())
        }
        _ => Err(Error::schema(place, "`oneOf` of another form than [type, null]")),
    }
}

/// Drops what says nothing, and turns real dynamic names into `additionalProperties`.
fn free_names(map: &mut Map<String, Value>, place: &str) -> Result<()> {
    let open = map.remove("additionalProperties") == Some(Value::Bool(true));
    let mut patterns = match map.remove("x-patternProperties") {
        Some(Value::Object(patterns)) => patterns,
        _ => Map::new(),
    };
    patterns.remove(ANNOTATIONS);
    if patterns.len() > 1 {
        return Err(Error::schema(place, "more than one pattern of free member names"));
    }
    if open {
        map.insert("additionalProperties".into(), true.into());
    } else if let Some((pattern, mut value)) = patterns.into_iter().next() {
        normalise(&mut value, place)?;
        map.insert("additionalProperties".into(), value);
        map.insert("x-namePattern".into(), pattern.into());
    }
    if map.get("properties").is_some_and(|p| *p == json!({})) {
        map.remove("properties");
    }
    Ok(())
}

/// `{$ref: R, readOnly: true}` -> `{allOf: [{$ref: R}], readOnly: true}`: OpenAPI 3.0 ignores
/// whatever stands beside `$ref`.
fn siblings(map: &mut Map<String, Value>) {
    if map.len() > 1
        && let Some(reference) = map.remove("$ref")
    {
        map.insert("allOf".into(), json!([{"$ref": reference}]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "tables read better without references")]
    fn check(mut input: Value, expect: Value) {
        normalise(&mut input, "X").unwrap();
        assert_eq!(input, expect);
    }

    #[test]
    fn array_keywords_move_to_items() {
        check(
            json!({"type": "array", "format": "uri-reference", "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "string", "format": "uri-reference"}}),
        );
        check(
            json!({"type": "array", "minimum": 1, "maximum": 31, "items": {"type": "integer"}}),
            json!({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 31}}),
        );
        check(
            json!({"type": "array", "pattern": "^a$", "items": {"type": "string", "nullable": true}}),
            json!({"type": "array", "items": {"type": "string", "nullable": true, "pattern": "^a$"}}),
        );
    }

    #[test]
    fn one_of_null_is_nullable() {
        check(
            json!({"oneOf": [{"$ref": "#/a"}, {"enum": [null]}], "readOnly": true}),
            json!({"allOf": [{"$ref": "#/a"}], "nullable": true, "readOnly": true}),
        );
        let error = normalise(&mut json!({"oneOf": [{"$ref": "#/a"}]}), "X").unwrap_err();
        assert!(error.to_string().contains("`oneOf`"), "{error}");
    }

    #[test]
    fn siblings_of_a_reference_survive() {
        check(json!({"$ref": "#/a"}), json!({"$ref": "#/a"}));
        check(
            json!({"$ref": "#/a", "readOnly": true}),
            json!({"allOf": [{"$ref": "#/a"}], "readOnly": true}),
        );
    }

    #[test]
    fn annotation_patterns_say_nothing() {
        check(
            json!({"type": "object", "additionalProperties": false, "x-patternProperties": {ANNOTATIONS: {}}}),
            json!({"type": "object"}),
        );
    }

    #[test]
    fn dynamic_names_become_additional_properties() {
        check(
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {},
                "x-patternProperties": {ANNOTATIONS: {}, "[A-Z]+": {"$ref": "#/m"}},
            }),
            json!({"type": "object", "additionalProperties": {"$ref": "#/m"}, "x-namePattern": "[A-Z]+"}),
        );
        check(
            json!({"type": "object", "additionalProperties": true, "x-patternProperties": {"[A-Z]+": {}}}),
            json!({"type": "object", "additionalProperties": true}),
        );
    }
}

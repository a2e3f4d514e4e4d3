//! Joins what only the JSON Schema files know: where a link leads, at which URIs a resource
//! stands, and what may be done to it.
//!
//! In the OpenAPI files every link is the same `odata-v4_idRef`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::closure::{Component, LOCAL};
use crate::error::{Error, Result};
use crate::json::ValueExt;
use crate::source::Bundle;
use crate::version::Version;

/// What a link that may lead to any resource is called.
pub const ANY: &str = "Any";

/// The definitions of JSON Schema files by schema name, the newest version's first.
#[derive(Debug)]
pub struct JsonSchemas<'a> {
    bundle: &'a Bundle,
    read: BTreeMap<String, Map<String, Value>>,
}

impl<'a> JsonSchemas<'a> {
    /// Nothing is read until it is asked for.
    pub fn new(bundle: &'a Bundle) -> Self {
        Self { bundle, read: BTreeMap::new() }
    }

    fn definitions(
        &mut self,
        schema: &str,
        version: Option<Version>,
    ) -> Result<&Map<String, Value>> {
        if !self.read.contains_key(schema) {
            let mut all = Map::new();
            let versioned = version.map(|v| format!("json-schema/{schema}.{v}.json"));
            let files = [Some(format!("json-schema/{schema}.json")), versioned];
            for file in files.into_iter().flatten() {
                if let Value::Object(definitions) = self.bundle.read(&file)?["definitions"].take() {
                    all.extend(definitions);
                }
            }
            self.read.insert(schema.into(), all);
        }
        Ok(&self.read[schema])
    }

    /// URIs and capabilities of a resource, from the unversioned file; `None` for a schema that
    /// is not a resource's.
    pub fn resource_facts(&self, schema: &str) -> Result<Option<Value>> {
        let file = format!("json-schema/{schema}.json");
        let document = self.bundle.read(&file)?;
        let Some(definition) = document["definitions"].get(schema) else { return Ok(None) };
        if definition.get("updatable").is_none() {
            return Ok(None);
        }
        Ok(Some(json!({
            "deletable": definition.flag("deletable"),
            "insertable": definition.flag("insertable"),
            "updatable": definition.flag("updatable"),
            "uris": definition.texts("uris"),
            "urisDeprecated": definition.texts("urisDeprecated"),
        })))
    }
}

/// Gives every link property its `x-link`, and takes back the type of a property that may have
/// several: OpenAPI 3.0 has no word for that, so DMTF writes one of them.
pub fn join(
    components: &mut BTreeMap<String, Component>,
    schemas: &mut JsonSchemas<'_>,
) -> Result<()> {
    for (name, component) in components {
        let Some(properties) = component.value.get_mut("properties").and_then(Value::as_object_mut)
        else {
            continue;
        };
        let own = name.strip_prefix(&component.schema).unwrap_or(name).trim_start_matches('_');
        for (property, value) in properties {
            let definitions = schemas.definitions(&component.schema, component.version)?;
            let known = find(definitions, own, property);
            if is_link(value) {
                let target = known.and_then(target).ok_or_else(|| {
                    let place = format!("{name}.{property}");
                    Error::schema(place, "the JSON Schema does not say where this link leads")
                })?;
                let array = value.text("type") == Some("array");
                mark(if array { &mut value["items"] } else { value }, &target);
            } else if let (Some(map), true) = (value.as_object_mut(), known.is_some_and(is_union)) {
                map.remove("type");
            }
        }
    }
    Ok(())
}

/// `{$ref: idRef}` -> `{allOf: [{$ref: idRef}], x-link: T}`.
fn mark(slot: &mut Value, target: &str) {
    let Some(map) = slot.as_object_mut() else { return };
    map.insert("x-link".into(), target.into());
    if let Some(reference) = map.remove("$ref") {
        map.insert("allOf".into(), json!([{"$ref": reference}]));
    }
}

fn is_link(property: &Value) -> bool {
    let slot = property.get("items").unwrap_or(property);
    let reference = slot.text("$ref").or_else(|| slot["allOf"][0].text("$ref"));
    reference.and_then(|r| r.strip_prefix(LOCAL)) == Some("odata-v4_idRef")
}

/// Whether a value may have one of several types, `null` aside.
fn is_union(property: &Value) -> bool {
    property.texts("type").iter().filter(|ty| *ty != "null").count() > 1
}

/// The JSON Schema of a property of a type, or of a parameter of an action.
fn find<'a>(definitions: &'a Map<String, Value>, own: &str, property: &str) -> Option<&'a Value> {
    if let Some(action) = own.strip_suffix("RequestBody") {
        return definitions.get(action)?.get("parameters")?.get(property);
    }
    let definition = definitions.get(own)?;
    let branches = definition.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(definition)
        .chain(branches)
        .find_map(|branch| branch.get("properties")?.get(property))
}

/// The schema that a JSON Schema property refers to.
fn target(property: &Value) -> Option<String> {
    if let Some(reference) = property.text("$ref") {
        let file = reference.split('#').next()?.rsplit('/').next()?;
        let schema = file.strip_suffix(".json")?;
        let any = ["odata-v4", "Resource"].contains(&schema);
        return Some(if any { ANY } else { schema }.to_owned());
    }
    let branches = property.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    branches.chain(property.get("items")).find_map(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let check = |property: Value, expect: Option<&str>| {
            assert_eq!(target(&property).as_deref(), expect, "{property}");
        };
        let link = |file: &str| json!({"$ref": format!("http://h/v1/{file}#/definitions/X")});
        check(link("Chassis.json"), Some("Chassis"));
        check(link("odata-v4.json"), Some(ANY));
        check(link("Resource.json"), Some(ANY));
        check(json!({"items": link("Chassis.json"), "type": "array"}), Some("Chassis"));
        check(json!({"anyOf": [link("Chassis.json"), {"type": "null"}]}), Some("Chassis"));
        check(json!({"items": {"anyOf": [link("Drive.json"), {"type": "null"}]}}), Some("Drive"));
        check(json!({"type": "string"}), None);
    }

    #[test]
    fn properties_are_found_in_types_collections_and_actions() {
        let Value::Object(definitions) = json!({
            "Links": {"properties": {"Chassis": 1}},
            "C": {"anyOf": [{"$ref": "idRef"}, {"properties": {"Members": 2}}]},
            "Insert": {"parameters": {"Target": 3}},
        }) else {
            unreachable!()
        };
        let check = |own, property, expect: Option<i64>| {
            assert_eq!(find(&definitions, own, property).and_then(Value::as_i64), expect);
        };
        check("Links", "Chassis", Some(1));
        check("C", "Members", Some(2));
        check("InsertRequestBody", "Target", Some(3));
        check("Insert", "Target", None);
    }

    #[test]
    fn unions_are_seen() {
        let check = |ty: Value, expect| assert_eq!(is_union(&json!({ "type": ty })), expect);
        check(json!("string"), false);
        check(json!(["string", "null"]), false);
        check(json!(["string", "boolean", "null"]), true);
    }

    #[test]
    fn links_are_marked_where_the_reference_stands() {
        let reference = format!("{LOCAL}odata-v4_idRef");
        let mut single = json!({"$ref": reference});
        assert!(is_link(&single));
        mark(&mut single, "Chassis");
        assert_eq!(single, json!({"allOf": [{"$ref": reference}], "x-link": "Chassis"}));
        assert!(is_link(&json!({"type": "array", "items": {"$ref": reference}})));
        assert!(!is_link(&json!({"$ref": "#/components/schemas/Resource_Status"})));
    }
}

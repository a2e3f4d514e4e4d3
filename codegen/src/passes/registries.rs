//! The privilege registry and the Base message registry, as facts.
//!
//! Both are kept whole: the service serves the first and speaks with the ids of the second.
//! Message texts stay behind; ours are our own.

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::json::ValueExt;
use crate::source::Bundle;

/// Reads the newest Redfish privilege registry into `x-privileges`.
pub fn privileges(bundle: &Bundle) -> Result<Value> {
    let (file, _) = bundle.newest_registry("Redfish_", "_PrivilegeRegistry.json")?;
    let registry = bundle.read(&file)?;
    let mappings = registry["Mappings"].as_array().cloned().unwrap_or_default();
    let mappings: Result<Vec<_>> = mappings.iter().map(|m| mapping(m, &file)).collect();
    Ok(json!({
        "id": registry["Id"],
        "mappings": mappings?,
        "odataType": registry["@odata.type"],
        "privileges": registry["PrivilegesUsed"],
    }))
}

fn mapping(mapping: &Value, file: &str) -> Result<Value> {
    let entity = mapping.text("Entity").unwrap_or_default();
    let place = format!("{file}: {entity}");
    let mut out = Map::new();
    for (name, value) in mapping.as_object().into_iter().flatten() {
        match name.as_str() {
            "Entity" => _ = out.insert("entity".into(), value.clone()),
            "OperationMap" => _ = out.insert("operations".into(), operation_map(value, &place)?),
            "SubordinateOverrides" => {
                out.insert("subordinateOverrides".into(), overrides(value, &place)?);
            }
            "PropertyOverrides" => {
                out.insert("propertyOverrides".into(), overrides(value, &place)?);
            }
            other => return Err(Error::schema(place, format!("unknown member `{other}`"))),
        }
    }
    Ok(out.into())
}

fn overrides(list: &Value, place: &str) -> Result<Value> {
    let list = list.as_array().into_iter().flatten();
    list.map(|entry| {
        let operations = operation_map(&entry["OperationMap"], place)?;
        Ok(json!({"operations": operations, "targets": entry.texts("Targets")}))
    })
    .collect()
}

/// `{GET: [{Privilege: [A, B]}, {Privilege: [C]}]}` -> `{GET: [[A, B], [C]]}`: any of the outer,
/// all of an inner list.
fn operation_map(map: &Value, place: &str) -> Result<Value> {
    let map = map.as_object().ok_or_else(|| Error::schema(place, "no OperationMap"))?;
    let lists = map.iter().map(|(method, any_of)| {
        let any_of = any_of.as_array().into_iter().flatten();
        let all: Vec<_> = any_of.map(|entry| entry.texts("Privilege")).collect();
        (method.clone(), json!(all))
    });
    Ok(lists.collect::<Map<_, _>>().into())
}

/// Reads the newest Base message registry into `x-messages`.
pub fn messages(bundle: &Bundle) -> Result<Value> {
    let (file, version) = bundle.newest_registry("Base.", ".json")?;
    let registry = bundle.read(&file)?;
    let mut messages = Map::new();
    for (id, message) in registry.members("Messages") {
        let types = message.texts("ParamTypes");
        if message["NumberOfArgs"].as_u64() != u64::try_from(types.len()).ok() {
            return Err(Error::schema(
                format!("{file}: {id}"),
                "NumberOfArgs and ParamTypes differ",
            ));
        }
        let mut out = json!({"args": types, "severity": message["MessageSeverity"]});
        for (from, to) in [("VersionAdded", "added"), ("VersionDeprecated", "deprecated")] {
            if let Some(version) = message.get(from) {
                out[to] = version.clone();
            }
        }
        messages.insert(id.clone(), out);
    }
    Ok(json!({
        "messages": messages,
        "registry": registry["RegistryPrefix"],
        "version": version.dotted(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_keeps_every_override() {
        let input = json!({
            "Entity": "E",
            "OperationMap": {"GET": [{"Privilege": ["A", "B"]}, {"Privilege": ["C"]}]},
            "SubordinateOverrides": [{"Targets": ["M"], "OperationMap": {"POST": [{"Privilege": ["D"]}]}}],
            "PropertyOverrides": [{"Targets": ["P"], "OperationMap": {"PATCH": [{"Privilege": ["E"]}]}}],
        });
        let expect = json!({
            "entity": "E",
            "operations": {"GET": [["A", "B"], ["C"]]},
            "subordinateOverrides": [{"targets": ["M"], "operations": {"POST": [["D"]]}}],
            "propertyOverrides": [{"targets": ["P"], "operations": {"PATCH": [["E"]]}}],
        });
        assert_eq!(mapping(&input, "f").unwrap(), expect);
        let error = mapping(&json!({"Entity": "E", "New": 1}), "f").unwrap_err();
        assert!(error.to_string().contains("unknown member `New`"), "{error}");
    }
}

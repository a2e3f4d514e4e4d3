//! The first half of the pipeline: bundle in, trimmed document out.
//!
//! The document is all that the second half sees. Whatever the emitters need (URIs, link targets,
//! capabilities, privileges, messages) stands in it, patches applied, so that its diff shows what
//! a change of the schema means and the Rust code can be made again without the bundle.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::json::ValueExt;
use crate::passes::closure::{self, Closure};
use crate::passes::links::{self, JsonSchemas};
use crate::passes::operations::{self, ResourceFacts};
use crate::passes::{facts, registries, shape};
use crate::patch::Patch;
use crate::resources::Resources;
use crate::source::Bundle;
use crate::wording::{self, Wording};

/// The trimmed document, and what a reader of the diff should know besides.
#[derive(Debug)]
pub struct Trimmed {
    /// An OpenAPI 3.0.3 document with `x-` members for what OpenAPI has no word for.
    pub document: Value,
    /// References that lead outside the bundle: place and target.
    pub cut: Vec<(String, String)>,
    /// Patches that do not fit; reported by a relock, otherwise an error.
    pub dead: Vec<Error>,
}

/// Makes the trimmed document.
pub fn trim(
    bundle: &Bundle,
    release: &str,
    resources: &Resources,
    wording: &Wording,
    patches: &[Patch],
) -> Result<Trimmed> {
    let mut schemas = JsonSchemas::new(bundle);
    let closure = load(bundle, resources, &mut schemas)?;
    let resource_facts = resource_facts(resources, &schemas)?;
    let mut document = frame(bundle, release, resources, &closure, &resource_facts)?;
    wording::join(&mut document["x-messages"], wording)?;
    let dead = patches.iter().filter_map(|patch| patch.apply(&mut document).err()).collect();
    document["paths"] = operations::paths(resources, &resource_facts, &document)?;
    agree_with_index(bundle, &document)?;
    Ok(Trimmed { document, cut: closure.cut, dead })
}

/// The components, each through all passes.
fn load(bundle: &Bundle, resources: &Resources, schemas: &mut JsonSchemas<'_>) -> Result<Closure> {
    let mut closure = closure::collect(bundle, resources.wanted())?;
    for (name, component) in &mut closure.components {
        facts::keep_facts(&mut component.value, name)?;
        shape::normalise(&mut component.value, name)?;
    }
    links::join(&mut closure.components, schemas)?;
    mark_secrets(&mut closure, &resources.secrets)?;
    Ok(closure)
}

/// Marks the properties whose value must never be shown: those of the list in
/// `schema/resources.toml`, and whatever the schema itself calls write-only.
fn mark_secrets(closure: &mut Closure, secrets: &[String]) -> Result<()> {
    let mut unused: BTreeSet<_> = secrets.iter().collect();
    for component in closure.components.values_mut() {
        let properties = component.value.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            let plain = matches!(property.text("type"), Some("string" | "array"));
            let listed = secrets.contains(name) && plain;
            if listed || property.flag("writeOnly") {
                property["x-secret"] = true.into();
                unused.remove(name);
            }
        }
    }
    match unused.first() {
        None => Ok(()),
        Some(name) => Err(Error::Syntax {
            file: "schema/resources.toml".into(),
            message: format!("secrets: no supported type has a property `{name}` of texts"),
        }),
    }
}

fn resource_facts(resources: &Resources, schemas: &JsonSchemas<'_>) -> Result<ResourceFacts> {
    let mut all = ResourceFacts::new();
    for name in resources.names() {
        if let Some(facts) = schemas.resource_facts(&name)? {
            all.insert(name, facts);
        }
    }
    Ok(all)
}

/// The document without its paths.
fn frame(
    bundle: &Bundle,
    release: &str,
    resources: &Resources,
    closure: &Closure,
    resource_facts: &ResourceFacts,
) -> Result<Value> {
    let mut components = Map::new();
    for (name, component) in &closure.components {
        let mut value = component.value.clone();
        value["x-schema"] = component.schema.clone().into();
        if let Some(version) = component.version {
            value["x-version"] = version.to_string().into();
        }
        if *name == operations::main(&component.schema)
            && let Some(facts) = resource_facts.get(&component.schema)
        {
            value["x-capabilities"] = json!({
                "deletable": facts["deletable"],
                "insertable": facts["insertable"],
                "updatable": facts["updatable"],
            });
        }
        components.insert(name.clone(), value);
    }
    components.insert("RedfishError".into(), redfish_error());
    let areas: Map<_, _> = resources
        .resource
        .iter()
        .filter_map(|(name, resource)| Some((name.clone(), resource.area.clone()?.into())))
        .collect();
    Ok(json!({
        "openapi": "3.0.3",
        "info": {"title": "Redfish", "version": release},
        "paths": {},
        "components": {
            "schemas": components,
            "securitySchemes": {
                "basic": {"type": "http", "scheme": "basic"},
                "session": {"type": "apiKey", "in": "header", "name": "X-Auth-Token"},
            },
        },
        "security": [{"session": []}, {"basic": []}],
        "x-areas": areas,
        "x-messages": registries::messages(bundle)?,
        "x-privileges": registries::privileges(bundle)?,
    }))
}

/// The body of error responses (DSP0266, "Error responses"); no schema file defines it.
fn redfish_error() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {"error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "@Message.ExtendedInfo": {"type": "array", "items": closure::local("Message_Message")},
                "code": {"type": "string"},
                "message": {"type": "string"},
            },
        }},
    })
}

/// The bundle's index is not needed; where it is present it must know our paths.
fn agree_with_index(bundle: &Bundle, document: &Value) -> Result<()> {
    const INDEX: &str = "openapi/openapi.yaml";
    let Some(index) = bundle.read_unpinned(INDEX)? else { return Ok(()) };
    let unknown: Vec<_> = document
        .members("paths")
        .filter(|(path, item)| !item.flag("x-own") && index["paths"].get(path.as_str()).is_none())
        .map(|(path, _)| path.as_str())
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Error::schema(
        INDEX,
        format!("does not have these paths of ours:\n  {}", unknown.join("\n  ")),
    ))
}

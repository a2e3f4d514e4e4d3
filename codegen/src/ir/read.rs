//! Trimmed document -> [`Model`].

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::error::{Error, Result};
use crate::json::ValueExt;
use crate::passes::closure::LOCAL;

/// Reads the model out of the trimmed document.
pub fn read(document: &Value) -> Result<Model> {
    let components = &document["components"];
    let mut types = BTreeMap::new();
    for (name, value) in components.members("schemas") {
        // What has no schema is written by hand (`RedfishError`).
        if let Some(schema) = value.text("x-schema") {
            types.insert(name.clone(), read_type(document, name, schema, value)?);
        }
    }
    let mut model = Model {
        release: document["info"].text("version").unwrap_or_default().into(),
        resources: read_resources(document, &types),
        operations: read_operations(document)?,
        messages: read_messages(&document["x-messages"]),
        privileges: read_privileges(&document["x-privileges"]),
        types,
    };
    unique_ids(&model)?;
    derive::request_types(&mut model);
    Ok(model)
}

fn read_type(document: &Value, name: &str, schema: &str, value: &Value) -> Result<Type> {
    let kind = if let Some(values) = value.get("enum") {
        let version = |map: &str, wire: &str| value.get(map)?.text(wire).map(str::to_owned);
        let values = values.as_array().into_iter().flatten().filter_map(Value::as_str);
        Kind::Enum(
            values
                .map(|wire| EnumValue {
                    wire: wire.into(),
                    added: version("x-enumVersionAdded", wire),
                    deprecated: version("x-enumVersionDeprecated", wire),
                })
                .collect(),
        )
    } else if value.text("type") == Some("object") && value.get("additionalProperties").is_none() {
        let required = value.texts("required");
        let on_create = value.texts("x-requiredOnCreate");
        let properties: Result<Vec<_>> = value
            .members("properties")
            .map(|(wire, property)| {
                let place = format!("{name}.{wire}");
                let mut property = read_property(document, &place, wire, property)?;
                property.required = required.contains(wire);
                property.required_on_create = on_create.contains(wire);
                Ok(property)
            })
            .collect();
        Kind::Object(control_first(properties?))
    } else {
        Kind::Alias(read_shape(document, name, value)?)
    };
    Ok(Type {
        schema: schema.into(),
        name: name.strip_prefix(schema).unwrap_or(name).trim_start_matches('_').into(),
        version: value.text("x-version").map(str::to_owned),
        kind,
        deprecated: deprecated(value),
    })
}

/// `@odata.id`, `@odata.type`, `Id`, `Name` lead, as people write them; the rest is sorted.
fn control_first(mut properties: Vec<Property>) -> Vec<Property> {
    const FIRST: [&str; 7] =
        ["@odata.id", "@odata.type", "@odata.context", "@odata.etag", "Id", "Name", "Description"];
    properties.sort_by_key(|p| FIRST.iter().position(|f| *f == p.wire).unwrap_or(FIRST.len()));
    properties
}

fn read_property(document: &Value, place: &str, wire: &str, value: &Value) -> Result<Property> {
    let access = match (value.flag("writeOnly"), value.get("readOnly").and_then(Value::as_bool)) {
        (true, _) => Access::Write,
        (false, Some(true)) => Access::Read,
        (false, Some(false)) => Access::ReadWrite,
        (false, None) => Access::Inherited,
    };
    Ok(Property {
        wire: wire.into(),
        shape: property_shape(document, place, wire, value)?,
        nullable: value.flag("nullable"),
        access: if wire.contains('@') { Access::Read } else { access },
        required: false,
        required_on_create: false,
        secret: value.flag("x-secret"),
        units: value.text("x-units").map(str::to_owned),
        added: value.text("x-versionAdded").map(str::to_owned),
        deprecated: deprecated(value),
    })
}

/// `#VirtualMedia.InsertMedia` is an action; its own component only repeats `target` and `title`.
fn property_shape(document: &Value, place: &str, wire: &str, value: &Value) -> Result<Shape> {
    let Some((schema, action)) = wire.strip_prefix('#').and_then(|name| name.split_once('.'))
    else {
        return read_shape(document, place, value);
    };
    let parameters = format!("{schema}_{action}RequestBody");
    let known = document["components"]["schemas"].get(&parameters).is_some();
    Ok(Shape::Action(known.then_some(parameters)))
}

fn read_shape(document: &Value, place: &str, value: &Value) -> Result<Shape> {
    if value.get("x-cut").is_some() {
        return Ok(Shape::Json);
    }
    if let Some(target) = value.text("x-link") {
        let either = value.get("oneOf").is_some();
        return Ok(if either {
            Shape::LinkOrText(target.into())
        } else {
            Shape::Link(target.into())
        });
    }
    if let Some(reference) = reference(value) {
        return named(document, place, reference);
    }
    let text = |format: Option<&str>| Shape::Text {
        format: format.map(str::to_owned),
        pattern: value.text("pattern").map(str::to_owned),
    };
    let range = || Range {
        minimum: value["minimum"].as_number().cloned(),
        maximum: value["maximum"].as_number().cloned(),
    };
    Ok(match (value.text("type"), value.text("format")) {
        (Some("boolean"), _) => Shape::Bool,
        (Some("integer"), _) => Shape::Integer(range()),
        (Some("number"), _) => Shape::Number(range()),
        (Some("string"), Some("date-time")) => Shape::DateTime,
        (Some("string"), format) => match value.text("pattern") {
            Some(pattern) if is_duration(pattern) => Shape::Duration,
            _ => text(format),
        },
        (Some("array"), _) => Shape::Array {
            items: Box::new(read_shape(document, place, &value["items"])?),
            nullable: value["items"].flag("nullable"),
        },
        (Some("object"), _) => match &value["additionalProperties"] {
            Value::Bool(true) => Shape::Oem,
            Value::Null => Shape::Json,
            names => Shape::Map(Box::new(read_shape(document, place, names)?)),
        },
        (None, _) => Shape::Json,
        (Some(other), _) => return Err(Error::schema(place, format!("unknown type `{other}`"))),
    })
}

/// DMTF's pattern for durations, in its variants: `^P(\d+D)?(T…)?$`.
fn is_duration(pattern: &str) -> bool {
    pattern.starts_with("^P(") || pattern.starts_with("^-?P(")
}

/// A reference to a named type; aliases are looked through.
fn named(document: &Value, place: &str, name: &str) -> Result<Shape> {
    if name == "odata-v4_idRef" {
        return Ok(Shape::Link(crate::passes::links::ANY.into()));
    }
    let target = &document["components"]["schemas"][name];
    if target.is_null() {
        return Err(Error::schema(
            place,
            format!("refers to {name}, which is not in the document"),
        ));
    }
    let object =
        target.text("type") == Some("object") && target.get("additionalProperties").is_none();
    if object || target.get("enum").is_some() {
        return Ok(Shape::Named(name.into()));
    }
    read_shape(document, name, target)
}

fn reference(value: &Value) -> Option<&str> {
    let reference = value.text("$ref").or_else(|| value["allOf"][0].text("$ref"))?;
    reference.strip_prefix(LOCAL)
}

fn deprecated(value: &Value) -> Option<Deprecated> {
    let version = value.text("x-versionDeprecated").map(str::to_owned);
    (version.is_some() || value.flag("deprecated")).then_some(Deprecated(version))
}

fn read_resources(document: &Value, types: &BTreeMap<String, Type>) -> BTreeMap<String, Resource> {
    let main = types.iter().filter(|(_, t)| t.schema == t.name);
    let supported = main.filter(|(name, _)| {
        document["components"]["schemas"][name.as_str()].get("x-capabilities").is_some()
    });
    supported
        .map(|(component, ty)| {
            let sites = document.members("paths").filter(|(template, item)| {
                item.text("x-resource") == Some(&ty.schema) && !template.contains("/Actions/")
            });
            let sites = sites.map(|(template, item)| Site {
                template: template.clone(),
                own: item.flag("x-own"),
                deprecated: item.flag("x-uriDeprecated"),
            });
            let member = ty.schema.strip_suffix("Collection").map(str::to_owned);
            let area = document["x-areas"].text(member.as_ref().unwrap_or(&ty.schema));
            let resource = Resource {
                component: component.clone(),
                area: area.map(str::to_owned),
                sites: sites.collect(),
                member,
            };
            (ty.schema.clone(), resource)
        })
        .collect()
}

fn read_operations(document: &Value) -> Result<Vec<Operation>> {
    let mut operations = Vec::new();
    for (template, item) in document.members("paths") {
        for (verb, operation) in item.as_object().into_iter().flatten() {
            let Some(id) = operation.text("operationId") else { continue };
            let kind = match (verb.as_str(), operation.text("x-action")) {
                ("get", _) => OperationKind::Get,
                ("patch", _) => OperationKind::Patch,
                ("delete", _) => OperationKind::Delete,
                ("post", None) => OperationKind::Create,
                ("post", Some(action)) => OperationKind::Action(action.into()),
                _ => return Err(Error::schema(template, format!("unknown method `{verb}`"))),
            };
            let body = |value: &Value| {
                let schema = &value["content"]["application/json"]["schema"];
                reference(schema).map(str::to_owned)
            };
            let success = ["200", "201", "204"].iter().find_map(|s| operation["responses"].get(*s));
            let privileges = operation.members("x-propertyPrivileges");
            operations.push(Operation {
                id: id.into(),
                template: template.clone(),
                site: template.split("/Actions/").next().unwrap_or(template).into(),
                resource: item.text("x-resource").unwrap_or_default().into(),
                kind,
                request: body(&operation["requestBody"]),
                response: success.and_then(body),
                public: operation["security"].as_array().is_some_and(Vec::is_empty),
                deprecated: item.flag("x-uriDeprecated"),
                privileges: any_of(&operation["x-privileges"]),
                property_privileges: privileges.map(|(p, any)| (p.clone(), any_of(any))).collect(),
            });
        }
    }
    operations
        .sort_by(|a, b| (&a.resource, &a.site, &a.kind).cmp(&(&b.resource, &b.site, &b.kind)));
    Ok(operations)
}

fn any_of(value: &Value) -> Vec<Vec<String>> {
    let lists = value.as_array().into_iter().flatten();
    lists
        .map(|all| {
            all.as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        })
        .collect()
}

fn read_messages(value: &Value) -> MessageRegistry {
    let messages = value.members("messages").map(|(id, message)| {
        let text = |name: &str| message.text(name).map(str::to_owned);
        let message = Message {
            args: message["args"].as_array().into_iter().flatten().map(argument).collect(),
            text: text("text").unwrap_or_default(),
            resolution: text("resolution").unwrap_or_default(),
            severity: text("severity").unwrap_or_default(),
            added: text("added"),
            deprecated: text("deprecated"),
        };
        (id.clone(), message)
    });
    MessageRegistry {
        prefix: value.text("registry").unwrap_or_default().into(),
        version: value.text("version").unwrap_or_default().into(),
        messages: messages.collect(),
    }
}

fn argument(value: &Value) -> Argument {
    let name = value.text("name").unwrap_or_default().to_owned();
    Argument { name, number: value.text("type") == Some("number") }
}

fn read_privileges(value: &Value) -> PrivilegeRegistry {
    let operations = |value: &Value| -> OperationMap {
        value.members("operations").map(|(method, any)| (method.clone(), any_of(any))).collect()
    };
    let overrides = |value: &Value, name: &str| -> Vec<Override> {
        let list = value[name].as_array().into_iter().flatten();
        list.map(|o| Override { targets: o.texts("targets"), operations: operations(o) }).collect()
    };
    let mappings = value["mappings"].as_array().into_iter().flatten().map(|mapping| Mapping {
        entity: mapping.text("entity").unwrap_or_default().into(),
        operations: operations(mapping),
        subordinate_overrides: overrides(mapping, "subordinateOverrides"),
        property_overrides: overrides(mapping, "propertyOverrides"),
    });
    PrivilegeRegistry {
        id: value.text("id").unwrap_or_default().into(),
        privileges: value.texts("privileges"),
        mappings: mappings.collect(),
    }
}

fn unique_ids(model: &Model) -> Result<()> {
    let mut seen = BTreeMap::new();
    for operation in &model.operations {
        if let Some(first) = seen.insert(&operation.id, &operation.template) {
            return Err(Error::Collision {
                name: operation.id.clone(),
                first: first.clone(),
                second: operation.template.clone(),
            });
        }
    }
    Ok(())
}

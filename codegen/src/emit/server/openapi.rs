//! What `openapi.yaml` is put together from when the service knows which operations it has.
//!
//! One line for each operation and type, so that the service picks lines instead of holding a document
//! of a thousand types in memory. Requests have schemas of their own here: what a client may send is
//! less than what it gets.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::ir::{Access, EnumValue, Kind, Model, OperationKind, Property, Range, Shape};

/// The text of a duration (DSP0266, "Duration values").
const DURATION: &str = r"^P(\d+D)?(T(\d+H)?(\d+M)?(\d+(.\d+)?S)?)?$";

/// `openapi.txt`.
pub(super) fn parts(model: &Model) -> String {
    let mut text = format!("release\t{}\n", model.release);
    for operation in &model.operations {
        let name = |component: &Option<String>| component.clone().unwrap_or_default();
        let (request, response) = (name(&operation.request), name(&operation.response));
        _ = writeln!(text, "operation\t{}\t{request}\t{response}", operation.id);
    }
    let requests = requests(model);
    for (component, ty) in &model.types {
        let schema = match &ty.kind {
            Kind::Object(properties) => object(properties, requests.contains(component)),
            Kind::Enum(values) => enumeration(values),
            Kind::Alias(shape) => schema(shape),
        };
        _ = writeln!(text, "schema\t{component}\t{schema}");
    }
    for (component, schema) in by_hand() {
        _ = writeln!(text, "schema\t{component}\t{schema}");
    }
    text
}

/// The types that stand in requests only, nested ones included.
fn requests(model: &Model) -> BTreeSet<String> {
    let roots = |kind: fn(&OperationKind) -> bool| {
        let operations = model.operations.iter().filter(move |o| kind(&o.kind));
        operations.filter_map(|o| o.request.clone()).collect::<Vec<_>>()
    };
    let mut found: BTreeSet<_> =
        roots(|kind| !matches!(kind, OperationKind::Patch)).into_iter().collect();
    let mut todo = roots(|kind| matches!(kind, OperationKind::Patch));
    while let Some(component) = todo.pop() {
        // Types below a patch type are patch types, or have nothing that a client may not write.
        if found.insert(component.clone()) {
            let shapes = model.properties(&component).iter().map(|p| p.shape.innermost());
            todo.extend(shapes.filter_map(|shape| match shape {
                Shape::Named(name) if name.ends_with("Patch") => Some(name.clone()),
                _ => None,
            }));
        }
    }
    found
}

/// What no schema file names.
fn by_hand() -> [(&'static str, Value); 3] {
    let text = json!({"type": "string"});
    let uri = json!({"type": "string", "format": "uri-reference"});
    let messages = json!({"type": "array", "items": reference("Message_Message")});
    let error = json!({
        "type": "object",
        "properties": {"code": text, "message": text, "@Message.ExtendedInfo": messages},
        "required": ["code", "message"],
    });
    [
        (
            "Action",
            json!({
                "type": "object", "properties": {"target": uri, "title": text}, "required": ["target"],
            }),
        ),
        (
            "Link",
            json!({"type": "object", "properties": {"@odata.id": uri}, "required": ["@odata.id"]}),
        ),
        (
            "RedfishError",
            json!({"type": "object", "properties": {"error": error}, "required": ["error"]}),
        ),
    ]
}

fn reference(component: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{component}")})
}

fn enumeration(values: &[EnumValue]) -> Value {
    let values: Vec<_> = values.iter().map(|value| value.wire.as_str()).collect();
    json!({"type": "string", "enum": values})
}

fn object(properties: &[Property], request: bool) -> Value {
    let required: Vec<_> =
        properties.iter().filter(|p| p.required).map(|p| p.wire.as_str()).collect();
    let members: Map<_, _> =
        properties.iter().map(|p| (p.wire.clone(), member(p, request))).collect();
    let mut schema = json!({"type": "object", "properties": members});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    if request {
        schema["additionalProperties"] = false.into();
    }
    schema
}

fn member(property: &Property, request: bool) -> Value {
    let mut schema = schema(&property.shape);
    let access = match property.access {
        // Some properties are the client's when it creates a resource, and the service's from then on.
        _ if request => None,
        Access::Read => Some("readOnly"),
        Access::Write => Some("writeOnly"),
        Access::ReadWrite | Access::Inherited => None,
    };
    let deprecated = property.deprecated.is_some().then_some("deprecated");
    let nullable = property.nullable.then_some("nullable");
    let marks: Vec<_> = [access, deprecated, nullable].into_iter().flatten().collect();
    if !marks.is_empty() && schema.get("$ref").is_some() {
        // What stands beside a reference does not count.
        schema = json!({"allOf": [schema]});
    }
    for mark in marks {
        schema[mark] = true.into();
    }
    schema
}

fn schema(shape: &Shape) -> Value {
    match shape {
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Integer(range) => bounded(json!({"type": "integer", "format": "int64"}), range),
        Shape::Number(range) => bounded(json!({"type": "number"}), range),
        Shape::Text { format, pattern } => {
            let mut schema = json!({"type": "string"});
            for (key, value) in [("format", format), ("pattern", pattern)] {
                if let Some(value) = value {
                    schema[key] = value.as_str().into();
                }
            }
            schema
        }
        Shape::DateTime => json!({"type": "string", "format": "date-time"}),
        Shape::Duration => json!({"type": "string", "pattern": DURATION}),
        Shape::Named(component) => reference(component),
        Shape::Array { items, nullable } => {
            let mut items = schema(items);
            if *nullable {
                if items.get("$ref").is_some() {
                    items = json!({"allOf": [items]});
                }
                items["nullable"] = true.into();
            }
            json!({"type": "array", "items": items})
        }
        Shape::Link(_) => reference("Link"),
        Shape::LinkOrText(_) => json!({"oneOf": [reference("Link"), {"type": "string"}]}),
        Shape::Action(_) => reference("Action"),
        Shape::Map(items) => json!({"type": "object", "additionalProperties": schema(items)}),
        Shape::Oem => json!({"type": "object"}),
        Shape::Json => json!({}),
    }
}

fn bounded(mut schema: Value, range: &Range) -> Value {
    for (key, bound) in [("minimum", &range.minimum), ("maximum", &range.maximum)] {
        if let Some(bound) = bound {
            schema[key] = Value::Number(bound.clone());
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_where_they_count() {
        let check = |shape: Shape, access: Access, nullable: bool, request: bool, expect: Value| {
            let property = Property {
                wire: "A".into(),
                shape,
                nullable,
                access,
                required: false,
                required_on_create: false,
                secret: false,
                units: None,
                added: None,
                deprecated: None,
            };
            assert_eq!(member(&property, request), expect);
        };
        let named = || Shape::Named("B_C".into());
        let link = reference("B_C");
        check(named(), Access::ReadWrite, false, false, link.clone());
        check(named(), Access::Read, false, true, link.clone());
        check(named(), Access::Read, false, false, json!({"allOf": [link], "readOnly": true}));
        check(named(), Access::Write, true, true, json!({"allOf": [link], "nullable": true}));
        check(
            Shape::Bool,
            Access::Read,
            true,
            false,
            json!({"type": "boolean", "readOnly": true, "nullable": true}),
        );
        let items = Shape::Array { items: Box::new(named()), nullable: true };
        let list = json!({"type": "array", "items": {"allOf": [link], "nullable": true}});
        check(items, Access::ReadWrite, false, true, list);
        let range = Range { minimum: Some(1.into()), maximum: None };
        let number = json!({"type": "integer", "format": "int64", "minimum": 1});
        check(Shape::Integer(range), Access::ReadWrite, false, true, number);
    }

    #[test]
    fn requests_refuse_what_is_unknown() {
        assert_eq!(object(&[], true)["additionalProperties"], false);
        assert!(object(&[], false).get("additionalProperties").is_none());
    }
}

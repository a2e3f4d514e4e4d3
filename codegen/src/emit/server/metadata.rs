//! What the server must know of each property to judge a request body: type, bounds, permission.
//!
//! A PATCH is checked against the whole type, read-only properties included, because "not
//! writable" and "unknown" are different answers.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::model::{header, path};
use crate::ir::{Access, Kind, Model, Operation, OperationKind, Property, Range, Shape};
use crate::naming;
use crate::passes::operations::main;

/// The component that a request body is judged by; for PATCH and POST the resource's own type.
pub(super) fn body(model: &Model, operation: &Operation) -> Option<String> {
    match operation.kind {
        OperationKind::Get | OperationKind::Delete => None,
        OperationKind::Patch => Some(main(&operation.resource)),
        OperationKind::Create => Some(main(model.resources[&operation.resource].member.as_ref()?)),
        OperationKind::Action(_) => operation.request.clone(),
    }
}

/// The name of a component's static.
pub(super) fn constant(component: &str) -> String {
    let (schema, ty) = component.split_once('_').unwrap_or((component, ""));
    let name = if schema == ty {
        naming::snake(schema)
    } else {
        format!("{}_{}", naming::snake(schema), naming::snake(ty))
    };
    name.to_uppercase()
}

/// `metadata.rs`.
pub(super) fn module(model: &Model) -> String {
    let mut text = header(model);
    text.push_str(
        "//! The properties of every type that a request body can hold.\n\n\
         use crate::metadata::{Object, Property, ValueType as V};\n",
    );
    for component in reachable(model) {
        let ty = &model.types[&component];
        let what = if ty.schema == ty.name {
            ty.schema.clone()
        } else {
            format!("{}.{}", ty.schema, ty.name)
        };
        _ = writeln!(
            text,
            "\n/// `{what}`.\npub(crate) static {}: Object = Object {{\n    name: {what:?},\n    properties: &[",
            constant(&component)
        );
        for property in model.properties(&component) {
            _ = writeln!(text, "        {},", row(model, property));
        }
        text.push_str("    ],\n};\n");
    }
    text
}

fn reachable(model: &Model) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<_> = model.operations.iter().filter_map(|o| body(model, o)).collect();
    while let Some(component) = todo.pop() {
        if seen.insert(component.clone()) {
            let shapes = model.properties(&component).iter().map(|p| &p.shape);
            todo.extend(shapes.filter_map(|shape| object(model, shape)));
        }
    }
    seen
}

fn object(model: &Model, shape: &Shape) -> Option<String> {
    let Shape::Named(component) = shape.innermost() else { return None };
    matches!(model.types[component].kind, Kind::Object(_)).then(|| component.clone())
}

fn row(model: &Model, property: &Property) -> String {
    let constructor = match property.access {
        Access::Read => "read",
        Access::ReadWrite => "read_write",
        Access::Write => "write",
        Access::Inherited => "inherited",
    };
    let mut text =
        format!("Property::{constructor}({:?}, {})", property.wire, value(model, &property.shape));
    for (flag, set) in [
        (".nullable()", property.nullable),
        (".required()", property.required),
        (".required_on_create()", property.required_on_create),
        (".secret()", property.secret),
        (".deprecated()", property.deprecated.is_some()),
    ] {
        if set {
            text.push_str(flag);
        }
    }
    text
}

fn value(model: &Model, shape: &Shape) -> String {
    match shape {
        Shape::Bool => "V::Bool".into(),
        Shape::Integer(range) => format!("V::Integer {}", bounds(range, "")),
        Shape::Number(range) => format!("V::Number {}", bounds(range, "f64")),
        Shape::Text { format, pattern } => {
            format!("V::Text {{ format: {format:?}, pattern: {pattern:?} }}")
        }
        Shape::DateTime => "V::DateTime".into(),
        Shape::Duration => "V::Duration".into(),
        Shape::Named(component) => match model.types[component].kind {
            Kind::Enum(_) => format!("V::Enum({}::KNOWN)", path(model, component)),
            _ => format!("V::Object(&{})", constant(component)),
        },
        Shape::Array { items, nullable } => {
            format!("V::Array {{ items: &{}, nullable: {nullable} }}", value(model, items))
        }
        Shape::Link(target) | Shape::LinkOrText(target) => format!("V::Link({target:?})"),
        Shape::Action(_) => "V::Action".into(),
        Shape::Map(items) => format!("V::Map(&{})", value(model, items)),
        Shape::Oem => "V::Oem".into(),
        Shape::Json => "V::Json".into(),
    }
}

fn bounds(range: &Range, suffix: &str) -> String {
    let bound = |number: &Option<serde_json::Number>| match number {
        Some(number) => format!("Some({number}{suffix})"),
        None => "None".into(),
    };
    format!("{{ minimum: {}, maximum: {} }}", bound(&range.minimum), bound(&range.maximum))
}

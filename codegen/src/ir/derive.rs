//! The request types that the schema implies but does not write down: PATCH bodies and the
//! bodies of POSTs to collections.
//!
//! A patch type holds what clients may write, nested objects likewise, so that a read-only
//! property in a PATCH is a compile error. Items of arrays may be `null` in a PATCH (DSP0266,
//! "PATCH on array properties": `null` removes an item).

use std::collections::{BTreeMap, BTreeSet};

use super::{Access, Kind, Model, Operation, OperationKind, Property, Shape, Type};
use crate::passes::operations::main;

/// Adds `…Patch` and `…Create` types, and gives them to the operations as requests.
pub(super) fn request_types(model: &mut Model) {
    let mut added = BTreeMap::new();
    let wanted = |kind: OperationKind, operations: &[Operation]| -> BTreeSet<String> {
        let of_kind = operations.iter().filter(|o| o.kind == kind);
        of_kind.filter_map(|o| o.request.clone()).collect()
    };
    for component in wanted(OperationKind::Patch, &model.operations) {
        patch_type(model, &component, &mut added);
    }
    for component in wanted(OperationKind::Create, &model.operations) {
        let ty = &model.types[&component];
        added.insert(create_name(&component), create_type(ty));
    }
    for operation in &mut model.operations {
        operation.request = match (&operation.kind, operation.request.take()) {
            (OperationKind::Patch, Some(component)) => Some(patch_name(&component)),
            (OperationKind::Create, Some(component)) => Some(create_name(&component)),
            (_, request) => request,
        };
    }
    model.types.extend(added);
}

fn patch_name(component: &str) -> String {
    format!("{component}Patch")
}

fn create_name(component: &str) -> String {
    format!("{component}Create")
}

fn patch_type(model: &Model, component: &str, added: &mut BTreeMap<String, Type>) {
    let name = patch_name(component);
    if added.contains_key(&name) {
        return;
    }
    let ty = &model.types[component];
    let renamed =
        Type { name: format!("{}Patch", ty.name), kind: Kind::Object(Vec::new()), ..ty.clone() };
    added.insert(name.clone(), renamed);
    let mut properties = Vec::new();
    for property in model.properties(component).iter().filter(|p| in_patch(model, p)) {
        let shape = patch_shape(model, &property.shape, added);
        let optional =
            Property { shape, required: false, required_on_create: false, ..property.clone() };
        properties.push(optional);
    }
    if let Some(ty) = added.get_mut(&name) {
        ty.kind = Kind::Object(properties);
    }
}

fn patch_shape(model: &Model, shape: &Shape, added: &mut BTreeMap<String, Type>) -> Shape {
    match shape {
        Shape::Named(component) if patchable(model, component, &mut BTreeSet::new()) => {
            patch_type(model, component, added);
            Shape::Named(patch_name(component))
        }
        Shape::Array { items, .. } => {
            Shape::Array { items: Box::new(patch_shape(model, items, added)), nullable: true }
        }
        other => other.clone(),
    }
}

fn in_patch(model: &Model, property: &Property) -> bool {
    match property.access {
        Access::Read => false,
        Access::ReadWrite | Access::Write => true,
        Access::Inherited => {
            property.shape == Shape::Oem
                || shape_patchable(model, &property.shape, &mut BTreeSet::new())
        }
    }
}

fn shape_patchable(model: &Model, shape: &Shape, seen: &mut BTreeSet<String>) -> bool {
    match shape {
        Shape::Named(component) => patchable(model, component, seen),
        Shape::Array { items, .. } => shape_patchable(model, items, seen),
        // Free names are the client's to choose (`Bios.Attributes`).
        Shape::Map(_) => true,
        _ => false,
    }
}

/// Whether an object has something that clients may write, however deep.
pub(crate) fn patchable(model: &Model, component: &str, seen: &mut BTreeSet<String>) -> bool {
    seen.insert(component.to_owned())
        && model.properties(component).iter().any(|property| match property.access {
            Access::Read => false,
            Access::ReadWrite | Access::Write => true,
            Access::Inherited => shape_patchable(model, &property.shape, seen),
        })
}

/// All of a resource that a client could give it; many properties are the client's at creation
/// only, so read-only ones are in.
fn create_type(ty: &Type) -> Type {
    let properties = match &ty.kind {
        Kind::Object(properties) => properties.as_slice(),
        _ => &[],
    };
    let service_made = |p: &Property| {
        p.wire.contains('@') || ["Actions", "Id", "Status"].contains(&p.wire.as_str())
    };
    let properties = properties.iter().filter(|p| !service_made(p));
    let properties =
        properties.map(|p| Property { required: p.required_on_create, ..p.clone() }).collect();
    Type { name: format!("{}Create", ty.name), kind: Kind::Object(properties), ..ty.clone() }
}

/// The schema of a resource whose main type this is.
pub(crate) fn is_main(component: &str, ty: &Type) -> bool {
    component == main(&ty.schema)
}

//! The operation table and the privilege registry, as statics.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::model::header;
use super::metadata;
use crate::ir::{Model, Operation, OperationKind, OperationMap, Override};

/// `operations.rs`.
pub(super) fn module(model: &Model) -> String {
    let mut text = header(model);
    text.push_str(
        "//! Every operation that the schema and `schema/resources.toml` give, by resource and template.\n\n\
         use super::metadata as meta;\nuse crate::operation::{Kind, Operation, Privilege::*};\n\n\
         /// The table, sorted by resource, template and kind.\npub static OPERATIONS: &[Operation] = &[\n",
    );
    for operation in &model.operations {
        row(&mut text, model, operation);
    }
    text.push_str("];\n");
    text
}

fn row(text: &mut String, model: &Model, operation: &Operation) {
    let kind = match &operation.kind {
        OperationKind::Get => "Kind::Get".to_owned(),
        OperationKind::Patch => "Kind::Patch".to_owned(),
        OperationKind::Create => "Kind::Create".to_owned(),
        OperationKind::Delete => "Kind::Delete".to_owned(),
        OperationKind::Action(name) => format!("Kind::Action({name:?})"),
    };
    let body = match metadata::body(model, operation) {
        Some(component) => format!("Some(&meta::{})", metadata::constant(&component)),
        None => "None".into(),
    };
    let properties: Vec<_> = operation
        .property_privileges
        .iter()
        .map(|(property, any)| format!("({property:?}, {})", any_of(any)))
        .collect();
    _ = writeln!(
        text,
        "    Operation {{\n        id: {:?},\n        kind: {kind},\n        resource: {:?},\n        \
         template: {:?},\n        site: {:?},\n        privileges: {},\n        \
         property_privileges: &[{}],\n        public: {},\n        deprecated: {},\n        body: {body},\n    }},",
        operation.id,
        operation.resource,
        operation.template,
        operation.site,
        any_of(&operation.privileges),
        properties.join(", "),
        operation.public,
        operation.deprecated,
    );
}

/// `privileges.rs`.
pub(super) fn privileges(model: &Model) -> String {
    let registry = &model.privileges;
    // `NoAuth` is named by mappings, but not among the privileges.
    let lists = registry.mappings.iter().flat_map(|mapping| mapping.operations.values());
    let named: BTreeSet<&String> = lists.flatten().flatten().chain(&registry.privileges).collect();
    let named: Vec<_> = named.into_iter().map(String::as_str).collect();
    let mut text = header(model);
    _ = write!(
        text,
        "//! The privilege registry, whole: the service serves it.\n\n\
         use crate::operation::Privilege::*;\nuse crate::privileges::{{Mapping, Override}};\n\n\
         /// The id of the registry.\npub const ID: &str = {:?};\n\n\
         crate::privileges::privileges! {{ {} }}\n\n\
         /// The mappings, one for each entity.\npub static MAPPINGS: &[Mapping] = &[\n",
        registry.id,
        named.join(", ")
    );
    for mapping in &registry.mappings {
        _ = writeln!(
            text,
            "    Mapping {{\n        entity: {:?},\n        operations: {},\n        \
             subordinate_overrides: {},\n        property_overrides: {},\n    }},",
            mapping.entity,
            operation_map(&mapping.operations),
            overrides(&mapping.subordinate_overrides),
            overrides(&mapping.property_overrides),
        );
    }
    text.push_str("];\n");
    text
}

fn overrides(list: &[Override]) -> String {
    let list: Vec<_> = list
        .iter()
        .map(|o| {
            format!(
                "Override {{ targets: &{:?}, operations: {} }}",
                o.targets,
                operation_map(&o.operations)
            )
        })
        .collect();
    format!("&[{}]", list.join(", "))
}

fn operation_map(map: &OperationMap) -> String {
    let list: Vec<_> =
        map.iter().map(|(method, any)| format!("({method:?}, {})", any_of(any))).collect();
    format!("&[{}]", list.join(", "))
}

fn any_of(any: &[Vec<String>]) -> String {
    let all: Vec<_> = any.iter().map(|all| format!("&[{}]", all.join(", "))).collect();
    format!("&[{}]", all.join(", "))
}

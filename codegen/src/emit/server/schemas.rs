//! Which schemas there are, in which version, and which others each of them needs: the service tells
//! it in `$metadata` and `JsonSchemas`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::model::header;
use crate::ir::{Kind, Model, Shape};

/// `schemas.rs`.
pub(super) fn module(model: &Model) -> String {
    let mut schemas = BTreeMap::<&str, (Option<&str>, BTreeSet<&str>)>::new();
    for ty in model.types.values().filter(|ty| is_schema(&ty.schema)) {
        let (version, _) = schemas.entry(&ty.schema).or_default();
        *version = ty.version.as_deref().or(*version);
    }
    let names: Vec<_> = schemas.keys().copied().collect();
    for name in names {
        let needed = needed(model, name);
        if let Some((_, needs)) = schemas.get_mut(name) {
            *needs = needed;
        }
    }
    let mut text = header(model);
    text.push_str(
        "//! The schemas of the supported types.\n\nuse crate::services::schemas::Schema;\n\n\
         /// The schemas, sorted by name.\npub(crate) static SCHEMAS: &[Schema] = &[\n",
    );
    for (name, (version, needs)) in schemas {
        let needs: Vec<_> = needs.into_iter().collect();
        _ = writeln!(
            text,
            "    Schema {{ name: {name:?}, version: {version:?}, needs: &{needs:?} }},"
        );
    }
    text.push_str("];\n");
    text
}

/// Whether a schema is one of Redfish, rather than of what OData itself defines.
fn is_schema(name: &str) -> bool {
    !name.is_empty() && !name.starts_with("odata")
}

/// The schemas whose types are used by those of this one, however far away.
fn needed<'a>(model: &'a Model, schema: &'a str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<_> =
        model.types.iter().filter(|(_, ty)| ty.schema == schema).map(|(name, _)| name).collect();
    while let Some(component) = todo.pop() {
        if seen.insert(component) {
            let shapes: Vec<_> = match &model.types[component].kind {
                Kind::Object(properties) => properties.iter().map(|p| &p.shape).collect(),
                Kind::Alias(shape) => vec![shape],
                Kind::Enum(_) => Vec::new(),
            };
            todo.extend(shapes.into_iter().filter_map(|shape| match shape.innermost() {
                Shape::Named(component) => Some(component),
                _ => None,
            }));
        }
    }
    let schemas = seen.into_iter().map(|component| model.types[component].schema.as_str());
    schemas.filter(|name| is_schema(name) && *name != schema).collect()
}

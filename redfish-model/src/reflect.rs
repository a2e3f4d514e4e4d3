//! Types by name: for programs that learn the type of a document from the document.
//!
//! A client knows what it reads and needs none of this. A checker of recorded services, an
//! inspector or a property test does; for them [`crate::catalog::TYPES`] lists every type with
//! the functions that they need, which costs build time and is therefore a feature of its own.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Inspection, Object, OpenEnum, Resource};

/// A type of this crate.
#[derive(Clone, Copy, Debug)]
pub struct TypeEntry {
    /// The component of the trimmed document: `VirtualMedia_InsertMediaRequestBody`.
    pub component: &'static str,
    /// The path within the crate: `virtual_media::InsertMediaRequest`.
    pub path: &'static str,
    /// What it is.
    pub kind: TypeKind,
    /// The schema of a resource: `VirtualMedia`.
    pub schema: Option<&'static str>,
    /// Reads a document and writes it back.
    pub rewrite: fn(&str) -> Result<Rewritten, serde_json::Error>,
    /// An instance without any member, written; `None` for enums.
    pub empty: Option<fn() -> Result<Value, serde_json::Error>>,
}

/// What kind of type an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// A resource or collection.
    Resource,
    /// Another object: a part of a resource, or a request.
    Object,
    /// An open enum.
    Enum,
}

/// A document that went through its type.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// What came out.
    pub value: Value,
    /// What it lacks, and what does not fit in it.
    pub inspection: Inspection,
    /// Whether reading what came out gives the same value again.
    pub stable: bool,
}

/// The entry of the resource with a schema name.
pub fn resource_entry(schema: &str) -> Option<&'static TypeEntry> {
    crate::catalog::TYPES.iter().find(|entry| entry.schema == Some(schema))
}

pub(crate) const fn resource<T>(component: &'static str, path: &'static str) -> TypeEntry
where
    T: Resource + PartialEq,
{
    let schema = Some(T::SCHEMA);
    TypeEntry { kind: TypeKind::Resource, schema, ..object::<T>(component, path) }
}

pub(crate) const fn object<T>(component: &'static str, path: &'static str) -> TypeEntry
where
    T: Object + Serialize + DeserializeOwned + PartialEq,
{
    TypeEntry {
        component,
        path,
        kind: TypeKind::Object,
        schema: None,
        rewrite: |text| {
            let (value, parsed) = rewrite::<T>(text)?;
            Ok(Rewritten { inspection: Inspection::of(&parsed), ..value })
        },
        empty: Some(|| serde_json::to_value(T::default())),
    }
}

pub(crate) const fn open_enum<T>(component: &'static str, path: &'static str) -> TypeEntry
where
    T: OpenEnum + Serialize + DeserializeOwned + PartialEq,
{
    TypeEntry {
        component,
        path,
        kind: TypeKind::Enum,
        schema: None,
        rewrite: |text| Ok(rewrite::<T>(text)?.0),
        empty: None,
    }
}

fn rewrite<T: Serialize + DeserializeOwned + PartialEq>(
    text: &str,
) -> Result<(Rewritten, T), serde_json::Error> {
    let parsed: T = serde_json::from_str(text)?;
    let value = serde_json::to_value(&parsed)?;
    let again: T = serde_json::from_value(value.clone())?;
    let stable = again == parsed;
    Ok((Rewritten { value, inspection: Inspection::default(), stable }, parsed))
}

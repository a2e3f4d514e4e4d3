//! `schema/resources.toml`: what is supported, by hand and on purpose.
//!
//! The schema says what could exist; this file says what we name, serve and route. One table is
//! one resource (its collection included), so that adding a resource is adding a table.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::{Error, Result};

/// The parsed file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Names of properties and action parameters whose text must never be shown.
    pub secrets: Vec<String>,
    /// Ids of operations that need no credentials, whatever the privilege registry says.
    #[serde(default)]
    pub public: Vec<String>,
    /// The supported resources by schema name.
    pub resource: BTreeMap<String, Resource>,
}

/// One `[resource.Name]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// The service area: the cargo feature of `redfish-model` that brings the types.
    /// Absent for what every user of the crate needs.
    pub area: Option<String>,
    /// The URIs that are served.
    #[serde(default)]
    pub uris: Vec<Uri>,
    /// The operations on each of them.
    #[serde(default)]
    pub operations: Vec<Verb>,
    /// The actions that are routed, without the schema's name.
    #[serde(default)]
    pub actions: Vec<String>,
    /// Types of the schema that nothing refers to, such as those of annotations.
    #[serde(default)]
    pub types: Vec<String>,
    /// The operations on the collection: `{Name}Collection` at the parents of `uris`.
    #[serde(default)]
    pub collection: Vec<Verb>,
}

/// A URI template, and whether it is ours.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Uri {
    /// A template of the schema.
    Schema(String),
    /// A template that the schema leaves to the implementer, such as a settings object's.
    Own {
        /// The template.
        uri: String,
        /// Always `true`; it is there to be seen.
        own: bool,
    },
}

impl Uri {
    /// The template.
    pub fn template(&self) -> &str {
        match self {
            Self::Schema(uri) | Self::Own { uri, .. } => uri,
        }
    }

    /// Whether the template is ours and not the schema's.
    pub fn own(&self) -> bool {
        matches!(self, Self::Own { own: true, .. })
    }
}

/// An HTTP operation on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Read it.
    Get,
    /// Change some of it.
    Patch,
    /// Create a member of it, or run one of its actions.
    Post,
    /// Remove it.
    Delete,
}

impl Verb {
    /// The key in an OpenAPI path item.
    pub fn key(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Patch => "patch",
            Self::Post => "post",
            Self::Delete => "delete",
        }
    }

    /// The key in a privilege registry's `OperationMap`.
    pub fn method(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Patch => "PATCH",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

impl Resources {
    /// Parses `schema/resources.toml`.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| Error::syntax("schema/resources.toml", e))
    }

    /// The schema names of everything supported: each resource, and each collection asked for.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.wanted().map(|(name, _)| name)
    }

    /// The supported schemas, each with the types that are asked for by name.
    pub fn wanted(&self) -> impl Iterator<Item = (String, &[String])> + '_ {
        self.resource.iter().flat_map(|(name, resource)| {
            let collection = (!resource.collection.is_empty()).then(|| collection_of(name));
            let collection = collection.map(|name| (name, &[][..]));
            std::iter::once((name.clone(), resource.types.as_slice())).chain(collection)
        })
    }
}

/// The schema name of a resource's collection.
pub fn collection_of(resource: &str) -> String {
    format!("{resource}Collection")
}

//! `Registries` (DSP0266, "Registries"): where the texts of messages, the privileges of operations
//! and the attributes of a BIOS are explained.
//!
//! The message registries are DMTF's and have its wording, which is not ours to ship: they are named by
//! where they are published. An operator who has the files can have them served.

mod message;
mod privilege;

use std::fmt;
use std::sync::Arc;

use redfish_model::message_registry_file::Location;
use redfish_model::{
    AttributeRegistryUri, MessageRegistry, MessageRegistryFile, MessageRegistryFileCollection,
    MessageRegistryFileCollectionUri, MessageRegistryFileUri, MessageRegistryUri,
    PrivilegeRegistry, PrivilegeRegistryUri, Ref,
};

pub use message::{LoadError, load};

use crate::api::message_registry::{MessageRegistryApi, mount_message_registry};
use crate::api::message_registry_file::{
    MessageRegistryFileApi, MessageRegistryFileCollectionApi, mount_message_registry_file,
    mount_message_registry_file_collection,
};
use crate::api::privilege_registry::{PrivilegeRegistryApi, mount_privilege_registry};
use crate::{Context, Error, Mount, Result, Scope, messages, privileges};

type Attributes = dyn Fn(&Scope) -> Vec<String> + Send + Sync;

/// The registries.
#[derive(Clone)]
pub struct Registries {
    messages: Vec<Arc<MessageRegistry>>,
    privileges: Arc<PrivilegeRegistry>,
    attributes: Arc<Attributes>,
}

/// One registry, as its file resource tells of it.
struct Entry {
    id: String,
    /// `MessageRegistryFile.Registry`: the name with the major and minor version.
    registry: String,
    /// Where it is published.
    publication: Option<String>,
    /// Where it is served here.
    uri: Option<String>,
}

impl Registries {
    /// `files` are the operator's message registries (see [`load`]); `attributes` gives the ids of the
    /// attribute registries that a scope has; whoever has the machines serves them.
    pub fn new(
        files: Vec<MessageRegistry>,
        attributes: impl Fn(&Scope) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            messages: files.into_iter().map(Arc::new).collect(),
            privileges: Arc::new(privilege::registry()),
            attributes: Arc::new(attributes),
        }
    }

    fn entries(&self, scope: &Scope) -> Vec<Entry> {
        let base = format!("{}.{}", messages::PREFIX, messages::VERSION);
        let published = |id: &str| Some(format!("https://redfish.dmtf.org/registries/{id}.json"));
        let mut entries = Vec::new();
        if self.message_registry(&base).is_none() {
            entries.push(Entry {
                registry: without_errata(&base),
                publication: published(&base),
                uri: None,
                id: base,
            });
        }
        entries.extend(self.messages.iter().filter_map(|registry| {
            let id = registry.id().ok()?.to_owned();
            let uri = MessageRegistryUri::RegistriesMessageRegistry {
                message_registry_file_id: id.clone(),
            };
            let dmtf = registry.owning_entity().is_ok_and(|owner| owner == "DMTF");
            Some(Entry {
                registry: without_errata(&id),
                publication: if dmtf { published(&id) } else { None },
                uri: Some(uri.to_string()),
                id,
            })
        }));
        entries.push(Entry {
            id: privileges::ID.to_owned(),
            registry: privileges::ID.to_owned(),
            publication: published(privileges::ID),
            uri: Some(privilege_map()),
        });
        entries.extend((self.attributes)(scope).into_iter().map(|id| {
            let uri = AttributeRegistryUri::RegistriesAttributeRegistry {
                message_registry_file_id: id.clone(),
            };
            Entry {
                registry: without_errata(&id),
                publication: None,
                uri: Some(uri.to_string()),
                id,
            }
        }));
        entries
    }

    fn entry(&self, scope: &Scope, uri: &MessageRegistryFileUri) -> Option<Entry> {
        let MessageRegistryFileUri::Registries { message_registry_file_id: id } = uri;
        self.entries(scope).into_iter().find(|entry| entry.id == *id)
    }

    fn message_registry(&self, id: &str) -> Option<&Arc<MessageRegistry>> {
        self.messages.iter().find(|registry| registry.id() == Ok(id))
    }
}

impl fmt::Debug for Registries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registries").finish_non_exhaustive()
    }
}

/// Where the privilege registry is (`AccountService.PrivilegeMap`).
pub fn privilege_map() -> String {
    let id = privileges::ID.to_owned();
    PrivilegeRegistryUri::RegistriesPrivilegeRegistry { message_registry_file_id: id }.to_string()
}

/// `Base.1.22.1` as message ids begin: `Base.1.22`.
fn without_errata(id: &str) -> String {
    let parts: Vec<_> = id.rsplitn(4, '.').collect();
    match parts.as_slice() {
        [errata, minor, major, name] if [errata, minor, major].iter().all(|n| is_number(n)) => {
            format!("{name}.{major}.{minor}")
        }
        _ => id.to_owned(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Mounts the collection, the files and the registries.
pub fn mounts(registries: Registries) -> Vec<Mount> {
    let registries = Arc::new(registries);
    // The privilege registry is large and never changes: rendered once.
    let constant = |_: &Scope, uri: &str| (uri == privilege_map()).then_some(0);
    vec![
        mount_message_registry_file_collection(registries.clone()),
        mount_message_registry_file(registries.clone()),
        mount_message_registry(registries.clone()),
        mount_privilege_registry(registries).versioned(constant),
    ]
}

impl MessageRegistryFileCollectionApi for Registries {
    fn exists(&self, _: &Scope, _: &MessageRegistryFileCollectionUri) -> bool {
        true
    }

    async fn get(
        &self,
        cx: &Context,
        uri: MessageRegistryFileCollectionUri,
    ) -> Result<MessageRegistryFileCollection> {
        let member = |entry: Entry| {
            Ref::from(&MessageRegistryFileUri::Registries { message_registry_file_id: entry.id })
        };
        let members = self.entries(&cx.scope).into_iter().map(member).collect();
        Ok(MessageRegistryFileCollection::new(&uri, "Registries", members))
    }
}

impl MessageRegistryFileApi for Registries {
    fn exists(&self, scope: &Scope, uri: &MessageRegistryFileUri) -> bool {
        self.entry(scope, uri).is_some()
    }

    async fn get(&self, cx: &Context, uri: MessageRegistryFileUri) -> Result<MessageRegistryFile> {
        let entry =
            self.entry(&cx.scope, &uri).ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let location = Location {
            language: "en".into(),
            publication_uri: entry.publication.into(),
            uri: entry.uri.into(),
            ..Location::default()
        };
        let name = format!("{} Registry File", entry.id);
        let languages = vec!["en".to_owned()];
        Ok(MessageRegistryFile::new(
            &uri,
            entry.id,
            name,
            languages,
            vec![location],
            entry.registry,
        ))
    }
}

impl MessageRegistryApi for Registries {
    fn exists(&self, _: &Scope, uri: &MessageRegistryUri) -> bool {
        let MessageRegistryUri::RegistriesMessageRegistry { message_registry_file_id: id } = uri;
        self.message_registry(id).is_some()
    }

    async fn get(&self, _: &Context, uri: MessageRegistryUri) -> Result<MessageRegistry> {
        let MessageRegistryUri::RegistriesMessageRegistry { message_registry_file_id: id } = &uri;
        let found = self.message_registry(id);
        found.map(|r| (**r).clone()).ok_or_else(|| Error::not_found(&uri.to_string()))
    }
}

impl PrivilegeRegistryApi for Registries {
    fn exists(&self, _: &Scope, uri: &PrivilegeRegistryUri) -> bool {
        let PrivilegeRegistryUri::RegistriesPrivilegeRegistry { message_registry_file_id: id } =
            uri;
        id == privileges::ID
    }

    async fn get(&self, _: &Context, _: PrivilegeRegistryUri) -> Result<PrivilegeRegistry> {
        Ok((*self.privileges).clone())
    }
}

#[cfg(test)]
mod tests;

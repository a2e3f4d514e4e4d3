//! `AttributeRegistry`: which settings a firmware has, one for each kind of firmware.
//!
//! Machines with the same settings share a registry; its name has a hash of its content, so that all
//! replicas call it the same and a client that kept one knows when there is another.

use std::collections::HashSet;
use std::sync::Arc;

use redfish_backend::machine::{Bios, BiosAttribute, BiosKind};
use redfish_model::attribute_registry::{
    AttributeType, AttributeValue, Attributes, RegistryEntries,
};
use redfish_model::{AttributeRegistry, AttributeRegistryUri};
use sha2::{Digest as _, Sha256};

use super::VirtualBmc;
use super::bios::json;
use super::seen::number;
use crate::api::attribute_registry::AttributeRegistryApi;
use crate::context::{Context, Scope};
use crate::error::{Error, Result};

/// The version of our way of describing attributes.
const VERSION: &str = "1.0.0";

/// The name of a firmware's registry: `Bios.AttributeRegistry`, and `Id` of the registry.
pub(super) fn registry_id(bios: &Bios) -> String {
    // The content in a form that has every field.
    let hash = Sha256::digest(format!("{:?}", bios.attributes));
    let start: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("BiosAttributeRegistry{start}.{VERSION}")
}

impl VirtualBmc {
    /// The attribute registries of the machines in a scope, by `Id`, sorted. Each is at
    /// `/redfish/v1/Registries/{Id}/AttributeRegistry`, and wants a MessageRegistryFile above it.
    pub fn attribute_registries(&self, scope: &Scope) -> Vec<String> {
        let mut ids: Vec<_> = self.firmwares(scope).iter().map(registry_id).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// The firmwares of the machines in a scope, each kind once as far as they share their list.
    fn firmwares(&self, scope: &Scope) -> Vec<Bios> {
        let mut seen = HashSet::new();
        let machines = self.machines(scope).unwrap_or_default();
        let known = machines.iter().filter_map(|machine| machine.bios.as_ref());
        known
            .filter(|bios| seen.insert(Arc::as_ptr(&bios.attributes).cast::<()>()))
            .cloned()
            .collect()
    }

    fn registry(&self, scope: &Scope, uri: &AttributeRegistryUri) -> Option<AttributeRegistry> {
        let AttributeRegistryUri::RegistriesAttributeRegistry { message_registry_file_id } = uri;
        let firmwares = self.firmwares(scope);
        let bios = firmwares.iter().find(|bios| registry_id(bios) == *message_registry_file_id)?;
        let entries = RegistryEntries {
            attributes: bios.attributes.iter().map(entry).collect::<Vec<_>>().into(),
            ..RegistryEntries::default()
        };
        Some(AttributeRegistry {
            registry_entries: entries.into(),
            ..AttributeRegistry::new(
                message_registry_file_id.as_str(),
                "BIOS Attribute Registry",
                "en",
                self.settings.vendor.as_str(),
                VERSION,
            )
        })
    }
}

/// What there is to know of an attribute.
fn entry(attribute: &BiosAttribute) -> Attributes {
    let name = attribute.name.as_str();
    let shown = attribute.display_name.as_str();
    let mut entry = Attributes {
        // An empty text would read as none at all.
        default_value: attribute.default.as_ref().map(json).filter(|value| *value != "").into(),
        display_name: if shown.is_empty() { name } else { shown }.into(),
        read_only: attribute.read_only.into(),
        reset_required: attribute.reset_required.into(),
        ..Attributes::new(name)
    };
    match &attribute.kind {
        BiosKind::Enumeration(choices) => {
            let value = |choice: &redfish_backend::machine::BiosChoice| AttributeValue {
                value_display_name: choice.display_name.as_str().into(),
                ..AttributeValue::new(choice.value.as_str())
            };
            entry.type_ = AttributeType::Enumeration.into();
            entry.value = choices.iter().map(value).collect::<Vec<_>>().into();
        }
        BiosKind::Integer { least, most } => {
            entry.type_ = AttributeType::Integer.into();
            entry.lower_bound = (*least).into();
            entry.upper_bound = (*most).into();
        }
        BiosKind::Text { shortest, longest } => {
            entry.type_ = AttributeType::String.into();
            entry.min_length = number(*shortest).into();
            entry.max_length = number(*longest).into();
        }
        BiosKind::Boolean => entry.type_ = AttributeType::Boolean.into(),
    }
    entry
}

impl AttributeRegistryApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &AttributeRegistryUri) -> bool {
        let AttributeRegistryUri::RegistriesAttributeRegistry { message_registry_file_id } = uri;
        self.firmwares(scope).iter().any(|bios| registry_id(bios) == *message_registry_file_id)
    }

    async fn get(&self, cx: &Context, uri: AttributeRegistryUri) -> Result<AttributeRegistry> {
        self.registry(&cx.scope, &uri).ok_or_else(|| Error::not_found(&uri.to_string()))
    }
}

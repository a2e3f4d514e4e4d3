//! Typed, lossless Redfish resources.
//!
//! The types are generated from the DMTF schema and rest on a small hand-written core. Reading a resource and writing it
//! back gives the same JSON: what the schema does not name is kept, and so is the difference between a member that is
//! absent and one that is `null`.
//!
//! Real services break their schema, so the types accept what they send: required members may be missing, enumerations
//! may have new values, and a value of the wrong type is kept beside the fields. An [`Inspection`] tells of all that; a
//! program that sends resources writes with [`to_value_strict`].
//!
//! # Reading
//!
//! Every member of an object is a [`Field`]: absent, null, or a value.
//!
//! ```
//! use redfish_model::ComputerSystem;
//! use redfish_model::resource::PowerState;
//!
//! let system: ComputerSystem = serde_json::from_str(
//!     r##"{"@odata.id": "/redfish/v1/Systems/1", "Id": "1", "PowerState": "On",
//!         "AssetTag": null, "Status": {"Health": "OK"}}"##,
//! )?;
//! assert_eq!(system.power_state.value(), Some(&PowerState::On));
//! assert!(system.asset_tag.is_null() && system.serial_number.is_absent());
//! let health = system.status.value().and_then(|status| status.health.value());
//! assert_eq!(health.map(ToString::to_string).as_deref(), Some("OK"));
//! // What the schema requires has accessors, which say what is missing.
//! assert_eq!(system.id()?, "1");
//! assert!(system.name().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Building
//!
//! `new` takes what the schema requires and knows `@odata.type`; the rest is struct update syntax.
//!
//! ```
//! use redfish_model::{Field, Ref, Role, RoleUri, to_value_strict};
//!
//! let uri = RoleUri::AccountServiceRoles { role_id: "Night shift".into() };
//! let role = Role {
//!     is_predefined: Field::Value(false),
//!     ..Role::new(&uri, "Night shift", "Role", "Night shift")
//! };
//! let json = to_value_strict(&role)?;
//! assert_eq!(json["@odata.id"], "/redfish/v1/AccountService/Roles/Night%20shift");
//! assert_eq!(json["@odata.type"], "#Role.v1_3_3.Role");
//! # Ok::<(), redfish_model::Inspection>(())
//! ```
//!
//! # Patching
//!
//! Patch types hold what clients may write, and nothing else. `Field::Null` clears, an absent field is left alone.
//!
//! ```
//! use redfish_model::Field;
//! use redfish_model::computer_system::{BootPatch, BootSource, ComputerSystemPatch};
//!
//! let patch = ComputerSystemPatch {
//!     asset_tag: Field::Null,
//!     boot: Field::Value(BootPatch {
//!         boot_source_override_target: Field::Value(BootSource::Pxe),
//!         ..BootPatch::default()
//!     }),
//!     ..ComputerSystemPatch::default()
//! };
//! assert_eq!(
//!     serde_json::to_string(&patch)?,
//!     r#"{"AssetTag":null,"Boot":{"BootSourceOverrideTarget":"Pxe"}}"#,
//! );
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Annotations, unknown members, OEM
//!
//! Each object has an [`Extra`] for annotations and for members that the schema does not name, and most have [`Oem`].
//!
//! ```
//! use redfish_model::{ComputerSystem, OemExtension};
//!
//! #[derive(serde::Deserialize)]
//! struct Contoso {
//!     #[serde(rename = "RackUnit")]
//!     rack_unit: u8,
//! }
//!
//! impl OemExtension for Contoso {
//!     const VENDOR: &'static str = "Contoso";
//! }
//!
//! let text = r##"{"Actions":{"#ComputerSystem.Reset":{"target":"/reset",
//!     "ResetType@Redfish.AllowableValues":["On","ForceOff"]}},
//!     "Oem":{"Contoso":{"RackUnit":7}},"Novelty":[1.0]}"##;
//! let system: ComputerSystem = serde_json::from_str(text)?;
//! let actions = system.actions.value().ok_or("no actions")?;
//! let reset = actions.computer_system_reset.value().ok_or("no reset")?;
//! assert_eq!(reset.allowable_values("ResetType"), Some(vec!["On", "ForceOff"]));
//! let contoso = system.oem.value().and_then(|oem| oem.get::<Contoso>()).ok_or("no OEM")??;
//! assert_eq!(contoso.rack_unit, 7);
//! assert_eq!(system.extra.get("Novelty"), Some(&serde_json::json!([1.0])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Unknown enum values
//!
//! ```
//! use redfish_model::OpenEnum;
//! use redfish_model::resource::PowerState;
//!
//! let state: PowerState = serde_json::from_str("\"Hibernating\"")?;
//! assert!(!state.is_known());
//! assert_eq!(state.as_str(), "Hibernating");
//! assert_eq!(PowerState::from_text("On"), PowerState::On);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Links
//!
//! A [`Ref`] knows what schema it leads to, and keeps the resource when a service puts it in the link's place.
//!
//! ```
//! use redfish_model::{Chassis, Ref};
//!
//! let link: Ref<Chassis> = serde_json::from_str(r#"{"@odata.id": "/redfish/v1/Chassis/1", "Name": "Rack"}"#)?;
//! assert_eq!(link.odata_id(), Some("/redfish/v1/Chassis/1"));
//! let expanded = link.expanded().transpose()?;
//! assert!(expanded.is_some_and(|chassis| chassis.name() == Ok("Rack")));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Features
//!
//! A feature for each service area brings its resources and the types that they need: `accounts`, `certificates`,
//! `chassis`, `events`, `logs`, `managers`, `network`, `power-thermal`, `registries`, `storage`, `systems`, `tasks`,
//! `telemetry`, `updates`; `all` is all of them. A link to a resource whose feature is off is a link all the same.
//!
//! - `catalog`: the module `reflect` and the table of all types, for programs that learn the type from the document.
//! - `jiff`: conversions of [`DateTimeOffset`] to the types of the `jiff` crate.

mod error;
mod foundation;
#[rustfmt::skip]
#[allow(clippy::type_complexity, reason = "a property's type is what its schema makes it")]
mod generated;
#[cfg(feature = "catalog")]
pub mod reflect;

pub use error::{ErrorDetail, RedfishError};
pub use generated::*;

pub use foundation::{
    Action, Any, DateTimeOffset, Duration, Extra, Field, Inspection, InvalidUri, LinkOrText,
    LinkTarget, Member, MemberSink, Misfit, Missing, MissingAt, NotFinite, Number, Object, Oem,
    OemExtension, OpenEnum, Ref, Resource, Secret, UnknownValue, Uri, missing_members,
    to_value_strict,
};

/// What generated modules import.
#[allow(unused_imports)] // which of it a module needs depends on its schema
mod gen_prelude {
    pub(crate) use std::collections::BTreeMap;

    pub(crate) use serde_json::Value;

    /// The number of a collection's members, as its type has it.
    pub(crate) fn count<T>(members: &[T]) -> i64 {
        i64::try_from(members.len()).unwrap_or(i64::MAX)
    }

    pub(crate) use crate::foundation::{
        Action, Any, DateTimeOffset, Duration, Extra, Field, LinkOrText, LinkTarget, Number,
        Object, Oem, Ref, Resource, Secret, Uri, object, open_enum, unsupported, uris,
    };
}

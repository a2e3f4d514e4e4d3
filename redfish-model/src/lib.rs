//! Typed, lossless Redfish resources.
//!
//! The types are generated from the DMTF schema and rest on a small hand-written core. Reading a resource and writing it
//! back gives the same JSON: what the schema does not name is kept, and so is the difference between a member that is
//! absent and one that is `null`. Real services break their schema, so the types accept what they send: required members
//! may be missing and enumerations may have new values. A program that sends resources asks [`missing_members`] or
//! writes with [`to_value_strict`].
//!
//! # Reading
//!
//! Every member of an object is a [`Field`]; annotations and unknown members are in its [`Extra`].
//!
//! ```
//! use redfish_model::{Extra, Field};
//!
//! let power: Field<String> = serde_json::from_str("null")?;
//! assert!(power.is_null());
//! assert_eq!(power.as_deref().unwrap_or("unknown"), "unknown");
//!
//! let mut extra = Extra::new();
//! extra.annotate("ResetType", "Redfish.AllowableValues", vec!["On", "ForceOff"]);
//! assert_eq!(extra.allowable_values("ResetType"), Some(vec!["On", "ForceOff"]));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Links
//!
//! A [`Ref`] knows what schema it leads to, and keeps the resource when a service puts it in the link's place.
//!
//! ```
//! use redfish_model::{Any, Ref};
//!
//! let link: Ref<Any> = serde_json::from_str(r#"{"@odata.id": "/redfish/v1/Chassis/1", "Name": "Rack"}"#)?;
//! assert_eq!(link.odata_id(), Some("/redfish/v1/Chassis/1"));
//! assert!(link.is_expanded());
//! assert_eq!(link.extra().get("Name"), Some(&"Rack".into()));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Features
//!
//! - `jiff`: conversions of [`DateTimeOffset`] to the types of the `jiff` crate.

mod error;
mod foundation;
#[rustfmt::skip]
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

    pub(crate) use crate::foundation::{
        Action, Any, DateTimeOffset, Duration, Extra, Field, LinkOrText, LinkTarget, Number,
        Object, Oem, Ref, Resource, Secret, Uri, object, open_enum, unsupported, uris,
    };
}

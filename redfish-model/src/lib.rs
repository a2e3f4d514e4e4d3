//! Typed, lossless Redfish resources.
//!
//! The types are generated from the DMTF schema and rest on a small hand-written core. Reading a resource and writing it
//! back gives the same JSON: what the schema does not name is kept, and so is the difference between a member that is
//! absent and one that is `null`.

// Only generated code uses the macros and what they expand to; goes when there is some.
#[allow(dead_code, unused_macros)]
mod foundation;

pub use foundation::{
    Action, Any, DateTimeOffset, Duration, Extra, Field, IncompleteError, InvalidUri, LinkOrText, LinkTarget, Member,
    MemberSink,
    Missing, MissingAt, MissingSearch, NotFinite, Number, Object, Oem, OemExtension, OpenEnum, Ref, Resource, Secret,
    StrictError, UnknownValue, Uri, debug_object, ensure_complete, missing_members, read_field, read_object,
    to_value_strict, write_object,
};

/// What generated modules import.
#[allow(unused_imports)] // which of it a module needs depends on its schema
mod gen_prelude {
    pub(crate) use std::collections::BTreeMap;

    pub(crate) use serde_json::Value;

    pub(crate) use crate::foundation::{
        Action, Any, DateTimeOffset, Duration, Extra, Field, LinkOrText, LinkTarget, Number, Object, Oem, Ref, Resource, Secret, Uri,
        object, open_enum, unsupported, uris,
    };
}

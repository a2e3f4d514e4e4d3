//! The hand-written part of the crate: what the generated types are made of.
//!
//! It stands in a module of its own, because the generated modules are named after schemas and share the crate's root
//! with what is exported from here.

mod action;
mod date_time;
mod duration;
mod extra;
mod field;
mod inspect;
mod link;
mod link_or_text;
mod macros;
mod member;
mod number;
mod object;
mod oem;
mod open_enum;
pub(crate) mod required;
mod secret;
#[cfg(test)]
#[allow(dead_code, missing_docs, unreachable_pub)]
// the types in it are written like generated ones, which are public
mod tests;
mod uri;

pub use action::Action;
pub use date_time::DateTimeOffset;
pub use duration::Duration;
pub use extra::Extra;
pub use field::{Field, Missing};
pub use inspect::{Inspection, Misfit, MissingAt, missing_members, to_value_strict};
pub use link::{Any, Ref};
pub use link_or_text::LinkOrText;
pub use member::Member;
pub use number::{NotFinite, Number};
pub use object::{LinkTarget, MemberSink, Object, Resource};
pub use oem::{Oem, OemExtension};
pub use open_enum::{OpenEnum, UnknownValue};
pub use secret::Secret;
pub use uri::{InvalidUri, Uri};

// What the macros expand to and no one else needs. Which of it is used depends on the schema.
#[allow(unused_imports)]
pub(crate) use {
    link::unsupported,
    macros::{accessor, accessors, object, object_traits, wire_names},
    object::{debug_object, deserialize_object, read_field, read_object, write_object},
    open_enum::{debug_variant, open_enum, read_variant, variant},
    uri::{placeholders, read_uri, uris, write_uri},
};

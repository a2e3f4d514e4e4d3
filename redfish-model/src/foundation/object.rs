//! What all schema objects share, and how they are read and written.
//!
//! A schema object is a struct of [`Field`]s and one [`Extra`]. The code that serde's derive makes for such a struct is
//! long, and there are hundreds of them, so here each type states two lists only: one call for each member (`members`)
//! and one `match` on the member name (`read_member`). Writing, debug output and [inspection](super::Inspection) are
//! [`MemberSink`]s that go through the first list; reading is one function over the second.
//!
//! A member whose value does not fit its type is kept as it is in [`Extra`], as if the schema did not name it: one bad
//! member must not lose the resource, and writing gives it back unchanged. That is why reading goes through [`Value`].

use std::fmt;

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Extra, Field, Member};

/// A JSON object that the schema describes, with all its members.
pub trait Object: Default {
    /// The name of the type.
    const NAME: &'static str;
    /// The JSON names of the members that the schema names, in the order in which they are written.
    const MEMBERS: &'static [&'static str];
    /// Members that the schema requires to be there with a value.
    const REQUIRED: &'static [&'static str];
    /// Members that the schema requires to be there and allows to be `null`.
    const REQUIRED_NULLABLE: &'static [&'static str];

    /// Annotations, members that the schema does not name, and values that do not fit their members.
    fn extra(&self) -> &Extra;

    /// The same for changing.
    fn extra_mut(&mut self) -> &mut Extra;

    /// Hands each member that the schema names to `sink`, in order.
    fn members<S: MemberSink>(&self, sink: &mut S);

    /// Reads the value of the member `name`; `false`, and nothing read, when the schema names no such member.
    ///
    /// # Errors
    /// The value does not fit the member's type.
    fn read_member(&mut self, name: &str, value: &Value) -> Result<bool, serde_json::Error>;
}

/// Something that goes through the members of an [`Object`].
pub trait MemberSink {
    /// Takes one member.
    fn member<T: Member>(&mut self, name: &'static str, field: &Field<T>);
}

/// A resource type may be the target of a link, which names its schema.
pub trait LinkTarget {
    /// The schema's name without version, such as `ComputerSystem`.
    const SCHEMA: &'static str;
}

/// An object with an URI of its own.
pub trait Resource: LinkTarget + Object + Serialize + DeserializeOwned {
    /// The version of the schema that the type was made from; `None` for the unversioned collections.
    const VERSION: Option<(u16, u16, u16)>;
    /// The value of `@odata.type`.
    const ODATA_TYPE: &'static str;
    /// The templates of the URIs where the schema puts the resource.
    const URIS: &'static [&'static str];
}

/// Reads one member's value into its field; `read_member` calls it.
///
/// # Errors
/// The value does not fit.
pub(crate) fn read_field<T: Member>(
    field: &mut Field<T>,
    value: &Value,
) -> Result<bool, serde_json::Error> {
    *field = if value.is_null() { Field::Null } else { Field::Value(T::read(value)?) };
    Ok(true)
}

/// Reads an object; [`Member::read`] of every schema object calls it.
///
/// # Errors
/// The value is no object.
pub(crate) fn read_object<T: Object>(value: &Value) -> Result<T, serde_json::Error> {
    let Value::Object(members) = value else {
        let expected = format!("expected an object of type {}", T::NAME);
        return Err(serde_json::Error::custom(expected));
    };
    let mut object = T::default();
    for (name, value) in members {
        if !matches!(object.read_member(name, value), Ok(true)) {
            object.extra_mut().insert(name, value.clone());
        }
    }
    Ok(object)
}

/// Reads an object; `Deserialize` of every schema object calls it.
///
/// # Errors
/// The input is no object, or no JSON.
pub(crate) fn deserialize_object<'de, T: Object, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    read_object(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Writes an object; `Serialize` of every schema object calls it.
///
/// # Errors
/// Those of the serialiser.
pub(crate) fn write_object<T: Object, S: Serializer>(
    object: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut writer = Writer { map: serializer.serialize_map(None)?, error: None };
    object.members(&mut writer);
    if let Some(error) = writer.error {
        return Err(error);
    }
    for (name, value) in object.extra() {
        // A value that did not fit gives way to one that was set later.
        if !(T::MEMBERS.contains(&name.as_str()) && is_set(object, name)) {
            writer.map.serialize_entry(name, value)?;
        }
    }
    writer.map.end()
}

/// Debug output of an object: members by their JSON names, absent ones left out.
///
/// # Errors
/// Those of the formatter.
pub(crate) fn debug_object<T: Object>(object: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut sink = DebugSink(f.debug_struct(T::NAME));
    object.members(&mut sink);
    // Names only: an unknown member, or a value of the wrong type, can be a secret.
    for (name, _) in object.extra() {
        sink.0.field(name, &format_args!(".."));
    }
    sink.0.finish()
}

fn is_set<T: Object>(object: &T, name: &str) -> bool {
    struct Find<'a>(&'a str, bool);
    impl MemberSink for Find<'_> {
        fn member<T: Member>(&mut self, name: &'static str, field: &Field<T>) {
            self.1 |= name == self.0 && !field.is_absent();
        }
    }
    let mut find = Find(name, false);
    object.members(&mut find);
    find.1
}

/// Keeps the first error, so that a type's list of members needs no `?` after each call.
struct Writer<M: SerializeMap> {
    map: M,
    error: Option<M::Error>,
}

impl<M: SerializeMap> MemberSink for Writer<M> {
    fn member<T: Member>(&mut self, name: &'static str, field: &Field<T>) {
        if self.error.is_none() && !field.is_absent() {
            self.error = self.map.serialize_entry(name, field).err();
        }
    }
}

struct DebugSink<'a, 'b>(fmt::DebugStruct<'a, 'b>);

impl MemberSink for DebugSink<'_, '_> {
    fn member<T: Member>(&mut self, name: &'static str, field: &Field<T>) {
        match field {
            Field::Absent => {}
            Field::Null => {
                self.0.field(name, &format_args!("null"));
            }
            Field::Value(value) => {
                self.0.field(name, value);
            }
        }
    }
}

//! What all schema objects share, and how they are read and written.
//!
//! A schema object is a struct of [`Field`]s and one [`Extra`]. The code that serde's derive makes for such a struct is
//! long, and there are hundreds of them, so here each type states two lists only: one call for each member (`members`)
//! and one `match` on the member name (`read_member`). Writing, debug output and the search for missing members are
//! [`MemberSink`]s that go through the first list; reading is one generic visitor over the second.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Extra, Field, Member, MissingAt, missing_members};

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

    /// Annotations, and members that the schema does not name.
    fn extra(&self) -> &Extra;

    /// The same for changing.
    fn extra_mut(&mut self) -> &mut Extra;

    /// Hands each member that the schema names to `sink`, in order.
    fn members<S: MemberSink>(&self, sink: &mut S);

    /// Reads the value of the member `name`; `false`, and nothing read, when the schema names no such member.
    ///
    /// # Errors
    /// The value has the wrong type, or the member was there already.
    fn read_member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        map: &mut A,
    ) -> Result<bool, A::Error>;

    /// Required members that are missing, here and in the objects below.
    fn missing(&self) -> Vec<MissingAt>
    where
        Self: Sized,
    {
        missing_members(self)
    }
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
/// The value has the wrong type, or the field holds something already.
pub fn read_field<'de, T, A>(
    field: &mut Field<T>,
    name: &'static str,
    map: &mut A,
) -> Result<bool, A::Error>
where
    T: Deserialize<'de>,
    A: MapAccess<'de>,
{
    if !field.is_absent() {
        return Err(A::Error::duplicate_field(name));
    }
    *field = map.next_value()?;
    Ok(true)
}

/// Reads an object; `Deserialize` of every schema object calls it.
///
/// # Errors
/// The input is not an object, has a member twice, or a member has the wrong type.
pub fn read_object<'de, T: Object, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

/// Writes an object; `Serialize` of every schema object calls it.
///
/// # Errors
/// Those of the serialiser.
pub fn write_object<T: Object, S: Serializer>(
    object: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut writer = Writer { map: serializer.serialize_map(None)?, error: None };
    object.members(&mut writer);
    if let Some(error) = writer.error {
        return Err(error);
    }
    for (name, value) in object.extra() {
        writer.map.serialize_entry(name, value)?;
    }
    writer.map.end()
}

/// Debug output of an object: members by their JSON names, absent ones left out.
///
/// # Errors
/// Those of the formatter.
pub fn debug_object<T: Object>(object: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut sink = DebugSink(f.debug_struct(T::NAME));
    object.members(&mut sink);
    for (name, value) in object.extra() {
        sink.0.field(name, value);
    }
    sink.0.finish()
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object of type {}", T::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = T::default();
        while let Some(name) = map.next_key_seed(NameSeed)? {
            if object.read_member(&name, &mut map)? {
                continue;
            }
            let value: Value = map.next_value()?;
            if object.extra().get(&name).is_some() {
                return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
            }
            object.extra_mut().insert(name, value);
        }
        Ok(object)
    }
}

/// Member names, borrowed from the input where it allows that.
struct NameSeed;

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for NameSeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }

    fn visit_string<E>(self, name: String) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name))
    }
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

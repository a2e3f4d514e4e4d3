//! The value of one member: absent, null, or there.
//!
//! Redfish gives the three states different meanings. DSP0266 lets a service omit what it does not support and write
//! `null` for what it supports and does not know at present; in a PATCH body `null` asks for the value to be removed,
//! while an absent member asks for nothing. `Option` has two states, so reading a resource into it and writing it back
//! changes what the resource says. [`Field`] keeps all three.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Secret;

/// A member of a Redfish object: not there, there with `null`, or there with a value.
///
/// Both `T` and `Option<T>` convert into a field; `None` becomes [`Absent`](Self::Absent), and
/// [`from_nullable`](Self::from_nullable) is the conversion that makes it `null`.
///
/// ```
/// use redfish_model::Field;
///
/// let image: Field<String> = "http://images.test/a.iso".into();
/// assert_eq!(image.as_deref(), Some("http://images.test/a.iso"));
/// assert!(Field::<bool>::from(None).is_absent());
/// assert!(Field::<bool>::from_nullable(None).is_null());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Field<T> {
    /// The object has no such member.
    #[default]
    Absent,
    /// The member is there and says `null`.
    Null,
    /// The member is there and has this value.
    Value(T),
}

impl<T> Field<T> {
    /// `None` becomes `null`, for members that the service supports and has no value for.
    pub fn from_nullable(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }

    /// Is there no such member?
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Is the member there with `null`?
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Is the member there with a value?
    pub const fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }

    /// The value; `None` when absent or null.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// The value for changing in place; `None` when absent or null.
    pub const fn value_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// The value without the field around it; `None` when absent or null.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// The value as what it dereferences to: `&str` of a `String`, `&[T]` of a `Vec<T>`.
    pub fn as_deref(&self) -> Option<&T::Target>
    where
        T: Deref,
    {
        self.value().map(Deref::deref)
    }

    /// A copy of the value, for numbers and booleans.
    pub fn copied(&self) -> Option<T>
    where
        T: Copy,
    {
        self.value().copied()
    }

    /// The same state with the value by reference.
    pub const fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Absent => Field::Absent,
            Self::Null => Field::Null,
            Self::Value(value) => Field::Value(value),
        }
    }

    /// Changes the value and leaves absent and null as they are.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Null => Field::Null,
            Self::Value(value) => Field::Value(change(value)),
        }
    }

    /// The value, or `other` when absent or null.
    pub fn value_or(self, other: T) -> T {
        self.into_value().unwrap_or(other)
    }

    /// The value, or the default of its type when absent or null.
    pub fn value_or_default(self) -> T
    where
        T: Default,
    {
        self.into_value().unwrap_or_default()
    }

    /// The value for changing in place, put there first when absent or null.
    pub fn get_or_insert_default(&mut self) -> &mut T
    where
        T: Default,
    {
        self.get_or_insert_with(T::default)
    }

    /// The value for changing in place, made first when absent or null.
    pub fn get_or_insert_with(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if !self.is_value() {
            *self = Self::Value(make());
        }
        match self {
            Self::Value(value) => value,
            Self::Absent | Self::Null => unreachable!("the lines above put a value there"),
        }
    }

    /// Takes the field out and leaves it absent.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Puts a value there and gives back what was there before.
    pub fn replace(&mut self, value: T) -> Self {
        std::mem::replace(self, Self::Value(value))
    }

    /// The value, or an error that names the member.
    ///
    /// # Errors
    /// [`Missing`] when the field is absent or null.
    pub const fn require(&self, member: &'static str) -> Result<&T, Missing> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Absent | Self::Null => {
                Err(Missing { object: None, member, null: self.is_null() })
            }
        }
    }
}

impl<T> From<T> for Field<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> From<Option<T>> for Field<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Value)
    }
}

impl From<&str> for Field<Secret<String>> {
    fn from(value: &str) -> Self {
        Self::Value(value.into())
    }
}

impl From<&str> for Field<String> {
    fn from(value: &str) -> Self {
        Self::Value(value.to_owned())
    }
}

impl<T: Serialize> Serialize for Field<T> {
    /// Absent and null are both written as `null`; the object around the field is what leaves an absent member out.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from_nullable)
    }
}

/// A member that the schema requires and the object does not have.
///
/// Services in the field leave required members out, so reading accepts that; the error arises where the member is
/// used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The name of the object's type, where known.
    pub object: Option<&'static str>,
    /// The member's name in JSON.
    pub member: &'static str,
    /// The member is there, but says `null`.
    pub null: bool,
}

impl Missing {
    /// The same error with the name of the object's type.
    #[must_use]
    pub const fn of(self, object: &'static str) -> Self {
        Self { object: Some(object), ..self }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(object) = self.object {
            write!(f, "{object}: ")?;
        }
        let what = if self.null { "is null" } else { "is missing" };
        write!(f, "required member `{}` {what}", self.member)
    }
}

impl std::error::Error for Missing {}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, to_string};

    use super::*;

    #[test]
    fn conversions_keep_the_three_states_apart() {
        fn check(field: Field<u8>, expect: Field<u8>) {
            assert_eq!(field, expect);
        }
        check(Field::default(), Field::Absent);
        check(1.into(), Field::Value(1));
        check(Some(1).into(), Field::Value(1));
        check(None.into(), Field::Absent);
        check(Field::from_nullable(None), Field::Null);
        check(Field::from_nullable(Some(1)), Field::Value(1));
        check(Field::Null.map(|n: u8| n + 1), Field::Null);
        check(Field::Absent.map(|n: u8| n + 1), Field::Absent);
        check(Field::Value(1).map(|n| n + 1), Field::Value(2));
    }

    #[test]
    fn values_are_reached_in_place() {
        let mut list = Field::<Vec<u8>>::Null;
        list.get_or_insert_default().push(7);
        list.get_or_insert_default().push(8);
        assert_eq!(list.as_deref(), Some(&[7, 8][..]));
        assert_eq!(list.replace(vec![9]), Field::Value(vec![7, 8]));
        assert_eq!(list.take().value_or_default(), [9]);
        assert!(list.is_absent());
        assert_eq!(Field::Null.value_or(3), 3);
    }

    #[test]
    fn json_null_is_null_for_any_value_type() {
        assert_eq!(from_str::<Field<serde_json::Value>>("null").unwrap(), Field::Null);
        assert_eq!(from_str::<Field<Option<u8>>>("null").unwrap(), Field::Null);
        assert_eq!(from_str::<Field<u8>>("5").unwrap(), Field::Value(5));
        assert_eq!(to_string(&Field::<u8>::Null).unwrap(), "null");
        assert_eq!(to_string(&Field::Value(5)).unwrap(), "5");
    }

    #[test]
    fn missing_names_object_member_and_reason() {
        fn check(error: Missing, expect: &str) {
            assert_eq!(error.to_string(), expect);
        }
        check(Field::<u8>::Absent.require("Id").unwrap_err(), "required member `Id` is missing");
        check(
            Field::<u8>::Null.require("Id").unwrap_err().of("Task"),
            "Task: required member `Id` is null",
        );
        assert_eq!(Field::Value(2).require("Id"), Ok(&2));
    }
}

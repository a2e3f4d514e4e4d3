//! What a member's value may be, and the search for members that are required and missing.
//!
//! *Required* is a rule of writing, not of reading: real services leave required members out, and a reader that refuses
//! such a resource helps nobody. So the types accept everything, and [`missing_members`] says afterwards what the
//! schema asks for in vain, with the place, so that a service can check what it is about to send.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{DateTimeOffset, Duration, Field, MemberSink, Number, Object, Oem, Secret};

/// A type that the value of a member may have.
pub trait Member: Serialize + fmt::Debug {
    /// Reports the required members that are missing in this value. Values without members have none.
    fn find_missing(&self, search: &mut MissingSearch) {
        let _ = search;
    }
}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => { $(impl Member for $ty {})* };
}

plain!(bool, i64, u64, f64, String, Value, Number, DateTimeOffset, Duration, Oem);

impl<T: Serialize> Member for Secret<T> {}

impl<T: Member> Member for Option<T> {
    fn find_missing(&self, search: &mut MissingSearch) {
        if let Some(value) = self {
            value.find_missing(search);
        }
    }
}

impl<T: Member> Member for Box<T> {
    fn find_missing(&self, search: &mut MissingSearch) {
        (**self).find_missing(search);
    }
}

impl<T: Member> Member for Vec<T> {
    fn find_missing(&self, search: &mut MissingSearch) {
        for (index, item) in self.iter().enumerate() {
            search.below(&index.to_string(), item);
        }
    }
}

impl<T: Member> Member for BTreeMap<String, T> {
    fn find_missing(&self, search: &mut MissingSearch) {
        for (name, value) in self {
            search.below(name, value);
        }
    }
}

/// A required member that is missing, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingAt {
    /// Where the member should be: a JSON pointer (RFC 6901) from the object that was searched.
    pub pointer: String,
    /// The name of the type of the object that lacks it.
    pub object: &'static str,
    /// The member's name in JSON.
    pub member: &'static str,
    /// The member is there, but says `null`.
    pub null: bool,
}

impl fmt::Display for MissingAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.null { "null" } else { "missing" };
        write!(f, "{} ({}): {what}", self.pointer, self.object)
    }
}

/// The state of a search for missing members: the place where it is, and what it found.
#[derive(Debug, Default)]
pub struct MissingSearch {
    pointer: String,
    found: Vec<MissingAt>,
}

impl MissingSearch {
    /// Searches an object's members; `find_missing` of every schema object calls it.
    pub fn object<T: Object>(&mut self, object: &T) {
        object.members(&mut ObjectSearch {
            search: self,
            name: T::NAME,
            required: T::REQUIRED,
            required_nullable: T::REQUIRED_NULLABLE,
        });
    }

    /// Searches a value that stands below the present place under the name or index `token`.
    pub fn below<T: Member>(&mut self, token: &str, value: &T) {
        let length = self.pointer.len();
        self.push(token);
        value.find_missing(self);
        self.pointer.truncate(length);
    }

    fn push(&mut self, token: &str) {
        self.pointer.push('/');
        self.pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
    }
}

struct ObjectSearch<'a> {
    search: &'a mut MissingSearch,
    name: &'static str,
    required: &'static [&'static str],
    required_nullable: &'static [&'static str],
}

impl MemberSink for ObjectSearch<'_> {
    fn member<T: Member>(&mut self, name: &'static str, field: &Field<T>) {
        if let Field::Value(value) = field {
            return self.search.below(name, value);
        }
        let null = field.is_null();
        if self.required.contains(&name) || (!null && self.required_nullable.contains(&name)) {
            let mut pointer =
                MissingSearch { pointer: self.search.pointer.clone(), found: Vec::new() };
            pointer.push(name);
            self.search.found.push(MissingAt {
                pointer: pointer.pointer,
                object: self.name,
                member: name,
                null,
            });
        }
    }
}

/// The required members that an object lacks, itself or in the objects below it, in the order of the document.
pub fn missing_members<T: Object>(object: &T) -> Vec<MissingAt> {
    let mut search = MissingSearch::default();
    search.object(object);
    search.found
}

/// Refuses an object that lacks required members.
///
/// # Errors
/// [`IncompleteError`] with all of them.
pub fn ensure_complete<T: Object>(object: &T) -> Result<(), IncompleteError> {
    let missing = missing_members(object);
    if missing.is_empty() { Ok(()) } else { Err(IncompleteError { missing }) }
}

/// The strict writer: makes JSON of an object that has all its required members.
///
/// # Errors
/// [`StrictError::Incomplete`] when required members are missing.
pub fn to_value_strict<T: Object + Serialize>(object: &T) -> Result<Value, StrictError> {
    ensure_complete(object)?;
    Ok(serde_json::to_value(object)?)
}

/// An object lacks required members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteError {
    missing: Vec<MissingAt>,
}

impl IncompleteError {
    /// What is missing; never empty.
    pub fn missing(&self) -> &[MissingAt] {
        &self.missing
    }
}

impl fmt::Display for IncompleteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("required members are missing")?;
        for (index, missing) in self.missing.iter().enumerate() {
            write!(f, "{} {missing}", if index == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for IncompleteError {}

/// Why the strict writer wrote nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum StrictError {
    /// Required members are missing.
    Incomplete(IncompleteError),
    /// A value cannot be expressed in JSON; none of this crate's types has such values.
    Json(serde_json::Error),
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Incomplete(error) => error.fmt(f),
            Self::Json(_) => f.write_str("the object cannot be written as JSON"),
        }
    }
}

impl std::error::Error for StrictError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Incomplete(error) => error.source(),
            Self::Json(error) => Some(error),
        }
    }
}

impl From<IncompleteError> for StrictError {
    fn from(error: IncompleteError) -> Self {
        Self::Incomplete(error)
    }
}

impl From<serde_json::Error> for StrictError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

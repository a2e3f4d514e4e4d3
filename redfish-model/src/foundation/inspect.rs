//! What an object lacks, and what does not fit in it.
//!
//! *Required* is a rule of writing, not of reading: real services leave required members out, and a reader that refuses
//! such a resource helps nobody. The same goes for values of the wrong type. So the types accept everything, and an
//! [`Inspection`] says afterwards what the schema asks for in vain, with the place; a service checks with it what it is
//! about to send.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{Extra, Field, Member, MemberSink, Object};

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

/// A member whose value does not fit its type; it is kept in [`Extra`](super::Extra).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misfit {
    /// Where the member stands: a JSON pointer (RFC 6901) from the object that was inspected.
    pub pointer: String,
    /// The name of the type of the object that has it.
    pub object: &'static str,
    /// Why it does not fit.
    pub reason: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.pointer, self.object, self.reason)
    }
}

/// What an object lacks and what does not fit in it, at any depth, in the order of the document.
#[derive(Clone, Debug, Default)]
pub struct Inspection {
    /// Required members that are missing.
    pub missing: Vec<MissingAt>,
    /// Members whose values do not fit.
    pub misfits: Vec<Misfit>,
    pointer: String,
}

impl Inspection {
    /// Inspects an object and what is below it.
    pub fn of<T: Object>(object: &T) -> Self {
        let mut inspection = Self::default();
        inspection.object(object);
        inspection
    }

    /// Whether nothing is missing and everything fits.
    pub fn is_clean(&self) -> bool {
        self.missing.is_empty() && self.misfits.is_empty()
    }

    /// Goes through an object's members; [`Member::inspect`] of every schema object calls it.
    pub fn object<T: Object>(&mut self, object: &T) {
        object.members(&mut ObjectSink {
            inspection: self,
            extra: object.extra(),
            name: T::NAME,
            required: T::REQUIRED,
            required_nullable: T::REQUIRED_NULLABLE,
        });
        for (name, value) in
            object.extra().iter().filter(|(name, _)| T::MEMBERS.contains(&name.as_str()))
        {
            if let Err(error) = T::default().read_member(name, value) {
                let (pointer, reason) = (self.pointer_to(name), error.to_string());
                self.misfits.push(Misfit { pointer, object: T::NAME, reason });
            }
        }
    }

    /// Inspects a value that stands below the present place under the name or index `token`.
    pub fn below<T: Member>(&mut self, token: &str, value: &T) {
        let length = self.pointer.len();
        self.pointer = self.pointer_to(token);
        value.inspect(self);
        self.pointer.truncate(length);
    }

    fn pointer_to(&self, token: &str) -> String {
        format!("{}/{}", self.pointer, token.replace('~', "~0").replace('/', "~1"))
    }
}

struct ObjectSink<'a> {
    inspection: &'a mut Inspection,
    extra: &'a Extra,
    name: &'static str,
    required: &'static [&'static str],
    required_nullable: &'static [&'static str],
}

impl MemberSink for ObjectSink<'_> {
    fn member<T: Member>(&mut self, name: &'static str, field: &Field<T>) {
        if let Field::Value(value) = field {
            return self.inspection.below(name, value);
        }
        let null = field.is_null();
        let needed =
            self.required.contains(&name) || (!null && self.required_nullable.contains(&name));
        // A misfit is there; what is wrong with it is told as such.
        if needed && self.extra.get(name).is_none() {
            let pointer = self.inspection.pointer_to(name);
            let missing = MissingAt { pointer, object: self.name, member: name, null };
            self.inspection.missing.push(missing);
        }
    }
}

/// The required members that an object lacks, itself or in the objects below it, in the order of the document.
pub fn missing_members<T: Object>(object: &T) -> Vec<MissingAt> {
    Inspection::of(object).missing
}

/// The strict writer: makes JSON of an object in which nothing required is missing and every value fits its member's
/// type. What the schema does not name is written as it is.
///
/// # Errors
/// The inspection that found something.
pub fn to_value_strict<T: Object + Serialize>(object: &T) -> Result<Value, Inspection> {
    let mut inspection = Inspection::of(object);
    if !inspection.is_clean() {
        return Err(inspection);
    }
    serde_json::to_value(object).map_err(|error| {
        let (pointer, reason) = (String::new(), error.to_string());
        inspection.misfits.push(Misfit { pointer, object: T::NAME, reason });
        inspection
    })
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = self.missing.iter().map(ToString::to_string);
        let all: Vec<_> = missing.chain(self.misfits.iter().map(ToString::to_string)).collect();
        match all.is_empty() {
            true => f.write_str("nothing is missing, everything fits"),
            false => write!(f, "the object does not fit its schema: {}", all.join(", ")),
        }
    }
}

impl std::error::Error for Inspection {}

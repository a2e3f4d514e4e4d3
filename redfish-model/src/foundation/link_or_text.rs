//! A link in new services that was a text in old ones.
//!
//! `ComputerSystem.OperatingSystem` changed from a string to a link, and clients of the old form fail on an object. A
//! member of this type reads both, and leaves to the service which one it writes.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Inspection, Member, Ref};

/// A link to a `T`, or a text in its place.
pub enum LinkOrText<T> {
    /// A link, as the newest schema has it.
    Link(Ref<T>),
    /// A text, as older schemas had it.
    Text(String),
}

impl<T> LinkOrText<T> {
    /// The link, when it is one.
    pub const fn link(&self) -> Option<&Ref<T>> {
        match self {
            Self::Link(link) => Some(link),
            Self::Text(_) => None,
        }
    }

    /// The text, when it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Link(_) => None,
            Self::Text(text) => Some(text),
        }
    }
}

impl<T> From<Ref<T>> for LinkOrText<T> {
    fn from(link: Ref<T>) -> Self {
        Self::Link(link)
    }
}

impl<T> From<String> for LinkOrText<T> {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T> Member for LinkOrText<T> {
    fn inspect(&self, inspection: &mut Inspection) {
        if let Self::Link(link) = self {
            link.inspect(inspection);
        }
    }
}

// Not derived: the derives would ask for the same of `T`, of which there is no value here.
impl<T> Clone for LinkOrText<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Link(link) => Self::Link(link.clone()),
            Self::Text(text) => Self::Text(text.clone()),
        }
    }
}

impl<T> PartialEq for LinkOrText<T> {
    fn eq(&self, other: &Self) -> bool {
        self.link() == other.link() && self.text() == other.text()
    }
}

impl<T> Eq for LinkOrText<T> {}

impl<T> fmt::Debug for LinkOrText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(link) => link.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl<T> Serialize for LinkOrText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Link(link) => link.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de, T> Deserialize<'de> for LinkOrText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self::Text(text)),
            other => Ref::read(&other)
                .map(Self::Link)
                .map_err(|_| D::Error::custom("expected a link or a string")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, to_string};

    use super::super::{Any, Field};
    use super::*;

    #[test]
    fn both_forms_survive() {
        fn check(json: &str, link: Option<&str>, text: Option<&str>) {
            let value: LinkOrText<Any> = from_str(json).unwrap();
            assert_eq!(to_string(&value).unwrap(), json);
            assert_eq!((value.link().and_then(Ref::odata_id), value.text()), (link, text));
            assert_eq!(value.clone(), value);
            assert_ne!(LinkOrText::from("other".to_owned()), value);
            assert_ne!(LinkOrText::from(Ref::to("/other")), value);
        }
        check("\"Linux\"", None, Some("Linux"));
        check(r#"{"@odata.id":"/os"}"#, Some("/os"), None);
        check(r#"{"@odata.id":"/os","Name":"x"}"#, Some("/os"), None);
    }

    #[test]
    fn other_forms_are_refused() {
        for json in ["1", "[]", "true"] {
            assert!(from_str::<LinkOrText<Any>>(json).is_err(), "{json}");
        }
        assert_eq!(from_str::<Field<LinkOrText<Any>>>("null").unwrap(), Field::Null);
    }
}

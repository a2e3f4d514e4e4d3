//! Values that must not show up in logs.
//!
//! Passwords and tokens travel in request bodies, and request bodies get debug-printed. The type of such a member hides
//! its value from `Debug` and has no `Display`; whoever needs the value says [`Secret::expose`], which a reader can
//! search for.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that `Debug` does not show. JSON gets the real one, since that is how the value reaches its service.
///
/// Comparison takes as long as that of `T`: it is for tests and for finding changes, not for checking a password. The
/// memory is not overwritten on drop.
///
/// ```
/// use redfish_model::Secret;
///
/// let password = Secret::from("hunter2".to_owned());
/// assert_eq!(format!("{password:?}"), "Secret(..)");
/// assert_eq!(password.expose(), "hunter2");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// The value, for the place that needs it.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// The value, taken out.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl From<&str> for Secret<String> {
    fn from(value: &str) -> Self {
        Self(value.to_owned())
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl<T: Serialize> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Secret<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // serde's own errors quote the value that they refuse.
        T::deserialize(deserializer)
            .map(Self)
            .map_err(|_| D::Error::custom("a secret value has the wrong type"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Field;
    use super::*;

    #[test]
    fn debug_hides_and_json_shows() {
        let field: Field<Secret<String>> = Field::Value("hunter2".into());
        for text in [format!("{field:?}"), format!("{field:#?}")] {
            assert!(!text.contains("hunter2") && text.contains("Secret"), "{text}");
        }
        assert_eq!(serde_json::to_string(&field).unwrap(), "\"hunter2\"");
        let read: Secret<String> = serde_json::from_str("\"hunter2\"").unwrap();
        assert_eq!(read.into_inner(), "hunter2");
    }

    #[test]
    fn errors_about_other_types_do_not_show_it() {
        let error = serde_json::from_str::<Secret<bool>>("\"hunter2\"").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

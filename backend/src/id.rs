//! How machines and their parts are named across the seam.
//!
//! An id becomes a segment of a URI, a key of caches, a word in logs. Backends derive it from names that users chose,
//! so the constructor admits only what needs no quoting in any of these places; a machine whose name does not fit is
//! one that its backend has to name otherwise, not one that is half usable.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;

/// The longest id.
const MAX: usize = 255;

/// Checks an id: unreserved URI characters, and not a dot segment.
fn check(id: &str, field: &'static str) -> Result<(), Error> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    if id.is_empty() || id.len() > MAX || !id.bytes().all(fits) || id == "." || id == ".." {
        return Err(Error::invalid(
            field,
            "An id has 1 to 255 letters, digits and -._~, and is no dot segment",
        ));
    }
    Ok(())
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and takes an id.
            ///
            /// # Errors
            /// [`Error::Invalid`] unless it is a plain URI segment of at most 255 bytes.
            pub fn new(id: impl AsRef<str>) -> Result<Self, Error> {
                check(id.as_ref(), $field)?;
                Ok(Self(id.as_ref().into()))
            }

            /// The id.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        /// Maps keyed by ids are asked with plain text.
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    };
}

id! {
    /// One machine: `Id` of its ComputerSystem, Manager and Chassis.
    MachineId, "Id"
}

id! {
    /// One part of a machine, unique among its kind within the machine: a disk, an interface, a media slot, a boot
    /// option. It stays the same for as long as the part exists, since clients keep the URIs.
    PartId, "Id"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_uri_segments() {
        let check =
            |id: &str, expect: bool| assert_eq!(MachineId::new(id).is_ok(), expect, "{id:?}");
        check("default.web-1", true);
        check("4c4c4544-0051-3310-8052-b4c04f4d3132", true);
        check("a", true);
        check(&"x".repeat(255), true);
        check("", false);
        check(&"x".repeat(256), false);
        for bad in
            [".", "..", "a/b", "a b", "a%2fb", "é", "a\n", "a?b", "a#b", "a:b", "a@b", "a\\b"]
        {
            check(bad, false);
        }
    }

    #[test]
    fn a_stored_id_is_checked_too() {
        assert!(serde_json::from_str::<MachineId>("\"../x\"").is_err());
        assert_eq!(
            serde_json::from_str::<MachineId>("\"x\"").unwrap(),
            MachineId::new("x").unwrap()
        );
    }
}

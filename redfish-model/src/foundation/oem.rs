//! The `Oem` member: what vendors add to a resource.
//!
//! DSP0266 gives each vendor one member below `Oem` and says nothing of its content, so it is kept as JSON and decoded
//! by whoever knows the vendor's type.

use std::collections::{BTreeMap, btree_map};
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A vendor's type for its member of `Oem`.
pub trait OemExtension: DeserializeOwned {
    /// The name of the member: the vendor's OEM namespace.
    const VENDOR: &'static str;
}

/// The `Oem` member of an object: JSON by vendor.
///
/// ```
/// use redfish_model::{Oem, OemExtension};
/// use serde_json::json;
///
/// #[derive(serde::Deserialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct Acme {
///     fan_mode: String,
/// }
///
/// impl OemExtension for Acme {
///     const VENDOR: &'static str = "Acme";
/// }
///
/// let oem: Oem = serde_json::from_value(json!({"Acme": {"FanMode": "Quiet"}, "Other": {}}))?;
/// let acme = oem.get::<Acme>().expect("the vendor is there")?;
/// assert_eq!(acme.fan_mode, "Quiet");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Oem(BTreeMap<String, Value>);

impl Oem {
    /// The member of the vendor of `T`; the error says in what it differs from `T`.
    pub fn get<T: OemExtension>(&self) -> Option<Result<T, serde_json::Error>> {
        self.get_value(T::VENDOR).map(T::deserialize)
    }

    /// The member of a vendor as it is.
    pub fn get_value(&self, vendor: &str) -> Option<&Value> {
        self.0.get(vendor)
    }

    /// Sets the member of the vendor of `T`.
    ///
    /// # Errors
    /// The value cannot be expressed in JSON.
    pub fn set<T: OemExtension + Serialize>(&mut self, value: &T) -> Result<(), serde_json::Error> {
        self.insert(T::VENDOR, serde_json::to_value(value)?);
        Ok(())
    }

    /// Sets the member of a vendor and gives back what it was before.
    pub fn insert(&mut self, vendor: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(vendor.into(), value.into())
    }

    /// Removes the member of a vendor and gives back what it was.
    pub fn remove(&mut self, vendor: &str) -> Option<Value> {
        self.0.remove(vendor)
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, by vendor.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Value> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a Oem {
    type Item = (&'a String, &'a Value);
    type IntoIter = btree_map::Iter<'a, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for Oem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Names only: a vendor's members can hold secrets.
impl fmt::Debug for Oem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<'de> Deserialize<'de> for Oem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, json, to_string};

    use super::*;

    #[derive(Debug, PartialEq, Deserialize, Serialize)]
    struct Acme(u8);

    impl OemExtension for Acme {
        const VENDOR: &'static str = "Acme";
    }

    #[test]
    fn vendors_are_kept_and_decoded() {
        let text = r#"{"Acme":7,"Other":{"n":18446744073709551615,"x":null}}"#;
        let mut oem: Oem = from_str(text).unwrap();
        assert_eq!(to_string(&oem).unwrap(), text);
        assert_eq!(oem.get::<Acme>().unwrap().unwrap(), Acme(7));
        oem.set(&Acme(8)).unwrap();
        assert_eq!(oem.get_value("Acme"), Some(&json!(8)));
        oem.insert("Acme", "text");
        assert!(oem.get::<Acme>().unwrap().is_err());
        oem.remove("Acme");
        assert!(oem.get::<Acme>().is_none());
        assert_eq!(oem.iter().count(), 1);
    }

    #[test]
    fn only_objects_are_oem() {
        assert!(from_str::<Oem>("[]").is_err());
        assert!(from_str::<Oem>("\"x\"").is_err());
    }
}

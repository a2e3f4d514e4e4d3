//! What a member's value may be.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;

use super::{DateTimeOffset, Duration, Inspection, Number, Oem, Secret};

/// A type that the value of a member may have.
pub trait Member: Serialize + DeserializeOwned + fmt::Debug {
    /// Reads a value.
    ///
    /// # Errors
    /// The value does not fit the type.
    fn read(value: &Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(value)
    }

    /// Looks for missing and misfitting members in this value. Values without members have none.
    fn inspect(&self, inspection: &mut Inspection) {
        let _ = inspection;
    }
}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => { $(impl Member for $ty {})* };
}

plain!(bool, i64, u64, f64, String, Value, Number, DateTimeOffset, Duration, Oem);

impl<T: Serialize + DeserializeOwned> Member for Secret<T> {}

impl<T: Member> Member for Option<T> {
    fn read(value: &Value) -> Result<Self, serde_json::Error> {
        if value.is_null() { Ok(None) } else { T::read(value).map(Some) }
    }

    fn inspect(&self, inspection: &mut Inspection) {
        if let Some(value) = self {
            value.inspect(inspection);
        }
    }
}

impl<T: Member> Member for Box<T> {
    fn read(value: &Value) -> Result<Self, serde_json::Error> {
        T::read(value).map(Self::new)
    }

    fn inspect(&self, inspection: &mut Inspection) {
        (**self).inspect(inspection);
    }
}

impl<T: Member> Member for Vec<T> {
    fn read(value: &Value) -> Result<Self, serde_json::Error> {
        let items =
            value.as_array().ok_or_else(|| serde_json::Error::custom("expected an array"))?;
        items.iter().map(T::read).collect()
    }

    fn inspect(&self, inspection: &mut Inspection) {
        for (index, item) in self.iter().enumerate() {
            inspection.below(&index.to_string(), item);
        }
    }
}

impl<T: Member> Member for BTreeMap<String, T> {
    fn read(value: &Value) -> Result<Self, serde_json::Error> {
        let members =
            value.as_object().ok_or_else(|| serde_json::Error::custom("expected an object"))?;
        members.iter().map(|(name, value)| Ok((name.clone(), T::read(value)?))).collect()
    }

    fn inspect(&self, inspection: &mut Inspection) {
        for (name, value) in self {
            inspection.below(name, value);
        }
    }
}

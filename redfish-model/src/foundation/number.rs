//! Numbers of members that the schema types as `number`.
//!
//! `f64` would turn the `1` of a service into `1.0`, and integers above 2^53 into others. JSON does not tell the two
//! apart, but clients written in typed languages do, and what was read has to be written as it came.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A JSON number that stays what it is: integers (`i64`, `u64`) exact, others as `f64`.
///
/// As in JSON text, `1` and `1.0` differ; compare [`as_f64`](Self::as_f64) where they should not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(serde_json::Number);

impl Number {
    /// The nearest `f64`.
    pub fn as_f64(&self) -> f64 {
        // Without serde_json's `arbitrary_precision` each number has one; with it a text may be out of range.
        self.0.as_f64().unwrap_or(f64::NAN)
    }

    /// The value when it is an integer in this range. `1.0` is none.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    /// The value when it is an integer in this range. `1.0` is none.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    /// Is it written without fraction and exponent?
    pub fn is_integer(&self) -> bool {
        self.0.is_i64() || self.0.is_u64()
    }
}

impl Default for Number {
    fn default() -> Self {
        Self::from(0_i64)
    }
}

macro_rules! from_integer {
    ($($ty:ty),*) => {
        $(impl From<$ty> for Number {
            fn from(value: $ty) -> Self {
                Self(value.into())
            }
        })*
    };
}

from_integer!(i32, i64, u32, u64);

impl TryFrom<f64> for Number {
    type Error = NotFinite;

    /// Refuses NaN and the infinities, which JSON lacks.
    fn try_from(value: f64) -> Result<Self, NotFinite> {
        serde_json::Number::from_f64(value).map(Self).ok_or(NotFinite)
    }
}

impl From<serde_json::Number> for Number {
    fn from(number: serde_json::Number) -> Self {
        Self(number)
    }
}

impl From<Number> for serde_json::Value {
    fn from(number: Number) -> Self {
        Self::Number(number.0)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Number::deserialize(deserializer).map(Self)
    }
}

/// NaN or an infinity, where a JSON number was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite;

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a finite number")
    }
}

impl std::error::Error for NotFinite {}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, to_string};

    use super::*;

    #[test]
    fn text_survives() {
        fn check(text: &str) {
            assert_eq!(to_string(&from_str::<Number>(text).unwrap()).unwrap(), text);
        }
        check("1");
        check("1.0");
        check("-9223372036854775808");
        check("18446744073709551615");
        check("0.1");
        check("-0.0");
    }

    #[test]
    fn integers_and_reals_are_told_apart() {
        fn check(text: &str, as_i64: Option<i64>, as_f64: f64) {
            let number: Number = from_str(text).unwrap();
            assert_eq!((number.as_i64(), number.is_integer()), (as_i64, as_i64.is_some()));
            assert!((number.as_f64() - as_f64).abs() < f64::EPSILON);
        }
        check("3", Some(3), 3.0);
        check("3.0", None, 3.0);
        check("-2.5", None, -2.5);
        assert_ne!(Number::from(1_i64), Number::try_from(1.0).unwrap());
        assert_eq!(Number::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Number::from(u64::MAX).as_i64(), None);
    }

    #[test]
    fn what_json_lacks_is_refused() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Number::try_from(value), Err(NotFinite));
        }
        assert!(from_str::<Number>("\"1\"").is_err());
    }
}

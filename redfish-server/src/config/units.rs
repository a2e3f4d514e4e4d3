//! Sizes and times as people write them.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserializer, Error, Visitor};

/// A number of bytes: `64 GiB`, or a plain number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(u64);

/// A length of time: `25s`, `5 minutes`, `1h 30m`, or a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(Duration);

impl Size {
    /// That many bytes.
    pub const fn bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let shift = match unit.trim() {
            "" | "B" => 0,
            "KiB" | "K" => 10,
            "MiB" | "M" => 20,
            "GiB" | "G" => 30,
            "TiB" | "T" => 40,
            _ => return None,
        };
        number.parse::<u64>().ok()?.checked_mul(1 << shift).map(Self)
    }
}

impl Period {
    /// That many seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// The length.
    pub const fn get(self) -> Duration {
        self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let length: jiff::SignedDuration = text.trim().parse().ok()?;
        Duration::try_from(length).ok().map(Self)
    }
}

/// Reads a text or a whole number.
struct Reader<T> {
    expects: &'static str,
    text: fn(&str) -> Option<T>,
    number: fn(u64) -> T,
}

impl<T> Visitor<'_> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expects)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.text)(text).ok_or_else(|| E::custom(format!("{text:?} is no {}", self.expects)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        let refused = |_| E::custom(format!("{number} is no {}", self.expects));
        u64::try_from(number).map(self.number).map_err(refused)
    }

    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok((self.number)(number))
    }
}

impl<'de> serde::Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expects = "size such as \"64 GiB\" (KiB, MiB, GiB, TiB)";
        deserializer.deserialize_any(Reader { expects, text: Self::parse, number: Self })
    }
}

impl<'de> serde::Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expects = "length of time such as \"25s\" or \"1h 30m\"";
        deserializer.deserialize_any(Reader { expects, text: Self::parse, number: Self::seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let check = |text: &str, expect: Option<u64>| {
            assert_eq!(Size::parse(text).map(Size::get), expect, "{text}");
        };
        check("5", Some(5));
        check("64 GiB", Some(64 << 30));
        check("64GiB", Some(64 << 30));
        check(" 1 K ", Some(1024));
        check("1 GB", None);
        check("GiB", None);
        check("-1", None);
        check("99999999999 TiB", None);
    }

    #[test]
    fn periods() {
        let check = |text: &str, expect: Option<u64>| {
            let millis = Period::parse(text).map(|period| period.get().as_millis());
            assert_eq!(millis, expect.map(u128::from), "{text}");
        };
        check("25s", Some(25_000));
        check("500ms", Some(500));
        check("1h 30m", Some(5_400_000));
        check("5 minutes", Some(300_000));
        check("-5s", None);
        check("soon", None);
        check("", None);
    }
}

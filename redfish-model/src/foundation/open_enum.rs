//! Enumerations that stay open.
//!
//! A newer service sends values that this release of the schema does not have. A closed `enum` would refuse the whole
//! resource for one of them. Here such a text is kept in the variant `Unknown`, behind a type that nobody else can
//! make: a text that the schema knows is therefore always the variant for it, and comparing variants is safe.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// An enumeration of the schema, with a variant for texts that the schema does not name.
pub trait OpenEnum:
    Clone + fmt::Debug + fmt::Display + Eq + Serialize + for<'de> Deserialize<'de> + 'static
{
    /// All variants that the schema names.
    const ALL: &'static [Self];
    /// Their texts, in the same order.
    const KNOWN: &'static [&'static str];

    /// The variant for a text.
    fn from_text(text: &str) -> Self;

    /// The variant's text.
    fn as_str(&self) -> &str;

    /// Does the schema name this value?
    fn is_known(&self) -> bool {
        Self::KNOWN.contains(&self.as_str())
    }
}

/// A text that the schema does not name as a value of the enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownValue(Box<str>);

impl UnknownValue {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        &self.0
    }
}

/// The variant for `text`, or `unknown` of it.
pub(crate) fn variant<E: OpenEnum>(text: &str, unknown: fn(UnknownValue) -> E) -> E {
    match E::KNOWN.iter().position(|known| *known == text).and_then(|index| E::ALL.get(index)) {
        Some(variant) => variant.clone(),
        None => unknown(UnknownValue::new(text)),
    }
}

/// Debug output of a variant: its text, and whether the schema names it.
pub(crate) fn debug_variant<E: OpenEnum>(variant: &E, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = variant.as_str();
    if variant.is_known() {
        f.write_str(text)
    } else {
        f.debug_tuple("Unknown").field(&text).finish()
    }
}

/// Reads the text of a variant; `Deserialize` of every enumeration calls it.
pub(crate) fn read_variant<'de, E: OpenEnum, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<E, D::Error> {
    deserializer.deserialize_str(TextVisitor(PhantomData))
}

struct TextVisitor<E>(PhantomData<E>);

impl<E: OpenEnum> Visitor<'_> for TextVisitor<E> {
    type Value = E;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<R: Error>(self, text: &str) -> Result<E, R> {
        Ok(E::from_text(text))
    }
}

/// Declares an open enumeration.
///
/// ```text
/// open_enum! {
///     /// `Resource.PowerState`
///     pub enum PowerState {
///         /// The resource is powered on.
///         On = "On",
///         Off = "Off",
///     }
/// }
/// ```
///
/// A variant without documentation is documented with its text.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                #[doc = ""]
                $(#[$variant_meta])*
                $variant,
            )*
            /// A text that the schema does not name.
            Unknown($crate::UnknownValue),
        }

        impl $name {
            /// All variants that the schema names.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// Their texts, in the same order.
            pub const KNOWN: &'static [&'static str] = &[$($text),*];

            /// The variant's text.
            #[inline]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(text) => text.as_str(),
                }
            }
        }

        impl $crate::OpenEnum for $name {
            const ALL: &'static [Self] = Self::ALL;
            const KNOWN: &'static [&'static str] = Self::KNOWN;

            #[inline]
            fn from_text(text: &str) -> Self {
                $crate::foundation::variant(text, Self::Unknown)
            }

            #[inline]
            fn as_str(&self) -> &str {
                self.as_str()
            }
        }

        impl $crate::Member for $name {}

        impl Eq for $name {}

        impl ::std::hash::Hash for $name {
            #[inline]
            fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        impl ::std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::foundation::debug_variant(self, f)
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                $crate::OpenEnum::from_text(text)
            }
        }

        impl From<String> for $name {
            #[inline]
            fn from(text: String) -> Self {
                $crate::OpenEnum::from_text(&text)
            }
        }

        impl ::std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::foundation::read_variant(deserializer)
            }
        }
    };
}

pub(crate) use open_enum;

#[cfg(test)]
#[allow(unreachable_pub)] // the type in it is written like generated ones, which are public
mod tests {
    use serde_json::{from_str, to_string};

    use super::super::OpenEnum;

    open_enum! {
        /// For the tests.
        pub enum Power {
            On = "On",
            /// Documented.
            Off = "Off",
            UnknownState = "Unknown",
        }
    }

    #[test]
    fn texts_survive() {
        fn check(text: &str, known: bool) {
            let power = Power::from(text);
            assert_eq!(
                (power.as_str(), power.to_string(), power.is_known()),
                (text, text.to_owned(), known)
            );
            let json = to_string(text).unwrap();
            assert_eq!(from_str::<Power>(&json).unwrap(), power);
            assert_eq!(to_string(&power).unwrap(), json);
            assert_eq!(matches!(power, Power::Unknown(_)), !known);
        }
        check("On", true);
        check("Off", true);
        check("Unknown", true);
        check("on", false);
        check("", false);
        check("a \"new\"\nvalue", false);
    }

    #[test]
    fn lists_are_in_step() {
        assert_eq!(Power::ALL.iter().map(Power::as_str).collect::<Vec<_>>(), Power::KNOWN);
        assert_eq!(Power::ALL, [Power::On, Power::Off, Power::UnknownState]);
        assert_eq!(Power::from("Unknown".to_owned()), Power::UnknownState);
    }

    #[test]
    fn only_strings_are_values() {
        for json in ["1", "null", "true", "{}", "[\"On\"]"] {
            assert!(from_str::<Power>(json).is_err(), "{json}");
        }
    }
}

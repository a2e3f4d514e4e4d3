//! The settings of the firmware: `Bios` and its `AttributeRegistry`.
//!
//! Which attributes there are differs from firmware to firmware, so they describe themselves. What is set takes effect with
//! the next start: until then there are two values, the one that is and the one that will be.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::text::Label;

/// Values of attributes, by name.
pub type BiosValues = BTreeMap<Label, BiosValue>;

/// The settings of one machine's firmware.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bios {
    /// What can be set, sorted by name. Machines with the same firmware share one list.
    pub attributes: Arc<[BiosAttribute]>,
    /// What is: a value for each attribute.
    pub current: BiosValues,
    /// What the next start makes of it, as far as that differs.
    pub pending: BiosValues,
}

impl Bios {
    /// Settings in which every attribute has the value given, or else its default; attributes with neither have none.
    pub fn new(attributes: impl Into<Arc<[BiosAttribute]>>, values: BiosValues) -> Self {
        let attributes = attributes.into();
        let mut current = values;
        for attribute in &*attributes {
            if let Some(default) = &attribute.default
                && !current.contains_key(&attribute.name)
            {
                current.insert(attribute.name.clone(), default.clone());
            }
        }
        Self { attributes, current, pending: BiosValues::new() }
    }

    /// The attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&BiosAttribute> {
        self.attributes.iter().find(|attribute| attribute.name.as_str() == name)
    }

    /// Has the next start set these, besides what was to be set before. What is so already is no longer pending.
    pub fn stage(&mut self, values: impl IntoIterator<Item = (Label, BiosValue)>) {
        for (name, value) in values {
            if self.current.get(&name) == Some(&value) {
                self.pending.remove(&name);
            } else {
                self.pending.insert(name, value);
            }
        }
    }

    /// Has the next start set every attribute that can be set to its default: `Bios.ResetBios`.
    pub fn stage_defaults(&mut self) {
        let attributes = Arc::clone(&self.attributes);
        self.pending.clear();
        self.stage(
            attributes
                .iter()
                .filter(|attribute| !attribute.read_only)
                .filter_map(|attribute| Some((attribute.name.clone(), attribute.default.clone()?))),
        );
    }

    /// The next start is there.
    pub fn take_effect(&mut self) {
        self.current.append(&mut self.pending);
    }
}

/// One attribute: an entry of `RegistryEntries.Attributes`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BiosAttribute {
    /// The name: `AttributeName`.
    pub name: Label,
    /// What an operator reads: `DisplayName`.
    pub display_name: Label,
    /// Which values there are.
    pub kind: BiosKind,
    /// The value without anybody's doing: `DefaultValue`.
    pub default: Option<BiosValue>,
    /// Whether it can only be read: `ReadOnly`.
    pub read_only: bool,
    /// Whether it takes a start for a new value to count: `ResetRequired`.
    pub reset_required: bool,
}

impl BiosAttribute {
    /// An attribute that can be set, for the next start.
    pub fn new(name: impl Into<Label>, kind: BiosKind, default: BiosValue) -> Self {
        let name = name.into();
        Self {
            display_name: name.clone(),
            name,
            kind,
            default: Some(default),
            read_only: false,
            reset_required: true,
        }
    }

    /// Whether it can be set to that.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the attribute's name as field.
    pub fn check(&self, value: &BiosValue) -> Result<(), Error> {
        if self.read_only {
            return Err(self.invalid("The attribute can only be read"));
        }
        self.check_kind(value)
    }

    /// Whether it is one of its values, whoever sets it.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the attribute's name as field.
    pub fn check_kind(&self, value: &BiosValue) -> Result<(), Error> {
        match (&self.kind, value) {
            (BiosKind::Enumeration(values), BiosValue::Text(text)) => {
                if values.iter().any(|known| known.value == *text) {
                    return Ok(());
                }
                let known: Vec<_> = values.iter().map(|known| known.value.as_str()).collect();
                Err(self.invalid(format!("The value must be one of {}", known.join(", "))))
            }
            (BiosKind::Integer { least, most }, BiosValue::Integer(number)) => {
                if (*least..=*most).contains(number) {
                    return Ok(());
                }
                Err(self.invalid(format!("The value must be from {least} to {most}")))
            }
            (BiosKind::Text { shortest, longest }, BiosValue::Text(text)) => {
                if (*shortest..=*longest).contains(&text.as_str().chars().count()) {
                    return Ok(());
                }
                Err(self.invalid(format!("The value must have {shortest} to {longest} characters")))
            }
            (BiosKind::Boolean, BiosValue::Boolean(_)) => Ok(()),
            (kind, _) => Err(self.invalid(format!("The value must be {}", kind.word()))),
        }
    }

    fn invalid(&self, reason: impl Into<crate::Message>) -> Error {
        Error::Invalid { field: self.name.clone(), reason: reason.into() }
    }
}

/// Which values an attribute can have: `Type` and what bounds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BiosKind {
    /// One of these.
    Enumeration(Vec<BiosChoice>),
    /// A whole number.
    Integer {
        /// `LowerBound`.
        least: i64,
        /// `UpperBound`.
        most: i64,
    },
    /// Any text.
    Text {
        /// `MinLength`, in characters.
        shortest: usize,
        /// `MaxLength`, in characters.
        longest: usize,
    },
    /// True or false.
    Boolean,
}

impl BiosKind {
    const fn word(&self) -> &'static str {
        match self {
            Self::Enumeration(_) | Self::Text { .. } => "a text",
            Self::Integer { .. } => "a whole number",
            Self::Boolean => "true or false",
        }
    }
}

/// One value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BiosChoice {
    /// The value: `ValueName`.
    pub value: Label,
    /// What an operator reads: `ValueDisplayName`.
    pub display_name: Label,
}

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BiosValue {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A text, also one of an enumeration.
    Text(Label),
}

impl From<&str> for BiosValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<bool> for BiosValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for BiosValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(values: &[&str]) -> BiosKind {
        let choice =
            |value: &&str| BiosChoice { value: (*value).into(), display_name: (*value).into() };
        BiosKind::Enumeration(values.iter().map(choice).collect())
    }

    fn bios() -> Bios {
        let mut version =
            BiosAttribute::new("Version", BiosKind::Text { shortest: 0, longest: 9 }, "1".into());
        version.read_only = true;
        Bios::new(
            [
                BiosAttribute::new("Delay", BiosKind::Integer { least: 0, most: 10 }, 3.into()),
                BiosAttribute::new("Mode", choices(&["a", "b"]), "a".into()),
                BiosAttribute::new("Quiet", BiosKind::Boolean, false.into()),
                version,
            ],
            BiosValues::from([("Quiet".into(), true.into())]),
        )
    }

    #[test]
    fn attributes_know_their_values() {
        let check = |name: &str, value: BiosValue, expect: bool| {
            let bios = bios();
            assert_eq!(
                bios.attribute(name).unwrap().check(&value).is_ok(),
                expect,
                "{name} {value:?}"
            );
        };
        check("Delay", 0.into(), true);
        check("Delay", 10.into(), true);
        check("Delay", 11.into(), false);
        check("Delay", (-1).into(), false);
        check("Delay", "3".into(), false);
        check("Mode", "b".into(), true);
        check("Mode", "c".into(), false);
        check("Mode", true.into(), false);
        check("Quiet", true.into(), true);
        check("Quiet", 1.into(), false);
        check("Version", "2".into(), false);
        let version = bios().attribute("Version").unwrap().check_kind(&"1234567890".into());
        assert!(
            matches!(version, Err(Error::Invalid { field, .. }) if field.as_str() == "Version")
        );
    }

    #[test]
    fn values_take_effect_with_the_next_start() {
        let mut bios = bios();
        bios.stage([
            ("Delay".into(), 5.into()),
            ("Mode".into(), "b".into()),
            ("Quiet".into(), true.into()),
        ]);
        assert_eq!(bios.pending.len(), 2);
        // Set back to what it is.
        bios.stage([("Mode".into(), "a".into())]);
        assert_eq!(bios.pending, BiosValues::from([("Delay".into(), 5.into())]));
        bios.take_effect();
        assert_eq!((bios.current.get("Delay"), bios.pending.len()), (Some(&5.into()), 0));
        bios.stage_defaults();
        assert_eq!(
            bios.pending,
            BiosValues::from([("Delay".into(), 3.into()), ("Quiet".into(), false.into())])
        );
    }

    #[test]
    fn values_are_plain_in_json() {
        for (value, text) in
            [(BiosValue::from("a"), "\"a\""), (5.into(), "5"), (true.into(), "true")]
        {
            assert_eq!(serde_json::to_string(&value).unwrap(), text);
            assert_eq!(serde_json::from_str::<BiosValue>(text).unwrap(), value);
        }
    }
}

//! New settings for the firmware.

use crate::Error;
use crate::machine::{BiosValues, Machine};

/// Attributes to set with the next start: a PATCH of `Bios/Settings`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BiosChange(pub BiosValues);

impl BiosChange {
    /// Whether the machine can take it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when nothing can be set, [`Error::Invalid`] for the first attribute that is unknown or
    /// can't have the value. [`Self::faults`] has them all.
    pub fn check(&self, machine: &Machine) -> Result<(), Error> {
        if !machine.capabilities.bios || machine.bios.is_none() {
            return Err(Error::unsupported(
                "The firmware settings of this machine can't be changed",
            ));
        }
        self.faults(machine).into_iter().next().map_or(Ok(()), Err)
    }

    /// Everything that is wrong with the values, for who tells all faults at once.
    pub fn faults(&self, machine: &Machine) -> Vec<Error> {
        let fault = |(name, value)| match machine.bios.as_ref().and_then(|bios| {
            let name: &crate::Label = name;
            bios.attribute(name.as_str())
        }) {
            Some(attribute) => attribute.check(value).err(),
            None => Some(Error::Invalid {
                field: crate::Label::clone(name),
                reason: "There is no such attribute".into(),
            }),
        };
        self.0.iter().filter_map(fault).collect()
    }
}

//! What a write changes, and whether a machine can take it.
//!
//! A change is all or nothing: the checks that need no hypervisor come first and are the same for every backend, so that
//! a client that asks for the impossible hears so without anything being half done.

mod bios;
mod volume;

pub use bios::BiosChange;
pub use volume::NewVolume;

use crate::machine::{BootMode, BootOverride, Machine, OverrideEnabled};
use crate::text::Label;
use crate::{Error, PartId};

/// A change of the boot configuration. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BootChange {
    /// The override.
    pub override_: OverrideChange,
    /// How firmware is started.
    pub mode: Option<BootMode>,
    /// The owner's order, most preferred first; options that it leaves out come last, as they were.
    pub order: Option<Vec<PartId>>,
    /// Whether the next start has secure boot.
    pub secure_boot: Option<bool>,
}

/// What becomes of the override.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OverrideChange {
    /// It stays.
    #[default]
    Keep,
    /// There is none any more: `Disabled`.
    Clear,
    /// There is this one.
    Set(BootOverride),
}

impl BootChange {
    /// Whether the machine can take it, as far as its capabilities and boot options tell.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for what it can never do, [`Error::Invalid`] for an order that names what there is not.
    pub fn check(&self, machine: &Machine) -> Result<(), Error> {
        if let Some(enable) = self.secure_boot
            && !machine.capabilities.secure_boot
            && machine.boot.secure_boot.map(|secure_boot| secure_boot.enable) != Some(enable)
        {
            return Err(Error::unsupported("Secure boot can't be switched on this machine"));
        }
        let touches_boot =
            self.override_ != OverrideChange::Keep || self.mode.is_some() || self.order.is_some();
        if !touches_boot {
            return Ok(());
        }
        let Some(can) = &machine.capabilities.boot else {
            return Err(Error::unsupported(
                "The boot configuration of this machine can only be read",
            ));
        };
        if let OverrideChange::Set(wanted) = &self.override_ {
            let lasts = match wanted.enabled {
                OverrideEnabled::Once => can.once,
                OverrideEnabled::Continuous => can.continuous,
            };
            if !lasts || !can.targets.contains(&wanted.target) {
                let BootOverride { enabled, target } = wanted;
                return Err(Error::unsupported(format!(
                    "This machine has no override {target:?}, {enabled:?}"
                )));
            }
        }
        if let Some(mode) = self.mode
            && machine.boot.mode != Some(mode)
            && !can.modes.contains(&mode)
        {
            return Err(Error::unsupported(format!(
                "This machine can't boot in the mode {mode:?}"
            )));
        }
        match &self.order {
            Some(_) if !can.order => {
                Err(Error::unsupported("The boot order of this machine can't be changed"))
            }
            Some(order) => check_order(order, machine),
            None => Ok(()),
        }
    }

    /// The whole order that results: what was named, and after it the rest as it was.
    pub fn whole_order(&self, machine: &Machine) -> Vec<PartId> {
        let named = self.order.as_deref().unwrap_or_default();
        let rest = machine.boot.order.iter().filter(|id| !named.contains(id));
        named.iter().chain(rest).cloned().collect()
    }
}

fn check_order(order: &[PartId], machine: &Machine) -> Result<(), Error> {
    for (position, id) in order.iter().enumerate() {
        if order[..position].contains(id) {
            return Err(Error::invalid("BootOrder", format!("Boot option {id} is named twice")));
        }
        if !machine.boot.options.iter().any(|option| option.id == *id) {
            return Err(Error::invalid("BootOrder", format!("There is no boot option {id}")));
        }
    }
    Ok(())
}

/// A change of what a machine is called and how it is found. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdentityChange {
    /// The asset tag; empty for none.
    pub asset_tag: Option<Label>,
    /// Whether it is to be shown where the machine is.
    pub locating: Option<bool>,
}

impl IdentityChange {
    /// Whether the machine can take it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for what it can never do.
    pub fn check(&self, machine: &Machine) -> Result<(), Error> {
        if self.asset_tag.is_some() && !machine.capabilities.asset_tag {
            return Err(Error::unsupported("The asset tag of this machine can't be set"));
        }
        if self.locating.is_some() && !machine.capabilities.locate {
            return Err(Error::unsupported("This machine can't be marked as being looked for"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MachineId;
    use crate::machine::{BootCapabilities, BootOption, BootTarget, Revision, SecureBoot};
    use crate::power::PowerState;

    fn part(id: &str) -> PartId {
        PartId::new(id).unwrap()
    }

    fn machine() -> Machine {
        let mut machine =
            Machine::new(MachineId::new("a").unwrap(), PowerState::Off, Revision::of(1));
        machine.boot.mode = Some(BootMode::Legacy);
        machine.boot.secure_boot = Some(SecureBoot { enable: false, current: None });
        let option = |id| BootOption { id: part(id), name: id.into(), target: None, part: None };
        machine.boot.options = ["disk", "net", "cd"].map(option).into();
        machine.boot.order = ["disk", "net", "cd"].map(part).into();
        let targets = vec![BootTarget::Pxe];
        machine.capabilities.boot = Some(BootCapabilities {
            targets,
            once: true,
            order: true,
            ..BootCapabilities::default()
        });
        machine
    }

    fn set(enabled: OverrideEnabled, target: BootTarget) -> BootChange {
        BootChange {
            override_: OverrideChange::Set(BootOverride { enabled, target }),
            ..BootChange::default()
        }
    }

    fn order(ids: &[&str]) -> BootChange {
        BootChange { order: Some(ids.iter().map(|id| part(id)).collect()), ..BootChange::default() }
    }

    #[test]
    fn what_a_machine_can_not_do_is_refused_beforehand() {
        let (ok, unsupported, invalid) = ("ok", "unsupported", "invalid");
        let check = |change: BootChange, expect: &str| {
            let found = match change.check(&machine()) {
                Ok(()) => ok,
                Err(Error::Unsupported { .. }) => unsupported,
                Err(Error::Invalid { .. }) => invalid,
                Err(other) => panic!("{other}"),
            };
            assert_eq!(found, expect, "{change:?}");
        };
        check(BootChange::default(), ok);
        check(set(OverrideEnabled::Once, BootTarget::Pxe), ok);
        check(set(OverrideEnabled::Once, BootTarget::Cd), unsupported);
        check(set(OverrideEnabled::Continuous, BootTarget::Pxe), unsupported);
        check(BootChange { override_: OverrideChange::Clear, ..BootChange::default() }, ok);
        check(BootChange { mode: Some(BootMode::Uefi), ..BootChange::default() }, unsupported);
        // What is so already is no change.
        check(BootChange { mode: Some(BootMode::Legacy), ..BootChange::default() }, ok);
        check(BootChange { secure_boot: Some(false), ..BootChange::default() }, ok);
        check(BootChange { secure_boot: Some(true), ..BootChange::default() }, unsupported);
        check(order(&["cd", "disk"]), ok);
        check(order(&["cd", "cd"]), invalid);
        check(order(&["cd", "tape"]), invalid);
    }

    #[test]
    fn a_short_order_keeps_the_rest() {
        assert_eq!(order(&["cd"]).whole_order(&machine()), ["cd", "disk", "net"].map(part));
        assert_eq!(BootChange::default().whole_order(&machine()), ["disk", "net", "cd"].map(part));
    }

    #[test]
    fn identity_needs_its_capabilities() {
        let change = IdentityChange { asset_tag: Some("x".into()), ..IdentityChange::default() };
        assert!(matches!(change.check(&machine()), Err(Error::Unsupported { .. })));
        assert_eq!(IdentityChange::default().check(&machine()), Ok(()));
    }
}

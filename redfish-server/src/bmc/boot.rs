//! `Boot` of a ComputerSystem, as it is.
//!
//! No override is `Disabled` and `None`, never `null`: clients compare with these words. Where it can
//! be changed, the allowable values stand beside it.

use redfish_backend::machine::{BootMode, BootTarget, OverrideEnabled};
use redfish_model::Field;
use redfish_model::computer_system::{
    Boot, BootSource, BootSourceOverrideEnabled, BootSourceOverrideMode,
};

use super::Seen;

/// The boot configuration.
pub(super) fn boot(seen: &Seen<'_>) -> Boot {
    let (present, can) = (&seen.machine.boot, seen.machine.capabilities.boot.as_ref());
    let (enabled, target) = match &present.override_ {
        None => (BootSourceOverrideEnabled::Disabled, BootSource::None),
        Some(set) => (enabled(set.enabled), source(set.target)),
    };
    let has_options = !present.options.is_empty();
    let order = || present.order.iter().map(|id| Some(id.as_str().to_owned())).collect();
    let mut boot = Boot {
        boot_options: has_options.then(|| seen.link("BootOptions")).into(),
        boot_order: has_options.then(order).into(),
        boot_source_override_enabled: enabled.into(),
        boot_source_override_mode: present.mode.map(mode).into(),
        boot_source_override_target: target.into(),
        ..Boot::default()
    };
    let Some(can) = can else { return boot };
    if seen.for_clients() {
        // Ansible writes these only where it has read them; what they are set to is refused.
        boot.uefi_target_boot_source_override = Field::Null;
        boot.boot_next = Field::Null;
        boot.http_boot_uri = Field::Null;
    }
    let mut allow = |member: &str, values: Vec<String>| {
        boot.extra.annotate(member, "Redfish.AllowableValues", values);
    };
    if !can.targets.is_empty() {
        let targets = can.targets.iter().map(|target| source(*target));
        let all = std::iter::once(BootSource::None).chain(targets);
        allow("BootSourceOverrideTarget", all.map(|source| source.to_string()).collect());
        let lasting = [(true, "Disabled"), (can.once, "Once"), (can.continuous, "Continuous")];
        let lasting = lasting.iter().filter(|(can, _)| *can).map(|(_, word)| (*word).to_owned());
        allow("BootSourceOverrideEnabled", lasting.collect());
    }
    if !can.modes.is_empty() {
        let modes = can.modes.iter().map(|choice| mode(*choice).to_string());
        allow("BootSourceOverrideMode", modes.collect());
    }
    boot
}

/// `BootSourceOverrideEnabled` on the wire.
pub(super) const fn enabled(enabled: OverrideEnabled) -> BootSourceOverrideEnabled {
    match enabled {
        OverrideEnabled::Once => BootSourceOverrideEnabled::Once,
        OverrideEnabled::Continuous => BootSourceOverrideEnabled::Continuous,
    }
}

/// `BootSourceOverrideTarget` on the wire.
pub(super) const fn source(target: BootTarget) -> BootSource {
    match target {
        BootTarget::Pxe => BootSource::Pxe,
        BootTarget::Hdd => BootSource::Hdd,
        BootTarget::Cd => BootSource::Cd,
        BootTarget::Usb => BootSource::Usb,
        BootTarget::Floppy => BootSource::Floppy,
        BootTarget::UefiHttp => BootSource::UefiHttp,
        BootTarget::BiosSetup => BootSource::BiosSetup,
    }
}

/// `BootSourceOverrideMode` on the wire.
pub(super) const fn mode(mode: BootMode) -> BootSourceOverrideMode {
    match mode {
        BootMode::Uefi => BootSourceOverrideMode::UEFI,
        BootMode::Legacy => BootSourceOverrideMode::Legacy,
    }
}

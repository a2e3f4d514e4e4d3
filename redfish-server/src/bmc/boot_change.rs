//! From a PATCH of `Boot` to one change of the boot configuration.
//!
//! Clients write the override in pieces. A target without a word on for how long keeps that of the
//! override that is set, and is for once where none is; for how long without a target is about the
//! target that is set. What only repeats the present state is no change, so that a client can send
//! back the whole object that it read.

use redfish_backend::PartId;
use redfish_backend::change::{BootChange, OverrideChange};
use redfish_backend::machine::{
    BootCapabilities, BootMode, BootOverride, BootTarget, Machine, OverrideEnabled,
};
use redfish_model::Field;
use redfish_model::computer_system::{
    BootPatch, BootSource, BootSourceOverrideEnabled, BootSourceOverrideMode,
};

use super::boot::{mode, source};
use super::refusal::about;
use crate::message::Message;
use crate::messages;

/// What a PATCH of `Boot` comes to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Wanted {
    /// What to change.
    pub(super) change: BootChange,
    /// What is left as it was, since it can't be changed here.
    pub(super) left: Vec<Message>,
    /// Values that can't be: with any, nothing is changed.
    pub(super) wrong: Vec<Message>,
}

/// What a PATCH of `Boot` comes to for a machine.
pub(super) fn boot_change(machine: &Machine, patch: &BootPatch) -> Wanted {
    let mut wanted = Wanted::default();
    let nothing = BootCapabilities::default();
    let can = machine.capabilities.boot.as_ref();
    override_change(&mut wanted, machine, can, patch);
    let can = can.unwrap_or(&nothing);
    mode_change(&mut wanted, machine, can, &patch.boot_source_override_mode);
    order_change(&mut wanted, machine, can, &patch.boot_order);
    // Shown as null where clients need to see them, and null they stay.
    let unset = [
        (patch.boot_next.is_value(), "BootNext"),
        (patch.http_boot_uri.is_value(), "HttpBootUri"),
        (patch.uefi_target_boot_source_override.is_value(), "UefiTargetBootSourceOverride"),
    ];
    for (_, name) in unset.into_iter().filter(|(sent, _)| *sent) {
        wanted.left(name);
    }
    wanted
}

impl Wanted {
    fn left(&mut self, member: &str) {
        let path = path(member);
        self.left.push(about(&path, messages::property_not_writable(&path)));
    }

    fn not_in_list(&mut self, member: &str, value: &str) {
        let path = path(member);
        self.wrong.push(about(&path, messages::property_value_not_in_list(value, &path)));
    }

    fn conflict(&mut self, member: &str, other: &str) {
        let path = path(member);
        let message = messages::property_value_conflict(&path, format!("Boot/{other}"));
        self.wrong.push(about(&path, message));
    }
}

const TARGET: &str = "BootSourceOverrideTarget";
const ENABLED: &str = "BootSourceOverrideEnabled";
const MODE: &str = "BootSourceOverrideMode";
const ORDER: &str = "BootOrder";

/// How many wrong entries of an order are told.
const MOST_TOLD: usize = 16;

fn path(member: &str) -> String {
    format!("Boot/{member}")
}

fn override_change(
    wanted: &mut Wanted,
    machine: &Machine,
    can: Option<&BootCapabilities>,
    patch: &BootPatch,
) {
    let present = machine.boot.override_.as_ref();
    let (target, lasting) =
        (&patch.boot_source_override_target, &patch.boot_source_override_enabled);
    let target = match target {
        Field::Absent => None,
        Field::Null | Field::Value(BootSource::None) => Some(None),
        Field::Value(source) => match of_source(source) {
            Some(target) => Some(Some(target)),
            None => return wanted.not_in_list(TARGET, source.as_str()),
        },
    };
    let lasting = match lasting {
        Field::Absent => None,
        Field::Null | Field::Value(BootSourceOverrideEnabled::Disabled) => Some(None),
        Field::Value(BootSourceOverrideEnabled::Once) => Some(Some(OverrideEnabled::Once)),
        Field::Value(BootSourceOverrideEnabled::Continuous) => {
            Some(Some(OverrideEnabled::Continuous))
        }
        Field::Value(other) => return wanted.not_in_list(ENABLED, other.as_str()),
    };
    let then = match (target, lasting) {
        (None, None) => return,
        (Some(None), _) | (_, Some(None)) => None,
        (Some(Some(target)), lasting) => {
            let kept = present.map_or(OverrideEnabled::Once, |set| set.enabled);
            Some(BootOverride { enabled: lasting.flatten().unwrap_or(kept), target })
        }
        (None, Some(Some(enabled))) => match present {
            Some(set) => Some(BootOverride { enabled, target: set.target }),
            // For once from nothing in particular: that is no override.
            None => return wanted.conflict(ENABLED, TARGET),
        },
    };
    if then.as_ref() == present {
        return;
    }
    let Some(can) = can.filter(|can| !can.targets.is_empty()) else {
        for (sent, name) in [(target.is_some(), TARGET), (lasting.is_some(), ENABLED)] {
            if sent {
                wanted.left(name);
            }
        }
        return;
    };
    let Some(then) = then else {
        wanted.change.override_ = OverrideChange::Clear;
        return;
    };
    if !can.targets.contains(&then.target) {
        return wanted.not_in_list(TARGET, source(then.target).as_str());
    }
    let lasts = match then.enabled {
        OverrideEnabled::Once => can.once,
        OverrideEnabled::Continuous => can.continuous,
    };
    if !lasts {
        return wanted.not_in_list(ENABLED, super::boot::enabled(then.enabled).as_str());
    }
    wanted.change.override_ = OverrideChange::Set(then);
}

fn mode_change(
    wanted: &mut Wanted,
    machine: &Machine,
    can: &BootCapabilities,
    sent: &Field<BootSourceOverrideMode>,
) {
    let to = match sent {
        Field::Absent => return,
        Field::Value(BootSourceOverrideMode::UEFI) => BootMode::Uefi,
        Field::Value(BootSourceOverrideMode::Legacy) => BootMode::Legacy,
        Field::Value(other) => return wanted.not_in_list(MODE, other.as_str()),
        // No mode is none that a machine could start in.
        Field::Null => return wanted.left(MODE),
    };
    if machine.boot.mode == Some(to) {
        return;
    }
    if can.modes.is_empty() {
        wanted.left(MODE);
    } else if can.modes.contains(&to) {
        wanted.change.mode = Some(to);
    } else {
        wanted.not_in_list(MODE, mode(to).as_str());
    }
}

fn order_change(
    wanted: &mut Wanted,
    machine: &Machine,
    can: &BootCapabilities,
    sent: &Field<Vec<Option<String>>>,
) {
    let Field::Value(sent) = sent else { return };
    let sent: Vec<&str> = sent.iter().flatten().map(String::as_str).collect();
    if machine.boot.order.iter().map(PartId::as_str).eq(sent.iter().copied()) {
        return;
    }
    if !can.order {
        return wanted.left(ORDER);
    }
    let mut order = Vec::with_capacity(sent.len());
    for id in sent {
        if wanted.wrong.len() >= MOST_TOLD {
            break;
        }
        match machine.boot.options.iter().find(|option| option.id.as_str() == id) {
            None => wanted.not_in_list(ORDER, &short(id)),
            Some(option) if order.contains(&option.id) => {
                let path = path(ORDER);
                wanted.wrong.push(about(&path, messages::property_value_error(&path)));
            }
            Some(option) => order.push(option.id.clone()),
        }
    }
    if wanted.wrong.is_empty() {
        wanted.change.order = Some(order);
    }
}

/// As much of a text as a message repeats.
fn short(text: &str) -> String {
    text.chars().take(64).collect()
}

const fn of_source(source: &BootSource) -> Option<BootTarget> {
    match source {
        BootSource::Pxe => Some(BootTarget::Pxe),
        BootSource::Hdd => Some(BootTarget::Hdd),
        BootSource::Cd => Some(BootTarget::Cd),
        BootSource::Usb => Some(BootTarget::Usb),
        BootSource::Floppy => Some(BootTarget::Floppy),
        BootSource::UefiHttp => Some(BootTarget::UefiHttp),
        BootSource::BiosSetup => Some(BootTarget::BiosSetup),
        _ => None,
    }
}

//! From what the pretended hypervisor has to what clients are shown: what the watch of a real backend does.

use std::time::{Duration, SystemTime};

use super::domain::Domain;
use super::state::{Progress, State};
use crate::intent::{Damaged, MediaIntent, Record, Stage};
use crate::machine::{Condition, Machine, Medium, MediumPhase, Revision, SecureBoot, Severity};
use crate::power::PowerState;

/// The record that lies with a machine.
pub(super) fn record(state: &State) -> Result<Record, Damaged> {
    state.record.as_deref().map_or_else(|| Ok(Record::default()), Record::decode)
}

/// The machine as it is now.
pub(super) fn machine(domain: &Domain) -> Machine {
    let (state, template) = (&domain.state, &domain.template);
    let mut machine = Machine::clone(template);
    machine.revision = Revision::of(domain.revision);
    machine.identity.uid = Some(domain.uid.clone());
    machine.identity.asset_tag.clone_from(&state.asset_tag);
    machine.identity.locating = machine.capabilities.locate.then_some(state.locating);
    machine.bios = state.settings(template);
    if let Some(controller) = machine.inventory.controllers.first_mut() {
        controller.volumes.clone_from(&state.volumes);
    }
    machine.boot.mode = Some(state.mode);
    machine.boot.order.clone_from(&state.order);
    machine.boot.secure_boot =
        Some(SecureBoot { enable: state.secure_boot, current: state.secure_run });
    machine.boot.secure_boot_keys = Some(state.keys);
    machine.power = state.phase.power();
    if machine.power != PowerState::On {
        // The agent runs in the guest.
        machine.agent = None;
    }
    let record = record(state);
    if let Ok(record) = &record {
        machine.power = record.shown_power(machine.power);
        if let Some(intent) = &record.boot {
            machine.boot.override_ = Some(intent.override_.clone());
            machine.boot.order.clone_from(&intent.saved);
        }
        for slot in &mut machine.media {
            slot.failure = record.failures.get(&slot.id).copied();
            slot.medium = record.media.get(&slot.id).map(|intent| medium(intent, state));
        }
    } else {
        let text = "What was promised about this machine can't be read, so nothing of it is done";
        let mut damaged = Condition::new(Condition::RECORD_DAMAGED, Severity::Warning, text);
        damaged.remedy = Some("Remove the record from the machine".into());
        machine.conditions.push(damaged);
    }
    for slot in &mut machine.media {
        if slot.medium.is_none() {
            slot.medium = state.foreign.get(&slot.id).map(|name| Medium {
                insertion: 0,
                image: None,
                name: Some(name.clone()),
                write_protected: true,
                phase: MediumPhase::Usable,
                since: None,
            });
        }
    }
    if needs_restart(state) {
        let text = "The configuration has changes that the next start takes up";
        machine.conditions.push(Condition::new(Condition::RESTART_REQUIRED, Severity::Ok, text));
    }
    machine
}

fn needs_restart(state: &State) -> bool {
    let running = !matches!(state.phase.power(), PowerState::Off);
    let wanted = state.secure_boot && state.keys.pk;
    running && (!state.bios_pending.is_empty() || state.secure_run.is_some_and(|is| is != wanted))
}

fn medium(intent: &MediaIntent, state: &State) -> Medium {
    let object = state.objects.get(&intent.object);
    let phase = match (intent.stage, object.map(|object| object.progress)) {
        (_, Some(Progress::Importing(percent))) => MediumPhase::Importing { percent },
        (Stage::Usable, _) => MediumPhase::Usable,
        _ => MediumPhase::Importing { percent: None },
    };
    Medium {
        insertion: intent.insertion,
        image: Some(intent.image.clone()),
        name: intent.image.file_name().map(Into::into),
        write_protected: intent.write_protected,
        phase,
        since: object.and_then(|object| {
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(object.since))
        }),
    }
}

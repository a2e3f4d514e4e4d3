//! What happens to machines, as entries of their logs: whoever did it, and also when nobody did.

use std::sync::Arc;

use redfish_backend::machine::Machine;
use redfish_backend::power::PowerState;
use redfish_backend::snapshot::{Change, Snapshot};
use redfish_model::resource::Health;

use crate::services::logs::{Entry, Log, Site};

/// Writes what changes, until the backend is gone.
pub(super) async fn follow(snapshot: Snapshot, log: Arc<Log>) {
    let mut changes = snapshot.watch();
    while let Some(change) = changes.next().await {
        match change {
            Change::Updated { before: Some(before), now } => {
                for entry in entries(&before, &now) {
                    log.record(entry);
                }
            }
            Change::Removed(machine) => log.forget(machine.id.as_str()),
            // What is lost is lost: a log tells what was seen.
            Change::Updated { before: None, .. } | Change::Lagged(_) => {}
        }
    }
}

/// What there is to say about a change.
fn entries(before: &Machine, now: &Machine) -> Vec<Entry> {
    let id = now.id.as_str();
    let say = |severity, text: String| {
        Entry::text(Site::System, id, severity, text).about(format!("/redfish/v1/Systems/{id}"))
    };
    let mut entries = Vec::new();
    if before.power != now.power {
        let text = match now.power {
            PowerState::On => "The machine is on",
            PowerState::Off => "The machine is off",
            PowerState::PoweringOn => "The machine is powering on",
            PowerState::PoweringOff => "The machine is powering off",
            PowerState::Paused => "The machine is paused",
        };
        entries.push(say(Health::OK, text.to_owned()));
    }
    for slot in &now.media {
        let was = before.media.iter().find(|was| was.id == slot.id);
        let was_failed = was.and_then(|was| was.failure);
        if let Some((insertion, why)) = slot.failure
            && was_failed.map(|(before, _)| before) != Some(insertion)
        {
            entries.push(say(Health::Warning, format!("Medium in {}: {why}", slot.id)));
        }
    }
    for condition in &now.conditions {
        if !before.conditions.iter().any(|was| was.name == condition.name) {
            let severity = match condition.severity {
                redfish_backend::machine::Severity::Ok => Health::OK,
                redfish_backend::machine::Severity::Warning => Health::Warning,
                redfish_backend::machine::Severity::Critical => Health::Critical,
            };
            entries.push(say(severity, condition.message.to_string()));
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use redfish_backend::MachineId;
    use redfish_backend::machine::{Condition, Revision, Severity};

    use super::*;

    #[test]
    fn changes_make_entries() {
        let machine = |power| Machine::new(MachineId::new("a").unwrap(), power, Revision::of(1));
        let off = machine(PowerState::Off);
        assert!(entries(&off, &off).is_empty());
        assert_eq!(entries(&off, &machine(PowerState::On)).len(), 1);
        let mut worse = off.clone();
        worse.conditions.push(Condition::new("RestartRequired", Severity::Warning, "x"));
        assert_eq!(entries(&off, &worse).len(), 1);
        assert!(entries(&worse, &worse).is_empty());
    }
}

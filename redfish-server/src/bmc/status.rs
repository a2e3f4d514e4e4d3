//! `Status`: how machines and their parts are doing.
//!
//! `State` follows the power state, in the words of the Resource schema: what is off waits for
//! somebody to start it (`StandbyOffline`), what is paused does not do all it could (`Quiesced`).
//! `Health` is the worst of what the backend reports; where nobody can tell whether that is still so,
//! it is a Warning and a condition says since when. The parts of a virtual machine have no health of
//! their own: they are there and work, whether or not the machine runs.

use std::time::SystemTime;

use redfish_backend::machine::{Condition as Fact, Machine, Severity};
use redfish_backend::power::PowerState;
use redfish_model::resource::{self, Condition, Health, State, Status};
use redfish_model::{DateTimeOffset, Field};

use super::Seen;

/// The stable word of the condition that a machine's state may be out of date.
pub(super) const STALE: &str = "StateUnknown";

/// `PowerState` on the wire.
pub(super) const fn power_state(power: PowerState) -> resource::PowerState {
    match power {
        PowerState::On => resource::PowerState::On,
        PowerState::Off => resource::PowerState::Off,
        PowerState::PoweringOn => resource::PowerState::PoweringOn,
        PowerState::PoweringOff => resource::PowerState::PoweringOff,
        PowerState::Paused => resource::PowerState::Paused,
    }
}

/// `Health` on the wire.
const fn health(severity: Severity) -> Health {
    match severity {
        Severity::Ok => Health::OK,
        Severity::Warning => Health::Warning,
        Severity::Critical => Health::Critical,
    }
}

/// Of a system.
pub(super) fn system(seen: &Seen<'_>) -> Status {
    let machine = seen.machine;
    let state = match machine.power {
        PowerState::On | PowerState::PoweringOff => State::Enabled,
        PowerState::Off => State::StandbyOffline,
        PowerState::PoweringOn => State::Starting,
        PowerState::Paused => State::Quiesced,
    };
    let own = severity(machine);
    let media = machine.media.iter().any(|slot| slot.failure.is_some());
    let rollup = if media { own.max(Severity::Warning) } else { own };
    let mut conditions: Vec<_> =
        machine.conditions.iter().map(|fact| Some(condition(seen, fact))).collect();
    conditions.extend(stale(seen).map(Some));
    Status {
        state: state.into(),
        health: health(own).into(),
        health_rollup: health(rollup).into(),
        conditions: some(conditions),
        ..Status::default()
    }
}

/// Of the manager: it works if it knows how its machine is.
pub(super) fn manager(seen: &Seen<'_>) -> Status {
    let stale = stale(seen);
    let severity = if stale.is_some() { Severity::Warning } else { Severity::Ok };
    Status {
        state: State::Enabled.into(),
        health: health(severity).into(),
        conditions: some(stale.map(Some).into_iter().collect()),
        ..Status::default()
    }
}

/// Of a part that is there.
pub(super) fn enabled() -> Status {
    Status { state: State::Enabled.into(), health: Health::OK.into(), ..Status::default() }
}

/// Of something that a virtual machine does not have.
pub(super) fn absent() -> Status {
    Status { state: State::Absent.into(), ..Status::default() }
}

/// A condition as `Status.Conditions` has it. Its stable word is the key of a message of ours.
pub(super) fn condition(seen: &Seen<'_>, fact: &Fact) -> Condition {
    Condition {
        message: fact.message.as_str().into(),
        resolution: fact.remedy.as_ref().map(|remedy| remedy.as_str().to_owned()).into(),
        severity: health(fact.severity).into(),
        timestamp: fact.since.and_then(timestamp).into(),
        ..Condition::new(format!("{}.1.0.{}", seen.settings.oem, fact.name))
    }
}

/// A time on the wire.
pub(super) fn timestamp(time: SystemTime) -> Option<DateTimeOffset> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    DateTimeOffset::from_unix_seconds(i64::try_from(since.as_secs()).ok()?)
}

fn severity(machine: &Machine) -> Severity {
    let reported = machine.severity();
    if machine.stale_since.is_some() { reported.max(Severity::Warning) } else { reported }
}

fn stale(seen: &Seen<'_>) -> Option<Condition> {
    let mut fact = Fact::new(
        STALE,
        Severity::Warning,
        "The hypervisor does not answer; what is shown may no longer be so",
    );
    fact.since = Some(seen.machine.stale_since?);
    fact.remedy = Some("Check the connection between this service and the hypervisor".into());
    Some(condition(seen, &fact))
}

fn some<T>(list: Vec<T>) -> Field<Vec<T>> {
    if list.is_empty() { Field::Absent } else { Field::Value(list) }
}

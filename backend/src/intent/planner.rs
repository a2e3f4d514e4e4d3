//! From what was promised and what is, the next step.
//!
//! The step is found anew each time from the record and the observation, never from what happened before: that is what
//! makes it safe to lose the process between any two steps. Effects can be repeated without harm: objects have names that
//! were recorded before they are made, and a queued reset is recognised as done by the run that it began.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::{MediaIntent, Origin, Queued, Record, Stage, seconds};
use crate::PartId;
use crate::machine::OverrideEnabled;
use crate::media::FetchFailure;
use crate::power::{Action, PowerState};
use crate::text::Label;

/// What the hypervisor has, at least as new as the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The power state by itself, without what is queued.
    pub power: PowerState,
    /// The present or last run of the machine: a name that changes with each start, in the moment from which on the boot
    /// configuration of that run is settled. A backend that can't name runs has none, and may then repeat a restart
    /// after a crash.
    pub run: Option<Label>,
    /// The objects of ours that exist for this machine, recorded or not.
    pub objects: BTreeMap<PartId, ObjectState>,
}

/// How an object that is a medium is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectState {
    /// It is being filled or attached.
    Importing,
    /// The guest can use it, or will with the next start.
    Usable,
    /// It will never be usable.
    Failed(FetchFailure),
    /// Its end has begun, and there is nothing to do but to wait for it.
    Leaving,
}

/// Something to do at the hypervisor. Each can be done twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A queued reset whose time has come.
    Power {
        /// What to do.
        action: Action,
        /// Who asked for it.
        by: Origin,
    },
    /// Put the owner's boot order back.
    RestoreBoot(Vec<PartId>),
    /// Make the object of a medium, fill and attach it; no harm when it is there.
    Import {
        /// Into which slot.
        slot: PartId,
        /// What.
        medium: MediaIntent,
    },
    /// Detach and delete an object, with credentials and whatever else belongs to it; no harm when it is half gone.
    Remove {
        /// In which slot it may be, if known.
        slot: Option<PartId>,
        /// Which.
        object: PartId,
    },
}

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing is promised that is not so.
    Settled,
    /// Something is on its way; look again when anything changes.
    Wait,
    /// Keep this record, then look again.
    Keep(Record),
    /// Do this, then keep the record if there is one, then look again.
    Do(Effect, Option<Record>),
    /// Its time is over: keep the record, say so, then look again.
    GiveUp(Effect, Record),
}

/// Finds the next step.
pub fn plan(record: &Record, observed: &Observed, now: SystemTime) -> Plan {
    // What was learnt is kept first: an effect may destroy what it was learnt from.
    let learnt = learn(record, observed);
    if learnt != *record {
        return Plan::Keep(learnt);
    }
    let steps = [
        power(record, observed, now),
        boot(record, observed),
        removals(record, observed),
        imports(record),
    ];
    let mut waits = false;
    for step in steps {
        match step {
            Plan::Settled => {}
            Plan::Wait => waits = true,
            found => return found,
        }
    }
    if waits { Plan::Wait } else { Plan::Settled }
}

/// What the observation says about media, put into the record.
fn learn(record: &Record, observed: &Observed) -> Record {
    let mut learnt = record.clone();
    for (slot, medium) in &record.media {
        let stage = match (observed.objects.get(&medium.object), medium.stage) {
            (None, Stage::Accepted) => continue,
            (None, Stage::Begun) => Err(FetchFailure::Removed),
            // Taken out by somebody else, which is their right.
            (None | Some(ObjectState::Leaving), Stage::Usable) => {
                learnt.eject(slot);
                continue;
            }
            // A medium that was usable may be moved about and attached again.
            (Some(ObjectState::Importing), stage) => Ok(stage.max(Stage::Begun)),
            (Some(ObjectState::Usable), _) => Ok(Stage::Usable),
            (Some(ObjectState::Failed(failure)), _) => Err(*failure),
            (Some(ObjectState::Leaving), _) => Err(FetchFailure::Removed),
        };
        match stage {
            Ok(stage) => {
                learnt.media.entry(slot.clone()).and_modify(|medium| medium.stage = stage);
            }
            Err(failure) => learnt = learnt.failed(slot, failure),
        }
    }
    learnt.removals.retain(|object, _| observed.objects.contains_key(object));
    learnt
}

impl Record {
    /// The record after an import failed: the medium has to go, and why is kept.
    #[must_use]
    pub fn failed(mut self, slot: &PartId, failure: FetchFailure) -> Self {
        if let Some(medium) = self.media.remove(slot) {
            self.removals.insert(medium.object, slot.clone());
            self.failures.insert(slot.clone(), (medium.insertion, failure));
        }
        self
    }
}

fn power(record: &Record, observed: &Observed, now: SystemTime) -> Plan {
    use PowerState::{Off, On, Paused, PoweringOff, PoweringOn};

    let Some(intent) = &record.power else { return Plan::Settled };
    let done = || Record { power: None, ..record.clone() };
    let act = |action| Plan::Do(Effect::Power { action, by: intent.by.clone() }, Some(done()));
    let began = observed.run.is_some() && observed.run != intent.run;
    if began && intent.queued.boots() {
        return Plan::Keep(done());
    }
    let importing = record.is_importing();
    match (intent.queued, observed.power) {
        (Queued::Start, On | PoweringOn | Paused)
        | (Queued::AskRestart, Off | PoweringOff)
        | (Queued::AskShutdown, Off | PoweringOff) => Plan::Keep(done()),
        _ if intent.expires <= seconds(now) => {
            let effect = Effect::Power { action: intent.queued.action(), by: intent.by.clone() };
            Plan::GiveUp(effect, done())
        }
        (Queued::Start | Queued::Restart, PoweringOff)
        | (Queued::Restart | Queued::AskRestart | Queued::AskShutdown, PoweringOn)
        | (Queued::AskRestart, Paused) => Plan::Wait,
        (Queued::AskShutdown, On) => act(Action::AskShutdown),
        (Queued::AskShutdown, Paused) => act(Action::ResumeThenAskShutdown),
        (Queued::Start | Queued::Restart | Queued::AskRestart, _) if importing => Plan::Wait,
        (Queued::Start | Queued::Restart, Off) => act(Action::Start),
        (Queued::Restart, On | Paused) => act(Action::Restart),
        (Queued::AskRestart, On) => act(Action::AskRestart),
    }
}

fn boot(record: &Record, observed: &Observed) -> Plan {
    match &record.boot {
        Some(intent) if intent.override_.enabled == OverrideEnabled::Once => {
            if observed.run.is_none() || observed.run == intent.run {
                return Plan::Settled;
            }
            let done = Record { boot: None, ..record.clone() };
            Plan::Do(Effect::RestoreBoot(intent.saved.clone()), Some(done))
        }
        _ => Plan::Settled,
    }
}

/// What has to go: recorded removals, and objects that no record knows (made by a version or a caller that lost its
/// record since).
fn removals(record: &Record, observed: &Observed) -> Plan {
    let mut waits = false;
    for (object, state) in &observed.objects {
        let slot = record.removals.get(object);
        if slot.is_none() && record.knows(object) {
            continue;
        }
        if *state != ObjectState::Leaving {
            return Plan::Do(Effect::Remove { slot: slot.cloned(), object: object.clone() }, None);
        }
        waits = true;
    }
    if waits { Plan::Wait } else { Plan::Settled }
}

fn imports(record: &Record) -> Plan {
    let mut waits = false;
    for (slot, medium) in &record.media {
        match medium.stage {
            // One medium at a time in a slot.
            Stage::Accepted if record.removals.values().any(|leaving| leaving == slot) => {
                waits = true;
            }
            Stage::Accepted => {
                let mut begun = record.clone();
                begun.media.entry(slot.clone()).and_modify(|medium| medium.stage = Stage::Begun);
                return Plan::Do(
                    Effect::Import { slot: slot.clone(), medium: medium.clone() },
                    Some(begun),
                );
            }
            Stage::Begun => waits = true,
            Stage::Usable => {}
        }
    }
    if waits { Plan::Wait } else { Plan::Settled }
}

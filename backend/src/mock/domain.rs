//! A pretended machine: what it does when it is told, and by itself as time passes.
//!
//! Without locks and without waiting: time comes as an argument, and what is to happen later is a moment that the machine
//! names ([`Domain::due`]). Whoever owns it comes back then.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::config::{MachineConfig, MockMedia};
use super::delays::Delays;
use super::faults::{Fault, Faults};
use super::journal::{BootSource, Happened, Journal};
use super::state::{Object, Phase, Progress, State};
use crate::intent::{MediaIntent, seconds};
use crate::machine::Machine;
use crate::media::FetchFailure;
use crate::power::Action;
use crate::text::Label;
use crate::{Error, MachineId, PartId};

/// In how many steps an image arrives that nobody fetches.
const STEPS: u8 = 4;

/// One machine.
pub(super) struct Domain {
    pub(super) config: Arc<MachineConfig>,
    /// What never changes.
    pub(super) template: Arc<Machine>,
    /// Which incarnation this is.
    pub(super) uid: Label,
    /// The number of its last change.
    pub(super) revision: u64,
    pub(super) state: State,
    pub(super) faults: Faults,
    power_due: Option<Instant>,
    object_due: BTreeMap<PartId, Instant>,
}

/// The world around a machine.
pub(super) struct Around<'a> {
    pub(super) now: Instant,
    pub(super) wall: SystemTime,
    pub(super) delays: &'a Delays,
    pub(super) media: MockMedia,
    /// The faults of all machines.
    pub(super) faults: &'a mut Faults,
    pub(super) journal: &'a mut Journal,
}

impl Around<'_> {
    fn tell(&mut self, id: &MachineId, what: Happened) {
        self.journal.add(self.wall, id, what);
    }
}

impl Domain {
    pub(super) fn new(
        config: Arc<MachineConfig>,
        template: Arc<Machine>,
        uid: Label,
        state: State,
        faults: Faults,
    ) -> Self {
        let (power_due, object_due) = (None, BTreeMap::new());
        Self { config, template, uid, revision: 0, state, faults, power_due, object_due }
    }

    pub(super) fn id(&self) -> &MachineId {
        &self.template.id
    }

    /// When something happens by itself.
    pub(super) fn due(&self) -> Option<Instant> {
        self.object_due.values().copied().chain(self.power_due).min()
    }

    /// Does what a hypervisor does when it is told.
    pub(super) fn act(&mut self, action: Action, around: &mut Around<'_>) -> Result<(), Error> {
        let phase = self.state.phase;
        let off = phase == Phase::Off;
        match action {
            Action::Start if off && self.state.saved => {
                self.state.saved = false;
                let (run, source) = (self.state.run, BootSource::SavedMemory);
                around.tell(&self.template.id, Happened::Booted { run, source });
                self.enter(Phase::Starting, around);
            }
            Action::Start | Action::Restart if off => self.boot(around),
            Action::Start => return Err(Error::conflict("The machine is not off")),
            Action::Restart => self.boot(around),
            Action::PowerOff if off => {}
            Action::PowerOff => self.enter(Phase::Stopping, around),
            _ if off => return Err(Error::conflict("The machine is off")),
            Action::AskShutdown | Action::ResumeThenAskShutdown => {
                self.enter(Phase::ShuttingDown, around);
            }
            Action::AskRestart => self.enter(Phase::Restarting, around),
            Action::InjectNmi => around.tell(&self.template.id, Happened::Nmi),
            Action::Pause => self.enter(Phase::Paused, around),
            Action::Resume if phase == Phase::Paused => self.enter(Phase::On, around),
            Action::Resume => {}
            Action::SaveAndStop => self.enter(Phase::Saving, around),
        }
        Ok(())
    }

    /// The guest shuts down by itself.
    pub(super) fn guest_shutdown(&mut self, around: &mut Around<'_>) -> Result<(), Error> {
        self.guest(Phase::Off, around)
    }

    /// The guest restarts by itself.
    pub(super) fn guest_restart(&mut self, around: &mut Around<'_>) -> Result<(), Error> {
        self.guest(Phase::Starting, around)
    }

    fn guest(&mut self, phase: Phase, around: &mut Around<'_>) -> Result<(), Error> {
        if !matches!(self.state.phase, Phase::On | Phase::Restarting | Phase::ShuttingDown) {
            return Err(Error::conflict("No guest is running"));
        }
        match phase {
            Phase::Starting => self.boot(around),
            phase => self.enter(phase, around),
        }
        Ok(())
    }

    /// Makes the object of a medium; no harm when it is there.
    pub(super) fn import(
        &mut self,
        slot: &PartId,
        medium: &MediaIntent,
        around: &mut Around<'_>,
    ) -> bool {
        if self.state.objects.contains_key(&medium.object) {
            return false;
        }
        let object = Object::new(slot.clone(), medium, seconds(around.wall));
        let image = object.image.for_log().into();
        self.state.objects.insert(medium.object.clone(), object);
        around.tell(&self.template.id, Happened::MediumImporting { slot: slot.clone(), image });
        if let Some(failure) = self.faults.import().or_else(|| around.faults.import()) {
            self.imported(&medium.object, Err(failure), around);
            return false;
        }
        self.arm_object(&medium.object.clone(), around);
        true
    }

    /// An import has come that far.
    pub(super) fn progress(&mut self, object: &PartId, percent: Option<u8>) {
        if let Some(Object { progress: Progress::Importing(known), .. }) =
            self.state.objects.get_mut(object)
        {
            *known = percent;
        }
    }

    /// An import has ended.
    pub(super) fn imported(
        &mut self,
        object: &PartId,
        result: Result<(), FetchFailure>,
        around: &mut Around<'_>,
    ) {
        self.object_due.remove(object);
        let Some(found) = self.state.objects.get_mut(object) else { return };
        if !matches!(found.progress, Progress::Importing(_)) {
            return;
        }
        let (slot, image) = (found.slot.clone(), found.image.for_log().into());
        let what = match result {
            Ok(()) => {
                found.progress = Progress::Usable;
                // A tray holds one disc: ours is in, so what was there is out.
                self.state.foreign.remove(&slot);
                Happened::MediumAttached { slot, image }
            }
            Err(failure) => {
                found.progress = Progress::Failed(failure);
                Happened::MediumFailed { slot, image, failure }
            }
        };
        around.tell(&self.template.id, what);
    }

    /// Takes an object out; no harm when it is gone.
    pub(super) fn remove(&mut self, object: &PartId, around: &mut Around<'_>) {
        if let Some(found) = self.state.objects.get_mut(object) {
            found.progress = Progress::Leaving;
            self.arm_object(object, around);
        }
    }

    /// Does what is due, once. Whether anything was.
    pub(super) fn tick(&mut self, around: &mut Around<'_>) -> bool {
        let is_due = |due: &Instant| *due <= around.now;
        if self.power_due.as_ref().is_some_and(is_due) {
            self.power_due = None;
            self.power_tick(around);
            return true;
        }
        let object = self.object_due.iter().find(|(_, due)| is_due(due)).map(|(id, _)| id.clone());
        let Some(object) = object else { return false };
        self.object_due.remove(&object);
        self.object_tick(&object, around);
        true
    }

    /// Begins anew whatever takes time: after the process was started again, or when something no longer holds it.
    pub(super) fn arm(&mut self, around: &Around<'_>) {
        self.power_due = self.power_delay(around).and_then(|delay| around.now.checked_add(delay));
        self.object_due.clear();
        for object in self.state.objects.keys().cloned().collect::<Vec<_>>() {
            self.arm_object(&object, around);
        }
    }

    fn has(&self, fault: Fault, around: &Around<'_>) -> bool {
        self.faults.has(fault) || around.faults.has(fault)
    }

    fn boot(&mut self, around: &mut Around<'_>) {
        let source = self.state.begin_run(&self.template);
        let run = self.state.run;
        around.tell(&self.template.id, Happened::Booted { run, source });
        self.enter(Phase::Starting, around);
    }

    fn enter(&mut self, phase: Phase, around: &mut Around<'_>) {
        let from = self.state.phase.power();
        self.state.phase = phase;
        if phase == Phase::Off {
            self.state.secure_run = None;
        }
        let to = phase.power();
        if from != to {
            around.tell(&self.template.id, Happened::Power { from, to });
        }
        self.power_due = self.power_delay(around).and_then(|delay| around.now.checked_add(delay));
    }

    /// How long the present phase takes, if it ends by itself.
    fn power_delay(&self, around: &Around<'_>) -> Option<Duration> {
        let delays = around.delays;
        if self.has(Fault::HoldPower, around) {
            return None;
        }
        let guest = || {
            let ignores = self.has(Fault::IgnoreShutdown, around);
            delays.of(if ignores { delays.patience } else { delays.shutdown })
        };
        match self.state.phase {
            Phase::Off | Phase::On | Phase::Paused => None,
            Phase::Starting => Some(delays.of(delays.start)),
            Phase::Restarting | Phase::ShuttingDown => Some(guest()),
            Phase::Stopping => Some(delays.of(delays.stop)),
            Phase::Saving => Some(delays.of(delays.suspend)),
        }
    }

    fn power_tick(&mut self, around: &mut Around<'_>) {
        match self.state.phase {
            Phase::Off | Phase::On | Phase::Paused => {}
            Phase::Starting => self.enter(Phase::On, around),
            Phase::Restarting | Phase::ShuttingDown if self.has(Fault::IgnoreShutdown, around) => {
                around.tell(&self.template.id, Happened::GuestIgnored);
                self.enter(Phase::On, around);
            }
            Phase::Restarting => self.boot(around),
            Phase::ShuttingDown | Phase::Stopping => self.enter(Phase::Off, around),
            Phase::Saving => {
                self.state.saved = true;
                self.enter(Phase::Off, around);
            }
        }
    }

    fn arm_object(&mut self, object: &PartId, around: &Around<'_>) {
        self.object_due.remove(object);
        let Some(found) = self.state.objects.get(object) else { return };
        let delays = around.delays;
        let delay = match found.progress {
            Progress::Importing(_) if around.media == MockMedia::Fetch => return,
            Progress::Importing(_) if self.has(Fault::HoldImports, around) => return,
            Progress::Importing(_) => delays.of(delays.import) / u32::from(STEPS),
            Progress::Leaving => delays.of(delays.eject),
            Progress::Usable | Progress::Failed(_) => return,
        };
        if let Some(due) = around.now.checked_add(delay) {
            self.object_due.insert(object.clone(), due);
        }
    }

    fn object_tick(&mut self, object: &PartId, around: &mut Around<'_>) {
        let Some(found) = self.state.objects.get_mut(object) else { return };
        match found.progress {
            Progress::Importing(percent) => {
                let percent = percent.unwrap_or_default().saturating_add(100 / STEPS);
                if percent >= 100 {
                    self.imported(object, Ok(()), around);
                } else {
                    found.progress = Progress::Importing(Some(percent));
                    self.arm_object(object, around);
                }
            }
            Progress::Leaving => {
                let slot = found.slot.clone();
                self.state.objects.remove(object);
                around.tell(&self.template.id, Happened::MediumDetached { slot });
            }
            Progress::Usable | Progress::Failed(_) => {}
        }
    }
}

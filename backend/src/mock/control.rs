//! Making things happen: what an author of clients wants from a mock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::Task;
use super::config::MachineConfig;
use super::delays::Delays;
use super::domain::Domain;
use super::faults::{Fault, Faults};
use super::journal::JournalEntry;
use super::world::{Source, World};
use crate::text::Label;
use crate::{Error, MachineId, PartId};

/// The handle to the pretended hypervisor. Clones are the same one; it keeps the machines alive.
#[derive(Clone)]
pub struct MockControl {
    world: Arc<World>,
    _living: Arc<[Task]>,
}

impl MockControl {
    pub(super) const fn new(world: Arc<World>, living: Arc<[Task]>) -> Self {
        Self { world, _living: living }
    }

    /// Adds a machine.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the key that is wrong, [`Error::Conflict`] when there is one of that name.
    pub fn add(&self, machine: MachineConfig) -> Result<MachineId, Error> {
        self.world.add(machine)
    }

    /// Removes a machine, whatever it is doing.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn remove(&self, id: &MachineId) -> Result<(), Error> {
        self.world.remove(id)
    }

    /// Puts a machine back to how it began: power, boot, media, settings, faults; nothing is promised any more.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn back_to_start(&self, id: &MachineId) -> Result<(), Error> {
        self.world.back_to_start(id)
    }

    /// Has something go wrong, for one machine or for all.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn inject(&self, id: Option<&MachineId>, fault: Fault) -> Result<(), Error> {
        self.faults_of(id, |faults| faults.add(fault))
    }

    /// What goes wrong for one machine, or for all of them.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn faults(&self, id: Option<&MachineId>) -> Result<Vec<Fault>, Error> {
        match id {
            Some(id) => self.world.change(id, |domain, _| Ok(domain.faults.list().to_vec())),
            None => Ok(self.world.faults(|faults| faults.list().to_vec())),
        }
    }

    /// Nothing goes wrong any more, for one machine or for all; faults of single machines stay with the latter.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn clear_faults(&self, id: Option<&MachineId>) -> Result<(), Error> {
        self.faults_of(id, |faults| *faults = Faults::default())
    }

    fn faults_of(
        &self,
        id: Option<&MachineId>,
        act: impl FnOnce(&mut Faults),
    ) -> Result<(), Error> {
        // What is on its way is timed anew: it may be held from now on, or no longer.
        match id {
            Some(id) => self.world.change(id, |domain, around| {
                act(&mut domain.faults);
                domain.arm(around);
                Ok(())
            }),
            None => {
                self.world.faults(act);
                self.world.change_all(|domain, around| domain.arm(around));
                Ok(())
            }
        }
    }

    /// How long things take.
    pub fn delays(&self) -> Delays {
        self.world.delays(|delays| *delays)
    }

    /// Changes how long things take; what is on its way begins anew.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what is no time.
    pub fn set_delays(&self, new: Delays) -> Result<(), Error> {
        if let Some(name) = new.wrong() {
            return Err(Error::invalid(name, "A delay is from 0 to 86400 seconds"));
        }
        self.world.delays(|delays| *delays = new);
        self.world.change_all(|domain, around| domain.arm(around));
        Ok(())
    }

    /// What time it is for the mock.
    pub fn now(&self) -> SystemTime {
        self.world.clock.now()
    }

    /// Lets time pass at once.
    pub fn advance(&self, time: Duration) {
        self.world.clock.advance(time);
    }

    /// What happened after the entry of that number; 0 for everything that is still known.
    pub fn journal(&self, after: u64) -> Vec<JournalEntry> {
        self.world.journal(|journal| journal.after(after))
    }

    /// Changes whether the hypervisor answers.
    pub fn set_source(&self, source: Source) {
        self.world.set_source(source);
    }

    /// The guest shuts down by itself.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] when none runs.
    pub fn guest_shutdown(&self, id: &MachineId) -> Result<(), Error> {
        self.world.change(id, Domain::guest_shutdown)
    }

    /// The guest restarts by itself.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] when none runs.
    pub fn guest_restart(&self, id: &MachineId) -> Result<(), Error> {
        self.world.change(id, Domain::guest_restart)
    }

    /// Somebody puts something into a slot by other ways than this service.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] when the slot is taken.
    pub fn attach_foreign(&self, id: &MachineId, slot: &PartId, name: Label) -> Result<(), Error> {
        self.world.change(id, |domain, _| {
            domain.template.slot(slot)?;
            if domain.state.objects.values().any(|object| object.slot == *slot) {
                return Err(Error::conflict("There is a medium in the slot"));
            }
            domain.state.foreign.insert(slot.clone(), name);
            Ok(())
        })
    }

    /// Somebody writes nonsense over what the service keeps with a machine.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn damage_record(&self, id: &MachineId) -> Result<(), Error> {
        self.set_record(id, Some("?".into()))
    }

    /// Somebody removes what the service keeps with a machine.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn remove_record(&self, id: &MachineId) -> Result<(), Error> {
        self.set_record(id, None)
    }

    fn set_record(&self, id: &MachineId, record: Option<String>) -> Result<(), Error> {
        self.world.change(id, |domain, _| {
            domain.state.record = record;
            domain.state.record_version += 1;
            Ok(())
        })
    }

    /// How the machines were configured.
    pub fn machines(&self) -> BTreeMap<MachineId, MachineConfig> {
        self.world.configs()
    }
}

//! The writes, as any backend does them: lock, look, decide by the rules, keep, act.

use std::sync::Arc;

use super::MockBackend;
use super::journal::Happened;
use super::state::State;
use super::world::Sight;
use crate::backend::{BoxFuture, Finding, MachineBackend, Write};
use crate::change::{BiosChange, BootChange, IdentityChange, NewVolume, OverrideChange};
use crate::intent::{BootIntent, Record, Stage, accept_reset};
use crate::lock::MachineLock;
use crate::machine::{BootMode, BootTarget, KeyReset, Machine, Severity};
use crate::media::{self, Held, Insert};
use crate::outbound::{ImageOptions, ImageSource};
use crate::power::Reset;
use crate::snapshot::{Readiness, Snapshot};
use crate::text::Label;
use crate::{Caller, Error, MachineId, PartId};

/// A machine during a write: locked, and as it is.
struct Locked<'a> {
    machine: Arc<Machine>,
    record: Record,
    sight: Sight,
    _lock: MachineLock<'a>,
}

impl MockBackend {
    /// Every write: what it does between taking the lock and telling the machine as it is then.
    async fn write<T>(
        &self,
        id: &MachineId,
        what: &str,
        caller: &Caller,
        act: impl AsyncFnOnce(&Locked<'_>) -> Result<T, Error>,
    ) -> Result<(Arc<Machine>, T), Error> {
        self.feed.snapshot().get(id)?;
        self.world.tell(id, Happened::asked(what, caller));
        let result = self.locked(id, act).await;
        if let Err(error) = &result {
            let (write, error) = (what.into(), error.to_string().into());
            self.world.tell(id, Happened::Refused { write, error });
        }
        result
    }

    async fn locked<T>(
        &self,
        id: &MachineId,
        act: impl AsyncFnOnce(&Locked<'_>) -> Result<T, Error>,
    ) -> Result<(Arc<Machine>, T), Error> {
        let lock = self.locks.lock(id).await?;
        self.world.reachable()?;
        let (fault, latency) = self.world.change(id, |domain, around| {
            let fault = domain.faults.write().or_else(|| around.faults.write());
            Ok((fault, domain.faults.latency() + around.faults.latency()))
        })?;
        self.world.clock.sleep(latency).await;
        if let Some(error) = fault {
            return Err(error);
        }
        let machine = self.feed.snapshot().get(id)?;
        let mut sight = self.world.look(id)?;
        let record = std::mem::replace(&mut sight.record, Ok(Record::default())).map_err(|_| {
            Error::conflict(
                "The record of the machine is damaged; remove it from the machine first",
            )
        })?;
        let outcome = act(&Locked { machine, record, sight, _lock: lock }).await;
        // Also after a failure something may have been kept.
        self.reconciler.nudge(id);
        let outcome = outcome?;
        self.saved(id).await?;
        Ok((self.feed.snapshot().get(id)?, outcome))
    }

    async fn saved(&self, id: &MachineId) -> Result<(), Error> {
        match &self.world.store {
            Some(store) => store.saved(self.world.revision(id)).await,
            None => Ok(()),
        }
    }

    /// Keeps a record, and changes something else in the same moment.
    fn keep(
        &self,
        locked: &Locked<'_>,
        record: &Record,
        also: impl FnOnce(&mut State),
    ) -> Result<(), Error> {
        self.world.keep(&locked.machine.id, record, &locked.sight.version, also)
    }

    fn set(&self, id: &MachineId, change: impl FnOnce(&mut State)) -> Result<(), Error> {
        self.world.change(id, |domain, _| {
            change(&mut domain.state);
            Ok(())
        })
    }

    async fn do_reset(
        &self,
        locked: &Locked<'_>,
        reset: Reset,
        caller: &Caller,
    ) -> Result<(), Error> {
        let id = &locked.machine.id;
        if !locked.machine.capabilities.resets.contains(reset) {
            let reset = reset.as_str();
            return Err(Error::unsupported(format!("This machine has no reset {reset}")));
        }
        let (observed, now) = (&locked.sight.observed, self.world.clock.now());
        let accepted = accept_reset(
            &locked.record,
            observed.power,
            observed.run.as_ref(),
            reset,
            caller,
            now,
        )?;
        if accepted.record != locked.record {
            self.keep(locked, &accepted.record, |_| {})?;
            self.saved(id).await?;
            tokio::task::yield_now().await;
        }
        match accepted.action {
            Some(action) => self.world.change(id, |domain, around| domain.act(action, around)),
            None => Ok(()),
        }
    }

    fn do_boot(&self, locked: &Locked<'_>, change: &BootChange) -> Result<(), Error> {
        let machine = &locked.machine;
        change.check(machine)?;
        let mode = change.mode.or(machine.boot.mode);
        if change.secure_boot == Some(true) && mode == Some(BootMode::Legacy) {
            return Err(Error::conflict("Secure boot needs UEFI"));
        }
        let owners = change.whole_order(machine);
        let mut record = locked.record.clone();
        match &change.override_ {
            OverrideChange::Keep => {}
            OverrideChange::Clear => record.boot = None,
            OverrideChange::Set(override_) => {
                let (override_, run) = (override_.clone(), locked.sight.observed.run.clone());
                record.boot = Some(BootIntent { override_, saved: Vec::new(), run });
            }
        }
        let target = record.boot.as_mut().map(|intent| {
            intent.saved.clone_from(&owners);
            intent.override_.target
        });
        let order = match target {
            Some(target) => overridden(machine, &owners, target),
            None => owners,
        };
        // Record and configuration lie in one object, so they change in one moment.
        self.keep(locked, &record, |state| {
            state.order = order;
            state.setup = target == Some(BootTarget::BiosSetup);
            state.mode = mode.unwrap_or(state.mode);
            state.secure_boot = change.secure_boot.unwrap_or(state.secure_boot);
        })
    }

    fn do_insert(
        &self,
        locked: &Locked<'_>,
        slot: &PartId,
        image: &ImageSource,
    ) -> Result<(), Error> {
        let (machine, record) = (&locked.machine, &locked.record);
        check_media(machine, slot)?;
        let id = &machine.id;
        let fetching;
        let held = match record.media.get(slot) {
            Some(medium) => {
                fetching = self.vault.get(id, &medium.object);
                let fetching = fetching.as_ref().filter(|_| medium.stage < Stage::Usable);
                let write_protected = medium.write_protected;
                Held::Image { url: &medium.image, write_protected, fetching }
            }
            None if locked.sight.foreign.contains(slot) => Held::Foreign,
            None => Held::Empty,
        };
        if media::insert(&held, image) == Insert::Nothing {
            return Ok(());
        }
        let object = PartId::new(format!("medium-{}", record.insertions + 1))?;
        let options =
            ImageOptions { write_protected: image.write_protected(), ..ImageOptions::default() };
        let plain = self.fetcher.policy().image(image.url().as_str(), options);
        // The record has the URL; whatever else it takes to fetch it is kept apart.
        let credentials = (plain.as_ref() != Ok(image)).then(|| object.clone());
        let mut record = record.clone();
        record.insert(slot.clone(), image, object.clone(), credentials)?;
        self.vault.put(id, &object, image.clone());
        let kept = self.keep(locked, &record, |state| drop(state.foreign.remove(slot)));
        if kept.is_err() {
            self.vault.remove(id, &object);
        }
        kept
    }

    fn do_eject(&self, locked: &Locked<'_>, slot: &PartId) -> Result<(), Error> {
        check_media(&locked.machine, slot)?;
        let mut record = locked.record.clone();
        record.eject(slot);
        if record == locked.record && !locked.sight.foreign.contains(slot) {
            return Ok(());
        }
        self.keep(locked, &record, |state| drop(state.foreign.remove(slot)))
    }
}

fn check_media(machine: &Machine, slot: &PartId) -> Result<(), Error> {
    machine.slot(slot)?;
    if machine.capabilities.media {
        Ok(())
    } else {
        Err(Error::unsupported("This machine takes no virtual media"))
    }
}

/// The owner's order with what the override wants in front.
fn overridden(machine: &Machine, owners: &[PartId], target: BootTarget) -> Vec<PartId> {
    let is_wanted = |id: &&PartId| {
        let option = machine.boot.options.iter().find(|option| option.id == **id);
        option.is_some_and(|option| option.target == Some(target))
    };
    let wanted = owners.iter().filter(is_wanted);
    wanted.chain(owners.iter().filter(|id| !is_wanted(id))).cloned().collect()
}

impl MachineBackend for MockBackend {
    fn snapshot(&self) -> &Snapshot {
        self.feed.snapshot()
    }

    fn reset<'a>(&'a self, id: &'a MachineId, reset: Reset, caller: &'a Caller) -> Write<'a> {
        Box::pin(async move {
            let what = format!("reset {}", reset.as_str());
            let act = async |locked: &Locked<'_>| self.do_reset(locked, reset, caller).await;
            self.write(id, &what, caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn set_boot<'a>(
        &'a self,
        id: &'a MachineId,
        change: BootChange,
        caller: &'a Caller,
    ) -> Write<'a> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| self.do_boot(locked, &change);
            self.write(id, "set boot", caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn reset_secure_boot_keys<'a>(
        &'a self,
        id: &'a MachineId,
        reset: KeyReset,
        caller: &'a Caller,
    ) -> Write<'a> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| {
                if !locked.machine.capabilities.secure_boot_keys {
                    return Err(Error::unsupported("The keys of this machine can only be read"));
                }
                self.set(id, |state| state.keys = state.keys.after(reset))
            };
            let what = format!("reset secure boot keys {reset:?}");
            self.write(id, &what, caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn set_bios<'a>(
        &'a self,
        id: &'a MachineId,
        change: BiosChange,
        caller: &'a Caller,
    ) -> Write<'a> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| {
                change.check(&locked.machine)?;
                let Some(mut bios) = locked.machine.bios.clone() else { return Ok(()) };
                bios.stage(change.0.clone());
                self.set(id, |state| state.bios_pending = bios.pending)
            };
            self.write(id, "set bios", caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn reset_bios<'a>(&'a self, id: &'a MachineId, caller: &'a Caller) -> Write<'a> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| {
                BiosChange::default().check(&locked.machine)?;
                let Some(mut bios) = locked.machine.bios.clone() else { return Ok(()) };
                bios.stage_defaults();
                self.set(id, |state| state.bios_pending = bios.pending)
            };
            self.write(id, "reset bios", caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn create_volume<'a>(
        &'a self,
        id: &'a MachineId,
        controller: &'a PartId,
        volume: NewVolume,
        caller: &'a Caller,
    ) -> BoxFuture<'a, Result<(Arc<Machine>, PartId), Error>> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| {
                let volume = volume.resolve(&locked.machine, controller)?;
                let made = volume.id.clone();
                self.set(id, |state| state.volumes.push(volume)).map(|()| made)
            };
            self.write(id, "create volume", caller, act).await
        })
    }

    fn delete_volume<'a>(
        &'a self,
        id: &'a MachineId,
        controller: &'a PartId,
        volume: &'a PartId,
        caller: &'a Caller,
    ) -> Write<'a> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| {
                let controller = locked.machine.controller(controller)?;
                if !controller.volumes.iter().any(|known| known.id == *volume) {
                    return Err(Error::no_part(format!("volume {volume} of machine {id}")));
                }
                self.set(id, |state| state.volumes.retain(|known| known.id != *volume))
            };
            let what = format!("delete volume {volume}");
            self.write(id, &what, caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn insert_media<'a>(
        &'a self,
        id: &'a MachineId,
        slot: &'a PartId,
        image: ImageSource,
        caller: &'a Caller,
    ) -> Write<'a> {
        Box::pin(async move {
            let what = format!("insert {} into {slot}", image.url().for_log());
            let act = async |locked: &Locked<'_>| self.do_insert(locked, slot, &image);
            self.write(id, &what, caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn eject_media<'a>(
        &'a self,
        id: &'a MachineId,
        slot: &'a PartId,
        caller: &'a Caller,
    ) -> Write<'a> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| self.do_eject(locked, slot);
            let what = format!("eject {slot}");
            self.write(id, &what, caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn set_identity<'a>(
        &'a self,
        id: &'a MachineId,
        change: IdentityChange,
        caller: &'a Caller,
    ) -> Write<'a> {
        Box::pin(async move {
            let act = async |locked: &Locked<'_>| {
                change.check(&locked.machine)?;
                let IdentityChange { asset_tag, locating } = change.clone();
                self.set(id, |state| {
                    if let Some(tag) = asset_tag {
                        state.asset_tag = Some(tag).filter(|tag: &Label| !tag.is_empty());
                    }
                    state.locating = locating.unwrap_or(state.locating);
                })
            };
            self.write(id, "set identity", caller, act).await.map(|(machine, ())| machine)
        })
    }

    fn diagnose<'a>(&'a self, id: Option<&'a MachineId>) -> BoxFuture<'a, Vec<Finding>> {
        Box::pin(async move {
            let (level, message) = match (self.world.reachable(), self.snapshot().readiness()) {
                (Ok(()), Readiness::Ready) => {
                    (Severity::Ok, "The machines are only pretended, and answer".into())
                }
                (Err(error), _) => (Severity::Critical, error.to_string().into()),
                _ => (Severity::Warning, "The machines are not all known yet".into()),
            };
            let (machine, remedy) = (id.cloned(), None);
            vec![Finding { check: "mock", machine, level, message, remedy }]
        })
    }
}

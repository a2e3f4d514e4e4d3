//! A machine of which everything is known, one of which nothing is, and a backend that does at once
//! what it is told.

mod machines;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use redfish_backend::backend::{BoxFuture, MachineBackend, Write};
use redfish_backend::change::{BiosChange, BootChange, IdentityChange, NewVolume, OverrideChange};
use redfish_backend::machine::{KeyReset, Machine, Medium, MediumPhase, Revision};
use redfish_backend::media::FetchFailure;
use redfish_backend::outbound::{ImageSource, OutboundPolicy, OutboundSettings};
use redfish_backend::power::Reset;
use redfish_backend::snapshot::{Feed, Snapshot};
use redfish_backend::{Caller, Error, MachineId, PartId};
use redfish_model::Task;

use super::{Cancel, Job, Settings, TaskHandle, Tasks, VirtualBmc, mounts};
use crate::context::{Context, Machines, Naming, Principal, Profile, Scope};
use crate::message::Message;
use crate::operation::Privilege;
use crate::router::Router;

pub(super) use machines::{bare, firmware, full, id, part};

/// A backend that does what it is told at once, except imports: those go on until told.
pub(super) struct Script {
    pub(super) feed: Feed,
    /// What was written, in order.
    pub(super) calls: Mutex<Vec<String>>,
    /// Which calls fail, and how.
    pub(super) fails: Mutex<BTreeMap<&'static str, Error>>,
    /// The last source that was inserted.
    pub(super) source: Mutex<Option<ImageSource>>,
}

impl Script {
    pub(super) fn change(
        &self,
        id: &MachineId,
        change: impl FnOnce(&mut Machine),
    ) -> Result<Arc<Machine>, Error> {
        let mut machine = Machine::clone(&*self.feed.snapshot().get(id)?);
        change(&mut machine);
        machine.revision = Revision::of(machine.revision.number(0) + 1);
        self.feed.put(machine).current(id)
    }

    /// Says how far the import into a slot has come.
    pub(super) fn import(
        &self,
        machine: &str,
        slot: &str,
        phase: Result<MediumPhase, FetchFailure>,
    ) {
        let changed = self.change(&id(machine), |machine| {
            let slot = machine.media.iter_mut().find(|s| s.id == part(slot)).unwrap();
            match phase {
                Ok(phase) => slot.medium.as_mut().unwrap().phase = phase,
                Err(why) => {
                    let medium = slot.medium.take().unwrap();
                    slot.failure = Some((medium.insertion, why));
                }
            }
        });
        changed.unwrap();
    }

    pub(super) fn taken_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    fn called(&self, name: &'static str, what: &str) -> Result<(), Error> {
        self.calls.lock().unwrap().push(format!("{name} {what}"));
        self.fails.lock().unwrap().get(name).cloned().map_or(Ok(()), Err)
    }
}

impl MachineBackend for Script {
    fn snapshot(&self) -> &Snapshot {
        self.feed.snapshot()
    }

    fn reset<'a>(&'a self, id: &'a MachineId, reset: Reset, caller: &'a Caller) -> Write<'a> {
        let called = self.called("reset", &format!("{} by {}", reset.as_str(), caller.account));
        Box::pin(async move {
            called?;
            self.feed.snapshot().get(id)
        })
    }

    fn set_boot<'a>(&'a self, id: &'a MachineId, wanted: BootChange, _: &'a Caller) -> Write<'a> {
        let called = self.called("set_boot", "");
        Box::pin(async move {
            called?;
            self.change(id, |machine| {
                match wanted.override_.clone() {
                    OverrideChange::Keep => {}
                    OverrideChange::Clear => machine.boot.override_ = None,
                    OverrideChange::Set(set) => machine.boot.override_ = Some(set),
                }
                machine.boot.mode = wanted.mode.or(machine.boot.mode);
                machine.boot.order = wanted.whole_order(machine);
                if let (Some(enable), Some(state)) =
                    (wanted.secure_boot, machine.boot.secure_boot.as_mut())
                {
                    state.enable = enable;
                }
            })
        })
    }

    fn insert_media<'a>(
        &'a self,
        id: &'a MachineId,
        slot: &'a PartId,
        image: ImageSource,
        _: &'a Caller,
    ) -> Write<'a> {
        let called = self.called("insert", &format!("{slot} {}", image.url()));
        *self.source.lock().unwrap() = Some(image.clone());
        Box::pin(async move {
            called?;
            self.change(id, |machine| {
                let insertion = machine.revision.number(0);
                let slot = machine.media.iter_mut().find(|s| s.id == *slot).unwrap();
                slot.failure = None;
                slot.medium = Some(Medium {
                    insertion,
                    image: Some(image.url().clone()),
                    name: None,
                    write_protected: image.write_protected(),
                    phase: MediumPhase::Importing { percent: None },
                    since: None,
                });
            })
        })
    }

    fn eject_media<'a>(&'a self, id: &'a MachineId, slot: &'a PartId, _: &'a Caller) -> Write<'a> {
        let called = self.called("eject", slot.as_str());
        Box::pin(async move {
            called?;
            self.change(id, |machine| {
                let slot = machine.media.iter_mut().find(|s| s.id == *slot).unwrap();
                (slot.medium, slot.failure) = (None, None);
            })
        })
    }

    fn set_bios<'a>(&'a self, id: &'a MachineId, wanted: BiosChange, _: &'a Caller) -> Write<'a> {
        let called = self.called("set_bios", &format!("{:?}", wanted.0));
        Box::pin(async move {
            called?;
            self.change(id, |machine| machine.bios.as_mut().unwrap().stage(wanted.0))
        })
    }

    fn reset_bios<'a>(&'a self, id: &'a MachineId, _: &'a Caller) -> Write<'a> {
        let called = self.called("reset_bios", "");
        Box::pin(async move {
            called?;
            self.change(id, |machine| machine.bios.as_mut().unwrap().stage_defaults())
        })
    }

    fn reset_secure_boot_keys<'a>(
        &'a self,
        id: &'a MachineId,
        reset: KeyReset,
        _: &'a Caller,
    ) -> Write<'a> {
        let called = self.called("reset_keys", &format!("{reset:?}"));
        Box::pin(async move {
            called?;
            self.change(id, |machine| {
                let keys = machine.boot.secure_boot_keys.unwrap_or_default();
                machine.boot.secure_boot_keys = Some(keys.after(reset));
            })
        })
    }

    fn create_volume<'a>(
        &'a self,
        id: &'a MachineId,
        controller: &'a PartId,
        volume: NewVolume,
        _: &'a Caller,
    ) -> BoxFuture<'a, Result<(Arc<Machine>, PartId), Error>> {
        let called = self.called("create_volume", controller.as_str());
        Box::pin(async move {
            called?;
            let machine = self.feed.snapshot().get(id)?;
            let made = volume.resolve(&machine, controller)?;
            let name = made.id.clone();
            let machine = self.change(id, |machine| {
                machine.inventory.controllers[0].volumes.push(made);
            })?;
            Ok((machine, name))
        })
    }

    fn delete_volume<'a>(
        &'a self,
        id: &'a MachineId,
        _: &'a PartId,
        volume: &'a PartId,
        _: &'a Caller,
    ) -> Write<'a> {
        let called = self.called("delete_volume", volume.as_str());
        Box::pin(async move {
            called?;
            self.change(id, |machine| {
                machine.inventory.controllers[0].volumes.retain(|known| known.id != *volume);
            })
        })
    }

    fn set_identity<'a>(
        &'a self,
        id: &'a MachineId,
        wanted: IdentityChange,
        _: &'a Caller,
    ) -> Write<'a> {
        let called = self.called("set_identity", "");
        Box::pin(async move {
            called?;
            self.change(id, |machine| {
                if let Some(tag) = wanted.asset_tag {
                    machine.identity.asset_tag = Some(tag).filter(|tag| !tag.is_empty());
                }
                machine.identity.locating = wanted.locating.or(machine.identity.locating);
            })
        })
    }
}

/// Tasks that only keep a diary.
#[derive(Default)]
pub(super) struct Diary(pub(super) Arc<Mutex<Vec<String>>>);

struct Entry(Arc<Mutex<Vec<String>>>);

impl Tasks for Diary {
    fn begin(&self, _: &Context, job: Job, _: Cancel) -> crate::Result<Arc<dyn TaskHandle>> {
        self.0.lock().unwrap().push(format!("begin {} at {}", job.name, job.target));
        Ok(Arc::new(Entry(Arc::clone(&self.0))))
    }
}

impl TaskHandle for Entry {
    fn progress(&self, percent: u8) {
        self.0.lock().unwrap().push(format!("{percent} %"));
    }

    fn complete(&self) {
        self.0.lock().unwrap().push("complete".to_owned());
    }

    fn fail(&self, why: Message) {
        self.0.lock().unwrap().push(format!("fail {}", why.message_id().unwrap()));
    }

    fn monitor(&self) -> String {
        "/redfish/v1/TaskService/TaskMonitors/7".to_owned()
    }

    fn task(&self) -> Task {
        Task::new("/redfish/v1/TaskService/Tasks/7", "7", "Insert")
    }
}

/// A service over a script.
pub(super) struct Lab {
    pub(super) backend: Arc<Script>,
    pub(super) bmc: Arc<VirtualBmc>,
    pub(super) diary: Arc<Mutex<Vec<String>>>,
}

impl Lab {
    pub(super) fn new(machines: impl IntoIterator<Item = Machine>) -> Self {
        Self::with(machines, Settings::default())
    }

    pub(super) fn with(machines: impl IntoIterator<Item = Machine>, settings: Settings) -> Self {
        let lab = Self::unknown(settings);
        lab.backend.feed.sync(machines, Revision::of(1));
        lab
    }

    /// Before the first sync.
    pub(super) fn unknown(settings: Settings) -> Self {
        let backend = Arc::new(Script {
            feed: Feed::new(),
            calls: Mutex::default(),
            fails: Mutex::default(),
            source: Mutex::default(),
        });
        let policy = Arc::new(OutboundPolicy::new(OutboundSettings::default()));
        let diary = Diary::default();
        let entries = Arc::clone(&diary.0);
        let over: Arc<dyn MachineBackend> = backend.clone();
        let bmc = VirtualBmc::new(over, policy, Arc::new(diary), settings);
        Self { backend, bmc: Arc::new(bmc), diary: entries }
    }

    pub(super) fn router(&self) -> Arc<Router> {
        Router::new().mount_all(mounts(&self.bmc)).into()
    }

    pub(super) fn diary(&self) -> Vec<String> {
        self.diary.lock().unwrap().clone()
    }
}

/// A scope that shows all machines under their ids.
pub(super) fn scope(profile: Profile) -> Scope {
    Scope { profile, ..Scope::all() }
}

/// The view of a machine.
pub(super) fn view(machine: &str) -> Scope {
    let machines = Machines::Only(std::iter::once(machine.to_owned()).collect());
    Scope { machines, naming: Naming::View, ..Scope::all() }
}

/// A request by somebody who may do everything.
pub(super) fn admin(scope: Scope) -> Context {
    let privileges =
        [Privilege::Login, Privilege::ConfigureComponents, Privilege::ConfigureManager];
    let mut admin = Principal::new("admin", "Administrator", privileges);
    admin.multi_machine = true;
    Context::new(Some(admin.into()), scope)
}

/// A time that is long ago.
pub(super) fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

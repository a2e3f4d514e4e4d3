//! The pretended hypervisor: all machines, the time at which each is due, and who watches.
//!
//! It outlives the service in front of it, as a hypervisor does: [`MockBackend`](super::MockBackend) can be lost and made
//! again over the same world. One lock holds everything, for as long as one machine takes a step; nothing waits in there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::config::{MachineConfig, MockConfig, MockMedia};
use super::delays::Delays;
use super::domain::{Around, Domain};
use super::faults::Faults;
use super::journal::{Happened, Journal};
use super::persist::{Kept, Store};
use super::state::{Phase, Progress, State};
use super::{render, template};
use crate::intent::{Damaged, Observed, Record};
use crate::machine::{Machine, Revision};
use crate::outbound::ImageUrl;
use crate::power::PowerState;
use crate::snapshot::{Feed, Readiness};
use crate::text::Label;
use crate::{Clock, Error, MachineId, PartId};

/// Whether the hypervisor answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// It does.
    #[default]
    Ready,
    /// It has not told all machines yet.
    Starting,
    /// It did, and is silent now: reads go on, writes are unavailable.
    Silent,
}

pub(super) struct World {
    inner: Mutex<Inner>,
    pub(super) clock: Clock,
    media: MockMedia,
    seed: u64,
    wake: Notify,
    pub(super) store: Option<Store>,
}

struct Inner {
    domains: BTreeMap<MachineId, Domain>,
    /// Which machine is due when: each once at most.
    agenda: BTreeSet<(Instant, MachineId)>,
    delays: Delays,
    faults: Faults,
    journal: Journal,
    feed: Arc<Feed>,
    source: Source,
    /// Counts changes of any machine.
    revision: u64,
    /// Counts machines.
    machines: u64,
    /// What is not in the folder yet.
    dirty: BTreeSet<MachineId>,
    fetches: HashMap<(MachineId, PartId), AbortHandle>,
}

/// What [`World::look`] finds.
pub(super) struct Sight {
    pub(super) record: Result<Record, Damaged>,
    pub(super) version: Label,
    pub(super) observed: Observed,
    /// The slots with something in them that is not ours.
    pub(super) foreign: BTreeSet<PartId>,
}

impl World {
    pub(super) fn new(config: &MockConfig, clock: Clock, kept: Vec<Kept>) -> Result<Self, Error> {
        let inner = Inner {
            domains: BTreeMap::new(),
            agenda: BTreeSet::new(),
            delays: config.delays,
            faults: Faults::default(),
            journal: Journal::new(config.journal.unwrap_or(MockConfig::JOURNAL)),
            feed: Arc::default(),
            source: Source::Ready,
            revision: 0,
            machines: 0,
            dirty: BTreeSet::new(),
            fetches: HashMap::new(),
        };
        let (media, seed, wake) = (config.media, config.seed, Notify::new());
        let store = config.persist.clone().map(Store::new);
        let world = Self { inner: Mutex::new(inner), clock, media, seed, wake, store };
        let mut kept: BTreeMap<String, Kept> =
            kept.into_iter().map(|kept| (kept.config.name.clone(), kept)).collect();
        let mut inner = world.lock();
        for told in config.all()? {
            let before = kept.remove(&told.name);
            world.insert(&mut inner, told, before)?;
        }
        for before in kept.into_values() {
            // Added at run time, in a former process.
            let config = before.config.clone();
            world.insert(&mut inner, config, Some(before))?;
        }
        drop(inner);
        Ok(world)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a machine, without telling who watches.
    fn insert(
        &self,
        inner: &mut Inner,
        config: MachineConfig,
        before: Option<Kept>,
    ) -> Result<MachineId, Error> {
        let machine = template::template(&config, self.seed, inner.machines)?;
        let id = machine.id.clone();
        if inner.domains.contains_key(&id) {
            return Err(Error::conflict(format!("There already is a machine {id}")));
        }
        inner.machines += 1;
        inner.revision += 1;
        let (uid, state) = match before {
            Some(Kept { uid, mut state, .. }) => {
                state.fit(&machine);
                (uid, state)
            }
            None => (self.new_uid(inner), first_state(&config, &machine)),
        };
        let (config, machine) = (Arc::new(config), Arc::new(machine));
        let mut domain = Domain::new(config, machine, uid, state, Faults::default());
        domain.revision = inner.revision;
        domain.arm(&inner.around(self));
        inner.agenda.extend(domain.due().map(|due| (due, id.clone())));
        inner.domains.insert(id.clone(), domain);
        inner.soil(self, &id);
        Ok(id)
    }

    fn new_uid(&self, inner: &Inner) -> Label {
        let born = self.clock.now().duration_since(std::time::SystemTime::UNIX_EPOCH);
        format!("{:x}-{}", born.unwrap_or_default().as_nanos(), inner.revision).into()
    }

    /// From now on this one is told what changes, beginning with all machines.
    pub(super) fn attach(&self, feed: Arc<Feed>) {
        let mut inner = self.lock();
        inner.feed = feed;
        inner.announce(&self.clock);
    }

    /// Changes whether the hypervisor answers.
    pub(super) fn set_source(&self, source: Source) {
        let mut inner = self.lock();
        inner.source = source;
        inner.announce(&self.clock);
    }

    /// Whether writes are possible.
    pub(super) fn reachable(&self) -> Result<(), Error> {
        match self.lock().source {
            Source::Ready => Ok(()),
            Source::Starting | Source::Silent => {
                Err(Error::unavailable("The hypervisor does not answer"))
            }
        }
    }

    /// Adds a machine while others run.
    pub(super) fn add(&self, config: MachineConfig) -> Result<MachineId, Error> {
        let mut inner = self.lock();
        let id = self.insert(&mut inner, config, None)?;
        inner.journal.add(self.clock.now(), &id, Happened::Added);
        inner.publish(&id);
        self.wake.notify_one();
        Ok(id)
    }

    /// Removes a machine, whatever it is doing.
    pub(super) fn remove(&self, id: &MachineId) -> Result<(), Error> {
        let mut inner = self.lock();
        let domain = inner.domains.remove(id).ok_or_else(|| Error::no_machine(id))?;
        inner.agenda.retain(|(_, machine)| machine != id);
        inner.revision += 1;
        inner.end_fetches(id);
        inner.soil(self, id);
        inner.journal.add(self.clock.now(), id, Happened::Removed);
        if inner.source == Source::Ready {
            inner.feed.remove(domain.id(), Revision::of(inner.revision));
        }
        Ok(())
    }

    /// Puts a machine back to how it began.
    pub(super) fn back_to_start(&self, id: &MachineId) -> Result<(), Error> {
        self.change(id, |domain, around| {
            let version = domain.state.record_version + 1;
            domain.state = first_state(&domain.config, &domain.template);
            domain.state.record_version = version;
            domain.faults = Faults::default();
            domain.arm(around);
            around.journal.add(around.wall, domain.id(), Happened::BackToStart);
            Ok(())
        })
    }

    /// Lets a machine take a step, and all that follows at once.
    pub(super) fn change<T>(
        &self,
        id: &MachineId,
        act: impl FnOnce(&mut Domain, &mut Around<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut inner = self.lock();
        let mut domain = inner.domains.remove(id).ok_or_else(|| Error::no_machine(id))?;
        let before = domain.state.clone();
        let old_due = domain.due();
        let mut around = inner.around(self);
        let result = act(&mut domain, &mut around);
        while domain.tick(&mut around) {}
        let (due, changed) = (domain.due(), domain.state != before);
        if changed {
            inner.revision += 1;
            domain.revision = inner.revision;
        }
        inner.domains.insert(id.clone(), domain);
        if due != old_due {
            old_due.map(|due| inner.agenda.remove(&(due, id.clone())));
            inner.agenda.extend(due.map(|due| (due, id.clone())));
            self.wake.notify_one();
        }
        if changed {
            inner.end_fetches(id);
            inner.soil(self, id);
            inner.publish(id);
        }
        result
    }

    /// Has every machine take a step.
    pub(super) fn change_all(&self, act: impl Fn(&mut Domain, &mut Around<'_>)) {
        let ids: Vec<_> = self.lock().domains.keys().cloned().collect();
        for id in ids {
            // One that is gone meanwhile needs no step.
            let _ = self.change(&id, |domain, around| {
                act(domain, around);
                Ok(())
            });
        }
    }

    /// Works off what is due, as long as it is polled.
    pub(super) async fn run(&self) {
        loop {
            let now = self.clock.instant();
            let due = self.lock().agenda.first().cloned();
            match due {
                Some((due, id)) if due <= now => {
                    if self.change(&id, |_, _| Ok(())).is_err() {
                        self.lock().agenda.remove(&(due, id));
                    }
                    tokio::task::yield_now().await;
                }
                Some((due, _)) => tokio::select! {
                    () = self.clock.sleep_until(due) => {}
                    () = self.wake.notified() => {}
                },
                None => self.wake.notified().await,
            }
        }
    }

    /// What lies with a machine and how it is.
    pub(super) fn look(&self, id: &MachineId) -> Result<Sight, Error> {
        let inner = self.lock();
        let state = &inner.domains.get(id).ok_or_else(|| Error::no_machine(id))?.state;
        let objects = state.objects.iter();
        Ok(Sight {
            record: render::record(state),
            version: state.record_version.to_string().into(),
            observed: Observed {
                power: state.phase.power(),
                run: state.run_name(),
                objects: objects.map(|(id, object)| (id.clone(), object.observed())).collect(),
            },
            foreign: state.foreign.keys().cloned().collect(),
        })
    }

    /// Keeps a record, and in the same moment changes something else.
    pub(super) fn keep(
        &self,
        id: &MachineId,
        record: &Record,
        version: &Label,
        also: impl FnOnce(&mut State),
    ) -> Result<(), Error> {
        let text = if record.is_empty() { None } else { Some(record.encode()?) };
        self.change(id, |domain, _| {
            if domain.state.record_version.to_string() != version.as_str() {
                return Err(Error::conflict("Somebody else changed the machine meanwhile"));
            }
            domain.state.record = text;
            domain.state.record_version += 1;
            also(&mut domain.state);
            Ok(())
        })
    }

    /// Remembers that an image is being fetched, so that the fetch ends with its object.
    pub(super) fn fetching(&self, id: &MachineId, object: &PartId, task: AbortHandle) {
        let mut inner = self.lock();
        inner.fetches.insert((id.clone(), object.clone()), task);
        inner.end_fetches(id);
    }

    /// Whether images are fetched.
    pub(super) const fn media(&self) -> MockMedia {
        self.media
    }

    pub(super) fn tell(&self, id: &MachineId, what: Happened) {
        self.lock().journal.add(self.clock.now(), id, what);
    }

    pub(super) fn journal<T>(&self, read: impl FnOnce(&Journal) -> T) -> T {
        read(&self.lock().journal)
    }

    /// The faults of all machines.
    pub(super) fn faults<T>(&self, act: impl FnOnce(&mut Faults) -> T) -> T {
        act(&mut self.lock().faults)
    }

    pub(super) fn delays<T>(&self, act: impl FnOnce(&mut Delays) -> T) -> T {
        act(&mut self.lock().delays)
    }

    /// What has to go to the folder, and the number of the change up to which that is all.
    pub(super) fn take_dirty(&self) -> (u64, Vec<(MachineId, Option<Kept>)>) {
        let mut inner = self.lock();
        let dirty = std::mem::take(&mut inner.dirty);
        let kept = dirty.into_iter().map(|id| {
            let kept = inner.domains.get(&id).map(|domain| Kept {
                config: MachineConfig::clone(&domain.config),
                uid: domain.uid.clone(),
                state: domain.state.clone(),
            });
            (id, kept)
        });
        let kept = kept.collect();
        (inner.revision, kept)
    }

    /// These are not in the folder after all.
    pub(super) fn put_dirty(&self, ids: impl IntoIterator<Item = MachineId>) {
        self.lock().dirty.extend(ids);
    }

    /// Which images are on their way: machine, object, image, write protection, and whether it takes more to fetch it
    /// than that.
    pub(super) fn importing(&self) -> Vec<(MachineId, PartId, ImageUrl, bool, bool)> {
        let inner = self.lock();
        let mut all = Vec::new();
        for (id, domain) in &inner.domains {
            let record = render::record(&domain.state).unwrap_or_default();
            for (name, object) in &domain.state.objects {
                if matches!(object.progress, Progress::Importing(_)) {
                    let intent = record.media.values().find(|intent| intent.object == *name);
                    let secret = intent.is_some_and(|intent| intent.credentials.is_some());
                    let image = object.image.clone();
                    all.push((id.clone(), name.clone(), image, object.write_protected, secret));
                }
            }
        }
        all
    }

    /// How the machines were configured.
    pub(super) fn configs(&self) -> BTreeMap<MachineId, MachineConfig> {
        let inner = self.lock();
        let config = |(id, domain): (&MachineId, &Domain)| {
            (id.clone(), MachineConfig::clone(&domain.config))
        };
        inner.domains.iter().map(config).collect()
    }

    /// The number of a machine's last change.
    pub(super) fn revision(&self, id: &MachineId) -> u64 {
        self.lock().domains.get(id).map_or(0, |domain| domain.revision)
    }
}

/// A machine that was never touched.
fn first_state(config: &MachineConfig, template: &Machine) -> State {
    let mut state = State::new(config, template);
    if config.power == PowerState::On {
        let _ = state.begin_run(template);
        state.phase = Phase::On;
    }
    state
}

impl Inner {
    fn around<'a>(&'a mut self, world: &'a World) -> Around<'a> {
        Around {
            now: world.clock.instant(),
            wall: world.clock.now(),
            delays: &self.delays,
            media: world.media,
            faults: &mut self.faults,
            journal: &mut self.journal,
        }
    }

    /// The machine has to go to the folder.
    fn soil(&mut self, world: &World, id: &MachineId) {
        if let Some(store) = &world.store {
            self.dirty.insert(id.clone());
            store.wake();
        }
    }

    fn publish(&self, id: &MachineId) {
        if self.source == Source::Ready
            && let Some(domain) = self.domains.get(id)
        {
            // Under the lock of the world: what is put is never older than what is there.
            let _ = self.feed.put(render::machine(domain));
        }
    }

    fn announce(&self, clock: &Clock) {
        match self.source {
            Source::Ready => {
                let machines = self.domains.values().map(render::machine);
                self.feed.sync(machines, Revision::of(self.revision));
            }
            Source::Starting => self.feed.set_readiness(Readiness::Starting),
            Source::Silent => {
                let since = clock.now();
                self.feed.mark_stale(since, |_| true);
                let reason = "The mock was told to be silent".into();
                self.feed.set_readiness(Readiness::Stale { since, reason });
            }
        }
    }

    /// Ends the fetches of a machine whose object no longer waits for them.
    fn end_fetches(&mut self, id: &MachineId) {
        let state = self.domains.get(id).map(|domain| &domain.state);
        self.fetches.retain(|(machine, object), task| {
            let found = state.and_then(|state| state.objects.get(object));
            let wanted = machine != id
                || found.is_some_and(|object| matches!(object.progress, Progress::Importing(_)));
            if !wanted {
                task.abort();
            }
            wanted
        });
    }
}

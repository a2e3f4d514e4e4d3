//! What is known about all machines, at this moment, in memory.
//!
//! A GET never waits for a hypervisor: whatever is read comes from a [`Snapshot`], which a backend's watch feeds through
//! a [`Feed`]. Two writers race for it, the watch and the results of writes, and a late watch event must not undo what a
//! caller was just told. So [`Feed::put`] merges by [`Revision`]: what is older than what is there changes nothing.
//!
//! Readers take a lock for as long as it takes to clone an `Arc`; a change replaces one `Arc` in an ordered map, so
//! ten thousand machines cost a writer no more than one. The whole list is made once after a change, when somebody asks
//! for it. Changes go out through a bounded channel: whoever reads too slowly is told so ([`Change::Lagged`]) and looks at
//! the list again; nobody is waited for.

mod graves;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use tokio::sync::{broadcast, watch};

use crate::machine::{Machine, Revision};
use crate::text::Message;
use crate::{Error, MachineId};
use graves::Graves;

/// All machines at one moment, sorted by id.
pub type Machines = Arc<[Arc<Machine>]>;

/// Whether the snapshot is complete and current.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Not all machines are known yet: lists would be short, so there are none.
    Starting,
    /// Complete, and fed.
    Ready,
    /// Complete once, but the source is silent: reads go on, writes are unavailable.
    Stale {
        /// Since when.
        since: SystemTime,
        /// What does not answer.
        reason: Message,
    },
}

/// What happened to a machine.
#[derive(Clone, Debug)]
pub enum Change {
    /// It is new, or something about it is.
    Updated {
        /// What was known before.
        before: Option<Arc<Machine>>,
        /// What is known now.
        now: Arc<Machine>,
    },
    /// It is gone. This was it.
    Removed(Arc<Machine>),
    /// The reader was too slow, and this many changes are lost: look at the list again.
    Lagged(u64),
}

/// The reading side. Clones are the same snapshot.
#[derive(Clone)]
pub struct Snapshot(Arc<Shared>);

/// The writing side, which a backend keeps to itself.
pub struct Feed(Snapshot);

struct Shared {
    state: RwLock<State>,
    /// The list and the clock it was made at.
    list: RwLock<(u64, Machines)>,
    changes: broadcast::Sender<Change>,
    readiness: watch::Sender<Readiness>,
}

#[derive(Default)]
struct State {
    machines: BTreeMap<MachineId, Arc<Machine>>,
    graves: Graves,
    /// Counts changes of any machine.
    clock: u64,
}

impl Snapshot {
    /// The machine of that id.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none.
    pub fn get(&self, id: &MachineId) -> Result<Arc<Machine>, Error> {
        self.read().machines.get(id).cloned().ok_or_else(|| Error::no_machine(id))
    }

    /// All machines.
    ///
    /// # Errors
    /// [`Error::Unavailable`] until all are known for the first time: an empty list would be a lie.
    pub fn list(&self) -> Result<Machines, Error> {
        if *self.0.readiness.borrow() == Readiness::Starting {
            return Err(Error::unavailable("The machines are not all known yet"));
        }
        Ok(self.known())
    }

    /// The machines known so far, complete or not.
    pub fn known(&self) -> Machines {
        let state = self.read();
        let made = self.0.list.read().unwrap_or_else(PoisonError::into_inner);
        if made.0 == state.clock {
            return Arc::clone(&made.1);
        }
        drop(made);
        // Still under the lock of the state: two readers may make the same list, but never an older one.
        let list: Machines = state.machines.values().cloned().collect();
        *self.0.list.write().unwrap_or_else(PoisonError::into_inner) =
            (state.clock, Arc::clone(&list));
        list
    }

    /// The changes from now on.
    pub fn watch(&self) -> Changes {
        Changes(self.0.changes.subscribe())
    }

    /// The machines known so far and the changes from exactly there on: none is missing, none comes twice.
    pub fn follow(&self) -> (Machines, Changes) {
        let state = self.read();
        let changes = self.watch();
        (state.machines.values().cloned().collect(), changes)
    }

    /// Whether it is complete and current.
    pub fn readiness(&self) -> Readiness {
        self.0.readiness.borrow().clone()
    }

    /// The same as a channel, for who waits for it.
    pub fn watch_readiness(&self) -> watch::Receiver<Readiness> {
        self.0.readiness.subscribe()
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        // Nothing in the critical sections can leave the state half changed.
        self.0.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.0.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machines = self.read().machines.len();
        f.debug_struct("Snapshot")
            .field("machines", &machines)
            .field("readiness", &self.readiness())
            .finish()
    }
}

/// A stream of changes, in the order in which they happened.
#[derive(Debug)]
pub struct Changes(broadcast::Receiver<Change>);

impl Changes {
    /// The next change; none when the backend is gone.
    pub async fn next(&mut self) -> Option<Change> {
        match self.0.recv().await {
            Ok(change) => Some(change),
            Err(broadcast::error::RecvError::Lagged(lost)) => Some(Change::Lagged(lost)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// What became of a machine that was put into the snapshot.
#[derive(Clone, Debug)]
#[must_use]
pub enum Put {
    /// It is in now.
    Changed(Arc<Machine>),
    /// What is in is no different.
    Same(Arc<Machine>),
    /// What is in is newer: this.
    Older(Arc<Machine>),
    /// Each has something that the other does not have yet. What is in stays; make the machine again from the newest of
    /// all sources, and put that.
    Crossed(Arc<Machine>),
    /// The machine was removed after this was known of it.
    Removed,
}

impl Put {
    /// What is in the snapshot now: what a write returns.
    ///
    /// # Errors
    /// [`Error::NotFound`] when it was removed meanwhile; [`Error::Internal`] when it has to be made again.
    pub fn current(self, id: &MachineId) -> Result<Arc<Machine>, Error> {
        match self {
            Self::Changed(machine) | Self::Same(machine) | Self::Older(machine) => Ok(machine),
            Self::Crossed(_) => {
                Err(Error::internal(format!("Machine {id} was made from sources of different age")))
            }
            Self::Removed => Err(Error::no_machine(id)),
        }
    }
}

impl Feed {
    /// How many changes a reader can be behind before it loses some.
    pub const CAPACITY: usize = 1024;

    /// An empty snapshot, [`Readiness::Starting`].
    pub fn new() -> Self {
        Self::with_capacity(Self::CAPACITY)
    }

    /// The same, with another number of changes that a reader can be behind; at least one.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Snapshot(Arc::new(Shared {
            state: RwLock::default(),
            list: RwLock::new((0, Arc::new([]))),
            changes: broadcast::Sender::new(capacity.max(1)),
            readiness: watch::Sender::new(Readiness::Starting),
        })))
    }

    /// The reading side.
    pub const fn snapshot(&self) -> &Snapshot {
        &self.0
    }

    /// Merges what was learnt about a machine, by watch or as the result of a write.
    pub fn put(&self, machine: Machine) -> Put {
        self.0.write().put(machine, &self.0.0.changes)
    }

    /// Removes a machine, unless what is known of it is newer than its removal (it was made again).
    ///
    /// The first source of the revision is the machine's own object, and decides alone.
    pub fn remove(&self, id: &MachineId, revision: Revision) {
        self.0.write().remove(id, revision, &self.0.0.changes);
    }

    /// Takes over a complete list, current as of a revision: after the start, or when a watch had a gap. Machines that
    /// it lacks are removed, except those known from later than the list. The snapshot is ready after that.
    pub fn sync(&self, machines: impl IntoIterator<Item = Machine>, as_of: Revision) {
        let mut state = self.0.write();
        let mut listed = BTreeSet::new();
        for machine in machines {
            listed.insert(machine.id.clone());
            let _ = state.put(machine, &self.0.0.changes);
        }
        let missing: Vec<_> =
            state.machines.keys().filter(|id| !listed.contains(*id)).cloned().collect();
        for id in missing {
            state.remove(&id, as_of, &self.0.0.changes);
        }
        drop(state);
        self.set_readiness(Readiness::Ready);
    }

    /// Says that the source of some machines is silent: [`Machine::stale_since`], until they are put again.
    pub fn mark_stale(&self, since: SystemTime, which: impl Fn(&Machine) -> bool) {
        let mut state = self.0.write();
        let fresh = |machine: &&Arc<Machine>| machine.stale_since.is_none() && which(machine);
        let stale: Vec<_> = state.machines.values().filter(fresh).cloned().collect();
        for machine in stale {
            let mut machine = Machine::clone(&machine);
            machine.stale_since = Some(since);
            let _ = state.put(machine, &self.0.0.changes);
        }
    }

    /// Says whether the snapshot is complete and current.
    pub fn set_readiness(&self, readiness: Readiness) {
        self.0.0.readiness.send_if_modified(|present| {
            let differs = *present != readiness;
            *present = readiness;
            differs
        });
    }
}

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl State {
    fn put(&mut self, mut machine: Machine, changes: &broadcast::Sender<Change>) -> Put {
        let before = self.machines.get(&machine.id);
        match before {
            Some(before) if !another_incarnation(before, &machine) => {
                match machine.revision.partial_cmp(&before.revision) {
                    Some(order) if order.is_lt() => return Put::Older(Arc::clone(before)),
                    None => return Put::Crossed(Arc::clone(before)),
                    Some(_) => {}
                }
                machine.set_change(before.change());
                if machine == **before {
                    return Put::Same(Arc::clone(before));
                }
            }
            Some(before) if own(machine.revision) < own(before.revision) => {
                return Put::Older(Arc::clone(before));
            }
            Some(_) => {}
            None if self.graves.holds(&machine.id, machine.revision) => return Put::Removed,
            None => {}
        }
        self.clock += 1;
        machine.set_change(self.clock);
        let machine = Arc::new(machine);
        let before = self.machines.insert(machine.id.clone(), Arc::clone(&machine));
        // An error is only that nobody listens.
        let _ = changes.send(Change::Updated { before, now: Arc::clone(&machine) });
        Put::Changed(machine)
    }

    fn remove(&mut self, id: &MachineId, revision: Revision, changes: &broadcast::Sender<Change>) {
        if self.machines.get(id).is_some_and(|machine| own(machine.revision) > own(revision)) {
            return;
        }
        self.graves.bury(id, revision);
        if let Some(machine) = self.machines.remove(id) {
            self.clock += 1;
            let _ = changes.send(Change::Removed(machine));
        }
    }
}

/// The number of the machine's own object.
fn own(revision: Revision) -> u64 {
    revision.number(0)
}

/// Whether two machines of one id are two machines: the numbers of other sources then say nothing.
fn another_incarnation(one: &Machine, other: &Machine) -> bool {
    matches!((&one.identity.uid, &other.identity.uid), (Some(one), Some(other)) if one != other)
}

#[cfg(test)]
mod tests;

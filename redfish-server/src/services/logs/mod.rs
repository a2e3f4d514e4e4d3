//! Logs: what happened, for people who come later.
//!
//! Each machine has three, by where they stand:
//!
//! | URI | What is in it |
//! |---|---|
//! | `Systems/{id}/LogServices/Event` | what happened to the machine: power, boot, media, conditions |
//! | `Managers/{id}/LogServices/Log` | what was done through its manager: requests, logins, tasks |
//! | `Chassis/{id}/LogServices/Event` | what concerns its case: location LED, sensors |
//!
//! What concerns the service as a whole stands in the log of every manager, as its settings do, and only
//! accounts that may see everything see it. This is no audit: clients can clear these logs.
//!
//! They are rings in memory. One that is full loses its oldest entry; when all together are too many, the
//! longest loses its oldest, so that one noisy machine cannot push out what others have to say.

mod entry;
mod service;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use entry::Entry;
pub use service::mounts;

use super::journal::{Clock, Forgetful, Journal, system_clock};
use crate::Scope;
use crate::context::{Machines, People};
use entry::Record;

/// Where a log stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Site {
    /// `Managers/{id}`.
    Manager,
    /// `Systems/{id}`.
    System,
    /// `Chassis/{id}`.
    Chassis,
}

/// The bounds of a [`Log`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most entries of one log (`LogService.MaxNumberOfRecords`).
    pub entries: usize,
    /// The most entries of all.
    pub total: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 256, total: 20_000 }
    }
}

/// A log's site and machine; the service as a whole has none.
type Key = (Site, Option<String>);

/// All logs.
pub struct Log {
    rings: Mutex<Rings>,
    journal: Box<dyn Journal>,
    clock: Clock,
    limits: Limits,
}

#[derive(Default)]
struct Rings {
    rings: BTreeMap<Key, VecDeque<Record>>,
    total: usize,
    last: u64,
}

impl Log {
    /// Logs that end with the process.
    pub fn new(limits: Limits) -> Arc<Self> {
        Self::with_journal(limits, Forgetful, system_clock(), [])
    }

    /// Logs that a journal keeps; `kept` is what it kept so far. Records that are none are dropped.
    pub fn with_journal(
        limits: Limits,
        journal: impl Journal,
        clock: Clock,
        kept: impl IntoIterator<Item = Value>,
    ) -> Arc<Self> {
        let log = Self { rings: Mutex::default(), journal: Box::new(journal), clock, limits };
        let kept = kept.into_iter().filter_map(|value| serde_json::from_value(value).ok());
        let mut kept: Vec<Record> = kept.collect();
        kept.sort_by_key(|record| record.number);
        {
            let mut rings = log.lock();
            rings.last = kept.last().map_or(0, |record| record.number);
            for record in kept {
                log.push(&mut rings, record);
            }
        }
        Arc::new(log)
    }

    /// Adds an entry, and gives the id that it has in its log.
    pub fn record(&self, entry: Entry) -> String {
        let created = (self.clock)();
        let mut rings = self.lock();
        rings.last += 1;
        let record = Record { number: rings.last, created, entry };
        if let Ok(value) = serde_json::to_value(&record) {
            self.journal.put(&record.id(), value);
        }
        let id = record.id();
        self.push(&mut rings, record);
        id
    }

    /// Forgets all of a machine, which is no more.
    pub fn forget(&self, machine: &str) {
        let mut rings = self.lock();
        for site in [Site::Manager, Site::System, Site::Chassis] {
            self.drop_ring(&mut rings, &(site, Some(machine.to_owned())));
        }
    }

    /// The entries of a log that the scope has, oldest first.
    fn entries(&self, scope: &Scope, site: Site, machine: &str) -> Vec<Record> {
        let rings = self.lock();
        let keys = keys(scope, site, machine);
        let mut entries: Vec<_> =
            keys.iter().filter_map(|key| rings.rings.get(key)).flatten().cloned().collect();
        entries.sort_by_key(|record| record.number);
        entries
    }

    /// Removes the entries of a log that the scope has.
    fn clear(&self, scope: &Scope, site: Site, machine: &str) {
        let mut rings = self.lock();
        for key in keys(scope, site, machine) {
            self.drop_ring(&mut rings, &key);
        }
    }

    fn push(&self, rings: &mut Rings, record: Record) {
        let key = record.entry.key();
        let ring = rings.rings.entry(key.clone()).or_default();
        ring.push_back(record);
        rings.total += 1;
        if ring.len() > self.limits.entries.max(1) {
            self.lose(rings, &key);
        }
        while rings.total > self.limits.total.max(1) {
            let longest = rings.rings.iter().max_by_key(|(_, ring)| ring.len());
            let Some((key, _)) = longest.map(|(key, ring)| (key.clone(), ring.len())) else {
                break;
            };
            self.lose(rings, &key);
        }
    }

    /// Removes the oldest entry of a log.
    fn lose(&self, rings: &mut Rings, key: &Key) {
        let Some(ring) = rings.rings.get_mut(key) else { return };
        if let Some(oldest) = ring.pop_front() {
            rings.total -= 1;
            self.journal.remove(&oldest.id());
        }
        if ring.is_empty() {
            rings.rings.remove(key);
        }
    }

    fn drop_ring(&self, rings: &mut Rings, key: &Key) {
        let ring = rings.rings.remove(key).unwrap_or_default();
        rings.total -= ring.len();
        for record in ring {
            self.journal.remove(&record.id());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Rings> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The logs that make up one log resource for a scope.
fn keys(scope: &Scope, site: Site, machine: &str) -> Vec<Key> {
    let mut keys = vec![(site, Some(machine.to_owned()))];
    let everything = scope.machines == Machines::All && scope.people == People::All;
    if site == Site::Manager && everything {
        keys.push((site, None));
    }
    keys
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! One write at a time for each machine, or whatever else is written to.
//!
//! A write reads the machine's state, decides by it, and acts; two of them interleaved act on what is no longer so. They
//! queue here, in order, but not for ever: a client that waits minutes behind somebody's import gives up and tries
//! again, which makes the queue longer. After [`WAIT`] the answer is [`Error::Busy`].
//!
//! The lock is about fairness within one process. What keeps replicas apart is the optimistic locking of the record on
//! the VM.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;

use crate::{Error, MachineId};

/// How long a write waits for the ones before it.
pub const WAIT: Duration = Duration::from_secs(5);

type Entry = Arc<tokio::sync::Mutex<()>>;

/// The write locks of a backend's machines.
pub type MachineLocks = Locks<MachineId>;

/// The right to write to one machine, until dropped.
pub type MachineLock<'a> = Lock<'a, MachineId>;

/// Write locks by key. A key that nobody writes to costs nothing.
#[derive(Debug)]
pub struct Locks<K: Eq + Hash + Clone> {
    entries: Mutex<HashMap<K, Entry>>,
}

impl<K: Eq + Hash + Clone> Locks<K> {
    /// Nothing is locked.
    pub fn new() -> Self {
        Self { entries: Mutex::default() }
    }

    /// Waits for the lock, at most [`WAIT`].
    ///
    /// # Errors
    /// [`Error::Busy`] when the writes before this one took too long.
    pub async fn lock(&self, key: &K) -> Result<Lock<'_, K>, Error> {
        self.lock_within(key, WAIT).await
    }

    /// Waits for the lock, at most as long as given.
    ///
    /// # Errors
    /// [`Error::Busy`] when the writes before this one took too long.
    pub async fn lock_within(&self, key: &K, wait: Duration) -> Result<Lock<'_, K>, Error> {
        let entry = Arc::clone(self.entries().entry(key.clone()).or_default());
        // The place in line exists from here on, so that giving up at any await point leaves nothing behind.
        let mut lock = Lock { locks: self, key: key.clone(), guard: None };
        lock.guard =
            Some(tokio::time::timeout(wait, entry.lock_owned()).await.map_err(|_| Error::busy())?);
        Ok(lock)
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<K, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> Default for Locks<K> {
    fn default() -> Self {
        Self::new()
    }
}

/// The right to write, until dropped.
#[derive(Debug)]
#[must_use = "others can write again as soon as this is dropped"]
pub struct Lock<'a, K: Eq + Hash + Clone> {
    locks: &'a Locks<K>,
    key: K,
    guard: Option<OwnedMutexGuard<()>>,
}

impl<K: Eq + Hash + Clone> Drop for Lock<'_, K> {
    fn drop(&mut self) {
        // Under the map's lock nobody can join, so a count of one is nobody but the map.
        let mut entries = self.locks.entries();
        drop(self.guard.take());
        if entries.get(&self.key).is_some_and(|entry| Arc::strong_count(entry) == 1) {
            entries.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::{Instant, sleep};

    use super::*;

    fn id(name: &str) -> MachineId {
        MachineId::new(name).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_write_waits_and_a_third_gives_up() {
        let locks = MachineLocks::new();
        let first = locks.lock(&id("a")).await.unwrap();
        let start = Instant::now();
        assert_eq!(locks.lock(&id("a")).await.unwrap_err(), Error::busy());
        assert_eq!(start.elapsed(), WAIT);
        let a = id("a");
        let (second, ()) = tokio::join!(locks.lock(&a), async {
            sleep(Duration::from_secs(3)).await;
            drop(first);
        });
        assert!(second.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn machines_do_not_wait_for_each_other_and_leave_nothing() {
        let locks = MachineLocks::new();
        let a = locks.lock(&id("a")).await.unwrap();
        let b = locks.lock(&id("b")).await.unwrap();
        drop((a, b));
        assert!(locks.entries().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn giving_up_leaves_nothing() {
        let locks = MachineLocks::new();
        let held = locks.lock(&id("a")).await.unwrap();
        // Cancelled from outside, as when a caller goes away.
        let cancelled = tokio::time::timeout(Duration::from_secs(1), locks.lock(&id("a"))).await;
        assert!(cancelled.is_err());
        assert_eq!(locks.lock_within(&id("a"), Duration::ZERO).await.unwrap_err(), Error::busy());
        drop(held);
        assert!(locks.entries().is_empty());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn never_two_at_once() {
        let locks = Arc::new(MachineLocks::new());
        let inside = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let (locks, inside) = (Arc::clone(&locks), Arc::clone(&inside));
                tokio::spawn(async move {
                    for _ in 0..20 {
                        let _lock = locks.lock(&id("a")).await.unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        tokio::task::yield_now().await;
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert!(locks.entries().is_empty());
    }
}

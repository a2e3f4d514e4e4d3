//! One write at a time for each machine.
//!
//! A write reads the machine's state, decides by it, and acts; two of them interleaved act on what is no longer so. They
//! queue here, in order, but not for ever: a client that waits minutes behind somebody's import gives up and tries
//! again, which makes the queue longer. After [`WAIT`] the answer is [`Error::Busy`].
//!
//! The lock is about fairness within one process. What keeps replicas apart is the optimistic locking of the record on
//! the VM.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;

use crate::{Error, MachineId};

/// How long a write waits for the ones before it.
pub const WAIT: Duration = Duration::from_secs(5);

type Entry = Arc<tokio::sync::Mutex<()>>;

/// The write locks of a backend's machines. A machine that nobody writes to costs nothing.
#[derive(Debug, Default)]
pub struct MachineLocks {
    entries: Mutex<HashMap<MachineId, Entry>>,
}

impl MachineLocks {
    /// No machine is locked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for the machine's lock, at most [`WAIT`].
    ///
    /// # Errors
    /// [`Error::Busy`] when the writes before this one took too long.
    pub async fn lock(&self, id: &MachineId) -> Result<MachineLock<'_>, Error> {
        self.lock_within(id, WAIT).await
    }

    /// Waits for the machine's lock, at most as long as given.
    ///
    /// # Errors
    /// [`Error::Busy`] when the writes before this one took too long.
    pub async fn lock_within(
        &self,
        id: &MachineId,
        wait: Duration,
    ) -> Result<MachineLock<'_>, Error> {
        let entry = Arc::clone(self.entries().entry(id.clone()).or_default());
        // The place in line exists from here on, so that giving up at any await point leaves nothing behind.
        let mut lock = MachineLock { locks: self, id: id.clone(), guard: None };
        lock.guard =
            Some(tokio::time::timeout(wait, entry.lock_owned()).await.map_err(|_| Error::busy())?);
        Ok(lock)
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<MachineId, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to write to one machine, until dropped.
#[derive(Debug)]
#[must_use = "the machine is free again as soon as this is dropped"]
pub struct MachineLock<'a> {
    locks: &'a MachineLocks,
    id: MachineId,
    guard: Option<OwnedMutexGuard<()>>,
}

impl Drop for MachineLock<'_> {
    fn drop(&mut self) {
        // Under the map's lock nobody can join, so a count of one is nobody but the map.
        let mut entries = self.locks.entries();
        drop(self.guard.take());
        if entries.get(&self.id).is_some_and(|entry| Arc::strong_count(entry) == 1) {
            entries.remove(&self.id);
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

//! Which machine to look at, and when.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use crate::MachineId;

/// Machines that wait for a look, each once, none while it is being worked on.
pub(super) struct Queue {
    first_pause: Duration,
    longest_pause: Duration,
    entries: HashMap<MachineId, Entry>,
    /// Those that are not being worked on, by time.
    waiting: BTreeSet<(Instant, MachineId)>,
}

#[derive(Default)]
struct Entry {
    due: Option<Instant>,
    running: bool,
    failures: u32,
}

impl Queue {
    pub(super) fn new(first_pause: Duration, longest_pause: Duration) -> Self {
        Self { first_pause, longest_pause, entries: HashMap::new(), waiting: BTreeSet::new() }
    }

    /// Something about the machine may be different now. After a failure that shortens the pause, but not to nothing:
    /// the attempts may be what changes the machine.
    pub(super) fn look(&mut self, id: &MachineId, now: Instant) {
        let failed = self.entries.get(id).is_some_and(|entry| entry.failures > 0);
        self.schedule(id, if failed { now + self.first_pause } else { now });
    }

    /// The machine is gone.
    pub(super) fn forget(&mut self, id: &MachineId) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        if let Some(due) = entry.due.take() {
            self.waiting.remove(&(due, id.clone()));
        }
        if !entry.running {
            self.entries.remove(id);
        }
    }

    /// The machine whose time has come, if there is one. It is being worked on until [`Self::done`] or [`Self::failed`].
    pub(super) fn take(&mut self, now: Instant) -> Option<MachineId> {
        let (due, _) = self.waiting.first()?;
        if *due > now {
            return None;
        }
        let (_, id) = self.waiting.pop_first()?;
        let entry = self.entries.entry(id.clone()).or_default();
        (entry.due, entry.running) = (None, true);
        Some(id)
    }

    /// When the next machine's time comes.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.waiting.first().map(|(due, _)| *due)
    }

    /// A step went well; the next one is due then, or whenever there is a reason.
    pub(super) fn done(&mut self, id: &MachineId, next: Option<Instant>) {
        self.settle(id, next, |_| 0);
    }

    /// A step failed.
    pub(super) fn failed(&mut self, id: &MachineId, now: Instant) {
        let failures = self.entries.get(id).map_or(0, |entry| entry.failures);
        let pause = self.first_pause.saturating_mul(1 << failures.min(16)).min(self.longest_pause);
        self.settle(id, Some(now + pause), |failures| failures.saturating_add(1));
    }

    fn settle(&mut self, id: &MachineId, next: Option<Instant>, failures: impl FnOnce(u32) -> u32) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        entry.running = false;
        entry.failures = failures(entry.failures);
        // What was asked for meanwhile counts from now on.
        match [entry.due.take(), next].into_iter().flatten().min() {
            Some(due) => self.schedule(id, due),
            None => drop(self.entries.remove(id)),
        }
    }

    fn schedule(&mut self, id: &MachineId, at: Instant) {
        let entry = self.entries.entry(id.clone()).or_default();
        if entry.due.is_some_and(|due| due <= at) {
            return;
        }
        let before = entry.due.replace(at);
        if entry.running {
            return;
        }
        if let Some(before) = before {
            self.waiting.remove(&(before, id.clone()));
        }
        self.waiting.insert((at, id.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_machine_once_and_never_twice_at_a_time() {
        let now = Instant::now();
        let [a, b] = ["a", "b"].map(|id| MachineId::new(id).unwrap());
        let mut queue = Queue::new(Duration::from_secs(1), Duration::from_secs(8));
        let later = |seconds| now + Duration::from_secs(seconds);
        queue.look(&a, now);
        queue.look(&a, now);
        queue.look(&b, later(1));
        assert_eq!(queue.take(now), Some(a.clone()));
        assert_eq!(queue.take(now), None);
        // Asked for while it is being worked on: after that.
        queue.look(&a, now);
        assert_eq!((queue.take(now), queue.next_due()), (None, Some(later(1))));
        queue.done(&a, None);
        assert_eq!(queue.take(now), Some(a.clone()));
        queue.done(&a, Some(later(5)));
        assert_eq!(queue.take(later(1)), Some(b.clone()));
        queue.done(&b, None);
        // Sooner for a reason.
        queue.look(&a, later(2));
        assert_eq!(queue.take(later(2)), Some(a.clone()));
        // Failures: 1, 2, 4, 8, 8 seconds.
        let mut at = later(2);
        for pause in [1, 2, 4, 8, 8] {
            queue.failed(&a, at);
            assert_eq!(queue.next_due(), Some(at + Duration::from_secs(pause)));
            at += Duration::from_secs(pause);
            assert_eq!(queue.take(at), Some(a.clone()));
        }
        queue.forget(&a);
        queue.done(&a, None);
        assert!(queue.entries.is_empty() && queue.waiting.is_empty());
    }
}

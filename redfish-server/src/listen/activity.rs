//! What a connection is doing, and since when.
//!
//! One timer for each connection instead of several for each request: the stream and the requests note what
//! happens, and the timer looks at the notes when it rings.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::Limits;

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The client, to send the rest of a head.
    Head,
    /// Us.
    Busy,
    /// The client, if it wants anything else.
    Idle,
}

/// A note of it: milliseconds since the start, and the phase in the last two bits.
pub(super) struct Activity {
    start: Instant,
    note: AtomicU64,
}

impl Activity {
    /// A connection that was just opened owes a head.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), note: AtomicU64::new(HEAD) })
    }

    pub(super) fn enter(&self, phase: Phase) {
        let bits = match phase {
            Phase::Head => HEAD,
            Phase::Busy => BUSY,
            Phase::Idle => IDLE,
        };
        self.note.store(self.now() << 2 | bits, Ordering::Relaxed);
    }

    /// Bytes came: the next head begins, unless they belong to what is there already.
    pub(super) fn received(&self) {
        if self.phase() == Phase::Idle {
            self.enter(Phase::Head);
        }
    }

    pub(super) fn phase(&self) -> Phase {
        match self.note.load(Ordering::Relaxed) & 3 {
            BUSY => Phase::Busy,
            IDLE => Phase::Idle,
            _ => Phase::Head,
        }
    }

    /// How long it is in this phase.
    pub(super) fn waited(&self) -> Duration {
        let since = Duration::from_millis(self.note.load(Ordering::Relaxed) >> 2);
        self.start.elapsed().saturating_sub(since)
    }

    /// Resolves when the client has taken too long, with what it was to do.
    pub(super) async fn overdue(&self, limits: &Limits) -> Phase {
        loop {
            let waited = self.waited();
            let limit = match self.phase() {
                Phase::Head => limits.header,
                Phase::Idle => limits.idle,
                Phase::Busy => Duration::MAX,
            };
            if waited >= limit {
                return self.phase();
            }
            // Another phase may begin meanwhile, with a shorter limit.
            tokio::time::sleep((limit - waited).min(limits.header).min(limits.idle)).await;
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

const HEAD: u64 = 0;
const BUSY: u64 = 1;
const IDLE: u64 = 2;

/// Keeps a connection busy until dropped.
pub(super) struct Busy(Arc<Activity>);

impl Busy {
    pub(super) fn new(activity: &Arc<Activity>) -> Self {
        activity.enter(Phase::Busy);
        Self(activity.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.enter(Phase::Idle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let (header, idle) = (Duration::from_secs(10), Duration::from_secs(75));
        Limits { header, idle, ..Limits::default() }
    }

    async fn check(activity: &Activity, expect: Phase, after: std::ops::RangeInclusive<u64>) {
        let start = Instant::now();
        assert_eq!(activity.overdue(&limits()).await, expect);
        let after_ms = after.start() * 1000..=after.end() * 1000;
        let took = u64::try_from(start.elapsed().as_millis()).unwrap();
        assert!(after_ms.contains(&took), "{took} ms, {after:?} s");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_owed_has_its_time() {
        let activity = Activity::new();
        check(&activity, Phase::Head, 10..=11).await;
        activity.enter(Phase::Idle);
        check(&activity, Phase::Idle, 75..=76).await;
        let busy = Busy::new(&activity);
        let limits = limits();
        let overdue = activity.overdue(&limits);
        assert!(tokio::time::timeout(Duration::from_secs(3600), overdue).await.is_err());
        activity.received();
        assert_eq!(activity.phase(), Phase::Busy, "a body is no head");
        drop(busy);
        check(&activity, Phase::Idle, 75..=76).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_begins_late_is_noticed() {
        let activity = Activity::new();
        activity.enter(Phase::Idle);
        let (again, start) = (activity.clone(), Instant::now());
        let overdue = tokio::spawn(async move { again.overdue(&limits()).await });
        tokio::time::sleep(Duration::from_secs(31)).await;
        activity.received();
        assert_eq!(overdue.await.unwrap(), Phase::Head);
        let took = start.elapsed().as_secs();
        assert!((41..=51).contains(&took), "{took} s");
    }
}

//! What time it is.
//!
//! Promises have an end, transitions a length, and tests of both must not take that long. So whoever waits or compares
//! moments asks a [`Clock`] that was handed to them: the system's, or one that somebody drives. Moments on the wall (kept
//! in records, shown to clients) and moments to wait for are two kinds, and both go forward together.

use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::Instant;

/// A clock. Clones are the same clock.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Driven>);

#[derive(Clone, Debug)]
struct Driven {
    /// The moment on the wall at which it began, and the same moment to wait for.
    start: (SystemTime, Instant),
    /// How far it was advanced since.
    ahead: watch::Sender<Duration>,
}

impl Clock {
    /// The system's clock.
    pub const fn system() -> Self {
        Self(None)
    }

    /// A clock that shows this moment now, goes on by itself, and can be [advanced](Self::advance).
    pub fn driven(start: SystemTime) -> Self {
        let ahead = watch::Sender::new(Duration::ZERO);
        Self(Some(Driven { start: (start, Instant::now()), ahead }))
    }

    /// The moment on the wall.
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            None => SystemTime::now(),
            Some(Driven { start, .. }) => {
                let passed = self.instant().saturating_duration_since(start.1);
                start.0.checked_add(passed).unwrap_or(start.0)
            }
        }
    }

    /// The moment that waits are counted from.
    pub fn instant(&self) -> Instant {
        let now = Instant::now();
        match &self.0 {
            None => now,
            Some(Driven { ahead, .. }) => now.checked_add(*ahead.borrow()).unwrap_or(now),
        }
    }

    /// Waits until [`Self::instant`] is there.
    pub async fn sleep_until(&self, moment: Instant) {
        let Some(Driven { ahead, .. }) = &self.0 else {
            return tokio::time::sleep_until(moment).await;
        };
        let mut changes = ahead.subscribe();
        loop {
            let ahead = *changes.borrow_and_update();
            let Some(real) = moment.checked_sub(ahead) else { return };
            tokio::select! {
                () = tokio::time::sleep_until(real) => return,
                // The sender lives as long as this clock, so that an error can't come.
                _ = changes.changed() => {}
            }
        }
    }

    /// Waits that long.
    pub async fn sleep(&self, time: Duration) {
        if let Some(moment) = self.instant().checked_add(time) {
            self.sleep_until(moment).await;
        }
    }

    /// Lets time pass at once: whatever was to happen within it is due. False for the system's clock, which nobody
    /// advances.
    pub fn advance(&self, time: Duration) -> bool {
        let Some(Driven { start, ahead }) = &self.0 else { return false };
        // Beyond a century the sums with it would no longer be moments.
        let most = Duration::from_secs(100 * 365 * 24 * 3600);
        if start.1.checked_add(most).is_some() {
            ahead.send_modify(|ahead| *ahead = ahead.saturating_add(time).min(most));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_driven_clock_wakes_who_waits() {
        let clock = Clock::driven(SystemTime::UNIX_EPOCH);
        let waiting = tokio::spawn({
            let clock = clock.clone();
            async move {
                clock.sleep(Duration::from_secs(3600)).await;
                clock.now()
            }
        });
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(!waiting.is_finished());
        let before = Instant::now();
        assert!(clock.advance(Duration::from_secs(3600)));
        let seen = waiting.await.unwrap();
        assert_eq!(before, Instant::now());
        assert_eq!(seen, SystemTime::UNIX_EPOCH + Duration::from_secs(3610));
    }

    #[tokio::test(start_paused = true)]
    async fn the_system_clock_is_not_driven() {
        let clock = Clock::system();
        assert!(!clock.advance(Duration::from_secs(1)));
        assert_eq!(clock.instant(), Instant::now());
    }

    #[tokio::test(start_paused = true)]
    async fn no_advance_is_too_far() {
        let clock = Clock::driven(SystemTime::UNIX_EPOCH);
        for _ in 0..3 {
            clock.advance(Duration::MAX);
        }
        clock.sleep(Duration::from_secs(1)).await;
        assert!(clock.now() > SystemTime::UNIX_EPOCH + Duration::from_secs(365 * 24 * 3600));
    }
}

//! How many answers go out in a second.

use std::time::Duration;

use tokio::time::Instant;

/// So many at once, and one more in each interval.
#[derive(Debug)]
pub(super) struct Pace {
    burst: u32,
    interval: Duration,
    left: u32,
    since: Instant,
}

impl Pace {
    pub(super) fn new(burst: u32, interval: Duration) -> Self {
        Self { burst, interval, left: burst, since: Instant::now() }
    }

    /// Takes one, if there is one.
    pub(super) fn take(&mut self) -> bool {
        let grown = self.since.elapsed().as_nanos() / self.interval.as_nanos();
        let grown = u32::try_from(grown).unwrap_or(u32::MAX);
        if grown >= self.burst - self.left {
            (self.left, self.since) = (self.burst, Instant::now());
        } else {
            self.left += grown;
            self.since += self.interval * grown;
        }
        let some = self.left > 0;
        self.left -= u32::from(some);
        some
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_taken_grows_again() {
        let mut pace = Pace::new(3, Duration::from_millis(100));
        let mut taken = || (0..10).filter(|_| pace.take()).count();
        assert_eq!((taken(), taken()), (3, 0));
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!((taken(), taken()), (2, 0));
        tokio::time::advance(Duration::from_millis(50)).await;
        assert_eq!(taken(), 1);
        tokio::time::advance(Duration::from_secs(1 << 40)).await;
        assert_eq!(taken(), 3);
    }
}

//! The time of day, which tests can move.

use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    /// The system does.
    System,
    /// Tokio does, counted from a moment: with its time paused, tests do.
    #[cfg(test)]
    Tokio(tokio::time::Instant, i64),
}

impl Clock {
    /// Seconds since 1970.
    pub(super) fn now(self) -> i64 {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
            }
            #[cfg(test)]
            Self::Tokio(start, at_start) => {
                at_start + i64::try_from(start.elapsed().as_secs()).unwrap_or(i64::MAX)
            }
        }
    }
}

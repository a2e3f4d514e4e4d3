//! How long things take.
//!
//! Believable by default: a client that does not wait for a machine to be on, or polls a task once and gives up, shall
//! find that out here and not at the first real BMC. In tests nobody wants to wait, hence one factor over all of them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// `[mock.delays]`: how long each transition takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Delays {
    /// What all the others are multiplied by: 0 for none.
    pub scale: f64,
    /// From a start to a machine that is on.
    pub start: f64,
    /// From asking the guest until it is off, or restarts.
    pub shutdown: f64,
    /// After which time a guest that ignores a shutdown is left alone.
    pub patience: f64,
    /// From a forced stop until it is off.
    pub stop: f64,
    /// From a suspend until the memory is saved.
    pub suspend: f64,
    /// How long an image is on its way, where it is not really fetched.
    pub import: f64,
    /// From an eject until the drive is empty.
    pub eject: f64,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            scale: 1.0,
            start: 5.0,
            shutdown: 8.0,
            patience: 60.0,
            stop: 1.0,
            suspend: 3.0,
            import: 10.0,
            eject: 1.0,
        }
    }
}

impl Delays {
    /// The longest that anything may take: a day.
    const MOST: f64 = 86_400.0;

    /// Everything happens at once.
    pub fn none() -> Self {
        Self { scale: 0.0, ..Self::default() }
    }

    /// One of the delays, scaled.
    pub(super) fn of(&self, seconds: f64) -> Duration {
        Duration::try_from_secs_f64((seconds * self.scale).min(Self::MOST)).unwrap_or_default()
    }

    /// The name of one that can't be.
    pub(super) fn wrong(&self) -> Option<&'static str> {
        let Self { scale, start, shutdown, patience, stop, suspend, import, eject } = *self;
        let all = [
            ("scale", scale),
            ("start", start),
            ("shutdown", shutdown),
            ("patience", patience),
            ("stop", stop),
            ("suspend", suspend),
            ("import", import),
            ("eject", eject),
        ];
        all.into_iter().find(|(_, value)| !(0.0..=Self::MOST).contains(value)).map(|(name, _)| name)
    }
}

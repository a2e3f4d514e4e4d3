//! What goes wrong, on demand.
//!
//! Authors of clients need the machine that does not obey and the hypervisor that has a bad day, at the moment of their
//! choice. A fault stays until it is used up or cleared, for one machine or for all.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::media::FetchFailure;

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// The next writes fail, and change nothing.
    Write {
        /// How.
        error: FaultError,
        /// How many; all until it is cleared, if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<u32>,
    },
    /// The next steps of the reconciler fail, and change nothing.
    Step {
        /// How.
        error: FaultError,
        /// How many; all until it is cleared, if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<u32>,
    },
    /// The next imports fail.
    Import {
        /// How.
        failure: FetchFailure,
        /// How many; all until it is cleared, if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<u32>,
    },
    /// Each write takes that much longer.
    Latency {
        /// How long, in seconds.
        seconds: f64,
    },
    /// The guest neither shuts down nor restarts when asked.
    IgnoreShutdown,
    /// What is powering on or off does not get any further.
    HoldPower,
    /// What is being imported does not get any further, where images are not really fetched.
    HoldImports,
}

/// How a write fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultError {
    /// [`Error::NotFound`].
    NotFound,
    /// [`Error::Busy`].
    Busy,
    /// [`Error::Conflict`].
    Conflict,
    /// [`Error::Unsupported`].
    Unsupported,
    /// [`Error::Invalid`].
    Invalid,
    /// [`Error::Denied`].
    Denied,
    /// [`Error::Unavailable`].
    Unavailable,
    /// [`Error::Internal`].
    Internal,
}

impl From<FaultError> for Error {
    fn from(error: FaultError) -> Self {
        const WHY: &str = "A fault was injected";
        match error {
            FaultError::NotFound => Self::no_part("such thing: a fault was injected"),
            FaultError::Busy => Self::busy(),
            FaultError::Conflict => Self::conflict(WHY),
            FaultError::Unsupported => Self::unsupported(WHY),
            FaultError::Invalid => Self::invalid("Fault", WHY),
            FaultError::Denied => Self::denied(WHY),
            FaultError::Unavailable => Self::unavailable(WHY),
            FaultError::Internal => Self::internal(WHY),
        }
    }
}

/// The faults of one machine, or those of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn list(&self) -> &[Fault] {
        &self.0
    }

    pub(super) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub(super) fn has(&self, fault: Fault) -> bool {
        self.0.contains(&fault)
    }

    /// How the next write fails.
    pub(super) fn write(&mut self) -> Option<Error> {
        self.take(|fault| match fault {
            Fault::Write { error, times } => Some((Error::from(*error), times)),
            _ => None,
        })
    }

    /// How the next step fails.
    pub(super) fn step(&mut self) -> Option<Error> {
        self.take(|fault| match fault {
            Fault::Step { error, times } => Some((Error::from(*error), times)),
            _ => None,
        })
    }

    /// How the next import fails.
    pub(super) fn import(&mut self) -> Option<FetchFailure> {
        self.take(|fault| match fault {
            Fault::Import { failure, times } => Some((*failure, times)),
            _ => None,
        })
    }

    /// How much longer each write takes.
    pub(super) fn latency(&self) -> Duration {
        let seconds = self.0.iter().map(|fault| match fault {
            Fault::Latency { seconds } => Duration::try_from_secs_f64(*seconds).unwrap_or_default(),
            _ => Duration::ZERO,
        });
        seconds.fold(Duration::ZERO, Duration::saturating_add).min(Duration::from_secs(3600))
    }

    /// The first that fits, once less from now on.
    fn take<T>(&mut self, fits: impl Fn(&mut Fault) -> Option<(T, &mut Option<u32>)>) -> Option<T> {
        let mut found = None;
        self.0.retain_mut(|fault| {
            if found.is_some() {
                return true;
            }
            let Some((what, times)) = fits(fault) else { return true };
            match times {
                Some(0) => return false,
                Some(left) => *left -= 1,
                None => {}
            }
            let over = *times == Some(0);
            found = Some(what);
            !over
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_used_up() {
        let mut faults = Faults::default();
        assert_eq!(faults.write(), None);
        faults.add(Fault::Write { error: FaultError::Busy, times: Some(2) });
        faults.add(Fault::Write { error: FaultError::Denied, times: None });
        faults.add(Fault::Import { failure: FetchFailure::Status(404), times: Some(1) });
        faults.add(Fault::Import { failure: FetchFailure::TooLarge, times: Some(0) });
        assert_eq!((faults.write(), faults.write()), (Some(Error::busy()), Some(Error::busy())));
        for _ in 0..3 {
            assert!(matches!(faults.write(), Some(Error::Denied { .. })));
        }
        assert_eq!((faults.import(), faults.import()), (Some(FetchFailure::Status(404)), None));
        assert_eq!(faults.step(), None);
        faults.add(Fault::Latency { seconds: 1.5 });
        faults.add(Fault::Latency { seconds: f64::NAN });
        assert_eq!(faults.latency(), Duration::from_millis(1500));
    }

    #[test]
    fn faults_are_plain_in_json() {
        let check = |fault, text: &str| {
            assert_eq!(serde_json::to_string(&fault).unwrap(), text);
            assert_eq!(serde_json::from_str::<Fault>(text).unwrap(), fault);
        };
        check(Fault::IgnoreShutdown, r#"{"fault":"ignore_shutdown"}"#);
        check(
            Fault::Write { error: FaultError::Busy, times: Some(1) },
            r#"{"fault":"write","error":"busy","times":1}"#,
        );
        check(
            Fault::Import { failure: FetchFailure::Status(404), times: None },
            r#"{"fault":"import","failure":{"Status":404}}"#,
        );
    }
}

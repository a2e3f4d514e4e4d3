//! Why a backend did not do what was asked.
//!
//! Eight kinds, since that is how many different things a client can do next: look elsewhere, wait, change the state
//! first, give up, mend the request, ask for rights, wait for the hypervisor, call for help. The service gives each one
//! HTTP status and message id; a backend decides only the kind and says why. Reasons reach clients and logs: they name
//! what is wrong and the remedy, never a secret, and never what another tenant has.

use std::time::Duration;

use crate::text::{Label, Message};

/// Why a read or write of the machine seam failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such machine or part, or it is gone since. Not for what the caller may not see: scopes are the
    /// service's.
    #[error("There is no {what}")]
    NotFound {
        /// What was looked for, such as `machine default.web-1`.
        what: Label,
    },
    /// Another operation on the same machine is at it. The same request may succeed a little later.
    #[error("The machine is busy with another operation; try again in {} s", retry_after.as_secs())]
    Busy {
        /// After what time another attempt makes sense.
        retry_after: Duration,
    },
    /// The machine's state does not allow it (a restart while off), or somebody else changed the same thing meanwhile.
    #[error("{reason}")]
    Conflict {
        /// What state stands against it, and what would help.
        reason: Message,
    },
    /// This machine can never do it as it is configured now. Capabilities say so beforehand.
    #[error("{reason}")]
    Unsupported {
        /// What is lacking, and which configuration would bring it.
        reason: Message,
    },
    /// A value of the request is wrong.
    #[error("{field}: {reason}")]
    Invalid {
        /// Which value, by the name of the field that the caller filled.
        field: Label,
        /// What is wrong with it and what is allowed.
        reason: Message,
    },
    /// Policy, or the hypervisor's own access control, forbids it.
    #[error("{reason}")]
    Denied {
        /// Which rule or missing right stands against it.
        reason: Message,
    },
    /// The hypervisor can't be reached or does not answer in time; nothing is known to have changed.
    #[error("{reason}")]
    Unavailable {
        /// After what time another attempt makes sense.
        retry_after: Duration,
        /// What does not answer.
        reason: Message,
    },
    /// A bug of ours or an answer that makes no sense.
    #[error("{reason}")]
    Internal {
        /// What happened, for the log of the operator.
        reason: Message,
    },
}

impl Error {
    /// [`Error::NotFound`] of a machine.
    pub fn no_machine(id: &crate::MachineId) -> Self {
        Self::NotFound { what: format!("machine {id}").into() }
    }

    /// [`Error::NotFound`] of a part of a machine, such as `media slot cd0`.
    pub fn no_part(what: impl Into<Label>) -> Self {
        Self::NotFound { what: what.into() }
    }

    /// [`Error::Busy`], with the time that an ordinary operation takes.
    pub fn busy() -> Self {
        Self::Busy { retry_after: RETRY_AFTER }
    }

    /// [`Error::Conflict`].
    pub fn conflict(reason: impl Into<Message>) -> Self {
        Self::Conflict { reason: reason.into() }
    }

    /// [`Error::Unsupported`].
    pub fn unsupported(reason: impl Into<Message>) -> Self {
        Self::Unsupported { reason: reason.into() }
    }

    /// [`Error::Invalid`].
    pub fn invalid(field: impl Into<Label>, reason: impl Into<Message>) -> Self {
        Self::Invalid { field: field.into(), reason: reason.into() }
    }

    /// [`Error::Denied`].
    pub fn denied(reason: impl Into<Message>) -> Self {
        Self::Denied { reason: reason.into() }
    }

    /// [`Error::Unavailable`], to be tried again soon.
    pub fn unavailable(reason: impl Into<Message>) -> Self {
        Self::Unavailable { retry_after: RETRY_AFTER, reason: reason.into() }
    }

    /// [`Error::Internal`].
    pub fn internal(reason: impl Into<Message>) -> Self {
        Self::Internal { reason: reason.into() }
    }

    /// Whether the same attempt may succeed later without anybody changing the request: what a reconciler repeats.
    pub const fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Busy { .. }
                | Self::Conflict { .. }
                | Self::Unavailable { .. }
                | Self::Internal { .. }
        )
    }
}

/// What a client is told to wait where nothing better is known.
const RETRY_AFTER: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_bounded_and_escaped() {
        let error = Error::unavailable(format!("dial tcp\r\nX-Evil: 1{}", "x".repeat(5000)));
        let text = error.to_string();
        assert!(text.len() <= 1024 && !text.contains('\n'), "{text}");
    }

    #[test]
    fn only_what_passes_is_repeated() {
        assert!(Error::busy().is_passing() && Error::unavailable("x").is_passing());
        assert!(!Error::denied("x").is_passing() && !Error::invalid("x", "y").is_passing());
    }
}

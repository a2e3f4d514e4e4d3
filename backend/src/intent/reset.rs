//! Accepting a reset: the table, and what is queued.

use std::time::{Duration, SystemTime};

use super::{PowerIntent, Queued, Record, seconds};
use crate::power::{Action, Decision, PowerState, Reset, Until, decide};
use crate::text::Label;
use crate::{Caller, Error};

/// How long a queued reset waits for its time before it is given up: a guest that ignores a shutdown for so long is not
/// going to obey it, and a start out of nowhere the next day would surprise.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What an accepted reset asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The record after it. Keep it, if it differs, *before* acting.
    pub record: Record,
    /// What to do at once.
    pub action: Option<Action>,
}

/// Decides a reset by the [table](decide), where the state is the one that clients see, and what is queued counts.
///
/// The last word counts: a reset replaces what was queued, unless it asks for the same. What would boot the machine
/// waits while a medium is on its way.
///
/// # Errors
/// [`Error::Conflict`] where the table refuses.
pub fn accept_reset(
    record: &Record,
    observed: PowerState,
    run: Option<&Label>,
    reset: Reset,
    caller: &Caller,
    now: SystemTime,
) -> Result<Accepted, Error> {
    let shown = record.shown_power(observed);
    let queued = record.power.as_ref().map(|intent| intent.queued);
    let queue = |queued| {
        let expires = seconds(now).saturating_add(PATIENCE.as_secs());
        Some(PowerIntent { queued, run: run.cloned(), by: caller.into(), expires })
    };
    // A start is queued and the machine is still off: there is nothing yet to stop or to restart.
    let not_begun = observed == PowerState::Off && shown == PowerState::PoweringOn;
    let kept = || record.power.clone();

    let (power, action) = match decide(shown, reset) {
        Decision::Refuse => {
            let reset = reset.as_str();
            return Err(Error::conflict(format!(
                "{reset} is not possible while the machine is {}",
                word(shown)
            )));
        }
        Decision::Nothing => match reset {
            Reset::On | Reset::ForceOn if queued.is_none_or(Queued::boots) => (kept(), None),
            Reset::On | Reset::ForceOn | Reset::ForceOff | Reset::GracefulShutdown => (None, None),
            _ => (kept(), None),
        },
        Decision::Queue(Until::Off, _) => (queue(Queued::Start), None),
        Decision::Queue(Until::Running, _) if not_begun => (None, None),
        Decision::Queue(Until::Running, _) => (queue(Queued::AskShutdown), None),
        Decision::Do(Action::PowerOff) if not_begun => (None, None),
        Decision::Do(Action::Restart) if not_begun => (kept(), None),
        Decision::Do(action) => match boot(action) {
            Some(queued) if record.is_importing() => (queue(queued), None),
            _ => (None, Some(action)),
        },
    };
    Ok(Accepted { record: Record { power, ..record.clone() }, action })
}

/// What is queued in place of an action that boots.
const fn boot(action: Action) -> Option<Queued> {
    match action {
        Action::Start => Some(Queued::Start),
        Action::Restart => Some(Queued::Restart),
        Action::AskRestart => Some(Queued::AskRestart),
        _ => None,
    }
}

/// The state in a sentence.
const fn word(state: PowerState) -> &'static str {
    match state {
        PowerState::On => "on",
        PowerState::Off => "off",
        PowerState::PoweringOn => "powering on",
        PowerState::PoweringOff => "powering off",
        PowerState::Paused => "paused",
    }
}

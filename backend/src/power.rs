//! What a reset does in each power state, for every backend alike.
//!
//! Clients send resets without looking first: a provisioning tool powers off a machine that is off, twice, and asks a
//! machine to start that is still shutting down. What then happens must not depend on the hypervisor, so it is one
//! table, here as a pure function. A backend calls [`decide`] with what it observes, does the [`Action`], and keeps a
//! [`Decision::Queue`] as an intent with the VM. Nothing here waits or talks to anybody.
//!
//! **The last word counts.** Any reset that is not refused replaces what was queued before it: who asks for off after
//! having asked for on wants the machine off.

use serde::{Deserialize, Serialize};

/// `PowerState` of a ComputerSystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PowerState {
    /// It runs.
    On,
    /// It does not run, and nothing is about to start it.
    Off,
    /// A start was accepted and is not complete: also while a queued start waits for its medium.
    PoweringOn,
    /// A stop was accepted and is not complete.
    PoweringOff,
    /// It is loaded, and its processors stand still.
    Paused,
}

impl PowerState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::On, Self::Off, Self::PoweringOn, Self::PoweringOff, Self::Paused];

    /// Whether it stays like this until somebody acts.
    pub const fn is_steady(self) -> bool {
        matches!(self, Self::On | Self::Off | Self::Paused)
    }
}

macro_rules! resets {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// `ResetType` of the action `ComputerSystem.Reset`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Reset {
            $($(#[$doc])* $name,)*
        }

        impl Reset {
            /// All resets, in the order in which they are declared.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }
        }
    };
}

resets! {
    /// Start.
    On,
    /// Start; no different from `On` for a VM.
    ForceOn,
    /// Stop at once.
    ForceOff,
    /// Ask the guest to shut down.
    GracefulShutdown,
    /// Ask the guest to restart.
    GracefulRestart,
    /// Restart at once.
    ForceRestart,
    /// Off and on again: what boots anew reads its configuration anew.
    PowerCycle,
    /// Inject a non-maskable interrupt.
    Nmi,
    /// Stop the processors.
    Pause,
    /// Let them go on.
    Resume,
    /// Save the memory and stop.
    Suspend,
}

/// A set of resets: what a machine offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResetSet(u16);

impl ResetSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// This set with one more.
    #[must_use]
    pub const fn with(self, reset: Reset) -> Self {
        Self(self.0 | 1 << reset as u16)
    }

    /// This set without one.
    #[must_use]
    pub const fn without(self, reset: Reset) -> Self {
        Self(self.0 & !(1 << reset as u16))
    }

    /// Whether it is offered.
    pub const fn contains(self, reset: Reset) -> bool {
        self.0 & (1 << reset as u16) != 0
    }

    /// Those of the set, in the order of [`Reset::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Reset> {
        Reset::ALL.iter().copied().filter(move |reset| self.contains(*reset))
    }
}

impl FromIterator<Reset> for ResetSet {
    fn from_iter<I: IntoIterator<Item = Reset>>(resets: I) -> Self {
        resets.into_iter().fold(Self::NONE, Self::with)
    }
}

/// What the hypervisor is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Action {
    /// Start the machine; with a medium still on its way, when that has settled.
    Start,
    /// Off now, also in the middle of a graceful stop.
    PowerOff,
    /// Ask the guest to shut down.
    AskShutdown,
    /// Ask the guest to restart.
    AskRestart,
    /// Off and on at once.
    Restart,
    /// Inject the interrupt.
    InjectNmi,
    /// Stop the processors.
    Pause,
    /// Let them go on.
    Resume,
    /// Let them go on, then ask the guest to shut down: one that stands still hears nothing.
    ResumeThenAskShutdown,
    /// Save the memory and stop.
    SaveAndStop,
}

/// What a queued action waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Until {
    /// The machine is off.
    Off,
    /// The machine runs.
    Running,
}

/// What is to be done about a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// It is so already, or on its way: success.
    Nothing,
    /// Do this now: success when it is accepted.
    Do(Action),
    /// Record it, and do it when the time has come: success when it is recorded.
    Queue(Until, Action),
    /// The state does not allow it: a conflict.
    Refuse,
}

/// The table: one row for each reset, one column for each state.
pub const fn decide(state: PowerState, reset: Reset) -> Decision {
    use Action::{
        AskRestart, AskShutdown, InjectNmi, Pause, PowerOff, Restart, Resume,
        ResumeThenAskShutdown, SaveAndStop, Start,
    };
    use Decision::{Do, Nothing, Queue, Refuse};
    use PowerState::{Off, On, Paused, PoweringOff, PoweringOn};

    match reset {
        Reset::On | Reset::ForceOn => match state {
            On | PoweringOn => Nothing,
            Off => Do(Start),
            PoweringOff => Queue(Until::Off, Start),
            Paused => Do(Resume),
        },
        Reset::ForceOff => match state {
            Off => Nothing,
            On | PoweringOn | PoweringOff | Paused => Do(PowerOff),
        },
        Reset::GracefulShutdown => match state {
            On => Do(AskShutdown),
            Off | PoweringOff => Nothing,
            PoweringOn => Queue(Until::Running, AskShutdown),
            Paused => Do(ResumeThenAskShutdown),
        },
        Reset::ForceRestart | Reset::PowerCycle => match state {
            On | PoweringOn | Paused => Do(Restart),
            Off => Do(Start),
            PoweringOff => Queue(Until::Off, Start),
        },
        Reset::GracefulRestart => match state {
            On => Do(AskRestart),
            Off | PoweringOn | PoweringOff | Paused => Refuse,
        },
        Reset::Nmi => match state {
            On => Do(InjectNmi),
            Off | PoweringOn | PoweringOff | Paused => Refuse,
        },
        Reset::Pause => match state {
            On => Do(Pause),
            Paused => Nothing,
            Off | PoweringOn | PoweringOff => Refuse,
        },
        Reset::Resume => match state {
            On => Nothing,
            Paused => Do(Resume),
            Off | PoweringOn | PoweringOff => Refuse,
        },
        Reset::Suspend => match state {
            On | Paused => Do(SaveAndStop),
            Off | PoweringOn | PoweringOff => Refuse,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as it is published, word by word.
    const TABLE: &str = "
        |                          | On            | Off   | PoweringOn       | PoweringOff                  | Paused         |
        | On                       | done, 204     | start | 204              | queued until off, then start | resume         |
        | ForceOn                  | done, 204     | start | 204              | queued until off, then start | resume         |
        | ForceOff                 | off now       | 204   | off now          | off now                      | off now        |
        | GracefulShutdown         | ask           | 204   | ask when running | 204                          | resume, ask    |
        | ForceRestart             | restart       | start | restart          | start when off               | restart        |
        | PowerCycle               | restart       | start | restart          | start when off               | restart        |
        | GracefulRestart          | ask, restart  | 409   | 409              | 409                          | 409            |
        | Nmi                      | inject        | 409   | 409              | 409                          | 409            |
        | Pause                    | pause         | 409   | 409              | 409                          | 204            |
        | Resume                   | 204           | 409   | 409              | 409                          | resume         |
        | Suspend                  | save and stop | 409   | 409              | 409                          | save and stop  |
    ";

    fn read(cell: &str) -> Decision {
        match cell {
            "204" | "done, 204" => Decision::Nothing,
            "409" => Decision::Refuse,
            "start" => Decision::Do(Action::Start),
            "queued until off, then start" | "start when off" => {
                Decision::Queue(Until::Off, Action::Start)
            }
            "resume" => Decision::Do(Action::Resume),
            "off now" => Decision::Do(Action::PowerOff),
            "ask" => Decision::Do(Action::AskShutdown),
            "ask when running" => Decision::Queue(Until::Running, Action::AskShutdown),
            "resume, ask" => Decision::Do(Action::ResumeThenAskShutdown),
            "restart" => Decision::Do(Action::Restart),
            "ask, restart" => Decision::Do(Action::AskRestart),
            "inject" => Decision::Do(Action::InjectNmi),
            "pause" => Decision::Do(Action::Pause),
            "save and stop" => Decision::Do(Action::SaveAndStop),
            other => panic!("no such cell: {other:?}"),
        }
    }

    #[test]
    fn the_function_is_the_table() {
        let rows: Vec<Vec<&str>> = TABLE
            .lines()
            .filter(|line| line.contains('|'))
            .map(|line| line.trim().trim_matches('|').split('|').map(str::trim).collect())
            .collect();
        let header: Vec<String> =
            PowerState::ALL.iter().map(|state| format!("{state:?}")).collect();
        assert_eq!(rows[0][1..], header);
        assert_eq!(rows.len(), 1 + Reset::ALL.len());
        for reset in Reset::ALL {
            let row = rows.iter().find(|row| row[0] == reset.as_str()).unwrap();
            for (state, cell) in PowerState::ALL.into_iter().zip(&row[1..]) {
                assert_eq!(decide(state, *reset), read(cell), "{} while {state:?}", reset.as_str());
            }
        }
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: ResetSet = [Reset::Suspend, Reset::On].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Reset::On, Reset::Suspend]);
        assert!(!set.contains(Reset::ForceOn) && !set.without(Reset::On).contains(Reset::On));
        let all: ResetSet = Reset::ALL.iter().copied().collect();
        assert_eq!(all.iter().count(), Reset::ALL.len());
    }
}

//! What happened, for who tests a client: which writes it sent, and what came of them.

use std::collections::VecDeque;
use std::time::SystemTime;

use serde::Serialize;

use crate::media::FetchFailure;
use crate::power::PowerState;
use crate::text::{Label, Message};
use crate::{Caller, MachineId, PartId};

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JournalEntry {
    /// Counts up, from 1. A gap at the beginning means that older entries were dropped.
    pub sequence: u64,
    /// When, in milliseconds since 1970 by the mock's clock.
    pub time_ms: u64,
    /// Which machine.
    pub machine: MachineId,
    /// What.
    #[serde(flatten)]
    pub what: Happened,
}

/// What happened to a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happened {
    /// A write was asked for.
    Asked {
        /// Which, in a few words: `reset ForceOff`.
        write: Label,
        /// Who asked.
        account: Label,
        /// From where.
        #[serde(skip_serializing_if = "Option::is_none")]
        address: Option<std::net::IpAddr>,
        /// The id of the request.
        request_id: Label,
    },
    /// A write was refused.
    Refused {
        /// Which.
        write: Label,
        /// Why.
        error: Message,
    },
    /// The power state that clients would see without what is queued.
    Power {
        /// The state before.
        from: PowerState,
        /// The state after.
        to: PowerState,
    },
    /// A new run began.
    Booted {
        /// The number of the run.
        run: u64,
        /// From what; none when there was nothing to boot from.
        source: BootSource,
    },
    /// The guest was asked to shut down or restart, and did not.
    GuestIgnored,
    /// A non-maskable interrupt was injected.
    Nmi,
    /// An image is on its way.
    MediumImporting {
        /// Into which slot.
        slot: PartId,
        /// Which, without its query.
        image: Label,
    },
    /// An image can be used.
    MediumAttached {
        /// In which slot.
        slot: PartId,
        /// Which, without its query.
        image: Label,
    },
    /// An image will never be there.
    MediumFailed {
        /// In which slot.
        slot: PartId,
        /// Which, without its query.
        image: Label,
        /// Why.
        failure: FetchFailure,
    },
    /// A drive was emptied.
    MediumDetached {
        /// Which.
        slot: PartId,
    },
    /// The reconciler gave something up.
    GaveUp {
        /// What and why.
        reason: Message,
    },
    /// The machine came to be.
    Added,
    /// It is as it was at the beginning.
    BackToStart,
    /// It is gone.
    Removed,
}

/// From what a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BootSource {
    /// From this boot option.
    Option(PartId),
    /// It stopped in the setup of the firmware.
    Setup,
    /// From the memory that was saved.
    SavedMemory,
    /// There was nothing to boot from.
    Nothing,
}

/// The last entries.
#[derive(Debug)]
pub(super) struct Journal {
    entries: VecDeque<JournalEntry>,
    most: usize,
    sequence: u64,
}

impl Journal {
    pub(super) fn new(most: usize) -> Self {
        Self { entries: VecDeque::new(), most, sequence: 0 }
    }

    pub(super) fn add(&mut self, now: SystemTime, machine: &MachineId, what: Happened) {
        self.sequence += 1;
        if self.most == 0 {
            return;
        }
        if self.entries.len() >= self.most {
            self.entries.pop_front();
        }
        let passed = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time_ms = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
        let (sequence, machine) = (self.sequence, machine.clone());
        self.entries.push_back(JournalEntry { sequence, time_ms, machine, what });
    }

    /// Those after that number.
    pub(super) fn after(&self, sequence: u64) -> Vec<JournalEntry> {
        let begin = self.entries.partition_point(|entry| entry.sequence <= sequence);
        self.entries.range(begin..).cloned().collect()
    }
}

impl Happened {
    pub(super) fn asked(write: &str, caller: &Caller) -> Self {
        let Caller { account, address, request_id } = caller.clone();
        Self::Asked { write: write.into(), account, address, request_id }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entries_go() {
        let mut journal = Journal::new(3);
        let id = MachineId::new("a").unwrap();
        for _ in 0..5 {
            journal.add(SystemTime::UNIX_EPOCH, &id, Happened::Nmi);
        }
        let numbers = |after| journal.after(after).iter().map(|e| e.sequence).collect::<Vec<_>>();
        assert_eq!(numbers(0), [3, 4, 5]);
        assert_eq!(numbers(4), [5]);
        assert!(numbers(5).is_empty());
        let text = serde_json::to_string(&journal.after(4)).unwrap();
        assert_eq!(text, r#"[{"sequence":5,"time_ms":0,"machine":"a","event":"nmi"}]"#);
    }
}

//! What was removed, so that a late event brings nothing back.
//!
//! Bounded: the oldest are forgotten, and what then comes back goes with the next [`Feed::sync`](super::Feed::sync).

use std::collections::{HashMap, VecDeque};

use super::own;
use crate::MachineId;
use crate::machine::Revision;

/// When machines were removed.
#[derive(Default)]
pub(super) struct Graves {
    pub(super) removed: HashMap<MachineId, u64>,
    pub(super) order: VecDeque<MachineId>,
}

impl Graves {
    pub(super) const MOST: usize = 4096;

    pub(super) fn bury(&mut self, id: &MachineId, revision: Revision) {
        if let Some(known) = self.removed.get_mut(id) {
            *known = own(revision).max(*known);
            return;
        }
        self.removed.insert(id.clone(), own(revision));
        self.order.push_back(id.clone());
        if self.order.len() > Self::MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.removed.remove(&oldest);
        }
    }

    pub(super) fn holds(&self, id: &MachineId, revision: Revision) -> bool {
        self.removed.get(id).is_some_and(|removed| own(revision) <= *removed)
    }
}

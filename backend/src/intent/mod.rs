//! What was promised about a machine and is not done yet.
//!
//! A start that waits for a shutdown, a boot order to be put back after the next boot, an import of minutes: whoever
//! asked got success, and the process that gave it may be gone before the work is done. So each promise is first written
//! into a [`Record`] that lies with the machine (an annotation, domain metadata), and one reconciler reads it back and
//! drives it ([`plan`] says how). Nothing else remembers anything, hence crash, restart, replicas and races need no code of
//! their own.
//!
//! The record lies where the machine's owner can write. It is bounded, versioned and checked when read; a damaged one is
//! reported and neither obeyed nor overwritten. It holds no secret.

mod planner;
mod reset;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

pub use planner::{Effect, ObjectState, Observed, Plan, plan};
pub use reset::{Accepted, accept_reset};

use crate::machine::BootOverride;
use crate::media::FetchFailure;
use crate::outbound::ImageUrl;
use crate::power::{Action, PowerState};
use crate::text::Label;
use crate::{Caller, Error, PartId};

/// Everything that is kept with one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Record {
    /// A reset whose time has not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerIntent>,
    /// The boot override, and what it hides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<BootIntent>,
    /// What is in the slots, or on its way there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub media: BTreeMap<PartId, MediaIntent>,
    /// Objects of ours that have to go, and the slot each is in.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub removals: BTreeMap<PartId, PartId>,
    /// Why the last medium of a slot vanished: the number of its insertion, and what was wrong.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<PartId, (u64, FetchFailure)>,
    /// How many insertions there were.
    pub insertions: u64,
}

/// A queued reset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerIntent {
    /// What is to happen.
    pub queued: Queued,
    /// In which run of the machine it was asked for; see [`Observed::run`].
    pub run: Option<Label>,
    /// Who asked.
    pub by: Origin,
    /// When it is given up, in seconds since 1970.
    pub expires: u64,
}

/// What can be queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Queued {
    /// Start, once the machine is off and its media have arrived.
    Start,
    /// Restart, once its media have arrived.
    Restart,
    /// Ask the guest to restart, once its media have arrived.
    AskRestart,
    /// Ask the guest to shut down, once it runs.
    AskShutdown,
}

impl Queued {
    /// What is done when its time comes.
    pub const fn action(self) -> Action {
        match self {
            Self::Start => Action::Start,
            Self::Restart => Action::Restart,
            Self::AskRestart => Action::AskRestart,
            Self::AskShutdown => Action::AskShutdown,
        }
    }

    /// Whether a boot comes of it.
    pub const fn boots(self) -> bool {
        matches!(self, Self::Start | Self::Restart | Self::AskRestart)
    }
}

/// A boot override and what has to be put back after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootIntent {
    /// The override.
    #[serde(rename = "override")]
    pub override_: BootOverride,
    /// The owner's order as it was before.
    pub saved: Vec<PartId>,
    /// In which run of the machine it was set: the first other run consumes an override for once.
    pub run: Option<Label>,
}

/// A medium of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediaIntent {
    /// The number of the insertion.
    pub insertion: u64,
    /// Where the image comes from.
    pub image: ImageUrl,
    /// Whether the guest can't write to it.
    pub write_protected: bool,
    /// The name of the object that is the medium: chosen, unique, before the object is made.
    pub object: PartId,
    /// Where the backend keeps the credentials, under a name of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub credentials: Option<PartId>,
    /// How far it has come.
    pub stage: Stage,
}

/// How far a medium has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// It was accepted.
    Accepted,
    /// The import was begun: from now on a missing object is one that somebody took away.
    Begun,
    /// The guest can use it.
    Usable,
}

/// A [`Caller`], as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    account: Label,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    address: Option<IpAddr>,
    request_id: Label,
}

impl From<&Caller> for Origin {
    fn from(caller: &Caller) -> Self {
        Self {
            account: caller.account.clone(),
            address: caller.address,
            request_id: caller.request_id.clone(),
        }
    }
}

impl From<&Origin> for Caller {
    fn from(origin: &Origin) -> Self {
        Self {
            account: origin.account.clone(),
            address: origin.address,
            request_id: origin.request_id.clone(),
        }
    }
}

/// Why a stored record can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damaged {
    /// It is larger than any that we write.
    #[error("The record is too large")]
    TooLarge,
    /// A later version of ours wrote it.
    #[error("The record has version {0}, which this program does not know")]
    Newer(u32),
    /// It is no record.
    #[error("The record can't be read")]
    Malformed,
}

#[derive(Serialize)]
struct Stored<'a> {
    v: u32,
    record: &'a Record,
}

#[derive(Deserialize)]
struct Version {
    v: u32,
}

#[derive(Deserialize)]
struct Kept {
    record: Record,
}

impl Record {
    /// The version that we write.
    pub const VERSION: u32 = 1;
    /// The most bytes that a record has.
    pub const MAX_BYTES: usize = 16 << 10;

    /// The text to keep.
    ///
    /// # Errors
    /// [`Error::Conflict`] when it would be too large: too much was promised that is not done yet.
    pub fn encode(&self) -> Result<String, Error> {
        let text = serde_json::to_string(&Stored { v: Self::VERSION, record: self })
            .map_err(|error| Error::internal(format!("A record can't be written: {error}")))?;
        if text.len() > Self::MAX_BYTES {
            return Err(Error::conflict(
                "Too many operations on this machine are waiting; try again when some are done",
            ));
        }
        Ok(text)
    }

    /// Reads a kept text.
    ///
    /// # Errors
    /// [`Damaged`]: then nothing is known about what was promised, and nothing may be overwritten.
    pub fn decode(text: &str) -> Result<Self, Damaged> {
        if text.len() > Self::MAX_BYTES {
            return Err(Damaged::TooLarge);
        }
        let Version { v } = serde_json::from_str(text).map_err(|_| Damaged::Malformed)?;
        match v {
            0 => return Err(Damaged::Malformed),
            Self::VERSION => {}
            newer => return Err(Damaged::Newer(newer)),
        }
        let Kept { record } = serde_json::from_str(text).map_err(|_| Damaged::Malformed)?;
        if record.is_consistent() { Ok(record) } else { Err(Damaged::Malformed) }
    }

    /// Whether nothing is promised and nothing kept: the text need not be there at all.
    pub fn is_empty(&self) -> bool {
        // The count of insertions is kept: a task may still wait for one of them.
        *self == Self::default()
    }

    /// The power state that clients see: a machine that is about to start is powering on already.
    pub fn shown_power(&self, observed: PowerState) -> PowerState {
        use PowerState::{Off, On, Paused};
        match (self.power.as_ref().map(|intent| intent.queued), observed) {
            (Some(Queued::Start), Off)
            | (Some(Queued::Restart), Off | On | Paused)
            | (Some(Queued::AskRestart), On) => PowerState::PoweringOn,
            _ => observed,
        }
    }

    /// Records an insert that [`media::insert`](crate::media::insert) wants done, in place of what the slot has.
    /// `object` is the name of the object to be made, which no other has or had.
    ///
    /// # Errors
    /// [`Error::Internal`] when the name is not new.
    pub fn insert(
        &mut self,
        slot: PartId,
        image: &crate::outbound::ImageSource,
        object: PartId,
        credentials: Option<PartId>,
    ) -> Result<u64, Error> {
        if self.knows(&object) {
            return Err(Error::internal(format!("There already is an object {object}")));
        }
        self.eject(&slot);
        self.insertions += 1;
        let intent = MediaIntent {
            insertion: self.insertions,
            image: image.url().clone(),
            write_protected: image.write_protected(),
            object,
            credentials,
            stage: Stage::Accepted,
        };
        self.media.insert(slot, intent);
        Ok(self.insertions)
    }

    /// Records an eject.
    pub fn eject(&mut self, slot: &PartId) {
        self.failures.remove(slot);
        if let Some(medium) = self.media.remove(slot) {
            self.removals.insert(medium.object, slot.clone());
        }
    }

    /// Whether any medium is on its way.
    pub fn is_importing(&self) -> bool {
        self.media.values().any(|medium| medium.stage < Stage::Usable)
    }

    /// Whether an object is one of the record's.
    fn knows(&self, object: &PartId) -> bool {
        self.removals.contains_key(object)
            || self.media.values().any(|medium| medium.object == *object)
    }

    /// No object twice, no number that was not given out.
    fn is_consistent(&self) -> bool {
        let mut objects: Vec<_> =
            self.media.values().map(|medium| &medium.object).chain(self.removals.keys()).collect();
        let all = objects.len();
        objects.sort();
        objects.dedup();
        let given = |number: u64| (1..=self.insertions).contains(&number);
        objects.len() == all
            && self.media.values().all(|medium| given(medium.insertion))
            && self.failures.values().all(|(insertion, _)| given(*insertion))
    }
}

/// A moment as records have it.
pub fn seconds(moment: SystemTime) -> u64 {
    moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

#[cfg(test)]
mod tests;

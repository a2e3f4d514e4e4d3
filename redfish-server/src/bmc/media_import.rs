//! An import, from the accepted insert to the end: followed by a Task, waited for by the answer.
//!
//! The watching goes on by itself, whether or not the answer still waits or the client still listens.
//! What it looks at is the snapshot only: the backend has promised to finish or to say why not.

use std::sync::Arc;

use http::StatusCode;
use redfish_backend::machine::{Machine, MediumPhase};
use redfish_backend::media::FetchFailure;
use redfish_backend::outbound::ImageUrl;
use redfish_backend::snapshot::{Change, Changes, Snapshot};
use redfish_backend::{Label, MachineId, PartId};
use tokio::sync::oneshot;

use super::TaskHandle;
use super::refusal::explain;
use crate::error::Error;
use crate::message::Message;
use crate::messages;

/// Which medium it is about.
#[derive(Clone, Debug)]
pub(super) struct Import {
    machine: MachineId,
    uid: Option<Label>,
    slot: PartId,
    insertion: Option<u64>,
    url: ImageUrl,
}

/// How far an import has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It goes on.
    Going(Option<u8>),
    /// The medium can be used, or waits for the next start.
    Done,
    /// There is no medium.
    Failed(FetchFailure),
}

impl Import {
    /// What an accepted insert has put into a slot.
    pub(super) fn begun(machine: &Machine, slot: &PartId, url: ImageUrl) -> Self {
        let found = machine.slot(slot).ok();
        let insertion = found.and_then(|slot| match (&slot.medium, slot.failure) {
            (Some(medium), _) => Some(medium.insertion),
            (None, failure) => failure.map(|(insertion, _)| insertion),
        });
        let (machine, uid) = (machine.id.clone(), machine.identity.uid.clone());
        Self { machine, uid, slot: slot.clone(), insertion, url }
    }

    /// The machine that it is on.
    pub(super) fn machine(&self) -> &MachineId {
        &self.machine
    }

    /// The slot that it is for.
    pub(super) fn slot(&self) -> &PartId {
        &self.slot
    }

    /// How far it has come, as a machine shows it.
    pub(super) fn step(&self, machine: &Machine) -> Step {
        let slot = machine.slot(&self.slot).ok().filter(|_| machine.identity.uid == self.uid);
        let Some(slot) = slot else { return Step::Failed(FetchFailure::Removed) };
        match (&slot.medium, slot.failure) {
            (Some(medium), _) if Some(medium.insertion) == self.insertion => match medium.phase {
                MediumPhase::Importing { percent } => Step::Going(percent),
                MediumPhase::Staged | MediumPhase::Usable => Step::Done,
            },
            (_, Some((insertion, why))) if Some(insertion) == self.insertion => Step::Failed(why),
            _ => Step::Failed(FetchFailure::Removed),
        }
    }

    /// Follows it to its end, which the task and whoever waits for it are told.
    pub(super) async fn follow(
        self,
        snapshot: Snapshot,
        mut changes: Changes,
        task: Arc<dyn TaskHandle>,
        ended: oneshot::Sender<Result<(), FetchFailure>>,
    ) {
        let mut shown = None;
        let end = loop {
            let machine = snapshot.get(&self.machine);
            match machine.map_or(Step::Failed(FetchFailure::Removed), |m| self.step(&m)) {
                Step::Going(percent) => {
                    if percent != shown
                        && let Some(percent) = percent
                    {
                        task.progress(percent);
                    }
                    shown = percent;
                }
                Step::Done => break Ok(()),
                Step::Failed(why) => break Err(why),
            }
            if !self.next_look(&mut changes).await {
                break Err(FetchFailure::Interrupted);
            }
        };
        match end {
            Ok(()) => task.complete(),
            Err(why) => task.fail(self.message(why)),
        }
        // An error is only that nobody waits any more.
        let _ = ended.send(end);
    }

    /// Waits until its machine may be another one; false when there are no changes any more.
    async fn next_look(&self, changes: &mut Changes) -> bool {
        loop {
            match changes.next().await {
                Some(Change::Updated { now, .. }) if now.id == self.machine => return true,
                Some(Change::Removed(gone)) if gone.id == self.machine => return true,
                Some(Change::Lagged(_)) => return true,
                Some(_) => {}
                None => return false,
            }
        }
    }

    /// The answer to who waited for it.
    pub(super) fn error(&self, why: FetchFailure) -> Error {
        let status = match why {
            FetchFailure::NoSpace => StatusCode::INSUFFICIENT_STORAGE,
            FetchFailure::Removed => StatusCode::CONFLICT,
            FetchFailure::Attach | FetchFailure::Interrupted => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        Error::new(status, self.message(why))
    }

    /// Why it failed. The URL stands there without its query, which may be a signature.
    fn message(&self, why: FetchFailure) -> Message {
        let url = self.url.for_log();
        let reason = why.to_string();
        let message = match why {
            FetchFailure::Unreachable | FetchFailure::Certificate => {
                messages::could_not_establish_connection(url)
            }
            FetchFailure::Credentials => {
                messages::resource_at_uri_unauthorized(url, reason.as_str())
            }
            FetchFailure::Status(_) => messages::resource_missing_at_uri(url),
            FetchFailure::Incomplete | FetchFailure::Checksum => {
                messages::resource_at_uri_in_unknown_format(url)
            }
            FetchFailure::TooLarge | FetchFailure::NoSpace => messages::insufficient_storage(),
            FetchFailure::TooSlow => messages::operation_timeout(),
            FetchFailure::Attach | FetchFailure::Removed | FetchFailure::Interrupted => {
                messages::operation_failed()
            }
        };
        explain(message, format!("{reason}: {url}"))
    }
}

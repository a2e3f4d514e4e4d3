//! What the reconciler does at the pretended hypervisor.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::MockBackend;
use super::config::MockMedia;
use super::journal::Happened;
use super::world::World;
use crate::backend::BoxFuture;
use crate::fetch::Fetcher;
use crate::intent::{Effect, MediaIntent, Record};
use crate::media::FetchFailure;
use crate::outbound::{ImageOptions, ImageSource, ImageUrl};
use crate::reconcile::{Driver, Outcome, Situation};
use crate::text::Label;
use crate::{Error, MachineId, PartId};

/// How images are to be fetched that are on their way, by machine and object. Credentials are in memory only: who comes
/// after a restart has to ask for them again.
#[derive(Default)]
pub(super) struct Vault(Mutex<HashMap<(MachineId, PartId), ImageSource>>);

impl Vault {
    fn lock(&self) -> MutexGuard<'_, HashMap<(MachineId, PartId), ImageSource>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn put(&self, id: &MachineId, object: &PartId, source: ImageSource) {
        self.lock().insert((id.clone(), object.clone()), source);
    }

    pub(super) fn get(&self, id: &MachineId, object: &PartId) -> Option<ImageSource> {
        self.lock().get(&(id.clone(), object.clone())).cloned()
    }

    pub(super) fn remove(&self, id: &MachineId, object: &PartId) {
        self.lock().remove(&(id.clone(), object.clone()));
    }
}

/// The way to the hypervisor.
pub(super) struct Wire {
    world: Arc<World>,
    fetcher: Arc<Fetcher>,
    vault: Arc<Vault>,
}

impl Wire {
    pub(super) const fn new(world: Arc<World>, fetcher: Arc<Fetcher>, vault: Arc<Vault>) -> Self {
        Self { world, fetcher, vault }
    }

    async fn saved(&self, id: &MachineId) -> Result<(), Error> {
        match &self.world.store {
            Some(store) => store.saved(self.world.revision(id)).await,
            None => Ok(()),
        }
    }

    fn import(
        &self,
        id: &MachineId,
        slot: &PartId,
        medium: &MediaIntent,
    ) -> Result<Outcome, Error> {
        let known = self.vault.get(id, &medium.object);
        let source = match known {
            Some(source) => source,
            None if medium.credentials.is_some() => {
                return Ok(Outcome::Failed(FetchFailure::Interrupted));
            }
            None => match rebuilt(&self.fetcher, &medium.image, medium.write_protected) {
                Ok(source) => source,
                Err(failure) => return Ok(Outcome::Failed(failure)),
            },
        };
        let begun =
            self.world.change(id, |domain, around| Ok(domain.import(slot, medium, around)))?;
        if begun && self.world.media() == MockMedia::Fetch {
            fetch(&self.world, &self.fetcher, id, &medium.object, source);
        }
        Ok(Outcome::Done)
    }
}

/// How an image is fetched of which no more is known than the record has.
fn rebuilt(
    fetcher: &Fetcher,
    image: &ImageUrl,
    write_protected: bool,
) -> Result<ImageSource, FetchFailure> {
    let options = ImageOptions { write_protected, ..ImageOptions::default() };
    // The policy may have changed since: as if it could not be reached.
    fetcher.policy().image(image.as_str(), options).map_err(|_| FetchFailure::Unreachable)
}

/// Fetches an image and tells the world how far that is.
fn fetch(
    world: &Arc<World>,
    fetcher: &Arc<Fetcher>,
    id: &MachineId,
    object: &PartId,
    source: ImageSource,
) {
    let task = tokio::spawn({
        let (world, fetcher) = (Arc::clone(world), Arc::clone(fetcher));
        let (id, object) = (id.clone(), object.clone());
        async move {
            let mut shown = None;
            let mut each = |_: &[u8], received: crate::fetch::Received| {
                let percent = received.percent();
                if percent != shown {
                    shown = percent;
                    // An object that is gone meanwhile ends this task.
                    let _ = world.change(&id, |domain, _| {
                        domain.progress(&object, percent);
                        Ok(())
                    });
                }
                Ok(())
            };
            let result = fetcher.fetch(&source, &mut each).await.map(|_| ());
            let _ = world.change(&id, |domain, around| {
                domain.imported(&object, result, around);
                Ok(())
            });
        }
    });
    world.fetching(id, object, task.abort_handle());
}

impl MockBackend {
    /// Fetches again what was being fetched when the process ended.
    pub(super) fn resume_fetches(&self) {
        if self.world.media() != MockMedia::Fetch {
            return;
        }
        for (id, object, image, write_protected, secret) in self.world.importing() {
            match rebuilt(&self.fetcher, &image, write_protected) {
                Ok(source) if !secret => fetch(&self.world, &self.fetcher, &id, &object, source),
                failed => {
                    let failure = failed.err().unwrap_or(FetchFailure::Interrupted);
                    let _ = self.world.change(&id, |domain, around| {
                        domain.imported(&object, Err(failure), around);
                        Ok(())
                    });
                }
            }
        }
    }
}

impl Driver for Wire {
    fn look<'a>(&'a self, id: &'a MachineId) -> BoxFuture<'a, Result<Option<Situation>, Error>> {
        Box::pin(async move {
            self.world.reachable()?;
            let sight = match self.world.look(id) {
                Ok(sight) => sight,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            let situation = |record| Situation {
                record,
                version: sight.version.clone(),
                observed: sight.observed.clone(),
            };
            Ok(sight.record.ok().map(situation))
        })
    }

    fn keep<'a>(
        &'a self,
        id: &'a MachineId,
        record: &'a Record,
        version: &'a Label,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            self.world.reachable()?;
            self.world.keep(id, record, version, |_| {})?;
            self.saved(id).await
        })
    }

    fn apply<'a>(
        &'a self,
        id: &'a MachineId,
        effect: &'a Effect,
    ) -> BoxFuture<'a, Result<Outcome, Error>> {
        Box::pin(async move {
            self.world.reachable()?;
            let fault = self.world.change(id, |domain, around| {
                Ok(domain.faults.step().or_else(|| around.faults.step()))
            })?;
            if let Some(error) = fault {
                return Err(error);
            }
            let outcome = match effect {
                Effect::Power { action, .. } => {
                    self.world.change(id, |domain, around| domain.act(*action, around))?;
                    Outcome::Done
                }
                Effect::RestoreBoot(order) => {
                    self.world.change(id, |domain, _| {
                        domain.state.order.clone_from(order);
                        domain.state.setup = false;
                        Ok(())
                    })?;
                    Outcome::Done
                }
                Effect::Import { slot, medium } => self.import(id, slot, medium)?,
                Effect::Remove { object, .. } => {
                    self.vault.remove(id, object);
                    self.world.change(id, |domain, around| {
                        domain.remove(object, around);
                        Ok(())
                    })?;
                    Outcome::Done
                }
            };
            self.saved(id).await?;
            Ok(outcome)
        })
    }

    fn gave_up(&self, id: &MachineId, effect: &Effect, error: &Error) {
        let what = match effect {
            Effect::Power { action, .. } => format!("{action:?}: {error}"),
            Effect::RestoreBoot(_) => format!("The boot order was not restored: {error}"),
            Effect::Import { slot, .. } => format!("The import into {slot}: {error}"),
            Effect::Remove { object, .. } => format!("The removal of {object}: {error}"),
        };
        self.world.tell(id, Happened::GaveUp { reason: what.into() });
    }
}

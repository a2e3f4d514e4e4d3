//! Machines that are only pretended, for who writes clients and for who tests this service.
//!
//! The mock is a backend like any other: a snapshot that a watch feeds, writes that take locks and record intents, the
//! reconciler that drives them. Nothing of that is left out because it would be easier here, so what holds for the mock
//! has been shown to be possible. What is pretended is the hypervisor behind it (`world`, `domain`): machines that take
//! time to start, guests that obey or do not, images that arrive in steps.
//!
//! [`MockBackend`] is for the service, [`MockControl`] for who wants something to happen: faults, slowness, another time,
//! and a journal of what the clients did.
//!
//! ```
//! # async fn example() -> Result<(), redfish_backend::Error> {
//! use redfish_backend::mock::{MockBackend, MockConfig};
//! use redfish_backend::power::Reset;
//! use redfish_backend::{Caller, MachineBackend, MachineId};
//!
//! let backend = MockBackend::start(MockConfig::instant(3), Default::default()).await?;
//! let machine = MachineId::new("vm-1")?;
//! backend.reset(&machine, Reset::On, &Caller::internal("example")).await?;
//! # Ok(())
//! # }
//! ```

mod backend;
mod config;
mod control;
mod delays;
mod domain;
mod faults;
mod journal;
mod persist;
mod render;
mod state;
mod template;
mod wire;
mod world;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::SystemTime;

use tokio::task::AbortHandle;

pub use config::{
    DiskConfig, Feature, MachineConfig, MockConfig, MockMedia, NicConfig, ProcessorConfig,
    SlotConfig, SlotKind,
};
pub use control::MockControl;
pub use delays::Delays;
pub use faults::{Fault, FaultError};
pub use journal::{BootSource, Happened, JournalEntry};
pub use world::Source;

use crate::fetch::Fetcher;
use crate::lock::MachineLocks;
use crate::reconcile::{Reconciler, Settings};
use crate::snapshot::Feed;
use crate::{Clock, Error};
use wire::{Vault, Wire};
use world::World;

/// The pretended machines, as a backend. Dropping it ends what it does; with `persist` the machines stay.
pub struct MockBackend {
    world: Arc<World>,
    feed: Arc<Feed>,
    locks: Arc<MachineLocks>,
    vault: Arc<Vault>,
    fetcher: Arc<Fetcher>,
    reconciler: Arc<Reconciler>,
    reconciling: Task,
    /// What the pretended hypervisor does by itself, shared with who comes after a restart.
    living: Arc<[Task]>,
}

/// A task that ends with its owner.
struct Task(AbortHandle);

impl Task {
    fn spawn(future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(future).abort_handle())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl MockBackend {
    /// Makes the machines, and reads those that outlived another process. Images come through the fetcher, and pass its
    /// policy even when nothing is fetched.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the key that is wrong or the file that is damaged; [`Error::Conflict`] when two machines
    /// have the same name; [`Error::Unavailable`] when the folder can't be written to.
    pub async fn start(config: MockConfig, fetcher: Arc<Fetcher>) -> Result<Self, Error> {
        let kept = match &config.persist {
            None => Vec::new(),
            Some(folder) => {
                let folder = folder.clone();
                let read = tokio::task::spawn_blocking(move || persist::read(&folder)).await;
                read.map_err(|_| Error::internal("Reading the folder of the mock ended early"))??
            }
        };
        let clock = Clock::driven(SystemTime::now());
        let world = Arc::new(World::new(&config, clock, kept)?);
        let mut living = vec![Task::spawn({
            let world = Arc::clone(&world);
            async move { world.run().await }
        })];
        if let Some(store) = &world.store {
            store.save(&world).await?;
            let world = Arc::clone(&world);
            living.push(Task::spawn(async move {
                if let Some(store) = &world.store {
                    store.run(Arc::clone(&world)).await;
                }
            }));
        }
        let backend = Self::over(world, fetcher, living.into());
        backend.resume_fetches();
        Ok(backend)
    }

    /// A new backend over the same machines, as after the end of the service's process: what only the process knew is
    /// gone. This one does no more.
    #[must_use]
    pub fn restart(&self) -> Self {
        self.reconciling.0.abort();
        Self::over(Arc::clone(&self.world), Arc::clone(&self.fetcher), Arc::clone(&self.living))
    }

    /// The handle to make things happen.
    pub fn control(&self) -> MockControl {
        MockControl::new(Arc::clone(&self.world), Arc::clone(&self.living))
    }

    fn over(world: Arc<World>, fetcher: Arc<Fetcher>, living: Arc<[Task]>) -> Self {
        let (feed, locks, vault) =
            (Arc::<Feed>::default(), Arc::default(), Arc::<Vault>::default());
        let driver = Wire::new(Arc::clone(&world), Arc::clone(&fetcher), Arc::clone(&vault));
        let settings = Settings { clock: world.clock.clone(), ..Settings::default() };
        let reconciler = Arc::new(Reconciler::new(
            Arc::new(driver),
            feed.snapshot().clone(),
            Arc::clone(&locks),
            settings,
        ));
        world.attach(Arc::clone(&feed));
        let reconciling = Task::spawn({
            let reconciler = Arc::clone(&reconciler);
            async move { reconciler.run().await }
        });
        Self { world, feed, locks, vault, fetcher, reconciler, reconciling, living }
    }
}

impl std::fmt::Debug for MockBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MockBackend").field(self.feed.snapshot()).finish()
    }
}

//! A whole virtual BMC: somebody's machines behind accounts, sessions, tasks, logs and the documents
//! of the protocol.
//!
//! [`Builder`] needs a backend and nothing else; everything it takes besides has a default that works,
//! with state that ends with the process. What it gives is a [`Service`] that any listener can call.

mod chronicle;
mod jobs;
mod keeper;

use std::sync::Arc;

use redfish_backend::MachineBackend;
use redfish_backend::outbound::{OutboundPolicy, OutboundSettings};
use redfish_backend::snapshot::Readiness;
use redfish_model::MessageRegistry;
use tokio::task::AbortHandle;

use crate::accounts::{self, Accounts, Basic, SessionToken};
use crate::bmc::{self, VirtualBmc};
use crate::mount::Mount;
use crate::page::Page;
use crate::router::Router;
use crate::service::{Observer, Service};
use crate::services::documents::Reference;
use crate::services::journal::system_clock;
use crate::services::logs::{self, Log};
use crate::services::managers::Managers;
use crate::services::registries::Registries;
use crate::services::root::Identity;
use crate::services::tasks::{self, Tasks};
use crate::services::{certificates, documents, network_protocol, registries, root, schemas};
use crate::store::{self, Kind, Memory, Store};
use keeper::Keeper;

pub use keeper::service_uuid;

/// Puts a virtual BMC together.
pub struct Builder {
    backend: Arc<dyn MachineBackend>,
    store: Arc<dyn Store>,
    accounts: accounts::Config,
    bmc: bmc::Settings,
    outbound: OutboundPolicy,
    identity: Option<Identity>,
    certificate: certificates::Current,
    network: network_protocol::Current,
    network_settings: Option<Arc<network_protocol::Settings>>,
    tasks: tasks::Limits,
    registries: Vec<MessageRegistry>,
    mounts: Vec<Mount>,
    pages: Vec<Page>,
    schemas: Vec<Reference>,
    observers: Vec<Arc<dyn Observer>>,
}

/// A virtual BMC that runs.
#[derive(Debug)]
#[non_exhaustive]
pub struct Bmc {
    /// What answers requests.
    pub service: Arc<Service>,
    /// The accounts.
    pub accounts: Arc<Accounts>,
    /// The machines.
    pub machines: Arc<VirtualBmc>,
    /// The tasks.
    pub tasks: Arc<Tasks>,
    /// The logs.
    pub log: Arc<Log>,
    keepers: Vec<Keeper>,
    work: Work,
}

/// Work in the background, which ends with its owner.
#[derive(Debug, Default)]
struct Work(Vec<AbortHandle>);

impl Work {
    fn spawn(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        self.0.push(tokio::spawn(work).abort_handle());
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.iter().for_each(AbortHandle::abort);
    }
}

impl Builder {
    /// The machines of a backend, with state that ends with the process.
    pub fn new(backend: Arc<dyn MachineBackend>) -> Self {
        Self {
            backend,
            store: Arc::new(Memory::new()),
            accounts: accounts::Config::default(),
            bmc: bmc::Settings::default(),
            outbound: OutboundPolicy::new(OutboundSettings::default()),
            identity: None,
            certificate: Arc::new(|| None),
            network: Arc::new(network_protocol::Network::default),
            network_settings: None,
            tasks: tasks::Limits::default(),
            registries: Vec::new(),
            mounts: Vec::new(),
            pages: Vec::new(),
            schemas: Vec::new(),
            observers: Vec::new(),
        }
    }

    /// Keeps accounts, sessions, tasks and logs in a store.
    #[must_use]
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Self { store, ..self }
    }

    /// What the operator decides about accounts.
    #[must_use]
    pub fn accounts(self, accounts: accounts::Config) -> Self {
        Self { accounts, ..self }
    }

    /// What the operator decides about machines.
    #[must_use]
    pub fn machines(self, bmc: bmc::Settings) -> Self {
        Self { bmc, ..self }
    }

    /// Where images may come from.
    #[must_use]
    pub fn outbound(self, outbound: OutboundPolicy) -> Self {
        Self { outbound, ..self }
    }

    /// What the service says of itself.
    #[must_use]
    pub fn identity(self, identity: Identity) -> Self {
        Self { identity: Some(identity), ..self }
    }

    /// The certificate of the listeners, and how they are reached.
    #[must_use]
    pub fn listeners(
        self,
        certificate: certificates::Current,
        network: network_protocol::Current,
    ) -> Self {
        Self { certificate, network, ..self }
    }

    /// What clients may switch in how the service is reached, for whoever follows it.
    #[must_use]
    pub fn network_settings(self, settings: Arc<network_protocol::Settings>) -> Self {
        Self { network_settings: Some(settings), ..self }
    }

    /// How many tasks there may be, and for how long.
    #[must_use]
    pub fn tasks(self, tasks: tasks::Limits) -> Self {
        Self { tasks, ..self }
    }

    /// Message registries to serve.
    #[must_use]
    pub fn registries(self, registries: Vec<MessageRegistry>) -> Self {
        Self { registries, ..self }
    }

    /// A resource beside those of the service, or in place of one.
    #[must_use]
    pub fn mount(mut self, mount: Mount) -> Self {
        self.mounts.push(mount);
        self
    }

    /// A page beside those of the service.
    #[must_use]
    pub fn page(mut self, page: Page) -> Self {
        self.pages.push(page);
        self
    }

    /// A schema of one's own, which `$metadata` names.
    #[must_use]
    pub fn schema(mut self, schema: Reference) -> Self {
        self.schemas.push(schema);
        self
    }

    /// Somebody who is told of each request.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Begins to work.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn build(self) -> store::Result<Bmc> {
        let mut work = Work::default();
        let accounts = Arc::new(Accounts::open(Arc::clone(&self.store), self.accounts).await?);
        let kept = Arc::clone(&accounts);
        work.spawn(async move { kept.maintain().await });

        let (keeper, records) = Keeper::open(Arc::clone(&self.store), Kind::Task).await?;
        let mut keepers = vec![keeper.clone()];
        work.spawn(keeper.work());
        let tasks = Tasks::with_journal(self.tasks, keeper, system_clock(), records);
        let (keeper, records) = Keeper::open(Arc::clone(&self.store), Kind::Log).await?;
        keepers.push(keeper.clone());
        work.spawn(keeper.work());
        let log = Log::with_journal(logs::Limits::default(), keeper, system_clock(), records);
        work.spawn(chronicle::follow(self.backend.snapshot().clone(), Arc::clone(&log)));

        let identity = match self.identity {
            Some(identity) => identity,
            None => Identity {
                uuid: service_uuid(&*self.store).await?,
                vendor: "VirtualBMC".to_owned(),
                product: "Virtual BMC".to_owned(),
            },
        };
        let managers = managers(&self.backend);
        let bmc = Arc::new(VirtualBmc::new(
            Arc::clone(&self.backend),
            Arc::new(self.outbound),
            Arc::new(jobs::Jobs(Arc::clone(&tasks))),
            self.bmc,
        ));
        let firmware = Arc::clone(&bmc);
        let attributes = move |scope: &crate::Scope| firmware.attribute_registries(scope);
        let registries = Registries::new(self.registries, attributes);
        let schemas = schemas::JsonSchemas::new();
        let mut router = Router::new()
            .mount_all(root::mounts(identity))
            .mount_all(accounts::mounts(&accounts))
            .mount_all(tasks::mounts(&tasks))
            .mount_all(logs::mounts(&log, managers.clone()))
            .mount_all(registries::mounts(registries))
            .mount_all(schemas::mounts(&schemas))
            .mount_all(certificates::mounts(self.certificate, managers.clone()))
            .mount_all(network_protocol::mounts(self.network, self.network_settings, managers))
            .mount_all(bmc::mounts(&bmc))
            .mount_all(self.mounts);
        let operations = router.operations();
        schemas.tell(&operations);
        let pages = tasks::pages(&tasks)
            .into_iter()
            .chain(documents::pages(operations, &self.schemas))
            .chain(self.pages);
        router = pages.fold(router, Router::page);
        let mut service = Service::new(router)
            .authenticator(Arc::new(SessionToken::new(Arc::clone(&accounts))))
            .authenticator(Arc::new(Basic::new(Arc::clone(&accounts))));
        for observer in self.observers {
            service = service.observer(observer);
        }
        let service = Arc::new(service);
        Ok(Bmc { service, accounts, machines: bmc, tasks, log, keepers, work })
    }
}

impl Bmc {
    /// Ends the work in the background and keeps what is not kept yet.
    pub async fn close(self) {
        drop(self.work);
        if let Err(error) = self.accounts.flush().await {
            tracing::warn!(%error, "when sessions were last used is not kept");
        }
        for keeper in &self.keepers {
            keeper.flush().await;
        }
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").finish_non_exhaustive()
    }
}

/// Whether the machines of a backend are known, and if not, why.
pub fn readiness(backend: &dyn MachineBackend) -> Result<(), String> {
    match backend.snapshot().readiness() {
        Readiness::Ready => Ok(()),
        Readiness::Starting => Err("The machines are not all known yet".to_owned()),
        // Reads go on, so whoever balances load has no reason to look elsewhere.
        Readiness::Stale { .. } => Ok(()),
    }
}

/// The managers, one for each machine.
fn managers(backend: &Arc<dyn MachineBackend>) -> Managers {
    let (one, all) = (Arc::clone(backend), Arc::clone(backend));
    Managers::new(
        move |scope, segment| {
            let id = scope.machine(segment).and_then(|id| redfish_backend::MachineId::new(id).ok());
            id.is_some_and(|id| one.snapshot().get(&id).is_ok())
        },
        move |scope| {
            let machines = all.snapshot().known();
            let ids = machines.iter().map(|machine| machine.id.as_str());
            ids.filter(|id| scope.has(id)).map(|id| scope.name(id).to_owned()).collect()
        },
    )
}

#[cfg(test)]
mod tests;

//! The virtual BMC: machines of a backend as Redfish resources.
//!
//! [`VirtualBmc`] implements the generated traits once, over any
//! [`MachineBackend`]. What a resource says is a pure function of a [`Machine`] and the scope of who
//! asks; the trait methods around it only look the machine up. So a GET never waits, and what is
//! printed for a machine can be tested as a table.
//!
//! Each machine has a ComputerSystem, a Chassis and a Manager of the same id, and below them what the
//! backend knows of it. Nothing is printed that the backend does not know, and no action that it
//! can't do.

mod action_info;
mod attribute_registry;
mod bios;
mod boot;
mod boot_change;
mod boot_option;
mod chassis;
mod drive;
mod ethernet_interface;
mod manager;
mod media;
mod media_api;
mod media_change;
mod media_import;
mod memory;
mod mounts;
mod operating_system;
mod processor;
mod refusal;
mod secure_boot;
mod secure_boot_database;
mod seen;
mod settings;
mod simple_storage;
mod status;
mod storage;
mod system;
mod system_change;
mod tasks;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod volume;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use redfish_backend::machine::Machine;
use redfish_backend::outbound::OutboundPolicy;
use redfish_backend::snapshot::Readiness;
use redfish_backend::{MachineBackend, MachineId};
use redfish_model::{DateTimeOffset, Uri};

use crate::context::{Context, Machines, Scope};
use crate::error::{Error, Result};

pub use media::SlotSettings;
pub use mounts::mounts;
pub use seen::Seen;
pub use settings::{ManagerInterface, ManagerNetwork, ResetHook, Settings};
pub use tasks::{Cancel, Job, TaskHandle, Tasks};

/// The machines of a backend, as the generated traits want them.
pub struct VirtualBmc {
    backend: Arc<dyn MachineBackend>,
    outbound: RwLock<Arc<OutboundPolicy>>,
    tasks: Arc<dyn Tasks>,
    settings: Settings,
    kept: Mutex<HashMap<MachineId, Kept>>,
    /// Counts changes of what the snapshot does not have.
    changes: AtomicU64,
}

/// What the service itself knows of a machine. It is forgotten with the process: a restart of the
/// service is one of all managers.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// The incarnation of the machine that it belongs to.
    uid: Option<redfish_backend::Label>,
    /// When its manager was reset last.
    last_reset: Option<DateTimeOffset>,
    /// What was set for its media slots.
    slots: media::Slots,
}

impl VirtualBmc {
    /// The machines of a backend. Images come from where `outbound` permits, imports become tasks.
    pub fn new(
        backend: Arc<dyn MachineBackend>,
        outbound: Arc<OutboundPolicy>,
        tasks: Arc<dyn Tasks>,
        settings: Settings,
    ) -> Self {
        Self {
            backend,
            outbound: RwLock::new(outbound),
            tasks,
            settings,
            kept: Mutex::default(),
            changes: AtomicU64::new(0),
        }
    }

    /// Takes over another policy, for what is inserted from now on.
    pub fn set_outbound(&self, outbound: Arc<OutboundPolicy>) {
        *self.outbound.write().unwrap_or_else(PoisonError::into_inner) = outbound;
    }

    /// The policy about image sources.
    fn outbound(&self) -> Arc<OutboundPolicy> {
        Arc::clone(&self.outbound.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the machines are known; the error says when to come back.
    fn ready(&self) -> Result<()> {
        match self.backend.snapshot().readiness() {
            Readiness::Starting => Err(Error::from(redfish_backend::Error::unavailable(
                "The machines are not all known yet",
            ))),
            Readiness::Ready | Readiness::Stale { .. } => Ok(()),
        }
    }

    /// The machine that a segment of a URI names, if it is in the scope.
    fn machine(&self, scope: &Scope, segment: &str) -> Option<Arc<Machine>> {
        let id = MachineId::new(scope.machine(segment)?).ok()?;
        self.backend.snapshot().get(&id).ok()
    }

    /// The machines of the scope.
    fn machines(&self, scope: &Scope) -> Result<Vec<Arc<Machine>>> {
        let all = self.backend.snapshot().list()?;
        Ok(match &scope.machines {
            Machines::All => all.to_vec(),
            Machines::Only(_) => {
                all.iter().filter(|machine| scope.has(machine.id.as_str())).cloned().collect()
            }
        })
    }

    /// Whether there is such a machine and something is so about it.
    fn has(&self, scope: &Scope, segment: &str, is: impl FnOnce(&Machine) -> bool) -> bool {
        self.machine(scope, segment).is_some_and(|machine| is(&machine))
    }

    /// A resource of the machine that a segment of its URI names; `None` is that there is none.
    fn look<T>(
        &self,
        cx: &Context,
        segment: &str,
        uri: &impl Uri,
        make: impl FnOnce(&Seen<'_>) -> Option<T>,
    ) -> Result<T> {
        let machine = self.machine(&cx.scope, segment);
        let found = machine.and_then(|machine| make(&self.seen(&machine, &cx.scope)));
        found.ok_or_else(|| Error::not_found(&uri.to_string()))
    }

    /// A machine as somebody sees it.
    fn seen<'a>(&'a self, machine: &'a Machine, scope: &'a Scope) -> Seen<'a> {
        Seen { machine, scope, settings: &self.settings }
    }

    /// What is kept of a machine.
    fn kept(&self, machine: &Machine) -> Kept {
        let kept = self.lock_kept().get(&machine.id).cloned().unwrap_or_default();
        if kept.uid == machine.identity.uid { kept } else { Kept::default() }
    }

    /// Changes what is kept of a machine.
    fn keep(&self, machine: &Machine, change: impl FnOnce(&mut Kept)) {
        let known = self.backend.snapshot();
        let mut all = self.lock_kept();
        // There is no more of it than there are machines.
        all.retain(|id, _| known.get(id).is_ok());
        let kept = all.entry(machine.id.clone()).or_default();
        if kept.uid != machine.identity.uid {
            *kept = Kept { uid: machine.identity.uid.clone(), ..Kept::default() };
        }
        change(kept);
        drop(all);
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    fn lock_kept(&self) -> MutexGuard<'_, HashMap<MachineId, Kept>> {
        // Nothing in the critical sections can leave it half changed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that changes whenever a resource of a machine does.
    fn version(&self, scope: &Scope, uri: &str) -> Option<u64> {
        let machine = self.machine(scope, uri.split('/').nth(4)?)?;
        // Two counters in one number: the upper bits move with what is kept, which is seldom.
        let kept = self.changes.load(Ordering::Relaxed);
        Some(machine.change() ^ kept.rotate_right(16))
    }
}

impl std::fmt::Debug for VirtualBmc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VirtualBmc")
            .field("snapshot", self.backend.snapshot())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

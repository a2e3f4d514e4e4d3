//! `Memory`: all of a machine's in one module, as a hypervisor gives it.

use redfish_backend::machine::Machine;
use redfish_model::memory::{Links, MemoryPatch, MemoryType, ResetRequest};
use redfish_model::{Memory, MemoryCollection, MemoryCollectionUri, MemoryUri, Ref};

use super::seen::{members, number};
use super::{Seen, VirtualBmc, status};
use crate::api::memory::{MemoryApi, MemoryCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// The one module.
const ID: &str = "DIMM1";

/// The memory of a machine.
fn memory(seen: &Seen<'_>, id: &str) -> Option<Memory> {
    let bytes = seen.machine.inventory.memory.filter(|_| id == ID)?.bytes;
    Some(Memory {
        // The schema has whole mebibytes only.
        capacity_mi_b: number(bytes >> 20).into(),
        links: Links { chassis: Ref::to(seen.chassis()).into(), ..Links::default() }.into(),
        memory_type: MemoryType::DRAM.into(),
        status: status::enabled().into(),
        ..Memory::new(seen.below_system(&format!("Memory/{ID}")), ID, "Memory")
    })
}

fn collection(seen: &Seen<'_>) -> MemoryCollection {
    let uri = seen.below_system("Memory");
    MemoryCollection::new(uri.clone(), "Memory", members(&uri, [ID]))
}

fn is_there(machine: &Machine) -> bool {
    machine.inventory.memory.is_some()
}

impl MemoryApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &MemoryUri) -> bool {
        let MemoryUri::SystemsMemory { computer_system_id, memory_id } = uri;
        memory_id == ID && self.has(scope, computer_system_id, is_there)
    }

    async fn get(&self, cx: &Context, uri: MemoryUri) -> Result<Memory> {
        let MemoryUri::SystemsMemory { computer_system_id, memory_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| memory(seen, memory_id))
    }

    /// Not mounted.
    async fn patch(&self, _: &Context, _: MemoryUri, _: MemoryPatch) -> Result<Reply<Memory>> {
        Err(Error::method_not_allowed())
    }

    /// Not mounted.
    async fn reset(&self, _: &Context, _: MemoryUri, _: ResetRequest) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl MemoryCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &MemoryCollectionUri) -> bool {
        let MemoryCollectionUri::SystemsMemory { computer_system_id } = uri;
        self.has(scope, computer_system_id, is_there)
    }

    async fn get(&self, cx: &Context, uri: MemoryCollectionUri) -> Result<MemoryCollection> {
        let MemoryCollectionUri::SystemsMemory { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| {
            is_there(seen.machine).then(|| collection(seen))
        })
    }
}

//! `SimpleStorage`: the disks of a machine, as devices with a size.
//!
//! That is what any backend knows. Storage, Volumes and Drives say more, and need a backend that can
//! make and delete volumes.

use redfish_backend::machine::{Disk, Machine};
use redfish_model::simple_storage::{Device, Links};
use redfish_model::{
    Ref, SimpleStorage, SimpleStorageCollection, SimpleStorageCollectionUri, SimpleStorageUri,
};

use super::seen::{members, number};
use super::{Seen, VirtualBmc, status};
use crate::api::simple_storage::{SimpleStorageApi, SimpleStorageCollectionApi};
use crate::context::{Context, Scope};
use crate::error::Result;

/// The one that has them all.
const ID: &str = "Disks";

/// The disks of a machine.
fn simple_storage(seen: &Seen<'_>, id: &str) -> Option<SimpleStorage> {
    if id != ID || !has_disks(seen.machine) {
        return None;
    }
    let devices: Vec<_> = seen.machine.inventory.disks.iter().map(device).collect();
    Some(SimpleStorage {
        devices: devices.into(),
        links: Links { chassis: Ref::to(seen.chassis()).into(), ..Links::default() }.into(),
        status: status::enabled().into(),
        ..SimpleStorage::new(seen.below_system(&format!("SimpleStorage/{ID}")), ID, "Disks")
    })
}

fn device(disk: &Disk) -> Device {
    let name = if disk.name.is_empty() { disk.id.as_str() } else { disk.name.as_str() };
    Device {
        capacity_bytes: disk.capacity.map(number).into(),
        status: status::enabled().into(),
        ..Device::new(name)
    }
}

fn collection(seen: &Seen<'_>) -> SimpleStorageCollection {
    let uri = seen.below_system("SimpleStorage");
    SimpleStorageCollection::new(uri.clone(), "Simple Storage", members(&uri, [ID]))
}

fn has_disks(machine: &Machine) -> bool {
    !machine.inventory.disks.is_empty()
}

impl SimpleStorageApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &SimpleStorageUri) -> bool {
        let SimpleStorageUri::SystemsSimpleStorage { computer_system_id, simple_storage_id } = uri;
        simple_storage_id == ID && self.has(scope, computer_system_id, has_disks)
    }

    async fn get(&self, cx: &Context, uri: SimpleStorageUri) -> Result<SimpleStorage> {
        let SimpleStorageUri::SystemsSimpleStorage { computer_system_id, simple_storage_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| simple_storage(seen, simple_storage_id))
    }
}

impl SimpleStorageCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &SimpleStorageCollectionUri) -> bool {
        let SimpleStorageCollectionUri::SystemsSimpleStorage { computer_system_id } = uri;
        self.has(scope, computer_system_id, has_disks)
    }

    async fn get(
        &self,
        cx: &Context,
        uri: SimpleStorageCollectionUri,
    ) -> Result<SimpleStorageCollection> {
        let SimpleStorageCollectionUri::SystemsSimpleStorage { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| {
            has_disks(seen.machine).then(|| collection(seen))
        })
    }
}

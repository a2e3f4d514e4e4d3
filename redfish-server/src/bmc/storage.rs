//! `Storage` and its controllers: where volumes can be made of drives.
//!
//! Most hypervisors have nothing of the kind, and Storage without volumes that can be made is of no use
//! to the clients that look for it. So a machine has it only if its backend really makes them; every
//! machine's disks are in SimpleStorage.

use redfish_backend::machine::{Machine, RaidType, StorageController as Controller};
use redfish_model::storage::{Links, ResetToDefaultsRequest, StoragePatch};
use redfish_model::storage_controller::StorageControllerPatch;
use redfish_model::volume::RAIDType;
use redfish_model::{
    OpenEnum as _, Ref, Storage, StorageCollection, StorageCollectionUri, StorageController,
    StorageControllerCollection, StorageControllerCollectionUri, StorageControllerUri, StorageUri,
};

use super::seen::{members, number};
use super::{Seen, VirtualBmc, status};
use crate::api::storage::{StorageApi, StorageCollectionApi};
use crate::api::storage_controller::{StorageControllerApi, StorageControllerCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// The controllers of a machine at which volumes can be made.
pub(super) fn controllers(machine: &Machine) -> &[Controller] {
    if machine.capabilities.volumes { &machine.inventory.controllers } else { &[] }
}

/// A controller of those.
pub(super) fn find<'a>(machine: &'a Machine, id: &str) -> Option<&'a Controller> {
    controllers(machine).iter().find(|controller| controller.id.as_str() == id)
}

/// `RAIDType` on the wire.
pub(super) fn raid_type(raid: RaidType) -> RAIDType {
    RAIDType::from_text(raid.as_str())
}

/// The URI of the Storage of a controller.
pub(super) fn uri(seen: &Seen<'_>, controller: &Controller) -> String {
    seen.below_system(&format!("Storage/{}", controller.id))
}

fn storage(seen: &Seen<'_>, id: &str) -> Option<Storage> {
    let controller = find(seen.machine, id)?;
    let uri = uri(seen, controller);
    let chassis = seen.chassis();
    let drives = members(&format!("{chassis}/Drives"), controller.drives.iter().map(Id));
    Some(Storage {
        controllers: Ref::to(format!("{uri}/Controllers")).into(),
        drives_odata_count: number(drives.len()).into(),
        drives: drives.into(),
        links: Links {
            enclosures: vec![Ref::to(chassis)].into(),
            enclosures_odata_count: 1.into(),
            ..Links::default()
        }
        .into(),
        status: status::enabled().into(),
        volumes: Ref::to(format!("{uri}/Volumes")).into(),
        ..Storage::new(uri, id, name(controller))
    })
}

fn storage_collection(seen: &Seen<'_>) -> Option<StorageCollection> {
    let all = controllers(seen.machine);
    if all.is_empty() {
        return None;
    }
    let uri = seen.below_system("Storage");
    let links = members(&uri, all.iter().map(|controller| Id(&controller.id)));
    Some(StorageCollection::new(uri, "Storage", links))
}

/// The one controller of a Storage, which has its id.
fn controller(seen: &Seen<'_>, storage: &str, id: &str) -> Option<StorageController> {
    let controller = find(seen.machine, storage).filter(|_| storage == id)?;
    let raid_types = controller.raid_types.iter().map(|raid| Some(raid_type(*raid)));
    let uri = format!("{}/Controllers/{id}", uri(seen, controller));
    Some(StorageController {
        status: status::enabled().into(),
        supported_raid_types: raid_types.collect::<Vec<_>>().into(),
        ..StorageController::new(uri, id, name(controller))
    })
}

fn controller_collection(seen: &Seen<'_>, storage: &str) -> Option<StorageControllerCollection> {
    let controller = find(seen.machine, storage)?;
    let uri = format!("{}/Controllers", uri(seen, controller));
    let links = members(&uri, [storage]);
    Some(StorageControllerCollection::new(uri, "Storage Controllers", links))
}

fn name(controller: &Controller) -> &str {
    let (id, name) = (controller.id.as_str(), controller.name.as_str());
    if name.is_empty() { id } else { name }
}

/// An id as the segment that it is.
pub(super) struct Id<'a>(pub(super) &'a redfish_backend::PartId);

impl AsRef<str> for Id<'_> {
    fn as_ref(&self) -> &str {
        self.0.as_str()
    }
}

impl StorageApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &StorageUri) -> bool {
        let StorageUri::SystemsStorage { computer_system_id, storage_id } = uri;
        self.has(scope, computer_system_id, |machine| find(machine, storage_id).is_some())
    }

    async fn get(&self, cx: &Context, uri: StorageUri) -> Result<Storage> {
        let StorageUri::SystemsStorage { computer_system_id, storage_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| storage(seen, storage_id))
    }

    /// Not mounted.
    async fn patch(&self, _: &Context, _: StorageUri, _: StoragePatch) -> Result<Reply<Storage>> {
        Err(Error::method_not_allowed())
    }

    /// Not mounted.
    async fn reset_to_defaults(
        &self,
        _: &Context,
        _: StorageUri,
        _: ResetToDefaultsRequest,
    ) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl StorageCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &StorageCollectionUri) -> bool {
        let StorageCollectionUri::SystemsStorage { computer_system_id } = uri;
        self.has(scope, computer_system_id, |machine| !controllers(machine).is_empty())
    }

    async fn get(&self, cx: &Context, uri: StorageCollectionUri) -> Result<StorageCollection> {
        let StorageCollectionUri::SystemsStorage { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, storage_collection)
    }
}

impl StorageControllerApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &StorageControllerUri) -> bool {
        let StorageControllerUri::SystemsStorageControllers {
            computer_system_id,
            storage_id,
            storage_controller_id,
        } = uri;
        storage_id == storage_controller_id
            && self.has(scope, computer_system_id, |machine| find(machine, storage_id).is_some())
    }

    async fn get(&self, cx: &Context, uri: StorageControllerUri) -> Result<StorageController> {
        let StorageControllerUri::SystemsStorageControllers {
            computer_system_id,
            storage_id,
            storage_controller_id: id,
        } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| controller(seen, storage_id, id))
    }

    /// Not mounted.
    async fn patch(
        &self,
        _: &Context,
        _: StorageControllerUri,
        _: StorageControllerPatch,
    ) -> Result<Reply<StorageController>> {
        Err(Error::method_not_allowed())
    }
}

impl StorageControllerCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &StorageControllerCollectionUri) -> bool {
        let StorageControllerCollectionUri::SystemsStorageControllers {
            computer_system_id,
            storage_id,
        } = uri;
        self.has(scope, computer_system_id, |machine| find(machine, storage_id).is_some())
    }

    async fn get(
        &self,
        cx: &Context,
        uri: StorageControllerCollectionUri,
    ) -> Result<StorageControllerCollection> {
        let StorageControllerCollectionUri::SystemsStorageControllers {
            computer_system_id,
            storage_id,
        } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| controller_collection(seen, storage_id))
    }
}

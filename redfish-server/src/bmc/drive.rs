//! `Drive`: what volumes are made of. They stand below the chassis; the schema gave up the place below
//! the Storage.

use redfish_backend::machine::{Disk, DiskProtocol, Machine};
use redfish_model::drive::{DrivePatch, Links, MediaType, ResetRequest, SecureEraseRequest};
use redfish_model::protocol::Protocol;
use redfish_model::{Drive, DriveCollection, DriveCollectionUri, DriveUri, Ref};

use super::seen::{members, number};
use super::storage::{Id, controllers, uri as storage_uri};
use super::system::known;
use super::{Seen, VirtualBmc, status};
use crate::api::drive::{DriveApi, DriveCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// The template at which they stand.
pub(super) const SITE: &str = "/redfish/v1/Chassis/{ChassisId}/Drives/{DriveId}";

/// The drives of a machine: those disks that belong to a controller.
fn drives(machine: &Machine) -> impl Iterator<Item = &Disk> {
    let all = controllers(machine);
    let of_controller = |disk: &&Disk| all.iter().any(|one| one.drives.contains(&disk.id));
    machine.inventory.disks.iter().filter(of_controller)
}

fn find<'a>(machine: &'a Machine, id: &str) -> Option<&'a Disk> {
    drives(machine).find(|disk| disk.id.as_str() == id)
}

fn drive(seen: &Seen<'_>, id: &str) -> Option<Drive> {
    let disk = find(seen.machine, id)?;
    let controller = controllers(seen.machine).iter().find(|one| one.drives.contains(&disk.id))?;
    let storage = storage_uri(seen, controller);
    let on_it = controller.volumes.iter().filter(|volume| volume.drives.contains(&disk.id));
    let volumes = members(&format!("{storage}/Volumes"), on_it.map(|volume| Id(&volume.id)));
    let name = if disk.name.is_empty() { id } else { disk.name.as_str() };
    Some(Drive {
        capacity_bytes: disk.capacity.map(number).into(),
        links: Links {
            chassis: Ref::to(seen.chassis()).into(),
            storage: Ref::to(storage).into(),
            volumes_odata_count: number(volumes.len()).into(),
            volumes: volumes.into(),
            ..Links::default()
        }
        .into(),
        media_type: disk.rotational.map(media_type).into(),
        protocol: disk.protocol.map(protocol).into(),
        serial_number: known(disk.serial_number.as_ref()),
        status: status::enabled().into(),
        ..Drive::new(format!("{}/Drives/{id}", seen.chassis()), id, name)
    })
}

const fn media_type(rotational: bool) -> MediaType {
    if rotational { MediaType::HDD } else { MediaType::SSD }
}

/// The schema has no words for what is neither of its buses.
const fn protocol(protocol: DiskProtocol) -> Protocol {
    match protocol {
        DiskProtocol::Sata => Protocol::SATA,
        DiskProtocol::Nvme => Protocol::NVMe,
        DiskProtocol::Usb => Protocol::USB,
        DiskProtocol::Virtio | DiskProtocol::Scsi => Protocol::OEM,
    }
}

fn collection(seen: &Seen<'_>) -> Option<DriveCollection> {
    drives(seen.machine).next()?;
    let uri = format!("{}/Drives", seen.chassis());
    let links = members(&uri, drives(seen.machine).map(|disk| Id(&disk.id)));
    Some(DriveCollection::new(uri, "Drives", links))
}

/// Whether a machine has any.
pub(super) fn any(machine: &Machine) -> bool {
    drives(machine).next().is_some()
}

impl DriveApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &DriveUri) -> bool {
        let DriveUri::ChassisDrives { chassis_id, drive_id } = uri else { return false };
        self.has(scope, chassis_id, |machine| find(machine, drive_id).is_some())
    }

    async fn get(&self, cx: &Context, uri: DriveUri) -> Result<Drive> {
        match &uri {
            DriveUri::ChassisDrives { chassis_id, drive_id } => {
                self.look(cx, chassis_id, &uri, |seen| drive(seen, drive_id))
            }
            DriveUri::SystemsStorageDrives { .. } => Err(Error::not_found(&uri.to_string())),
        }
    }

    /// Not mounted.
    async fn patch(&self, _: &Context, _: DriveUri, _: DrivePatch) -> Result<Reply<Drive>> {
        Err(Error::method_not_allowed())
    }

    /// Not mounted.
    async fn reset(&self, _: &Context, _: DriveUri, _: ResetRequest) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }

    /// Not mounted.
    async fn secure_erase(
        &self,
        _: &Context,
        _: DriveUri,
        _: SecureEraseRequest,
    ) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl DriveCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &DriveCollectionUri) -> bool {
        let DriveCollectionUri::ChassisDrives { chassis_id } = uri;
        self.has(scope, chassis_id, any)
    }

    async fn get(&self, cx: &Context, uri: DriveCollectionUri) -> Result<DriveCollection> {
        let DriveCollectionUri::ChassisDrives { chassis_id } = &uri;
        self.look(cx, chassis_id, &uri, collection)
    }
}

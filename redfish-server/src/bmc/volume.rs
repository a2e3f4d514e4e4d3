//! `Volume`: made of drives, and removed again.
//!
//! What a POST may say is the RAID type (or the older `VolumeType` in its place), the size, the drives
//! and a name. Everything else that it asks for can't be had and is refused, since a volume that is
//! other than asked for is worse than none.

use http::StatusCode;
use redfish_backend::change::NewVolume;
use redfish_backend::machine::{Machine, RaidType, Volume as Made};
use redfish_backend::{Error as Backend, Label, PartId};
use redfish_model::settings::{OperationApplyTime, OperationApplyTimeSupport};
use redfish_model::volume::{InitializeRequest, Links, VolumeCreate, VolumePatch, VolumeType};
use redfish_model::{
    DriveUri, Field, Ref, Volume, VolumeCollection, VolumeCollectionUri, VolumeUri,
};

use super::refusal::{about, bad_request, explain, refused};
use super::seen::{members, number};
use super::storage::{Id, find as find_storage, raid_type, uri as storage_uri};
use super::{Seen, VirtualBmc, status};
use crate::api::volume::{VolumeApi, VolumeCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::mount::Reply;

fn find<'a>(machine: &'a Machine, storage: &str, id: &str) -> Option<&'a Made> {
    find_storage(machine, storage)?.volumes.iter().find(|volume| volume.id.as_str() == id)
}

fn volume(seen: &Seen<'_>, storage: &str, id: &str) -> Option<Volume> {
    let made = find(seen.machine, storage, id)?;
    let uri = format!("{}/Volumes/{id}", storage_uri(seen, find_storage(seen.machine, storage)?));
    let drives = members(&format!("{}/Drives", seen.chassis()), made.drives.iter().map(Id));
    let name = if made.name.is_empty() { id } else { made.name.as_str() };
    Some(Volume {
        capacity_bytes: number(made.capacity).into(),
        links: Links {
            drives_odata_count: number(drives.len()).into(),
            drives: drives.into(),
            ..Links::default()
        }
        .into(),
        raid_type: raid_type(made.raid).into(),
        status: status::enabled().into(),
        ..Volume::new(uri, id, name)
    })
}

fn collection(seen: &Seen<'_>, storage: &str) -> Option<VolumeCollection> {
    let controller = find_storage(seen.machine, storage)?;
    let uri = format!("{}/Volumes", storage_uri(seen, controller));
    let links = members(&uri, controller.volumes.iter().map(|volume| Id(&volume.id)));
    let mut collection = VolumeCollection::new(uri, "Volumes", links);
    let support = OperationApplyTimeSupport {
        supported_values: vec![OperationApplyTime::Immediate].into(),
        ..OperationApplyTimeSupport::default()
    };
    // A value of plain words can always be written.
    if let Ok(support) = serde_json::to_value(support) {
        collection.extra.annotate("", "Redfish.OperationApplyTimeSupport", support);
    }
    Some(collection)
}

/// What a POST asks for.
fn new_volume(seen: &Seen<'_>, body: &VolumeCreate) -> Result<NewVolume, Vec<Message>> {
    let mut wrong = Vec::new();
    let raid = match (&body.raid_type, &body.volume_type) {
        (Field::Value(raid), _) => {
            let known = RaidType::ALL.into_iter().find(|known| known.as_str() == raid.as_str());
            if known.is_none() {
                let message = messages::property_value_not_in_list(raid.as_str(), "RAIDType");
                wrong.push(about("RAIDType", message));
            }
            known
        }
        (_, Field::Value(older)) => {
            let known = of_volume_type(older);
            if known.is_none() {
                let message = messages::property_value_not_in_list(older.as_str(), "VolumeType");
                wrong.push(about("VolumeType", message));
            }
            known
        }
        _ => {
            let message = messages::create_failed_missing_req_properties("RAIDType");
            wrong.push(about("RAIDType", message));
            None
        }
    };
    let mut wanted = NewVolume::new(raid.unwrap_or(RaidType::None));
    if let Field::Value(bytes) = body.capacity_bytes {
        match u64::try_from(bytes) {
            Ok(bytes) => wanted.capacity = Some(bytes),
            Err(_) => {
                let value = bytes.to_string();
                let message = messages::property_value_out_of_range(value, "CapacityBytes");
                wrong.push(about("CapacityBytes", message));
            }
        }
    }
    if let Some(name) = body.name.value().or(body.display_name.value()) {
        let label = Label::new(name);
        if label.as_str() != name || label.is_empty() {
            let message = messages::property_value_format_error(label.as_str(), "Name");
            wrong.push(about("Name", message));
        }
        wanted.name = Some(label);
    }
    if let Some(links) = body.links.value().and_then(|links| links.drives.value()) {
        wanted.drives = Some(drives(seen, links, &mut wrong));
    }
    wrong.extend(beyond(body).into_iter().map(|name| {
        let message = messages::property_not_writable(name);
        about(
            name,
            explain(message, format!("{name} can't be chosen for a volume of this machine")),
        )
    }));
    if wrong.is_empty() { Ok(wanted) } else { Err(wrong) }
}

/// The drives that links lead to.
fn drives(
    seen: &Seen<'_>,
    links: &[Ref<redfish_model::target::Drive>],
    wrong: &mut Vec<Message>,
) -> Vec<PartId> {
    let mut drives = Vec::with_capacity(links.len().min(64));
    for link in links {
        let uri = link.odata_id().unwrap_or_default();
        let drive = match uri.parse() {
            Ok(DriveUri::ChassisDrives { chassis_id, drive_id })
                if seen.scope.machine(&chassis_id) == Some(seen.machine.id.as_str()) =>
            {
                PartId::new(drive_id).ok()
            }
            _ => None,
        };
        match drive {
            Some(drive) => drives.push(drive),
            None if wrong.len() < MOST_TOLD => {
                let shown: String = uri.chars().take(128).collect();
                let message = messages::resource_missing_at_uri(shown);
                wrong.push(about("Links/Drives", message));
            }
            None => {}
        }
    }
    drives
}

/// How many wrong links are told.
const MOST_TOLD: usize = 16;

/// What a body asks for that no volume of ours has.
fn beyond(body: &VolumeCreate) -> Vec<&'static str> {
    let asked = [
        (body.encrypted == Field::Value(true), "Encrypted"),
        (body.compressed == Field::Value(true), "Compressed"),
        (body.deduplicated == Field::Value(true), "Deduplicated"),
        (body.block_size_bytes.is_value(), "BlockSizeBytes"),
        (body.strip_size_bytes.is_value(), "StripSizeBytes"),
        (body.capacity.is_value(), "Capacity"),
        (body.capacity_sources.is_value(), "CapacitySources"),
        (body.encryption_types.is_value(), "EncryptionTypes"),
        (body.read_cache_policy.is_value(), "ReadCachePolicy"),
        (body.write_cache_policy.is_value(), "WriteCachePolicy"),
        (body.replica_targets.is_value(), "ReplicaTargets"),
    ];
    asked.into_iter().filter(|(asked, _)| *asked).map(|(_, name)| name).collect()
}

/// What the older word for the type means, where it means one thing.
const fn of_volume_type(older: &VolumeType) -> Option<RaidType> {
    match older {
        VolumeType::RawDevice => Some(RaidType::None),
        VolumeType::NonRedundant => Some(RaidType::Raid0),
        VolumeType::Mirrored => Some(RaidType::Raid1),
        VolumeType::StripedWithParity => Some(RaidType::Raid5),
        VolumeType::SpannedMirrors => Some(RaidType::Raid10),
        _ => None,
    }
}

fn create_refused(error: Backend) -> Error {
    match error {
        Backend::Invalid { field, reason } => {
            let path = if field.as_str() == "Drives" { "Links/Drives" } else { field.as_str() };
            let message = messages::property_value_error(path);
            bad_request(about(path, explain(message, reason.as_str())))
        }
        other => refused(other, messages::operation_not_allowed),
    }
}

impl VolumeApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &VolumeUri) -> bool {
        let VolumeUri::SystemsStorageVolumes { computer_system_id, storage_id, volume_id } = uri;
        self.has(scope, computer_system_id, |machine| {
            find(machine, storage_id, volume_id).is_some()
        })
    }

    async fn get(&self, cx: &Context, uri: VolumeUri) -> Result<Volume> {
        let VolumeUri::SystemsStorageVolumes { computer_system_id, storage_id, volume_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| volume(seen, storage_id, volume_id))
    }

    /// Not mounted.
    async fn patch(&self, _: &Context, _: VolumeUri, _: VolumePatch) -> Result<Reply<Volume>> {
        Err(Error::method_not_allowed())
    }

    async fn delete(&self, cx: &Context, uri: VolumeUri) -> Result<Reply<()>> {
        let VolumeUri::SystemsStorageVolumes { computer_system_id, storage_id, volume_id } = &uri;
        let missing = || Error::not_found(&uri.to_string());
        let machine = self.machine(&cx.scope, computer_system_id).ok_or_else(missing)?;
        let controller = find_storage(&machine, storage_id).ok_or_else(missing)?;
        let volume = find(&machine, storage_id, volume_id).ok_or_else(missing)?;
        let (controller, volume) = (&controller.id, &volume.id);
        let done = self.backend.delete_volume(&machine.id, controller, volume, &cx.caller()).await;
        done.map_err(|error| refused(error, messages::resource_cannot_be_deleted))?;
        Ok(Reply::done(()))
    }

    /// Not mounted.
    async fn initialize(
        &self,
        _: &Context,
        _: VolumeUri,
        _: InitializeRequest,
    ) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl VolumeCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &VolumeCollectionUri) -> bool {
        let VolumeCollectionUri::SystemsStorageVolumes { computer_system_id, storage_id } = uri;
        self.has(scope, computer_system_id, |machine| find_storage(machine, storage_id).is_some())
    }

    async fn get(&self, cx: &Context, uri: VolumeCollectionUri) -> Result<VolumeCollection> {
        let VolumeCollectionUri::SystemsStorageVolumes { computer_system_id, storage_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| collection(seen, storage_id))
    }

    async fn create(
        &self,
        cx: &Context,
        uri: VolumeCollectionUri,
        body: VolumeCreate,
    ) -> Result<Reply<Volume>> {
        let VolumeCollectionUri::SystemsStorageVolumes { computer_system_id, storage_id } = &uri;
        let missing = || Error::not_found(&uri.to_string());
        let machine = self.machine(&cx.scope, computer_system_id).ok_or_else(missing)?;
        let controller = &find_storage(&machine, storage_id).ok_or_else(missing)?.id;
        let wanted = new_volume(&self.seen(&machine, &cx.scope), &body)
            .map_err(|wrong| Error::with_messages(StatusCode::BAD_REQUEST, wrong))?;
        let made = self.backend.create_volume(&machine.id, controller, wanted, &cx.caller()).await;
        let (machine, id) = made.map_err(create_refused)?;
        let volume = volume(&self.seen(&machine, &cx.scope), storage_id, id.as_str());
        Ok(Reply::done(volume.ok_or_else(Error::internal)?))
    }
}

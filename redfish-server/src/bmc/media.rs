//! `VirtualMedia`: the slots of a machine, as they are.
//!
//! One slot, two URIs: below the system, and for deployed clients below the manager as well, where the
//! schema does not want it any more. `Image` and `ImageName` are null when empty, never `""`, since
//! clients take a text for an occupied slot. A URL never shows the user name and password that came
//! with it.

use std::collections::BTreeMap;

use redfish_backend::PartId;
use redfish_backend::machine::{
    Condition as Fact, MediaKind, MediaSlot, Medium, MediumPhase, Severity,
};
use redfish_backend::outbound::ImageUrl;
use redfish_model::resource::{Health, State, Status};
use redfish_model::virtual_media::{
    Actions, ConnectedVia, InsertMediaRequest, MediaType, TransferMethod, TransferProtocolType,
};
use redfish_model::{Action, Field, VirtualMedia, VirtualMediaCollection};

use super::seen::members;
use super::system::known;
use super::{Seen, status};

/// What clients set for the slots of a machine.
pub(super) type Slots = BTreeMap<PartId, SlotSettings>;

/// What clients set for a slot, and a backend does not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotSettings {
    /// Whether servers of images must be trusted (`VerifyCertificate`).
    pub verify_certificate: bool,
}

impl Default for SlotSettings {
    fn default() -> Self {
        Self { verify_certificate: true }
    }
}

/// The values of `MediaTypes` for a slot. A drive for CDs reads DVDs; clients look for either word.
const fn media_types(kind: MediaKind) -> &'static [MediaType] {
    match kind {
        MediaKind::Cd | MediaKind::Dvd => &[MediaType::CD, MediaType::DVD],
        MediaKind::UsbStick => &[MediaType::USBStick],
        MediaKind::Floppy => &[MediaType::Floppy],
    }
}

/// Whether nothing that is in a slot can ever be written to.
pub(super) const fn is_read_only(kind: MediaKind) -> bool {
    matches!(kind, MediaKind::Cd | MediaKind::Dvd)
}

/// A slot, below `parent`: the system or the manager.
pub(super) fn virtual_media(
    seen: &Seen<'_>,
    parent: &str,
    slot: &MediaSlot,
    set: SlotSettings,
) -> VirtualMedia {
    let id = slot.id.as_str();
    let uri = format!("{parent}/VirtualMedia/{id}");
    let name = if slot.name.is_empty() { id } else { slot.name.as_str() };
    let can = seen.machine.capabilities.media;
    let medium = slot.medium.as_ref();
    let url = medium.and_then(|medium| medium.image.as_ref());
    let write_protected = match medium {
        Some(medium) => Field::Value(medium.write_protected),
        None if is_read_only(slot.kind) => Field::Value(true),
        None => Field::Null,
    };
    let mut media = VirtualMedia {
        actions: can.then(|| actions(&uri)).into(),
        connected_via: connected_via(medium).into(),
        image: Field::from_nullable(url.map(|url| url.as_str().to_owned())),
        image_name: image_name(medium),
        inserted: medium.is_some().into(),
        media_types: media_types(slot.kind).to_vec().into(),
        status: slot_status(seen, slot).into(),
        transfer_method: Field::from_nullable(url.map(|_| TransferMethod::Stream)),
        transfer_protocol_type: Field::from_nullable(url.map(protocol)),
        write_protected,
        ..VirtualMedia::new(uri, id, name)
    };
    if can {
        // What can be written is shown: as null where it never reads back.
        media.user_name = Field::Null;
        media.password = Field::Null;
        media.verify_certificate = set.verify_certificate.into();
        media.extra.annotate("TransferMethod", "Redfish.AllowableValues", vec!["Stream"]);
        let protocols = vec!["HTTP", "HTTPS"];
        media.extra.annotate("TransferProtocolType", "Redfish.AllowableValues", protocols);
    }
    media
}

/// The slots of a machine, below its system or its manager.
pub(super) fn collection(seen: &Seen<'_>, parent: &str) -> VirtualMediaCollection {
    let uri = format!("{parent}/VirtualMedia");
    let links = members(&uri, seen.machine.media.iter().map(|slot| slot.id.as_str()));
    VirtualMediaCollection::new(uri, "Virtual Media", links)
}

/// The protocol of a URL. There are no others that an image can come by.
pub(super) fn protocol(url: &ImageUrl) -> TransferProtocolType {
    if url.as_str().starts_with("https:") {
        TransferProtocolType::HTTPS
    } else {
        TransferProtocolType::HTTP
    }
}

fn actions(uri: &str) -> Actions {
    let mut insert: Action<InsertMediaRequest> =
        Action::at(format!("{uri}/Actions/VirtualMedia.InsertMedia"));
    insert.set_action_info(format!("{uri}/InsertMediaActionInfo"));
    Actions {
        virtual_media_insert_media: insert.into(),
        virtual_media_eject_media: Action::at(format!("{uri}/Actions/VirtualMedia.EjectMedia"))
            .into(),
        ..Actions::default()
    }
}

fn connected_via(medium: Option<&Medium>) -> ConnectedVia {
    match medium {
        None => ConnectedVia::NotConnected,
        Some(Medium { image: Some(_), .. }) => ConnectedVia::URI,
        Some(Medium { image: None, .. }) => ConnectedVia::Oem,
    }
}

/// The file's name, and for a URL without one the host: clients want a text where something is in.
fn image_name(medium: Option<&Medium>) -> Field<String> {
    let Some(medium) = medium else { return Field::Null };
    if let name @ Field::Value(_) = known(medium.name.as_ref()) {
        return name;
    }
    let url = medium.image.as_ref();
    let from_url = url.map(|url| {
        let host = || url.for_log().split('/').nth(2).unwrap_or_default();
        url.file_name().unwrap_or_else(host).to_owned()
    });
    Field::from_nullable(from_url.filter(|name| !name.is_empty()))
}

fn slot_status(seen: &Seen<'_>, slot: &MediaSlot) -> Status {
    let importing = |medium: &Medium| matches!(medium.phase, MediumPhase::Importing { .. });
    let state = match &slot.medium {
        Some(medium) if importing(medium) => State::Starting,
        _ => State::Enabled,
    };
    let Some((_, why)) = slot.failure else {
        return Status { state: state.into(), ..status::enabled() };
    };
    let mut fact = Fact::new("ImportFailed", Severity::Warning, why.to_string());
    fact.remedy = Some("Insert the image again when that is put right".into());
    Status {
        state: state.into(),
        health: Health::Warning.into(),
        conditions: vec![Some(status::condition(seen, &fact))].into(),
        ..Status::default()
    }
}

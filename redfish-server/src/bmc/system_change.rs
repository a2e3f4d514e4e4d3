//! PATCH of a ComputerSystem, and of the Chassis around it.
//!
//! The members come to at most two writes of the backend, one of the boot configuration and one of the
//! identity. Both are judged before either is done, so that one fault anywhere changes nothing. If
//! the second one still fails, the answer says which members were not changed, and the others were.

use std::sync::Arc;

use http::StatusCode;
use redfish_backend::change::{BootChange, IdentityChange};
use redfish_backend::machine::Machine;
use redfish_backend::{Error as Backend, Label};
use redfish_model::Field;
use redfish_model::computer_system::ComputerSystemPatch;

use super::VirtualBmc;
use super::boot_change::{Wanted, boot_change};
use super::refusal::{about, bad_request, refused};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::mount::Reply;

/// A machine after a PATCH, and what there is to say about members that were left alone.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) machine: Arc<Machine>,
    pub(super) left: Vec<Message>,
}

impl Applied {
    /// The answer: the resource as it is now.
    pub(super) fn reply<T>(self, make: impl FnOnce(&Machine) -> T) -> Reply<T> {
        let reply = Reply::done(make(&self.machine));
        self.left.into_iter().fold(reply, Reply::with_message)
    }
}

/// What a PATCH wants to have changed of what a machine is called.
#[derive(Debug, Default)]
pub(super) struct Identity<'a> {
    /// `AssetTag`.
    pub(super) asset_tag: Option<&'a Field<String>>,
    /// `LocationIndicatorActive`.
    pub(super) locating: Option<&'a Field<bool>>,
}

/// Applies a PATCH of a ComputerSystem.
pub(super) async fn apply(
    bmc: &VirtualBmc,
    cx: &Context,
    machine: &Arc<Machine>,
    patch: &ComputerSystemPatch,
) -> Result<Applied> {
    let boot = patch.boot.value().map(|boot| boot_change(machine, boot)).unwrap_or_default();
    let identity = Identity {
        asset_tag: Some(&patch.asset_tag),
        locating: Some(&patch.location_indicator_active),
    };
    let mut left = Vec::new();
    // The guest's own business, shown if an agent tells.
    let host_name = machine.agent.as_ref().and_then(|agent| agent.host_name.as_ref());
    match &patch.host_name {
        Field::Absent => {}
        Field::Value(name) if host_name.map(Label::as_str) == Some(name.as_str()) => {}
        Field::Null | Field::Value(_) => left.push(not_writable("HostName")),
    }
    write(bmc, cx, machine, boot, &identity, left).await
}

/// Writes what a PATCH came to.
pub(super) async fn write(
    bmc: &VirtualBmc,
    cx: &Context,
    machine: &Arc<Machine>,
    boot: Wanted,
    identity: &Identity<'_>,
    mut left: Vec<Message>,
) -> Result<Applied> {
    let Wanted { change: boot, left: boot_left, mut wrong } = boot;
    left.extend(boot_left);
    let identity = identity_change(machine, identity, &mut left, &mut wrong);
    if !wrong.is_empty() {
        return Err(Error::with_messages(StatusCode::BAD_REQUEST, wrong));
    }
    let (changes_boot, changes_identity) =
        (boot != BootChange::default(), identity != IdentityChange::default());
    if !changes_boot && !changes_identity {
        if left.is_empty() {
            return Ok(Applied { machine: Arc::clone(machine), left });
        }
        return Err(Error::with_messages(StatusCode::BAD_REQUEST, left));
    }
    let mut now = Arc::clone(machine);
    let caller = cx.caller();
    if changes_boot {
        now = bmc.backend.set_boot(&machine.id, boot, &caller).await.map_err(boot_refused)?;
    }
    if changes_identity {
        let names = names(&identity);
        match bmc.backend.set_identity(&machine.id, identity, &caller).await {
            Ok(after) => now = after,
            Err(error) if !changes_boot => return Err(identity_refused(error)),
            // The boot configuration is changed already, and that is what the answer shows.
            Err(error) => {
                left.extend(names.map(|name| about(name, messages::property_not_updated(name))));
                left.extend(identity_refused(error).messages);
            }
        }
    }
    Ok(Applied { machine: now, left })
}

fn identity_change(
    machine: &Machine,
    wanted: &Identity<'_>,
    left: &mut Vec<Message>,
    wrong: &mut Vec<Message>,
) -> IdentityChange {
    let mut change = IdentityChange::default();
    let can = &machine.capabilities;
    let tag = match wanted.asset_tag {
        None | Some(Field::Absent) => None,
        Some(Field::Null) => Some(""),
        Some(Field::Value(tag)) => Some(tag.as_str()),
    };
    let present = machine.identity.asset_tag.as_ref().map_or("", Label::as_str);
    if let Some(tag) = tag.filter(|tag| *tag != present) {
        let label = Label::new(tag);
        if !can.asset_tag {
            left.push(not_writable("AssetTag"));
        } else if tag.len() > LONGEST_TAG {
            wrong.push(about("AssetTag", messages::string_value_too_long(short(tag), LONGEST_TAG)));
        } else if label.as_str() != tag {
            let message = messages::property_value_format_error(label.as_str(), "AssetTag");
            wrong.push(about("AssetTag", message));
        } else {
            change.asset_tag = Some(label);
        }
    }
    let locating = match wanted.locating {
        None | Some(Field::Absent) => None,
        Some(Field::Null) => Some(false),
        Some(Field::Value(active)) => Some(*active),
    };
    if locating != Some(machine.identity.locating.unwrap_or_default()) {
        match locating {
            Some(_) if !can.locate => left.push(not_writable("LocationIndicatorActive")),
            locating => change.locating = locating,
        }
    }
    change
}

/// What a [`Label`] holds.
const LONGEST_TAG: usize = 256;

fn names(change: &IdentityChange) -> impl Iterator<Item = &'static str> + use<> {
    let sent = [
        (change.asset_tag.is_some(), "AssetTag"),
        (change.locating.is_some(), "LocationIndicatorActive"),
    ];
    sent.into_iter().filter(|(sent, _)| *sent).map(|(_, name)| name)
}

fn not_writable(name: &str) -> Message {
    about(name, messages::property_not_writable(name))
}

fn short(text: &str) -> String {
    text.chars().take(64).collect()
}

fn boot_refused(error: Backend) -> Error {
    match error {
        Backend::Invalid { field, reason } => {
            let path = format!("Boot/{field}");
            let message = messages::property_value_error(&path);
            bad_request(about(&path, super::refusal::explain(message, reason.as_str())))
        }
        other => refused(other, || about("Boot", messages::property_not_writable("Boot"))),
    }
}

fn identity_refused(error: Backend) -> Error {
    refused(error, || messages::property_not_writable("AssetTag"))
}

//! The operations of `VirtualMedia`: two actions, and the PATCH that some clients use for the same.
//!
//! A PATCH with an `Image` inserts it, one with `Image` null or `Inserted` false ejects what is there.
//! `VerifyCertificate` is of the slot and holds for inserts from then on, since InsertMedia has no
//! parameter for it. The other members only say how an image is to be inserted, so without one they
//! ask for nothing that could be done.

use std::sync::Arc;

use http::StatusCode;
use redfish_backend::machine::{Machine, MediaSlot};
use redfish_model::virtual_media::{EjectMediaRequest, InsertMediaRequest, VirtualMediaPatch};
use redfish_model::{
    Field, VirtualMedia, VirtualMediaCollection, VirtualMediaCollectionUri, VirtualMediaUri,
};

use super::media::{SlotSettings, collection, protocol, virtual_media};
use super::media_change::{INSERT, Inserted, Voice, Wanted, source};
use super::refusal::{about, bad_request, refused};
use super::{Seen, VirtualBmc};
use crate::api::virtual_media::{VirtualMediaApi, VirtualMediaCollectionApi};
use crate::context::{Context, Profile, Scope};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::mount::Reply;

/// The segments of machine and slot in a URI, and whether it is the one below the manager.
fn parts(uri: &VirtualMediaUri) -> (&str, &str, bool) {
    match uri {
        VirtualMediaUri::SystemsVirtualMedia { computer_system_id, virtual_media_id } => {
            (computer_system_id, virtual_media_id, false)
        }
        VirtualMediaUri::ManagersVirtualMedia { manager_id, virtual_media_id } => {
            (manager_id, virtual_media_id, true)
        }
    }
}

/// What a PATCH asks for.
#[derive(Debug, PartialEq)]
enum Ask<'a> {
    Nothing,
    Insert(&'a str),
    Eject,
}

/// What a PATCH asks for, and which of its members can't be had.
fn ask<'a>(slot: &MediaSlot, patch: &'a VirtualMediaPatch) -> Result<(Ask<'a>, Vec<Message>)> {
    let medium = slot.medium.as_ref();
    let wanted = match (&patch.image, &patch.inserted) {
        (Field::Value(_), Field::Value(false) | Field::Null) => {
            return Err(bad_request(Voice::Properties.conflict("Inserted", "false", "Image")));
        }
        (Field::Value(image), _) => return Ok((Ask::Insert(image), Vec::new())),
        (Field::Null, Field::Value(true)) => {
            return Err(bad_request(Voice::Properties.conflict("Inserted", "true", "Image")));
        }
        (Field::Null, _) | (Field::Absent, Field::Value(false) | Field::Null) => Ask::Eject,
        (Field::Absent, Field::Value(true)) if medium.is_none() => {
            let message = messages::property_missing("Image");
            return Err(bad_request(about("Image", message)));
        }
        (Field::Absent, _) => Ask::Nothing,
    };
    // How to insert, and nothing to be inserted: what only repeats the present state is no wish.
    let url = medium.and_then(|medium| medium.image.as_ref());
    let method = patch.transfer_method.value().is_some_and(|_| url.is_none());
    let protocols = patch.transfer_protocol_type.value();
    let protocols = protocols.is_some_and(|sent| url.map(protocol).as_ref() != Some(sent));
    let protected = patch.write_protected.copied();
    let protected =
        protected.is_some_and(|sent| medium.is_none_or(|medium| medium.write_protected != sent));
    let vain = [
        (method, "TransferMethod"),
        (protocols, "TransferProtocolType"),
        (protected, "WriteProtected"),
        (patch.user_name.is_value(), "UserName"),
        (patch.password.is_value(), "Password"),
    ];
    let vain = vain.into_iter().filter(|(sent, _)| *sent).map(|(_, name)| {
        let message = messages::property_value_conflict(name, "Image");
        about(name, message)
    });
    Ok((wanted, vain.collect()))
}

impl VirtualBmc {
    /// The machine and its slot at a URI.
    fn slot(&self, scope: &Scope, uri: &VirtualMediaUri) -> Option<(Arc<Machine>, MediaSlot)> {
        let (machine, slot, below_manager) = parts(uri);
        if below_manager && scope.profile != Profile::Clients {
            return None;
        }
        let machine = self.machine(scope, machine)?;
        let slot = find(&machine, slot)?.clone();
        Some((machine, slot))
    }

    fn slot_or_missing(
        &self,
        cx: &Context,
        uri: &VirtualMediaUri,
    ) -> Result<(Arc<Machine>, MediaSlot)> {
        self.slot(&cx.scope, uri).ok_or_else(|| Error::not_found(&uri.to_string()))
    }

    fn slot_settings(&self, machine: &Machine, slot: &MediaSlot) -> SlotSettings {
        self.kept(machine).slots.get(&slot.id).copied().unwrap_or_default()
    }

    fn show(&self, cx: &Context, uri: &VirtualMediaUri) -> Result<VirtualMedia> {
        let (machine, slot) = self.slot_or_missing(cx, uri)?;
        let seen = self.seen(&machine, &cx.scope);
        let settings = self.slot_settings(&machine, &slot);
        Ok(virtual_media(&seen, &parent(&seen, parts(uri).2), &slot, settings))
    }
}

fn find<'a>(machine: &'a Machine, slot: &str) -> Option<&'a MediaSlot> {
    machine.media.iter().find(|candidate| candidate.id.as_str() == slot)
}

fn parent(seen: &Seen<'_>, below_manager: bool) -> String {
    if below_manager { seen.manager() } else { seen.system() }
}

impl VirtualMediaApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &VirtualMediaUri) -> bool {
        let (machine, slot, below_manager) = parts(uri);
        let shown = !below_manager || scope.profile == Profile::Clients;
        shown && self.has(scope, machine, |machine| find(machine, slot).is_some())
    }

    async fn get(&self, cx: &Context, uri: VirtualMediaUri) -> Result<VirtualMedia> {
        self.show(cx, &uri)
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: VirtualMediaUri,
        body: VirtualMediaPatch,
    ) -> Result<Reply<VirtualMedia>> {
        let (machine, slot) = self.slot_or_missing(cx, &uri)?;
        let before = self.slot_settings(&machine, &slot);
        let settings = match body.verify_certificate {
            Field::Absent => before,
            Field::Null => SlotSettings::default(),
            Field::Value(verify_certificate) => SlotSettings { verify_certificate },
        };
        let (wanted, left) = ask(&slot, &body)?;
        if wanted == Ask::Nothing && settings == before && !left.is_empty() {
            return Err(Error::with_messages(StatusCode::BAD_REQUEST, left));
        }
        let mut accepted = None;
        match wanted {
            Ask::Nothing => {}
            Ask::Eject => {
                let done = self.backend.eject_media(&machine.id, &slot.id, &cx.caller()).await;
                done.map_err(|error| {
                    refused(error, || {
                        about("Inserted", messages::property_not_writable("Inserted"))
                    })
                })?;
            }
            Ask::Insert(image) => {
                let wanted = Wanted {
                    image,
                    user: body.user_name.as_deref(),
                    password: body.password.value(),
                    write_protected: body.write_protected.copied(),
                    method: body.transfer_method.value(),
                    protocol: body.transfer_protocol_type.value(),
                    verify_certificate: settings.verify_certificate,
                };
                let voice = Voice::Properties;
                let source = source(&self.outbound(), &slot, &wanted, voice)?;
                let target = uri.to_string();
                let done = self.insert(cx, &machine, &slot, source, target, voice).await?;
                if let Inserted::Accepted(monitor, task) = done {
                    accepted = Some(Reply::accepted(monitor, *task));
                }
            }
        }
        if settings != before {
            self.keep(&machine, |kept| {
                if settings == SlotSettings::default() {
                    kept.slots.remove(&slot.id);
                } else {
                    kept.slots.insert(slot.id.clone(), settings);
                }
            });
        }
        let reply = match accepted {
            Some(reply) => reply,
            None => Reply::done(self.show(cx, &uri)?),
        };
        Ok(left.into_iter().fold(reply, Reply::with_message))
    }

    async fn eject_media(
        &self,
        cx: &Context,
        uri: VirtualMediaUri,
        _: EjectMediaRequest,
    ) -> Result<Reply<()>> {
        let (machine, slot) = self.slot_or_missing(cx, &uri)?;
        let done = self.backend.eject_media(&machine.id, &slot.id, &cx.caller()).await;
        done.map_err(|error| refused(error, || messages::action_not_supported("EjectMedia")))?;
        Ok(Reply::done(()))
    }

    async fn insert_media(
        &self,
        cx: &Context,
        uri: VirtualMediaUri,
        body: InsertMediaRequest,
    ) -> Result<Reply<()>> {
        let (machine, slot) = self.slot_or_missing(cx, &uri)?;
        let voice = Voice::Action;
        let Field::Value(image) = &body.image else {
            return Err(bad_request(messages::action_parameter_missing(INSERT, "Image")));
        };
        if body.inserted == Field::Value(false) {
            // An image that is known and not inserted: there is no such state here.
            return Err(bad_request(voice.not_in_list("Inserted", "false")));
        }
        let wanted = Wanted {
            image,
            user: body.user_name.as_deref(),
            password: body.password.value(),
            write_protected: body.write_protected.copied(),
            method: body.transfer_method.value(),
            protocol: body.transfer_protocol_type.value(),
            verify_certificate: self.slot_settings(&machine, &slot).verify_certificate,
        };
        let source = source(&self.outbound(), &slot, &wanted, voice)?;
        let target = format!("{uri}/Actions/VirtualMedia.{INSERT}");
        Ok(match self.insert(cx, &machine, &slot, source, target, voice).await? {
            Inserted::Done => Reply::done(()),
            Inserted::Accepted(monitor, task) => Reply::accepted(monitor, *task),
        })
    }
}

impl VirtualMediaCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &VirtualMediaCollectionUri) -> bool {
        use VirtualMediaCollectionUri as At;
        match uri {
            At::SystemsVirtualMedia { computer_system_id } => {
                self.machine(scope, computer_system_id).is_some()
            }
            At::ManagersVirtualMedia { manager_id } => {
                scope.profile == Profile::Clients && self.machine(scope, manager_id).is_some()
            }
        }
    }

    async fn get(
        &self,
        cx: &Context,
        uri: VirtualMediaCollectionUri,
    ) -> Result<VirtualMediaCollection> {
        use VirtualMediaCollectionUri as At;
        match &uri {
            At::SystemsVirtualMedia { computer_system_id } => {
                self.look(cx, computer_system_id, &uri, |seen| {
                    Some(collection(seen, &seen.system()))
                })
            }
            At::ManagersVirtualMedia { manager_id } => self.look(cx, manager_id, &uri, |seen| {
                seen.for_clients().then(|| collection(seen, &seen.manager()))
            }),
        }
    }
}

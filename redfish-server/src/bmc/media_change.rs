//! Inserting an image: what the client sent, judged and handed to the backend.
//!
//! From the acceptance on the slot shows the medium and there is a Task. The answer waits a while for
//! the medium to be usable, since many clients start the machine right after it; then it is a success
//! whether or not the import has ended. Only an import that failed meanwhile is an error.

use std::sync::Arc;

use http::StatusCode;
use redfish_backend::machine::{Machine, MediaSlot};
use redfish_backend::outbound::{ImageOptions, ImageSource, OutboundPolicy, Refusal};
use redfish_backend::{Caller, Credentials};
use redfish_model::virtual_media::{TransferMethod, TransferProtocolType};
use redfish_model::{Secret, Task};
use tokio::sync::oneshot;

use super::media::{is_read_only, protocol};
use super::media_import::{Import, Step};
use super::refusal::{about, explain, refused};
use super::{Cancel, Job, VirtualBmc};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;

/// Which family of messages speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// About parameters of InsertMedia.
    Action,
    /// About properties in a PATCH.
    Properties,
}

/// What is to be inserted, as the client sent it.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    pub(super) image: &'a str,
    pub(super) user: Option<&'a str>,
    pub(super) password: Option<&'a Secret<String>>,
    pub(super) write_protected: Option<bool>,
    pub(super) method: Option<&'a TransferMethod>,
    pub(super) protocol: Option<&'a TransferProtocolType>,
    pub(super) verify_certificate: bool,
}

pub(super) const INSERT: &str = "InsertMedia";

impl Voice {
    pub(super) fn not_in_list(self, name: &str, value: &str) -> Message {
        about(
            name,
            match self {
                Self::Action => messages::action_parameter_value_not_in_list(value, name, INSERT),
                Self::Properties => messages::property_value_not_in_list(value, name),
            },
        )
    }

    fn format(self, name: &str, value: &str) -> Message {
        about(
            name,
            match self {
                Self::Action => messages::action_parameter_value_format_error(value, name, INSERT),
                Self::Properties => messages::property_value_format_error(value, name),
            },
        )
    }

    pub(super) fn conflict(self, name: &str, value: &str, other: &str) -> Message {
        about(
            name,
            match self {
                Self::Action => messages::action_parameter_value_conflict(name, value),
                Self::Properties => messages::property_value_conflict(name, other),
            },
        )
    }
}

/// The source of an image for a slot, if it can be had and the policy permits it.
pub(super) fn source(
    policy: &OutboundPolicy,
    slot: &MediaSlot,
    wanted: &Wanted<'_>,
    voice: Voice,
) -> Result<ImageSource> {
    let mut faults = Vec::new();
    if let Some(method) = wanted.method
        && *method != TransferMethod::Stream
    {
        faults.push(voice.not_in_list("TransferMethod", method.as_str()));
    }
    let protocols = [TransferProtocolType::HTTP, TransferProtocolType::HTTPS];
    let known_protocol = wanted.protocol.is_none_or(|protocol| protocols.contains(protocol));
    if let Some(other) = wanted.protocol.filter(|_| !known_protocol) {
        faults.push(voice.not_in_list("TransferProtocolType", other.as_str()));
    }
    if wanted.write_protected == Some(false) && is_read_only(slot.kind) {
        let message = voice.not_in_list("WriteProtected", "false");
        faults
            .push(explain(message, "What is in a drive for CDs or DVDs is always write-protected"));
    }
    let user = wanted.user.unwrap_or_default();
    let password = wanted.password.map_or("", |secret| secret.expose().as_str());
    let mut options = ImageOptions::default();
    options.credentials =
        (!user.is_empty() || !password.is_empty()).then(|| Credentials::new(user, password));
    options.verify_certificate = wanted.verify_certificate;
    options.write_protected = wanted.write_protected.unwrap_or(true);
    let found = policy.image(wanted.image, options);
    let source = match found {
        Ok(source) => source,
        Err(refusal) => return Err(not_permitted(refusal, wanted.image, faults, voice)),
    };
    if let Some(named) = wanted.protocol.filter(|_| known_protocol)
        && *named != protocol(source.url())
    {
        faults.push(voice.conflict("TransferProtocolType", named.as_str(), "Image"));
    }
    if faults.is_empty() {
        Ok(source)
    } else {
        Err(Error::with_messages(StatusCode::BAD_REQUEST, faults))
    }
}

/// Why there is no source. What the policy has against a destination reads the same for all.
fn not_permitted(refusal: Refusal, image: &str, mut faults: Vec<Message>, voice: Voice) -> Error {
    let said = match redfish_backend::Error::from(refusal) {
        redfish_backend::Error::Invalid { reason, .. } => {
            let message = explain(voice.format("Image", &shown(image)), reason.as_str());
            faults.insert(0, message);
            return Error::with_messages(StatusCode::BAD_REQUEST, faults);
        }
        redfish_backend::Error::Denied { reason } => reason,
        other => return other.into(),
    };
    let message = messages::access_denied(shown(image));
    Error::explained(StatusCode::FORBIDDEN, about("Image", message), said.as_str())
}

/// A URL as a message repeats it: bounded, and without what may be a secret in it.
fn shown(url: &str) -> String {
    let start: String = url.chars().take_while(|c| *c != '?').take(128).collect();
    if start.contains('@') { "******".to_owned() } else { start }
}

fn not_supported(voice: Voice) -> Message {
    match voice {
        Voice::Action => messages::action_not_supported(INSERT),
        Voice::Properties => about("Image", messages::property_not_writable("Image")),
    }
}

/// What became of an insert.
pub(super) enum Inserted {
    /// It can be used, or will be.
    Done,
    /// The client wanted to have a task.
    Accepted(String, Box<Task>),
}

impl VirtualBmc {
    /// Inserts an image.
    pub(super) async fn insert(
        &self,
        cx: &Context,
        machine: &Machine,
        slot: &MediaSlot,
        source: ImageSource,
        target: String,
        voice: Voice,
    ) -> Result<Inserted> {
        let snapshot = self.backend.snapshot().clone();
        // From before the write, so that nothing of what follows it is missed.
        let changes = snapshot.watch();
        let url = source.url().clone();
        let written = self.backend.insert_media(&machine.id, &slot.id, source, &cx.caller()).await;
        let now = written.map_err(|error| refused(error, || not_supported(voice)))?;
        let import = Import::begun(&now, &slot.id, url);
        let name =
            format!("Insert media into {} of {}", slot.id, cx.scope.name(machine.id.as_str()));
        let job = Job { name, machine: machine.id.clone(), target };
        match import.step(&now) {
            Step::Done if !cx.respond_async => return Ok(Inserted::Done),
            Step::Failed(why) => return Err(import.error(why)),
            Step::Done | Step::Going(_) => {}
        }
        // Where there are too many tasks, the client comes back and finds the same image on its way.
        let task = self.tasks.begin(cx, job, self.ejecting(&import, cx.caller()))?;
        let (ended, end) = oneshot::channel();
        tokio::spawn(import.clone().follow(snapshot, changes, Arc::clone(&task), ended));
        if cx.respond_async {
            return Ok(Inserted::Accepted(task.monitor(), task.task().into()));
        }
        match tokio::time::timeout(self.settings.media_wait, end).await {
            Ok(Ok(Err(why))) => Err(import.error(why)),
            // Usable, or still on its way, or the process is about to end.
            Ok(Ok(Ok(())) | Err(_)) | Err(_) => Ok(Inserted::Done),
        }
    }

    /// What stops an import: its medium is ejected, unless there is another one in the slot by now.
    fn ejecting(&self, import: &Import, caller: Caller) -> Cancel {
        let (backend, import) = (Arc::clone(&self.backend), import.clone());
        Cancel::new(move || {
            let (backend, import, caller) = (Arc::clone(&backend), import.clone(), caller.clone());
            async move {
                let machine = backend.snapshot().get(import.machine());
                let machine = machine.map_err(Error::from)?;
                match import.step(&machine) {
                    Step::Going(_) => {}
                    // What can be used is not taken away again.
                    Step::Done => {
                        let message = messages::resource_cannot_be_deleted();
                        let why = "The medium is there already; eject it.";
                        return Err(Error::explained(StatusCode::CONFLICT, message, why));
                    }
                    Step::Failed(_) => return Ok(()),
                }
                let done = backend.eject_media(&machine.id, import.slot(), &caller).await;
                let done = done.map(drop);
                done.map_err(|error| {
                    refused(error, || messages::action_not_supported("EjectMedia"))
                })
            }
        })
    }
}

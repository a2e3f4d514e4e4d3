//! `Bios` and `Bios/Settings`: the settings of the firmware as they are, and as the next start will
//! have them.
//!
//! What can be set stands in the second one; a PATCH there is done with the next start. The values that
//! there are come from the attribute registry of the firmware, and so does what is wrong with one.

use std::collections::BTreeMap;

use http::StatusCode;
use redfish_backend::change::BiosChange;
use redfish_backend::machine::{Bios as Known, BiosKind, BiosValue, BiosValues, Machine};
use redfish_backend::{Error as Backend, Label};
use redfish_model::bios::{Actions, BiosPatch, ChangePasswordRequest, ResetBiosRequest};
use redfish_model::settings::{ApplyTime, Settings};
use redfish_model::{Action, Bios, BiosUri, Ref};
use serde_json::Value;

use super::attribute_registry::registry_id;
use super::refusal::{about, bad_request, explain, refused};
use super::{Seen, VirtualBmc};
use crate::api::bios::BiosApi;
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::mount::Reply;

/// Where a PATCH is not served: what is can't be written to.
pub(super) const SITE: &str = "/redfish/v1/Systems/{ComputerSystemId}/Bios";

/// The settings as they are.
fn bios(seen: &Seen<'_>) -> Option<Bios> {
    let known = seen.machine.bios.as_ref()?;
    let uri = seen.below_system("Bios");
    let can = seen.machine.capabilities.bios;
    let mut bios = Bios {
        actions: can.then(|| actions(&uri)).into(),
        attribute_registry: registry_id(known).into(),
        attributes: values(&known.current).into(),
        ..Bios::new(uri, "Bios", "BIOS Settings")
    };
    let settings = Settings {
        settings_object: Ref::to(seen.below_system("Bios/Settings")).into(),
        supported_apply_times: vec![ApplyTime::OnReset].into(),
        ..Settings::default()
    };
    if can && let Ok(mut settings) = serde_json::to_value(settings) {
        settings["@odata.type"] = "#Settings.v1_4_0.Settings".into();
        bios.extra.annotate("", "Redfish.Settings", settings);
    }
    Some(bios)
}

/// The settings as the next start will have them.
fn settings(seen: &Seen<'_>) -> Option<Bios> {
    let known = seen.machine.bios.as_ref().filter(|_| seen.machine.capabilities.bios)?;
    let mut then = known.current.clone();
    then.extend(known.pending.clone());
    Some(Bios {
        attribute_registry: registry_id(known).into(),
        attributes: values(&then).into(),
        ..Bios::new(seen.below_system("Bios/Settings"), "Settings", "BIOS Settings for Next Start")
    })
}

fn actions(uri: &str) -> Actions {
    Actions {
        bios_reset_bios: Action::at(format!("{uri}/Actions/Bios.ResetBios")).into(),
        ..Actions::default()
    }
}

fn values(values: &BiosValues) -> BTreeMap<String, Value> {
    values.iter().map(|(name, value)| (name.as_str().to_owned(), json(value))).collect()
}

/// A value on the wire.
pub(super) fn json(value: &BiosValue) -> Value {
    match value {
        BiosValue::Boolean(value) => (*value).into(),
        BiosValue::Integer(number) => (*number).into(),
        BiosValue::Text(text) => text.as_str().into(),
    }
}

/// What a PATCH comes to.
#[derive(Debug, Default)]
struct Wanted {
    change: BiosChange,
    left: Vec<Message>,
    wrong: Vec<Message>,
}

/// How many faults are told.
const MOST_TOLD: usize = 32;

fn wanted(known: &Known, sent: &BTreeMap<String, Value>) -> Wanted {
    let mut wanted = Wanted::default();
    for (name, value) in sent {
        if wanted.wrong.len() >= MOST_TOLD {
            break;
        }
        let path = format!("Attributes/{}", name.chars().take(64).collect::<String>());
        let Some(attribute) = known.attribute(name) else {
            wanted.wrong.push(about(&path, messages::property_unknown(&path)));
            continue;
        };
        let Some(value) = read(value) else {
            let message = messages::property_value_type_error(short(value), &path);
            wanted.wrong.push(about(&path, message));
            continue;
        };
        let then = known.pending.get(name.as_str()).or_else(|| known.current.get(name.as_str()));
        if then == Some(&value) {
            continue;
        }
        if attribute.read_only {
            wanted.left.push(about(&path, messages::property_not_writable(&path)));
            continue;
        }
        match attribute.check(&value) {
            Ok(()) => drop(wanted.change.0.insert(attribute.name.clone(), value)),
            Err(error) => {
                wanted.wrong.push(about(&path, fault(&attribute.kind, &value, &path, error)));
            }
        }
    }
    wanted
}

/// What is wrong with a value of an attribute.
fn fault(kind: &BiosKind, value: &BiosValue, path: &str, error: Backend) -> Message {
    let shown = short(&json(value));
    let message = match (kind, value) {
        (BiosKind::Enumeration(_), BiosValue::Text(_)) => {
            messages::property_value_not_in_list(shown, path)
        }
        (BiosKind::Integer { .. }, BiosValue::Integer(_)) => {
            messages::property_value_out_of_range(shown, path)
        }
        (BiosKind::Text { .. }, BiosValue::Text(_)) => messages::property_value_error(path),
        _ => messages::property_value_type_error(shown, path),
    };
    match error {
        Backend::Invalid { reason, .. } => explain(message, reason.as_str()),
        _ => message,
    }
}

fn read(value: &Value) -> Option<BiosValue> {
    match value {
        Value::Bool(value) => Some((*value).into()),
        Value::Number(number) => number.as_i64().map(Into::into),
        Value::String(text) => {
            let label = Label::new(text);
            (label.as_str() == text).then_some(BiosValue::Text(label))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn short(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(64).collect()
}

fn not_writable(error: Backend) -> Error {
    match error {
        Backend::Invalid { field, reason } => {
            let path = format!("Attributes/{field}");
            let message = messages::property_value_error(&path);
            bad_request(about(&path, explain(message, reason.as_str())))
        }
        other => refused(other, || messages::property_not_writable("Attributes")),
    }
}

impl VirtualBmc {
    fn bios_machine(&self, cx: &Context, uri: &BiosUri) -> Result<std::sync::Arc<Machine>> {
        let machine = self.machine(&cx.scope, parts(uri).0);
        machine.ok_or_else(|| Error::not_found(&uri.to_string()))
    }
}

/// The segment of the machine, and whether it is about the next start.
fn parts(uri: &BiosUri) -> (&str, bool) {
    match uri {
        BiosUri::SystemsBios { computer_system_id } => (computer_system_id, false),
        BiosUri::SystemsBiosSettings { computer_system_id } => (computer_system_id, true),
    }
}

impl BiosApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &BiosUri) -> bool {
        let (segment, next) = parts(uri);
        self.has(scope, segment, |machine| {
            machine.bios.is_some() && (!next || machine.capabilities.bios)
        })
    }

    async fn get(&self, cx: &Context, uri: BiosUri) -> Result<Bios> {
        let (segment, next) = parts(&uri);
        self.look(cx, segment, &uri, if next { settings } else { bios })
    }

    /// Mounted for the settings of the next start.
    async fn patch(&self, cx: &Context, uri: BiosUri, body: BiosPatch) -> Result<Reply<Bios>> {
        let missing = || Error::not_found(&uri.to_string());
        let mut machine = self.bios_machine(cx, &uri)?;
        let known = machine.bios.as_ref().ok_or_else(missing)?;
        let Wanted { change, left, wrong } =
            body.attributes.value().map(|sent| wanted(known, sent)).unwrap_or_default();
        if !wrong.is_empty() {
            return Err(Error::with_messages(StatusCode::BAD_REQUEST, wrong));
        }
        if !change.0.is_empty() {
            let done = self.backend.set_bios(&machine.id, change, &cx.caller()).await;
            machine = done.map_err(not_writable)?;
        } else if !left.is_empty() {
            return Err(Error::with_messages(StatusCode::BAD_REQUEST, left));
        }
        let now = settings(&self.seen(&machine, &cx.scope)).ok_or_else(missing)?;
        Ok(left.into_iter().fold(Reply::done(now), Reply::with_message))
    }

    /// Not mounted: there are no passwords.
    async fn change_password(
        &self,
        _: &Context,
        _: BiosUri,
        _: ChangePasswordRequest,
    ) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }

    async fn reset_bios(
        &self,
        cx: &Context,
        uri: BiosUri,
        _: ResetBiosRequest,
    ) -> Result<Reply<()>> {
        let machine = self.bios_machine(cx, &uri)?;
        let done = self.backend.reset_bios(&machine.id, &cx.caller()).await;
        done.map_err(|error| refused(error, || messages::action_not_supported("ResetBios")))?;
        Ok(Reply::done(()))
    }
}

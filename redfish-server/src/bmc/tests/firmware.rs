//! Settings of the firmware, their registry, and the keys of secure boot.

use redfish_model::bios::{BiosPatch, ResetBiosRequest};
use redfish_model::secure_boot::{ResetKeysRequest, ResetKeysType};
use redfish_model::{BiosUri, SecureBootUri};
use serde_json::{Value, json};

use super::super::testing::{Lab, admin, bare, firmware, full, id, view};
use crate::api::attribute_registry::AttributeRegistryApi;
use crate::api::bios::BiosApi;
use crate::api::secure_boot::SecureBootApi;
use crate::context::Scope;
use crate::error::Result;
use crate::mount::{Reply, State};

const SETTINGS: &str = "/redfish/v1/Systems/a/Bios/Settings";

async fn patch(lab: &Lab, attributes: Value) -> Result<Reply<redfish_model::Bios>> {
    let uri: BiosUri = SETTINGS.parse().unwrap();
    let body: BiosPatch = serde_json::from_value(json!({"Attributes": attributes})).unwrap();
    BiosApi::patch(&*lab.bmc, &admin(Scope::all()), uri, body).await
}

async fn attributes(lab: &Lab, uri: &str) -> Value {
    let found = BiosApi::get(&*lab.bmc, &admin(Scope::all()), uri.parse().unwrap()).await;
    serde_json::to_value(found.unwrap()).unwrap()["Attributes"].clone()
}

#[tokio::test]
async fn settings_are_for_the_next_start() {
    let lab = Lab::new([full("a")]);
    let present = json!({"Delay": 3, "Mode": "Fast", "Quiet": false, "Title": "x", "Version": "1"});
    let reply = patch(&lab, json!({"Delay": 5, "Mode": "Slow", "Quiet": false})).await.unwrap();
    let State::Done(settings) = reply.state else { panic!("not done") };
    let mut next = present.clone();
    (next["Delay"], next["Mode"]) = (5.into(), "Slow".into());
    assert_eq!(serde_json::to_value(&settings).unwrap()["Attributes"], next);
    assert_eq!(attributes(&lab, SETTINGS).await, next);
    assert_eq!(attributes(&lab, "/redfish/v1/Systems/a/Bios").await, present);
    // Only what changes is written.
    let calls = lab.backend.taken_calls();
    assert!(calls.len() == 1 && !calls[0].contains("Quiet"), "{calls:?}");
    patch(&lab, next).await.unwrap();
    assert!(lab.backend.taken_calls().is_empty());
    // Back to what it is.
    patch(&lab, json!({"Delay": 3})).await.unwrap();
    assert_eq!(attributes(&lab, SETTINGS).await["Delay"], 3);
    let uri: BiosUri = "/redfish/v1/Systems/a/Bios".parse().unwrap();
    lab.bmc.reset_bios(&admin(Scope::all()), uri, ResetBiosRequest::default()).await.unwrap();
    assert_eq!(attributes(&lab, SETTINGS).await, present);
}

#[tokio::test]
async fn values_are_those_of_the_registry() {
    let check = async |sent: Value, expect: &[&str]| {
        let lab = Lab::new([full("a")]);
        let error = patch(&lab, sent.clone()).await.unwrap_err();
        let line = |message: &crate::message::Message| {
            let id = message.message_id().unwrap().rsplit('.').next().unwrap_or_default();
            format!("{id} {}", message.related_properties.value().unwrap()[0])
        };
        let found: Vec<_> = error.messages.iter().map(line).collect();
        assert_eq!(found, expect, "{sent}");
        assert!(lab.backend.taken_calls().is_empty(), "{sent}");
    };
    check(json!({"Delay": 11}), &["PropertyValueOutOfRange #/Attributes/Delay"]).await;
    check(json!({"Delay": "3"}), &["PropertyValueTypeError #/Attributes/Delay"]).await;
    check(json!({"Delay": 2.5}), &["PropertyValueTypeError #/Attributes/Delay"]).await;
    check(json!({"Mode": "Warp"}), &["PropertyValueNotInList #/Attributes/Mode"]).await;
    check(json!({"Mode": null}), &["PropertyValueTypeError #/Attributes/Mode"]).await;
    check(json!({"Title": "too long"}), &["PropertyValueError #/Attributes/Title"]).await;
    check(json!({"Title": "a\n"}), &["PropertyValueTypeError #/Attributes/Title"]).await;
    check(json!({"Version": "2"}), &["PropertyNotWritable #/Attributes/Version"]).await;
    check(json!({"Speed": 1}), &["PropertyUnknown #/Attributes/Speed"]).await;
    check(
        json!({"Delay": 5, "Mode": "Warp", "Speed": 1}),
        &["PropertyValueNotInList #/Attributes/Mode", "PropertyUnknown #/Attributes/Speed"],
    )
    .await;
}

#[tokio::test]
async fn registries_are_those_of_the_machines_in_sight() {
    let mut other = full("b");
    let mut known = firmware();
    known.attributes = known.attributes[..2].into();
    other.bios = Some(known);
    let lab = Lab::new([full("a"), full("c"), other, bare("d")]);
    let all = lab.bmc.attribute_registries(&Scope::all());
    assert_eq!(all.len(), 2, "{all:?}");
    let mine = lab.bmc.attribute_registries(&view("b"));
    assert_eq!(mine.len(), 1);
    let uri = |id: &str| format!("/redfish/v1/Registries/{id}/AttributeRegistry").parse().unwrap();
    let others = all.iter().find(|id| **id != mine[0]).unwrap();
    assert!(AttributeRegistryApi::exists(&*lab.bmc, &view("b"), &uri(&mine[0])));
    assert!(!AttributeRegistryApi::exists(&*lab.bmc, &view("b"), &uri(others)));
    let registry = AttributeRegistryApi::get(&*lab.bmc, &admin(Scope::all()), uri(others)).await;
    let registry = redfish_model::to_value_strict(&registry.unwrap()).unwrap();
    assert_eq!(
        (registry["Id"].as_str(), &registry["Language"]),
        (Some(others.as_str()), &"en".into())
    );
    let entries = registry["RegistryEntries"]["Attributes"].as_array().unwrap();
    let delay = json!({
        "AttributeName": "Delay",
        "DefaultValue": 3,
        "DisplayName": "Delay",
        "LowerBound": 0,
        "UpperBound": 10,
        "ReadOnly": false,
        "ResetRequired": true,
        "Type": "Integer",
    });
    assert_eq!((&entries[0], entries.len()), (&delay, 5));
    assert_eq!(entries[1]["Value"][1]["ValueName"], "Slow");
    // The name is that in the Bios of the machine.
    let uri: BiosUri = "/redfish/v1/Systems/a/Bios".parse().unwrap();
    let bios = BiosApi::get(&*lab.bmc, &admin(Scope::all()), uri).await;
    assert_eq!(bios.unwrap().attribute_registry.as_deref(), Some(others.as_str()));
}

#[tokio::test]
async fn firmware_that_can_only_be_read_has_no_settings() {
    let mut machine = full("a");
    machine.capabilities.bios = false;
    let lab = Lab::new([machine]);
    let exists = |uri: &str| BiosApi::exists(&*lab.bmc, &Scope::all(), &uri.parse().unwrap());
    assert!(exists("/redfish/v1/Systems/a/Bios") && !exists(SETTINGS));
    let uri: BiosUri = "/redfish/v1/Systems/a/Bios".parse().unwrap();
    let bios = BiosApi::get(&*lab.bmc, &admin(Scope::all()), uri).await.unwrap();
    assert!(bios.extra.settings().is_none() && bios.actions.is_absent());
}

#[tokio::test]
async fn keys_are_reset() {
    let lab = Lab::new([full("a")]);
    let uri: SecureBootUri = "/redfish/v1/Systems/a/SecureBoot".parse().unwrap();
    let mode = async || {
        let secure_boot = SecureBootApi::get(&*lab.bmc, &admin(Scope::all()), uri.clone()).await;
        secure_boot.unwrap().secure_boot_mode.value().map(ToString::to_string)
    };
    assert_eq!(mode().await.as_deref(), Some("UserMode"));
    let body = ResetKeysRequest::new(ResetKeysType::DeletePK);
    lab.bmc.reset_keys(&admin(Scope::all()), uri.clone(), body).await.unwrap();
    assert_eq!(lab.backend.taken_calls(), ["reset_keys DeletePlatformKey"]);
    assert_eq!(mode().await.as_deref(), Some("SetupMode"));
    lab.backend.change(&id("a"), |machine| machine.boot.secure_boot_keys = None).unwrap();
    assert_eq!(mode().await, None);
}

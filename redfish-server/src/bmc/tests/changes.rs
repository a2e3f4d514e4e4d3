//! PATCH: what a body comes to, and what of it is done.

use redfish_backend::change::{BootChange, OverrideChange};
use redfish_backend::machine::{BootMode, BootOverride, BootTarget, Machine, OverrideEnabled};
use redfish_model::computer_system::BootPatch;
use redfish_model::{ChassisUri, ComputerSystem, ComputerSystemUri, Field, SecureBootUri};
use serde_json::{Value, json};

use super::super::boot_change::boot_change;
use super::super::testing::{Lab, admin, bare, full, part, scope};
use crate::api::chassis::ChassisApi;
use crate::api::computer_system::ComputerSystemApi;
use crate::api::secure_boot::SecureBootApi;
use crate::context::{Profile, Scope};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::mount::{Reply, State};

/// The keys of message ids with the properties that they are about.
fn lines(messages: &[Message]) -> Vec<String> {
    let line = |message: &Message| {
        let id = message.message_id().unwrap().rsplit('.').next().unwrap_or_default();
        let related = message.related_properties.as_deref().unwrap_or_default().join(" ");
        format!("{id} {related}").trim_end().to_owned()
    };
    messages.iter().map(line).collect()
}

fn set(enabled: OverrideEnabled, target: BootTarget) -> OverrideChange {
    OverrideChange::Set(BootOverride { enabled, target })
}

#[test]
fn overrides_are_written_in_pieces() {
    use OverrideEnabled::{Continuous, Once};
    let with = |present: Option<(OverrideEnabled, BootTarget)>| {
        let mut machine = full("a");
        machine.boot.override_ = present.map(|(enabled, target)| BootOverride { enabled, target });
        machine
    };
    let check = |machine: &Machine, body: Value, expect: Result<OverrideChange, &[&str]>| {
        let patch: BootPatch = serde_json::from_value(body.clone()).unwrap();
        let wanted = boot_change(machine, &patch);
        let told: Vec<_> = lines(&wanted.wrong).into_iter().chain(lines(&wanted.left)).collect();
        match expect {
            Ok(expect) => {
                assert_eq!((wanted.change.override_, told), (expect, vec![]), "{body}");
            }
            Err(expect) => {
                assert_eq!(told, expect, "{body}");
                assert_eq!(wanted.change, BootChange::default(), "{body}");
            }
        }
    };
    let (none, once, lasting) =
        (with(None), with(Some((Once, BootTarget::Cd))), with(Some((Continuous, BootTarget::Cd))));
    let target = |word: &str| json!({"BootSourceOverrideTarget": word});
    let enabled = |word: &str| json!({"BootSourceOverrideEnabled": word});
    let both = |target: &str, enabled: &str| json!({"BootSourceOverrideTarget": target, "BootSourceOverrideEnabled": enabled});
    check(&none, both("Pxe", "Once"), Ok(set(Once, BootTarget::Pxe)));
    check(&none, both("Pxe", "Continuous"), Ok(set(Continuous, BootTarget::Pxe)));
    // One without the other.
    check(&none, target("Pxe"), Ok(set(Once, BootTarget::Pxe)));
    check(&lasting, target("Pxe"), Ok(set(Continuous, BootTarget::Pxe)));
    check(&once, enabled("Continuous"), Ok(set(Continuous, BootTarget::Cd)));
    let conflict = "PropertyValueConflict #/Boot/BootSourceOverrideEnabled";
    check(&none, enabled("Once"), Err(&[conflict]));
    // Away with it.
    check(&once, target("None"), Ok(OverrideChange::Clear));
    check(&once, enabled("Disabled"), Ok(OverrideChange::Clear));
    check(&once, both("None", "Once"), Ok(OverrideChange::Clear));
    check(&once, both("Pxe", "Disabled"), Ok(OverrideChange::Clear));
    check(&once, json!({"BootSourceOverrideTarget": null}), Ok(OverrideChange::Clear));
    // What is so already is no change.
    check(&once, both("Cd", "Once"), Ok(OverrideChange::Keep));
    check(&none, both("None", "Disabled"), Ok(OverrideChange::Keep));
    check(&none, json!({}), Ok(OverrideChange::Keep));
    // What can't be.
    let not_in_list = "PropertyValueNotInList #/Boot/BootSourceOverrideTarget";
    check(&none, both("Usb", "Once"), Err(&[not_in_list]));
    check(&none, both("Diags", "Once"), Err(&[not_in_list]));
    check(&none, both("Nowhere", "Once"), Err(&[not_in_list]));
    let not_for_long = {
        let mut machine = with(None);
        machine.capabilities.boot.as_mut().unwrap().continuous = false;
        machine
    };
    let enabled_not_in_list = "PropertyValueNotInList #/Boot/BootSourceOverrideEnabled";
    check(&not_for_long, both("Pxe", "Continuous"), Err(&[enabled_not_in_list]));
    check(
        &bare("a"),
        both("Pxe", "Once"),
        Err(&[
            "PropertyNotWritable #/Boot/BootSourceOverrideTarget",
            "PropertyNotWritable #/Boot/BootSourceOverrideEnabled",
        ]),
    );
    check(&bare("a"), both("None", "Disabled"), Ok(OverrideChange::Keep));
}

#[test]
fn modes_and_orders() {
    let check = |machine: &Machine, body: Value, expect: Result<BootChange, &str>| {
        let patch: BootPatch = serde_json::from_value(body.clone()).unwrap();
        let wanted = boot_change(machine, &patch);
        let told: Vec<_> = lines(&wanted.wrong).into_iter().chain(lines(&wanted.left)).collect();
        let found = if told.is_empty() { Ok(wanted.change) } else { Err(told.join(", ")) };
        assert_eq!(found, expect.map_err(str::to_owned), "{body}");
    };
    let mode = |mode| {
        let mut change = BootChange::default();
        change.mode = Some(mode);
        change
    };
    let order = |ids: &[&str]| {
        let mut change = BootChange::default();
        change.order = Some(ids.iter().map(|id| part(id)).collect());
        change
    };
    let (all, none) = (full("a"), bare("a"));
    let nothing = BootChange::default;
    check(&all, json!({"BootSourceOverrideMode": "Legacy"}), Ok(mode(BootMode::Legacy)));
    check(&all, json!({"BootSourceOverrideMode": "UEFI"}), Ok(nothing()));
    let not_writable = "PropertyNotWritable #/Boot/BootSourceOverrideMode";
    check(&none, json!({"BootSourceOverrideMode": "UEFI"}), Err(not_writable));
    check(&all, json!({"BootOrder": ["CD0", "disk0"]}), Ok(order(&["CD0", "disk0"])));
    check(&all, json!({"BootOrder": ["disk0", "net0", "CD0"]}), Ok(nothing()));
    let not_in_list = "PropertyValueNotInList #/Boot/BootOrder";
    check(&all, json!({"BootOrder": ["CD0", "tape"]}), Err(not_in_list));
    check(&all, json!({"BootOrder": ["CD0", "CD0"]}), Err("PropertyValueError #/Boot/BootOrder"));
    check(&none, json!({"BootOrder": ["CD0"]}), Err("PropertyNotWritable #/Boot/BootOrder"));
    // What is null for clients to see stays so.
    check(&all, json!({"BootNext": null, "HttpBootUri": null}), Ok(nothing()));
    check(&all, json!({"BootNext": "net0"}), Err("PropertyNotWritable #/Boot/BootNext"));
    // Whoever sends thousands of wrong entries is told of a few.
    let many: Vec<_> = (0..1000).map(|n| format!("x{n}")).collect();
    let patch = BootPatch {
        boot_order: Field::Value(many.into_iter().map(Some).collect()),
        ..BootPatch::default()
    };
    assert_eq!(boot_change(&all, &patch).wrong.len(), 16);
}

async fn patch(lab: &Lab, body: Value) -> Result<Reply<ComputerSystem>> {
    let uri: ComputerSystemUri = "/redfish/v1/Systems/a".parse().unwrap();
    let body = serde_json::from_value(body).unwrap();
    ComputerSystemApi::patch(&*lab.bmc, &admin(Scope::all()), uri, body).await
}

fn shown<T: serde::Serialize>(reply: &Reply<T>) -> Value {
    match &reply.state {
        State::Done(resource) => serde_json::to_value(resource).unwrap(),
        State::Accepted(_) => Value::Null,
    }
}

fn told(error: &Error) -> (u16, Vec<String>) {
    (error.status.as_u16(), lines(&error.messages))
}

#[tokio::test]
async fn several_members_are_at_most_two_writes() {
    let lab = Lab::new([full("a")]);
    let body = json!({
        "AssetTag": "new",
        "LocationIndicatorActive": true,
        "Boot": {
            "BootSourceOverrideTarget": "Pxe",
            "BootSourceOverrideMode": "Legacy",
            "BootOrder": ["net0"],
        },
    });
    let reply = patch(&lab, body).await.unwrap();
    assert_eq!(lab.backend.taken_calls(), ["set_boot ", "set_identity "]);
    let now = shown(&reply);
    assert_eq!((&now["AssetTag"], &now["LocationIndicatorActive"]), (&"new".into(), &true.into()));
    assert_eq!(now["Boot"]["BootSourceOverrideTarget"], "Pxe");
    assert_eq!(now["Boot"]["BootOrder"], json!(["net0", "disk0", "CD0"]));
    assert!(reply.messages.is_empty());
    // The whole object as it was read: nothing to do.
    let reply = patch(&lab, now).await.unwrap();
    assert!(lab.backend.taken_calls().is_empty() && reply.messages.is_empty());
    let cleared = shown(&patch(&lab, json!({"AssetTag": null})).await.unwrap());
    assert_eq!(cleared["AssetTag"], Value::Null);
}

#[tokio::test]
async fn one_fault_changes_nothing() {
    let check = async |body: Value, status: u16, expect: &[&str]| {
        let lab = Lab::new([full("a")]);
        let error = patch(&lab, body.clone()).await.unwrap_err();
        let expect = expect.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(told(&error), (status, expect), "{body}");
        assert!(lab.backend.taken_calls().is_empty(), "{body}");
    };
    let wrong_target = json!({"AssetTag": "x", "Boot": {"BootSourceOverrideTarget": "Usb"}});
    check(wrong_target, 400, &["PropertyValueNotInList #/Boot/BootSourceOverrideTarget"]).await;
    check(json!({"AssetTag": "x".repeat(257)}), 400, &["StringValueTooLong #/AssetTag"]).await;
    check(json!({"AssetTag": "a\nb"}), 400, &["PropertyValueFormatError #/AssetTag"]).await;
    check(json!({"HostName": "other"}), 400, &["PropertyNotWritable #/HostName"]).await;
}

#[tokio::test]
async fn what_can_not_be_changed_is_told_beside_what_was() {
    let lab = Lab::new([full("a")]);
    let reply = patch(&lab, json!({"AssetTag": "new", "HostName": "other"})).await.unwrap();
    assert_eq!(lines(&reply.messages), ["PropertyNotWritable #/HostName"]);
    assert_eq!(shown(&reply)["AssetTag"], "new");
}

#[tokio::test]
async fn half_a_change_is_told_as_such() {
    let lab = Lab::new([full("a")]);
    let fails = |name, error| lab.backend.fails.lock().unwrap().insert(name, error);
    let body = json!({"AssetTag": "new", "Boot": {"BootSourceOverrideTarget": "Pxe"}});
    fails("set_identity", redfish_backend::Error::conflict("Somebody was faster"));
    let reply = patch(&lab, body.clone()).await.unwrap();
    let now = shown(&reply);
    assert_eq!(
        (&now["AssetTag"], &now["Boot"]["BootSourceOverrideTarget"]),
        (&"tag".into(), &"Pxe".into())
    );
    assert_eq!(lines(&reply.messages), ["PropertyNotUpdated #/AssetTag", "ResourceInUse"]);
    // When the first one fails, the second is not tried.
    fails("set_boot", redfish_backend::Error::busy());
    lab.backend.taken_calls();
    let body = json!({"AssetTag": "new", "Boot": {"BootSourceOverrideTarget": "Hdd"}});
    let error = patch(&lab, body).await.unwrap_err();
    assert_eq!(
        (error.status.as_u16(), lab.backend.taken_calls()),
        (503, vec!["set_boot ".to_owned()])
    );
}

#[tokio::test]
async fn the_chassis_has_the_indicator_of_its_system() {
    let lab = Lab::new([full("a")]);
    let uri: ChassisUri = "/redfish/v1/Chassis/a".parse().unwrap();
    let body = serde_json::from_value(json!({"LocationIndicatorActive": true})).unwrap();
    let reply = ChassisApi::patch(&*lab.bmc, &admin(scope(Profile::Strict)), uri, body).await;
    assert_eq!(shown(&reply.unwrap())["LocationIndicatorActive"], true);
    let system = shown(&patch(&lab, json!({})).await.unwrap());
    assert_eq!(system["LocationIndicatorActive"], true);
}

#[tokio::test]
async fn secure_boot_is_switched() {
    let check = async |machine: Machine, body: Value, expect: Result<&[&str], &str>| {
        let lab = Lab::new([machine]);
        let uri: SecureBootUri = "/redfish/v1/Systems/a/SecureBoot".parse().unwrap();
        let body = serde_json::from_value(body).unwrap();
        let reply = SecureBootApi::patch(&*lab.bmc, &admin(Scope::all()), uri, body).await;
        let calls = lab.backend.taken_calls();
        match expect {
            Ok(expect) => assert_eq!(
                (reply.is_ok(), calls),
                (true, expect.iter().map(|c| (*c).to_owned()).collect())
            ),
            Err(expect) => assert_eq!(lines(&reply.unwrap_err().messages), [expect]),
        }
    };
    let fixed = || {
        let mut machine = full("a");
        machine.capabilities.secure_boot = false;
        machine
    };
    check(full("a"), json!({"SecureBootEnable": false}), Ok(&["set_boot "])).await;
    check(full("a"), json!({"SecureBootEnable": true}), Ok(&[])).await;
    check(
        full("a"),
        json!({"SecureBootEnable": null}),
        Err("PropertyValueTypeError #/SecureBootEnable"),
    )
    .await;
    check(fixed(), json!({"SecureBootEnable": true}), Ok(&[])).await;
    check(
        fixed(),
        json!({"SecureBootEnable": false}),
        Err("PropertyNotWritable #/SecureBootEnable"),
    )
    .await;
}

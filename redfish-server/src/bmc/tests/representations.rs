//! What single members say, as tables.

use std::sync::{Arc, Mutex};

use redfish_backend::machine::{BootCapabilities, Machine, Memory, Processors};
use redfish_backend::power::{PowerState, Reset, ResetSet};
use redfish_model::manager::ResetRequest;
use redfish_model::to_value_strict;
use serde_json::{Value, json};

use super::super::testing::{Lab, admin, bare, full, id, part, scope, view};
use super::super::{ManagerInterface, ResetHook, Seen, Settings, system};
use crate::api::computer_system::ComputerSystemApi;
use crate::api::ethernet_interface::{EthernetInterfaceApi, EthernetInterfaceCollectionApi};
use crate::api::manager::ManagerApi;
use crate::context::{Machines, OperatingSystem, Profile, Scope};

fn as_json(machine: &Machine, scope: &Scope) -> Value {
    let settings = Settings::default();
    let seen = Seen { machine, scope, settings: &settings };
    serde_json::to_value(system::system(&seen)).unwrap()
}

fn changed(change: impl FnOnce(&mut Machine)) -> Machine {
    let mut machine = full("a");
    change(&mut machine);
    machine
}

#[test]
fn members_of_systems() {
    let check = |machine: &Machine, pointer: &str, expect: Value| {
        let body = as_json(machine, &scope(Profile::Strict));
        let found = body.pointer(pointer).cloned();
        assert_eq!(found, Some(expect).filter(|value| *value != "absent"), "{pointer}");
    };
    let (all, none, absent) = (full("a"), bare("a"), || json!("absent"));
    check(&all, "/SystemType", json!("Virtual"));
    check(&all, "/Name", json!("a"));
    check(&all, "/PowerState", json!("On"));
    check(&all, "/UUID", json!("0c4c4544-0051-3310-8052-b4c04f4d3132"));
    check(&all, "/BiosVersion", json!("1.2"));
    check(&all, "/HostName", json!("guest"));
    check(&all, "/BootProgress", json!({"LastState": "OSRunning"}));
    check(&all, "/MemorySummary", json!({"TotalSystemMemoryGiB": 2.5}));
    let summary =
        json!({"Count": 2, "CoreCount": 8, "LogicalProcessorCount": 16, "Model": "CPU Model"});
    check(&all, "/ProcessorSummary", summary);
    check(&all, "/Links/ManagedBy", json!([{"@odata.id": "/redfish/v1/Managers/a"}]));
    check(
        &all,
        "/Actions/#ComputerSystem.Reset",
        json!({
            "target": "/redfish/v1/Systems/a/Actions/ComputerSystem.Reset",
            "ResetType@Redfish.AllowableValues": ["On", "ForceOff", "ForceRestart"],
            "@Redfish.ActionInfo": "/redfish/v1/Systems/a/ResetActionInfo",
        }),
    );
    // Nothing is made up.
    for pointer in [
        "/Actions",
        "/AssetTag",
        "/BiosVersion",
        "/BootProgress",
        "/Description",
        "/HostName",
        "/IndicatorLED",
        "/LocationIndicatorActive",
        "/Manufacturer",
        "/MemorySummary",
        "/Model",
        "/ProcessorSummary",
        "/SecureBoot",
        "/SerialNumber",
        "/UUID",
        "/GraphicalConsole",
        "/SerialConsole",
        "/Bios",
        "/Redundancy@odata.count",
        "/@Redfish.Settings",
    ] {
        check(&none, pointer, absent());
    }
    // What can be written is shown.
    let unset = changed(|machine| {
        (machine.identity.asset_tag, machine.identity.locating) = (None, None);
    });
    check(&unset, "/AssetTag", Value::Null);
    check(&unset, "/LocationIndicatorActive", Value::Null);
    let empty = changed(|machine| {
        machine.identity.serial_number = Some("".into());
        machine.inventory.memory = Some(Memory { bytes: 4 << 30 });
    });
    check(&empty, "/SerialNumber", absent());
    check(&empty, "/MemorySummary/TotalSystemMemoryGiB", json!(4));
    let huge = changed(|machine| {
        machine.inventory.processors = Some(Processors::new(u32::MAX, u32::MAX, u32::MAX));
    });
    check(&huge, "/ProcessorSummary/LogicalProcessorCount", json!(i64::MAX));
}

#[test]
fn boot_says_what_can_be_set() {
    let check = |machine: &Machine, profile, expect: Value| {
        assert_eq!(as_json(machine, &scope(profile))["Boot"], expect);
    };
    check(
        &bare("a"),
        Profile::Clients,
        json!({
            "BootSourceOverrideEnabled": "Disabled",
            "BootSourceOverrideTarget": "None",
        }),
    );
    let mut expect = json!({
        "BootOptions": {"@odata.id": "/redfish/v1/Systems/a/BootOptions"},
        "BootOrder": ["disk0", "net0", "CD0"],
        "BootSourceOverrideEnabled": "Once",
        "BootSourceOverrideEnabled@Redfish.AllowableValues": ["Disabled", "Once", "Continuous"],
        "BootSourceOverrideMode": "UEFI",
        "BootSourceOverrideMode@Redfish.AllowableValues": ["UEFI", "Legacy"],
        "BootSourceOverrideTarget": "Cd",
        "BootSourceOverrideTarget@Redfish.AllowableValues": ["None", "Pxe", "Hdd", "Cd"],
    });
    check(&full("a"), Profile::Strict, expect.clone());
    for name in ["BootNext", "HttpBootUri", "UefiTargetBootSourceOverride"] {
        expect[name] = Value::Null;
    }
    check(&full("a"), Profile::Clients, expect);
    // Only what a machine can do is offered.
    let once = changed(|machine| {
        let mut can = BootCapabilities::default();
        (can.targets, can.once) = (vec![redfish_backend::machine::BootTarget::Pxe], true);
        machine.capabilities.boot = Some(can);
    });
    let body = as_json(&once, &scope(Profile::Strict));
    let lasting = &body["Boot"]["BootSourceOverrideEnabled@Redfish.AllowableValues"];
    assert_eq!(*lasting, json!(["Disabled", "Once"]));
    assert_eq!(body["Boot"].get("BootSourceOverrideMode@Redfish.AllowableValues"), None);
}

#[test]
fn names_are_bare_where_nobody_else_has_them() {
    let check = |scope: &Scope, unique_names: bool, expect: &str| {
        let settings = Settings { unique_names, ..Settings::default() };
        let machine = full("a");
        let seen = Seen { machine: &machine, scope, settings: &settings };
        assert_eq!(seen.name(), expect, "{scope:?}");
    };
    let only = |ids: &[&str]| Scope {
        machines: Machines::Only(ids.iter().map(|id| (*id).to_owned()).collect()),
        ..Scope::all()
    };
    check(&Scope::all(), false, "a");
    check(&Scope::all(), true, "name-of-a");
    check(&only(&["a"]), false, "name-of-a");
    check(&only(&["a", "b"]), false, "a");
    check(&view("a"), false, "name-of-a");
}

#[test]
fn states_follow_power() {
    let check = |power, state: &str, power_state: &str| {
        let body = as_json(&changed(|machine| machine.power = power), &scope(Profile::Strict));
        assert_eq!(
            (&body["Status"]["State"], &body["PowerState"]),
            (&state.into(), &power_state.into())
        );
    };
    check(PowerState::On, "Enabled", "On");
    check(PowerState::Off, "StandbyOffline", "Off");
    check(PowerState::PoweringOn, "Starting", "PoweringOn");
    check(PowerState::PoweringOff, "Enabled", "PoweringOff");
    check(PowerState::Paused, "Quiesced", "Paused");
}

#[test]
fn operating_systems_as_configured() {
    let check = |operating_system, expect: Value| {
        let scope = Scope { operating_system, ..Scope::all() };
        let found = as_json(&full("a"), &scope).get("OperatingSystem").cloned();
        assert_eq!(found.unwrap_or_default(), expect);
        assert_eq!(as_json(&bare("a"), &scope).get("OperatingSystem"), None);
    };
    check(OperatingSystem::Omit, Value::Null);
    check(OperatingSystem::String, json!("Debian GNU/Linux 13"));
    let link = json!({"@odata.id": "/redfish/v1/Systems/a/OperatingSystem"});
    check(OperatingSystem::Link, link);
}

#[tokio::test]
async fn machines_are_those_of_the_scope() {
    let lab = Lab::new([full("a"), full("b")]);
    let exists = |scope: &Scope, name: &str| {
        let uri = format!("/redfish/v1/Systems/{name}").parse().unwrap();
        ComputerSystemApi::exists(&*lab.bmc, scope, &uri)
    };
    assert!(exists(&Scope::all(), "a") && !exists(&Scope::all(), "c"));
    assert!(exists(&view("b"), "1") && exists(&view("b"), "b") && !exists(&view("b"), "a"));
    assert!(!exists(&Scope::all(), "1"));
}

#[tokio::test]
async fn nothing_is_there_before_the_first_sync() {
    let lab = Lab::unknown(Settings::default());
    let error = lab.bmc.ready().unwrap_err();
    assert_eq!((error.status.as_u16(), error.retry_after.is_some()), (503, true));
    let listed = lab.bmc.machines(&Scope::all()).unwrap_err();
    assert_eq!(listed.status.as_u16(), 503);
    assert!(Lab::new([]).bmc.ready().is_ok());
}

#[tokio::test]
async fn versions_move_with_the_machine_and_with_what_is_kept() {
    let lab = Lab::new([full("a"), full("b")]);
    let version =
        |name: &str| lab.bmc.version(&Scope::all(), &format!("/redfish/v1/Systems/{name}/Memory"));
    let (a, b) = (version("a"), version("b"));
    assert!(a.is_some() && version("c").is_none());
    lab.backend.change(&id("a"), |machine| machine.power = PowerState::Off).unwrap();
    assert_ne!(version("a"), a);
    assert_eq!(version("b"), b);
    let before = version("a");
    let uri = "/redfish/v1/Managers/a".parse().unwrap();
    ManagerApi::reset(&*lab.bmc, &admin(Scope::all()), uri, ResetRequest::default()).await.unwrap();
    assert_ne!(version("a"), before);
}

#[tokio::test]
async fn resets_are_those_of_the_machine() {
    let machine = changed(|machine| {
        machine.capabilities.resets = ResetSet::NONE.with(Reset::On).with(Reset::Nmi);
    });
    let lab = Lab::new([machine]);
    let reset = async |body: Value| {
        let uri = "/redfish/v1/Systems/a".parse().unwrap();
        let body = serde_json::from_value(body).unwrap();
        let answer = ComputerSystemApi::reset(&*lab.bmc, &admin(Scope::all()), uri, body).await;
        answer.map(|_| ()).map_err(|e| e.messages[0].message_id().unwrap().to_owned())
    };
    let not_in_list = "Base.1.22.ActionParameterValueNotInList".to_owned();
    assert_eq!(reset(json!({"ResetType": "Nmi"})).await, Ok(()));
    assert_eq!(lab.backend.taken_calls(), ["reset Nmi by admin"]);
    assert_eq!(reset(json!({"ResetType": "ForceOff"})).await, Err(not_in_list.clone()));
    assert_eq!(reset(json!({"ResetType": "Sideways"})).await, Err(not_in_list));
    let missing = "Base.1.22.ActionParameterMissing".to_owned();
    assert_eq!(reset(json!({})).await, Err(missing));
    assert!(lab.backend.taken_calls().is_empty());
    let refusal = redfish_backend::Error::conflict("The machine is off");
    lab.backend.fails.lock().unwrap().insert("reset", refusal);
    assert_eq!(reset(json!({"ResetType": "Nmi"})).await, Err("Base.1.22.ResourceInUse".to_owned()));
}

#[tokio::test]
async fn managers_are_reset_logically() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&told);
    let hook: ResetHook =
        Arc::new(move |_, machine| notes.lock().unwrap().push(machine.id.clone()));
    let settings = Settings { on_manager_reset: Some(hook), ..Settings::default() };
    let lab = Lab::with([full("a"), full("b")], settings);
    let reset = async |body: Value| {
        let uri = "/redfish/v1/Managers/a".parse().unwrap();
        let body: ResetRequest = serde_json::from_value(body).unwrap();
        ManagerApi::reset(&*lab.bmc, &admin(Scope::all()), uri, body).await
    };
    let last = async |name: &str| {
        let uri = format!("/redfish/v1/Managers/{name}").parse().unwrap();
        let manager = ManagerApi::get(&*lab.bmc, &admin(Scope::all()), uri).await.unwrap();
        assert!(manager.date_time.value().unwrap().is_well_formed());
        manager.last_reset_time.is_value()
    };
    assert_eq!(reset(json!({"ResetType": "PowerCycle"})).await.unwrap_err().status, 400);
    assert!(!last("a").await && told.lock().unwrap().is_empty());
    reset(json!({"ResetType": "ForceRestart"})).await.unwrap();
    reset(json!({})).await.unwrap();
    assert!(last("a").await && !last("b").await);
    assert_eq!(*told.lock().unwrap(), [id("a"), id("a")]);
    assert!(lab.backend.taken_calls().is_empty());
}

#[test]
fn managers_have_the_interfaces_that_are_known() {
    let lab = Lab::new([full("a")]);
    let uri = "/redfish/v1/Managers/a/EthernetInterfaces".parse().unwrap();
    assert!(!EthernetInterfaceCollectionApi::exists(&*lab.bmc, &Scope::all(), &uri));
}

#[tokio::test]
async fn addresses_of_managers_have_their_networks() {
    let interface = ManagerInterface {
        name: part("eth0"),
        mac: "52:54:00:00:00:02".parse().unwrap(),
        addresses: vec!["192.0.2.7/24".parse().unwrap(), "2001:db8::7/64".parse().unwrap()],
    };
    let mut settings = Settings::default();
    settings.network.interfaces = vec![interface];
    let lab = Lab::with([full("a")], settings);
    let uri = "/redfish/v1/Managers/a/EthernetInterfaces/eth0".parse().unwrap();
    let found = EthernetInterfaceApi::get(&*lab.bmc, &admin(Scope::all()), uri).await.unwrap();
    let body = to_value_strict(&found).unwrap();
    assert_eq!((&body["Id"], &body["MACAddress"]), (&"eth0".into(), &"52:54:00:00:00:02".into()));
    let v4 = json!([{"Address": "192.0.2.7", "SubnetMask": "255.255.255.0"}]);
    assert_eq!(body["IPv4Addresses"], v4);
    assert_eq!(body["IPv6Addresses"], json!([{"Address": "2001:db8::7", "PrefixLength": 64}]));
}

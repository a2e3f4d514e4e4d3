//! Everything that is printed, found by following the links: it is where it says it is, it is complete
//! by the strict rules of the model, and what it links to is there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::body::to_bytes;
use http::{Method, StatusCode};
use redfish_model::reflect::resource_entry;
use serde_json::Value;

use super::super::testing::{Lab, admin, bare, full, long_ago, part, scope, view};
use super::super::{ManagerInterface, ManagerNetwork, Settings};
use crate::context::{OperatingSystem, Profile, Scope};
use crate::router::Router;

const ROOTS: [&str; 3] = ["/redfish/v1/Systems", "/redfish/v1/Chassis", "/redfish/v1/Managers"];

/// Of other services: links to these are pruned where there is none.
const ELSEWHERE: [&str; 4] = ["LogServices", "NetworkProtocol", "Sensors", "SerialInterfaces"];

async fn get(router: &Arc<Router>, scope: &Scope, uri: &str) -> (StatusCode, Value) {
    let response = router.ask(admin(scope.clone()), &Method::GET, uri, b"").await;
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// All resources that a scope can reach, checked.
async fn crawl(lab: &Lab, scope: Scope) -> BTreeMap<String, Value> {
    let router = lab.router();
    let mut open: Vec<String> = ROOTS.map(str::to_owned).into();
    let mut found = BTreeMap::new();
    let mut missing = BTreeSet::new();
    while let Some(uri) = open.pop() {
        if found.contains_key(&uri) || missing.contains(&uri) {
            continue;
        }
        let (status, body) = get(&router, &scope, &uri).await;
        if status == StatusCode::NOT_FOUND {
            missing.insert(uri);
            continue;
        }
        assert_eq!(status, StatusCode::OK, "{uri}: {body}");
        check(&uri, &body);
        for target in texts(&body, "target") {
            // A refusal is fine, no such URI is not.
            let answer = router.ask(admin(scope.clone()), &Method::POST, &target, b"7").await;
            assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{target}");
        }
        open.extend(texts(&body, "@odata.id"));
        open.extend(texts(&body, "@Redfish.ActionInfo"));
        found.insert(uri, body);
    }
    for uri in missing {
        let tail = uri.rsplit('/').next().unwrap_or_default();
        assert!(ELSEWHERE.contains(&tail), "{uri} is missing");
    }
    found
}

/// Whether a resource is what its URI and its type promise.
fn check(uri: &str, body: &Value) {
    assert_eq!(body["@odata.id"], uri);
    let odata_type = body["@odata.type"].as_str().unwrap();
    let schema = odata_type.trim_start_matches('#').split('.').next().unwrap();
    let entry = resource_entry(schema).unwrap();
    let read = (entry.rewrite)(&body.to_string()).unwrap();
    assert!(read.inspection.is_clean(), "{uri}: {}", read.inspection);
    assert_eq!(read.value, *body, "{uri}");
    if let Some(id) = body.get("Id") {
        assert_eq!(*id, uri.rsplit('/').next().unwrap(), "{uri}");
    }
    no_empty_texts(uri, body);
}

fn no_empty_texts(at: &str, value: &Value) {
    match value {
        Value::String(text) => assert!(!text.is_empty(), "{at} is empty"),
        Value::Array(items) => items.iter().for_each(|item| no_empty_texts(at, item)),
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| no_empty_texts(&format!("{at} {name}"), value));
        }
        _ => {}
    }
}

/// The texts of all members of a name, at any depth.
fn texts(value: &Value, name: &str) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| texts(item, name)).collect(),
        Value::Object(members) => {
            let here = members.get(name).and_then(Value::as_str).map(str::to_owned);
            here.into_iter().chain(members.values().flat_map(|v| texts(v, name))).collect()
        }
        _ => Vec::new(),
    }
}

fn settings() -> Settings {
    let interface = ManagerInterface {
        name: part("eth0"),
        mac: "52:54:00:00:00:02".parse().unwrap(),
        addresses: vec!["192.0.2.7/24".parse().unwrap(), "2001:db8::7/64".parse().unwrap()],
    };
    let mut network = ManagerNetwork::default();
    (network.host_name, network.interfaces) = (Some("bmc".to_owned()), vec![interface]);
    Settings { network, ..Settings::default() }
}

#[tokio::test]
async fn what_is_printed_is_there_and_complete() {
    let lab = Lab::with([full("a"), bare("bare")], settings());
    for profile in [Profile::Clients, Profile::Strict] {
        for operating_system in
            [OperatingSystem::Omit, OperatingSystem::String, OperatingSystem::Link]
        {
            let scope = Scope { operating_system, ..scope(profile) };
            let found = crawl(&lab, scope).await;
            let has = |tail: &str| found.contains_key(&format!("/redfish/v1/{tail}"));
            for tail in [
                "Systems/a/Processors/CPU2",
                "Systems/a/Memory/DIMM1",
                "Systems/a/EthernetInterfaces/net0",
                "Systems/a/SimpleStorage/Disks",
                "Systems/a/BootOptions/net0",
                "Systems/a/Bios",
                "Systems/a/Bios/Settings",
                "Systems/a/SecureBoot/ResetKeysActionInfo",
                "Systems/a/SecureBoot/SecureBootDatabases/db",
                "Systems/a/Storage/raid0/Controllers/raid0",
                "Systems/a/Storage/raid0/Volumes/volume-1",
                "Chassis/a/Drives/disk1",
                "Systems/a/SecureBoot",
                "Systems/a/VirtualMedia/CD0/InsertMediaActionInfo",
                "Systems/a/ResetActionInfo",
                "Chassis/a/PowerSubsystem",
                "Chassis/a/ThermalSubsystem",
                "Managers/a/EthernetInterfaces/eth0",
                "Managers/a/ResetActionInfo",
                "Systems/bare",
                "Chassis/bare",
                "Managers/bare",
            ] {
                assert!(has(tail), "{tail} is not linked");
            }
            let link = operating_system == OperatingSystem::Link;
            assert_eq!(has("Systems/a/OperatingSystem"), link);
            assert_eq!(has("Managers/a/VirtualMedia/CD0"), profile == Profile::Clients);
        }
    }
}

#[tokio::test]
async fn a_view_shows_one_machine_under_its_short_name() {
    let lab = Lab::with([full("a"), full("b")], settings());
    let found = crawl(&lab, view("b")).await;
    assert!(found.keys().all(|uri| !uri.contains("/a") && !uri.contains("/b")), "{found:?}");
    let system = &found["/redfish/v1/Systems/1"];
    assert_eq!((&system["Id"], &system["Name"]), (&"1".into(), &"name-of-b".into()));
    assert_eq!(found["/redfish/v1/Systems"]["Members@odata.count"], 1);
    // The id is an alias; what it says is the short name all the same.
    let (status, alias) = get(&lab.router(), &view("b"), "/redfish/v1/Systems/b").await;
    assert_eq!(
        (status, alias["@odata.id"].as_str()),
        (StatusCode::OK, Some("/redfish/v1/Systems/1"))
    );
    assert_eq!(get(&lab.router(), &view("b"), "/redfish/v1/Systems/a").await.0, 404);
}

#[tokio::test]
async fn trouble_is_complete_as_well() {
    let mut machine = full("a");
    machine.media[0].failure = Some((1, redfish_backend::media::FetchFailure::TooLarge));
    let lab = Lab::new([machine]);
    lab.backend.feed.mark_stale(long_ago(), |_| true);
    let found = crawl(&lab, scope(Profile::Strict)).await;
    let status = &found["/redfish/v1/Systems/a"]["Status"];
    assert_eq!(
        (&status["Health"], &status["HealthRollup"]),
        (&"Warning".into(), &"Warning".into())
    );
    let ids: Vec<_> = texts(status, "MessageId");
    assert_eq!(ids, ["VirtualBmc.1.0.RestartRequired", "VirtualBmc.1.0.StateUnknown"]);
    assert_eq!(found["/redfish/v1/Managers/a"]["Status"]["Health"], "Warning");
    let slot = &found["/redfish/v1/Systems/a/VirtualMedia/CD0"]["Status"];
    assert_eq!(slot["Conditions"][0]["MessageId"], "VirtualBmc.1.0.ImportFailed");
}

#[tokio::test]
async fn operations_that_nothing_can_do_are_not_there() {
    let lab = Lab::new([full("a")]);
    let router = lab.router();
    let check = async |method: Method, uri: &str, expect: u16| {
        let uri = format!("/redfish/v1/{uri}");
        let context = admin(scope(Profile::Clients));
        let status = router.ask(context, &method, &uri, b"{}").await.status();
        assert_eq!(status.as_u16(), expect, "{method} {uri}");
    };
    check(Method::PATCH, "Systems/a/Processors/CPU1", 405).await;
    check(Method::DELETE, "Systems/a/BootOptions/net0", 405).await;
    check(Method::POST, "Systems/a/BootOptions", 405).await;
    check(Method::PATCH, "Managers/a", 405).await;
    check(Method::POST, "Systems/a/Actions/ComputerSystem.SetDefaultBootOrder", 404).await;
    check(Method::POST, "Chassis/a/Actions/Chassis.Reset", 404).await;
    check(Method::POST, "Managers/a/Actions/Manager.ResetToDefaults", 404).await;
    check(Method::PATCH, "Systems/a/Bios", 405).await;
    check(Method::POST, "Systems/a/Bios/Actions/Bios.ChangePassword", 404).await;
    check(Method::POST, "Systems/a/Bios/Settings/Actions/Bios.ResetBios", 404).await;
    check(Method::PATCH, "Systems/a/Storage/raid0/Volumes/volume-1", 405).await;
    check(Method::GET, "Systems/a/Storage/raid0/Drives/disk0", 404).await;
    // A disk that belongs to no controller is none of its drives.
    check(Method::GET, "Chassis/a/Drives/disk2", 404).await;
    check(Method::GET, "Systems/a/Processors/CPU3", 404).await;
    check(Method::GET, "Systems/a/Processors/CPU01", 404).await;
    check(Method::GET, "Systems/a/Processors/CPU+1", 404).await;
}

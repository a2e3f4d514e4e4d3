//! Which registries there are, where, and what is in them.

use redfish_model::privileges::PrivilegeType;
use redfish_model::{Field, OpenEnum as _, to_value_strict};
use serde_json::Value;

use super::*;
use crate::context::Machines;
use crate::operation::Privilege;
use crate::privileges::MAPPINGS;

fn attributes(scope: &Scope) -> Vec<String> {
    if scope.machines == Machines::All { vec!["Bios.1.0.0".to_owned()] } else { Vec::new() }
}

fn registries() -> Registries {
    let file = serde_json::from_value(message::tests::file()).unwrap();
    Registries::new(vec![file], attributes)
}

async fn file(registries: &Registries, scope: Scope, id: &str) -> Option<Value> {
    let cx = Context::new(None, scope);
    let uri = MessageRegistryFileUri::Registries { message_registry_file_id: id.into() };
    if !MessageRegistryFileApi::exists(registries, &cx.scope, &uri) {
        return None;
    }
    let file = MessageRegistryFileApi::get(registries, &cx, uri).await.unwrap();
    Some(to_value_strict(&file).unwrap())
}

#[tokio::test]
async fn files_say_where_registries_are() {
    let registries = registries();
    let check = async |id: &str, registry: &str, published: bool, uri: Option<&str>| {
        let file = file(&registries, Scope::all(), id).await.unwrap();
        assert_eq!((&file["Id"], &file["Registry"]), (&id.into(), &registry.into()));
        let location = &file["Location"][0];
        assert_eq!(location.get("PublicationUri").is_some(), published, "{id}");
        assert_eq!(location["Uri"].as_str(), uri, "{id}");
    };
    let base = format!("Base.{}", messages::VERSION);
    check(&base, "Base.1.22", true, None).await;
    let test = "/redfish/v1/Registries/Test.1.0.2/MessageRegistry";
    check("Test.1.0.2", "Test.1.0", false, Some(test)).await;
    check(privileges::ID, privileges::ID, true, Some(&privilege_map())).await;
    let bios = "/redfish/v1/Registries/Bios.1.0.0/AttributeRegistry";
    check("Bios.1.0.0", "Bios.1.0", false, Some(bios)).await;
    assert!(file(&registries, Scope::all(), "Other").await.is_none());
}

#[tokio::test]
async fn base_is_served_when_its_file_is_given() {
    let mut base = message::tests::file();
    base["Id"] = format!("Base.{}", messages::VERSION).into();
    let registries = Registries::new(vec![serde_json::from_value(base).unwrap()], attributes);
    let entries = registries.entries(&Scope::all());
    let base: Vec<_> = entries.iter().filter(|entry| entry.id.starts_with("Base")).collect();
    assert!(base.len() == 1 && base[0].uri.is_some());
}

#[tokio::test]
async fn the_collection_lists_what_the_scope_has() {
    let registries = registries();
    let check = async |machines: Machines, expect: u64| {
        let cx = Context::new(None, Scope { machines, ..Scope::all() });
        let uri = MessageRegistryFileCollectionUri::Registries;
        let list = MessageRegistryFileCollectionApi::get(&registries, &cx, uri).await.unwrap();
        let list = to_value_strict(&list).unwrap();
        assert_eq!(list["Members@odata.count"], expect);
        for member in list["Members"].as_array().unwrap() {
            let uri = member["@odata.id"].as_str().unwrap().parse().unwrap();
            assert!(MessageRegistryFileApi::exists(&registries, &cx.scope, &uri), "{member}");
        }
    };
    check(Machines::All, 4).await;
    check(Machines::Only(std::iter::empty().collect()), 3).await;
}

#[tokio::test]
async fn registries_are_at_their_uris() {
    let (registries, cx) = (registries(), Context::new(None, Scope::all()));
    let uri: MessageRegistryUri =
        "/redfish/v1/Registries/Test.1.0.2/MessageRegistry".parse().unwrap();
    assert!(MessageRegistryApi::exists(&registries, &cx.scope, &uri));
    assert_eq!(
        MessageRegistryApi::get(&registries, &cx, uri).await.unwrap().id(),
        Ok("Test.1.0.2")
    );
    let other = "/redfish/v1/Registries/Test.1.0.2/PrivilegeRegistry".parse().unwrap();
    assert!(!PrivilegeRegistryApi::exists(&registries, &cx.scope, &other));
}

#[tokio::test]
async fn the_privilege_registry_is_whole() {
    let (registries, cx) = (registries(), Context::new(None, Scope::all()));
    let uri: PrivilegeRegistryUri = privilege_map().parse().unwrap();
    assert!(PrivilegeRegistryApi::exists(&registries, &cx.scope, &uri));
    let registry = PrivilegeRegistryApi::get(&registries, &cx, uri).await.unwrap();
    let value = to_value_strict(&registry).unwrap();
    let mappings = value["Mappings"].as_array().unwrap();
    assert_eq!(mappings.len(), MAPPINGS.len());
    let used: Vec<_> = value["PrivilegesUsed"].as_array().unwrap().iter().collect();
    assert_eq!(used.len(), Privilege::ALL.len() - 1);
    let Field::Value(used) = &registry.privileges_used else { panic!() };
    assert!(used.iter().all(PrivilegeType::is_known));
    let account = mappings.iter().find(|mapping| mapping["Entity"] == "ManagerAccount").unwrap();
    assert_eq!(account["OperationMap"]["DELETE"][0]["Privilege"][0], "ConfigureUsers");
    let own = &account["PropertyOverrides"][0];
    assert_eq!(own["Targets"][0], "Password");
    assert_eq!(own["OperationMap"]["PATCH"][1]["Privilege"][0], "ConfigureSelf");
    let subordinate = mappings.iter().find(|mapping| mapping["Entity"] == "EthernetInterface");
    let targets = &subordinate.unwrap()["SubordinateOverrides"][0]["Targets"];
    assert_eq!(targets[0], "Manager");
}

#[test]
fn names_without_errata() {
    let check = |id: &str, expect: &str| assert_eq!(without_errata(id), expect);
    check("Base.1.22.1", "Base.1.22");
    check("A.B.1.0.0", "A.B.1.0");
    check("Redfish_1.8.0_PrivilegeRegistry", "Redfish_1.8.0_PrivilegeRegistry");
    check("Bios.v1.0.0", "Bios.v1.0.0");
    check("x", "x");
}

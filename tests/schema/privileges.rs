//! Who may do what: the generated tables against the privilege registry itself.
//!
//! A wrong row here is an open door, and the generator cannot be its own witness. So this module
//! reads the registry and the schemas anew and finds the resources above an operation another way:
//! by the URIs that the JSON Schemas publish, not by what `schema/resources.toml` serves. What the
//! registry's overrides mean for us is also written out by hand, row by row, because a rule that
//! both sides misread would agree with itself.
//!
//! Needs are compared as text: `A | B` for either, `A & B` for both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use redfish_server::operation::{Kind, OPERATIONS, Operation, Privilege};
use redfish_server::privileges::{ID, MAPPINGS, OperationMap, Override};
use serde_json::Value;

use crate::support::{anonymous, bundle_file, json_document, list, uri_owners};

const REGISTRY_ID: &str = "Redfish_1.8.0_PrivilegeRegistry";
const ROOT: &str = "/redfish/v1";

static REGISTRY: LazyLock<Value> = LazyLock::new(|| {
    json_document(&bundle_file("DSP8011_2025.4.zip"), &format!("/{REGISTRY_ID}.json"))
});

static OWNERS: LazyLock<BTreeMap<String, String>> = LazyLock::new(uri_owners);

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The resources that the schema has above a URI, from the service root down.
fn ancestors(site: &str) -> Vec<&'static str> {
    let site = anonymous(site);
    let mut found = Vec::new();
    let mut prefix = String::new();
    for segment in site.split('/').skip(1) {
        found.extend(OWNERS.get(&prefix).map(String::as_str));
        prefix = format!("{prefix}/{segment}");
    }
    found
}

fn mapping(entity: &str) -> &'static Value {
    let mut found = list(&REGISTRY["Mappings"]).filter(|m| m["Entity"] == entity);
    let mapping = found.next().unwrap_or_else(|| panic!("the registry lacks {entity}"));
    assert!(found.next().is_none(), "the registry has {entity} twice");
    mapping
}

/// What the registry says of a method in an `OperationMap`, as text.
fn registry_need(operations: &Value, method: &str) -> Option<String> {
    let any_of = operations.get(method)?;
    let all_of = |one: &Value| list(&one["Privilege"]).map(|p| text_of(p).to_owned()).collect();
    Some(shown(list(any_of).map(all_of).collect()))
}

fn table_need(any_of: &[&[Privilege]]) -> String {
    let all_of = |all: &&[Privilege]| all.iter().map(|p| p.as_str().to_owned()).collect();
    shown(any_of.iter().map(all_of).collect())
}

/// Both kinds of list are sets: order means nothing.
fn shown(any_of: BTreeSet<BTreeSet<String>>) -> String {
    let all_of = |all: BTreeSet<String>| all.into_iter().collect::<Vec<_>>().join(" & ");
    any_of.into_iter().map(all_of).collect::<Vec<_>>().join(" | ")
}

/// The method by which an operation is asked for; actions are POSTs.
fn method(operation: &Operation) -> &'static str {
    match operation.kind {
        Kind::Get => "GET",
        Kind::Patch => "PATCH",
        Kind::Delete => "DELETE",
        Kind::Create | Kind::Action(_) => "POST",
    }
}

fn applies(subordinate: &Value, site: &str) -> bool {
    let targets: Vec<_> = list(&subordinate["Targets"]).map(text_of).collect();
    ancestors(site).ends_with(&targets)
}

/// The registry's answer for one operation.
fn expected(operation: &Operation) -> String {
    let mapping = mapping(operation.resource);
    let overrides: Vec<_> = list(&mapping["SubordinateOverrides"])
        .filter(|o| applies(o, operation.site))
        .filter_map(|o| registry_need(&o["OperationMap"], method(operation)))
        .collect();
    assert!(overrides.len() < 2, "{}: two overrides apply", operation.id);
    let general = registry_need(&mapping["OperationMap"], method(operation));
    overrides.into_iter().next().or(general).unwrap()
}

#[test]
fn every_operation_needs_what_the_registry_says() {
    let (mut compared, mut overridden, mut properties) = (0, 0, 0);
    for operation in OPERATIONS {
        let row = format!("{} {} ({})", method(operation), operation.template, operation.id);
        assert_eq!(table_need(operation.privileges), expected(operation), "{row}");
        let mapping = mapping(operation.resource);
        let general = registry_need(&mapping["OperationMap"], method(operation));
        overridden += usize::from(general != Some(expected(operation)));

        let mut needs = BTreeMap::new();
        for exception in list(&mapping["PropertyOverrides"]) {
            let need = registry_need(&exception["OperationMap"], method(operation));
            let targets = list(&exception["Targets"]).map(text_of);
            needs.extend(targets.filter_map(|target| Some((target, need.clone()?))));
        }
        let table = operation.property_privileges.iter();
        let table: BTreeMap<_, _> = table.map(|(name, any)| (*name, table_need(any))).collect();
        assert_eq!(table, needs, "{row}: properties");
        properties += table.len();
        compared += 1;
    }
    println!(
        "privileges: {compared} operations compared, {overridden} with an override, {properties} \
         with a property override"
    );
    assert_eq!(compared, OPERATIONS.len());
    assert!(compared > 300 && overridden > 10 && properties > 0);
}

#[test]
fn operations_stand_where_the_schema_has_their_resource() {
    let mut own = BTreeSet::new();
    for operation in OPERATIONS {
        let template = match operation.kind {
            Kind::Action(action) => {
                format!("{}/Actions/{}.{action}", operation.site, operation.resource)
            }
            _ => operation.site.to_owned(),
        };
        assert_eq!(operation.template, template, "{}", operation.id);
        match OWNERS.get(&anonymous(operation.site)) {
            Some(owner) => assert_eq!(operation.resource, owner, "{}", operation.site),
            None => _ = own.insert(operation.resource),
        }
    }
    // What the schema leaves to the implementer has the ancestors of its place.
    let registries = ["AttributeRegistry", "MessageRegistry", "PrivilegeRegistry"];
    assert_eq!(own, registries.into_iter().chain(["ActionInfo", "Bios"]).collect());
    let above = ancestors("/redfish/v1/Systems/{ComputerSystemId}/Bios/Settings");
    assert_eq!(above, ["ServiceRoot", "ComputerSystemCollection", "ComputerSystem", "Bios"]);
    let above = ancestors("/redfish/v1/Systems/{ComputerSystemId}/Boot/Certificates/{Id}");
    let expect =
        ["ServiceRoot", "ComputerSystemCollection", "ComputerSystem", "CertificateCollection"];
    assert_eq!(above, expect, "`Boot` holds no resource");
}

#[test]
fn the_registry_is_served_whole() {
    assert_eq!(ID, REGISTRY_ID);
    let used = list(&REGISTRY["PrivilegesUsed"]).map(text_of);
    // `NoAuth` is no privilege that a role could assign, but the mappings use it.
    let used: BTreeSet<_> = used.chain(["NoAuth"]).collect();
    assert_eq!(Privilege::ALL.iter().map(|p| p.as_str()).collect::<BTreeSet<_>>(), used);

    let entities: Vec<_> = list(&REGISTRY["Mappings"]).map(|m| text_of(&m["Entity"])).collect();
    assert_eq!(entities.len(), 261);
    assert_eq!(
        MAPPINGS.iter().map(|m| m.entity).collect::<BTreeSet<_>>(),
        entities.iter().copied().collect()
    );
    assert_eq!(MAPPINGS.len(), entities.len());
    let (mut needs, mut exceptions) = (0, 0);
    for ours in MAPPINGS {
        let theirs = mapping(ours.entity);
        let known = ["Entity", "OperationMap", "SubordinateOverrides", "PropertyOverrides"];
        let unknown = theirs.as_object().unwrap().keys().find(|key| !known.contains(&key.as_str()));
        assert_eq!(unknown, None, "{}: a member that we do not carry", ours.entity);
        needs += same_operations(ours.operations, &theirs["OperationMap"], ours.entity);
        for (ours_all, name) in [
            (ours.subordinate_overrides, "SubordinateOverrides"),
            (ours.property_overrides, "PropertyOverrides"),
        ] {
            exceptions +=
                same_overrides(ours_all, &theirs[name], &format!("{}.{name}", ours.entity));
        }
    }
    println!("privileges: {} mappings, {needs} methods, {exceptions} overrides", MAPPINGS.len());
    assert_eq!(needs, 261 * 6, "each mapping has all six methods");
}

fn same_operations(ours: OperationMap, theirs: &Value, place: &str) -> usize {
    let ours: BTreeMap<_, _> = ours.iter().map(|(name, any)| (*name, table_need(any))).collect();
    let theirs: BTreeMap<_, _> = theirs
        .as_object()
        .unwrap()
        .keys()
        .map(|name| (name.as_str(), registry_need(theirs, name).unwrap()))
        .collect();
    assert_eq!(ours, theirs, "{place}");
    ours.len()
}

fn same_overrides(ours: &[Override], theirs: &Value, place: &str) -> usize {
    assert_eq!(ours.len(), list(theirs).count(), "{place}");
    for (ours, theirs) in ours.iter().zip(list(theirs)) {
        // The order of targets is the path, so it counts.
        assert_eq!(
            ours.targets,
            list(&theirs["Targets"]).map(text_of).collect::<Vec<_>>(),
            "{place}"
        );
        same_operations(ours.operations, &theirs["OperationMap"], place);
    }
    ours.len()
}

/// HEAD is answered by GET's row (design 3): there is no row of its own to disagree with it.
/// The registry has one entity where the two differ, and there HEAD would tell anyone who logs in
/// which accounts exist.
#[test]
fn head_needs_what_get_needs() {
    assert!(OPERATIONS.iter().all(|operation| operation.method() != "HEAD"));
    let get_and_head = |m: &Value| {
        let need = |method| registry_need(&m["OperationMap"], method).unwrap();
        (need("GET"), need("HEAD"))
    };
    let differ: Vec<_> = list(&REGISTRY["Mappings"])
        .filter(|m| get_and_head(m).0 != get_and_head(m).1)
        .map(|m| text_of(&m["Entity"]))
        .collect();
    assert_eq!(differ, ["ManagerAccount"]);
    assert_eq!(get_and_head(mapping("ManagerAccount")).1, "Login");
    let account = "/redfish/v1/AccountService/Accounts/{}";
    let expect = "ConfigureManager | ConfigureSelf | ConfigureUsers".to_owned();
    assert_eq!(needs("GET", account), BTreeSet::from([expect]));
}

/// What the table needs for a method at a site without ids: one need, or one per action.
fn needs(method_name: &str, site: &str) -> BTreeSet<String> {
    let here = |o: &&Operation| anonymous(o.site) == site && method(o) == method_name;
    OPERATIONS.iter().filter(here).map(|o| table_need(o.privileges)).collect()
}

/// Every subordinate override of a resource that we support: `entity: targets: methods whose need it
/// changes: what they then need: which of these we serve at such a place`. That of Certificate is a
/// dead letter: a certificate always lies in a collection, which would have to be a target.
const OVERRIDES: &str = "
Certificate: ComputerSystem: DELETE GET HEAD PATCH POST PUT: ConfigureComponents: none
CertificateCollection: ComputerSystem: DELETE GET HEAD PATCH POST PUT: ConfigureComponents: GET POST
EnvironmentMetrics: Processor: DELETE PATCH POST PUT: ConfigureComponents: PATCH
EnvironmentMetrics: Memory: DELETE PATCH POST PUT: ConfigureComponents: PATCH
EnvironmentMetrics: Drive: DELETE PATCH POST PUT: ConfigureComponents: PATCH
EnvironmentMetrics: PCIeDevice: DELETE PATCH POST PUT: ConfigureComponents: PATCH
EnvironmentMetrics: StorageController: DELETE PATCH POST PUT: ConfigureComponents: PATCH
EnvironmentMetrics: Port: DELETE PATCH POST PUT: ConfigureComponents: none
EthernetInterface: Manager EthernetInterfaceCollection: DELETE PATCH POST PUT: ConfigureManager: PATCH
EthernetInterfaceCollection: Manager: DELETE PATCH POST PUT: ConfigureManager: none
LogEntry: ComputerSystem LogServiceCollection LogService LogEntryCollection: DELETE PATCH POST PUT: ConfigureComponents: PATCH
LogEntry: Chassis LogServiceCollection LogService LogEntryCollection: DELETE PATCH POST PUT: ConfigureComponents: PATCH
LogEntryCollection: ComputerSystem LogServiceCollection LogService: DELETE PATCH POST PUT: ConfigureComponents: none
LogEntryCollection: Chassis LogServiceCollection LogService: DELETE PATCH POST PUT: ConfigureComponents: none
LogService: ComputerSystem LogServiceCollection: DELETE PATCH POST PUT: ConfigureComponents: PATCH POST
LogService: Chassis LogServiceCollection: DELETE PATCH POST PUT: ConfigureComponents: PATCH POST
LogServiceCollection: ComputerSystem: DELETE PATCH POST PUT: ConfigureComponents: none
LogServiceCollection: Chassis: DELETE PATCH POST PUT: ConfigureComponents: none
";

/// What that means: method, site below the root, need; `*` where an override made it so.
const ROWS: &str = "
GET /Systems/{}/Certificates ConfigureComponents *
POST /Systems/{}/Certificates ConfigureComponents *
GET /Systems/{}/Boot/Certificates ConfigureComponents *
POST /Systems/{}/Boot/Certificates ConfigureComponents *
GET /Systems/{}/Memory/{}/Certificates ConfigureManager
POST /Systems/{}/Memory/{}/Certificates ConfigureManager
GET /Managers/{}/NetworkProtocol/HTTPS/Certificates ConfigureManager
POST /Managers/{}/NetworkProtocol/HTTPS/Certificates ConfigureManager
GET /Systems/{}/Certificates/{} ConfigureManager
PATCH /Systems/{}/Certificates/{} ConfigureManager
POST /Systems/{}/Certificates/{} ConfigureManager
DELETE /Systems/{}/Certificates/{} ConfigureManager
DELETE /Managers/{}/Certificates/{} ConfigureManager
PATCH /Systems/{}/Processors/{}/EnvironmentMetrics ConfigureComponents *
PATCH /Systems/{}/Memory/{}/EnvironmentMetrics ConfigureComponents *
PATCH /Systems/{}/Storage/{}/Drives/{}/EnvironmentMetrics ConfigureComponents *
PATCH /Chassis/{}/Drives/{}/EnvironmentMetrics ConfigureComponents *
PATCH /Systems/{}/PCIeDevices/{}/EnvironmentMetrics ConfigureComponents *
PATCH /Chassis/{}/PCIeDevices/{}/EnvironmentMetrics ConfigureComponents *
PATCH /Systems/{}/Storage/{}/Controllers/{}/EnvironmentMetrics ConfigureComponents *
PATCH /Chassis/{}/EnvironmentMetrics ConfigureManager
PATCH /Chassis/{}/NetworkAdapters/{}/EnvironmentMetrics ConfigureManager
GET /Systems/{}/Memory/{}/EnvironmentMetrics Login
PATCH /Managers/{}/EthernetInterfaces/{} ConfigureManager *
PATCH /Systems/{}/EthernetInterfaces/{} ConfigureComponents
GET /Managers/{}/EthernetInterfaces/{} Login
GET /Managers/{}/EthernetInterfaces Login
PATCH /Systems/{}/LogServices/{}/Entries/{} ConfigureComponents *
PATCH /Chassis/{}/LogServices/{}/Entries/{} ConfigureComponents *
PATCH /Managers/{}/LogServices/{}/Entries/{} ConfigureManager
PATCH /TelemetryService/LogService/Entries/{} ConfigureManager
GET /Chassis/{}/LogServices/{}/Entries/{} Login
PATCH /Systems/{}/LogServices/{} ConfigureComponents *
POST /Systems/{}/LogServices/{} ConfigureComponents *
PATCH /Chassis/{}/LogServices/{} ConfigureComponents *
POST /Chassis/{}/LogServices/{} ConfigureComponents *
PATCH /Managers/{}/LogServices/{} ConfigureManager
POST /Managers/{}/LogServices/{} ConfigureManager
PATCH /TelemetryService/LogService ConfigureManager
GET /Chassis/{}/LogServices Login
";

/// [`ROWS`], with whole URIs.
fn rows() -> Vec<(&'static str, String, &'static str, bool)> {
    let row = |line: &'static str| {
        let mut words = line.split(' ');
        let (method, site, need) = (words.next()?, words.next()?, words.next()?);
        Some((method, format!("{ROOT}{site}"), need, words.next() == Some("*")))
    };
    ROWS.trim().lines().map(|line| row(line).unwrap()).collect()
}

#[test]
fn rows_written_by_hand() {
    for (method_name, site, need, overridden) in rows() {
        let row = format!("{method_name} {site}");
        assert_eq!(needs(method_name, &site), BTreeSet::from([need.to_owned()]), "{row}");
        let general = registry_need(&mapping(&OWNERS[&site])["OperationMap"], method_name);
        assert_eq!(general.as_deref() != Some(need), overridden, "{row}");
    }
}

/// The list above is complete, and [`ROWS`] has each override both ways.
#[test]
fn every_override_has_its_rows() {
    let supported: BTreeSet<_> = OPERATIONS.iter().map(|o| o.resource).collect();
    let mut found = BTreeSet::new();
    for entity in &supported {
        for exception in list(&mapping(entity)["SubordinateOverrides"]) {
            found.insert(summary(entity, exception));
        }
    }
    assert_eq!(found, OVERRIDES.trim().lines().map(str::to_owned).collect());
    println!("privileges: {} subordinate overrides, {} rows by hand", found.len(), rows().len());
}

/// An override in the form of [`OVERRIDES`]; panics where [`ROWS`] has no word on it.
fn summary(entity: &str, exception: &Value) -> String {
    let general = &mapping(entity)["OperationMap"];
    let operations = exception["OperationMap"].as_object().unwrap();
    let (mut changed, mut needs, mut served) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for name in operations.keys().map(String::as_str) {
        let need = registry_need(&exception["OperationMap"], name).unwrap();
        if registry_need(general, name).as_ref() == Some(&need) {
            continue;
        }
        changed.insert(name);
        needs.insert(need);
        let ours = |o: &&Operation| o.resource == entity && method(o) == name;
        if OPERATIONS.iter().filter(ours).any(|o| applies(exception, o.site)) {
            served.insert(name);
            let rows = rows().into_iter().filter(|row| row.0 == name && OWNERS[&row.1] == entity);
            let (with, without): (Vec<_>, Vec<_>) =
                rows.partition(|row| applies(exception, &row.1));
            assert!(!with.is_empty(), "no row where {exception} applies to {name} {entity}");
            assert!(!without.is_empty(), "no row where {exception} spares {name} {entity}");
        }
    }
    if served.is_empty() {
        served.insert("none");
    }
    let targets: Vec<_> = list(&exception["Targets"]).map(text_of).collect();
    let join = |set: BTreeSet<&str>| set.into_iter().collect::<Vec<_>>().join(" ");
    let needs = join(needs.iter().map(String::as_str).collect());
    format!("{entity}: {}: {}: {needs}: {}", targets.join(" "), join(changed), join(served))
}

/// The registry's one property override: users may change their own password, and nothing else of
/// their account.
#[test]
fn a_password_is_ones_own() {
    let with: Vec<_> = OPERATIONS.iter().filter(|o| !o.property_privileges.is_empty()).collect();
    let [operation] = with[..] else { panic!("{} operations with property overrides", with.len()) };
    assert_eq!(operation.id, "account_service_accounts_patch");
    assert_eq!(table_need(operation.privileges), "ConfigureUsers");
    let [(property, need)] = operation.property_privileges else { panic!("not one property") };
    assert_eq!(
        (*property, table_need(need).as_str()),
        ("Password", "ConfigureSelf | ConfigureUsers")
    );
    let overrides = list(&REGISTRY["Mappings"]).filter(|m| m["PropertyOverrides"].is_array());
    assert_eq!(overrides.map(|m| text_of(&m["Entity"])).collect::<Vec<_>>(), ["ManagerAccount"]);
}

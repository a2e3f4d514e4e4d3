//! What is in the logs, for whom, and for how long.

use redfish_model::resource::Health;
use serde_json::json;

use super::service::testing::{clear, get};
use super::*;
use crate::context::Naming;
use crate::services::journal::testing::{Notebook, Time};
use crate::services::managers::two;
use crate::{Context, messages};

const SYSTEM: &str = "/redfish/v1/Systems/a/LogServices";
const MANAGER: &str = "/redfish/v1/Managers/a/LogServices";

fn all() -> Context {
    Context::new(None, Scope::all())
}

fn scoped(machine: &str, naming: Naming) -> Context {
    let machines = Machines::Only([machine.to_owned()].into_iter().collect());
    Context::new(None, Scope { machines, naming, ..Scope::all() })
}

fn log(limits: Limits) -> (Arc<Log>, Notebook, Time) {
    let (notebook, time) = (Notebook::default(), Time::default());
    (Log::with_journal(limits, notebook.clone(), time.clock(), []), notebook, time)
}

fn started(machine: &str) -> Entry {
    Entry::text(Site::System, machine, Health::OK, "Started")
        .about(format!("/redfish/v1/Systems/{machine}"))
}

async fn texts(log: &Arc<Log>, cx: &Context, uri: &str) -> Vec<String> {
    let list = get(log, cx, uri).await.unwrap();
    let members = list["Members"].as_array().unwrap();
    assert_eq!(list["Members@odata.count"], members.len());
    members.iter().map(|entry| entry["Message"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn entries_stand_whole_in_their_collection() {
    let (log, _, time) = log(Limits::default());
    time.pass(60);
    let id = log.record(started("a").by("admin"));
    log.record(Entry::message(Site::System, "a", &messages::resource_in_use()));
    let list = get(&log, &all(), &format!("{SYSTEM}/Event/Entries")).await.unwrap();
    let entry = &list["Members"][0];
    let expect = json!({
        "@odata.id": format!("{SYSTEM}/Event/Entries/{id}"),
        "@odata.type": "#LogEntry.v1_21_0.LogEntry", "Id": id, "Name": format!("Log Entry {id}"),
        "Created": "1970-01-01T00:01:00Z", "EntryType": "Event", "Severity": "OK",
        "Message": "Started", "Username": "admin",
        "Links": {"OriginOfCondition": {"@odata.id": "/redfish/v1/Systems/a"}},
    });
    assert_eq!(*entry, expect);
    let alone = get(&log, &all(), entry["@odata.id"].as_str().unwrap()).await.unwrap();
    assert_eq!(alone, expect);
    let second = &list["Members"][1];
    assert_eq!(second["MessageId"], "Base.1.22.ResourceInUse");
    assert!(second.get("Links").is_none() && second["Resolution"].is_string());
}

#[tokio::test]
async fn services_are_where_the_table_has_them() {
    let (log, ..) = log(Limits::default());
    let check = async |uri: &str, there: bool| {
        let found = get(&log, &all(), uri).await;
        assert_eq!(found.is_some(), there, "{uri}");
        if let Some(found) = found {
            assert_eq!(found["@odata.id"], uri);
        }
    };
    for (uri, there) in [
        (SYSTEM, true),
        ("/redfish/v1/Systems/a/LogServices/Event", true),
        ("/redfish/v1/Systems/a/LogServices/Event/Entries", true),
        ("/redfish/v1/Systems/a/LogServices/Event/Entries/1", false),
        ("/redfish/v1/Systems/a/LogServices/Log", false),
        ("/redfish/v1/Systems/c/LogServices", false),
        ("/redfish/v1/Managers/a/LogServices/Log", true),
        ("/redfish/v1/Managers/a/LogServices/Event/Entries", false),
        ("/redfish/v1/Chassis/b/LogServices/Event/Entries", true),
        ("/redfish/v1/TelemetryService/LogService", false),
    ] {
        check(uri, there).await;
    }
    let service = get(&log, &all(), &format!("{SYSTEM}/Event")).await.unwrap();
    let target = service["Actions"]["#LogService.ClearLog"]["target"].as_str().unwrap();
    assert_eq!(target, format!("{SYSTEM}/Event/Actions/LogService.ClearLog"));
    assert_eq!(service["Persistency"], true);
    let operations: Vec<_> = mounts(&log, two()).iter().map(|m| m.operations.len()).collect();
    assert_eq!(operations, [3, 6, 3, 3]);
}

#[tokio::test]
async fn a_view_names_its_machine() {
    let (log, ..) = log(Limits::default());
    log.record(started("a"));
    let cx = scoped("a", Naming::View);
    for segment in ["1", "a"] {
        let uri = format!("/redfish/v1/Systems/{segment}/LogServices/Event/Entries");
        let list = get(&log, &cx, &uri).await.unwrap();
        assert_eq!(list["@odata.id"], "/redfish/v1/Systems/1/LogServices/Event/Entries");
        let entry = &list["Members"][0];
        assert_eq!(entry["@odata.id"], "/redfish/v1/Systems/1/LogServices/Event/Entries/1");
        assert_eq!(entry["Links"]["OriginOfCondition"]["@odata.id"], "/redfish/v1/Systems/1");
    }
    let other = "/redfish/v1/Systems/b/LogServices/Event/Entries";
    assert!(get(&log, &cx, other).await.is_none());
}

#[tokio::test]
async fn the_service_speaks_to_those_who_see_everything() {
    let (log, ..) = log(Limits::default());
    let service = |text: &str| Entry::text(Site::System, "", Health::OK, text).of_the_service();
    log.record(service("Up"));
    log.record(Entry::text(Site::Manager, "a", Health::OK, "Login"));
    log.record(service("Reloaded"));
    let uri = format!("{MANAGER}/Log/Entries");
    assert_eq!(texts(&log, &all(), &uri).await, ["Up", "Login", "Reloaded"]);
    let a = scoped("a", Naming::Ids);
    assert_eq!(texts(&log, &a, &uri).await, ["Login"]);
    assert!(get(&log, &a, &format!("{uri}/1")).await.is_none());
    // Who clears a log clears what they see of it.
    clear(&log, &a, &format!("{MANAGER}/Log"), None).await.unwrap();
    assert_eq!(texts(&log, &all(), &uri).await, ["Up", "Reloaded"]);
    let with_tag = clear(&log, &all(), &format!("{MANAGER}/Log"), Some("\"x\"")).await;
    assert_eq!(with_tag.unwrap_err().status.as_u16(), 400);
    clear(&log, &all(), &format!("{MANAGER}/Log"), None).await.unwrap();
    assert!(texts(&log, &all(), &uri).await.is_empty());
}

#[tokio::test]
async fn logs_are_bounded() {
    let (log, notebook, _) = log(Limits { entries: 3, total: 4 });
    let fill = |machine: &str, count: usize| {
        for n in 0..count {
            log.record(Entry::text(Site::System, machine, Health::OK, format!("{machine}{n}")));
        }
    };
    let (a, b) =
        (format!("{SYSTEM}/Event/Entries"), SYSTEM.replace("/a/", "/b/") + "/Event/Entries");
    fill("b", 1);
    fill("a", 5);
    assert_eq!(texts(&log, &all(), &a).await, ["a2", "a3", "a4"]);
    assert_eq!(texts(&log, &all(), &b).await, ["b0"]);
    // The longest pays for what is too much.
    fill("b", 1);
    assert_eq!(texts(&log, &all(), &a).await, ["a3", "a4"]);
    assert_eq!(texts(&log, &all(), &b).await, ["b0", "b0"]);
    assert_eq!(notebook.records().len(), 4);
    log.forget("a");
    assert!(texts(&log, &all(), &a).await.is_empty());
    assert_eq!(notebook.records().len(), 2);
}

#[tokio::test]
async fn entries_survive() {
    let (log, notebook, time) = log(Limits::default());
    (0..12).for_each(|n| drop(log.record(started(if n == 5 { "b" } else { "a" }))));
    let uri = format!("{SYSTEM}/Event/Entries");
    let before = get(&log, &all(), &uri).await.unwrap();
    let kept = notebook.records().into_iter().chain([json!({"no": "entry"})]);
    let log = Log::with_journal(Limits::default(), notebook.clone(), time.clock(), kept);
    assert_eq!(get(&log, &all(), &uri).await.unwrap(), before);
    assert_eq!(log.record(started("a")), "13");
    // Fewer may be allowed now.
    let kept = notebook.records();
    let limits = Limits { entries: 2, ..Limits::default() };
    let log = Log::with_journal(limits, notebook.clone(), time.clock(), kept);
    let list = get(&log, &all(), &uri).await.unwrap();
    assert_eq!(
        (&list["Members"][0]["Id"], &list["Members"][1]["Id"]),
        (&"12".into(), &"13".into())
    );
    assert_eq!(notebook.records().len(), 3);
}

#[tokio::test]
async fn texts_of_others_are_tamed() {
    let (log, ..) = log(Limits::default());
    log.record(Entry::text(Site::System, "a", Health::OK, format!("x\n{}", "y".repeat(5000))));
    let text = texts(&log, &all(), &format!("{SYSTEM}/Event/Entries")).await.remove(0);
    assert!(text.len() <= 1024 && !text.contains('\n'), "{text}");
}

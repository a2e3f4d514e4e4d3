//! All services in one router, as a client finds them.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::to_bytes;
use http::{HeaderMap, Method, header};
use redfish_model::resource::Health;
use serde_json::{Value, json};

use super::logs::{Entry, Log, Site};
use super::tasks::{Answer, Payload, Tasks};
use super::*;
use crate::context::{Machines, Naming, People};
use crate::operation::Privilege;
use crate::{Context, Principal, Router, Scope};

struct Lab {
    router: Arc<Router>,
    tasks: Arc<Tasks>,
}

fn lab() -> Lab {
    let (tasks, log) = (Tasks::new(tasks::Limits::default()), Log::new(logs::Limits::default()));
    for site in [Site::System, Site::Manager, Site::Chassis] {
        let about = "/redfish/v1/Managers/a/NetworkProtocol";
        log.record(Entry::text(site, "a", Health::OK, "x").about(about));
    }
    let managers = managers::two();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["a".into()]).unwrap();
    let certificate = certificate.self_signed(&key).unwrap();
    let facts = crate::tls::CertificateDetails::of(certificate.der()).unwrap();
    let facts = Arc::new(facts);
    let network = || network_protocol::Network { https: Some(443), ..Default::default() };
    let identity = root::Identity {
        uuid: "6ec6e6a8-5a6e-4c1e-9f3e-0a6d0c1b2a39".into(),
        vendor: "V".into(),
        product: "P".into(),
    };
    let schemas = schemas::JsonSchemas::new();
    let mut router = Router::new()
        .mount_all(root::mounts(identity))
        .mount_all(schemas::mounts(&schemas))
        .mount_all(registries::mounts(registries::Registries::new(Vec::new(), |_| Vec::new())))
        .mount_all(tasks::mounts(&tasks))
        .mount_all(logs::mounts(&log, managers.clone()))
        .mount_all(certificates::mounts(
            Arc::new(move || Some(Arc::clone(&facts))),
            managers.clone(),
        ))
        .mount_all(network_protocol::mounts(Arc::new(network), None, managers));
    let operations = router.operations();
    schemas.tell(&operations);
    for page in documents::pages(operations, &[]).into_iter().chain(tasks::pages(&tasks)) {
        router = router.page(page);
    }
    Lab { router: Arc::new(router), tasks }
}

fn caller(machines: Machines, naming: Naming) -> Context {
    let people = match machines {
        Machines::All => People::All,
        Machines::Only(_) => People::Only("someone".into()),
    };
    let privileges = [Privilege::Login, Privilege::ConfigureManager];
    let principal = Principal {
        machines: machines.clone(),
        ..Principal::new("someone", "Operator", privileges)
    };
    Context::new(Some(principal.into()), Scope { machines, naming, people, ..Scope::all() })
}

fn admin() -> Context {
    caller(Machines::All, Naming::Ids)
}

fn view() -> Context {
    caller(Machines::Only(["a".to_owned()].into_iter().collect()), Naming::View)
}

async fn ask(
    lab: &Lab,
    cx: &Context,
    method: &Method,
    path: &str,
    body: &Value,
) -> (u16, HeaderMap, Value) {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let response = lab.router.ask(cx.clone(), method, path, &body).await;
    let (head, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 24).await.unwrap();
    (head.status.as_u16(), head.headers, serde_json::from_slice(&bytes).unwrap_or_default())
}

fn links(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str() {
                    Some(uri) if name == "@odata.id" || name == "Uri" || name == "TaskMonitor" => {
                        found.push(uri.to_owned());
                    }
                    _ => links(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| links(item, found)),
        _ => {}
    }
}

/// Every URI that is printed answers, as itself.
async fn walk(lab: &Lab, cx: &Context, from: &[&str]) -> usize {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<_> = from.iter().map(|uri| (*uri).to_owned()).collect();
    while let Some(uri) = todo.pop() {
        if !seen.insert(uri.clone()) {
            continue;
        }
        let (status, headers, body) = ask(lab, cx, &Method::GET, &uri, &Value::Null).await;
        let monitor = uri.contains("/TaskMonitors/");
        assert_eq!(status, if monitor { 202 } else { 200 }, "{uri}: {body}");
        assert!(headers.contains_key(header::ALLOW), "{uri}");
        if let (Some(id), false) = (body["@odata.id"].as_str(), monitor) {
            assert_eq!(id, uri);
        }
        links(&body, &mut todo);
    }
    seen.len()
}

#[tokio::test]
async fn every_link_leads_somewhere() {
    let lab = lab();
    let payload = Payload::new(&Method::POST, "/redfish/v1/x", &json!({}));
    lab.tasks.create(&view(), "x", Some("a"), Some(payload)).unwrap();
    let below = |name: &str| {
        ["Managers", "Systems", "Chassis"].map(|c| format!("/redfish/v1/{c}/{name}/LogServices"))
    };
    for (cx, name) in [(admin(), "a"), (view(), "1")] {
        let logs = below(name);
        let mut starts: Vec<_> = logs.iter().map(String::as_str).collect();
        starts.push("/redfish/v1/");
        let count = walk(&lab, &cx, &starts).await;
        assert!(count > 40, "{count}");
    }
}

#[tokio::test]
async fn documents_are_for_everybody() {
    let lab = lab();
    let nobody = Context::new(None, Scope::all());
    let check = async |path: &str, content_type: &str| {
        let (status, headers, _) = ask(&lab, &nobody, &Method::GET, path, &Value::Null).await;
        assert_eq!(status, 200, "{path}");
        assert_eq!(headers[header::CONTENT_TYPE], content_type, "{path}");
        assert_eq!(headers["odata-version"], "4.0");
    };
    check("/redfish", "application/json; charset=utf-8").await;
    check("/redfish/v1/odata", "application/json; charset=utf-8").await;
    check("/redfish/v1/$metadata", "application/xml; charset=utf-8").await;
    check("/redfish/v1/openapi.yaml", "application/yaml").await;
}

#[tokio::test]
async fn monitors_answer_through_the_router() {
    let lab = lab();
    let id = lab.tasks.create(&admin(), "x", Some("b"), None).unwrap();
    let path = format!("/redfish/v1/TaskService/TaskMonitors/{id}");
    let check = async |path: &str, cx: &Context, expect: u16| {
        assert_eq!(ask(&lab, cx, &Method::GET, path, &Value::Null).await.0, expect, "{path}");
    };
    check(&path, &admin(), 202).await;
    check(&format!("{path}/"), &admin(), 202).await;
    check(&path, &view(), 404).await;
    check(&path, &Context::new(None, Scope::all()), 401).await;
    lab.tasks.complete(&id, Answer::nothing());
    check(&path, &admin(), 204).await;
    let task = format!("/redfish/v1/TaskService/Tasks/{id}");
    assert_eq!(ask(&lab, &admin(), &Method::DELETE, &task, &Value::Null).await.0, 204);
    check(&path, &admin(), 404).await;
}

#[tokio::test]
async fn what_cannot_be_done_is_not_allowed() {
    let lab = lab();
    let check = async |method: Method, path: &str, body: Value, expect: u16, allow: &str| {
        let (status, headers, answer) = ask(&lab, &admin(), &method, path, &body).await;
        assert_eq!(status, expect, "{method} {path}: {answer}");
        let found = headers.get(header::ALLOW).map_or("", |value| value.to_str().unwrap());
        assert_eq!(found, allow, "{method} {path}");
    };
    let manager = "/redfish/v1/Managers/a";
    let https = format!("{manager}/NetworkProtocol/HTTPS/Certificates");
    check(Method::PATCH, "/redfish/v1/TaskService", json!({}), 405, "GET, HEAD").await;
    check(Method::PATCH, "/redfish/v1/CertificateService", json!({}), 405, "GET, HEAD").await;
    check(Method::POST, &https, json!({}), 405, "GET, HEAD").await;
    check(Method::DELETE, &format!("{https}/1"), Value::Null, 405, "GET, HEAD").await;
    let log = format!("{manager}/LogServices/Log");
    check(Method::PATCH, &log, json!({}), 405, "GET, HEAD").await;
    let collect = format!("{log}/Actions/LogService.CollectDiagnosticData");
    check(Method::POST, &collect, json!({}), 404, "").await;
    let clear = format!("{log}/Actions/LogService.ClearLog");
    check(Method::POST, &clear, json!({}), 204, "").await;
}

#[tokio::test]
async fn all_faults_of_a_change_are_told() {
    let lab = lab();
    let path = "/redfish/v1/Managers/a/NetworkProtocol";
    let body = json!({"HTTPS": {"Port": 1}, "NTP": {"Port": 2}, "HostName": "x"});
    let (status, _, answer) = ask(&lab, &admin(), &Method::PATCH, path, &body).await;
    assert_eq!(status, 400);
    let messages = answer["error"]["@Message.ExtendedInfo"].as_array().unwrap();
    let about: BTreeSet<_> =
        messages.iter().map(|m| m["RelatedProperties"][0].as_str().unwrap()).collect();
    assert_eq!(about, ["#/HTTPS/Port", "#/HostName", "#/NTP"].into());
    // The service's own settings are nothing for accounts of some machines.
    let path = "/redfish/v1/Managers/1/NetworkProtocol";
    assert_eq!(ask(&lab, &view(), &Method::PATCH, path, &body).await.0, 403);
}

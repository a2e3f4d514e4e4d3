//! A service of one resource at two URIs, and what the router makes of requests to it.

use std::sync::Arc;

use axum::body::to_bytes;
use http::{Method, StatusCode};
use redfish_model::virtual_media::{EjectMediaRequest, InsertMediaRequest, VirtualMediaPatch};
use redfish_model::{Field, Task, Uri as _, VirtualMedia, VirtualMediaUri};
use serde_json::{Value, json};

use super::Router;
use crate::api::virtual_media::{VirtualMediaApi, mount_virtual_media};
use crate::operation::Privilege::{self, ConfigureComponents, ConfigureManager, Login};
use crate::{Context, Principal, Reply, Result, Scope};

struct Media;

impl VirtualMediaApi for Media {
    fn exists(&self, scope: &Scope, uri: &VirtualMediaUri) -> bool {
        match uri {
            VirtualMediaUri::SystemsVirtualMedia {
                computer_system_id: machine,
                virtual_media_id,
            }
            | VirtualMediaUri::ManagersVirtualMedia { manager_id: machine, virtual_media_id } => {
                scope.has(machine) && machine == "a" && virtual_media_id == "Cd"
            }
        }
    }

    async fn get(&self, _: &Context, uri: VirtualMediaUri) -> Result<VirtualMedia> {
        Ok(VirtualMedia::new(&uri, "Cd", "CD"))
    }

    async fn patch(
        &self,
        _: &Context,
        uri: VirtualMediaUri,
        body: VirtualMediaPatch,
    ) -> Result<Reply<VirtualMedia>> {
        let media = VirtualMedia { image: body.image, ..VirtualMedia::new(&uri, "Cd", "CD") };
        Ok(Reply::done(media))
    }

    async fn eject_media(
        &self,
        _: &Context,
        _: VirtualMediaUri,
        _: EjectMediaRequest,
    ) -> Result<Reply<()>> {
        Ok(Reply::done(()))
    }

    async fn insert_media(
        &self,
        _: &Context,
        _: VirtualMediaUri,
        body: InsertMediaRequest,
    ) -> Result<Reply<()>> {
        assert_eq!(body.image, Field::from("http://images.test/a.iso"));
        let task = Task::new("/redfish/v1/TaskService/Tasks/1", "1", "Insert");
        Ok(Reply::accepted("/redfish/v1/TaskService/TaskMonitors/1", task).with_header(
            http::HeaderName::from_static("x-test"),
            http::HeaderValue::from_static("1"),
        ))
    }
}

fn context(privileges: &[Privilege]) -> Context {
    let principal = Principal::new("someone", "Operator", privileges.iter().copied());
    Context::new((!privileges.is_empty()).then_some(principal.into()), Scope::all())
}

struct Answer {
    status: StatusCode,
    header: Option<String>,
    body: Value,
}

fn call(cx: Context, method: &Method, path: &str, body: &str, header: &str) -> Answer {
    let router = Router::new().mount(mount_virtual_media(Arc::new(Media)));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let response = router.call(cx, method, path, body.as_bytes()).await;
        let header = response.headers().get(header).and_then(|h| h.to_str().ok());
        let (status, header) = (response.status(), header.map(str::to_owned));
        let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status, header, body }
    })
}

const SYSTEM: &str = "/redfish/v1/Systems/a/VirtualMedia/Cd";
const MANAGER: &str = "/redfish/v1/Managers/a/VirtualMedia/Cd";

#[test]
fn checks_come_in_order() {
    let check = |privileges: &[Privilege], method: &Method, path: &str, body: &str, expect: u16| {
        let answer = call(context(privileges), method, path, body, "allow");
        assert_eq!(answer.status.as_u16(), expect, "{method} {path}: {}", answer.body);
        assert_eq!(answer.header.is_some(), expect == 405, "{method} {path}");
    };
    let (get, patch, delete, post) = (&Method::GET, &Method::PATCH, &Method::DELETE, &Method::POST);
    check(&[Login], get, SYSTEM, "", 200);
    check(&[Login], &Method::HEAD, SYSTEM, "", 200);
    check(&[Login], get, MANAGER, "", 200);
    check(&[], get, SYSTEM, "", 401);
    // Without credentials everything looks the same.
    check(&[], delete, "/redfish/v1/Systems/b/VirtualMedia/Cd", "", 401);
    check(&[], get, "/redfish/v1/Fans", "", 401);
    check(&[], delete, SYSTEM, "", 401);
    check(&[Login], delete, "/redfish/v1/Systems/b/VirtualMedia/Cd", "", 404);
    check(&[Login], get, "/redfish/v1/Systems/a/VirtualMedia", "", 404);
    check(&[Login], get, "/redfish/v1/Fans", "", 404);
    check(&[Login], delete, SYSTEM, "", 405);
    check(&[Login], patch, SYSTEM, "{}", 403);
    check(&[Login], patch, SYSTEM, "no json", 403);
    check(&[ConfigureManager], patch, SYSTEM, "no json", 400);
    check(&[ConfigureManager], patch, SYSTEM, "[]", 400);
    check(&[ConfigureManager], patch, SYSTEM, "{}", 200);
    check(&[ConfigureComponents], patch, SYSTEM, "{}", 403);
    let eject = format!("{SYSTEM}/Actions/VirtualMedia.EjectMedia");
    check(&[ConfigureManager], post, &eject, "", 204);
    check(&[ConfigureManager], get, &eject, "", 405);
    check(&[ConfigureManager], post, &format!("{SYSTEM}/Actions/VirtualMedia.Fly"), "", 404);
}

#[test]
fn bodies_arrive_typed() {
    let patch = |body: &str| call(context(&[ConfigureManager]), &Method::PATCH, SYSTEM, body, "");
    let image = |body: &str| patch(body).body["Image"].clone();
    assert_eq!(image(r#"{"Image": "http://a"}"#), json!("http://a"));
    assert!(patch(r#"{"Image": null}"#).body.as_object().unwrap().contains_key("Image"));
    let answer = patch(r#"{"Image": 1, "Inserted": "yes"}"#);
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let messages = answer.body["error"]["@Message.ExtendedInfo"].as_array().unwrap().clone();
    let ids: Vec<_> = messages.iter().map(|m| m["MessageId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["Base.1.22.PropertyValueTypeError"; 2]);
    let secret = patch(r#"{"Password": ["hunter2"]}"#);
    assert_eq!(secret.status, StatusCode::BAD_REQUEST);
    assert!(!secret.body.to_string().contains("hunter2"));
}

#[test]
fn work_that_goes_on_names_its_task() {
    let answer = call(
        context(&[ConfigureManager]),
        &Method::POST,
        &format!("{SYSTEM}/Actions/VirtualMedia.InsertMedia"),
        r#"{"Image": "http://images.test/a.iso"}"#,
        "location",
    );
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(answer.header.as_deref(), Some("/redfish/v1/TaskService/TaskMonitors/1"));
    assert_eq!(answer.body["@odata.id"], "/redfish/v1/TaskService/Tasks/1");
}

#[test]
fn methods_are_listed_where_they_would_be_allowed() {
    let answer = call(context(&[Login]), &Method::DELETE, SYSTEM, "", "allow");
    assert_eq!(answer.header.as_deref(), Some("GET, HEAD, PATCH"));
}

#[test]
fn a_resource_can_have_several_services() {
    let sites = VirtualMediaUri::TEMPLATES;
    let mount = |site: &str| mount_virtual_media(Arc::new(Media)).at(&[site]);
    let router = Router::new().mount(mount(sites[0])).mount(mount(sites[1]));
    let answers = |path: &str| router.root.find(path).unwrap().mount;
    assert_ne!(answers(SYSTEM), answers(MANAGER));
    let one = Router::new().mount(mount(sites[0]));
    assert!(one.root.find(SYSTEM).is_some() != one.root.find(MANAGER).is_some());
}

#[test]
fn a_machine_may_be_called_actions() {
    let router = Router::new().mount(mount_virtual_media(Arc::new(Media)));
    let path = "/redfish/v1/Systems/Actions/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia";
    let endpoint = router.root.find(path).unwrap();
    assert_eq!(endpoint.resource(path), "/redfish/v1/Systems/Actions/VirtualMedia/Cd");
    assert_eq!(endpoint.resource(SYSTEM), SYSTEM);
}

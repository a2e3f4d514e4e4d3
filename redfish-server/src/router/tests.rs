//! A service of one resource at two URIs, and what the router makes of requests to it.

use std::sync::Arc;

use axum::body::to_bytes;
use http::{HeaderMap, Method, StatusCode};
use redfish_model::virtual_media::{EjectMediaRequest, InsertMediaRequest, VirtualMediaPatch};
use redfish_model::{
    Field, Ref, Task, Uri as _, VirtualMedia, VirtualMediaCollection, VirtualMediaCollectionUri,
    VirtualMediaUri,
};
use serde_json::Value;

use super::Router;
use crate::api::virtual_media::{
    VirtualMediaApi, VirtualMediaCollectionApi, mount_virtual_media, mount_virtual_media_collection,
};
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
        Ok(VirtualMedia {
            image: Field::Null,
            inserted: Field::Value(false),
            password: Field::Null,
            ..VirtualMedia::new(&uri, "Cd", "CD")
        })
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

/// As many members as the name of the machine says.
impl VirtualMediaCollectionApi for Media {
    fn exists(&self, _: &Scope, _: &VirtualMediaCollectionUri) -> bool {
        true
    }

    async fn get(
        &self,
        _: &Context,
        uri: VirtualMediaCollectionUri,
    ) -> Result<VirtualMediaCollection> {
        let path = uri.to_string();
        let count = path.split('/').nth(4).and_then(|count| count.parse().ok()).unwrap_or(1);
        let members = std::iter::repeat_n(Ref::to(SYSTEM), count).collect();
        Ok(VirtualMediaCollection::new(&uri, "Media", members))
    }
}

fn context(privileges: &[Privilege]) -> Context {
    let principal = Principal::new("someone", "Operator", privileges.iter().copied());
    Context::new((!privileges.is_empty()).then_some(principal.into()), Scope::all())
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    fn messages(&self) -> Vec<&str> {
        let at = match self.status.is_success() {
            true => &self.body["@Message.ExtendedInfo"],
            false => &self.body["error"]["@Message.ExtendedInfo"],
        };
        let messages = at.as_array().map_or(&[][..], Vec::as_slice);
        messages.iter().map(|m| m["MessageId"].as_str().unwrap_or_default()).collect()
    }
}

fn send(cx: Context, request: http::Request<String>) -> Answer {
    let media = Arc::new(Media);
    let router = Router::new().mount(mount_virtual_media(media.clone()));
    let router = Arc::new(router.mount(mount_virtual_media_collection(media)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (head, body) = request.into_parts();
        let response = router.call(cx, &head, body.into()).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status, headers, body }
    })
}

fn call(cx: Context, method: &Method, path: &str, body: &str) -> Answer {
    let request = http::Request::builder().method(method).uri(path).body(body.to_owned());
    send(cx, request.unwrap())
}

const SYSTEM: &str = "/redfish/v1/Systems/a/VirtualMedia/Cd";
const MANAGER: &str = "/redfish/v1/Managers/a/VirtualMedia/Cd";

#[test]
fn checks_come_in_order() {
    let check = |privileges: &[Privilege], method: &Method, path: &str, body: &str, expect: u16| {
        let answer = call(context(privileges), method, path, body);
        assert_eq!(answer.status.as_u16(), expect, "{method} {path}: {}", answer.body);
        let listed = expect == 405 || expect == 200 && method != Method::PATCH;
        assert_eq!(answer.header("allow").is_some(), listed, "{method} {path}");
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
    check(&[Login], get, "/redfish/v1/Fans", "", 404);
    check(&[Login], delete, SYSTEM, "", 405);
    check(&[Login], patch, SYSTEM, "{}", 403);
    check(&[Login], patch, SYSTEM, "no json", 403);
    check(&[ConfigureManager], patch, SYSTEM, "no json", 400);
    check(&[ConfigureManager], patch, SYSTEM, "[]", 400);
    check(&[ConfigureManager], patch, SYSTEM, "{}", 400);
    check(&[ConfigureManager], patch, SYSTEM, r#"{"Image": "a"}"#, 200);
    check(&[ConfigureComponents], patch, SYSTEM, "{}", 403);
    let eject = format!("{SYSTEM}/Actions/VirtualMedia.EjectMedia");
    check(&[ConfigureManager], post, &eject, "", 204);
    check(&[ConfigureManager], get, &eject, "", 405);
    check(&[ConfigureManager], post, &format!("{SYSTEM}/Actions/VirtualMedia.Fly"), "", 404);
}

#[test]
fn bodies_arrive_checked() {
    let patch = |body: &str| call(context(&[ConfigureManager]), &Method::PATCH, SYSTEM, body);
    let check = |body: &str, status: u16, messages: &[&str]| {
        let answer = patch(body);
        let expect: Vec<_> = messages.iter().map(|name| format!("Base.1.22.{name}")).collect();
        assert_eq!(
            (answer.status.as_u16(), answer.messages()),
            (status, expect.iter().map(String::as_str).collect()),
            "{body}"
        );
        assert!(!answer.body.to_string().contains("hunter2"), "{body}");
        answer.body
    };
    assert_eq!(check(r#"{"Image": "http://a"}"#, 200, &[])["Image"], "http://a");
    assert!(check(r#"{"Image": null}"#, 200, &[]).as_object().unwrap().contains_key("Image"));
    check(r#"{"Inserted": false}"#, 200, &[]);
    check(
        r#"{"Image": 1, "Inserted": "yes", "Colour": 1, "Id": "x", "Password": ["hunter2"]}"#,
        400,
        &[
            "PropertyUnknown",
            "PropertyNotWritable",
            "PropertyValueTypeError",
            "PropertyValueTypeError",
            "PropertyValueTypeError",
        ],
    );
    let partly = check(r#"{"Image": "http://a", "Colour": 1}"#, 200, &["PropertyUnknown"]);
    assert_eq!(partly["Image"], "http://a");
    check(r#"{"@odata.id": "/x"}"#, 400, &["NoOperation"]);
}

#[test]
fn large_bodies_are_refused_and_read() {
    let body = format!(r#"{{"Image": "{}"}}"#, "x".repeat(10 << 20));
    let answer = call(context(&[ConfigureManager]), &Method::PATCH, SYSTEM, &body);
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    // Who may not write does not get to send a body.
    assert_eq!(call(context(&[Login]), &Method::PATCH, SYSTEM, &body).status, 403);
}

#[test]
fn conditions_are_compared_with_what_is_there() {
    let get = call(context(&[Login]), &Method::GET, SYSTEM, "");
    let tag = get.header("etag").unwrap().to_owned();
    assert_eq!(get.body["@odata.etag"], tag.as_str());
    assert!(get.header("link").unwrap().contains("VirtualMedia.v"));
    let check = |method: &str, name: &str, value: &str, expect: u16| {
        let request = http::Request::builder().method(method).uri(SYSTEM).header(name, value);
        let request = request.body(r#"{"Image": "a"}"#.to_owned()).unwrap();
        let answer = send(context(&[Login, ConfigureManager]), request);
        assert_eq!(answer.status.as_u16(), expect, "{method} {name}: {value}");
    };
    check("PATCH", "if-match", &tag, 200);
    check("PATCH", "if-match", "\"never\"", 412);
    check("PATCH", "if-match", &format!("{tag}foobar"), 412);
    check("GET", "if-none-match", &tag, 304);
    check("HEAD", "if-none-match", &tag, 304);
    check("GET", "if-none-match", "\"never\"", 200);
}

#[test]
fn queries_put_answers_together() {
    let get = |count: usize, query: &str| {
        let path = format!("/redfish/v1/Systems/{count}/VirtualMedia?{query}");
        call(context(&[Login]), &Method::GET, &path, "")
    };
    let check = |count: usize, query: &str, pointer: &str, expect: Option<&str>| {
        let answer = get(count, query);
        let found = answer.body.pointer(pointer).map(Value::to_string);
        assert_eq!(found.as_deref(), expect, "{count} {query} {pointer}: {}", answer.body);
    };
    check(2, "", "/Members/1/@odata.id", Some(r#""/redfish/v1/Systems/a/VirtualMedia/Cd""#));
    check(2, "", "/Members/1/Name", None);
    check(2, "$expand=.", "/Members/1/Name", Some(r#""CD""#));
    check(2, "$expand=~", "/Members/1/Name", None);
    check(2, "$expand=.&$select=Name", "/Members/0/Name", Some(r#""CD""#));
    check(2, "$expand=.&$select=Name", "/Members/0/Id", None);
    check(2, "$select=Name", "/Members", None);
    check(2, "only", "/Members@odata.count", Some("2"));
    check(1, "only", "/Name", Some(r#""CD""#));
    check(3, "$filter=Name%20eq%20'CD'&$top=1", "/Members@odata.count", Some("3"));
    check(3, "$filter=Name%20eq%20'CD'&$top=1", "/Members/1", None);
    check(3, "$filter=Name+eq+'DVD'", "/Members@odata.count", Some("0"));
    check(3, "$skip=2", "/Members/0/@odata.id", Some(r#""/redfish/v1/Systems/a/VirtualMedia/Cd""#));
    check(3, "$skip=2", "/Members/1", None);
    check(3, "$skip=9", "/Members/0", None);
    let next = r#""/redfish/v1/Systems/2500/VirtualMedia?$expand=.&$skip=1000""#;
    check(2500, "$expand=.", "/Members@odata.nextLink", Some(next));
    let next = r#""/redfish/v1/Systems/2500/VirtualMedia?$expand=.&$skip=2000""#;
    check(2500, "$skip=1000&$expand=.", "/Members@odata.nextLink", Some(next));
    check(2500, "$skip=2000&$expand=.", "/Members@odata.nextLink", None);
    check(2500, "$skip=2000&$expand=.", "/Members/499/Name", Some(r#""CD""#));
    let status = |path: &str| call(context(&[Login]), &Method::GET, path, "").status.as_u16();
    assert_eq!(status(&format!("{SYSTEM}?only")), 400);
    assert_eq!(status(&format!("{SYSTEM}?$filter=Id%20eq%20'a'")), 400);
    assert_eq!(status(&format!("{SYSTEM}?$expand=.")), 200);
    assert_eq!(status(&format!("{SYSTEM}?$nonsense")), 501);
    assert_eq!(status(&format!("{SYSTEM}?nonsense")), 200);
    let tag = get(2, "$select=Name").header("etag").map(str::to_owned);
    assert_eq!(tag.as_deref(), get(2, "").header("etag"));
}

#[test]
fn work_that_goes_on_names_its_task() {
    let path = format!("{SYSTEM}/Actions/VirtualMedia.InsertMedia");
    let body = r#"{"Image": "http://images.test/a.iso"}"#;
    let answer = call(context(&[ConfigureManager]), &Method::POST, &path, body);
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_eq!(answer.header("location"), Some("/redfish/v1/TaskService/TaskMonitors/1"));
    assert_eq!(answer.header("x-test"), Some("1"));
    assert_eq!(answer.body["@odata.id"], "/redfish/v1/TaskService/Tasks/1");
    let answer = call(context(&[ConfigureManager]), &Method::POST, &path, r#"{"Picture": 1}"#);
    let expect = ["Base.1.22.ActionParameterMissing", "Base.1.22.ActionParameterUnknown"].to_vec();
    assert_eq!((answer.status.as_u16(), answer.messages()), (400, expect));
}

#[test]
fn methods_are_listed_where_they_would_be_allowed() {
    let answer = call(context(&[Login]), &Method::DELETE, SYSTEM, "");
    assert_eq!(answer.header("allow"), Some("GET, HEAD, PATCH"));
}

#[test]
fn a_resource_can_have_several_services() {
    let sites = VirtualMediaUri::TEMPLATES;
    let mount = |site: &str| mount_virtual_media(Arc::new(Media)).at(&[site]);
    let router = Router::new().mount(mount(sites[0])).mount(mount(sites[1]));
    let answers = |path: &str| router.root.find(path).unwrap().answers;
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

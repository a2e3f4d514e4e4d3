//! A service of one resource at two URIs, and what the router makes of requests to it.

mod properties;
mod queries;
mod writes;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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

#[derive(Default)]
struct Media {
    /// Steps of writes that were begun and that were finished.
    begun: AtomicUsize,
    finished: AtomicUsize,
    image: Mutex<Field<String>>,
}

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
            image: match &*self.image.lock().unwrap() {
                Field::Absent => Field::Null,
                image => image.clone(),
            },
            inserted: Field::Value(false),
            password: Field::Null,
            ..VirtualMedia::new(&uri, "Cd", "CD")
        })
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: VirtualMediaUri,
        body: VirtualMediaPatch,
    ) -> Result<Reply<VirtualMedia>> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        self.finished.fetch_add(1, Ordering::SeqCst);
        *self.image.lock().unwrap() = body.image;
        VirtualMediaApi::get(self, cx, uri).await.map(Reply::done)
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

impl Router {
    /// A request as tests of services send it.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        cx: Context,
        method: &Method,
        path: &str,
        body: &[u8],
    ) -> axum::response::Response {
        let request = http::Request::builder().method(method).uri(path).body(()).unwrap();
        self.call(cx, &request.into_parts().0, body.to_vec().into()).await
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

fn router(media: Arc<Media>) -> Arc<Router> {
    let router = Router::new().mount(mount_virtual_media(media.clone()));
    Arc::new(router.mount(mount_virtual_media_collection(media)))
}

fn send(cx: Context, request: http::Request<String>) -> Answer {
    let router = router(Arc::default());
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
fn methods_are_listed_where_they_would_be_allowed() {
    let answer = call(context(&[Login]), &Method::DELETE, SYSTEM, "");
    assert_eq!(answer.header("allow"), Some("GET, HEAD, PATCH"));
}

#[test]
fn a_resource_can_have_several_services() {
    let sites = VirtualMediaUri::TEMPLATES;
    let mount = |site: &str| mount_virtual_media(Arc::<Media>::default()).at(&[site]);
    let router = Router::new().mount(mount(sites[0])).mount(mount(sites[1]));
    let answers = |path: &str| router.root.find(path).unwrap().answers;
    assert_ne!(answers(SYSTEM), answers(MANAGER));
    let one = Router::new().mount(mount(sites[0]));
    assert!(one.root.find(SYSTEM).is_some() != one.root.find(MANAGER).is_some());
}

#[test]
fn a_machine_may_be_called_actions() {
    let router = Router::new().mount(mount_virtual_media(Arc::<Media>::default()));
    let path = "/redfish/v1/Systems/Actions/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia";
    let endpoint = router.root.find(path).unwrap();
    assert_eq!(endpoint.resource(path), "/redfish/v1/Systems/Actions/VirtualMedia/Cd");
    assert_eq!(endpoint.resource(SYSTEM), SYSTEM);
}

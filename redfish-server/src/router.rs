//! Which resource answers a request, and what the answer is when none does.
//!
//! The order of checks is fixed (DSP0266 leaves it open, clients do not): exists (404), method
//! (405), privilege (403), body (400). Existence is asked first and with the caller's scope, so
//! that a resource of others looks like no resource.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::header::{ALLOW, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderValue, Method, Request, StatusCode};
use serde_json::Value;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::mount::{Mount, Outcome};
use crate::operation::Operation;

/// The largest body that is read.
const MAX_BODY: usize = 1 << 20;

/// The mounted resources by template.
#[derive(Debug, Default)]
pub struct Router {
    root: Node,
    mounts: Vec<Mount>,
}

impl Router {
    /// A router without resources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a resource; of two at the same template the later one answers.
    #[must_use]
    pub fn mount(mut self, mount: Mount) -> Self {
        let index = self.mounts.len();
        for operation in mount.operations {
            let endpoint = self.root.insert(operation.template);
            if endpoint.mount != index {
                *endpoint = Endpoint { mount: index, operations: Vec::new() };
            }
            endpoint.operations.push(operation);
        }
        self.mounts.push(mount);
        self
    }

    /// Answers a request whose caller is known.
    pub async fn call(&self, cx: Context, method: &Method, path: &str, body: &[u8]) -> Response {
        match self.dispatch(cx, method, path, body).await {
            Ok(outcome) => success(outcome),
            Err(refusal) => refusal.response(),
        }
    }

    async fn dispatch(
        &self,
        cx: Context,
        method: &Method,
        path: &str,
        body: &[u8],
    ) -> Result<Outcome, Refusal> {
        let endpoint = self.root.find(path).ok_or_else(|| Error::not_found(path))?;
        let mount = &self.mounts[endpoint.mount];
        let uri = path.split("/Actions/").next().unwrap_or(path);
        if !mount.exists(&cx.scope, uri) {
            return Err(Error::not_found(path).into());
        }
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let Some(operation) = endpoint.operations.iter().find(|o| o.method() == method) else {
            return Err(Refusal { error: Error::method_not_allowed(), allow: Some(endpoint.allow()) });
        };
        match &cx.principal {
            _ if operation.is_public() => {}
            None => return Err(Error::unauthorized().into()),
            Some(principal) if principal.may(operation) => {}
            Some(_) => return Err(Error::forbidden().into()),
        }
        let body = match operation.body {
            Some(_) => read_object(body)?,
            None => Value::Null,
        };
        Ok(mount.call(operation, cx, uri, body).await?)
    }

    /// As an axum service. `identify` says who asks and what they see; a request that it refuses
    /// goes no further.
    pub fn into_axum(
        self,
        identify: impl Fn(&http::request::Parts) -> Result<Context> + Clone + Send + Sync + 'static,
    ) -> axum::Router {
        let router = Arc::new(self);
        axum::Router::new().fallback(move |request: Request<Body>| {
            let (router, identify) = (router.clone(), identify.clone());
            async move {
                let (parts, body) = request.into_parts();
                let cx = match identify(&parts) {
                    Ok(cx) => cx,
                    Err(error) => return Refusal::from(error).response(),
                };
                match to_bytes(body, MAX_BODY).await {
                    Ok(body) => router.call(cx, &parts.method, parts.uri.path(), &body).await,
                    Err(_) => Refusal::from(too_large()).response(),
                }
            }
        })
    }
}

fn too_large() -> Error {
    Error::new(StatusCode::PAYLOAD_TOO_LARGE, crate::messages::payload_too_large())
}

/// A body that operations can be given: an object; nothing at all counts as an empty one.
fn read_object(body: &[u8]) -> Result<Value> {
    if body.is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_slice(body) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) | Err(_) => Err(Error::malformed_json()),
    }
}

/// An error, and the methods that would be allowed where that is the error.
struct Refusal {
    error: Error,
    allow: Option<String>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, allow: None }
    }
}

impl Refusal {
    fn response(self) -> Response {
        let mut response = json(self.error.status, &self.error.body());
        let headers = response.headers_mut();
        if let Some(allow) = self.allow.and_then(|allow| HeaderValue::try_from(allow).ok()) {
            headers.insert(ALLOW, allow);
        }
        if let Some(seconds) = self.error.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

fn success(outcome: Outcome) -> Response {
    let located = |mut response: Response, location: &str| {
        if let Ok(location) = HeaderValue::try_from(location) {
            response.headers_mut().insert(LOCATION, location);
        }
        response
    };
    match outcome {
        Outcome::Content(value) => json(StatusCode::OK, &value),
        Outcome::Created(value) => {
            let location = value.get("@odata.id").and_then(Value::as_str).unwrap_or_default().to_owned();
            located(json(StatusCode::CREATED, &value), &location)
        }
        Outcome::NoContent => empty(StatusCode::NO_CONTENT),
        Outcome::Accepted { task } => located(empty(StatusCode::ACCEPTED), &task),
    }
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert("odata-version", HeaderValue::from_static("4.0"));
    response
}

fn json<T: serde::Serialize>(status: StatusCode, value: &T) -> Response {
    let Ok(bytes) = serde_json::to_vec(value) else { return empty(StatusCode::INTERNAL_SERVER_ERROR) };
    let mut response = empty(status);
    *response.body_mut() = Body::from(bytes);
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// A segment of the URI tree.
#[derive(Debug, Default)]
struct Node {
    fixed: HashMap<&'static str, Node>,
    id: Option<Box<Node>>,
    endpoint: Option<Endpoint>,
}

/// What stands at a template.
#[derive(Debug)]
struct Endpoint {
    mount: usize,
    operations: Vec<&'static Operation>,
}

impl Endpoint {
    /// The methods, as in an `Allow` header.
    fn allow(&self) -> String {
        let methods = self.operations.iter().flat_map(|operation| match *operation.method() {
            Method::GET => vec!["GET", "HEAD"],
            ref other => vec![other.as_str()],
        });
        methods.collect::<Vec<_>>().join(", ")
    }
}

impl Node {
    fn insert(&mut self, template: &'static str) -> &mut Endpoint {
        let mut node = self;
        for segment in segments(template) {
            node = if segment.starts_with('{') {
                node.id.get_or_insert_default()
            } else {
                node.fixed.entry(segment).or_default()
            };
        }
        node.endpoint.get_or_insert(Endpoint { mount: usize::MAX, operations: Vec::new() })
    }

    fn find(&self, path: &str) -> Option<&Endpoint> {
        let mut node = self;
        for segment in segments(path) {
            node = node.fixed.get(segment).or(node.id.as_deref())?;
        }
        node.endpoint.as_ref()
    }
}

/// The segments of a path; one trailing slash does not count.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.split('/').skip(1)
}

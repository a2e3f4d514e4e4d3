//! Which resource answers a request, and what the answer is when none does.
//!
//! The order of checks is fixed (DSP0266 leaves it open, clients do not): credentials (401), exists
//! (404), method (405), privilege (403), body (400). Who has no credentials learns nothing but the
//! public resources; existence is asked with the caller's scope, so that a resource of others looks
//! like no resource.

mod response;
mod tree;

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::{Method, Request, StatusCode};
use serde_json::Value;

use crate::context::{Context, Principal};
use crate::error::{Error, Result};
use crate::mount::{Mount, Outcome};
use response::{Refusal, success};
use tree::{Endpoint, Node};

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
        for operation in mount.operations.iter().copied() {
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
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let endpoint = self.root.find(path);
        let operation = endpoint.and_then(|e| e.operations.iter().find(|o| o.method() == method));
        let public = operation.is_some_and(|operation| operation.public);
        if cx.principal.is_none() && !public {
            return Err(Error::unauthorized().into());
        }
        let endpoint = endpoint.ok_or_else(|| Error::not_found(path))?;
        let mount = &self.mounts[endpoint.mount];
        let uri = endpoint.resource(path);
        if !mount.exists(&cx.scope, uri) {
            return Err(Error::not_found(path).into());
        }
        let Some(operation) = operation else {
            return Err(Refusal {
                error: Error::method_not_allowed(),
                allow: Some(endpoint.allow()),
            });
        };
        // What is one's own is known to the services of accounts and sessions, not here.
        let may = |principal: &Principal| principal.may(operation, false);
        if !public && !cx.principal.as_deref().is_some_and(may) {
            return Err(Error::forbidden().into());
        }
        let body = match operation.body {
            Some(_) => read_object(body)?,
            None => Value::Null,
        };
        Ok(mount.call(operation, cx, uri, body).await?)
    }

    /// As an axum service. `identify` says who asks and what they see; a request that it refuses
    /// goes no further.
    pub fn into_axum<F>(
        self,
        identify: impl Fn(http::request::Parts) -> F + Clone + Send + Sync + 'static,
    ) -> axum::Router
    where
        F: Future<Output = Result<Context>> + Send,
    {
        let router = Arc::new(self);
        axum::Router::new().fallback(move |request: Request<Body>| {
            let (router, identify) = (router.clone(), identify.clone());
            async move {
                let (parts, body) = request.into_parts();
                let cx = match identify(parts.clone()).await {
                    Ok(cx) => cx.with_head(&parts),
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

#[cfg(test)]
mod tests;

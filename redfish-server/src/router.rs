//! Which resource answers a request, and what the answer is when none does.
//!
//! The order of checks is fixed (DSP0266 leaves it open, clients do not): credentials (401), exists
//! (404), method (405), privilege (403), body (400), condition (412). Who has no credentials learns
//! nothing but what is public; existence is asked with the caller's scope, so that a resource of
//! others looks like no resource.

mod authorise;
mod cache;
mod collect;
mod etag;
mod guard;
mod links;
mod path;
mod query;
mod read;
mod response;
mod tree;
mod write;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};
use redfish_backend::lock::Locks;

use crate::context::Context;
use crate::error::Error;
use crate::mount::Mount;
use crate::operation::{Kind, Operation};
use crate::page::Page;
use authorise::{Rights, is_machines};
use cache::Cache;
use guard::Guard;
use query::Query;
use response::Refusal;
use tree::{Answers, Endpoint, Node};

pub(crate) use query::features;
pub(crate) use response::refusal;

/// The mounted resources and pages by template.
#[derive(Default)]
pub struct Router {
    root: Node,
    mounts: Vec<Mount>,
    pages: Vec<Page>,
    cache: Cache,
    guard: Guard,
    /// Writes to one resource come one after the other, so that conditions are compared and changes
    /// applied in one step.
    locks: Locks<Box<str>>,
}

/// The operation that a response answers; among its extensions.
#[derive(Clone, Copy, Debug)]
pub struct Answered(pub &'static Operation);

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
            self.root.insert(operation.template).mount(index, operation);
        }
        self.mounts.push(mount);
        self
    }

    /// Adds resources.
    #[must_use]
    pub fn mount_all(self, mounts: impl IntoIterator<Item = Mount>) -> Self {
        mounts.into_iter().fold(self, Self::mount)
    }

    /// Adds a page.
    #[must_use]
    pub fn page(mut self, page: Page) -> Self {
        self.root.insert(page.template).page(self.pages.len(), page.methods);
        self.pages.push(page);
        self
    }

    /// The operations that are answered, in the order of the mounts.
    pub fn operations(&self) -> Vec<&'static Operation> {
        let mut operations: Vec<_> =
            self.mounts.iter().flat_map(|mount| mount.operations.iter().copied()).collect();
        operations.retain(|operation| {
            let endpoint = self.root.find(operation.template);
            endpoint.is_some_and(|e| e.operations.iter().any(|o| std::ptr::eq(*o, *operation)))
        });
        operations
    }

    /// Whether a path is below `/redfish` or one of a page's; all others are nobody's, whoever asks.
    pub(crate) fn serves(&self, path: &str) -> bool {
        if path == "/redfish" || path.starts_with("/redfish/") {
            return true;
        }
        let endpoint = path::normal(path).and_then(|path| self.root.find(&path));
        endpoint.is_some_and(|endpoint| matches!(endpoint.answers, Answers::Page(_)))
    }

    /// Answers a request whose caller is known.
    pub async fn call(self: &Arc<Self>, cx: Context, head: &Parts, body: Body) -> Response {
        let cx = cx.with_head(head);
        match self.dispatch(cx, head, body).await {
            Ok(response) => response,
            Err(refusal) => refusal.response(),
        }
    }

    async fn dispatch(
        self: &Arc<Self>,
        cx: Context,
        head: &Parts,
        body: Body,
    ) -> Result<Response, Refusal> {
        let method = if head.method == Method::HEAD { &Method::GET } else { &head.method };
        let path = path::normal(head.uri.path());
        let found = path.as_deref().and_then(|path| self.find(path, method));
        let operation = found.and_then(|found| found.endpoint.operation(method));
        let public = match found.map(|found| found.endpoint.answers) {
            Some(Answers::Page(index)) => self.pages[index].public,
            _ => operation.is_some_and(|operation| operation.public),
        };
        match cx.principal.as_deref() {
            None if !public => return Err(Error::unauthorized().into()),
            Some(principal) if principal.must_change_password && !public => {
                let account = format!("/redfish/v1/AccountService/Accounts/{}", principal.account);
                if found.is_none_or(|found| found.uri != account) {
                    let message = crate::messages::password_change_required(account);
                    return Err(Error::new(StatusCode::FORBIDDEN, message).into());
                }
            }
            _ => {}
        }
        if head.headers.get("odata-version").is_some_and(|version| version != "4.0") {
            let message = crate::messages::precondition_failed();
            return Err(Error::new(StatusCode::PRECONDITION_FAILED, message).into());
        }
        let Some(found) = found else {
            return Err(Error::not_found(head.uri.path()).into());
        };
        let allow = &found.endpoint.allow;
        let mount = match found.endpoint.answers {
            Answers::Nobody => return Err(Error::not_found(found.uri).into()),
            Answers::Page(index) => return self.turn(index, cx, method, &found).await,
            Answers::Mount(index) => &self.mounts[index],
        };
        mount.is_ready()?;
        let known = operation.is_some_and(|operation| operation.kind == Kind::Get)
            && mount.version(&cx.scope, found.uri).is_some();
        if !known && !mount.exists(&cx.scope, found.uri) {
            return Err(Error::not_found(found.uri).into());
        }
        let Some(operation) = operation else {
            let error = Error::method_not_allowed();
            return Err(Refusal { error, allow: Some(allow.clone()) });
        };
        let rights = cx.principal.clone();
        let rights = rights.as_deref().map(|principal| self.rights(principal, operation, &found));
        if !public && !rights.as_ref().is_some_and(Rights::any) {
            return Err(Error::forbidden().into());
        }
        if operation.kind != Kind::Get && is_machines(operation.site) && !mount.is_service_wide() {
            let machine = found.uri.split('/').nth(4).unwrap_or_default();
            self.guard.admit(&cx, machine, Instant::now())?;
        }
        if let (Some(query), false) = (head.uri.query(), operation.kind == Kind::Get) {
            Query::refuse_on_write(query)?;
        }
        let mut response = match operation.kind {
            Kind::Get => {
                let rendered = self.read(&cx, operation, &found).await?;
                let mut response = response::document(&rendered, &head.headers);
                response.headers_mut().insert(header::ALLOW, allow.clone());
                response
            }
            _ => self.write(cx, operation, &found, rights, head, body).await?,
        };
        response.extensions_mut().insert(Answered(operation));
        Ok(response)
    }

    /// What a path leads to. A POST to the members of a collection is one to the collection (DSP0266,
    /// "POST to a collection").
    fn find<'a>(&'a self, path: &'a str, method: &Method) -> Option<Found<'a>> {
        let at = |path: &'a str| {
            let endpoint = self.root.find(path)?;
            Some(Found { endpoint, uri: endpoint.resource(path) })
        };
        if method == Method::POST
            && let Some(collection) = path.strip_suffix("/Members")
            && let Some(found) = at(collection)
            && found.endpoint.operation(method).is_some()
        {
            return Some(found);
        }
        at(path)
    }

    fn rights<'a>(
        &self,
        principal: &'a crate::Principal,
        operation: &'static Operation,
        found: &Found<'_>,
    ) -> Rights<'a> {
        let mount = self.mounted(found.endpoint);
        let own = mount.is_some_and(|mount| mount.is_own(principal, found.uri));
        let wide = mount.is_some_and(Mount::is_service_wide);
        Rights::of(principal, operation, own, wide)
    }

    fn mounted(&self, endpoint: &Endpoint) -> Option<&Mount> {
        match endpoint.answers {
            Answers::Mount(index) => self.mounts.get(index),
            _ => None,
        }
    }

    /// Answers with a page.
    async fn turn(
        &self,
        index: usize,
        cx: Context,
        method: &Method,
        found: &Found<'_>,
    ) -> Result<Response, Refusal> {
        let page = &self.pages[index];
        if !page.methods.contains(method) {
            let allow = Some(found.endpoint.allow.clone());
            return Err(Refusal { error: Error::method_not_allowed(), allow });
        }
        let mut response = (page.handler)(cx, method.clone(), found.uri.to_owned()).await?;
        let headers = response.headers_mut();
        headers.extend(page.headers.iter().cloned());
        headers.insert(header::ALLOW, found.endpoint.allow.clone());
        headers.entry("odata-version").or_insert(HeaderValue::from_static("4.0"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        Ok(response)
    }
}

/// An endpoint, and the URI of its resource: the path without the action.
#[derive(Clone, Copy, Debug)]
struct Found<'a> {
    endpoint: &'a Endpoint,
    uri: &'a str,
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("mounts", &self.mounts).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

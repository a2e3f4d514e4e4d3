//! From a typed implementation to something that a router can call.
//!
//! The generated `mount_…` functions are written with [`MountBuilder`]: each closure is typed, and
//! from here on the types are gone, so that a router of a hundred resources is compiled once.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use redfish_model::{Inspection, Member, Object, Resource, Uri};
use serde::Serialize;
use serde_json::Value;

use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::messages;
use crate::operation::{Operation, operations_of};

/// The answer to a write.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply<T> {
    /// It is done.
    Done(T),
    /// It goes on; the URI of its task.
    Accepted {
        /// The task's URI.
        task: String,
    },
}

/// What an operation gave, without its types.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A document.
    Content(Value),
    /// A new resource, which says itself where it is.
    Created(Value),
    /// Done, and nothing to say.
    NoContent,
    /// It goes on; the URI of its task.
    Accepted {
        /// The task's URI.
        task: String,
    },
}

type Answer = Pin<Box<dyn Future<Output = Result<Outcome>> + Send>>;
type Exists = Box<dyn Fn(&Scope, &str) -> bool + Send + Sync>;
type Handler = Box<dyn Fn(Context, &str, Value) -> Answer + Send + Sync>;

/// A resource with a service behind it.
pub struct Mount {
    /// Its rows of the operation table, at all templates.
    pub(crate) operations: &'static [Operation],
    exists: Exists,
    handlers: BTreeMap<&'static str, Handler>,
}

impl Mount {
    /// Whether the scope has the resource at a URI.
    pub(crate) fn exists(&self, scope: &Scope, uri: &str) -> bool {
        (self.exists)(scope, uri)
    }

    /// Runs an operation on the resource at a URI.
    pub(crate) async fn call(
        &self,
        operation: &Operation,
        cx: Context,
        uri: &str,
        body: Value,
    ) -> Result<Outcome> {
        match self.handlers.get(key(operation)) {
            Some(handler) => handler(cx, uri, body).await,
            None => Err(Error::method_not_allowed()),
        }
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handlers: Vec<_> = self.handlers.keys().collect();
        f.debug_struct("Mount").field("handlers", &handlers).finish_non_exhaustive()
    }
}

/// What tells the operations of one resource apart, wherever it stands.
fn key(operation: &Operation) -> &'static str {
    use crate::operation::Kind;
    match operation.kind {
        Kind::Get => "get",
        Kind::Patch => "patch",
        Kind::Create => "create",
        Kind::Delete => "delete",
        Kind::Action(name) => name,
    }
}

/// Collects the handlers of one resource.
pub(crate) struct MountBuilder<S, U> {
    service: Arc<S>,
    mount: Mount,
    uri: PhantomData<fn(U)>,
}

impl<S: Send + Sync + 'static, U: Uri + Send + 'static> MountBuilder<S, U> {
    pub(crate) fn new(
        resource: &'static str,
        service: Arc<S>,
        exists: fn(&S, &Scope, &U) -> bool,
    ) -> Self {
        let here = service.clone();
        let exists: Exists =
            Box::new(move |scope, uri| uri.parse().is_ok_and(|uri| exists(&here, scope, &uri)));
        let mount =
            Mount { operations: operations_of(resource), exists, handlers: BTreeMap::new() };
        Self { service, mount, uri: PhantomData }
    }

    pub(crate) fn get<T, F>(
        self,
        call: impl Fn(Arc<S>, Context, U) -> F + Send + Sync + 'static,
    ) -> Self
    where
        T: Serialize,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        self.bodiless("get", move |service, cx, uri| {
            let answer = call(service, cx, uri);
            async move { document(&answer.await?).map(Outcome::Content) }
        })
    }

    pub(crate) fn delete<F>(
        self,
        call: impl Fn(Arc<S>, Context, U) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Reply<()>>> + Send + 'static,
    {
        self.bodiless("delete", move |service, cx, uri| {
            let answer = call(service, cx, uri);
            async move { content(&answer.await?) }
        })
    }

    pub(crate) fn patch<B, T, F>(
        self,
        call: impl Fn(Arc<S>, Context, U, B) -> F + Send + Sync + 'static,
    ) -> Self
    where
        B: Member + Object,
        T: Serialize,
        F: Future<Output = Result<Reply<T>>> + Send + 'static,
    {
        self.action("patch", call)
    }

    pub(crate) fn create<B, T, F>(
        self,
        call: impl Fn(Arc<S>, Context, U, B) -> F + Send + Sync + 'static,
    ) -> Self
    where
        B: Member + Object,
        T: Resource,
        F: Future<Output = Result<Reply<T>>> + Send + 'static,
    {
        self.with_body("create", move |service, cx, uri, body| {
            let answer = call(service, cx, uri, body);
            async move {
                match answer.await? {
                    Reply::Done(created) => document(&created).map(Outcome::Created),
                    Reply::Accepted { task } => Ok(Outcome::Accepted { task }),
                }
            }
        })
    }

    pub(crate) fn action<B, T, F>(
        self,
        name: &'static str,
        call: impl Fn(Arc<S>, Context, U, B) -> F + Send + Sync + 'static,
    ) -> Self
    where
        B: Member + Object,
        T: Serialize,
        F: Future<Output = Result<Reply<T>>> + Send + 'static,
    {
        self.with_body(name, move |service, cx, uri, body| {
            let answer = call(service, cx, uri, body);
            async move { content(&answer.await?) }
        })
    }

    pub(crate) fn build(self) -> Mount {
        self.mount
    }

    fn with_body<B, F>(
        mut self,
        name: &'static str,
        call: impl Fn(Arc<S>, Context, U, B) -> F + Send + Sync + 'static,
    ) -> Self
    where
        B: Member + Object,
        F: Future<Output = Result<Outcome>> + Send + 'static,
    {
        let service = self.service.clone();
        let handler: Handler = Box::new(move |cx, uri, body| {
            let ready = parse(uri)
                .and_then(|uri| Ok((uri, decode(&body)?)))
                .map(|(uri, body)| call(service.clone(), cx, uri, body));
            Box::pin(async move { ready?.await })
        });
        self.mount.handlers.insert(name, handler);
        self
    }

    fn bodiless<F>(
        mut self,
        name: &'static str,
        call: impl Fn(Arc<S>, Context, U) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Outcome>> + Send + 'static,
    {
        let service = self.service.clone();
        let handler: Handler = Box::new(move |cx, uri, _| {
            let ready = parse(uri).map(|uri| call(service.clone(), cx, uri));
            Box::pin(async move { ready?.await })
        });
        self.mount.handlers.insert(name, handler);
        self
    }
}

fn parse<U: Uri>(uri: &str) -> Result<U> {
    uri.parse().map_err(|_| Error::not_found(uri))
}

/// Reads a request body; values of the wrong type are all told at once.
fn decode<B: Member + Object>(body: &Value) -> Result<B> {
    let bad = http::StatusCode::BAD_REQUEST;
    let decoded =
        B::read(body).map_err(|_| Error::new(bad, messages::unrecognized_request_body()))?;
    let misfits = Inspection::of(&decoded).misfits.into_iter().map(|misfit| {
        let value = body.pointer(&misfit.pointer).map(Value::to_string).unwrap_or_default();
        messages::property_value_type_error(value, misfit.pointer)
    });
    let messages: Vec<_> = misfits.collect();
    if messages.is_empty() {
        return Ok(decoded);
    }
    Err(Error { status: bad, messages, retry_after: None })
}

fn document<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| Error::internal())
}

/// `()` has no content.
fn content<T: Serialize>(reply: &Reply<T>) -> Result<Outcome> {
    match reply {
        Reply::Accepted { task } => Ok(Outcome::Accepted { task: task.clone() }),
        Reply::Done(value) => Ok(match document(value)? {
            Value::Null => Outcome::NoContent,
            value => Outcome::Content(value),
        }),
    }
}

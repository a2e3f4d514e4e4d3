//! From a typed implementation to something that a router can call.
//!
//! The generated `mount_…` functions are written with `MountBuilder`: each closure is typed, and
//! from here on the types are gone, so that a router of a hundred resources is compiled once.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use redfish_model::{Inspection, Member, Object, Resource, Task, Uri};
use serde::Serialize;
use serde_json::Value;

use crate::context::{Context, Principal, Scope};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::operation::{Kind, Operation, operations_of};

/// The answer to a write.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply<T> {
    /// What became of it.
    pub state: State<T>,
    /// Headers beside those that follow from the state, such as a new session's `X-Auth-Token`.
    pub headers: HeaderMap,
    /// What there is to say beside it, such as which properties were left alone
    /// (`@Message.ExtendedInfo` of the answer).
    pub messages: Vec<Message>,
}

/// What became of a write.
#[derive(Clone, Debug, PartialEq)]
pub enum State<T> {
    /// It is done.
    Done(T),
    /// It goes on as a task; clients are told to look again after a while.
    Accepted(Accepted),
}

/// After how many seconds clients are told to look at a task again.
pub(crate) const RETRY_AFTER: u32 = 5;

/// Work that goes on after the answer (DSP0266, "Asynchronous operations").
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The URI of the task monitor, for `Location`.
    pub monitor: String,
    /// The task as it is now, for the body.
    pub task: Box<Task>,
    /// When to look again, in seconds.
    pub retry_after: Option<u32>,
}

impl<T> Reply<T> {
    /// It is done.
    pub fn done(value: T) -> Self {
        Self::new(State::Done(value))
    }

    /// It goes on as a task.
    pub fn accepted(monitor: impl Into<String>, task: Task) -> Self {
        let accepted = Accepted {
            monitor: monitor.into(),
            task: Box::new(task),
            retry_after: Some(RETRY_AFTER),
        };
        Self::new(State::Accepted(accepted))
    }

    fn new(state: State<T>) -> Self {
        Self { state, headers: HeaderMap::new(), messages: Vec::new() }
    }

    /// With something to say beside it.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// With a header of its own.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// What an operation gave, without its types.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) content: Content,
    pub(crate) headers: HeaderMap,
    pub(crate) messages: Vec<Message>,
}

/// The content of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A document.
    Document(Value),
    /// A new resource, which says itself where it is.
    Created(Value),
    /// Done, and nothing to say.
    Nothing,
    /// It goes on as a task.
    Accepted(Accepted),
}

impl From<Content> for Outcome {
    fn from(content: Content) -> Self {
        Self { content, headers: HeaderMap::new(), messages: Vec::new() }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Outcome>> + Send>>;
type Exists = Box<dyn Fn(&Scope, &str) -> bool + Send + Sync>;
type Handler = Box<dyn Fn(Context, &str, Value) -> Answer + Send + Sync>;
type Ready = Arc<dyn Fn() -> Result<()> + Send + Sync>;
type Own = Arc<dyn Fn(&Principal, &str) -> bool + Send + Sync>;
type Version = Arc<dyn Fn(&Scope, &str) -> Option<u64> + Send + Sync>;

/// A resource with a service behind it.
pub struct Mount {
    /// The rows of the operation table that it answers for.
    pub(crate) operations: Vec<&'static Operation>,
    exists: Exists,
    handlers: BTreeMap<&'static str, Handler>,
    ready: Option<Ready>,
    own: Option<Own>,
    version: Option<Version>,
    service_wide: bool,
}

impl Mount {
    /// Answers at these URI templates of the resource only, so that another service can have the
    /// rest: log services of machines here, that of the manager there.
    #[must_use]
    pub fn at(mut self, sites: &[&str]) -> Self {
        self.operations.retain(|operation| sites.contains(&operation.site));
        self
    }

    /// Leaves out kinds of operations that this service does not have; they are neither allowed nor
    /// advertised.
    #[must_use]
    pub fn without(mut self, kinds: &[Kind]) -> Self {
        self.operations.retain(|operation| !kinds.contains(&operation.kind));
        self
    }

    /// Asks first whether anything is known yet; the error says when to come back.
    #[must_use]
    pub fn ready(mut self, ready: impl Fn() -> Result<()> + Send + Sync + 'static) -> Self {
        self.ready = Some(Arc::new(ready));
        self
    }

    /// Says which resources are the caller's own, for which `ConfigureSelf` suffices. `uri` is that
    /// of the resource.
    #[must_use]
    pub fn own(mut self, own: impl Fn(&Principal, &str) -> bool + Send + Sync + 'static) -> Self {
        self.own = Some(Arc::new(own));
        self
    }

    /// Gives each URI of a scope a number that changes whenever the resource does, its collection's
    /// members and whatever else the answer shows included; rendered answers are kept by it. A number
    /// says that the resource exists; `None` is for what is to be asked and rendered each time.
    #[must_use]
    pub fn versioned(
        mut self,
        version: impl Fn(&Scope, &str) -> Option<u64> + Send + Sync + 'static,
    ) -> Self {
        self.version = Some(Arc::new(version));
        self
    }

    /// Says that writes concern everybody, wherever the resource stands: they are for accounts that
    /// may see all machines.
    #[must_use]
    pub fn service_wide(mut self) -> Self {
        self.service_wide = true;
        self
    }

    /// Whether anything is known yet.
    pub(crate) fn is_ready(&self) -> Result<()> {
        self.ready.as_ref().map_or(Ok(()), |ready| ready())
    }

    /// Whether the resource at a URI is the principal's own.
    pub(crate) fn is_own(&self, principal: &Principal, uri: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own(principal, uri))
    }

    /// Whether writes concern everybody.
    pub(crate) fn is_service_wide(&self) -> bool {
        self.service_wide
    }

    /// The version of the resource at a URI, if it is there and has one.
    pub(crate) fn version(&self, scope: &Scope, uri: &str) -> Option<u64> {
        self.version.as_ref()?(scope, uri)
    }

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
        let mount = Mount {
            operations: operations_of(resource).iter().collect(),
            exists,
            handlers: BTreeMap::new(),
            ready: None,
            own: None,
            version: None,
            service_wide: false,
        };
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
            async move { Ok(Content::Document(document(&answer.await?)?).into()) }
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
            async move { reply(answer.await?, content) }
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
            async move { reply(answer.await?, |created| Ok(Content::Created(document(created)?))) }
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
            async move { reply(answer.await?, content) }
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
        // The value itself may be a secret.
        let value = body.pointer(&misfit.pointer).map_or("nothing", type_name);
        messages::property_value_type_error(value, misfit.pointer.trim_start_matches('/'))
    });
    let messages: Vec<_> = misfits.collect();
    if messages.is_empty() {
        return Ok(decoded);
    }
    Err(Error::with_messages(bad, messages))
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn document<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| Error::internal())
}

/// `()` has no content.
fn content<T: Serialize>(value: &T) -> Result<Content> {
    Ok(match document(value)? {
        Value::Null => Content::Nothing,
        value => Content::Document(value),
    })
}

fn reply<T>(reply: Reply<T>, done: impl Fn(&T) -> Result<Content>) -> Result<Outcome> {
    let content = match reply.state {
        State::Done(value) => done(&value)?,
        State::Accepted(accepted) => Content::Accepted(accepted),
    };
    Ok(Outcome { content, headers: reply.headers, messages: reply.messages })
}

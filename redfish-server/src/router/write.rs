//! Writes: each in a task of its own, so that a client that hangs up does not cancel it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Map, Value};

use super::authorise::Rights;
use super::{Found, Router, etag, response};
use crate::body;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::messages;
use crate::mount::{Content, Mount, Outcome};
use crate::operation::{Kind, Operation};

/// The largest body that is read.
const MAX_BODY: usize = 1 << 20;
/// How much of a larger one is read to be thrown away.
const THROWN_AWAY: usize = 32 << 20;
/// How long a client may take to send it.
const PATIENCE: Duration = Duration::from_secs(30);

impl Router {
    pub(super) async fn write(
        self: &Arc<Self>,
        cx: Context,
        operation: &'static Operation,
        found: &Found<'_>,
        rights: Option<Rights<'_>>,
        head: &Parts,
        body: Body,
    ) -> Result<Response> {
        let body = match operation.body {
            Some(_) => body::parse_object(&read(body).await?)?,
            None => Map::new(),
        };
        let changes = |name: &&String| operation.kind == Kind::Patch && !name.contains('@');
        let may = |name: &String| rights.as_ref().is_some_and(|rights| rights.property(name));
        if !body.keys().filter(changes).all(may) {
            return Err(Error::forbidden());
        }
        let write = Write {
            router: Arc::clone(self),
            cx,
            operation,
            uri: found.uri.into(),
            headers: head.headers.clone(),
        };
        match tokio::spawn(write.run(body)).await {
            Ok(response) => response,
            // It panicked, and the log has it.
            Err(_) => Err(Error::internal()),
        }
    }
}

/// A write on its way.
struct Write {
    router: Arc<Router>,
    cx: Context,
    operation: &'static Operation,
    uri: Box<str>,
    headers: HeaderMap,
}

impl Write {
    async fn run(self, body: Map<String, Value>) -> Result<Response> {
        let endpoint = self.router.root.find(self.operation.template);
        let endpoint = endpoint.ok_or_else(|| Error::not_found(&self.uri))?;
        // The endpoint of an action has no GET; all of this is about that of the resource.
        let site = self.router.root.find(&self.uri).unwrap_or(endpoint);
        let mount = self.router.mounted(endpoint).ok_or_else(|| Error::not_found(&self.uri))?;
        let at = Found { endpoint: site, uri: &self.uri };
        match (self.operation.kind, self.operation.body) {
            (Kind::Patch, Some(object)) => {
                let _lock = self.router.locks.lock(&self.uri).await?;
                let current = self.current(&at).await?;
                self.condition(&at, current.clone())?;
                let patch = body::patch(object, &current, body)?;
                if patch.apply.is_empty() {
                    let outcome = Content::Document(Value::Object(current)).into();
                    return self.respond(&at, outcome);
                }
                let outcome = self.call(mount, Value::Object(patch.apply)).await;
                let mut outcome = match outcome {
                    // All faults are told at once, whoever found them.
                    Err(error) if error.status == StatusCode::BAD_REQUEST => {
                        let messages = [error.messages, patch.faults].concat();
                        return Err(Error { messages, ..error });
                    }
                    outcome => outcome?,
                };
                outcome.messages.extend(patch.faults);
                self.respond(&at, outcome)
            }
            (Kind::Delete, _) => {
                let _lock = self.router.locks.lock(&self.uri).await?;
                if self.headers.contains_key(http::header::IF_MATCH) {
                    let current = self.current(&at).await?;
                    self.condition(&at, current)?;
                }
                let outcome = self.call(mount, Value::Null).await?;
                self.respond(&at, outcome)
            }
            (Kind::Create, Some(object)) => {
                let outcome = self.call(mount, body::create(object, body)?).await?;
                self.respond(&at, outcome)
            }
            (Kind::Action(name), Some(object)) => {
                let outcome = self.call(mount, body::parameters(name, object, body)?).await?;
                self.respond(&at, outcome)
            }
            _ => {
                let outcome = self.call(mount, Value::Object(body)).await?;
                self.respond(&at, outcome)
            }
        }
    }

    async fn call(&self, mount: &Mount, body: Value) -> Result<Outcome> {
        mount.call(self.operation, self.cx.clone(), &self.uri, body).await
    }

    /// The resource before the write.
    async fn current(&self, at: &Found<'_>) -> Result<Map<String, Value>> {
        let get = at.endpoint.operation(&http::Method::GET);
        let get = get.ok_or_else(Error::method_not_allowed)?;
        self.router.document(&self.cx, get, at).await
    }

    /// `If-Match`, while nobody else writes.
    fn condition(&self, at: &Found<'_>, current: Map<String, Value>) -> Result<()> {
        if !self.headers.contains_key(http::header::IF_MATCH) {
            return Ok(());
        }
        let rendered = self.router.render(&self.cx, current, at)?;
        let tag = rendered.tag.as_ref().and_then(|tag| tag.to_str().ok()).unwrap_or_default();
        if etag::may_change(&self.headers, tag, self.cx.scope.profile) {
            return Ok(());
        }
        Err(Error::new(StatusCode::PRECONDITION_FAILED, messages::precondition_failed()))
    }

    fn respond(&self, at: &Found<'_>, outcome: Outcome) -> Result<Response> {
        let messages = &outcome.messages;
        let mut response = match outcome.content {
            Content::Document(Value::Object(document)) => {
                let rendered = self.router.render(&self.cx, document, at)?;
                response::changed(StatusCode::OK, &rendered, messages)?
            }
            Content::Created(Value::Object(document)) => {
                let uri = document.get("@odata.id").and_then(Value::as_str).unwrap_or_default();
                let uri = uri.to_owned();
                let member = self.router.root.find(&uri).unwrap_or(at.endpoint);
                let member = Found { endpoint: member, uri: &uri };
                let rendered = self.router.render(&self.cx, document, &member)?;
                let mut response = response::changed(StatusCode::CREATED, &rendered, messages)?;
                response::located(response.headers_mut(), &uri);
                response
            }
            Content::Accepted(accepted) => response::accepted(&accepted)?,
            Content::Nothing => response::empty(StatusCode::NO_CONTENT),
            Content::Document(_) | Content::Created(_) => return Err(Error::internal()),
        };
        response.headers_mut().extend(outcome.headers);
        Ok(response)
    }
}

/// The bytes of a body. One that is too large is read on for a while and thrown away: a connection that
/// is closed on unread bytes takes the answer with it.
async fn read(mut body: Body) -> Result<Bytes> {
    let mut bytes = BytesMut::new();
    let mut length = 0;
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Error::malformed_json())?.into_data() else {
                continue;
            };
            length += data.len();
            if length <= MAX_BODY {
                bytes.extend_from_slice(&data);
            } else if length > THROWN_AWAY {
                break;
            }
        }
        Result::<()>::Ok(())
    };
    match tokio::time::timeout(PATIENCE, reading).await {
        Ok(read) => read?,
        Err(_) => {
            return Err(Error::new(StatusCode::REQUEST_TIMEOUT, messages::operation_timeout()));
        }
    }
    if length > MAX_BODY {
        return Err(Error::new(StatusCode::PAYLOAD_TOO_LARGE, messages::payload_too_large()));
    }
    Ok(bytes.freeze())
}

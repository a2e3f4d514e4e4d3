//! Outcomes and errors as HTTP responses: the one place that writes them.

use axum::body::Body;
use axum::response::Response;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, ETAG, LINK, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value};

use super::cache::Rendered;
use super::etag;
use crate::error::Error;
use crate::message::Message;
use crate::metadata::Object;
use crate::mount::Accepted;
use crate::services::schemas::Schema;

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// An error, and the methods that would be allowed where that is the error.
pub(super) struct Refusal {
    pub(super) error: Error,
    pub(super) allow: Option<HeaderValue>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, allow: None }
    }
}

impl Refusal {
    pub(super) fn response(self) -> Response {
        let Error { status, retry_after, .. } = self.error;
        let mut response = match serde_json::to_vec(&self.error.body()) {
            Ok(bytes) => json(status, bytes.into()),
            Err(_) => empty(StatusCode::INTERNAL_SERVER_ERROR),
        };
        let headers = response.headers_mut();
        if let Some(allow) = self.allow {
            headers.insert(ALLOW, allow);
        }
        headers.extend(self.error.headers);
        if status == StatusCode::UNAUTHORIZED {
            // DSP0266, "HTTP Basic authentication".
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"Redfish\""));
        }
        retry(headers, retry_after);
        response
    }
}

/// The error as a response, for who refuses before the router is asked.
pub(crate) fn refusal(error: Error) -> Response {
    Refusal::from(error).response()
}

/// Tags a resource; what is no resource has none.
pub(super) fn tag(
    document: &mut Map<String, Value>,
    patch: Option<&'static Object>,
) -> Option<String> {
    let tag = document.contains_key("@odata.id").then(|| etag::of(document, patch))?;
    document.insert("@odata.etag".to_owned(), tag.as_str().into());
    Some(tag)
}

/// A document as it is sent.
pub(super) fn render(
    document: &Map<String, Value>,
    tag: Option<String>,
) -> Result<Rendered, Error> {
    let link = document.get("@odata.type").and_then(Value::as_str).and_then(described_by);
    let bytes = serde_json::to_vec(document).map_err(|_| Error::internal())?;
    let tag = tag.and_then(|tag| HeaderValue::try_from(tag).ok());
    Ok(Rendered { bytes: bytes.into(), tag, link })
}

/// The `Link` to the schema of a type (DSP0266, "Link header"): the published file of `#Role.v1_3_3.Role`.
fn described_by(odata_type: &str) -> Option<HeaderValue> {
    let name = odata_type.strip_prefix('#')?.split('.').next()?;
    let uri = Schema::named(name)?.json_schema();
    HeaderValue::try_from(format!("<{uri}>; rel=describedby")).ok()
}

/// The answer to a GET.
pub(super) fn document(rendered: &Rendered, request: &HeaderMap) -> Response {
    let tag = rendered.tag.as_ref().and_then(|tag| tag.to_str().ok());
    let mut response = if tag.is_some_and(|tag| etag::is_known(request, tag)) {
        empty(StatusCode::NOT_MODIFIED)
    } else {
        json(StatusCode::OK, Body::from(rendered.bytes.clone()))
    };
    describe(response.headers_mut(), rendered);
    response
}

fn describe(headers: &mut HeaderMap, rendered: &Rendered) {
    headers.extend(rendered.tag.clone().map(|tag| (ETAG, tag)));
    headers.extend(rendered.link.clone().map(|link| (LINK, link)));
}

/// The answer to a write that gives the resource; messages say what it is not.
pub(super) fn changed(
    status: StatusCode,
    rendered: &Rendered,
    messages: &[Message],
) -> Result<Response, Error> {
    let mut body = rendered.bytes.clone();
    if !messages.is_empty() {
        let mut value: Map<String, Value> =
            serde_json::from_slice(&body).map_err(|_| Error::internal())?;
        let messages = serde_json::to_value(messages).map_err(|_| Error::internal())?;
        value.insert("@Message.ExtendedInfo".to_owned(), messages);
        body = serde_json::to_vec(&value).map_err(|_| Error::internal())?.into();
    }
    let mut response = json(status, Body::from(body));
    describe(response.headers_mut(), rendered);
    Ok(response)
}

/// The answer to a write that goes on.
pub(super) fn accepted(accepted: &Accepted) -> Result<Response, Error> {
    let task = serde_json::to_vec(&accepted.task).map_err(|_| Error::internal())?;
    let mut response = json(StatusCode::ACCEPTED, task.into());
    located(response.headers_mut(), &accepted.monitor);
    retry(response.headers_mut(), accepted.retry_after);
    Ok(response)
}

pub(super) fn located(headers: &mut HeaderMap, location: &str) {
    if let (false, Ok(location)) = (location.is_empty(), HeaderValue::try_from(location)) {
        headers.insert(LOCATION, location);
    }
}

fn retry(headers: &mut HeaderMap, seconds: Option<u32>) {
    if let Some(seconds) = seconds {
        headers.insert(RETRY_AFTER, seconds.into());
    }
}

pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("odata-version"), HeaderValue::from_static("4.0"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn json(status: StatusCode, body: Body) -> Response {
    let mut response = empty(status);
    *response.body_mut() = body;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

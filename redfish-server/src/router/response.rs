//! Outcomes and errors as HTTP responses: the one place that writes them.

use axum::body::Body;
use axum::response::Response;
use http::header::{ALLOW, CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde_json::Value;

use crate::error::Error;
use crate::mount::{Accepted, Content, Outcome};

/// An error, and the methods that would be allowed where that is the error.
pub(super) struct Refusal {
    pub(super) error: Error,
    pub(super) allow: Option<String>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, allow: None }
    }
}

impl Refusal {
    pub(super) fn response(self) -> Response {
        let mut response = json(self.error.status, &self.error.body());
        let headers = response.headers_mut();
        if let Some(allow) = self.allow.and_then(|allow| HeaderValue::try_from(allow).ok()) {
            headers.insert(ALLOW, allow);
        }
        headers.extend(self.error.headers);
        if self.error.status == StatusCode::UNAUTHORIZED {
            // DSP0266, "HTTP Basic authentication".
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"Redfish\""));
        }
        retry(&mut response, self.error.retry_after);
        response
    }
}

/// The answer to what went well.
pub(super) fn success(outcome: Outcome) -> Response {
    let mut response = match outcome.content {
        Content::Document(value) => json(StatusCode::OK, &value),
        Content::Created(value) => {
            let uri = value.get("@odata.id").and_then(Value::as_str).unwrap_or_default();
            located(json(StatusCode::CREATED, &value), uri)
        }
        Content::Nothing => empty(StatusCode::NO_CONTENT),
        Content::Accepted(Accepted { monitor, task, retry_after }) => {
            let mut response = located(json(StatusCode::ACCEPTED, &task), &monitor);
            retry(&mut response, retry_after);
            response
        }
    };
    response.headers_mut().extend(outcome.headers);
    response
}

fn located(mut response: Response, location: &str) -> Response {
    if let (false, Ok(location)) = (location.is_empty(), HeaderValue::try_from(location)) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

fn retry(response: &mut Response, seconds: Option<u32>) {
    if let Some(seconds) = seconds {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert("odata-version", HeaderValue::from_static("4.0"));
    response
}

fn json<T: serde::Serialize>(status: StatusCode, value: &T) -> Response {
    let Ok(bytes) = serde_json::to_vec(value) else {
        return empty(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut response = empty(status);
    *response.body_mut() = Body::from(bytes);
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

//! Task monitors (DSP0266, "Asynchronous operations"): one URI that answers 202 while the work goes
//! on, and after it as the operation would have answered. A DELETE of it cancels the work; who began it
//! may do that, and who may delete the Task.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};

use super::Tasks;
use super::record::{Answer, Record, monitor};
use crate::mount::RETRY_AFTER;
use crate::operation::Privilege;
use crate::page::Page;
use crate::{Context, Error, Result};

pub(super) const FOLDER: &str = "/redfish/v1/TaskService/TaskMonitors/";

/// The page of the monitors.
pub fn pages(tasks: &Arc<Tasks>) -> Vec<Page> {
    let tasks = Arc::clone(tasks);
    let template = "/redfish/v1/TaskService/TaskMonitors/{TaskId}";
    vec![Page::new(template, &[Method::GET, Method::DELETE], move |cx, method, path| {
        let tasks = Arc::clone(&tasks);
        async move {
            if method != Method::DELETE {
                return answer(&tasks, &cx, &path);
            }
            // In a task of its own, as other writes are: a client that hangs up does not stop it.
            let cancelling = tokio::spawn(async move { cancel(&tasks, &cx, &path).await });
            cancelling.await.unwrap_or_else(|_| Err(Error::internal()))
        }
    })]
}

/// The task that a monitor is of.
fn find(tasks: &Tasks, cx: &Context, path: &str) -> Result<Record> {
    let id = path.strip_prefix(FOLDER).map(|id| id.trim_end_matches('/'));
    let record = id.and_then(|id| tasks.find(&cx.scope, id));
    record.ok_or_else(|| Error::not_found(path))
}

async fn cancel(tasks: &Tasks, cx: &Context, path: &str) -> Result<Response> {
    let record = find(tasks, cx, path)?;
    let may = cx.principal.as_deref().is_some_and(|principal| {
        record.account.as_ref() == Some(&principal.account)
            || principal.privileges.contains(&Privilege::ConfigureManager)
    });
    if !may {
        return Err(Error::forbidden());
    }
    if record.is_finished() {
        // What it was about has its answer; the Task stays until it is deleted or expires.
        return Err(Error::not_found(path));
    }
    tasks.cancel(&cx.scope, &record.id).await?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

fn answer(tasks: &Tasks, cx: &Context, path: &str) -> Result<Response> {
    let record = find(tasks, cx, path)?;
    match &record.answer {
        Some(answer) => last(answer),
        // Cancelled.
        None if record.is_finished() => Err(Error::not_found(path)),
        None => running(&record),
    }
}

fn running(record: &Record) -> Result<Response> {
    let task = serde_json::to_vec(&record.resource()).map_err(|_| Error::internal())?;
    let mut response = json(StatusCode::ACCEPTED, task);
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, RETRY_AFTER.into());
    located(headers, &monitor(&record.id));
    Ok(response)
}

fn last(answer: &Answer) -> Result<Response> {
    let status = StatusCode::from_u16(answer.status).map_err(|_| Error::internal())?;
    let mut response = match &answer.body {
        Some(body) => json(status, serde_json::to_vec(body).map_err(|_| Error::internal())?),
        None => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = status;
            response
        }
    };
    if let Some(location) = &answer.location {
        located(response.headers_mut(), location);
    }
    Ok(response)
}

fn located(headers: &mut http::HeaderMap, uri: &str) {
    if let Ok(uri) = HeaderValue::try_from(uri) {
        headers.insert(header::LOCATION, uri);
    }
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, json);
    headers.insert(HeaderName::from_static("odata-version"), HeaderValue::from_static("4.0"));
    response
}

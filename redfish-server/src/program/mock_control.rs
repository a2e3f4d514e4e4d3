//! The control of the mock over HTTP, below `/mock` on the admin listener: for tests of clients, which
//! want things to go wrong on demand and to see what arrived.
//!
//! | Request | What it does |
//! |---|---|
//! | `GET /mock/machines` | the machines and how they were made |
//! | `POST /mock/machines` | adds one: a `[[machine]]` as JSON |
//! | `DELETE /mock/machines/ID` | removes one |
//! | `POST /mock/machines/ID/back-to-start` | makes one as it was at the beginning |
//! | `POST /mock/machines/ID/guest-shutdown`, `.../guest-restart` | what a guest does by itself |
//! | `GET`, `POST`, `DELETE /mock/faults` (`?machine=ID`) | faults: what goes wrong |
//! | `GET`, `PUT /mock/delays` | how long things take |
//! | `POST /mock/clock` | lets time pass: `{"advance": SECONDS}` |
//! | `GET /mock/journal` (`?after=SEQUENCE`) | what happened, one JSON object per line |

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use http::StatusCode;
use redfish_backend::mock::{Delays, Fault, MachineConfig, MockControl};
use redfish_backend::{Error, MachineId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

type Control = State<Arc<MockControl>>;

pub(super) fn app(control: MockControl) -> Router {
    Router::new()
        .route("/mock/machines", get(machines).post(add))
        .route("/mock/machines/{id}", delete(remove))
        .route("/mock/machines/{id}/{action}", post(act))
        .route("/mock/faults", get(faults).post(inject).delete(clear))
        .route("/mock/delays", get(delays).put(set_delays))
        .route("/mock/clock", post(advance))
        .route("/mock/journal", get(journal))
        .with_state(Arc::new(control))
}

/// What a request can fail with.
struct Refused(StatusCode, String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.1 }).to_string();
        (self.0, [(http::header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::NotFound { .. } => StatusCode::NOT_FOUND,
            Error::Conflict { .. } => StatusCode::CONFLICT,
            _ => StatusCode::BAD_REQUEST,
        };
        Self(status, error.to_string())
    }
}

fn answer(value: &impl Serialize) -> Result<Response, Refused> {
    let body = serde_json::to_vec(value)
        .map_err(|error| Refused(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(([(http::header::CONTENT_TYPE, "application/json")], body).into_response())
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|e| Refused(StatusCode::BAD_REQUEST, e.to_string()))
}

/// The value of a parameter of the query.
fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let pairs = query.unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

fn machine(query: Option<&str>) -> Result<Option<MachineId>, Refused> {
    Ok(parameter(query, "machine").map(MachineId::new).transpose()?)
}

async fn machines(State(control): Control) -> Result<Response, Refused> {
    let machines = control.machines();
    let by_name: HashMap<_, _> = machines.iter().map(|(id, how)| (id.as_str(), how)).collect();
    answer(&by_name)
}

async fn add(State(control): Control, body: Bytes) -> Result<Response, Refused> {
    let id = control.add(read::<MachineConfig>(&body)?)?;
    Ok((StatusCode::CREATED, answer(&json!({ "id": id.as_str() }))?).into_response())
}

async fn remove(State(control): Control, Path(id): Path<String>) -> Result<StatusCode, Refused> {
    control.remove(&MachineId::new(id)?)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn act(
    State(control): Control,
    Path((id, action)): Path<(String, String)>,
) -> Result<StatusCode, Refused> {
    let id = MachineId::new(id)?;
    match action.as_str() {
        "back-to-start" => control.back_to_start(&id)?,
        "guest-shutdown" => control.guest_shutdown(&id)?,
        "guest-restart" => control.guest_restart(&id)?,
        _ => {
            let known = "back-to-start, guest-shutdown, guest-restart";
            return Err(Refused(StatusCode::NOT_FOUND, format!("There is: {known}")));
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn faults(State(control): Control, RawQuery(query): RawQuery) -> Result<Response, Refused> {
    answer(&control.faults(machine(query.as_deref())?.as_ref())?)
}

async fn inject(
    State(control): Control,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Result<StatusCode, Refused> {
    control.inject(machine(query.as_deref())?.as_ref(), read::<Fault>(&body)?)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn clear(State(control): Control, RawQuery(query): RawQuery) -> Result<StatusCode, Refused> {
    control.clear_faults(machine(query.as_deref())?.as_ref())?;
    Ok(StatusCode::NO_CONTENT)
}

async fn delays(State(control): Control) -> Result<Response, Refused> {
    answer(&control.delays())
}

async fn set_delays(State(control): Control, body: Bytes) -> Result<StatusCode, Refused> {
    control.set_delays(read::<Delays>(&body)?)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn advance(State(control): Control, body: Bytes) -> Result<StatusCode, Refused> {
    let wanted: HashMap<String, f64> = read(&body)?;
    let time = wanted.get("advance").and_then(|time| Duration::try_from_secs_f64(*time).ok());
    let wrong = || Refused(StatusCode::BAD_REQUEST, "advance: a number of seconds".to_owned());
    control.advance(time.ok_or_else(wrong)?);
    Ok(StatusCode::NO_CONTENT)
}

async fn journal(State(control): Control, RawQuery(query): RawQuery) -> Result<Response, Refused> {
    let after = parameter(query.as_deref(), "after").map(|text| text.parse()).transpose();
    let after = after.map_err(|_| {
        Refused(StatusCode::BAD_REQUEST, "after: the number of an entry".to_owned())
    })?;
    let mut lines = String::new();
    for entry in control.journal(after.unwrap_or_default()) {
        let line = serde_json::to_string(&entry)
            .map_err(|error| Refused(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        lines.push_str(&line);
        lines.push('\n');
    }
    Ok(([(http::header::CONTENT_TYPE, "application/jsonl")], lines).into_response())
}

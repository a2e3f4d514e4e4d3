//! One task: what is kept of it, and the resource made of that.

use http::StatusCode;
use redfish_model::resource::Health;
use redfish_model::task::TaskState;
use redfish_model::{DateTimeOffset, Field, Task, TaskUri};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cancel::Cancel;
use super::payload::Payload;
use crate::message::Message;
use crate::services::journal::Journal;
use crate::{Error, Result, Scope, messages};

/// What an operation answered in the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The HTTP status.
    pub(super) status: u16,
    /// The URI of what was created.
    pub(super) location: Option<String>,
    /// The body.
    pub(super) body: Option<Value>,
}

impl Answer {
    /// Done, and nothing to say.
    pub fn nothing() -> Self {
        Self { status: StatusCode::NO_CONTENT.as_u16(), location: None, body: None }
    }

    /// Done, with a resource or the response of an action.
    pub fn document(body: Value) -> Self {
        Self { status: StatusCode::OK.as_u16(), location: None, body: Some(body) }
    }

    /// A new resource.
    pub fn created(location: impl Into<String>, body: Value) -> Self {
        Self {
            status: StatusCode::CREATED.as_u16(),
            location: Some(location.into()),
            body: Some(body),
        }
    }

    fn error(error: &Error) -> Self {
        let body = serde_json::to_value(error.body()).ok();
        Self { status: error.status.as_u16(), location: None, body }
    }
}

/// A task. Times are seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// The order of creation.
    pub(super) number: u64,
    /// Random: a monitor that a client still looks at after a restart must not be another task.
    pub(super) id: String,
    name: String,
    pub(super) account: Option<String>,
    machine: Option<String>,
    pub(super) state: TaskState,
    health: Health,
    pub(super) percent: Option<u8>,
    started: i64,
    pub(super) ended: Option<i64>,
    pub(super) interrupted: Option<i64>,
    messages: Vec<Message>,
    payload: Option<Payload>,
    pub(super) answer: Option<Answer>,
    /// How its work is stopped, by the process that does it.
    #[serde(skip)]
    pub(super) cancel: Option<Cancel>,
}

impl Record {
    pub(super) fn new(
        number: u64,
        name: &str,
        account: Option<String>,
        machine: Option<&str>,
        payload: Option<Payload>,
        now: i64,
    ) -> Result<Self> {
        let id = getrandom::u64().map_err(|_| Error::internal())?;
        Ok(Self {
            number,
            id: format!("{id:016x}"),
            name: name.to_owned(),
            account,
            machine: machine.map(str::to_owned),
            state: TaskState::Running,
            health: Health::OK,
            percent: None,
            started: now,
            ended: None,
            interrupted: None,
            messages: Vec::new(),
            payload,
            answer: None,
            cancel: None,
        })
    }

    /// Whether the scope has the task: its machine, and its account.
    pub(super) fn is_in(&self, scope: &Scope) -> bool {
        self.machine.as_deref().is_none_or(|machine| scope.has(machine))
            && scope.has_account(self.account.as_deref().unwrap_or_default())
    }

    pub(super) fn is_finished(&self) -> bool {
        self.ended.is_some()
    }

    pub(super) fn save(&self, journal: &dyn Journal) {
        if let Ok(record) = serde_json::to_value(self) {
            journal.put(&self.id, record);
        }
    }

    /// Adds a message; of more than `most` the oldest goes.
    pub(super) fn say(&mut self, message: Message, most: usize) {
        self.messages.push(message);
        let surplus = self.messages.len().saturating_sub(most.max(1));
        self.messages.drain(..surplus);
    }

    pub(super) fn finish(&mut self, state: TaskState, answer: Answer, now: i64) {
        self.state = state;
        self.answer = Some(answer);
        self.ended = Some(now);
        self.cancel = None;
    }

    /// Ends it without an answer: that to the DELETE is the last one.
    pub(super) fn cancelled(&mut self, now: i64) {
        self.health = Health::Warning;
        self.state = TaskState::Cancelled;
        self.ended = Some(now);
        self.cancel = None;
    }

    pub(super) fn fail(&mut self, error: &Error, now: i64, most: usize) {
        if self.state == TaskState::Cancelling {
            self.cancelled(now);
            return;
        }
        self.health = Health::Critical;
        self.finish(TaskState::Exception, Answer::error(error), now);
        for message in &error.messages {
            self.say(message.clone(), most);
        }
    }

    pub(super) fn interrupt(&mut self, now: i64, most: usize) {
        self.state = TaskState::Interrupted;
        self.health = Health::Warning;
        self.percent = None;
        self.interrupted = Some(now);
        let text = "The service was restarted while the task ran.".to_owned();
        self.say(Message { message: Field::Value(text), ..messages::operation_failed() }, most);
    }

    /// The resource.
    pub(super) fn resource(&self) -> Task {
        let watched = !self.is_finished() || self.answer.is_some();
        let time = |seconds| Field::from(DateTimeOffset::from_unix_seconds(seconds));
        Task {
            task_state: self.state.clone().into(),
            task_status: self.health.clone().into(),
            percent_complete: self.percent.map(i64::from).into(),
            start_time: time(self.started),
            end_time: self.ended.map_or(Field::Absent, time),
            messages: self.messages.clone().into(),
            payload: self.payload.as_ref().map(Payload::resource).into(),
            hide_payload: self.payload.is_none().into(),
            task_monitor: watched.then(|| monitor(&self.id)).into(),
            ..Task::new(uri(&self.id), self.id.as_str(), self.name.as_str())
        }
    }
}

/// The URI of a task.
pub(super) fn uri(id: &str) -> String {
    TaskUri::TaskServiceTasks { task_id: id.to_owned() }.to_string()
}

/// The URI of its monitor; ids are hexadecimal digits.
pub(super) fn monitor(id: &str) -> String {
    format!("{}{id}", super::monitor::FOLDER)
}

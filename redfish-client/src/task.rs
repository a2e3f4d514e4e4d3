//! Task monitors: how to learn what became of a write that goes on after its answer.
//!
//! A task monitor (DSP0266, *Asynchronous operations*) answers 202 while the operation goes on and then what the
//! operation itself would have answered. Some services name the task instead, which answers 200 at all times and says
//! in `TaskState` how it stands; both kinds are understood.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use redfish_model::task::{Task, TaskState};
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::answer::Parts;
use crate::transport::As;
use crate::{Answer, Client, Decoded, Done, Error, Result};

/// How long to wait between two looks when the service does not say it, and what is made of what it says.
const DEFAULT_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A write that goes on, and ends with a `T`.
pub struct TaskMonitor<T> {
    uri: Option<String>,
    retry_after: Option<Duration>,
    task: Option<Box<Decoded<Task>>>,
    target: PhantomData<fn() -> T>,
}

impl<T> TaskMonitor<T> {
    pub(crate) fn new(
        location: Option<String>,
        retry_after: Option<Duration>,
        task: Option<Decoded<Task>>,
    ) -> Self {
        let named = |task: &Decoded<Task>| {
            let monitor = task.task_monitor.as_deref().or(task.odata_id.as_deref());
            monitor.map(str::to_owned)
        };
        let uri = location.or_else(|| task.as_ref().and_then(named));
        Self { uri, retry_after, task: task.map(Box::new), target: PhantomData }
    }

    /// The monitor at this URI, for instance one that another program was given.
    pub fn at(uri: impl Into<String>) -> Self {
        Self::new(Some(uri.into()), None, None)
    }

    /// The URI of the monitor; `None` when the service gave none.
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// How long the service asked to wait before the next look.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The task as it was last seen, when the service showed it.
    pub fn task(&self) -> Option<&Decoded<Task>> {
        self.task.as_deref()
    }

    /// Asks the service to end the operation, by DELETE of the monitor.
    ///
    /// # Errors
    /// The service refuses, or cannot be reached.
    pub async fn cancel(&self, client: &Client) -> Result<()> {
        client.delete::<()>(self.uri.as_deref().ok_or(Error::NoMonitor)?, None).await.map(drop)
    }

    /// How the task that was last seen ended; `None` when it goes on, or none was seen.
    fn ended(&self) -> Option<Result<Done<T>>> {
        let task = self.task.as_deref()?;
        match task.task_state.value()? {
            TaskState::Completed => Some(Ok(completed(task))),
            TaskState::Exception | TaskState::Killed | TaskState::Cancelled => {
                Some(Err(Error::TaskFailed(Box::new((**task).clone()))))
            }
            _ => None,
        }
    }
}

impl<T: DeserializeOwned> TaskMonitor<T> {
    /// Looks once: what the operation answered, or `None` while it goes on.
    ///
    /// # Errors
    /// The operation failed: [`Error::Service`] or [`Error::TaskFailed`]. Or the service cannot be reached.
    pub async fn poll(&mut self, client: &Client) -> Result<Option<Done<T>>> {
        let uri = self.uri.as_deref().ok_or(Error::NoMonitor)?;
        let shared = client.shared();
        let request = shared.request(Method::GET, shared.resolve(uri)?);
        let reply = shared.exchange(request, As::User).await?;
        if !reply.status.is_success() {
            return Err(reply.refused());
        }
        match Parts::of(&reply).answer() {
            Answer::Done(done) => Ok(Some(done)),
            Answer::Accepted(next) => {
                self.uri = match reply.status {
                    // A task names its monitor as well, but only what was asked knows the result.
                    StatusCode::ACCEPTED => next.uri.or(self.uri.take()),
                    _ => self.uri.take(),
                };
                (self.retry_after, self.task) = (next.retry_after, next.task);
                self.ended().transpose()
            }
        }
    }

    /// Looks again and again, as often as the service asks for, until the operation ends.
    ///
    /// # Errors
    /// Those of [`poll`](Self::poll), and [`Error::Timeout`]. The operation goes on then, and so may the wait.
    pub async fn wait(&mut self, client: &Client, timeout: Duration) -> Result<Done<T>> {
        if let Some(end) = self.ended() {
            return end;
        }
        let deadline = Instant::now() + timeout;
        loop {
            let wait = self.retry_after.unwrap_or(DEFAULT_WAIT).min(LONGEST_WAIT);
            // A service that says 0 is not asked in a tight loop.
            let next = Instant::now() + wait.max(Duration::from_millis(50));
            if next > deadline {
                tokio::time::sleep_until(deadline).await;
                return Err(Error::Timeout(None));
            }
            tokio::time::sleep_until(next).await;
            let look = tokio::time::timeout_at(deadline, self.poll(client)).await;
            if let Some(done) = look.map_err(|_| Error::Timeout(None))?? {
                return Ok(done);
            }
        }
    }
}

/// What there is to say of a task that is completed and has no monitor to tell more.
fn completed<T>(task: &Task) -> Done<T> {
    let links = task.links.value().and_then(|links| links.created_resources.value()?.first());
    Done {
        resource: None,
        location: links.and_then(|link| link.odata_id()).map(str::to_owned),
        messages: task.messages.value().cloned().unwrap_or_default(),
        unreadable: None,
    }
}

// Not derived: the derives would ask for the same of `T`, of which there is no value here.
impl<T> Clone for TaskMonitor<T> {
    fn clone(&self) -> Self {
        Self {
            uri: self.uri.clone(),
            retry_after: self.retry_after,
            task: self.task.clone(),
            target: PhantomData,
        }
    }
}

impl<T> PartialEq for TaskMonitor<T> {
    fn eq(&self, other: &Self) -> bool {
        self.uri == other.uri && self.retry_after == other.retry_after && self.task == other.task
    }
}

impl<T> fmt::Debug for TaskMonitor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskMonitor")
            .field("uri", &self.uri)
            .field("retry_after", &self.retry_after)
            .field("task", &self.task)
            .finish()
    }
}

//! Cancelling (DSP0266, "Asynchronous operations"): a DELETE of a monitor, or of a Task that runs.
//!
//! Only who does the work can stop it, and says how when it begins ([`Tasks::cancellable`]). A task is
//! *Cancelling* until that has worked; what comes to its end all the same ends as it would have, and what
//! fails meanwhile was cancelled.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::StatusCode;
use redfish_model::task::TaskState;

use super::{Tasks, record};
use crate::{Error, Result, Scope, messages};

type Stopping = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// How work is stopped.
#[derive(Clone)]
pub struct Cancel(Arc<dyn Fn() -> Stopping + Send + Sync>);

impl Cancel {
    /// The work has ended when the future has; an error says that it goes on, and why.
    pub fn new<F>(stop: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(stop())))
    }

    /// Stops the work.
    ///
    /// # Errors
    /// It goes on.
    pub async fn run(&self) -> Result<()> {
        (self.0)().await
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cancel")
    }
}

impl Tasks {
    /// Says how the work of a task is stopped.
    pub fn cancellable(&self, id: &str, cancel: Cancel) {
        self.change(id, false, |record, _| record.cancel = Some(cancel));
    }

    /// Stops the work of a task that the scope has; of one that has ended there is nothing to stop.
    pub(super) async fn cancel(&self, scope: &Scope, id: &str) -> Result<()> {
        let record = self.find(scope, id).ok_or_else(|| Error::not_found(&record::uri(id)))?;
        if record.is_finished() {
            return Ok(());
        }
        let Some(cancel) = record.cancel else {
            let message = messages::resource_cannot_be_deleted();
            let why = "The work of this task can't be stopped; wait for its end.";
            return Err(Error::explained(StatusCode::CONFLICT, message, why));
        };
        self.change(id, true, |record, _| record.state = TaskState::Cancelling);
        let stopped = cancel.run().await;
        self.change(id, true, |record, now| match &stopped {
            Ok(()) => record.cancelled(now),
            Err(_) if record.state == TaskState::Cancelling => record.state = TaskState::Running,
            Err(_) => {}
        });
        stopped
    }
}

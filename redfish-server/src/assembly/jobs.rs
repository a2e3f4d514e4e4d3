//! What the virtual BMC does for minutes, as tasks of the task service.

use std::sync::Arc;

use http::Method;
use redfish_model::Task;

use crate::bmc::{Cancel, Job, TaskHandle};
use crate::context::{Context, Scope};
use crate::error::Error;
use crate::message::Message;
use crate::mount::State;
use crate::services::tasks::{Answer, Payload, Tasks};

/// The task service, as the virtual BMC wants it.
pub(super) struct Jobs(pub(super) Arc<Tasks>);

impl crate::bmc::Tasks for Jobs {
    fn begin(&self, cx: &Context, job: Job, cancel: Cancel) -> crate::Result<Arc<dyn TaskHandle>> {
        let payload = Payload::new(&Method::POST, job.target, &());
        let id = self.0.create(cx, &job.name, Some(job.machine.as_str()), Some(payload))?;
        self.0.cancellable(&id, cancel);
        Ok(Arc::new(Running { tasks: Arc::clone(&self.0), cx: cx.clone(), id }))
    }
}

struct Running {
    tasks: Arc<Tasks>,
    cx: Context,
    id: String,
}

impl Running {
    /// The task and its monitor, as long as it is kept.
    fn look(&self) -> Option<(String, Task)> {
        let cx = Context { scope: Arc::new(Scope::all()), ..self.cx.clone() };
        match self.tasks.accepted::<()>(&cx, &self.id).ok()?.state {
            State::Accepted(accepted) => Some((accepted.monitor, *accepted.task)),
            State::Done(()) => None,
        }
    }
}

impl TaskHandle for Running {
    fn progress(&self, percent: u8) {
        self.tasks.progress(&self.id, percent);
    }

    fn complete(&self) {
        self.tasks.complete(&self.id, Answer::nothing());
    }

    fn fail(&self, why: Message) {
        self.tasks.fail(&self.id, &Error::new(http::StatusCode::BAD_REQUEST, why));
    }

    fn monitor(&self) -> String {
        self.look().map(|(monitor, _)| monitor).unwrap_or_default()
    }

    fn task(&self) -> Task {
        self.look().map(|(_, task)| task).unwrap_or_default()
    }
}

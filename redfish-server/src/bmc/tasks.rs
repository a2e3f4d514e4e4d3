//! What the virtual BMC needs of a task service: a small seam, so that it can be used without one
//! and tested with less.

use std::sync::Arc;

use redfish_backend::MachineId;
use redfish_model::Task;

use crate::context::Context;
use crate::error::Result;
use crate::message::Message;
pub use crate::services::tasks::Cancel;

/// Where work that goes on after the answer becomes a Task.
pub trait Tasks: Send + Sync + 'static {
    /// Begins a task; it runs from now on, and `cancel` stops it.
    ///
    /// # Errors
    /// There are as many as there may be: then the work is not begun.
    fn begin(&self, cx: &Context, job: Job, cancel: Cancel) -> Result<Arc<dyn TaskHandle>>;
}

/// What a task is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// `Name` of the task.
    pub name: String,
    /// The machine: who may not see it may not see the task.
    pub machine: MachineId,
    /// Where the request was sent (`Payload.TargetUri`). Its body is nobody's business.
    pub target: String,
}

/// A task that runs.
pub trait TaskHandle: Send + Sync {
    /// Says how much is done, in percent.
    fn progress(&self, percent: u8);

    /// Says that it is done.
    fn complete(&self);

    /// Says that it failed, and why.
    fn fail(&self, why: Message);

    /// The URI of its monitor (DSP0266, "Asynchronous operations").
    fn monitor(&self) -> String;

    /// The task as it is now.
    fn task(&self) -> Task;
}

//! Tasks (DSP0266, "Asynchronous operations"): work that goes on after its answer.
//!
//! A [`Tasks`] is the one list of them. Whoever does the work creates a task, says how it goes by its id,
//! and ends it; clients look at the Task resource or wait at its monitor, which in the end answers as the
//! operation would have. Finished ones go after a while, and there is a bound to all of them.
//!
//! After a restart unfinished tasks are *Interrupted*. Who can go on with the work says so
//! ([`Tasks::resume`]); what nobody takes up within [`Limits::grace`] has failed.

mod cancel;
mod monitor;
mod payload;
mod record;
mod service;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redfish_model::task::TaskState;
use serde_json::Value;

pub use cancel::Cancel;
pub use monitor::pages;
pub use payload::Payload;
pub use record::Answer;
pub use service::mounts;

use super::journal::{Clock, Forgetful, Journal, system_clock};
use crate::message::Message;
use crate::{Context, Error, Reply, Result, Scope, messages};
use record::Record;

/// The bounds of a [`Tasks`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most tasks.
    pub tasks: usize,
    /// The most tasks of one account.
    pub tasks_per_account: usize,
    /// The most messages of one; of more the later ones stay.
    pub messages: usize,
    /// For how many minutes a finished one is kept (`TaskService.TaskAutoDeleteTimeoutMinutes`).
    pub minutes: u32,
    /// For how many seconds after a restart unfinished ones may be taken up again.
    pub grace: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tasks: 1000, tasks_per_account: 500, messages: 16, minutes: 60, grace: 300 }
    }
}

/// The tasks of a service.
pub struct Tasks {
    records: Mutex<BTreeMap<u64, Record>>,
    journal: Box<dyn Journal>,
    clock: Clock,
    limits: Limits,
}

impl Tasks {
    /// Tasks that end with the process.
    pub fn new(limits: Limits) -> Arc<Self> {
        Self::with_journal(limits, Forgetful, system_clock(), [])
    }

    /// Tasks that a journal keeps; `kept` is what it kept so far. Records that are none are dropped.
    pub fn with_journal(
        limits: Limits,
        journal: impl Journal,
        clock: Clock,
        kept: impl IntoIterator<Item = Value>,
    ) -> Arc<Self> {
        let now = clock();
        let mut records = BTreeMap::new();
        for value in kept {
            let Ok(mut record) = serde_json::from_value::<Record>(value) else { continue };
            if !record.is_finished() {
                record.interrupt(now, limits.messages);
                record.save(&journal);
            }
            records.insert(record.number, record);
        }
        let journal = Box::new(journal);
        Arc::new(Self { records: Mutex::new(records), journal, clock, limits })
    }

    /// Creates a running task of the caller, and gives its id. `machine` is the one that it is about.
    ///
    /// # Errors
    /// There are as many unfinished tasks as there may be.
    pub fn create(
        &self,
        cx: &Context,
        name: &str,
        machine: Option<&str>,
        payload: Option<Payload>,
    ) -> Result<String> {
        let now = (self.clock)();
        let mut records = self.lock();
        self.expire(&mut records, now);
        let account = cx.principal.as_deref().map(|principal| principal.account.clone());
        self.room(&mut records, self.limits.tasks_per_account, |record| record.account == account)?;
        self.room(&mut records, self.limits.tasks, |_| true)?;
        let number = records.keys().next_back().map_or(1, |last| last + 1);
        let record = Record::new(number, name, account, machine, payload, now)?;
        record.save(&*self.journal);
        let id = record.id.clone();
        records.insert(number, record);
        Ok(id)
    }

    /// Leaves room for one more among those that count together: the oldest finished one goes.
    fn room(
        &self,
        records: &mut BTreeMap<u64, Record>,
        most: usize,
        counts: impl Fn(&Record) -> bool,
    ) -> Result<()> {
        let counted = || records.values().filter(|record| counts(record));
        if counted().count() < most {
            return Ok(());
        }
        let oldest = counted().find(|record| record.is_finished()).map(|record| record.number);
        let oldest =
            oldest.ok_or_else(|| Error::unavailable(std::time::Duration::from_secs(10)))?;
        self.forget(records, oldest);
        Ok(())
    }

    /// Says how much of the work is done. Of an unknown or finished task nothing is changed, here and
    /// below: it was deleted, or it ended otherwise.
    pub fn progress(&self, id: &str, percent: u8) {
        // Not kept: after a restart it would be wrong anyway.
        self.change(id, false, |record, _| record.percent = Some(percent.min(100)));
    }

    /// Says something about the work.
    pub fn message(&self, id: &str, message: Message) {
        self.change(id, true, |record, _| record.say(message, self.limits.messages));
    }

    /// Says that somebody does the work of an interrupted task again.
    pub fn resume(&self, id: &str) {
        self.change(id, true, |record, _| record.state = TaskState::Running);
    }

    /// Ends a task well; the monitor then gives this answer.
    pub fn complete(&self, id: &str, answer: Answer) {
        let finish = |record: &mut Record, now| {
            record.percent = Some(100);
            record.finish(TaskState::Completed, answer, now);
            record.say(messages::success(), self.limits.messages);
        };
        self.change(id, true, finish);
    }

    /// Ends a task with an error; the monitor then gives it as the answer.
    pub fn fail(&self, id: &str, error: &Error) {
        self.change(id, true, |record, now| record.fail(error, now, self.limits.messages));
    }

    /// The answer to an operation that goes on as this task.
    ///
    /// # Errors
    /// There is no such task, or the caller does not see it.
    pub fn accepted<T>(&self, cx: &Context, id: &str) -> Result<Reply<T>> {
        let record = self.find(&cx.scope, id).ok_or_else(|| Error::not_found(&record::uri(id)))?;
        Ok(Reply::accepted(record::monitor(id), record.resource()))
    }

    /// A task that the scope has.
    fn find(&self, scope: &Scope, id: &str) -> Option<Record> {
        let now = (self.clock)();
        let mut records = self.lock();
        self.expire(&mut records, now);
        let record = records.values().find(|record| record.id == id)?;
        record.is_in(scope).then(|| record.clone())
    }

    /// The ids of the tasks that the scope has, oldest first.
    fn list(&self, scope: &Scope) -> Vec<String> {
        let now = (self.clock)();
        let mut records = self.lock();
        self.expire(&mut records, now);
        let visible = records.values().filter(|record| record.is_in(scope));
        visible.map(|record| record.id.clone()).collect()
    }

    /// Deletes a task; one that runs is cancelled first.
    async fn delete(&self, scope: &Scope, id: &str) -> Result<()> {
        self.cancel(scope, id).await?;
        let record = self.find(scope, id).ok_or_else(|| Error::not_found(&record::uri(id)))?;
        self.forget(&mut self.lock(), record.number);
        Ok(())
    }

    fn change(&self, id: &str, keep: bool, change: impl FnOnce(&mut Record, i64)) {
        let now = (self.clock)();
        let mut records = self.lock();
        let record = records.values_mut().find(|record| record.id == id);
        if let Some(record) = record.filter(|record| !record.is_finished()) {
            change(record, now);
            if keep {
                record.save(&*self.journal);
            }
        }
    }

    /// Ends what nobody took up, and forgets what ended long ago.
    fn expire(&self, records: &mut BTreeMap<u64, Record>, now: i64) {
        let (grace, keep) = (i64::from(self.limits.grace), i64::from(self.limits.minutes) * 60);
        for record in records.values_mut() {
            if record.interrupted.is_some_and(|since| {
                record.state == TaskState::Interrupted && now.saturating_sub(since) >= grace
            }) {
                record.fail(&Error::internal(), now, self.limits.messages);
                record.save(&*self.journal);
            }
        }
        let old =
            |record: &&Record| record.ended.is_some_and(|ended| now.saturating_sub(ended) >= keep);
        let old: Vec<_> = records.values().filter(old).map(|record| record.number).collect();
        for number in old {
            self.forget(records, number);
        }
    }

    fn forget(&self, records: &mut BTreeMap<u64, Record>, number: u64) {
        if let Some(record) = records.remove(&number) {
            self.journal.remove(&record.id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! The loop that keeps promises.
//!
//! One for each backend. It is level-triggered: a change of a machine, a nudge by who recorded something, or a timer only
//! say *look there*; what to do is [planned](crate::intent::plan) from what is found. So a lost trigger costs time and
//! never a promise, and a process that ends in the middle of a step needs nothing but another one that begins.
//!
//! A step takes the machine's lock like any other write. Machines do not wait for each other; failed steps are repeated
//! with growing pauses.

mod queue;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::backend::BoxFuture;
use crate::intent::{Effect, Observed, Plan, Record, plan};
use crate::lock::MachineLocks;
use crate::media::FetchFailure;
use crate::snapshot::{Change, Snapshot};
use crate::text::Label;
use crate::{Clock, Error, MachineId};
use queue::Queue;

/// What a backend does for the loop.
pub trait Driver: Send + Sync + 'static {
    /// The machine's record and what there is, the latter no older than the former. None when the machine is gone or its
    /// record is damaged: then nothing is done about it.
    fn look<'a>(&'a self, id: &'a MachineId) -> BoxFuture<'a, Result<Option<Situation>, Error>>;

    /// Keeps a record, if the kept one still has the version it was made from.
    ///
    /// The error is [`Error::Conflict`] when somebody else was faster.
    fn keep<'a>(
        &'a self,
        id: &'a MachineId,
        record: &'a Record,
        version: &'a Label,
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Does something. It may have been done before.
    fn apply<'a>(
        &'a self,
        id: &'a MachineId,
        effect: &'a Effect,
    ) -> BoxFuture<'a, Result<Outcome, Error>>;

    /// Is told that an effect is given up, since it failed for good or its time never came: for the machine's log.
    fn gave_up(&self, id: &MachineId, effect: &Effect, error: &Error);
}

/// What [`Driver::look`] finds.
#[derive(Clone, Debug)]
pub struct Situation {
    /// What was promised.
    pub record: Record,
    /// The version of the record, in the backend's own terms.
    pub version: Label,
    /// What there is.
    pub observed: Observed,
}

/// How an effect went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is accepted.
    Done,
    /// The import can't work, for this reason.
    Failed(FetchFailure),
}

/// When a machine has to be looked at again, if nothing about it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Never.
    Settled,
    /// Something is on its way: now and then, in case that a change goes unseen.
    Wait,
    /// At once.
    Again,
}

/// Does the next step for one machine.
///
/// # Errors
/// Those of the driver: repeat it later. [`Error::Busy`] also when the machine's lock is not to be had.
pub async fn advance(
    driver: &dyn Driver,
    locks: &MachineLocks,
    id: &MachineId,
    now: SystemTime,
) -> Result<Next, Error> {
    let _lock = locks.lock(id).await?;
    let Some(Situation { record, version, observed }) = driver.look(id).await? else {
        return Ok(Next::Settled);
    };
    match plan(&record, &observed, now) {
        Plan::Settled => Ok(Next::Settled),
        Plan::Wait => Ok(Next::Wait),
        Plan::Keep(record) => driver.keep(id, &record, &version).await.map(|()| Next::Again),
        Plan::GiveUp(effect, then) => {
            // Kept first: of several replicas, or with a reset that replaces it just now, one alone gets that far.
            driver.keep(id, &then, &version).await?;
            driver.gave_up(id, &effect, &Error::conflict("Its time did not come soon enough"));
            Ok(Next::Again)
        }
        Plan::Do(effect, then) => {
            let then = match (driver.apply(id, &effect).await, &effect) {
                (Ok(Outcome::Done), _) => then,
                (Ok(Outcome::Failed(failure)), Effect::Import { slot, .. }) => {
                    Some(record.failed(slot, failure))
                }
                (Err(error), Effect::Import { slot, .. }) if !error.is_passing() => {
                    driver.gave_up(id, &effect, &error);
                    Some(record.failed(slot, FetchFailure::Attach))
                }
                // A reset that is refused for good is forgotten. A boot order to be restored and an object to be removed
                // never are: they are the user's, or the user's space.
                (Err(error), Effect::Power { .. }) if !error.is_passing() => {
                    driver.gave_up(id, &effect, &error);
                    then
                }
                (Err(error), _) => return Err(error),
                (Ok(Outcome::Failed(_)), _) => {
                    return Err(Error::internal("Only an import can fail to be fetched"));
                }
            };
            let Some(then) = then else { return Ok(Next::Wait) };
            driver.keep(id, &then, &version).await.map(|()| Next::Again)
        }
    }
}

/// How the loop behaves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How many machines are worked on at a time.
    pub parallel: usize,
    /// How long a machine on which something is on its way goes without a look.
    pub poll: Duration,
    /// How long any machine goes without a look.
    pub resync: Duration,
    /// The first pause after a failure; each further one is twice as long.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// The clock by which promises end and pauses pass.
    pub clock: Clock,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            parallel: 8,
            poll: Duration::from_secs(15),
            resync: Duration::from_secs(600),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
            clock: Clock::system(),
        }
    }
}

/// The loop.
pub struct Reconciler {
    driver: Arc<dyn Driver>,
    snapshot: Snapshot,
    locks: Arc<MachineLocks>,
    settings: Settings,
    nudged: Mutex<Vec<MachineId>>,
    wake: Notify,
}

impl Reconciler {
    /// A loop that [`run`](Self::run) starts. The locks are those that the backend's writes take.
    pub fn new(
        driver: Arc<dyn Driver>,
        snapshot: Snapshot,
        locks: Arc<MachineLocks>,
        settings: Settings,
    ) -> Self {
        Self { driver, snapshot, locks, settings, nudged: Mutex::default(), wake: Notify::new() }
    }

    /// Has a machine looked at soon: for who recorded an intent.
    pub fn nudge(&self, id: &MachineId) {
        self.nudged.lock().unwrap_or_else(PoisonError::into_inner).push(id.clone());
        self.wake.notify_one();
    }

    /// Works until the future is dropped, which may happen at any moment.
    pub async fn run(&self) {
        let Settings { parallel, poll, resync, first_pause, longest_pause, ref clock } =
            self.settings;
        let mut changes = self.snapshot.watch();
        let mut queue = Queue::new(first_pause, longest_pause);
        let mut running = JoinSet::new();
        let mut who = HashMap::new();
        // The first tick comes at once: at the start every machine is looked at.
        let mut every = tokio::time::interval(resync);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            while running.len() < parallel.max(1)
                && let Some(id) = queue.take(clock.instant())
            {
                let (driver, locks) = (Arc::clone(&self.driver), Arc::clone(&self.locks));
                let machine = id.clone();
                let now = clock.now();
                let step = async move { advance(&*driver, &locks, &machine, now).await };
                who.insert(running.spawn(step).id(), id);
            }
            let due = queue.next_due().filter(|_| running.len() < parallel.max(1));
            tokio::select! {
                change = changes.next() => match change {
                    Some(Change::Updated { now, .. }) => queue.look(&now.id, clock.instant()),
                    Some(Change::Removed(machine)) => queue.forget(&machine.id),
                    Some(Change::Lagged(_)) => self.look_everywhere(&mut queue),
                    None => return,
                },
                Some(done) = running.join_next_with_id() => {
                    let (task, result) = match done {
                        Ok((task, result)) => (task, result),
                        Err(error) => (error.id(), Err(Error::internal("A step ended early"))),
                    };
                    if let Some(id) = who.remove(&task) {
                        let now = clock.instant();
                        match result {
                            Ok(Next::Settled) => queue.done(&id, None),
                            Ok(Next::Wait) => queue.done(&id, Some(now + poll)),
                            Ok(Next::Again) => queue.done(&id, Some(now)),
                            Err(_) => queue.failed(&id, now),
                        }
                    }
                }
                () = self.wake.notified() => {
                    let nudged = std::mem::take(&mut *self.nudged.lock().unwrap_or_else(PoisonError::into_inner));
                    nudged.iter().for_each(|id| queue.look(id, clock.instant()));
                }
                _ = every.tick() => self.look_everywhere(&mut queue),
                () = clock.sleep_until(due.unwrap_or_else(|| clock.instant())), if due.is_some() => {}
            }
        }
    }

    fn look_everywhere(&self, queue: &mut Queue) {
        let now = self.settings.clock.instant();
        self.snapshot.known().iter().for_each(|machine| queue.look(&machine.id, now));
    }
}

#[cfg(test)]
mod tests;

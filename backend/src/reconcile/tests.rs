//! A store that loses the process at every await point, and the loop on paused time.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use tokio::time::Instant;

use super::*;
use crate::intent::{BootIntent, ObjectState, Origin, PowerIntent, Queued};
use crate::machine::{BootOverride, BootTarget, Machine, OverrideEnabled, Revision};
use crate::outbound::{ImageOptions, OutboundPolicy, OutboundSettings};
use crate::power::{Action, PowerState};
use crate::snapshot::Feed;
use crate::{Caller, PartId};

fn part(id: &str) -> PartId {
    PartId::new(id).unwrap()
}

fn id() -> MachineId {
    MachineId::new("a").unwrap()
}

/// What outlives the process: the machine, its objects, its record.
#[derive(Clone, Debug)]
struct World {
    power: PowerState,
    run: u32,
    order: Vec<PartId>,
    objects: BTreeMap<PartId, ObjectState>,
    record: String,
    version: u64,
    starts: u32,
    failing: bool,
    given_up: Vec<Effect>,
}

impl World {
    /// The hypervisor goes on by itself.
    fn pass_time(&mut self) {
        self.power = match self.power {
            PowerState::PoweringOff => PowerState::Off,
            PowerState::PoweringOn => PowerState::On,
            other => other,
        };
        let ready = if self.failing {
            ObjectState::Failed(FetchFailure::Status(404))
        } else {
            ObjectState::Usable
        };
        self.objects.retain(|_, state| *state != ObjectState::Leaving);
        self.objects
            .values_mut()
            .filter(|state| **state == ObjectState::Importing)
            .for_each(|state| *state = ready);
    }

    fn is_done(&self) -> bool {
        let record = self.record();
        let promised = record.power.is_some() || record.boot.is_some() || record.is_importing();
        !promised && self.power == PowerState::On && self.objects.len() == 1
    }

    fn record(&self) -> Record {
        Record::decode(&self.record).unwrap()
    }
}

struct Fake(Mutex<World>);

impl Fake {
    fn world(&self) -> std::sync::MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    fn apply_now(&self, effect: &Effect) -> Result<Outcome, Error> {
        let mut world = self.world();
        match effect {
            Effect::Power { action: Action::Start, .. } => {
                if world.power != PowerState::Off {
                    return Err(Error::conflict("The machine is not off"));
                }
                world.power = PowerState::PoweringOn;
                world.run += 1;
                world.starts += 1;
            }
            Effect::Power { .. } => return Err(Error::unsupported("The test starts only")),
            Effect::RestoreBoot(order) => world.order.clone_from(order),
            Effect::Import { medium, .. } => {
                world.objects.entry(medium.object.clone()).or_insert(ObjectState::Importing);
            }
            Effect::Remove { object, .. } => {
                world
                    .objects
                    .entry(object.clone())
                    .and_modify(|state| *state = ObjectState::Leaving);
            }
        }
        Ok(Outcome::Done)
    }
}

/// The points at which a process can be lost: before and after everything that lasts.
async fn point() {
    tokio::task::yield_now().await;
}

impl Driver for Fake {
    fn look<'a>(&'a self, _: &'a MachineId) -> BoxFuture<'a, Result<Option<Situation>, Error>> {
        Box::pin(async {
            point().await;
            let world = self.world().clone();
            let run = (world.run > 0).then(|| world.run.to_string().into());
            let observed = Observed { power: world.power, run, objects: world.objects.clone() };
            Ok(Some(Situation {
                record: world.record(),
                version: world.version.to_string().into(),
                observed,
            }))
        })
    }

    fn keep<'a>(
        &'a self,
        _: &'a MachineId,
        record: &'a Record,
        version: &'a Label,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async {
            point().await;
            {
                let mut world = self.world();
                if world.version.to_string() != version.as_str() {
                    return Err(Error::conflict("Somebody was faster"));
                }
                world.record = record.encode()?;
                world.version += 1;
            }
            point().await;
            Ok(())
        })
    }

    fn apply<'a>(
        &'a self,
        _: &'a MachineId,
        effect: &'a Effect,
    ) -> BoxFuture<'a, Result<Outcome, Error>> {
        Box::pin(async {
            point().await;
            let outcome = self.apply_now(effect);
            point().await;
            outcome
        })
    }

    fn gave_up(&self, _: &MachineId, effect: &Effect, _: &Error) {
        self.world().given_up.push(effect.clone());
    }
}

/// Everything at once: a start that waits for a shutdown and an import, an override for once, one medium in place of
/// another, an object that nobody knows.
fn world(failing: bool) -> World {
    let policy = OutboundPolicy::new(OutboundSettings::default());
    let image = |url| policy.image(url, ImageOptions::default()).unwrap();
    let mut record = Record::default();
    record.insert(part("cd0"), &image("http://images.example/a.iso"), part("o1"), None).unwrap();
    record.insert(part("cd0"), &image("http://images.example/b.iso"), part("o2"), None).unwrap();
    let by = Origin::from(&Caller::internal("test"));
    record.power =
        Some(PowerIntent { queued: Queued::Start, run: Some("1".into()), by, expires: u64::MAX });
    let override_ = BootOverride { enabled: OverrideEnabled::Once, target: BootTarget::Cd };
    record.boot = Some(BootIntent {
        override_,
        saved: vec![part("disk"), part("cd0")],
        run: Some("1".into()),
    });
    World {
        power: PowerState::PoweringOff,
        run: 1,
        order: vec![part("cd0")],
        objects: [(part("o1"), ObjectState::Usable), (part("lost"), ObjectState::Importing)].into(),
        record: record.encode().unwrap(),
        version: 1,
        starts: 0,
        failing,
        given_up: Vec::new(),
    }
}

/// Steps until nothing is left to do; the process is lost after so many polls, once. Says whether it was.
async fn settle(fake: &Fake, lose_after: usize) -> bool {
    let mut polls_left = Some(lose_after);
    for _ in 0..200 {
        let locks = MachineLocks::new();
        let machine = id();
        let mut step = pin!(advance(fake, &locks, &machine, SystemTime::UNIX_EPOCH));
        let result = poll_fn(|context| {
            if polls_left == Some(0) {
                polls_left = None;
                return Poll::Ready(None);
            }
            polls_left = polls_left.map(|left| left - 1);
            step.as_mut().poll(context).map(Some)
        })
        .await;
        match result {
            // Lost here, and whoever comes next finds what lasts.
            None => fake.world().pass_time(),
            Some(Ok(Next::Again)) => {}
            Some(Ok(Next::Wait)) => fake.world().pass_time(),
            Some(Err(error)) => assert!(error.is_passing(), "{error}"),
            Some(Ok(Next::Settled)) => {
                let mut world = fake.world();
                if world.power.is_steady() {
                    return polls_left.is_none();
                }
                world.pass_time();
            }
        }
    }
    panic!("does not settle: {:?}", fake.world());
}

fn check_end(world: &World, lose_after: usize) {
    assert_eq!(world.given_up, []);
    let record = world.record();
    assert_eq!(
        (world.power, world.run, world.starts),
        (PowerState::On, 2, 1),
        "lost after {lose_after}"
    );
    assert_eq!(world.order, [part("disk"), part("cd0")], "lost after {lose_after}");
    assert!(record.power.is_none() && record.boot.is_none() && record.removals.is_empty());
    let objects: Vec<_> = world.objects.keys().cloned().collect();
    if world.failing {
        assert!(objects.is_empty() && record.media.is_empty());
        assert_eq!(
            record.failures[&part("cd0")],
            (2, FetchFailure::Status(404)),
            "lost after {lose_after}"
        );
    } else {
        assert_eq!(objects, [part("o2")], "lost after {lose_after}");
        assert!(record.failures.is_empty() && !record.is_importing());
    }
}

#[tokio::test(start_paused = true)]
async fn the_process_can_be_lost_at_every_point() {
    for failing in [false, true] {
        let mut lose_after = 0;
        loop {
            let fake = Fake(Mutex::new(world(failing)));
            let lost = settle(&fake, lose_after).await;
            check_end(&fake.world(), lose_after);
            if !lost {
                break;
            }
            lose_after += 1;
        }
        assert!(lose_after > 30, "only {lose_after} points");
    }
}

#[tokio::test(start_paused = true)]
async fn the_loop_looks_when_something_changes_and_now_and_then() {
    let feed = Feed::new();
    let fake = Arc::new(Fake(Mutex::new(world(false))));
    let driver: Arc<dyn Driver> = Arc::clone(&fake) as _;
    let locks = Arc::new(MachineLocks::new());
    let reconciler = Arc::new(Reconciler::new(
        driver,
        feed.snapshot().clone(),
        Arc::clone(&locks),
        Settings::default(),
    ));
    let machine = |revision| Machine::new(id(), PowerState::Off, Revision::of(revision));
    let _ = feed.put(machine(1));
    let running = tokio::spawn({
        let reconciler = Arc::clone(&reconciler);
        async move { reconciler.run().await }
    });
    // Nobody tells the loop anything: it polls what is on its way.
    let start = Instant::now();
    while !fake.world().is_done() {
        tokio::time::sleep(Duration::from_secs(1)).await;
        fake.world().pass_time();
        assert!(start.elapsed() < Duration::from_secs(300), "{:?}", fake.world());
    }
    check_end(&fake.world(), 0);
    let eject = || {
        let mut world = fake.world();
        let mut record = world.record();
        record.eject(&part("cd0"));
        world.record = record.encode().unwrap();
        world.version += 1;
    };
    // A nudge, and then a change, are seen much sooner than the poll.
    eject();
    reconciler.nudge(&id());
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(fake.world().objects[&part("o2")], ObjectState::Leaving);
    fake.world().pass_time();
    let _ = feed.put(machine(2));
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert!(fake.world().record().removals.is_empty());
    running.abort();
}

/// A guest that never shuts down: the start that waits for it is given up, and that is told once.
#[tokio::test(start_paused = true)]
async fn what_is_never_due_is_given_up_and_told() {
    let feed = Feed::new();
    let mut stuck = world(false);
    let mut record = Record::default();
    let by = Origin::from(&Caller::internal("test"));
    let expires = 3600;
    record.power = Some(PowerIntent { queued: Queued::Start, run: Some("1".into()), by, expires });
    (stuck.record, stuck.objects) = (record.encode().unwrap(), BTreeMap::new());
    let fake = Arc::new(Fake(Mutex::new(stuck)));
    let clock = Clock::driven(SystemTime::UNIX_EPOCH);
    let settings = Settings { clock: clock.clone(), ..Settings::default() };
    let driver: Arc<dyn Driver> = Arc::clone(&fake) as _;
    let reconciler =
        Reconciler::new(driver, feed.snapshot().clone(), Arc::new(MachineLocks::new()), settings);
    let _ = feed.put(Machine::new(id(), PowerState::PoweringOff, Revision::of(1)));
    let start = Instant::now();
    let told = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(fake.world().given_up.is_empty() && fake.world().record().power.is_some());
        clock.advance(Duration::from_secs(3600));
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    tokio::select! {
        () = reconciler.run() => panic!("the loop ends"),
        () = told => {}
    }
    let world = fake.world();
    let by = Origin::from(&Caller::internal("test"));
    assert_eq!(world.given_up, [Effect::Power { action: Action::Start, by }]);
    assert_eq!((world.record().power, world.starts), (None, 0));
    assert_eq!(start.elapsed(), Duration::from_secs(2));
}

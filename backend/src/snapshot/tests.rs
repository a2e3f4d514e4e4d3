//! Merging, races, slow readers.

use super::*;
use crate::power::PowerState;

fn id(name: &str) -> MachineId {
    MachineId::new(name).unwrap()
}

fn machine(name: &str, power: PowerState, revision: Revision) -> Machine {
    Machine::new(id(name), power, revision)
}

fn power(feed: &Feed, name: &str) -> Option<PowerState> {
    feed.snapshot().get(&id(name)).ok().map(|machine| machine.power)
}

#[test]
fn a_late_event_does_not_undo_a_write() {
    let feed = Feed::new();
    let _ = feed.put(machine("a", PowerState::Off, Revision::of(5)));
    // The write.
    assert!(matches!(feed.put(machine("a", PowerState::On, Revision::of(7))), Put::Changed(_)));
    // An event from before it, and then its own echo.
    let Put::Older(current) = feed.put(machine("a", PowerState::Off, Revision::of(6))) else {
        panic!()
    };
    assert_eq!(current.power, PowerState::On);
    assert!(matches!(feed.put(machine("a", PowerState::On, Revision::of(7))), Put::Same(_)));
    assert_eq!(power(&feed, "a"), Some(PowerState::On));
}

#[test]
fn sources_that_are_not_in_step_do_not_undo_a_write() {
    let feed = Feed::new();
    let _ = feed.put(machine("a", PowerState::Off, Revision::of(5).and(1, 10)));
    let _ = feed.put(machine("a", PowerState::PoweringOn, Revision::of(7).and(1, 10)));
    // The instance's event came before the machine's: made from the machine as it was at 5.
    assert!(matches!(
        feed.put(machine("a", PowerState::Off, Revision::of(5).and(1, 11))),
        Put::Crossed(_)
    ));
    assert_eq!(power(&feed, "a"), Some(PowerState::PoweringOn));
    assert!(matches!(
        feed.put(machine("a", PowerState::On, Revision::of(7).and(1, 11))),
        Put::Changed(_)
    ));
}

#[test]
fn the_same_revision_can_say_more() {
    let feed = Feed::new();
    let first = feed.put(machine("a", PowerState::Off, Revision::of(5))).current(&id("a")).unwrap();
    let mut stale = machine("a", PowerState::Off, Revision::of(5));
    stale.stale_since = Some(SystemTime::UNIX_EPOCH);
    let second = feed.put(stale).current(&id("a")).unwrap();
    assert!(second.change() > first.change());
}

#[test]
fn a_removed_machine_does_not_come_back_by_a_late_event() {
    let feed = Feed::new();
    let _ = feed.put(machine("a", PowerState::Off, Revision::of(5).and(1, 20)));
    feed.remove(&id("a"), Revision::of(8));
    assert!(matches!(
        feed.put(machine("a", PowerState::Off, Revision::of(7).and(1, 30))),
        Put::Removed
    ));
    assert_eq!(power(&feed, "a"), None);
    // Made again under the same name; its instance has no number yet.
    assert!(matches!(feed.put(machine("a", PowerState::Off, Revision::of(9))), Put::Changed(_)));
    // The removal of the first one, once more and late.
    feed.remove(&id("a"), Revision::of(8));
    assert_eq!(power(&feed, "a"), Some(PowerState::Off));
}

#[test]
fn a_machine_made_again_replaces_the_one_whose_removal_went_unseen() {
    let feed = Feed::new();
    let mut first = machine("a", PowerState::On, Revision::of(5).and(1, 20));
    first.identity.uid = Some("one".into());
    let mut second = machine("a", PowerState::Off, Revision::of(9));
    second.identity.uid = Some("two".into());
    let _ = feed.put(first.clone());
    assert!(matches!(feed.put(second), Put::Changed(_)));
    assert!(matches!(feed.put(first), Put::Older(_)));
    assert_eq!(power(&feed, "a"), Some(PowerState::Off));
}

#[test]
fn a_list_removes_what_it_lacks_but_not_what_is_newer() {
    let feed = Feed::new();
    let list = || {
        feed.snapshot().list().map(|list| list.iter().map(|m| m.id.to_string()).collect::<Vec<_>>())
    };
    assert!(matches!(list(), Err(Error::Unavailable { .. })));
    for (name, revision) in [("old", 5), ("kept", 6), ("new", 12)] {
        let _ = feed.put(machine(name, PowerState::Off, Revision::of(revision)));
    }
    let listed = ["kept", "more"].map(|name| machine(name, PowerState::Off, Revision::of(6)));
    feed.sync(listed, Revision::of(10));
    assert_eq!(list().unwrap(), ["kept", "more", "new"]);
    assert_eq!(feed.snapshot().readiness(), Readiness::Ready);
    // What the list removed stays away.
    assert!(matches!(feed.put(machine("old", PowerState::Off, Revision::of(9))), Put::Removed));
}

#[test]
fn graves_are_bounded() {
    let feed = Feed::new();
    for number in 0..2 * Graves::MOST {
        feed.remove(&id(&number.to_string()), Revision::of(1));
    }
    let state = feed.snapshot().read();
    assert_eq!(
        (state.graves.removed.len(), state.graves.order.len()),
        (Graves::MOST, Graves::MOST)
    );
}

#[test]
fn silent_sources_are_marked_and_recover() {
    let feed = Feed::new();
    let _ = feed.put(machine("a", PowerState::Off, Revision::of(1)));
    let _ = feed.put(machine("b", PowerState::Off, Revision::of(1)));
    feed.mark_stale(SystemTime::UNIX_EPOCH, |machine| machine.id.as_str() == "a");
    let stale = |name| feed.snapshot().get(&id(name)).unwrap().stale_since.is_some();
    assert!(stale("a") && !stale("b"));
    let _ = feed.put(machine("a", PowerState::Off, Revision::of(1)));
    assert!(!stale("a"));
}

#[tokio::test]
async fn a_slow_reader_is_told_and_blocks_nobody() {
    let feed = Feed::with_capacity(4);
    let mut changes = feed.snapshot().watch();
    for revision in 1..=10 {
        let _ = feed.put(machine("a", PowerState::Off, Revision::of(revision)));
    }
    assert!(matches!(changes.next().await, Some(Change::Lagged(6))));
    let Some(Change::Updated { before: Some(before), now }) = changes.next().await else {
        panic!()
    };
    assert_eq!((before.revision, now.revision), (Revision::of(6), Revision::of(7)));
    feed.remove(&id("a"), Revision::of(11));
    for _ in 0..2 {
        let _ = changes.next().await;
    }
    drop(feed);
    assert!(matches!(changes.next().await, Some(Change::Lagged(_) | Change::Updated { .. })));
    while let Some(change) = changes.next().await {
        assert!(matches!(change, Change::Updated { .. } | Change::Removed(_)));
    }
}

/// Writers and a watch that delivers late and out of order, readers all the while: no reader ever sees a revision go
/// back, and who follows sees exactly what the list has in the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn revisions_never_go_back() {
    const LAST: u64 = 2000;
    let feed = Arc::new(Feed::with_capacity(1 << 16));
    let (known, mut changes) = feed.snapshot().follow();
    assert!(known.is_empty());
    let writers = [7, 21, 33, 49].into_iter().map(|stride: u64| {
        let feed = Arc::clone(&feed);
        tokio::task::spawn_blocking(move || {
            for step in 0..LAST {
                // Each its own order, and every number: no stride has a factor in common with the count.
                let revision = (step * stride) % LAST + 1;
                let _ = feed.put(machine("a", PowerState::On, Revision::of(revision)));
            }
        })
    });
    let readers = (0..2).map(|_| {
        let snapshot = feed.snapshot().clone();
        tokio::task::spawn_blocking(move || {
            let mut last = Revision::default();
            for _ in 0..20_000 {
                for machine in snapshot.known().iter().chain(snapshot.get(&id("a")).ok().iter()) {
                    assert!(machine.revision >= last);
                    last = machine.revision;
                }
            }
        })
    });
    let all: Vec<_> = writers.chain(readers.collect::<Vec<_>>()).collect();
    for task in all {
        task.await.unwrap();
    }
    let last = feed.snapshot().get(&id("a")).unwrap();
    let _ = feed.put(machine("a", PowerState::Off, Revision::of(LAST + 1)));
    let mut seen = Revision::default();
    loop {
        let Some(Change::Updated { now, .. }) = changes.next().await else { panic!() };
        assert!(now.revision > seen);
        seen = now.revision;
        if now.power == PowerState::Off {
            break;
        }
    }
    assert_eq!(last.revision, Revision::of(LAST));
}

#[test]
fn one_write_among_many_machines_is_cheap() {
    let feed = Feed::new();
    let many = (0..10_000)
        .map(|number| machine(&format!("m{number:05}"), PowerState::Off, Revision::of(1)));
    feed.sync(many, Revision::of(1));
    let before = feed.snapshot().list().unwrap();
    for revision in 2..1002 {
        let _ = feed.put(machine("m05000", PowerState::On, Revision::of(revision)));
    }
    // The machines are shared, not cloned: all but one are the same as before.
    let after = feed.snapshot().list().unwrap();
    let same = before
        .iter()
        .zip(after.iter())
        .filter(|(before, after)| Arc::ptr_eq(before, after))
        .count();
    assert_eq!((before.len(), same), (10_000, 9_999));
    assert!(Arc::ptr_eq(&after, &feed.snapshot().list().unwrap()));
}

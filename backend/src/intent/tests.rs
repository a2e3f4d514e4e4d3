//! Records as they are kept, resets as they are accepted, steps as they are planned.

use super::*;
use crate::machine::{BootTarget, OverrideEnabled};
use crate::outbound::{ImageOptions, ImageSource, OutboundPolicy, OutboundSettings};
use crate::power::{Action, PowerState, Reset};

fn part(id: &str) -> PartId {
    PartId::new(id).unwrap()
}

fn image(url: &str) -> ImageSource {
    OutboundPolicy::new(OutboundSettings::default()).image(url, ImageOptions::default()).unwrap()
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

fn queued(queued: Queued, run: Option<&str>) -> Record {
    let by = Origin::from(&Caller::internal("test"));
    Record {
        power: Some(PowerIntent { queued, run: run.map(Label::new), by, expires: 100 }),
        ..Record::default()
    }
}

/// A record in which every member is set.
fn full() -> Record {
    let mut record = queued(Queued::Start, Some("run-1"));
    let override_ = BootOverride { enabled: OverrideEnabled::Once, target: BootTarget::Pxe };
    record.boot = Some(BootIntent { override_, saved: vec![part("disk")], run: None });
    record
        .insert(part("cd0"), &image("http://u:p@images.example/a.iso?x"), part("o1"), None)
        .unwrap();
    record
        .insert(
            part("cd0"),
            &image("http://images.example/b.iso"),
            part("o2"),
            Some(part("secret-1")),
        )
        .unwrap();
    record.insert(part("cd1"), &image("http://images.example/c.iso"), part("o3"), None).unwrap();
    record.failed(&part("cd1"), FetchFailure::Status(404))
}

#[test]
fn records_survive_being_kept() {
    for record in [Record::default(), full()] {
        let text = record.encode().unwrap();
        assert_eq!(Record::decode(&text), Ok(record), "{text}");
    }
    assert_eq!(Record::default().encode().unwrap(), r#"{"v":1,"record":{"insertions":0}}"#);
    let text = full().encode().unwrap();
    assert!(!text.contains("u:p"), "{text}");
}

#[test]
fn damaged_records_are_not_obeyed() {
    let check =
        |text: &str, expect: Damaged| assert_eq!(Record::decode(text), Err(expect), "{text}");
    check("", Damaged::Malformed);
    check("null", Damaged::Malformed);
    check("{}", Damaged::Malformed);
    check(r#"{"v":0,"record":{}}"#, Damaged::Malformed);
    check(r#"{"v":2,"anything":[]}"#, Damaged::Newer(2));
    check(r#"{"v":1,"record":{"insertions":-1}}"#, Damaged::Malformed);
    check(r#"{"v":1,"record":{"unknown":1}}"#, Damaged::Malformed);
    check(&"x".repeat(Record::MAX_BYTES + 1), Damaged::TooLarge);
    let text = full().encode().unwrap();
    for (from, to) in [
        ("o2", "o1"),
        ("\"insertions\":3", "\"insertions\":1"),
        ("cd0", "../cd0"),
        ("http://images.example/b.iso", "file:///etc/passwd"),
        ("http://images.example/b.iso", "http://u:p@images.example/b.iso"),
    ] {
        assert!(text.contains(from));
        check(&text.replace(from, to), Damaged::Malformed);
    }
}

#[test]
fn records_are_bounded() {
    let mut record = Record::default();
    let long = image(&format!("http://images.example/{}", "x".repeat(2000)));
    for number in 0..9 {
        record
            .insert(part(&format!("cd{number}")), &long, part(&format!("o{number}")), None)
            .unwrap();
    }
    assert!(matches!(record.encode(), Err(Error::Conflict { .. })));
    assert!(matches!(
        record.insert(part("x"), &long, part("o1"), None),
        Err(Error::Internal { .. })
    ));
}

#[test]
fn the_last_word_counts() {
    use PowerState::{Off, On, Paused, PoweringOff, PoweringOn};
    use Queued::{AskRestart, AskShutdown, Restart, Start};

    let check = |before: Option<Queued>,
                 importing,
                 observed,
                 reset,
                 then: Option<Queued>,
                 action: Option<Action>| {
        let mut record =
            before.map_or_else(Record::default, |before| queued(before, Some("run-1")));
        if importing {
            record
                .insert(part("cd0"), &image("http://images.example/a.iso"), part("o1"), None)
                .unwrap();
        }
        let caller = Caller::internal("test");
        let run = Label::new("run-1");
        let accepted = accept_reset(&record, observed, Some(&run), reset, &caller, at(10)).unwrap();
        let found = (accepted.record.power.map(|intent| intent.queued), accepted.action);
        assert_eq!(found, (then, action), "{before:?} {importing} {observed:?} {reset:?}");
    };
    // Queued until off, and again, and no longer.
    check(None, false, PoweringOff, Reset::On, Some(Start), None);
    check(Some(Start), false, PoweringOff, Reset::On, Some(Start), None);
    check(Some(Start), false, PoweringOff, Reset::ForceRestart, Some(Start), None);
    check(Some(Start), false, PoweringOff, Reset::GracefulShutdown, None, None);
    check(Some(Start), false, PoweringOff, Reset::ForceOff, None, Some(Action::PowerOff));
    // A start that waits for its medium.
    check(None, true, Off, Reset::On, Some(Start), None);
    check(None, false, Off, Reset::On, None, Some(Action::Start));
    check(Some(Start), true, Off, Reset::On, Some(Start), None);
    check(Some(Start), true, Off, Reset::ForceRestart, Some(Start), None);
    check(Some(Start), true, Off, Reset::ForceOff, None, None);
    check(Some(Start), true, Off, Reset::GracefulShutdown, None, None);
    // A restart that does.
    check(None, true, On, Reset::ForceRestart, Some(Restart), None);
    check(None, true, On, Reset::GracefulRestart, Some(AskRestart), None);
    check(Some(Restart), true, On, Reset::On, Some(Restart), None);
    check(Some(Restart), true, On, Reset::ForceOff, None, Some(Action::PowerOff));
    check(Some(Restart), true, On, Reset::GracefulShutdown, Some(AskShutdown), None);
    // A resume boots nothing.
    check(None, true, Paused, Reset::On, None, Some(Action::Resume));
    // A shutdown that waits for the start.
    check(None, false, PoweringOn, Reset::GracefulShutdown, Some(AskShutdown), None);
    check(Some(AskShutdown), false, PoweringOn, Reset::On, None, None);
    check(Some(AskShutdown), false, PoweringOn, Reset::ForceOff, None, Some(Action::PowerOff));

    let refused =
        accept_reset(&Record::default(), Off, None, Reset::Nmi, &Caller::internal("test"), at(0));
    assert_eq!(refused, Err(Error::conflict("Nmi is not possible while the machine is off")));
}

#[test]
fn without_a_queue_the_table_decides() {
    use crate::power::{Decision, decide};
    for state in PowerState::ALL {
        for reset in Reset::ALL {
            let found = accept_reset(
                &Record::default(),
                state,
                None,
                *reset,
                &Caller::internal("test"),
                at(0),
            );
            match decide(state, *reset) {
                Decision::Refuse => assert!(found.is_err()),
                Decision::Nothing => assert_eq!(found.unwrap().action, None),
                Decision::Do(action) => assert_eq!(found.unwrap().action, Some(action)),
                Decision::Queue(..) => assert!(found.unwrap().record.power.is_some()),
            }
        }
    }
}

fn observed(power: PowerState, run: Option<&str>, objects: &[(&str, ObjectState)]) -> Observed {
    let objects = objects.iter().map(|(id, state)| (part(id), *state)).collect();
    Observed { power, run: run.map(Label::new), objects }
}

#[test]
fn a_queued_reset_waits_for_its_time() {
    use PowerState::{Off, On, Paused, PoweringOff, PoweringOn};
    use Queued::{AskRestart, AskShutdown, Restart, Start};

    #[derive(Debug, PartialEq)]
    enum Step {
        Wait,
        Forget,
        GiveUp(Action),
        Act(Action),
    }
    let check = |intent, power, run, importing, now, expect: Step| {
        let mut record = queued(intent, Some("run-1"));
        let mut objects = vec![];
        if importing {
            record
                .insert(part("cd0"), &image("http://images.example/a.iso"), part("o1"), None)
                .unwrap();
            record.media.get_mut(&part("cd0")).unwrap().stage = Stage::Begun;
            objects.push(("o1", ObjectState::Importing));
        }
        let found = match plan(&record, &observed(power, run, &objects), at(now)) {
            Plan::Wait => Step::Wait,
            Plan::Keep(kept) if kept.power.is_none() => Step::Forget,
            Plan::Do(Effect::Power { action, .. }, Some(kept)) if kept.power.is_none() => {
                Step::Act(action)
            }
            Plan::GiveUp(Effect::Power { action, .. }, kept) if kept.power.is_none() => {
                Step::GiveUp(action)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expect, "{intent:?} {power:?} {run:?} {importing} {now}");
    };
    let one = Some("run-1");
    check(Start, PoweringOff, one, false, 0, Step::Wait);
    check(Start, Off, one, false, 0, Step::Act(Action::Start));
    check(Start, Off, None, false, 0, Step::Act(Action::Start));
    check(Start, Off, None, true, 0, Step::Wait);
    check(Start, On, one, false, 0, Step::Forget);
    // Started, and off again by itself: not started twice.
    check(Start, Off, Some("run-2"), false, 0, Step::Forget);
    check(Start, Off, one, false, 100, Step::GiveUp(Action::Start));
    check(Start, PoweringOff, one, false, 100, Step::GiveUp(Action::Start));
    check(AskShutdown, PoweringOn, one, true, 100, Step::GiveUp(Action::AskShutdown));
    // What is so already is no failure.
    check(Start, On, one, false, 100, Step::Forget);
    check(Restart, On, one, true, 0, Step::Wait);
    check(Restart, On, one, false, 0, Step::Act(Action::Restart));
    check(Restart, Off, one, false, 0, Step::Act(Action::Start));
    check(Restart, On, Some("run-2"), false, 0, Step::Forget);
    check(AskRestart, On, one, false, 0, Step::Act(Action::AskRestart));
    check(AskRestart, Off, one, false, 0, Step::Forget);
    check(AskRestart, Paused, one, false, 0, Step::Wait);
    check(AskShutdown, PoweringOn, one, false, 0, Step::Wait);
    check(AskShutdown, On, Some("run-2"), false, 0, Step::Act(Action::AskShutdown));
    check(AskShutdown, Paused, one, false, 0, Step::Act(Action::ResumeThenAskShutdown));
    check(AskShutdown, Off, one, false, 0, Step::Forget);
}

#[test]
fn an_override_for_once_is_consumed_by_the_next_run() {
    let mut record = full();
    (record.power, record.media, record.removals) = (None, BTreeMap::new(), BTreeMap::new());
    record.boot.as_mut().unwrap().run = Some("run-1".into());
    let check = |record: &Record, run, consumed| {
        let found = plan(record, &observed(PowerState::On, run, &[]), at(0));
        assert_eq!(
            matches!(found, Plan::Do(Effect::RestoreBoot(_), Some(Record { boot: None, .. }))),
            consumed
        );
        assert!(consumed || found == Plan::Settled);
    };
    check(&record, Some("run-1"), false);
    check(&record, None, false);
    check(&record, Some("run-2"), true);
    record.boot.as_mut().unwrap().override_.enabled = OverrideEnabled::Continuous;
    check(&record, Some("run-2"), false);
}

#[test]
fn what_nobody_promised_is_removed_and_a_stuck_one_holds_up_nothing_else() {
    let record = Record::default();
    let leaving = ("o1", ObjectState::Leaving);
    let check = |objects: &[(&str, ObjectState)], expect: Plan| {
        assert_eq!(plan(&record, &observed(PowerState::Off, None, objects), at(0)), expect);
    };
    check(&[leaving], Plan::Wait);
    let remove = Plan::Do(Effect::Remove { slot: None, object: part("o2") }, None);
    check(&[leaving, ("o2", ObjectState::Usable)], remove);
}

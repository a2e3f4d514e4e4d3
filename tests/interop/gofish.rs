//! gofish in three releases, with a session and with Basic, on each setting of
//! `compat.operating_system`.

use std::time::{Duration, Instant};

use redfish_tests::mock::{self, MACHINES};
use redfish_tests::server::{Server, Setup};
use redfish_tests::web;
use serde_json::{Value, json};

use crate::steps::{Steps, run};

/// The releases: whether a link in `ComputerSystem.OperatingSystem` makes it lose all systems.
const RELEASES: [(&str, bool); 3] = [("gofish19", true), ("gofish20", true), ("gofish23", false)];

/// A guest that starts is up within seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server whose guard lets one account work on several machines, as the tests do.
fn start(operating_system: &str) -> Server {
    let compat = format!(
        "[compat]\noperating_system = \"{operating_system}\"\nguard = \"off\"\n\
         [[backend]]\nkind = \"mock\"\ndelays = {{ scale = 0.1 }}\n"
    );
    Setup::default().config(&compat).start()
}

/// All releases at the same time with both ways to log in, each on a server of its own: they read whole
/// collections, and fail when another takes away what they are about to read.
fn all_releases(operating_system: &str, check: impl Fn(bool, &Server, &str, &Steps) + Sync) {
    let image = web::image();
    std::thread::scope(|scope| {
        for ((program, loses), id) in RELEASES.into_iter().zip(MACHINES) {
            let (image, check) = (&image, &check);
            scope.spawn(move || {
                let server = &start(operating_system);
                running(server, id, operating_system);
                for basic in [false, true] {
                    quiet(server, id);
                    println!("{program}, basic {basic}, on {id}");
                    let steps = run(program, server, basic, id, image);
                    check(loses, server, id, &steps);
                }
            });
        }
    });
}

/// Starts a machine and waits for its guest to tell its operating system, where that is shown.
fn running(server: &Server, id: &str, operating_system: &str) {
    let (admin, uri) = (server.login(), format!("/redfish/v1/Systems/{id}"));
    let reset = format!("{uri}/Actions/ComputerSystem.Reset");
    admin.post(&reset, &json!({ "ResetType": "On" })).expect(204);
    let until = Instant::now() + PATIENCE;
    let shown = |system: &Value| !system["OperatingSystem"].is_null() || operating_system == "omit";
    while !shown(&admin.read(&uri)) {
        assert!(Instant::now() < until, "{id} does not tell its operating system");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Ends an override that the run before left, lest it is used up between a read and a write of this one.
fn quiet(server: &Server, id: &str) {
    let off = json!({ "Boot": { "BootSourceOverrideEnabled": "Disabled" } });
    server.login().patch(&format!("/redfish/v1/Systems/{id}"), &off).expect(200);
}

#[test]
fn every_release_drives_a_system_when_the_operating_system_is_left_out() {
    all_releases("omit", |_, server, id, steps| drives(server, id, steps));
}

#[test]
fn every_release_drives_a_system_when_the_operating_system_is_a_text() {
    all_releases("string", |_, server, id, steps| drives(server, id, steps));
}

#[test]
fn a_link_to_the_operating_system_costs_old_releases_all_systems() {
    all_releases("link", |loses, server, id, steps| {
        if loses {
            steps.fails("systems", "cannot unmarshal object into Go struct field");
            assert_eq!(steps.value("managers").as_array().map(Vec::len), Some(3));
        } else {
            drives(server, id, steps);
        }
    });
}

/// All steps give what they should, and the machine did it.
#[track_caller]
fn drives(server: &Server, id: &str, steps: &Steps) {
    assert_eq!(steps.value("systems").as_object().map(serde_json::Map::len), Some(3));
    for list in ["managers", "chassis"] {
        let all = steps.value(list).as_array().unwrap();
        assert!(all.len() == 3 && all.contains(&json!(id)), "{list}: {all:?}");
    }
    let counts = steps.value("inventory");
    for part in ["processors", "memory MiB", "interfaces"] {
        assert!(counts[part].as_u64().is_some_and(|number| number > 0), "{part}: {counts}");
    }
    // The client itself refuses what the service does not advertise.
    steps.fails("reset PushPowerButton", "is not supported by this service");
    // Read before the power change, written after it: not stale, since nothing that can be written moved.
    steps.value("boot after a power change");
    assert_eq!(steps.value("boot read back"), &json!(["Pxe", "Once"]));
    // Its own first PATCH did change what can be written.
    steps.fails("boot again on the stale object", "412");
    for parent in ["media of the system", "media of the manager"] {
        let slot = steps.value(parent);
        let image = slot["image"].as_str().unwrap_or_default();
        assert!(image.ends_with("/boot.iso"), "{parent}: {slot}");
        assert_eq!((&slot["inserted"], &slot["left"]), (&json!(true), &json!(false)), "{parent}");
    }
    assert_eq!(steps.value("account update"), "ReadOnly");
    assert_eq!(steps.value("account delete"), &json!(false));
    let expected = ["reset PushPowerButton", "boot again on the stale object"];
    assert_eq!(steps.failed(), expected, "no other step fails");
    happened(server, id);
}

/// The journal of the mock has what the client was told had been done, to that machine.
#[track_caller]
fn happened(server: &Server, id: &str) {
    let journal = mock::journal(server);
    let seen: Vec<_> = journal.iter().filter(|entry| entry.machine == id).collect();
    for (event, part) in [
        ("asked", "ForceOff"),
        ("asked", "ForceRestart"),
        ("asked", "PowerCycle"),
        ("power", ""),
        ("medium_attached", "boot.iso"),
        ("medium_detached", ""),
    ] {
        let found = |e: &&&mock::Entry| e.event == event && e.details.to_string().contains(part);
        assert!(seen.iter().any(|e| found(&e)), "{id}: no {event} {part} in {seen:#?}");
    }
}

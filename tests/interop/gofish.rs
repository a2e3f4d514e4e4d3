//! gofish in three releases, with a session and with Basic, on each setting of
//! `compat.operating_system`.

use redfish_tests::images::Images;
use redfish_tests::mock;
use redfish_tests::server::{Server, Setup};
use serde_json::{Value, json};

use crate::steps::{Steps, run};

/// The releases: whether a link in `ComputerSystem.OperatingSystem` makes it lose all systems.
const RELEASES: [(&str, bool); 3] = [("gofish19", true), ("gofish20", true), ("gofish23", false)];

/// A server whose guard lets one account work on several machines, as the releases do one after another.
fn start(operating_system: &str) -> Server {
    let compat = format!("[compat]\noperating_system = \"{operating_system}\"\nguard = \"off\"\n");
    let outbound = "[outbound]\nallow = [\"127.0.0.0/8\"]\n";
    Setup::default().config(&format!("{compat}\n{outbound}")).start()
}

/// All releases with both ways to log in, each on a machine of its own so that states do not mix.
fn all_releases(operating_system: &str, check: impl Fn(&str, bool, &Server, &str, &Steps)) {
    let images = Images::serve();
    let server = start(operating_system);
    let systems = ids(&server);
    for ((program, loses), id) in RELEASES.into_iter().zip(&systems) {
        for basic in [false, true] {
            quiet(&server, id);
            println!("{program}, basic {basic}, on {id}");
            let steps = run(program, &server, basic, id, &images);
            check(program, loses, &server, id, &steps);
        }
    }
    assert_eq!(systems.len(), RELEASES.len());
}

/// Ends an override that the run before left, lest it is used up between a read and a write of this one.
fn quiet(server: &Server, id: &str) {
    let off = json!({ "Boot": { "BootSourceOverrideEnabled": "Disabled" } });
    server.login().patch(&format!("/redfish/v1/Systems/{id}"), &off).expect(200);
}

fn ids(server: &Server) -> Vec<String> {
    let members = server.login().members("/redfish/v1/Systems");
    members.iter().map(|uri| uri.rsplit('/').next().unwrap().to_owned()).collect()
}

#[test]
fn every_release_drives_a_system_when_the_operating_system_is_left_out() {
    all_releases("omit", |_, _, server, id, steps| drives(server, id, steps));
}

#[test]
fn every_release_drives_a_system_when_the_operating_system_is_a_text() {
    all_releases("string", |_, _, server, id, steps| drives(server, id, steps));
}

#[test]
fn a_link_to_the_operating_system_costs_old_releases_all_systems() {
    all_releases("link", |_, loses, server, id, steps| {
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
        assert!(image.ends_with("/images/boot.iso"), "{parent}: {slot}");
        assert_eq!((&slot["inserted"], &slot["left"]), (&json!(true), &json!(false)), "{parent}");
    }
    assert_eq!(steps.value("account update"), "ReadOnly");
    assert_eq!(steps.value("account delete"), &json!(false));
    let expected = ["reset PushPowerButton", "boot again on the stale object"];
    assert_eq!(steps.failed(), expected, "no other step fails");
    happened(server, id);
}

/// The journal of the mock has what the client was told had been done, on that machine and no other.
#[track_caller]
fn happened(server: &Server, id: &str) {
    let journal = mock::journal(server);
    let done: Vec<_> = journal.iter().filter(|entry| entry.machine == id).collect();
    let text =
        Value::from(done.iter().map(|e| format!("{} {}", e.action, e.details)).collect::<Vec<_>>());
    for part in ["ForceOff", "ForceRestart", "PowerCycle", "Pxe", "boot.iso"] {
        assert!(text.to_string().contains(part), "{part} is not in {text}");
    }
}

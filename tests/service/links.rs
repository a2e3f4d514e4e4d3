//! What is printed is there: every reference that a caller sees answers 200 for that caller.

use redfish_tests::client::Auth;
use redfish_tests::crawl::{ROOT, crawl};
use redfish_tests::mock::MACHINES;
use redfish_tests::server::USER;

use crate::cast::Cast;

#[test]
fn every_caller_can_follow_what_it_sees() {
    let cast = Cast::start();
    let mut numbers = Vec::new();
    for actor in cast.actors.iter().filter(|actor| !actor.role.is_empty()) {
        let found = crawl(&actor.client, ROOT);
        found.assert_clean(actor.name);
        let systems = found.types().get("ComputerSystem").copied().unwrap_or_default();
        assert_eq!(systems, actor.machines.map_or(MACHINES.len(), <[_]>::len), "{}", actor.name);
        numbers.push((actor.name, found.documents.len()));
    }
    println!("{numbers:?}");
    let number = |name| numbers.iter().find(|(have, _)| *have == name).unwrap().1;
    assert!(number(USER) > 100, "an administrator sees the whole service: {numbers:?}");
    assert!(number("tenant-one") < number(USER), "{numbers:?}");
    assert!(number("reader") <= number(USER), "{numbers:?}");
}

/// Nothing of a machine is told to who may not see it: neither by a document nor by an error.
#[test]
fn other_machines_leave_no_trace() {
    let cast = Cast::start();
    for actor in &cast.actors {
        let Some(own) = actor.machines else { continue };
        let found = crawl(&actor.client, ROOT);
        for (uri, document) in &found.documents {
            let text = document.to_string();
            for other in MACHINES.iter().filter(|id| !own.contains(id)) {
                assert!(!text.contains(other), "{} sees {other} at {uri}", actor.name);
            }
        }
        let other = MACHINES.iter().find(|id| !own.contains(id)).unwrap();
        let unknown = actor.client.get("/redfish/v1/Systems/no-such").expect(404).message_ids();
        let theirs = actor.client.get(&format!("/redfish/v1/Systems/{other}")).expect(404);
        assert_eq!(theirs.message_ids(), unknown, "{}", actor.name);
    }
}

#[test]
fn a_view_calls_its_machine_one() {
    let cast = Cast::start();
    let view = &cast.actor("view").client;
    assert_eq!(view.members("/redfish/v1/Systems"), ["/redfish/v1/Systems/1"]);
    assert_eq!(view.members("/redfish/v1/Managers"), ["/redfish/v1/Managers/1"]);
    assert_eq!(view.members("/redfish/v1/Chassis"), ["/redfish/v1/Chassis/1"]);
    // The id is an alias, and names the resource by its one URI.
    let alias = view.read(&format!("/redfish/v1/Systems/{}", MACHINES[2]));
    assert_eq!(alias["@odata.id"], "/redfish/v1/Systems/1");
    view.get("/redfish/v1/Systems/2").expect(404);
}

#[test]
fn without_credentials_there_is_the_root_and_nothing_more() {
    let cast = Cast::start();
    let nobody = cast.server.anonymous();
    for uri in ["/redfish", "/redfish/v1", ROOT, "/redfish/v1/odata", "/redfish/v1/$metadata"] {
        let answer = nobody.get(uri).expect(200);
        assert_eq!(answer.fault(false), None, "{uri}");
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(MACHINES.iter().all(|id| !text.contains(id)), "{uri}: {text}");
    }
    for (uri, document) in crawl(cast.admin(), ROOT).documents {
        if document["@odata.type"].as_str().is_some_and(|name| name.starts_with("#ServiceRoot")) {
            continue;
        }
        let answer = nobody.with(Auth::None).get(&uri);
        assert_eq!(answer.status, 401, "{uri}: {}", answer.summary());
        assert!(answer.header("www-authenticate").is_some(), "{uri}");
    }
}

//! All that is wrong with a body is told in one answer, each fault with its own message, and what is right
//! is done (PATCH) or nothing is (actions).

use redfish_tests::client::Client;
use redfish_tests::mock::{self, MACHINES};
use redfish_tests::server::Setup;
use serde_json::{Value, json};

fn system() -> String {
    format!("/redfish/v1/Systems/{}", MACHINES[0])
}

/// Ids of the messages, sorted.
#[track_caller]
fn told(client: &Client, method: &str, uri: &str, body: &Value, status: u16) -> Vec<String> {
    let text = body.to_string();
    let answer = client.request(method, uri, &[], Some(text.as_bytes())).expect(status);
    let mut ids = answer.message_ids();
    ids.sort();
    ids
}

#[test]
fn a_patch_tells_every_fault() {
    let server = Setup::plain().start();
    let admin = server.login();
    let before = admin.read(&system());
    let faulty = json!({
        "NoSuchProperty": 1,
        "PowerState": "On",
        "AssetTag": 7,
        "Boot": {
            "BootSourceOverrideTarget": "Floppy of 1987",
            "BootSourceOverrideEnabled": true,
            "AlsoUnknown": {},
        },
    });
    let expect = [
        "PropertyNotWritable",
        "PropertyUnknown",
        "PropertyUnknown",
        "PropertyValueNotInList",
        "PropertyValueTypeError",
        "PropertyValueTypeError",
    ];
    assert_eq!(told(&admin, "PATCH", &system(), &faulty, 400), expect);
    assert_eq!(admin.read(&system())["Boot"], before["Boot"]);
}

#[test]
fn a_patch_does_what_is_right_in_it() {
    let server = Setup::plain().start();
    let admin = server.login();
    let mixed = json!({ "AssetTag": "rack 7", "PowerState": "On", "NoSuch": null });
    let expect = ["PropertyNotWritable", "PropertyUnknown"];
    assert_eq!(told(&admin, "PATCH", &system(), &mixed, 200), expect);
    assert_eq!(admin.read(&system())["AssetTag"], "rack 7");
    // What clients echo back from a read is no fault.
    let echo = json!({
        "@odata.id": system(),
        "@odata.etag": "\"x\"",
        "Boot": { "BootSourceOverrideTarget@Redfish.AllowableValues": ["Pxe"], "BootSourceOverrideEnabled": "Disabled" },
    });
    admin.patch(&system(), &echo).expect(200);
}

#[test]
fn an_action_tells_every_fault_and_does_nothing() {
    let server = Setup::plain().start();
    let admin = server.login();
    let reset = format!("{}/Actions/ComputerSystem.Reset", system());
    let asked = || mock::journal(&server).iter().filter(|entry| entry.event == "asked").count();
    let before = asked();
    let check = |body: Value, expect: &[&str]| {
        assert_eq!(told(&admin, "POST", &reset, &body, 400), expect, "{body}");
    };
    check(json!({ "ResetType": "Explode" }), &["ActionParameterValueNotInList"]);
    check(json!({ "ResetType": 1 }), &["ActionParameterValueTypeError"]);
    check(
        json!({ "ResetType": 1, "Force": true }),
        &["ActionParameterUnknown", "ActionParameterValueTypeError"],
    );
    assert_eq!(asked(), before);
}

#[test]
fn what_is_created_needs_its_properties() {
    let server = Setup::plain().start();
    let admin = server.login();
    let accounts = "/redfish/v1/AccountService/Accounts";
    let before = admin.members(accounts);
    let check = |body: Value, expect: &[&str]| {
        let ids = told(&admin, "POST", accounts, &body, 400);
        for id in expect {
            assert!(ids.iter().any(|have| have == id), "{body}: {id} is not in {ids:?}");
        }
    };
    check(json!({}), &["CreateFailedMissingReqProperties"]);
    check(json!({ "UserName": "x", "RoleId": "ReadOnly" }), &["CreateFailedMissingReqProperties"]);
    check(
        json!({ "UserName": 1, "Password": "Long-Enough.42", "RoleId": "ReadOnly", "Nonsense": 1 }),
        &["PropertyUnknown", "PropertyValueTypeError"],
    );
    assert_eq!(admin.members(accounts), before);
}

#[test]
fn predefined_roles_stay_as_they_are() {
    let server = Setup::plain().start();
    let admin = server.login();
    for role in admin.members("/redfish/v1/AccountService/Roles") {
        let before = admin.read(&role);
        let answer = admin.patch(&role, &json!({ "AssignedPrivileges": ["Login"] }));
        assert!((400..500).contains(&answer.status), "{role}: {}", answer.summary());
        assert_eq!(answer.fault(false), None);
        assert_eq!(admin.read(&role), before);
    }
}

/// Secrets that a client sent come back in no error and stand in no log.
#[test]
fn secrets_are_not_repeated() {
    let server = Setup::plain().start();
    let admin = server.login();
    let secret = "Hunter-Two.4711";
    let system = system();
    let slot = admin.members(&format!("{system}/VirtualMedia")).remove(0);
    let insert = format!("{slot}/Actions/VirtualMedia.InsertMedia");
    for (uri, body) in [
        (
            "/redfish/v1/SessionService/Sessions",
            json!({ "UserName": "nobody", "Password": secret }),
        ),
        (
            "/redfish/v1/AccountService/Accounts",
            json!({ "UserName": 1, "Password": secret, "RoleId": "x" }),
        ),
        (
            &insert,
            json!({ "Image": format!("http://u:{secret}@127.0.0.1:9/x?token={secret}"), "UserName": "u", "Password": secret }),
        ),
        ("/cgi/login.cgi", json!({ "name": "u", "pwd": secret })),
        ("/api/session", json!({ "username": "u", "password": secret })),
    ] {
        let answer = admin.post(uri, &body);
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!body.contains(secret), "{uri}: {body}");
    }
    let shown = admin.read(&slot).to_string();
    assert!(!shown.contains(secret), "{shown}");
    assert!(!server.log().contains(secret), "the log has it");
}

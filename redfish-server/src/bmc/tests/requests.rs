//! Whole requests, as clients send them.

use axum::body::to_bytes;
use http::{HeaderMap, Method};
use redfish_backend::machine::MediumPhase;
use serde_json::{Value, json};

use super::super::testing::{Lab, admin, full, scope};
use crate::context::Profile;

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

async fn ask(lab: &Lab, method: Method, uri: &str, body: Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let context = admin(scope(Profile::Clients));
    let uri = format!("/redfish/v1/{uri}");
    let response = lab.router().ask(context, &method, &uri, body.as_bytes()).await;
    let (head, body) = response.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Answer { status: head.status.as_u16(), headers: head.headers, body }
}

#[tokio::test]
async fn a_provisioning_tool_boots_from_a_cd_once() {
    let lab = Lab::new([full("a")]);
    // The whole object as it was read, annotations included, with one member changed.
    let mut boot = ask(&lab, Method::GET, "Systems/a", Value::Null).await.body["Boot"].clone();
    assert!(boot.get("BootSourceOverrideTarget@Redfish.AllowableValues").is_some());
    boot["BootSourceOverrideTarget"] = "Pxe".into();
    let answer = ask(&lab, Method::PATCH, "Systems/a", json!({"Boot": boot})).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.body["Boot"]["BootSourceOverrideTarget"], "Pxe");
    assert_eq!(answer.body.get("@Message.ExtendedInfo"), None);
    assert_eq!(lab.backend.taken_calls(), ["set_boot "]);
    let uri = "Systems/a/Actions/ComputerSystem.Reset";
    let answer = ask(&lab, Method::POST, uri, json!({"ResetType": "ForceRestart"})).await;
    assert_eq!((answer.status, answer.body), (204, Value::Null));
}

#[tokio::test]
async fn media_come_and_go() {
    let lab = Lab::new([full("a")]);
    for slot in ["Systems/a/VirtualMedia/CD0", "Managers/a/VirtualMedia/CD0"] {
        let backend = lab.backend.clone();
        let usable = tokio::spawn(async move {
            while backend.source.lock().unwrap().take().is_none() {
                tokio::task::yield_now().await;
            }
            tokio::task::yield_now().await;
            backend.import("a", "CD0", Ok(MediumPhase::Usable));
        });
        let body = json!({"Image": "https://images.example/a.iso", "Inserted": true, "WriteProtected": true});
        let uri = format!("{slot}/Actions/VirtualMedia.InsertMedia");
        assert_eq!(ask(&lab, Method::POST, &uri, body).await.status, 204);
        usable.await.unwrap();
        let media = ask(&lab, Method::GET, slot, Value::Null).await.body;
        assert_eq!(
            (&media["Inserted"], &media["TransferProtocolType"]),
            (&true.into(), &"HTTPS".into())
        );
        // An empty body and none at all.
        let uri = format!("{slot}/Actions/VirtualMedia.EjectMedia");
        assert_eq!(ask(&lab, Method::POST, &uri, Value::Null).await.status, 204);
        assert_eq!(ask(&lab, Method::POST, &uri, json!({})).await.status, 204);
        let media = ask(&lab, Method::GET, slot, Value::Null).await.body;
        assert_eq!((&media["Inserted"], &media["ImageName"]), (&false.into(), &Value::Null));
    }
}

#[tokio::test]
async fn firmware_settings_wait_for_the_next_start() {
    let lab = Lab::new([full("a")]);
    let settings = "Systems/a/Bios/Settings";
    let body = json!({"Attributes": {"Delay": 5, "Mode": "Slow"}});
    let answer = ask(&lab, Method::PATCH, settings, body).await;
    assert_eq!((answer.status, &answer.body["Attributes"]["Delay"]), (200, &5.into()));
    let answer = ask(&lab, Method::PATCH, settings, json!({"Attributes": 5})).await;
    assert_eq!(answer.status, 400);
    let bios = ask(&lab, Method::GET, "Systems/a/Bios", Value::Null).await.body;
    assert_eq!(bios["Attributes"]["Delay"], 3);
    let link = &bios["@Redfish.Settings"]["SettingsObject"]["@odata.id"];
    assert_eq!(*link, format!("/redfish/v1/{settings}"));
    let answer =
        ask(&lab, Method::POST, "Systems/a/Bios/Actions/Bios.ResetBios", Value::Null).await;
    assert_eq!(answer.status, 204);
}

#[tokio::test]
async fn volumes_have_a_place() {
    let lab = Lab::new([full("a")]);
    let volumes = "Systems/a/Storage/raid0/Volumes";
    let answer = ask(&lab, Method::POST, volumes, json!({"RAIDType": "None"})).await;
    let place = format!("/redfish/v1/{volumes}/volume-2");
    assert_eq!(
        (answer.status, answer.headers["location"].to_str().unwrap()),
        (201, place.as_str())
    );
    let listed = ask(&lab, Method::GET, volumes, Value::Null).await;
    assert_eq!(listed.body["Members@odata.count"], 2);
    let support = &listed.body["@Redfish.OperationApplyTimeSupport"]["SupportedValues"];
    assert_eq!(*support, json!(["Immediate"]));
    assert!(listed.headers["allow"].to_str().unwrap().contains("POST"));
    let answer = ask(&lab, Method::DELETE, &format!("{volumes}/volume-2"), Value::Null).await;
    assert_eq!(answer.status, 204);
}

#[tokio::test]
async fn parts_of_no_service_are_not_linked() {
    let lab = Lab::new([full("a")]);
    for (uri, expect) in [("Systems/a", "GET, HEAD, PATCH"), ("Managers/a", "GET, HEAD")] {
        let answer = ask(&lab, Method::GET, uri, Value::Null).await;
        assert!(answer.body.get("LogServices").is_none(), "{uri}");
        let mut allow: Vec<_> = answer.headers["allow"].to_str().unwrap().split(", ").collect();
        allow.sort_unstable();
        assert_eq!(allow.join(", "), expect);
    }
}

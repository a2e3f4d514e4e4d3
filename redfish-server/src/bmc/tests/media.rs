//! Inserting and ejecting: what is taken, what the answer waits for, what becomes of the task.

use std::time::Duration;

use redfish_backend::machine::MediumPhase;
use redfish_backend::media::FetchFailure;
use redfish_model::virtual_media::{EjectMediaRequest, InsertMediaRequest, VirtualMediaPatch};
use redfish_model::{VirtualMedia, VirtualMediaUri};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::super::testing::{Lab, admin, bare, full, id, scope};
use crate::api::virtual_media::VirtualMediaApi;
use crate::context::{Context, Profile, Scope};
use crate::error::{Error, Result};
use crate::mount::{Reply, State};

const CD: &str = "/redfish/v1/Systems/a/VirtualMedia/CD0";
const BELOW_MANAGER: &str = "/redfish/v1/Managers/a/VirtualMedia/CD0";
const IMAGE: &str = "http://images.example/os.iso";

fn uri(text: &str) -> VirtualMediaUri {
    text.parse().unwrap()
}

fn now_then_async() -> Context {
    let mut context = admin(Scope::all());
    context.respond_async = true;
    context
}

async fn insert(lab: &Lab, at: &str, body: Value) -> Result<Reply<()>> {
    let body: InsertMediaRequest = serde_json::from_value(body).unwrap();
    lab.bmc.insert_media(&admin(Scope::all()), uri(at), body).await
}

async fn patch(lab: &Lab, body: Value) -> Result<Reply<VirtualMedia>> {
    let body: VirtualMediaPatch = serde_json::from_value(body).unwrap();
    VirtualMediaApi::patch(&*lab.bmc, &admin(Scope::all()), uri(CD), body).await
}

async fn shown(lab: &Lab, at: &str) -> Value {
    let media = VirtualMediaApi::get(&*lab.bmc, &admin(Scope::all()), uri(at)).await;
    serde_json::to_value(media.unwrap()).unwrap()
}

fn told(error: &Error) -> String {
    let message = &error.messages[0];
    let id = message.message_id().unwrap().rsplit('.').next().unwrap_or_default();
    let related = message.related_properties.as_deref().unwrap_or_default().join(" ");
    format!("{} {id} {related}", error.status.as_u16()).trim_end().to_owned()
}

/// Imports end by themselves after so many seconds.
fn ends(lab: &Lab, seconds: u64, end: Result<MediumPhase, FetchFailure>) {
    let backend = lab.backend.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        backend.import("a", "CD0", end);
    });
}

#[tokio::test(start_paused = true)]
async fn the_answer_waits_until_the_medium_is_usable() {
    let lab = Lab::new([full("a")]);
    ends(&lab, 3, Ok(MediumPhase::Importing { percent: Some(40) }));
    ends(&lab, 7, Ok(MediumPhase::Usable));
    let start = Instant::now();
    let reply = insert(&lab, CD, json!({"Image": IMAGE})).await.unwrap();
    assert!(matches!(reply.state, State::Done(())));
    assert_eq!(start.elapsed(), Duration::from_secs(7));
    let begun =
        format!("begin Insert media into CD0 of a at {CD}/Actions/VirtualMedia.InsertMedia");
    assert_eq!(lab.diary(), [begun.as_str(), "40 %", "complete"]);
    let media = shown(&lab, CD).await;
    for (name, expect) in [
        ("Image", json!(IMAGE)),
        ("ImageName", json!("os.iso")),
        ("Inserted", json!(true)),
        ("ConnectedVia", json!("URI")),
        ("WriteProtected", json!(true)),
        ("TransferMethod", json!("Stream")),
        ("TransferProtocolType", json!("HTTP")),
        ("MediaTypes", json!(["CD", "DVD"])),
        ("Password", Value::Null),
    ] {
        assert_eq!(media[name], expect, "{name}");
    }
    // The same slot below the manager.
    assert_eq!(shown(&lab, BELOW_MANAGER).await["Image"], IMAGE);
}

#[tokio::test(start_paused = true)]
async fn the_answer_does_not_wait_for_ever() {
    let lab = Lab::new([full("a")]);
    let start = Instant::now();
    let reply = insert(&lab, CD, json!({"Image": IMAGE})).await.unwrap();
    assert!(matches!(reply.state, State::Done(())));
    assert_eq!(start.elapsed(), Duration::from_secs(25));
    let media = shown(&lab, CD).await;
    assert_eq!((&media["Inserted"], &media["Status"]["State"]), (&true.into(), &"Starting".into()));
    // The task goes on without the answer.
    assert_eq!(lab.diary().len(), 1);
    lab.backend.import("a", "CD0", Ok(MediumPhase::Staged));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(lab.diary()[1..], ["complete"]);
}

#[tokio::test(start_paused = true)]
async fn who_prefers_a_task_gets_it_at_once() {
    let lab = Lab::new([full("a")]);
    let start = Instant::now();
    let body = InsertMediaRequest::new(IMAGE);
    let reply = lab.bmc.insert_media(&now_then_async(), uri(CD), body).await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
    let State::Accepted(accepted) = reply.state else { panic!("not accepted") };
    assert_eq!(accepted.monitor, "/redfish/v1/TaskService/TaskMonitors/7");
    assert_eq!(accepted.task.id(), Ok("7"));
    assert_eq!(shown(&lab, CD).await["Inserted"], true);
    lab.backend.import("a", "CD0", Err(FetchFailure::Status(404)));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(lab.diary()[1..], ["fail Base.1.22.ResourceMissingAtURI"]);
    let media = shown(&lab, CD).await;
    assert_eq!((&media["Inserted"], &media["Image"]), (&false.into(), &Value::Null));
    assert_eq!(media["Status"]["Health"], "Warning");
}

#[tokio::test(start_paused = true)]
async fn imports_that_fail_meanwhile_are_errors() {
    let check = async |failure, expect: &str| {
        let lab = Lab::new([full("a")]);
        ends(&lab, 2, Err(failure));
        let error = insert(&lab, CD, json!({"Image": format!("{IMAGE}?signature=s3cret")})).await;
        let error = error.unwrap_err();
        assert_eq!(told(&error), expect);
        assert!(!error.to_string().contains("s3cret"), "{error}");
        assert!(lab.diary()[1].starts_with("fail "), "{:?}", lab.diary());
    };
    check(FetchFailure::Unreachable, "400 CouldNotEstablishConnection").await;
    check(FetchFailure::Certificate, "400 CouldNotEstablishConnection").await;
    check(FetchFailure::Credentials, "400 ResourceAtUriUnauthorized").await;
    check(FetchFailure::Status(404), "400 ResourceMissingAtURI").await;
    check(FetchFailure::Checksum, "400 ResourceAtUriInUnknownFormat").await;
    check(FetchFailure::TooLarge, "400 InsufficientStorage").await;
    check(FetchFailure::NoSpace, "507 InsufficientStorage").await;
    check(FetchFailure::TooSlow, "400 OperationTimeout").await;
    check(FetchFailure::Attach, "500 OperationFailed").await;
    check(FetchFailure::Removed, "409 OperationFailed").await;
}

#[tokio::test(start_paused = true)]
async fn a_medium_that_is_replaced_or_whose_machine_goes_ends_its_task() {
    let lab = Lab::new([full("a")]);
    let async_insert = async |image: &str| {
        let body = InsertMediaRequest::new(image);
        lab.bmc.insert_media(&now_then_async(), uri(CD), body).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    async_insert(IMAGE).await;
    async_insert("http://images.example/other.iso").await;
    assert_eq!(lab.diary()[2..], ["fail Base.1.22.OperationFailed"]);
    lab.backend.feed.remove(&id("a"), redfish_backend::machine::Revision::of(99));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(lab.diary()[3..], ["fail Base.1.22.OperationFailed"]);
}

#[tokio::test(start_paused = true)]
async fn parameters_say_what_is_to_be_had() {
    let check = async |body: Value, expect: &str| {
        let lab = Lab::new([full("a")]);
        ends(&lab, 1, Ok(MediumPhase::Usable));
        let found = insert(&lab, CD, body.clone()).await;
        let found = found.map_or_else(|error| told(&error), |_| "ok".to_owned());
        assert_eq!(found, expect, "{body}");
        assert_eq!(lab.backend.taken_calls().is_empty(), expect != "ok", "{body}");
    };
    let with = |name: &str, value: Value| json!({"Image": IMAGE, name: value});
    check(with("Inserted", json!(true)), "ok").await;
    check(with("WriteProtected", json!(true)), "ok").await;
    check(with("TransferMethod", json!("Stream")), "ok").await;
    check(with("TransferProtocolType", json!("HTTP")), "ok").await;
    check(json!({"Image": "http://images.example/images/7?arch=x86_64"}), "ok").await;
    let not_in_list = |name: &str| format!("400 ActionParameterValueNotInList #/{name}");
    check(with("Inserted", json!(false)), &not_in_list("Inserted")).await;
    check(with("WriteProtected", json!(false)), &not_in_list("WriteProtected")).await;
    check(with("TransferMethod", json!("Upload")), &not_in_list("TransferMethod")).await;
    let protocol = "TransferProtocolType";
    check(with(protocol, json!("NFS")), &not_in_list(protocol)).await;
    let conflict = "400 ActionParameterValueConflict #/TransferProtocolType";
    check(with(protocol, json!("HTTPS")), conflict).await;
    let format = "400 ActionParameterValueFormatError #/Image";
    for bad in
        ["", "os.iso", "nfs://a/b", "ftp://a/b", "http://", "http://a b/", "file:///etc/passwd"]
    {
        check(json!({"Image": bad}), format).await;
    }
    // What the policy forbids reads the same whatever the rule was.
    for guarded in ["http://127.0.0.1/a", "http://169.254.169.254/latest", "http://[::1]/"] {
        check(json!({"Image": guarded}), "403 AccessDenied #/Image").await;
    }
}

#[tokio::test(start_paused = true)]
async fn all_faults_at_once_and_no_secret_among_them() {
    let lab = Lab::new([full("a")]);
    let body = json!({
        "Image": "http://user:hunter2@127.0.0.1/a?x=hunter3",
        "UserName": "u",
        "TransferMethod": "Upload",
        "WriteProtected": false,
    });
    let error = insert(&lab, CD, body).await.unwrap_err();
    let ids: Vec<_> = error.messages.iter().map(|m| m.message_id().unwrap()).collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
    let all = serde_json::to_string(&error.body()).unwrap();
    assert!(!all.contains("hunter"), "{all}");
}

#[tokio::test(start_paused = true)]
async fn credentials_and_trust_reach_the_backend() {
    let lab = Lab::new([full("a")]);
    ends(&lab, 1, Ok(MediumPhase::Usable));
    let body = json!({"Image": IMAGE, "UserName": "user", "Password": "hunter2"});
    insert(&lab, CD, body).await.unwrap();
    let source = lab.backend.source.lock().unwrap().take().unwrap();
    let credentials = source.credentials().unwrap();
    assert_eq!((credentials.user.expose(), credentials.password.expose()), ("user", "hunter2"));
    assert!(source.verify_certificate() && source.write_protected());
    let media = shown(&lab, CD).await;
    assert_eq!((&media["UserName"], &media["VerifyCertificate"]), (&Value::Null, &true.into()));
    // The setting of the slot is for inserts from then on.
    let version = lab.bmc.version(&Scope::all(), CD);
    patch(&lab, json!({"VerifyCertificate": false})).await.unwrap();
    assert_ne!(lab.bmc.version(&Scope::all(), CD), version);
    assert_eq!(shown(&lab, CD).await["VerifyCertificate"], false);
    ends(&lab, 1, Ok(MediumPhase::Usable));
    let empty = json!({"Image": IMAGE, "UserName": "", "Password": ""});
    insert(&lab, CD, empty).await.unwrap();
    let source = lab.backend.source.lock().unwrap().take().unwrap();
    assert!(!source.verify_certificate() && source.credentials().is_none());
    // Another machine under the same name starts anew.
    lab.backend.change(&id("a"), |m| m.identity.uid = Some("other".into())).unwrap();
    assert_eq!(shown(&lab, CD).await["VerifyCertificate"], true);
}

#[tokio::test(start_paused = true)]
async fn patches_insert_and_eject() {
    let check = async |inserted: bool, body: Value, calls: &[&str], expect: &str| {
        let lab = Lab::new([full("a")]);
        if inserted {
            ends(&lab, 1, Ok(MediumPhase::Usable));
            insert(&lab, CD, json!({"Image": IMAGE})).await.unwrap();
            lab.backend.taken_calls();
        }
        ends(&lab, 1, Ok(MediumPhase::Usable));
        let found = patch(&lab, body.clone()).await;
        assert_eq!(lab.backend.taken_calls(), calls, "{body}");
        let found = found.map_or_else(
            |error| told(&error),
            |reply| {
                let State::Done(media) = reply.state else { panic!("not done") };
                format!("{} {}", media.inserted.copied().unwrap_or_default(), reply.messages.len())
            },
        );
        assert_eq!(found, expect, "{body}");
    };
    let call = format!("insert CD0 {IMAGE}");
    check(false, json!({"Image": IMAGE, "Inserted": true}), &[&call], "true 0").await;
    check(false, json!({"Image": IMAGE, "WriteProtected": true}), &[&call], "true 0").await;
    check(true, json!({"Image": null}), &["eject CD0"], "false 0").await;
    check(true, json!({"Inserted": false}), &["eject CD0"], "false 0").await;
    check(true, json!({"Image": null, "Inserted": false}), &["eject CD0"], "false 0").await;
    check(true, json!({"Inserted": true}), &[], "true 0").await;
    check(
        false,
        json!({"Image": IMAGE, "Inserted": false}),
        &[],
        "400 PropertyValueConflict #/Inserted",
    )
    .await;
    check(
        true,
        json!({"Image": null, "Inserted": true}),
        &[],
        "400 PropertyValueConflict #/Inserted",
    )
    .await;
    check(false, json!({"Inserted": true}), &[], "400 PropertyMissing #/Image").await;
    check(false, json!({"UserName": "u"}), &[], "400 PropertyValueConflict #/UserName").await;
    let format = "400 PropertyValueFormatError #/Image";
    check(false, json!({"Image": "nonsense"}), &[], format).await;
}

#[tokio::test(start_paused = true)]
async fn a_patch_can_send_back_what_was_read() {
    let lab = Lab::new([full("a")]);
    ends(&lab, 1, Ok(MediumPhase::Usable));
    insert(&lab, CD, json!({"Image": IMAGE})).await.unwrap();
    lab.backend.taken_calls();
    let mut body = shown(&lab, CD).await;
    // The backend's rules make nothing of the same image.
    body.as_object_mut().unwrap().remove("Image");
    let reply = patch(&lab, body).await.unwrap();
    assert!(reply.messages.is_empty() && lab.backend.taken_calls().is_empty());
}

#[tokio::test]
async fn slots_that_are_fixed_show_no_actions() {
    let mut machine = full("a");
    machine.capabilities.media = false;
    let lab = Lab::new([machine, bare("bare")]);
    let media = shown(&lab, CD).await;
    assert!(media.get("Actions").is_none() && media.get("VerifyCertificate").is_none());
    let refusal = redfish_backend::Error::unsupported("No media");
    for call in ["insert", "eject"] {
        lab.backend.fails.lock().unwrap().insert(call, refusal.clone());
    }
    let error = insert(&lab, CD, json!({"Image": IMAGE})).await.unwrap_err();
    assert_eq!(told(&error), "400 ActionNotSupported");
    let context = admin(Scope::all());
    let error = lab.bmc.eject_media(&context, uri(CD), EjectMediaRequest::default()).await;
    assert_eq!(told(&error.unwrap_err()), "400 ActionNotSupported");
}

#[tokio::test]
async fn managers_have_no_media_in_the_strict_profile() {
    let lab = Lab::new([full("a")]);
    let check = |profile, at: &str, expect| {
        let exists = VirtualMediaApi::exists(&*lab.bmc, &scope(profile), &uri(at));
        assert_eq!(exists, expect, "{profile:?} {at}");
    };
    check(Profile::Clients, BELOW_MANAGER, true);
    check(Profile::Strict, BELOW_MANAGER, false);
    check(Profile::Strict, CD, true);
    check(Profile::Clients, "/redfish/v1/Systems/a/VirtualMedia/CD9", false);
    let context = admin(scope(Profile::Strict));
    let body = InsertMediaRequest::new(IMAGE);
    let error = lab.bmc.insert_media(&context, uri(BELOW_MANAGER), body).await.unwrap_err();
    assert_eq!(told(&error), "404 ResourceMissingAtURI");
}

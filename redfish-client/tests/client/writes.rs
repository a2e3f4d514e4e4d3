//! What becomes of writes.

use std::time::Duration;

use redfish_client::{Answer, Error, TaskMonitor};
use redfish_model::computer_system::{ComputerSystem, ComputerSystemPatch, ResetRequest};
use redfish_model::manager_account::{ManagerAccount, ManagerAccountCreate};
use redfish_model::resource::ResetType;
use redfish_model::{Action, Ref};

use crate::server::{Server, answer, not_found, ok};

const SHORT: Duration = Duration::from_secs(4);

fn reset() -> ResetRequest {
    ResetRequest { reset_type: ResetType::ForceOff.into(), ..ResetRequest::default() }
}

#[tokio::test]
async fn an_action_is_done_without_a_body() {
    let server = Server::start(|_, _| answer(204, &[], "")).await;
    let client = server.client();
    let generated = client.systems_reset("a/b", &reset()).await.unwrap().into_inner();
    let done = generated.done().unwrap();
    assert_eq!((done.resource, done.location, done.messages.len()), (None, None, 0));
    let action = Action::at("/redfish/v1/Systems/a%2Fb/Actions/ComputerSystem.Reset");
    assert!(matches!(client.action(&action, &reset()).await.unwrap(), Answer::Done(_)));
    let seen = server.seen();
    assert_eq!(seen[0].line(), seen[1].line());
    for seen in seen {
        assert_eq!(seen.body, r#"{"ResetType":"ForceOff"}"#);
        assert_eq!(seen.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn what_was_created_is_told() {
    let body = r#"{"UserName": "u", "@Message.ExtendedInfo": [{"MessageId": "Base.1.0.Success"}]}"#;
    let server = Server::start(move |_, _| {
        answer(
            201,
            &[("Location", "/redfish/v1/AccountService/Accounts/3"), ("ETag", "\"1\"")],
            body,
        )
    })
    .await;
    let create = ManagerAccountCreate::default();
    let answer = server.client().account_service_accounts_create(&create).await.unwrap();
    let done = answer.into_inner().done().unwrap();
    assert_eq!(done.location.as_deref(), Some("/redfish/v1/AccountService/Accounts/3"));
    assert_eq!(done.messages.len(), 1);
    let account = done.resource.unwrap();
    assert_eq!(
        (account.user_name.as_deref(), account.etag().as_deref()),
        (Some("u"), Some("\"1\""))
    );
}

#[tokio::test]
async fn a_change_is_made_to_the_state_that_was_read() {
    let server = Server::start(|seen, _| match (seen.method.as_str(), seen.header("if-match")) {
        ("GET", _) => answer(200, &[("ETag", "\"1\"")], r#"{"@odata.id": "/s", "AssetTag": "x"}"#),
        ("PATCH" | "DELETE", Some("\"1\"")) => ok(r#"{"AssetTag": "y"}"#),
        ("PATCH" | "DELETE", Some(_)) => answer(412, &[], ""),
        _ => not_found(),
    })
    .await;
    let client = server.client();
    let link = Ref::<ComputerSystem>::to("/s");
    let etag = client.get(&link).await.unwrap().etag();
    let patch = ComputerSystemPatch { asset_tag: "y".into(), ..ComputerSystemPatch::default() };
    let answer = client.patch::<ComputerSystem>(&link, &patch, etag.as_deref()).await.unwrap();
    assert_eq!(answer.done().unwrap().resource.unwrap().asset_tag.as_deref(), Some("y"));
    client.systems_patch("1", etag.as_deref(), &patch).await.unwrap();
    client.delete::<()>(&link, etag.as_deref()).await.unwrap();
    let error = client.patch::<ComputerSystem>(&link, &patch, Some("\"2\"")).await.unwrap_err();
    assert_eq!(error.status().unwrap(), 412);
    assert!(matches!(client.delete::<()>(&link, Some("\n")).await.unwrap_err(), Error::Header(_)));
}

#[tokio::test]
async fn a_task_monitor_is_followed_to_the_end() {
    let server = Server::start(|seen, count| match (seen.line().as_str(), count) {
        ("POST /redfish/v1/AccountService/Accounts", _) => {
            answer(202, &[("Location", "/m/1"), ("Retry-After", "0")], "")
        }
        ("GET /m/1", 1) => answer(
            202,
            &[("Location", "/m/2"), ("Retry-After", "1")],
            r##"{"@odata.type": "#Task.v1_0_0.Task", "PercentComplete": 50}"##,
        ),
        ("GET /m/2", 2) => answer(201, &[("Location", "/made")], r#"{"UserName": "u"}"#),
        _ => not_found(),
    })
    .await;
    let client = server.client();
    let create = ManagerAccountCreate::default();
    let answer = client.account_service_accounts_create(&create).await.unwrap().into_inner();
    let mut monitor: TaskMonitor<ManagerAccount> = answer.accepted().unwrap();
    assert_eq!((monitor.uri(), monitor.retry_after()), (Some("/m/1"), Some(Duration::ZERO)));
    assert_eq!(monitor.poll(&client).await.unwrap(), None);
    assert_eq!(monitor.task().unwrap().percent_complete.copied(), Some(50));
    let start = std::time::Instant::now();
    let done = monitor.wait(&client, SHORT).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(done.location.as_deref(), Some("/made"));
    assert_eq!(done.resource.unwrap().user_name.as_deref(), Some("u"));
}

fn task(state: &str) -> String {
    format!(
        r##"{{"@odata.type": "#Task.v1_4_0.Task", "@odata.id": "/t/1", "TaskState": "{state}",
            "Links": {{"CreatedResources": [{{"@odata.id": "/made"}}]}}, "Messages": [{{"MessageId": "x"}}]}}"##
    )
}

#[tokio::test]
async fn a_task_as_the_answer_is_followed_too() {
    let server = Server::start(|seen, count| match (seen.line().as_str(), count) {
        ("POST /x", _) => ok(&task("Running")),
        ("GET /t/1", 1) => ok(&task("Stopping")),
        ("GET /t/1", _) => ok(&task("Completed")),
        _ => not_found(),
    })
    .await;
    let client = server.client();
    let done = client.post::<()>("/x", &()).await.unwrap().wait(&client, SHORT).await.unwrap();
    assert_eq!((done.location.as_deref(), done.messages.len()), (Some("/made"), 1));
    assert_eq!(server.lines(), ["POST /x", "GET /t/1", "GET /t/1"]);

    for state in ["Exception", "Killed", "Cancelled"] {
        let server = Server::start(move |_, _| ok(&task(state))).await;
        let client = server.client();
        let answer = client.post::<()>("/x", &()).await.unwrap();
        let error = answer.wait(&client, SHORT).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the task ended as {state}"));
        // It had ended at once.
        assert_eq!(server.lines().len(), 1);
    }
}

#[tokio::test]
async fn a_failed_operation_is_an_error() {
    let server = Server::start(|_, _| not_found()).await;
    let client = server.client();
    let error = TaskMonitor::<()>::at("/m").poll(&client).await.unwrap_err();
    assert!(error.redfish().unwrap().has("ResourceMissingAtURI"));
}

#[tokio::test]
async fn a_wait_has_an_end_and_an_operation_can_be_cancelled() {
    let server = Server::start(|seen, _| match seen.method.as_str() {
        "DELETE" => answer(204, &[], ""),
        _ => answer(202, &[("Location", "/m"), ("Retry-After", "0")], ""),
    })
    .await;
    let client = server.client();
    let mut monitor = client.post::<()>("/x", &()).await.unwrap().accepted().unwrap();
    let start = std::time::Instant::now();
    let error = monitor.wait(&client, Duration::from_millis(300)).await.unwrap_err();
    assert!(matches!(error, Error::Timeout(None)), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(2));
    // Not in a tight loop.
    assert!((2..=8).contains(&server.lines().len()), "{:?}", server.lines());
    monitor.cancel(&client).await.unwrap();
    assert_eq!(server.lines().last().unwrap(), "DELETE /m");

    // The service asks for more time than there is.
    let server =
        Server::start(|_, _| answer(202, &[("Location", "/m"), ("Retry-After", "60")], "")).await;
    let client = server.client();
    let start = std::time::Instant::now();
    let answered = client.post::<()>("/x", &()).await.unwrap();
    answered.wait(&client, Duration::from_millis(300)).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(2));

    let server = Server::start(|_, _| answer(202, &[], "")).await;
    let answer = server.client().post::<()>("/x", &()).await.unwrap();
    let error = answer.accepted().unwrap().poll(&server.client()).await.unwrap_err();
    assert!(matches!(error, Error::NoMonitor), "{error:?}");
}

//! Accounts and sessions as clients see them, through the generated traits.

use redfish_model::manager_account::{
    ChangePasswordRequest, ManagerAccountCreate, ManagerAccountPatch,
};
use redfish_model::session::SessionCreate;
use redfish_model::{
    Field, ManagerAccountCollectionUri, ManagerAccountUri, Object, Resource, SessionCollectionUri,
    SessionUri, to_value_strict,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::*;
use crate::api::manager_account::{ManagerAccountApi, ManagerAccountCollectionApi};
use crate::api::session::{SessionApi, SessionCollectionApi};
use crate::context::People;
use crate::mount::{Reply, State};

const ACCOUNTS: ManagerAccountCollectionUri = ManagerAccountCollectionUri::AccountServiceAccounts;
const SESSIONS: SessionCollectionUri = SessionCollectionUri::SessionServiceSessions;

fn account(id: &str) -> ManagerAccountUri {
    ManagerAccountUri::AccountServiceAccounts { manager_account_id: id.into() }
}

/// As JSON, with everything that the schema requires.
pub(super) fn shown<T: Resource + Object + Serialize>(resource: &T) -> Value {
    to_value_strict(resource).unwrap()
}

pub(super) fn done<T>(reply: Reply<T>) -> T {
    match reply.state {
        State::Done(value) => value,
        State::Accepted(_) => panic!("no task"),
    }
}

async fn patch(
    accounts: &Accounts,
    who: &str,
    id: &str,
    body: ManagerAccountPatch,
) -> Result<Value, Error> {
    let cx = by(accounts, who);
    let reply = ManagerAccountApi::patch(accounts, &cx, account(id), body).await?;
    Ok(shown(&done(reply)))
}

pub(super) fn members(value: &Value) -> Vec<&str> {
    let members = value["Members"].as_array().unwrap().iter();
    members.map(|m| m["@odata.id"].as_str().unwrap().rsplit('/').next().unwrap()).collect()
}

#[tokio::test]
async fn an_account_shows_what_it_is() {
    let accounts = accounts(config()).await;
    let cx = by(&accounts, "root");
    let value = shown(&ManagerAccountApi::get(&*accounts, &cx, account("op")).await.unwrap());
    let uri = "/redfish/v1/AccountService/Accounts/op";
    let expect = json!({
        "@odata.id": uri,
        "@odata.type": "#ManagerAccount.v1_14_1.ManagerAccount",
        "@odata.etag": value["@odata.etag"],
        "Id": "op",
        "Name": "User Account",
        "UserName": "op",
        "Password": null,
        "PasswordChangeRequired": false,
        "Enabled": true,
        "Locked": false,
        "AccountTypes": ["Redfish", "KVMIP"],
        "RoleId": "Operator",
        "Links": {"Role": {"@odata.id": "/redfish/v1/AccountService/Roles/Operator"}},
        "Actions": {"#ManagerAccount.ChangePassword": {
            "target": format!("{uri}/Actions/ManagerAccount.ChangePassword"),
            "@Redfish.ActionInfo": format!("{uri}/ChangePasswordActionInfo"),
        }},
    });
    assert_eq!(value, expect);
    // An action is shown to who may invoke it.
    let cx = by(&accounts, "op");
    let value = shown(&ManagerAccountApi::get(&*accounts, &cx, account("op")).await.unwrap());
    assert!(value.get("Actions").is_none());
}

#[tokio::test]
async fn what_is_ones_own() {
    let accounts = accounts(config()).await;
    let session = accounts.log_in("op", &secret(PASSWORD), None).await.unwrap().session.id.clone();
    let session = format!("/redfish/v1/SessionService/Sessions/{session}");
    let check = |who: &str, uri: &str, expect: (bool, bool)| {
        let principal = by(&accounts, who).principal.unwrap();
        let own =
            (accounts.is_own_account(&principal, uri), accounts.is_own_session(&principal, uri));
        assert_eq!(own, expect, "{who} {uri}");
    };
    check("op", "/redfish/v1/AccountService/Accounts/op", (true, false));
    check("eye", "/redfish/v1/AccountService/Accounts/op", (false, false));
    check("op", "/redfish/v1/AccountService/Accounts", (false, false));
    check("op", &session, (false, true));
    check("eye", &session, (false, false));
    check("op", "/redfish/v1/SessionService/Sessions/op", (false, false));
}

#[tokio::test]
async fn rendered_accounts_are_void_with_a_change_or_a_lock() {
    let accounts = accounts(config()).await;
    let uri = "/redfish/v1/AccountService/Accounts/op";
    let first = accounts.account_version(uri);
    assert!(first.is_some() && accounts.account_version(uri) == first);
    let body = ManagerAccountPatch { enabled: false.into(), ..ManagerAccountPatch::default() };
    patch(&accounts, "root", "op", body).await.unwrap();
    assert!(accounts.account_version(uri) > first);
    for _ in 0..10 {
        accounts.verify("op", "wrong password", None).await.unwrap_err();
    }
    assert_eq!(accounts.account_version(uri), None);
    let body = ManagerAccountPatch { locked: false.into(), ..ManagerAccountPatch::default() };
    assert_eq!(patch(&accounts, "root", "op", body).await.unwrap()["Locked"], false);
    assert!(accounts.account_version(uri).is_some());
}

#[tokio::test]
async fn etags_follow_passwords() {
    let accounts = accounts(config()).await;
    let cx = by(&accounts, "root");
    let etag = async || {
        let shown = ManagerAccountApi::get(&*accounts, &cx, account("op")).await.unwrap();
        shown.odata_etag.into_value().unwrap()
    };
    let before = etag().await;
    assert_eq!(etag().await, before);
    let body = ManagerAccountPatch {
        password: "another password".into(),
        ..ManagerAccountPatch::default()
    };
    patch(&accounts, "root", "op", body).await.unwrap();
    assert_ne!(etag().await, before);
}

#[tokio::test]
async fn lists_show_what_is_in_scope() {
    let accounts = accounts(config()).await;
    for name in ["root", "op"] {
        accounts.log_in(name, &secret(PASSWORD), None).await.unwrap();
    }
    let all = by(&accounts, "root");
    let own = Scope { people: People::Only("op".into()), ..Scope::all() };
    let own = Context::new(all.principal.clone(), own);
    let list = async |cx: &Context| {
        let list = ManagerAccountCollectionApi::get(&*accounts, cx, ACCOUNTS).await.unwrap();
        let sessions = SessionCollectionApi::get(&*accounts, cx, SESSIONS).await.unwrap();
        let (list, sessions) = (shown(&list), shown(&sessions));
        let counts = (&list["Members@odata.count"], &sessions["Members@odata.count"]);
        assert_eq!(counts, (&json!(members(&list).len()), &json!(members(&sessions).len())));
        let names: Vec<_> = members(&list).into_iter().map(str::to_owned).collect();
        (names, members(&sessions).len())
    };
    assert_eq!(list(&all).await, (vec!["eye".into(), "op".into(), "root".into()], 2));
    assert_eq!(list(&own).await, (vec!["op".into()], 1));
    let exists = |cx: &Context, id| ManagerAccountApi::exists(&*accounts, &cx.scope, &account(id));
    assert!(exists(&all, "root") && !exists(&all, "nobody"));
    assert!(exists(&own, "op") && !exists(&own, "root"));
    let sessions = accounts.sessions();
    let visible = sessions.iter().filter(|session| {
        let uri = SessionUri::SessionServiceSessions { session_id: session.id.clone() };
        SessionApi::exists(&*accounts, &own.scope, &uri)
    });
    assert_eq!(visible.count(), 1);
}

#[tokio::test]
async fn accounts_are_created_with_all_faults_told() {
    let accounts = accounts(config()).await;
    let cx = by(&accounts, "root");
    let check = async |body: ManagerAccountCreate, expect: Result<&str, Vec<&str>>| {
        let made = ManagerAccountCollectionApi::create(&*accounts, &cx, ACCOUNTS, body).await;
        match (made, expect) {
            (Ok(reply), Ok(id)) => assert_eq!(shown(&done(reply))["Id"], *id),
            (Err(error), Err(ids)) => assert_eq!(told(&error), (400, ids)),
            (made, expect) => panic!("{made:?} instead of {expect:?}"),
        }
    };
    let new = |name: &str, password: &str, role: &str| ManagerAccountCreate {
        user_name: name.into(),
        password: password.into(),
        role_id: role.into(),
        ..ManagerAccountCreate::default()
    };
    check(new("new", PASSWORD, "ReadOnly"), Ok("new")).await;
    check(new("new", PASSWORD, "ReadOnly"), Err(vec!["ResourceAlreadyExists"])).await;
    check(new("me@home", PASSWORD, "ReadOnly"), Ok("me-home")).await;
    check(new("me-home", PASSWORD, "ReadOnly"), Ok("me-home-2")).await;
    check(new("Members", PASSWORD, "ReadOnly"), Ok("Members-2")).await;
    check(ManagerAccountCreate::default(), Err(vec!["PropertyMissing"; 3])).await;
    let three = ["PropertyValueFormatError", "PasswordIncorrectLength", "PropertyValueNotInList"];
    check(new("a:b", "x", "Boss"), Err(three.to_vec())).await;
    let body = |types: &[AccountTypes]| ManagerAccountCreate {
        account_types: Field::Value(types.iter().cloned().map(Some).collect()),
        ..new("typed", PASSWORD, "ReadOnly")
    };
    check(body(&[]), Err(vec!["ArraySizeTooShort"])).await;
    check(body(&[AccountTypes::SNMP]), Err(vec!["PropertyValueNotInList"])).await;
    check(body(&[AccountTypes::KVMIP]), Ok("typed")).await;
    let body = ManagerAccountCreate {
        enabled: false.into(),
        password_change_required: true.into(),
        ..new("later", PASSWORD, "ReadOnly")
    };
    let made = ManagerAccountCollectionApi::create(&*accounts, &cx, ACCOUNTS, body).await.unwrap();
    let made = shown(&done(made));
    assert_eq!((&made["Enabled"], &made["PasswordChangeRequired"]), (&json!(false), &json!(true)));
    assert_eq!(made["AccountTypes"], json!(["Redfish"]));
}

#[tokio::test]
async fn accounts_are_patched() {
    let none = ManagerAccountPatch::default;
    let check = async |body: ManagerAccountPatch, expect: Result<(&str, Value), Vec<&str>>| {
        let accounts = accounts(config()).await;
        match (patch(&accounts, "root", "op", body).await, expect) {
            (Ok(value), Ok((name, expect))) => assert_eq!(value[name], expect),
            (Err(error), Err(ids)) => assert_eq!(told(&error), (400, ids)),
            (done, expect) => panic!("{done:?} instead of {expect:?}"),
        }
    };
    check(none(), Ok(("UserName", json!("op")))).await;
    check(ManagerAccountPatch { user_name: "op".into(), ..none() }, Ok(("Id", json!("op")))).await;
    check(
        ManagerAccountPatch { role_id: "ReadOnly".into(), ..none() },
        Ok(("RoleId", json!("ReadOnly"))),
    )
    .await;
    check(ManagerAccountPatch { user_name: "op2".into(), ..none() }, Ok(("Id", json!("op")))).await;
    check(
        ManagerAccountPatch { user_name: "op2".into(), ..none() },
        Ok(("UserName", json!("op2"))),
    )
    .await;
    check(ManagerAccountPatch { enabled: false.into(), ..none() }, Ok(("Enabled", json!(false))))
        .await;
    check(
        ManagerAccountPatch { password_change_required: true.into(), ..none() },
        Ok(("PasswordChangeRequired", json!(true))),
    )
    .await;
    check(ManagerAccountPatch { locked: false.into(), ..none() }, Ok(("Locked", json!(false))))
        .await;
    let refused = |body, id| check(body, Err(vec![id]));
    refused(ManagerAccountPatch { locked: true.into(), ..none() }, "PropertyValueNotInList").await;
    refused(ManagerAccountPatch { role_id: "Boss".into(), ..none() }, "PropertyValueNotInList")
        .await;
    refused(ManagerAccountPatch { user_name: "eye".into(), ..none() }, "ResourceAlreadyExists")
        .await;
    refused(ManagerAccountPatch { user_name: "".into(), ..none() }, "PropertyValueFormatError")
        .await;
    refused(ManagerAccountPatch { password: Field::Null, ..none() }, "PropertyValueError").await;
    refused(ManagerAccountPatch { password: "x".into(), ..none() }, "PasswordIncorrectLength")
        .await;
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let accounts = accounts(config()).await;
    let none = ManagerAccountPatch::default;
    let bodies = || {
        [
            ManagerAccountPatch { enabled: false.into(), ..none() },
            ManagerAccountPatch { role_id: "Operator".into(), ..none() },
            ManagerAccountPatch {
                account_types: Field::Value(vec![Some(AccountTypes::KVMIP)]),
                ..none()
            },
        ]
    };
    for body in bodies() {
        let error = patch(&accounts, "root", "root", body).await.unwrap_err();
        assert_eq!(told(&error), (400, vec!["PropertyValueError"]));
    }
    let cx = by(&accounts, "root");
    let error = ManagerAccountApi::delete(&*accounts, &cx, account("root")).await.unwrap_err();
    assert_eq!(told(&error), (403, vec!["ResourceCannotBeDeleted"]));
    accounts.create(NewAccount::new("boss", PASSWORD, "Administrator")).await.unwrap();
    let [disable, ..] = bodies();
    patch(&accounts, "root", "boss", disable.clone()).await.unwrap();
    patch(&accounts, "root", "root", disable.clone()).await.unwrap_err();
    patch(&accounts, "root", "boss", ManagerAccountPatch { enabled: true.into(), ..none() })
        .await
        .unwrap();
    patch(&accounts, "root", "root", disable).await.unwrap();
}

#[tokio::test]
async fn who_must_change_the_password_is_told_and_can() {
    let accounts = accounts(config()).await;
    let none = ManagerAccountPatch::default;
    let require = ManagerAccountPatch { password_change_required: true.into(), ..none() };
    patch(&accounts, "root", "op", require).await.unwrap();
    let login = async |password: &str| {
        let cx = Context::new(None, Scope::all());
        let body = SessionCreate::new(password, "op");
        SessionCollectionApi::create(&*accounts, &cx, SESSIONS, body).await.unwrap()
    };
    let reply = login(PASSWORD).await;
    let message = &reply.messages[0];
    assert_eq!(message.message_id(), Ok("Base.1.22.PasswordChangeRequired"));
    let uri = "/redfish/v1/AccountService/Accounts/op".to_owned();
    assert_eq!(message.message_args.value(), Some(&vec![uri]));
    // By another, it stays required.
    let password = |text: &str| ManagerAccountPatch { password: text.into(), ..none() };
    let value = patch(&accounts, "root", "op", password("new password")).await.unwrap();
    assert_eq!(value["PasswordChangeRequired"], true);
    assert_eq!(login("new password").await.messages.len(), 1);
    let value = patch(&accounts, "op", "op", password("own password")).await.unwrap();
    assert_eq!(value["PasswordChangeRequired"], false);
    assert!(login("own password").await.messages.is_empty());
}

#[tokio::test]
async fn passwords_change_by_action() {
    let accounts = accounts(config()).await;
    let check = async |who: &str, id: &str, old: &str, new: &str, expect: Option<&str>| {
        let cx = by(&accounts, who);
        let body = ChangePasswordRequest::new(new, old);
        let done = ManagerAccountApi::change_password(&*accounts, &cx, account(id), body).await;
        match expect {
            None => drop(done.unwrap()),
            Some(message) => assert_eq!(told(&done.unwrap_err()), (400, vec![message])),
        }
    };
    let wrong = Some("ActionParameterValueError");
    check("root", "op", "wrong password", "new password", wrong).await;
    check("root", "op", PASSWORD, "short", Some("PasswordIncorrectLength")).await;
    check("root", "op", PASSWORD, "new password", None).await;
    check("root", "root", PASSWORD, "root password", None).await;
    check("root", "op", PASSWORD, "new password", wrong).await;
    accounts.log_in("op", &secret("new password"), None).await.unwrap();
    accounts.log_in("root", &secret("root password"), None).await.unwrap();
}

#[tokio::test]
async fn sessions_are_complete_and_tell_the_token_once() {
    let accounts = accounts(config()).await;
    let mut cx = Context::new(None, Scope::all());
    cx.client = Some("192.0.2.7:4711".parse().unwrap());
    let body = SessionCreate::new(PASSWORD, "op");
    let reply = SessionCollectionApi::create(&*accounts, &cx, SESSIONS, body).await.unwrap();
    let header = reply.headers["x-auth-token"].clone();
    let token = header.to_str().unwrap();
    assert!(header.is_sensitive() && reply.messages.is_empty());
    let value = shown(&done(reply));
    let id = value["Id"].as_str().unwrap();
    let expect = json!({
        "@odata.id": format!("/redfish/v1/SessionService/Sessions/{id}"),
        "@odata.type": "#Session.v1_8_0.Session",
        "Id": id,
        "Name": "Session",
        "UserName": "op",
        "Password": null,
        "Roles": ["Operator"],
        "SessionType": "Redfish",
        "ClientOriginIPAddress": "192.0.2.7",
        "CreatedTime": "1970-01-12T13:46:40Z",
    });
    assert_eq!(value, expect);
    let uri = || SessionUri::SessionServiceSessions { session_id: id.into() };
    let again = SessionApi::get(&*accounts, &cx, uri()).await.unwrap();
    assert_eq!(shown(&again), expect);
    accounts.principal_of_token(token).unwrap();
    SessionApi::delete(&*accounts, &cx, uri()).await.unwrap();
    assert!(!SessionApi::exists(&*accounts, &cx.scope, &uri()));
    accounts.principal_of_token(token).unwrap_err();
    let check = async |body: SessionCreate, expect: (u16, Vec<&str>)| {
        let made = SessionCollectionApi::create(&*accounts, &cx, SESSIONS, body).await;
        assert_eq!(told(&made.unwrap_err()), expect);
    };
    check(SessionCreate::default(), (400, vec!["PropertyMissing"; 2])).await;
    check(SessionCreate::new("wrong password", "op"), (401, vec!["NoValidSession"])).await;
    check(SessionCreate::new(PASSWORD, "nobody"), (401, vec!["NoValidSession"])).await;
}

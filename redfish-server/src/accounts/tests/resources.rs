//! What clients see and what their writes do, through the generated traits.

use redfish_model::account_service::{AccountServicePatch, BasicAuthState};
use redfish_model::manager_account::{
    ChangePasswordRequest, ManagerAccountCreate, ManagerAccountPatch,
};
use redfish_model::privileges::PrivilegeType;
use redfish_model::role::{RoleCreate, RolePatch};
use redfish_model::session::SessionCreate;
use redfish_model::session_service::SessionServicePatch;
use redfish_model::{
    AccountServiceUri, Field, ManagerAccountCollectionUri, ManagerAccountUri, Object, Resource,
    RoleCollectionUri, RoleUri, SessionCollectionUri, SessionServiceUri, SessionUri,
    to_value_strict,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::*;
use crate::api::account_service::AccountServiceApi;
use crate::api::manager_account::{ManagerAccountApi, ManagerAccountCollectionApi};
use crate::api::role::{RoleApi, RoleCollectionApi};
use crate::api::session::{SessionApi, SessionCollectionApi};
use crate::api::session_service::SessionServiceApi;
use crate::context::People;
use crate::mount::{Reply, State};

const SERVICE: AccountServiceUri = AccountServiceUri::AccountService;
const ACCOUNTS: ManagerAccountCollectionUri = ManagerAccountCollectionUri::AccountServiceAccounts;
const ROLES: RoleCollectionUri = RoleCollectionUri::AccountServiceRoles;
const SESSIONS: SessionCollectionUri = SessionCollectionUri::SessionServiceSessions;

fn account(id: &str) -> ManagerAccountUri {
    ManagerAccountUri::AccountServiceAccounts { manager_account_id: id.into() }
}

fn role(id: &str) -> RoleUri {
    RoleUri::AccountServiceRoles { role_id: id.into() }
}

/// As JSON, with everything that the schema requires.
fn shown<T: Resource + Object + Serialize>(resource: &T) -> Value {
    to_value_strict(resource).unwrap()
}

fn done<T>(reply: Reply<T>) -> T {
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

fn members(value: &Value) -> Vec<&str> {
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

#[tokio::test]
async fn roles() {
    let accounts = accounts(config()).await;
    let cx = by(&accounts, "root");
    let show = async |id: &str| {
        RoleApi::get(&*accounts, &cx, role(id))
            .await
            .map(|role| shown(&role))
            .map_err(|error| told(&error).0)
    };
    let check = async |id: &str, expect: &[&str]| {
        let value = show(id).await.unwrap();
        let privileges = value["AssignedPrivileges"].as_array().unwrap().clone();
        let mut privileges: Vec<_> = privileges.iter().map(|p| p.as_str().unwrap()).collect();
        privileges.sort_unstable();
        assert_eq!(privileges, expect, "{id}");
        assert_eq!((&value["RoleId"], &value["Id"]), (&json!(id), &json!(id)));
    };
    let all =
        ["ConfigureComponents", "ConfigureManager", "ConfigureSelf", "ConfigureUsers", "Login"];
    check("Administrator", &all).await;
    check("Operator", &["ConfigureComponents", "ConfigureSelf", "Login"]).await;
    check("ReadOnly", &["ConfigureSelf", "Login"]).await;
    assert_eq!(show("None").await, Err(404));

    let assigned = |privileges: &[PrivilegeType]| Field::Value(privileges.to_vec());
    let make = async |id: &str, privileges: &[PrivilegeType]| {
        let body = RoleCreate { assigned_privileges: assigned(privileges), ..RoleCreate::new(id) };
        RoleCollectionApi::create(&*accounts, &cx, ROLES, body).await
    };
    let made = shown(&done(make("Media", &[PrivilegeType::Login]).await.unwrap()));
    assert_eq!(made["IsPredefined"], false);
    let refused = |done: crate::Result<Reply<redfish_model::Role>>, id: &str| {
        assert_eq!(told(&done.unwrap_err()), (400, vec![id]));
    };
    refused(make("Media", &[]).await, "ResourceAlreadyExists");
    refused(make("Operator", &[]).await, "ResourceAlreadyExists");
    refused(make("a/b", &[]).await, "PropertyValueFormatError");
    refused(make("New", &[PrivilegeType::NoAuth]).await, "PropertyValueNotInList");
    let patched = async |id: &str, privilege: PrivilegeType| {
        let assigned_privileges = Field::Value(vec![Some(privilege)]);
        let body = RolePatch { assigned_privileges, ..RolePatch::default() };
        RoleApi::patch(&*accounts, &cx, role(id), body).await
    };
    refused(patched("ReadOnly", PrivilegeType::ConfigureUsers).await, "PropertyNotWritable");
    check("ReadOnly", &["ConfigureSelf", "Login"]).await;

    // A change reaches those who have the role.
    accounts.create(NewAccount::new("m", PASSWORD, "Media")).await.unwrap();
    let opened = accounts.log_in("m", &secret(PASSWORD), None).await.unwrap();
    patched("Media", PrivilegeType::ConfigureSelf).await.unwrap();
    let principal = accounts.principal_of_token(opened.token.expose()).unwrap();
    assert_eq!(
        principal.privileges.iter().map(|p| p.as_str()).collect::<Vec<_>>(),
        ["ConfigureSelf"]
    );
    let remove = async |id: &str| match RoleApi::delete(&*accounts, &cx, role(id)).await {
        Ok(_) => 204,
        Err(error) => told(&error).0,
    };
    assert_eq!(remove("Media").await, 409);
    accounts.remove("m").await.unwrap();
    assert_eq!(remove("Media").await, 204);
    assert_eq!(remove("Operator").await, 403);
    let list = RoleCollectionApi::get(&*accounts, &cx, ROLES).await.unwrap();
    assert_eq!(members(&shown(&list)), ["Administrator", "Operator", "ReadOnly"]);
}

#[tokio::test]
async fn settings_have_one_owner() {
    let pinned = Options { min_password_length: Some(10), ..Options::default() };
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let pinned = Config { options: pinned, ..config() };
    let accounts = opened(&store, pinned.clone()).await;
    let cx = Context::new(None, Scope::all());
    let patch = async |body: AccountServicePatch| {
        let reply = AccountServiceApi::patch(&*accounts, &cx, SERVICE, body).await?;
        let messages = reply.messages.len();
        Ok::<_, Error>((shown(&done(reply)), messages))
    };
    let none = AccountServicePatch::default;
    let (value, _) = patch(none()).await.unwrap();
    let shown_before = [
        ("AccountLockoutThreshold", json!(10)),
        ("AccountLockoutDuration", json!(300)),
        ("AccountLockoutCounterResetAfter", json!(300)),
        ("MinPasswordLength", json!(10)),
        ("MaxPasswordLength", json!(128)),
        ("HTTPBasicAuth", json!("Enabled")),
        ("SupportedAccountTypes", json!(["Redfish", "KVMIP"])),
    ];
    for (name, expect) in shown_before {
        assert_eq!(value[name], expect, "{name}");
    }
    let body = AccountServicePatch {
        account_lockout_threshold: 4.into(),
        http_basic_auth: BasicAuthState::Disabled.into(),
        min_password_length: 9.into(),
        ..none()
    };
    let (value, messages) = patch(body).await.unwrap();
    assert_eq!((&value["AccountLockoutThreshold"], messages), (&json!(4), 1));
    assert_eq!(
        (&value["MinPasswordLength"], &value["HTTPBasicAuth"]),
        (&json!(10), &json!("Disabled"))
    );
    let refused = async |body: AccountServicePatch, id: &str| {
        assert_eq!(told(&patch(body).await.unwrap_err()), (400, vec![id]));
    };
    refused(AccountServicePatch { min_password_length: 9.into(), ..none() }, "PropertyNotWritable")
        .await;
    refused(
        AccountServicePatch { account_lockout_threshold: (1i64 << 40).into(), ..none() },
        "PropertyValueOutOfRange",
    )
    .await;
    refused(
        AccountServicePatch { account_lockout_duration: 10.into(), ..none() },
        "PropertyValueConflict",
    )
    .await;
    refused(
        AccountServicePatch { http_basic_auth: BasicAuthState::Unadvertised.into(), ..none() },
        "PropertyValueNotInList",
    )
    .await;
    // What is refused leaves everything, and what was taken outlives a restart.
    let again = opened(&store, pinned).await;
    assert_eq!(again.rules(), accounts.rules());
    assert_eq!(again.rules().account_lockout_threshold, 4);
    again.reload_options(Options { account_lockout_threshold: Some(7), ..Options::default() });
    assert_eq!(
        (again.rules().account_lockout_threshold, again.rules().min_password_length),
        (7, 8)
    );
    let (value, _) =
        patch(AccountServicePatch { account_lockout_threshold: Field::Null, ..none() })
            .await
            .unwrap();
    assert_eq!(value["AccountLockoutThreshold"], 10);
}

#[tokio::test]
async fn session_timeouts_are_set() {
    let accounts = accounts(config()).await;
    let cx = by(&accounts, "root");
    let uri = SessionServiceUri::SessionService;
    let body = SessionServicePatch {
        session_timeout: 60.into(),
        absolute_session_timeout: 120.into(),
        absolute_session_timeout_enabled: true.into(),
        ..SessionServicePatch::default()
    };
    let reply = SessionServiceApi::patch(&*accounts, &cx, uri, body).await.unwrap();
    let value = shown(&done(reply));
    assert_eq!(
        (&value["SessionTimeout"], &value["AbsoluteSessionTimeout"]),
        (&json!(60), &json!(120))
    );
    assert_eq!(value["Sessions"], json!({"@odata.id": "/redfish/v1/SessionService/Sessions"}));
    let opened = accounts.log_in("op", &secret(PASSWORD), None).await.unwrap();
    let session = SessionUri::SessionServiceSessions { session_id: opened.session.id.clone() };
    let session = shown(&SessionApi::get(&*accounts, &cx, session).await.unwrap());
    assert_eq!(session["ExpirationTime"], "1970-01-12T13:48:40Z");
}

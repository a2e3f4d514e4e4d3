//! Roles, and the settings of both services.

use redfish_model::account_service::{AccountServicePatch, BasicAuthState};
use redfish_model::privileges::PrivilegeType;
use redfish_model::role::{RoleCreate, RolePatch};
use redfish_model::session_service::SessionServicePatch;
use redfish_model::{
    AccountServiceUri, Field, RoleCollectionUri, RoleUri, SessionServiceUri, SessionUri,
};
use serde_json::json;

use super::resources::{done, members, shown};
use super::*;
use crate::api::account_service::AccountServiceApi;
use crate::api::role::{RoleApi, RoleCollectionApi};
use crate::api::session::SessionApi;
use crate::api::session_service::SessionServiceApi;
use crate::mount::Reply;

const SERVICE: AccountServiceUri = AccountServiceUri::AccountService;
const ROLES: RoleCollectionUri = RoleCollectionUri::AccountServiceRoles;

fn role(id: &str) -> RoleUri {
    RoleUri::AccountServiceRoles { role_id: id.into() }
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

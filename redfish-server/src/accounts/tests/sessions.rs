//! How sessions begin, last and end.

use std::time::Duration;

use super::super::{AccountChange, Opened};
use super::*;
use crate::store::{Expect, Kind};

async fn open(accounts: &Accounts, name: &str) -> Opened {
    accounts.log_in(name, &secret(PASSWORD), at("192.0.2.1")).await.unwrap()
}

fn works(accounts: &Accounts, opened: &Opened) -> bool {
    accounts.principal_of_token(opened.token.expose()).is_ok()
}

async fn wait(seconds: u64) {
    tokio::time::advance(Duration::from_secs(seconds)).await;
}

#[tokio::test]
async fn tokens_are_random_and_not_kept() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let accounts = opened(&store, config()).await;
    accounts.create(NewAccount::new("root", PASSWORD, "Administrator")).await.unwrap();
    let (one, two) = (open(&accounts, "root").await, open(&accounts, "root").await);
    assert!(one.token.expose().len() == 43 && one.token != two.token);
    let url_safe = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    assert!(one.token.expose().chars().all(url_safe));
    let dump = store.export().await.unwrap().to_text().unwrap();
    assert!(dump.contains(&one.session.id) && !dump.contains(one.token.expose()));
    assert!(!format!("{one:?}").contains(one.token.expose()));
    let principal = accounts.principal_of_token(one.token.expose()).unwrap();
    assert_eq!(principal.session.as_deref(), Some(&*one.session.id));
    assert_eq!((&*principal.account, &*principal.role), ("root", "Administrator"));
    assert_eq!(principal.privileges.len(), 5);
    for wrong in ["", "x", &one.token.expose()[1..], &one.session.id] {
        assert_eq!(accounts.principal_of_token(wrong).unwrap_err().status.as_u16(), 401);
    }
}

#[tokio::test]
async fn the_whole_hash_of_a_token_counts() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let accounts = opened(&store, config()).await;
    accounts.create(NewAccount::new("root", PASSWORD, "Administrator")).await.unwrap();
    let session = open(&accounts, "root").await;
    // Another token whose hash begins alike: the last digit of what is kept differs.
    let record = store.load(Kind::Session).await.unwrap().remove(0);
    let mut content: serde_json::Value = serde_json::from_slice(&record.bytes).unwrap();
    let hash = content["token"].as_str().unwrap();
    let (start, last) = hash.split_at(63);
    content["token"] = format!("{start}{}", if last == "0" { "1" } else { "0" }).into();
    let bytes = serde_json::to_vec(&content).unwrap();
    store.put(Kind::Session, &record.id, bytes, Expect::Any).await.unwrap();
    let again = opened(&store, config()).await;
    assert!(again.session(&session.session.id).is_some() && !works(&again, &session));
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_end() {
    let accounts = with_options(Options { session_timeout: Some(60), ..Options::default() }).await;
    let (used, idle) = (open(&accounts, "root").await, open(&accounts, "root").await);
    for _ in 0..3 {
        wait(59).await;
        assert!(works(&accounts, &used));
    }
    assert!(!works(&accounts, &idle) && accounts.session(&idle.session.id).is_none());
    assert_eq!(accounts.sessions().len(), 1);
    wait(60).await;
    assert!(!works(&accounts, &used));
    accounts.sweep(1, 15).await.unwrap();
    assert_eq!(accounts.sessions.len(), 1);
    accounts.sweep(usize::MAX, 15).await.unwrap();
    assert_eq!(accounts.sessions.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn sessions_have_an_absolute_end() {
    let accounts = with_options(Options {
        session_timeout: Some(60),
        absolute_session_timeout: Some(100),
        absolute_session_timeout_enabled: Some(true),
        ..Options::default()
    })
    .await;
    let session = open(&accounts, "root").await;
    wait(59).await;
    assert!(works(&accounts, &session));
    wait(40).await;
    assert!(works(&accounts, &session));
    wait(1).await;
    assert!(!works(&accounts, &session));
}

#[tokio::test(start_paused = true)]
async fn sessions_outlive_a_restart() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let options = Options { session_timeout: Some(60), ..Options::default() };
    let config = Config { options, ..config() };
    let accounts = opened(&store, config.clone()).await;
    accounts.create(NewAccount::new("root", PASSWORD, "Administrator")).await.unwrap();
    let (used, idle) = (open(&accounts, "root").await, open(&accounts, "root").await);
    let (revision, version) = (used.session.revision, accounts.sessions.version());
    // Use alone writes nothing, and a sweep only what has moved far.
    wait(10).await;
    assert!(works(&accounts, &used));
    accounts.sweep(usize::MAX, 15).await.unwrap();
    assert_eq!(accounts.sessions.version(), version);
    wait(40).await;
    assert!(works(&accounts, &used));
    accounts.sweep(usize::MAX, 15).await.unwrap();
    assert_eq!(accounts.sessions.version(), version + 1);
    assert!(accounts.session(&used.session.id).unwrap().revision > revision);
    wait(5).await;
    assert!(works(&accounts, &used));
    accounts.flush().await.unwrap();
    drop(accounts);
    let accounts = opened(&store, config).await;
    wait(59).await;
    assert!(works(&accounts, &used) && !works(&accounts, &idle));
}

#[tokio::test]
async fn what_ends_the_sessions_of_an_account() {
    let check = async |change: AccountChange, ends: bool| {
        let accounts = accounts(config()).await;
        let (other, session) = (open(&accounts, "root").await, open(&accounts, "op").await);
        accounts.change("op", change.clone(), None).await.unwrap();
        assert_eq!(!works(&accounts, &session), ends, "{change:?}");
        assert_eq!(accounts.session(&session.session.id).is_none(), ends, "{change:?}");
        assert!(works(&accounts, &other));
    };
    let none = AccountChange::default;
    check(AccountChange { enabled: Some(false), ..none() }, true).await;
    check(AccountChange { role: Some("ReadOnly".into()), ..none() }, true).await;
    check(AccountChange { password: Some(secret("another password")), ..none() }, true).await;
    check(AccountChange { account_types: Some(vec![AccountTypes::KVMIP]), ..none() }, true).await;
    check(AccountChange { user_name: Some("op2".into()), ..none() }, false).await;
    check(AccountChange { password_change_required: Some(true), ..none() }, false).await;
    check(AccountChange { enabled: Some(true), ..none() }, false).await;
    check(AccountChange { role: Some("Operator".into()), ..none() }, false).await;
}

#[tokio::test]
async fn a_new_account_of_the_same_name_has_no_old_sessions() {
    let accounts = accounts(config()).await;
    let session = open(&accounts, "op").await;
    accounts.remove("op").await.unwrap();
    assert!(!works(&accounts, &session));
    accounts.create(NewAccount::new("op", PASSWORD, "Administrator")).await.unwrap();
    assert!(!works(&accounts, &session));
    accounts.sweep(usize::MAX, 15).await.unwrap();
    assert_eq!(accounts.sessions.len(), 0);
}

#[tokio::test]
async fn who_changes_their_password_goes_on() {
    let accounts = accounts(config()).await;
    let (one, two) = (open(&accounts, "op").await, open(&accounts, "op").await);
    let principal = accounts.principal_of_token(one.token.expose()).unwrap();
    let password = Some(secret("another password"));
    let change = AccountChange { password, ..AccountChange::default() };
    accounts.change("op", change, Some(&principal)).await.unwrap();
    assert!(works(&accounts, &one) && !works(&accounts, &two));
}

#[tokio::test]
async fn changes_reach_open_sessions() {
    let accounts = accounts(config()).await;
    let session = open(&accounts, "op").await;
    let principal = || accounts.principal_of_token(session.token.expose()).unwrap();
    assert!(Arc::ptr_eq(&principal(), &principal()) && !principal().must_change_password);
    let required = AccountChange { password_change_required: Some(true), ..Default::default() };
    accounts.change("op", required, None).await.unwrap();
    assert!(principal().must_change_password);
}

#[tokio::test(start_paused = true)]
async fn sessions_are_limited() {
    let config = Config { max_sessions: 5, max_sessions_per_account: 3, ..config() };
    let accounts = accounts(config).await;
    let opens = async |name: &str, expect: bool| {
        let done = accounts.log_in(name, &secret(PASSWORD), None).await;
        if let Err(error) = &done {
            assert_eq!(told(error), (503, vec!["SessionLimitExceeded"]));
        }
        assert_eq!(done.is_ok(), expect, "{name}");
        done.ok()
    };
    let one = opens("root", true).await.unwrap();
    opens("root", true).await;
    opens("root", true).await;
    opens("root", false).await;
    opens("op", true).await;
    opens("eye", true).await;
    opens("eye", false).await;
    accounts.log_out(&one.session.id).await.unwrap();
    opens("eye", true).await;
    opens("op", false).await;
    // Those that are over do not count.
    wait(1800).await;
    opens("root", true).await;
}

#[tokio::test]
async fn an_account_without_redfish_opens_none() {
    let accounts = accounts(config()).await;
    let account_types = Some(vec![AccountTypes::KVMIP]);
    let change = AccountChange { account_types, ..AccountChange::default() };
    accounts.change("op", change, None).await.unwrap();
    let error = accounts.log_in("op", &secret(PASSWORD), None).await.unwrap_err();
    assert_eq!(error.status.as_u16(), 401);
    assert!(accounts.may_use("op", &AccountTypes::KVMIP));
    assert!(!accounts.may_use("eye", &AccountTypes::KVMIP));
    assert!(accounts.may_use("root", &AccountTypes::KVMIP));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold_for_logins_at_once() {
    let accounts = accounts(Config { max_sessions_per_account: 3, ..config() }).await;
    let logins = (0..8).map(|_| {
        let accounts = accounts.clone();
        tokio::spawn(async move { accounts.log_in("op", &secret(PASSWORD), None).await.is_ok() })
    });
    let done = futures_util::future::join_all(logins).await;
    assert_eq!(done.into_iter().filter(|done| *done.as_ref().unwrap()).count(), 3);
}

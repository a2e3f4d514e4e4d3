//! Passwords that are right, wrong, remembered and guessed.

use std::time::Duration;

use super::super::AccountChange;
use super::*;

async fn login(accounts: &Accounts, name: &str, password: &str, source: Option<IpAddr>) -> u16 {
    match accounts.verify(name, password, source).await {
        Ok(_) => 200,
        Err(error) => error.status.as_u16(),
    }
}

#[tokio::test]
async fn right_and_wrong_passwords() {
    let accounts = accounts(config()).await;
    let disable = AccountChange { enabled: Some(false), ..AccountChange::default() };
    accounts.change("op", disable, None).await.unwrap();
    let check = async |name: &str, password: &str, expect: u16| {
        assert_eq!(login(&accounts, name, password, None).await, expect, "{name} {password}");
    };
    check("root", PASSWORD, 200).await;
    check("root", "Correct horse", 401).await;
    check("root", "", 401).await;
    check("Root", PASSWORD, 401).await;
    check("op", PASSWORD, 401).await;
    check("nobody", PASSWORD, 401).await;
    check("nobody", "", 401).await;
    check("", "", 401).await;
    check("root", &"x".repeat(100_000), 401).await;
    check(&"x".repeat(100_000), PASSWORD, 401).await;
}

#[tokio::test]
async fn unknown_users_cost_what_known_ones_cost() {
    let accounts = accounts(config()).await;
    let disable = AccountChange { enabled: Some(false), ..AccountChange::default() };
    accounts.change("op", disable, None).await.unwrap();
    let check = async |name: &str, password: &str| {
        let before = accounts.hasher.computed();
        assert_eq!(login(&accounts, name, password, None).await, 401);
        assert_eq!(accounts.hasher.computed() - before, 1, "{name}");
    };
    check("root", "wrong password").await;
    check("op", PASSWORD).await;
    check("nobody", "wrong password").await;
    check("no:name", "wrong password").await;
    check("", "").await;
    check("root", &"x".repeat(100_000)).await;
    // The hash of nobody is of the cost of all others.
    let head = |hash: &str| hash.split('$').take(4).collect::<Vec<_>>().join("$");
    let root = accounts.account("root").unwrap();
    assert_eq!(head(root.value.password.expose()), head(accounts.hasher.nobody.expose()));
}

#[tokio::test]
async fn right_passwords_are_remembered_until_something_changes() {
    let accounts = accounts(config()).await;
    let hashes = async |password: &str, expect: u16| {
        let before = accounts.hasher.computed();
        assert_eq!(login(&accounts, "op", password, None).await, expect);
        accounts.hasher.computed() - before
    };
    assert_eq!(hashes(PASSWORD, 200).await, 1);
    assert_eq!(hashes(PASSWORD, 200).await, 0);
    assert_eq!(hashes("wrong password", 401).await, 1);
    assert_eq!(hashes(PASSWORD, 200).await, 0);
    // Of another account.
    accounts.create(NewAccount::new("new", PASSWORD, "ReadOnly")).await.unwrap();
    assert_eq!(hashes(PASSWORD, 200).await, 1);
    let password = Some(secret("another password"));
    let change = AccountChange { password, ..AccountChange::default() };
    accounts.change("op", change, None).await.unwrap();
    assert_eq!(hashes(PASSWORD, 401).await, 1);
    assert_eq!(hashes("another password", 200).await, 1);
    let role = Some("ReadOnly".to_owned());
    accounts.change("op", AccountChange { role, ..AccountChange::default() }, None).await.unwrap();
    let identity = accounts.verify("op", "another password", None).await.unwrap();
    assert_eq!(identity.principal.role, "ReadOnly");
    accounts.remove("op").await.unwrap();
    assert_eq!(hashes("another password", 401).await, 1);
}

#[tokio::test(start_paused = true)]
async fn guessing_locks_the_source_and_not_the_owner() {
    let options = Options {
        account_lockout_threshold: Some(3),
        account_lockout_duration: Some(60),
        account_lockout_counter_reset_after: Some(30),
        ..Options::default()
    };
    let accounts = with_options(options).await;
    let (owner, thief) = (at("192.0.2.1"), at("192.0.2.66"));
    let check = async |password: &str, source: Option<IpAddr>, expect: u16| {
        assert_eq!(login(&accounts, "root", password, source).await, expect, "{password}");
    };
    check(PASSWORD, owner, 200).await;
    for _ in 0..3 {
        check("wrong password", thief, 401).await;
    }
    // Locked: not even what is right and remembered gets through, and nothing is computed.
    let before = accounts.hasher.computed();
    check(PASSWORD, thief, 401).await;
    check("wrong password", thief, 401).await;
    assert_eq!(accounts.hasher.computed(), before);
    check(PASSWORD, owner, 200).await;
    assert!(accounts.lockouts.is_locked_anywhere("root"));
    tokio::time::advance(Duration::from_secs(60)).await;
    check(PASSWORD, thief, 200).await;
    // What is right starts the count anew, if it was looked at and not remembered.
    let twice = async || {
        check("wrong password", thief, 401).await;
        check("wrong password", thief, 401).await;
    };
    twice().await;
    accounts.create(NewAccount::new("new", PASSWORD, "ReadOnly")).await.unwrap();
    check(PASSWORD, thief, 200).await;
    twice().await;
    check(PASSWORD, thief, 200).await;
    check("wrong password", thief, 401).await;
    check(PASSWORD, thief, 401).await;
}

#[tokio::test]
async fn passwords_have_a_length() {
    let options = Options {
        min_password_length: Some(8),
        max_password_length: Some(16),
        ..Options::default()
    };
    let accounts = with_options(options).await;
    let check = async |password: &str, expect: bool| {
        let change = AccountChange { password: Some(secret(password)), ..AccountChange::default() };
        let done = accounts.change("op", change, None).await;
        let done = done.map(|_| ()).map_err(|error| {
            assert_eq!(told(&error), (400, vec!["PasswordIncorrectLength"]));
            assert!(password.is_empty() || !format!("{error:?}").contains(password));
        });
        assert_eq!(done.is_ok(), expect, "{password}");
    };
    check("", false).await;
    check("1234567", false).await;
    check("12345678", true).await;
    check("äöüäöüäö", true).await;
    check(&"x".repeat(16), true).await;
    check(&"x".repeat(17), false).await;
    check(&"x".repeat(1_000_000), false).await;
}

//! Accounts of the configuration, and the first start.

use super::super::{
    AccountChange, Bootstrap, ConfiguredAccount, ConfiguredPassword, Origin, is_password_hash,
};
use super::*;
use crate::context::Machines;

fn plain(name: &str, password: &str) -> ConfiguredAccount {
    ConfiguredAccount::new(name, ConfiguredPassword::Plain(secret(password)), "Operator")
}

async fn empty() -> (Arc<dyn Store>, Arc<Accounts>) {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let accounts = opened(&store, config()).await;
    (store, accounts)
}

#[tokio::test]
async fn the_first_start_makes_an_administrator() {
    let (store, accounts) = empty().await;
    let Bootstrap::Created { user_name, password: Some(password) } =
        accounts.bootstrap(None).await.unwrap()
    else {
        panic!("an account with a generated password");
    };
    assert_eq!((&*user_name, password.expose().len()), ("admin", 24));
    accounts.log_in("admin", &password, None).await.unwrap();
    assert!(accounts.account("admin").unwrap().value.is_administrator());
    // Neither again nor with another password, nor when it is disabled.
    let again = opened(&store, config()).await;
    for given in [None, Some(secret(PASSWORD))] {
        assert!(matches!(again.bootstrap(given).await.unwrap(), Bootstrap::Existing));
    }
    assert!(again.log_in("admin", &password, None).await.is_ok());
}

#[tokio::test]
async fn the_first_password_can_be_given() {
    let check = async |given: &str, expect: bool| {
        let (_, accounts) = empty().await;
        let made = accounts.bootstrap(Some(secret(given))).await;
        assert_eq!(matches!(made, Ok(Bootstrap::Created { password: None, .. })), expect);
        assert_eq!(accounts.log_in("admin", &secret(given), None).await.is_ok(), expect);
    };
    check(PASSWORD, true).await;
    check("short", false).await;
}

#[tokio::test]
async fn configured_administrators_are_enough() {
    let (_, accounts) = empty().await;
    let boss = ConfiguredAccount { role: "Administrator".into(), ..plain("boss", PASSWORD) };
    accounts.configure(vec![boss]).await.unwrap();
    assert!(matches!(accounts.bootstrap(None).await.unwrap(), Bootstrap::Existing));
}

#[tokio::test]
async fn nonsense_is_refused_whole() {
    let (_, accounts) = empty().await;
    accounts.configure(vec![plain("old", PASSWORD)]).await.unwrap();
    let check = async |account: ConfiguredAccount, expect: &str| {
        let refused = accounts.check_configured(&[plain("a", "p"), account.clone()]).unwrap_err();
        assert!(refused.to_string().contains(expect), "{refused}");
        assert!(accounts.configure(vec![plain("a", "p"), account]).await.is_err());
        assert!(accounts.account("a").is_none() && accounts.account("old").is_some());
    };
    let hash = |text: &str| ConfiguredPassword::Hash(secret(text));
    check(plain("a b", "p"), "a name has").await;
    check(plain("a", "p"), "two of that name").await;
    check(ConfiguredAccount { role: "Boss".into(), ..plain("b", "p") }, "no such role").await;
    check(plain("b", ""), "empty").await;
    check(ConfiguredAccount { password: hash("hunter2"), ..plain("b", "") }, "PHC").await;
    check(ConfiguredAccount { view: true, ..plain("b", "p") }, "one machine").await;
    let account_types = Some(vec![AccountTypes::SNMP]);
    check(ConfiguredAccount { account_types, ..plain("b", "p") }, "not supported").await;
}

#[tokio::test]
async fn reloads_change_what_changed() {
    let (store, accounts) = empty().await;
    let scoped = || ConfiguredAccount {
        machines: Some(vec!["vm1".into()]),
        view: true,
        ..plain("scoped", PASSWORD)
    };
    accounts.configure(vec![plain("same", PASSWORD), scoped()]).await.unwrap();
    let session = async |accounts: &Accounts, name: &str| {
        let opened = accounts.log_in(name, &secret(PASSWORD), None).await.unwrap();
        opened.token.expose().clone()
    };
    let (same, other) = (session(&accounts, "same").await, session(&accounts, "scoped").await);
    let principal = accounts.principal_of_token(&other).unwrap();
    assert_eq!(principal.machines, Machines::Only(["vm1".to_owned()].into_iter().collect()));
    assert!(principal.view && !principal.is_unscoped());
    // A restart with the same configuration changes nothing.
    let again = opened(&store, config()).await;
    let version = again.accounts.version();
    again.configure(vec![plain("same", PASSWORD), scoped()]).await.unwrap();
    assert_eq!(again.accounts.version(), version);
    assert!(again.principal_of_token(&same).is_ok() && again.principal_of_token(&other).is_ok());
    // Another password, and an account that is gone.
    again.configure(vec![plain("same", "another password")]).await.unwrap();
    assert!(again.principal_of_token(&same).is_err() && again.principal_of_token(&other).is_err());
    assert!(again.account("scoped").is_none());
    again.log_in("same", &secret("another password"), None).await.unwrap();
}

#[tokio::test]
async fn the_configuration_takes_accounts_over_and_keeps_them() {
    let accounts = accounts(config()).await;
    let hash = accounts.account("eye").unwrap().value.password.clone();
    assert!(is_password_hash(hash.expose()));
    let mine =
        ConfiguredAccount { password: ConfiguredPassword::Hash(hash), ..plain("op", PASSWORD) };
    accounts.configure(vec![mine]).await.unwrap();
    assert_eq!(accounts.account("op").unwrap().value.origin, Origin::Configuration);
    // What clients made and the configuration does not name is theirs.
    assert_eq!(accounts.account("root").unwrap().value.origin, Origin::Redfish);
    accounts.log_in("op", &secret(PASSWORD), None).await.unwrap();
    let change = AccountChange {
        password: Some(secret("another password")),
        enabled: Some(false),
        ..AccountChange::default()
    };
    let error = accounts.change("op", change.clone(), None).await.unwrap_err();
    assert_eq!(told(&error), (400, vec!["PropertyNotWritable"; 2]));
    // A lock is no matter of the configuration.
    let unlock = AccountChange { unlock: true, ..change };
    assert_eq!(accounts.change("op", unlock, None).await.unwrap().1.len(), 2);
    let error = accounts.remove("op").await.unwrap_err();
    assert_eq!(told(&error), (403, vec!["ResourceCannotBeDeleted"]));
    accounts.log_in("op", &secret(PASSWORD), None).await.unwrap();
}

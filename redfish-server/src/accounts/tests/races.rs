//! Several at once: one wins, and the others are told so.

use std::collections::BTreeMap;

use futures_util::future::join_all;

use super::super::AccountChange;
use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_given_once() {
    let accounts = accounts(config()).await;
    let makers = (0..8).map(|_| {
        let accounts = accounts.clone();
        tokio::spawn(
            async move { accounts.create(NewAccount::new("new", PASSWORD, "ReadOnly")).await },
        )
    });
    let mut outcomes = BTreeMap::<String, usize>::new();
    for made in join_all(makers).await {
        let outcome = match made.unwrap() {
            Ok(_) => "201".to_owned(),
            Err(error) => format!("{:?}", told(&error)),
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    let expect = [("(400, [\"ResourceAlreadyExists\"])", 7), ("201", 1)];
    assert_eq!(outcomes.iter().map(|(k, v)| (&**k, *v)).collect::<Vec<_>>(), expect);
    assert_eq!(accounts.all().len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_account_stays_removed() {
    for _ in 0..20 {
        let accounts = accounts(config()).await;
        let (changer, remover) = (accounts.clone(), accounts.clone());
        let change = tokio::spawn(async move {
            let password = Some(secret("another password"));
            let change = AccountChange { password, ..AccountChange::default() };
            changer.change("op", change, None).await.map(|_| ())
        });
        let remove = tokio::spawn(async move { remover.remove("op").await });
        remove.await.unwrap().unwrap();
        if let Err(error) = change.await.unwrap() {
            assert_eq!(told(&error), (404, vec!["ResourceMissingAtURI"]));
        }
        assert!(accounts.account("op").is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_administrators_can_not_remove_each_other() {
    for _ in 0..20 {
        let accounts = accounts(config()).await;
        accounts.create(NewAccount::new("boss", PASSWORD, "Administrator")).await.unwrap();
        let attempts = ["root", "boss"].map(|id| {
            let accounts = accounts.clone();
            tokio::spawn(async move { accounts.remove(id).await })
        });
        let done = join_all(attempts).await;
        assert_eq!(done.iter().filter(|done| done.as_ref().unwrap().is_ok()).count(), 1);
        assert!(accounts.all().iter().any(|account| account.value.is_administrator()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_that_loses_to_a_change_has_no_session() {
    for round in 0..20 {
        let accounts = accounts(config()).await;
        let client = accounts.clone();
        let login = tokio::spawn(async move { client.log_in("op", &secret(PASSWORD), None).await });
        if round % 2 == 0 {
            tokio::task::yield_now().await;
        }
        let disable = AccountChange { enabled: Some(false), ..AccountChange::default() };
        accounts.change("op", disable, None).await.unwrap();
        if let Ok(opened) = login.await.unwrap() {
            assert!(accounts.principal_of_token(opened.token.expose()).is_err());
        }
        assert!(accounts.sessions().is_empty());
    }
}

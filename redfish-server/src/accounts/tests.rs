//! Accounts as a whole, over a store in memory.

mod configured;
mod credentials;
mod logins;
mod races;
mod resources;
mod sessions;
mod settings;

use std::net::IpAddr;
use std::sync::Arc;

use redfish_model::Secret;
use redfish_model::manager_account::AccountTypes;

use super::clock::Clock;
use super::password::tests::CHEAP;
use super::{Accounts, Config, NewAccount, Options};
use crate::context::{Context, Scope};
use crate::error::Error;
use crate::store::{Memory, Store};

pub(super) const PASSWORD: &str = "correct horse";

/// What tests decide about.
fn config() -> Config {
    Config {
        cost: CHEAP,
        account_types: vec![AccountTypes::Redfish, AccountTypes::KVMIP],
        ..Config::default()
    }
}

/// The same store again after a restart; the time is tokio's.
async fn opened(store: &Arc<dyn Store>, config: Config) -> Arc<Accounts> {
    thread_local! {
        static START: tokio::time::Instant = tokio::time::Instant::now();
    }
    let clock = Clock::Tokio(START.with(|start| *start), 1_000_000);
    Arc::new(Accounts::open_at(store.clone(), config, clock).await.unwrap())
}

/// An administrator `root`, an operator `op` and a reader `eye`.
async fn accounts(config: Config) -> Arc<Accounts> {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let accounts = opened(&store, config).await;
    for (name, role) in [("root", "Administrator"), ("op", "Operator"), ("eye", "ReadOnly")] {
        accounts.create(NewAccount::new(name, PASSWORD, role)).await.unwrap();
    }
    accounts
}

async fn with_options(options: Options) -> Arc<Accounts> {
    accounts(Config { options, ..config() }).await
}

/// A request by an account, or by nobody.
fn by(accounts: &Accounts, account: &str) -> Context {
    let account = accounts.account(account);
    let principal = account.map(|account| Arc::new(accounts.principal(&account, None)));
    Context::new(principal, Scope::all())
}

fn at(text: &str) -> Option<IpAddr> {
    Some(text.parse().unwrap())
}

fn secret(text: &str) -> Secret<String> {
    text.into()
}

/// Status and message ids of an error.
fn told(error: &Error) -> (u16, Vec<&str>) {
    let ids = error.messages.iter().map(|message| message.message_id().unwrap());
    let ids = ids.map(|id| id.rsplit('.').next().unwrap());
    (error.status.as_u16(), ids.collect())
}

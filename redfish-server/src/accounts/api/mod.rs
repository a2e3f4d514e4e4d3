//! The resources over accounts: what clients see of them and may do to them.

mod account_service;
mod action_info;
mod manager_account;
mod role;
mod session;
mod session_service;

use std::sync::Arc;

use http::StatusCode;
use redfish_model::resource::{Health, State, Status};
use redfish_model::{Field, ManagerAccountUri, SessionUri};

use super::Accounts;
use super::change::about;
use super::settings::Options;
use crate::api::account_service::mount_account_service;
use crate::api::manager_account::{mount_manager_account, mount_manager_account_collection};
use crate::api::role::{mount_role, mount_role_collection};
use crate::api::session::{mount_session, mount_session_collection};
use crate::api::session_service::mount_session_service;
use crate::context::Principal;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::mount::Mount;

/// `AccountService`, `SessionService` and all below them.
pub fn mounts(accounts: &Arc<Accounts>) -> Vec<Mount> {
    let [account, versions, session, roles] = [(); 4].map(|()| accounts.clone());
    vec![
        mount_account_service(accounts.clone()),
        mount_manager_account(accounts.clone())
            .own(move |principal, uri| account.is_own_account(principal, uri))
            .versioned(move |_, uri| versions.account_version(uri)),
        mount_manager_account_collection(accounts.clone()),
        action_info::mount(accounts),
        mount_role(accounts.clone()).versioned(move |_, _| Some(roles.roles.version())),
        mount_role_collection(accounts.clone()),
        mount_session_service(accounts.clone()),
        mount_session(accounts.clone())
            .own(move |principal, uri| session.is_own_session(principal, uri)),
        mount_session_collection(accounts.clone()),
    ]
}

impl Accounts {
    /// Whether a URI is that of the principal's account.
    pub(super) fn is_own_account(&self, principal: &Principal, uri: &str) -> bool {
        account_id(uri).is_some_and(|id| id == principal.account)
    }

    /// Whether a URI is that of a session of the principal's account.
    pub(super) fn is_own_session(&self, principal: &Principal, uri: &str) -> bool {
        let Ok(SessionUri::SessionServiceSessions { session_id }) = uri.parse() else {
            return false;
        };
        let session = self.session(&session_id);
        session.is_some_and(|session| session.value.account == principal.account)
    }

    /// Changes with what an account shows; unknown while it is locked, which ends by itself.
    pub(super) fn account_version(&self, uri: &str) -> Option<u64> {
        let account = self.account(&account_id(uri)?)?;
        let locked = self.lockouts.is_locked_anywhere(&account.value.user_name);
        (!locked).then(|| self.version())
    }
}

fn account_id(uri: &str) -> Option<String> {
    match uri.parse() {
        Ok(ManagerAccountUri::AccountServiceAccounts { manager_account_id }) => {
            Some(manager_account_id)
        }
        Err(_) => None,
    }
}

/// What there is to say about a service that runs: that it does.
fn running() -> Field<Status> {
    Field::Value(Status {
        state: Field::Value(State::Enabled),
        health: Field::Value(Health::OK),
        ..Status::default()
    })
}

/// A PATCH of settings while it is judged.
struct SettingsPatch {
    kept: Options,
    configured: Options,
    faults: Vec<Message>,
    /// Properties that the configuration decides about.
    refused: Vec<Message>,
    changed: bool,
}

impl SettingsPatch {
    fn new(accounts: &Accounts) -> Self {
        Self {
            kept: accounts.settings.kept(),
            configured: accounts.settings.configured(),
            faults: Vec::new(),
            refused: Vec::new(),
            changed: false,
        }
    }

    /// Takes a number; `null` gives the setting its default back.
    fn number(
        &mut self,
        name: &'static str,
        value: &Field<i64>,
        setting: fn(&mut Options) -> &mut Option<u32>,
    ) {
        let value = match value {
            Field::Absent => return,
            Field::Null => None,
            Field::Value(value) => match u32::try_from(*value) {
                Ok(number) => Some(number),
                Err(_) => {
                    let text = value.to_string();
                    self.faults
                        .push(about(name, messages::property_value_out_of_range(text, name)));
                    return;
                }
            },
        };
        self.set(name, value, setting);
    }

    fn set<T>(
        &mut self,
        name: &'static str,
        value: Option<T>,
        setting: fn(&mut Options) -> &mut Option<T>,
    ) {
        if setting(&mut self.configured).is_some() {
            self.refused.push(about(name, messages::property_not_writable(name)));
            return;
        }
        *setting(&mut self.kept) = value;
        self.changed = true;
    }

    /// Keeps the settings if they agree; gives what there is to say beside it.
    async fn apply(mut self, accounts: &Accounts) -> Result<Vec<Message>> {
        for name in self.configured.or(&self.kept).rules().faults() {
            let message = match name {
                "AccountLockoutCounterResetAfter" => {
                    messages::property_value_conflict(name, "AccountLockoutDuration")
                }
                "MinPasswordLength" => messages::property_value_conflict(name, "MaxPasswordLength"),
                _ => messages::property_value_error(name),
            };
            self.faults.push(about(name, message));
        }
        let refused_all = !self.changed && !self.refused.is_empty();
        if refused_all || !self.faults.is_empty() {
            self.faults.append(&mut self.refused);
            return Err(Error::with_messages(StatusCode::BAD_REQUEST, self.faults));
        }
        if self.changed {
            accounts.settings.keep(self.kept).await?;
            tracing::info!(target: "audit", "account settings changed");
        }
        Ok(self.refused)
    }
}

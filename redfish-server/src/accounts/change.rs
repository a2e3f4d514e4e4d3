//! Making, changing and removing accounts, with the rules that hold for whoever does it.
//!
//! All faults of a change are told at once. What an account was granted (sessions, remembered
//! passwords) ends in the same write that changes its password, role, machines or state.

use std::sync::Arc;

use http::StatusCode;
use redfish_model::manager_account::AccountTypes;
use redfish_model::{Field, Secret};

use super::account::{Origin, free_id, is_user_name, uri_of};
use super::role::READ_ONLY;
use super::settings::LONGEST_PASSWORD;
use super::{Account, Accounts};
use crate::context::Principal;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::store::{Entry, Expect};

/// An account to be made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewAccount {
    /// `UserName`.
    pub user_name: String,
    /// `Password`.
    pub password: Secret<String>,
    /// `RoleId`.
    pub role: String,
    /// `Enabled`.
    pub enabled: bool,
    /// `AccountTypes`; `None` for what the role usually gets.
    pub account_types: Option<Vec<AccountTypes>>,
    /// `PasswordChangeRequired`.
    pub password_change_required: bool,
}

impl NewAccount {
    /// An enabled account of the usual types.
    pub fn new(
        user_name: impl Into<String>,
        password: impl Into<Secret<String>>,
        role: impl Into<String>,
    ) -> Self {
        Self {
            user_name: user_name.into(),
            password: password.into(),
            role: role.into(),
            enabled: true,
            account_types: None,
            password_change_required: false,
        }
    }
}

/// What is to change in an account; `None` leaves it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AccountChange {
    /// `UserName`.
    pub user_name: Option<String>,
    /// `Password`.
    pub password: Option<Secret<String>>,
    /// `RoleId`.
    pub role: Option<String>,
    /// `Enabled`.
    pub enabled: Option<bool>,
    /// `AccountTypes`.
    pub account_types: Option<Vec<AccountTypes>>,
    /// `PasswordChangeRequired`.
    pub password_change_required: Option<bool>,
    /// `Locked`, to `false`.
    pub unlock: bool,
}

impl AccountChange {
    /// The properties of the record that are to change, by their names.
    fn properties(&self) -> Vec<&'static str> {
        let all = [
            (self.account_types.is_some(), "AccountTypes"),
            (self.enabled.is_some(), "Enabled"),
            (self.password.is_some(), "Password"),
            (self.password_change_required.is_some(), "PasswordChangeRequired"),
            (self.role.is_some(), "RoleId"),
            (self.user_name.is_some(), "UserName"),
        ];
        all.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect()
    }
}

impl Accounts {
    /// Makes an account.
    ///
    /// # Errors
    /// 400 with all that is wrong with it; 503; those of the store.
    pub async fn create(&self, new: NewAccount) -> Result<Arc<Entry<Account>>> {
        let mut faults = Vec::new();
        self.check_user_name(&new.user_name, None, &mut faults);
        self.check_password(&new.password, &mut faults);
        self.check_role(&new.role, &mut faults);
        let account_types = new.account_types.unwrap_or_else(|| self.usual_types(&new.role));
        self.check_types(&account_types, &mut faults);
        refuse(faults)?;
        let password = self.hasher.hash(new.password.expose()).await?;
        let account = Account {
            user_name: new.user_name,
            password,
            role: new.role,
            enabled: new.enabled,
            account_types,
            machines: None,
            view: false,
            multi_machine: false,
            password_change_required: new.password_change_required,
            origin: Origin::Redfish,
            epoch: random()?,
        };
        let _changing = self.changing.lock().await;
        // Again: another may have been made while the password was hashed.
        let mut faults = Vec::new();
        self.check_user_name(&account.user_name, None, &mut faults);
        self.check_role(&account.role, &mut faults);
        refuse(faults)?;
        // Who guessed at the name before it existed does not lock out its owner.
        self.lockouts.unlock(&account.user_name);
        let id = free_id(&self.accounts, &account.user_name);
        let made = self.accounts.insert(id, account).await?;
        tracing::info!(target: "audit", account = made.id, "account created");
        Ok(made)
    }

    /// Changes an account, for somebody or on behalf of the operator. Gives what there is to say
    /// beside it: which properties could not be changed.
    ///
    /// # Errors
    /// 404; 400 with all that is wrong with the change, or when none of it could be done; 503; those
    /// of the store.
    pub async fn change(
        &self,
        id: &str,
        change: AccountChange,
        by: Option<&Principal>,
    ) -> Result<(Arc<Entry<Account>>, Vec<Message>)> {
        let missing = || Error::not_found(&uri_of(id).to_string());
        let mut faults = Vec::new();
        if let Some(user_name) = &change.user_name {
            self.check_user_name(user_name, Some(id), &mut faults);
        }
        if let Some(password) = &change.password {
            self.check_password(password, &mut faults);
        }
        if let Some(role) = &change.role {
            self.check_role(role, &mut faults);
        }
        if let Some(account_types) = &change.account_types {
            self.check_types(account_types, &mut faults);
        }
        let before = self.account(id).ok_or_else(missing)?;
        let configured = before.value.origin == Origin::Configuration;
        let properties = change.properties();
        let refused = if configured { properties.as_slice() } else { &[] };
        let refused: Vec<_> =
            refused.iter().map(|name| messages::property_not_writable(*name)).collect();
        if configured && !change.unlock && !refused.is_empty() {
            return Err(Error::with_messages(StatusCode::BAD_REQUEST, refused));
        }
        if configured || properties.is_empty() {
            if change.unlock {
                self.lockouts.unlock(&before.value.user_name);
            }
            return Ok((before, refused));
        }
        refuse(faults)?;
        let password = match &change.password {
            Some(password) => Some(self.hasher.hash(password.expose()).await?),
            None => None,
        };
        let _changing = self.changing.lock().await;
        let before = self.account(id).ok_or_else(missing)?;
        let own = by.is_some_and(|by| by.account == id);
        let mut faults = Vec::new();
        let mut after = before.value.clone();
        if let Some(user_name) = change.user_name {
            self.check_user_name(&user_name, Some(id), &mut faults);
            after.user_name = user_name;
        }
        if let Some(password) = password {
            after.password = password;
            after.password_change_required &= !own;
        }
        after.role = change.role.unwrap_or(after.role);
        after.enabled = change.enabled.unwrap_or(after.enabled);
        after.account_types = change.account_types.unwrap_or(after.account_types);
        after.password_change_required =
            change.password_change_required.unwrap_or(after.password_change_required);
        self.check_role(&after.role, &mut faults);
        refuse(faults)?;
        if before.value.is_administrator() && !after.is_administrator() {
            let property = match (before.value.role == after.role, after.enabled) {
                (false, _) => "RoleId",
                (true, false) => "Enabled",
                (true, true) => "AccountTypes",
            };
            self.check_last_administrator(id, messages::property_value_error(property))?;
        }
        if change.unlock {
            self.lockouts.unlock(&before.value.user_name);
        }
        if after == before.value {
            return Ok((before, refused));
        }
        let ends = after.ends_grants_of(&before.value);
        if ends {
            after.epoch = random()?;
        }
        let goes_on = own && after.role == before.value.role && after.enabled;
        let epoch = after.epoch;
        let expect = Expect::Revision(before.revision);
        let after = self.accounts.put(id.to_owned(), after, expect).await?;
        // Who changes their own password goes on with the session that they do it in.
        if let Some(session) = by.and_then(|by| by.session.as_deref()).filter(|_| ends && goes_on) {
            self.carry_over(session, epoch).await;
        }
        tracing::info!(target: "audit", account = id, ?properties, "account changed");
        Ok((after, refused))
    }

    /// Removes an account.
    ///
    /// # Errors
    /// 404; 403 for accounts of the configuration and for the last administrator; those of the
    /// store.
    pub async fn remove(&self, id: &str) -> Result<()> {
        let _changing = self.changing.lock().await;
        let account = self.account(id).ok_or_else(|| Error::not_found(&uri_of(id).to_string()))?;
        if account.value.origin == Origin::Configuration {
            let error = messages::resource_cannot_be_deleted();
            let reason = "The account stands in the configuration of the service.";
            return Err(Error::explained(StatusCode::FORBIDDEN, error, reason));
        }
        if account.value.is_administrator() {
            let error = self
                .check_last_administrator(id, messages::resource_cannot_be_deleted())
                .map_err(|error| Error { status: StatusCode::FORBIDDEN, ..error });
            error?;
        }
        self.accounts.delete(id, Expect::Revision(account.revision)).await?;
        self.lockouts.unlock(&account.value.user_name);
        tracing::info!(target: "audit", account = id, "account removed");
        Ok(())
    }

    /// Refuses what would leave the service without an administrator.
    fn check_last_administrator(&self, id: &str, message: Message) -> Result<()> {
        let other = self.accounts.find(|a| a.id != id && a.value.is_administrator());
        let reason = "The last enabled administrator must stay one.";
        match other {
            Some(_) => Ok(()),
            None => Err(Error::explained(StatusCode::BAD_REQUEST, message, reason)),
        }
    }

    fn check_user_name(&self, name: &str, except: Option<&str>, faults: &mut Vec<Message>) {
        if !is_user_name(name) {
            let message = messages::property_value_format_error(name, "UserName");
            faults.push(about("UserName", message));
        } else if self.by_name(name).is_some_and(|account| Some(&*account.id) != except) {
            let message = messages::resource_already_exists("ManagerAccount", "UserName", name);
            faults.push(about("UserName", message));
        }
    }

    pub(super) fn check_password(&self, password: &Secret<String>, faults: &mut Vec<Message>) {
        let rules = self.rules();
        let length = password.expose().chars().take(LONGEST_PASSWORD as usize + 1).count();
        let allowed = rules.min_password_length as usize..=rules.max_password_length as usize;
        if !allowed.contains(&length) {
            faults.push(about("Password", messages::password_incorrect_length()));
        }
    }

    fn check_role(&self, role: &str, faults: &mut Vec<Message>) {
        if !self.roles.contains(role) {
            faults.push(about("RoleId", messages::property_value_not_in_list(role, "RoleId")));
        }
    }

    fn check_types(&self, account_types: &[AccountTypes], faults: &mut Vec<Message>) {
        if account_types.is_empty() {
            let message = messages::array_size_too_short("AccountTypes", 1);
            faults.push(about("AccountTypes", message));
        }
        for account_type in account_types {
            if !self.config.account_types.contains(account_type) {
                let name = account_type.as_str();
                let message = messages::property_value_not_in_list(name, "AccountTypes");
                faults.push(about("AccountTypes", message));
            }
        }
    }

    /// All types that there are; who only looks gets no consoles unasked.
    pub(super) fn usual_types(&self, role: &str) -> Vec<AccountTypes> {
        match role {
            READ_ONLY => vec![AccountTypes::Redfish],
            _ => self.config.account_types.clone(),
        }
    }
}

/// A message that says which property it is about.
pub(super) fn about(property: &str, message: Message) -> Message {
    Message { related_properties: Field::Value(vec![format!("#/{property}")]), ..message }
}

/// 400 with all faults, if there are any.
pub(super) fn refuse(faults: Vec<Message>) -> Result<()> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::with_messages(StatusCode::BAD_REQUEST, faults)),
    }
}

/// A new epoch.
pub(super) fn random() -> Result<u64> {
    // JSON numbers beyond 2^53 are not everybody's.
    getrandom::u64().map(|number| number >> 11).map_err(|_| Error::internal())
}

//! Accounts that the configuration decides about, and the one of the first start.
//!
//! They are records like others, so that sessions, ETags and listings need no second kind of
//! account. At each start and reload the records are brought in line: what did not change keeps its
//! sessions, and what the configuration no longer names is gone.

use std::collections::BTreeSet;

use redfish_model::Secret;
use redfish_model::manager_account::AccountTypes;

use super::account::{Origin, free_id, is_user_name};
use super::change::random;
use super::role::ADMINISTRATOR;
use super::{Account, Accounts, NewAccount, is_password_hash};
use crate::error::{Error, Result};
use crate::store::Expect;

/// An `[[account]]` of the configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfiguredAccount {
    /// `UserName`.
    pub user_name: String,
    /// How to check the password.
    pub password: ConfiguredPassword,
    /// `RoleId`.
    pub role: String,
    /// `AccountTypes`; `None` for what the role usually gets.
    pub account_types: Option<Vec<AccountTypes>>,
    /// The machines that it may see; `None` for all.
    pub machines: Option<Vec<String>>,
    /// Whether it sees its one machine as a view.
    pub view: bool,
    /// Whether the guard does not count for it.
    pub multi_machine: bool,
}

/// The password of a configured account.
#[derive(Clone, Debug)]
pub enum ConfiguredPassword {
    /// A PHC string (`password_hash`).
    Hash(Secret<String>),
    /// The password itself (`password_file`).
    Plain(Secret<String>),
}

impl ConfiguredAccount {
    /// An account that sees everything.
    pub fn new(
        user_name: impl Into<String>,
        password: ConfiguredPassword,
        role: impl Into<String>,
    ) -> Self {
        Self {
            user_name: user_name.into(),
            password,
            role: role.into(),
            account_types: None,
            machines: None,
            view: false,
            multi_machine: false,
        }
    }
}

/// Why configured accounts were not taken; those before stay.
#[derive(Debug, thiserror::Error)]
#[error("[[account]] '{user_name}': {reason}")]
pub struct Refused {
    /// The name as it stands there.
    pub user_name: String,
    /// What is wrong.
    pub reason: &'static str,
}

/// What the first start found.
#[derive(Debug)]
pub enum Bootstrap {
    /// No administrator, so it made one.
    Created {
        /// Its name.
        user_name: String,
        /// Its password, if that was generated: the only time that it is known.
        password: Option<Secret<String>>,
    },
    /// An administrator.
    Existing,
}

impl Accounts {
    /// Checks configured accounts without taking them over.
    ///
    /// # Errors
    /// The first account that makes no sense.
    pub fn check_configured(&self, configured: &[ConfiguredAccount]) -> Result<(), Refused> {
        let mut names = BTreeSet::new();
        for account in configured {
            let types = account.account_types.as_deref();
            let refuse = |reason| Err(Refused { user_name: account.user_name.clone(), reason });
            if !is_user_name(&account.user_name) {
                return refuse("a name has 1 to 64 letters, digits or any of . _ @ -");
            }
            if !names.insert(&account.user_name) {
                return refuse("there are two of that name");
            }
            if !self.roles.contains(&account.role) {
                return refuse("there is no such role");
            }
            if types.is_some_and(|types| {
                types.is_empty() || types.iter().any(|t| !self.config.account_types.contains(t))
            }) {
                return refuse("an account type is not supported");
            }
            if account.view && account.machines.as_ref().is_none_or(|ids| ids.len() != 1) {
                return refuse("a view needs exactly one machine");
            }
            match &account.password {
                ConfiguredPassword::Hash(hash) if !is_password_hash(hash.expose()) => {
                    return refuse("password_hash is no argon2 hash in PHC form");
                }
                ConfiguredPassword::Plain(password) if password.expose().is_empty() => {
                    return refuse("the password is empty");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Brings the accounts of the configuration in line with it. An account of the same name that a
    /// client made is taken over.
    ///
    /// # Errors
    /// Those of the store. What [`check_configured`](Self::check_configured) refuses is an internal
    /// error.
    pub async fn configure(&self, configured: Vec<ConfiguredAccount>) -> Result<()> {
        if let Err(refused) = self.check_configured(&configured) {
            tracing::error!(error = &refused as &dyn std::error::Error);
            return Err(Error::internal());
        }
        let _changing = self.changing.lock().await;
        let named = |name: &str| configured.iter().any(|account| account.user_name == name);
        for gone in self.accounts.all() {
            let ours = gone.value.origin == Origin::Configuration;
            if ours && !named(&gone.value.user_name) {
                self.accounts.delete(gone.id.clone(), Expect::Any).await?;
                tracing::info!(target: "audit", account = gone.id, "configured account removed");
            }
        }
        for account in configured {
            self.take_over(account).await?;
        }
        Ok(())
    }

    async fn take_over(&self, configured: ConfiguredAccount) -> Result<()> {
        let before = self.by_name(&configured.user_name);
        let same = before.as_ref().map(|before| &before.value.password);
        let password = match (configured.password, same) {
            (ConfiguredPassword::Hash(hash), _) => hash,
            // A new salt would look like a new password.
            (ConfiguredPassword::Plain(password), Some(same))
                if self.hasher.verify(self.hasher.turn().await?, same, password.expose()).await =>
            {
                same.clone()
            }
            (ConfiguredPassword::Plain(password), _) => self.hasher.hash(password.expose()).await?,
        };
        let usual = || self.usual_types(&configured.role);
        let mut after = Account {
            account_types: configured.account_types.unwrap_or_else(usual),
            user_name: configured.user_name,
            password,
            role: configured.role,
            enabled: true,
            machines: configured.machines,
            view: configured.view,
            multi_machine: configured.multi_machine,
            password_change_required: false,
            origin: Origin::Configuration,
            epoch: before.as_ref().map_or(0, |before| before.value.epoch),
        };
        let (id, expect) = match &before {
            Some(before) if before.value == after => return Ok(()),
            Some(before) => (before.id.clone(), Expect::Revision(before.revision)),
            None => (free_id(&self.accounts, &after.user_name), Expect::Absent),
        };
        if before.is_none_or(|before| after.ends_grants_of(&before.value)) {
            after.epoch = random()?;
        }
        self.accounts.put(id.clone(), after, expect).await?;
        tracing::info!(target: "audit", account = id, "configured account taken over");
        Ok(())
    }

    /// Makes the account `admin` where there is no administrator yet: at the first start, after the
    /// configuration was taken over.
    ///
    /// # Errors
    /// 400 where the password is not as the policy wants it; those of the store.
    pub async fn bootstrap(&self, admin_password: Option<Secret<String>>) -> Result<Bootstrap> {
        // One who sees some machines only can't run the service.
        let administers = |account: &Account| {
            account.role == ADMINISTRATOR && account.enabled && account.machines.is_none()
        };
        if self.accounts.find(|account| administers(&account.value)).is_some() {
            return Ok(Bootstrap::Existing);
        }
        let generated = match admin_password {
            Some(_) => None,
            None => Some(self.generate()?),
        };
        let password = admin_password.or_else(|| generated.clone()).unwrap_or_default();
        let made = self.create(NewAccount::new("admin", password, ADMINISTRATOR)).await?;
        let user_name = made.value.user_name.clone();
        Ok(Bootstrap::Created { user_name, password: generated })
    }

    /// A password of 120 bits, if the policy allows as many characters. It can be read out: no two
    /// of them look alike.
    fn generate(&self) -> Result<Secret<String>> {
        const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789Q";
        let rules = self.rules();
        let length = 24.max(rules.min_password_length).min(rules.max_password_length);
        let mut random = vec![0; length as usize];
        getrandom::fill(&mut random).map_err(|_| Error::internal())?;
        let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
        Ok(random.iter().map(letter).collect::<String>().into())
    }
}

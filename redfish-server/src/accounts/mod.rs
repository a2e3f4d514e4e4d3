//! Who may use the service: accounts, roles and sessions over the store.
//!
//! Everything that decides lies here and not in the resources, since the command line, the
//! configuration and consoles create accounts and end sessions too. [`mounts`] has the resources,
//! [`Basic`] and [`SessionToken`] tell who asks.
//!
//! Two ideas carry the rest. An account has an *epoch*, a random number that changes whenever what
//! was granted to it must end; a session belongs to the epoch in which it was opened, so one write
//! ends all of them, crash or not. And whatever is derived from accounts and roles (principals,
//! verified passwords) is kept with the version of the tables that it was derived from, and is void
//! with it.

mod account;
mod api;
mod authenticators;
mod change;
mod clock;
mod configured;
mod lockout;
mod password;
mod role;
mod session;
mod settings;
mod verify;

use std::sync::Arc;

use redfish_model::manager_account::AccountTypes;
use tokio::sync::Mutex;

use crate::context::{Machines, Principal};
use crate::store::{self, Entry, Kind, Store, Table};

pub use account::{Account, Origin};
pub use api::mounts;
pub use authenticators::{Basic, SessionToken};
pub use change::{AccountChange, NewAccount};
pub use configured::{Bootstrap, ConfiguredAccount, ConfiguredPassword, Refused};
pub use password::{Cost, hash_password, is_password_hash};
pub use role::RoleRecord;
pub use session::{Opened, Session};
pub use settings::{Options, Rules};

use clock::Clock;
use lockout::Lockouts;
use password::Hasher;
use role::Roles;
use settings::Settings;
use verify::Verified;

/// What the operator decides about accounts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// What a password hash costs.
    pub cost: Cost,
    /// The account types that mean something here: `Redfish`, and `KVMIP` or `HostConsole` where
    /// there are consoles.
    pub account_types: Vec<AccountTypes>,
    /// Settings that the configuration decides; clients can't change them.
    pub options: Options,
    /// How many sessions there may be.
    pub max_sessions: usize,
    /// How many sessions an account may have. Clients of the Ironic kind keep one per machine.
    pub max_sessions_per_account: usize,
    /// The URI of the privilege registry.
    pub privilege_map: String,
}

impl Default for Config {
    fn default() -> Self {
        let registry = redfish_model::PrivilegeRegistryUri::RegistriesPrivilegeRegistry {
            message_registry_file_id: crate::privileges::ID.to_owned(),
        };
        Self {
            cost: Cost::default(),
            account_types: vec![AccountTypes::Redfish],
            options: Options::default(),
            max_sessions: 20_000,
            max_sessions_per_account: 10_000,
            privilege_map: registry.to_string(),
        }
    }
}

/// The accounts, roles and sessions of a service.
pub struct Accounts {
    accounts: Table<Account>,
    roles: Roles,
    sessions: Table<Session>,
    settings: Settings,
    hasher: Hasher,
    verified: Verified,
    lockouts: Lockouts,
    clock: Clock,
    config: Config,
    /// Changes that look at several records come one after the other.
    changing: Mutex<()>,
    /// So do logins, so that they don't pass the limits together.
    opening: Mutex<()>,
}

impl Accounts {
    /// Loads what a store has.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn open(store: Arc<dyn Store>, config: Config) -> store::Result<Self> {
        Self::open_at(store, config, Clock::System).await
    }

    async fn open_at(store: Arc<dyn Store>, config: Config, clock: Clock) -> store::Result<Self> {
        Ok(Self {
            accounts: Table::open(store.clone(), Kind::Account).await?,
            roles: Roles::open(store.clone()).await?,
            sessions: Table::open(store.clone(), Kind::Session).await?,
            settings: Settings::open(store, config.options.clone()).await?,
            hasher: Hasher::new(config.cost)
                .map_err(|reason| store::Error::Failed(reason.to_owned()))?,
            verified: Verified::new()
                .map_err(|_| store::Error::Failed("There is no randomness".to_owned()))?,
            lockouts: Lockouts::default(),
            clock,
            config,
            changing: Mutex::default(),
            opening: Mutex::default(),
        })
    }

    /// An account by its id.
    pub fn account(&self, id: &str) -> Option<Arc<Entry<Account>>> {
        self.accounts.get(id)
    }

    /// All accounts, by id.
    pub fn all(&self) -> Vec<Arc<Entry<Account>>> {
        self.accounts.all()
    }

    /// Whether an account may use a service of that type: consoles ask this.
    pub fn may_use(&self, account: &str, service: &AccountTypes) -> bool {
        let account = self.account(account);
        account.is_some_and(|a| a.value.enabled && a.value.account_types.contains(service))
    }

    /// The settings as they hold now.
    pub fn rules(&self) -> Rules {
        self.settings.rules()
    }

    /// Takes over what a new configuration decides about settings.
    pub fn reload_options(&self, options: Options) {
        self.settings.configure(options);
    }

    /// How many password hashes were computed, for metrics.
    pub fn hashes_computed(&self) -> u64 {
        self.hasher.computed()
    }

    /// Grows whenever an account or a role does anything: what is derived from them is void then.
    fn version(&self) -> u64 {
        self.accounts.version() + self.roles.version()
    }

    fn by_name(&self, user_name: &str) -> Option<Arc<Entry<Account>>> {
        self.accounts.find(|account| account.value.user_name == user_name)
    }

    /// An account as the rest of the service knows it.
    fn principal(&self, account: &Entry<Account>, session: Option<&str>) -> Principal {
        let Entry { id, value, .. } = account;
        let privileges = self.roles.privileges(&value.role).unwrap_or_default();
        Principal {
            user_name: value.user_name.clone(),
            session: session.map(str::to_owned),
            machines: match &value.machines {
                None => Machines::All,
                Some(ids) => Machines::Only(ids.iter().cloned().collect()),
            },
            view: value.view,
            multi_machine: value.multi_machine,
            must_change_password: value.password_change_required,
            ..Principal::new(id.clone(), value.role.clone(), privileges)
        }
    }
}

impl std::fmt::Debug for Accounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (accounts, sessions) = (self.accounts.len(), self.sessions.len());
        write!(f, "Accounts({accounts} accounts, {sessions} sessions)")
    }
}

#[cfg(test)]
mod tests;

//! `[[account]]` as accounts.

use std::path::PathBuf;

use redfish_model::OpenEnum as _;
use redfish_model::manager_account::AccountTypes;
use redfish_server::accounts::{ConfiguredAccount, ConfiguredPassword, is_password_hash};
use redfish_server::config::{AccountTable, Config, ConfigError};

/// The accounts of the configuration, with what their files hold now.
pub(super) fn configured(config: &Config) -> Result<Vec<ConfiguredAccount>, ConfigError> {
    let read = |(index, table)| one(table, &format!("account.{index}"));
    config.account.iter().enumerate().map(read).collect()
}

/// The files that they come from.
pub(super) fn files(config: &Config) -> impl Iterator<Item = PathBuf> {
    config.account.iter().filter_map(|table| table.password_file.clone())
}

fn one(table: &AccountTable, key: &str) -> Result<ConfiguredAccount, ConfigError> {
    let fault = |name: &str, why: String| ConfigError::of(&format!("{key}.{name}"), why);
    let password = match (&table.password_hash, &table.password_file) {
        (Some(hash), _) if is_password_hash(hash) => ConfiguredPassword::Hash(hash.clone().into()),
        (Some(_), _) => {
            let why = "is no argon2 hash; `redfish-server hash-password` makes one";
            return Err(fault("password_hash", why.to_owned()));
        }
        (None, Some(file)) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| fault("password_file", format!("{}: {error}", file.display())))?;
            let text = text.trim_end_matches(['\r', '\n']).to_owned();
            match is_password_hash(&text) {
                true => ConfiguredPassword::Hash(text.into()),
                false => ConfiguredPassword::Plain(text.into()),
            }
        }
        (None, None) => return Err(fault("password_hash", "is missing".to_owned())),
    };
    let types = table.account_types.as_ref().map(|types| {
        let read = |name: &String| {
            let read = AccountTypes::from(name.as_str());
            let unknown = || fault("account_types", format!("{name:?} is no account type"));
            if read.is_known() { Ok(read) } else { Err(unknown()) }
        };
        types.iter().map(read).collect::<Result<Vec<_>, _>>()
    });
    let mut account = ConfiguredAccount::new(&table.name, password, &table.role);
    account.account_types = types.transpose()?;
    account.machines = table.machines.clone();
    account.view = table.view;
    account.multi_machine = table.multi_machine;
    Ok(account)
}

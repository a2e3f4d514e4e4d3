//! Commands about the state, for which the service must be down: they take its lock.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::ExitCode;
use std::sync::Arc;

use redfish_server::accounts::{self, AccountChange, Accounts};
use redfish_server::config::Config;
use redfish_server::config::cli::StateAction;
use redfish_server::store::{Dump, Folder, Redb, Store};

use super::Failure;

/// Opens the state.
pub(super) async fn open(config: &Config) -> Result<(Arc<Folder>, Arc<dyn Store>), Failure> {
    let folder = Folder::open(config.state_dir()?).map_err(|error| Failure::other(&error))?;
    let folder = Arc::new(folder);
    let store = Redb::open(Arc::clone(&folder)).await.map_err(|error| Failure::other(&error))?;
    Ok((folder, Arc::new(store)))
}

/// A password from the standard input: its first line.
pub(super) fn read_password() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(4096).read_to_string(&mut text);
    read.map_err(|error| Failure::other(&error))?;
    let password = text.lines().next().unwrap_or_default().to_owned();
    if password.is_empty() {
        return Err(Failure::Other("There is no password on the standard input".to_owned()));
    }
    Ok(password)
}

/// Sets the password of an account.
pub(super) async fn set_password(config: &Config, name: &str) -> Result<ExitCode, Failure> {
    let (_folder, store) = open(config).await?;
    let accounts = Accounts::open(store, accounts::Config::default()).await;
    let accounts = accounts.map_err(|error| Failure::other(&error))?;
    let account = accounts.all().into_iter().find(|account| account.value.user_name == name);
    let account = account.ok_or_else(|| Failure::Other(format!("There is no account {name:?}")))?;
    let mut change = AccountChange::default();
    change.password = Some(read_password()?.into());
    change.unlock = true;
    let changed = accounts.change(&account.id, change, None).await;
    changed.map_err(|error| Failure::other(&error))?;
    println!("The password of {name} is set; its sessions have ended.");
    Ok(ExitCode::SUCCESS)
}

/// Saves, restores or checks the state.
pub(super) async fn run(config: &Config, action: &StateAction) -> Result<ExitCode, Failure> {
    let (_folder, store) = open(config).await?;
    match action {
        StateAction::Export { file } => {
            let dump = store.export().await.map_err(|error| Failure::other(&error))?;
            let text = dump.to_text().map_err(|error| Failure::other(&error))?;
            let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
            let written = created.and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            });
            let named = |error| Failure::Other(format!("{}: {error}", file.display()));
            written.map_err(named)?;
            println!("{} records in {}", dump.len(), file.display());
        }
        StateAction::Import { file } => {
            let named = |error| Failure::Other(format!("{}: {error}", file.display()));
            let text = std::fs::read_to_string(file).map_err(named)?;
            let dump = Dump::from_text(&text).map_err(|error| Failure::other(&error))?;
            let count = dump.len();
            store.import(dump).await.map_err(|error| Failure::other(&error))?;
            println!("{count} records are in place");
        }
        StateAction::Check => {
            store.check().await.map_err(|error| Failure::other(&error))?;
            println!("The state is whole");
        }
    }
    Ok(ExitCode::SUCCESS)
}

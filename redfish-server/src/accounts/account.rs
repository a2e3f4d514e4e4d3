//! The record of an account.

use redfish_model::manager_account::AccountTypes;
use redfish_model::{ManagerAccountUri, Secret};
use serde::{Deserialize, Serialize};

use super::role::ADMINISTRATOR;
use crate::store::Table;

/// An account as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Account {
    /// `UserName`.
    pub user_name: String,
    /// The hash of the password, as a PHC string.
    pub password: Secret<String>,
    /// `RoleId`.
    pub role: String,
    /// `Enabled`.
    pub enabled: bool,
    /// `AccountTypes`.
    pub account_types: Vec<AccountTypes>,
    /// The machines that it may see; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<Vec<String>>,
    /// Whether it sees its one machine as a view.
    #[serde(default)]
    pub view: bool,
    /// Whether the guard against writes to several machines does not count for it.
    #[serde(default)]
    pub multi_machine: bool,
    /// `PasswordChangeRequired`.
    #[serde(default)]
    pub password_change_required: bool,
    /// Who decides about it.
    pub origin: Origin,
    /// What was granted in another epoch has ended.
    pub epoch: u64,
}

/// Who decides about an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Clients.
    Redfish,
    /// The configuration: clients can look at it.
    Configuration,
}

impl Account {
    /// Whether the service can be administered with it: one such account must stay.
    pub(super) fn is_administrator(&self) -> bool {
        self.role == ADMINISTRATOR
            && self.enabled
            && self.machines.is_none()
            && self.account_types.contains(&AccountTypes::Redfish)
    }

    /// Whether what was granted before a change must end with it.
    pub(super) fn ends_grants_of(&self, before: &Self) -> bool {
        self.password != before.password
            || self.role != before.role
            || self.enabled != before.enabled
            || self.machines != before.machines
    }
}

/// The URI of an account.
pub(super) fn uri_of(id: &str) -> ManagerAccountUri {
    ManagerAccountUri::AccountServiceAccounts { manager_account_id: id.to_owned() }
}

/// Whether a text can be a user name. All of these also survive in HTTP Basic, whose names have no
/// colon, and in logs.
pub(super) fn is_user_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
    (1..=64).contains(&name.len())
        && name.bytes().all(allowed)
        // A segment of dots is no segment.
        && name.bytes().any(|byte| byte != b'.')
}

/// A free id for an account: its name as far as that can stand in a URI.
pub(super) fn free_id(accounts: &Table<Account>, user_name: &str) -> String {
    let base = user_name.replace('@', "-");
    let numbered = (2u64..).map(|number| format!("{base}-{number}"));
    // `Members` is how a collection itself can be called (DSP0266, "POST (create)").
    let free = |id: &String| id != "Members" && !accounts.contains(id);
    std::iter::once(base.clone()).chain(numbered).find(free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_names() {
        let check = |name: &str, expect: bool| assert_eq!(is_user_name(name), expect, "{name}");
        check("admin", true);
        check("a.b_c-d@e", true);
        check(&"a".repeat(64), true);
        check(&"a".repeat(65), false);
        check("", false);
        check(".", false);
        check("..", false);
        check("a:b", false);
        check("a b", false);
        check("a/b", false);
        check("ä", false);
        check("a\n", false);
    }
}

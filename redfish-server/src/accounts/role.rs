//! Roles: three that every service has (DSP0266, "Roles"), and those that clients make.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::operation::Privilege::{
    self, ConfigureComponents, ConfigureManager, ConfigureSelf, ConfigureUsers, Login,
};
use crate::store::{self, Entry, Kind, Store, Table};

/// The id of the role that has all privileges.
pub(super) const ADMINISTRATOR: &str = "Administrator";
/// The id of the role that only looks.
pub(super) const READ_ONLY: &str = "ReadOnly";

/// The roles that can't be changed, in the order of their ids.
pub(super) const PREDEFINED: &[(&str, &[Privilege])] = &[
    (ADMINISTRATOR, &[Login, ConfigureManager, ConfigureUsers, ConfigureSelf, ConfigureComponents]),
    ("Operator", &[Login, ConfigureSelf, ConfigureComponents]),
    (READ_ONLY, &[Login, ConfigureSelf]),
];

/// A role that a client made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RoleRecord {
    /// `AssignedPrivileges`.
    pub privileges: BTreeSet<String>,
}

/// All roles.
pub(super) struct Roles {
    pub(super) custom: Table<RoleRecord>,
}

impl Roles {
    pub(super) async fn open(store: Arc<dyn Store>) -> store::Result<Self> {
        Ok(Self { custom: Table::open(store, Kind::Role).await? })
    }

    /// Grows with every change.
    pub(super) fn version(&self) -> u64 {
        self.custom.version()
    }

    /// The ids of all roles.
    pub(super) fn ids(&self) -> Vec<String> {
        let predefined = PREDEFINED.iter().map(|(id, _)| (*id).to_owned());
        let custom = self.custom.all();
        predefined.chain(custom.iter().map(|role| role.id.clone())).collect()
    }

    /// Whether there is such a role.
    pub(super) fn contains(&self, id: &str) -> bool {
        is_predefined(id) || self.custom.contains(id)
    }

    /// What a role assigns.
    pub(super) fn privileges(&self, id: &str) -> Option<BTreeSet<Privilege>> {
        if let Some((_, privileges)) = PREDEFINED.iter().find(|(name, _)| *name == id) {
            return Some(privileges.iter().copied().collect());
        }
        let role = self.custom.get(id)?;
        let Entry { value, .. } = &*role;
        Some(value.privileges.iter().filter_map(|name| assignable(name)).collect())
    }
}

/// Whether a role is one of the three.
pub(super) fn is_predefined(id: &str) -> bool {
    PREDEFINED.iter().any(|(name, _)| *name == id)
}

/// The privilege of a name, if it means something to this service and can be assigned.
pub(super) fn assignable(name: &str) -> Option<Privilege> {
    let assignable = |privilege: &Privilege| *privilege != Privilege::NoAuth;
    Privilege::ALL.iter().copied().filter(assignable).find(|p| p.as_str() == name)
}

/// Whether a text can be the id of a role.
pub(super) fn is_role_id(id: &str) -> bool {
    super::account::is_user_name(id) && !id.contains('@') && id != "Members"
}

//! Who may do what: the one place that says so.
//!
//! Privileges come from the registry's table. Three rules are added to it. `ConfigureSelf` counts for
//! what is the caller's own. An action that changes a password takes what a PATCH of it takes, which the
//! registry, having one row for all of POST, can't say. And what concerns everybody (accounts, services, certificates) is
//! written by accounts that may see all machines: a tenant's administrator is not the service's, and
//! may do there what anybody may with what is one's own.

use crate::context::Principal;
use crate::operation::{Kind, Operation, Privilege};

/// What a caller may do by one operation on one resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rights<'a> {
    principal: &'a Principal,
    operation: &'static Operation,
    own: bool,
    /// Whether only what is one's own can be written.
    own_only: bool,
}

impl<'a> Rights<'a> {
    /// `own` says that the resource is the caller's own account or session; `service_wide`, that its
    /// mount concerns everybody although it stands below a machine.
    pub(super) fn of(
        principal: &'a Principal,
        operation: &'static Operation,
        own: bool,
        service_wide: bool,
    ) -> Self {
        let everybody = service_wide || !is_machines(operation.site);
        let writes = operation.kind != Kind::Get;
        let own_only = writes && everybody && !principal.is_unscoped();
        Self { principal, operation, own, own_only }
    }

    /// Whether it may be done at all, if only to some of the properties.
    pub(super) fn any(&self) -> bool {
        let overrides = self.operation.property_privileges.iter();
        self.whole() || overrides.clone().any(|(name, _)| self.property(name))
    }

    /// Whether a property may be changed.
    pub(super) fn property(&self, name: &str) -> bool {
        let overrides = self.operation.property_privileges.iter();
        match overrides.clone().find(|(property, _)| *property == name) {
            Some((_, any_of)) => self.has_any(any_of),
            None => self.whole(),
        }
    }

    fn whole(&self) -> bool {
        self.has_any(match (self.operation.resource, self.operation.kind) {
            ("ManagerAccount", Kind::Action("ChangePassword")) => PASSWORD,
            _ => self.operation.privileges,
        })
    }

    fn has_any(&self, any_of: &[&[Privilege]]) -> bool {
        if !self.own_only {
            return self.principal.has_any(any_of, self.own);
        }
        let for_oneself = |all: &&&[Privilege]| all.contains(&Privilege::ConfigureSelf);
        any_of.iter().filter(for_oneself).any(|all| self.principal.has_any(&[all], self.own))
    }
}

/// Who may change the password of an account.
const PASSWORD: &[&[Privilege]] = &[&[Privilege::ConfigureUsers], &[Privilege::ConfigureSelf]];

/// Whether a template is of a machine's resource.
pub(super) fn is_machines(site: &str) -> bool {
    ["/redfish/v1/Systems/{", "/redfish/v1/Chassis/{", "/redfish/v1/Managers/{"]
        .iter()
        .any(|prefix| site.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Machines;
    use crate::operation::OPERATIONS;
    use crate::operation::Privilege::{ConfigureSelf, ConfigureUsers, Login};

    #[test]
    fn rights() {
        const READER: &[Privilege] = &[Login, ConfigureSelf];
        const CHIEF: &[Privilege] = &[
            Login,
            ConfigureSelf,
            ConfigureUsers,
            Privilege::ConfigureManager,
            Privilege::ConfigureComponents,
        ];
        let check = |id: &str, privileges: &[Privilege], scoped: bool, own: bool, expect| {
            let operation = OPERATIONS.iter().find(|operation| operation.id == id).unwrap();
            let mut principal = Principal::new("a", "r", privileges.iter().copied());
            if scoped {
                principal.machines = Machines::Only(["vm".to_owned()].into_iter().collect());
            }
            let rights = Rights::of(&principal, operation, own, false);
            let found = (rights.any(), rights.property("RoleId"), rights.property("Password"));
            assert_eq!(found, expect, "{id} {privileges:?} scoped {scoped} own {own}");
        };
        let (none, all, password) =
            ((false, false, false), (true, true, true), (true, false, true));
        let account = "account_service_accounts_patch";
        check(account, READER, false, false, none);
        check(account, READER, false, true, password);
        check(account, READER, true, true, password);
        check(account, CHIEF, false, false, all);
        check(account, CHIEF, true, false, none);
        check(account, CHIEF, true, true, password);
        let action = "account_service_accounts_change_password";
        check(action, READER, false, true, all);
        check(action, READER, false, false, none);
        check(action, READER, true, true, all);
        check(action, CHIEF, true, false, none);
        check(action, CHIEF, false, false, all);
        check("session_service_sessions_delete", CHIEF, true, true, all);
        check("session_service_sessions_delete", CHIEF, true, false, none);
        check("account_service_accounts_get", READER, true, true, all);
        check("systems_reset", CHIEF, true, false, all);
        check("systems_reset", READER, false, false, none);
        check("session_service_patch", CHIEF, true, false, none);
        check("session_service_patch", CHIEF, false, false, all);
    }

    #[test]
    fn mounts_below_machines_can_concern_everybody() {
        let operation =
            OPERATIONS.iter().find(|o| o.id == "managers_network_protocol_patch").unwrap();
        let mut principal = Principal::new("a", "r", Privilege::ALL.iter().copied());
        principal.machines = Machines::Only(["vm".to_owned()].into_iter().collect());
        assert!(Rights::of(&principal, operation, false, false).any());
        assert!(!Rights::of(&principal, operation, false, true).any());
    }
}

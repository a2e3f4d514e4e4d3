//! `Role` and its collection.

use std::collections::BTreeSet;

use http::StatusCode;
use redfish_model::privileges::PrivilegeType;
use redfish_model::role::{RoleCreate, RolePatch};
use redfish_model::{Field, OpenEnum as _, Ref, Role, RoleCollection, RoleCollectionUri, RoleUri};

use super::super::RoleRecord;
use super::super::change::{about, refuse};
use super::super::role::{assignable, is_predefined, is_role_id};
use crate::accounts::Accounts;
use crate::api::role::{RoleApi, RoleCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::mount::Reply;
use crate::store::Expect;

fn uri_of(id: &str) -> RoleUri {
    RoleUri::AccountServiceRoles { role_id: id.to_owned() }
}

/// The names of privileges, if all of them can be assigned.
fn privileges<'a>(
    given: impl IntoIterator<Item = &'a PrivilegeType>,
    faults: &mut Vec<Message>,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for privilege in given {
        let name = privilege.as_str();
        if assignable(name).is_none() {
            let message = messages::property_value_not_in_list(name, "AssignedPrivileges");
            faults.push(about("AssignedPrivileges", message));
        }
        names.insert(name.to_owned());
    }
    names
}

impl Accounts {
    fn show_role(&self, id: &str) -> Result<Role> {
        let uri = uri_of(id);
        let privileges = self.roles.privileges(id);
        let privileges = privileges.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let privileges = privileges.iter().map(|p| PrivilegeType::from_text(p.as_str()));
        Ok(Role {
            assigned_privileges: Field::Value(privileges.collect()),
            is_predefined: Field::Value(is_predefined(id)),
            ..Role::new(&uri, id, "Role", id)
        })
    }
}

impl RoleApi for Accounts {
    fn exists(&self, _: &Scope, uri: &RoleUri) -> bool {
        let RoleUri::AccountServiceRoles { role_id } = uri;
        self.roles.contains(role_id)
    }

    async fn get(&self, _: &Context, uri: RoleUri) -> Result<Role> {
        let RoleUri::AccountServiceRoles { role_id } = &uri;
        self.show_role(role_id)
    }

    async fn patch(&self, _: &Context, uri: RoleUri, body: RolePatch) -> Result<Reply<Role>> {
        let RoleUri::AccountServiceRoles { role_id } = &uri;
        let Field::Value(given) = &body.assigned_privileges else {
            return Ok(Reply::done(self.show_role(role_id)?));
        };
        let mut faults = Vec::new();
        if is_predefined(role_id) {
            let message = messages::property_not_writable("AssignedPrivileges");
            faults.push(about("AssignedPrivileges", message));
        }
        let privileges = privileges(given.iter().flatten(), &mut faults);
        refuse(faults)?;
        let _changing = self.changing.lock().await;
        let before = self.roles.custom.get(role_id);
        let before = before.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let expect = Expect::Revision(before.revision);
        self.roles.custom.put(role_id.clone(), RoleRecord { privileges }, expect).await?;
        tracing::info!(target: "audit", role = role_id, "role changed");
        Ok(Reply::done(self.show_role(role_id)?))
    }

    async fn delete(&self, _: &Context, uri: RoleUri) -> Result<Reply<()>> {
        let RoleUri::AccountServiceRoles { role_id } = &uri;
        if is_predefined(role_id) {
            let message = messages::resource_cannot_be_deleted();
            return Err(Error::new(StatusCode::FORBIDDEN, message));
        }
        let _changing = self.changing.lock().await;
        if self.accounts.find(|account| account.value.role == *role_id).is_some() {
            return Err(Error::new(StatusCode::CONFLICT, messages::resource_in_use()));
        }
        self.roles.custom.delete(role_id, Expect::Any).await?;
        tracing::info!(target: "audit", role = role_id, "role removed");
        Ok(Reply::done(()))
    }
}

impl RoleCollectionApi for Accounts {
    fn exists(&self, _: &Scope, _: &RoleCollectionUri) -> bool {
        true
    }

    async fn get(&self, _: &Context, uri: RoleCollectionUri) -> Result<RoleCollection> {
        let members = self.roles.ids().iter().map(|id| Ref::from(&uri_of(id))).collect();
        Ok(RoleCollection::new(&uri, "Roles", members))
    }

    async fn create(
        &self,
        _: &Context,
        _: RoleCollectionUri,
        body: RoleCreate,
    ) -> Result<Reply<Role>> {
        let mut faults = Vec::new();
        let role_id = body.role_id.as_deref().unwrap_or_default();
        match &body.role_id {
            Field::Value(id) if is_role_id(id) => {}
            Field::Value(id) => {
                let message = messages::property_value_format_error(id, "RoleId");
                faults.push(about("RoleId", message));
            }
            _ => faults.push(about("RoleId", messages::property_missing("RoleId"))),
        }
        let given = body.assigned_privileges.as_deref().unwrap_or_default();
        let privileges = privileges(given, &mut faults);
        // The service has no privileges of its own.
        for name in body.oem_privileges.as_deref().unwrap_or_default() {
            let message = messages::property_value_not_in_list(name, "OemPrivileges");
            faults.push(about("OemPrivileges", message));
        }
        let _changing = self.changing.lock().await;
        if self.roles.contains(role_id) {
            let message = messages::resource_already_exists("Role", "RoleId", role_id);
            faults.push(about("RoleId", message));
        }
        refuse(faults)?;
        self.roles.custom.insert(role_id, RoleRecord { privileges }).await?;
        tracing::info!(target: "audit", role = role_id, "role created");
        Ok(Reply::done(self.show_role(role_id)?))
    }
}

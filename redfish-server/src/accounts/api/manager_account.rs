//! `ManagerAccount` and its collection.

use http::StatusCode;
use redfish_model::manager_account::{
    Actions, ChangePasswordRequest, Links, ManagerAccountCreate, ManagerAccountPatch,
};
use redfish_model::{
    Action, ActionInfoUri, Field, ManagerAccount, ManagerAccountCollection,
    ManagerAccountCollectionUri, ManagerAccountUri, Ref, RoleUri, Secret,
};

use super::super::account::uri_of;
use super::super::change::{AccountChange, NewAccount, about, refuse};
use super::super::{Account, Accounts};
use crate::api::manager_account::{ManagerAccountApi, ManagerAccountCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::messages;
use crate::mount::Reply;
use crate::operation::{Kind, operations_of};
use crate::store::Entry;

const CHANGE_PASSWORD: &str = "ChangePassword";

impl Accounts {
    fn show_account(&self, cx: &Context, account: &Entry<Account>) -> ManagerAccount {
        let Entry { id, revision, value } = account;
        let uri = uri_of(id);
        let role = RoleUri::AccountServiceRoles { role_id: value.role.clone() };
        let links = Links { role: Field::Value(Ref::from(&role)), ..Links::default() };
        let types: Vec<_> = value.account_types.iter().cloned().map(Some).collect();
        ManagerAccount {
            // The password is not shown, and yet a change of it is one of the account.
            odata_etag: Field::Value(revision.to_string()),
            user_name: Field::Value(value.user_name.clone()),
            password: Field::Null,
            password_change_required: Field::Value(value.password_change_required),
            enabled: Field::Value(value.enabled),
            locked: Field::Value(self.lockouts.is_locked_anywhere(&value.user_name)),
            role_id: Field::Value(value.role.clone()),
            links: Field::Value(links),
            actions: self.actions(cx, account).into(),
            ..ManagerAccount::new(&uri, id, "User Account", types)
        }
    }

    /// The actions, for who may invoke them.
    fn actions(&self, cx: &Context, account: &Entry<Account>) -> Option<Actions> {
        use super::super::Origin;
        let principal = cx.principal.as_ref()?;
        let own = principal.account == account.id;
        let mut operations = operations_of("ManagerAccount").iter();
        let operation = operations.find(|o| o.kind == Kind::Action(CHANGE_PASSWORD))?;
        if !principal.may(operation, own) || account.value.origin == Origin::Configuration {
            return None;
        }
        let target = format!("{}/Actions/ManagerAccount.{CHANGE_PASSWORD}", uri_of(&account.id));
        let mut action = Action::at(target);
        let info = ActionInfoUri::AccountServiceAccountsChangePasswordActionInfo {
            manager_account_id: account.id.clone(),
        };
        action.set_action_info(info.to_string());
        Some(Actions {
            manager_account_change_password: Field::Value(action),
            ..Actions::default()
        })
    }
}

impl ManagerAccountApi for Accounts {
    fn exists(&self, scope: &Scope, uri: &ManagerAccountUri) -> bool {
        let ManagerAccountUri::AccountServiceAccounts { manager_account_id: id } = uri;
        scope.has_account(id) && self.accounts.contains(id)
    }

    async fn get(&self, cx: &Context, uri: ManagerAccountUri) -> Result<ManagerAccount> {
        let ManagerAccountUri::AccountServiceAccounts { manager_account_id: id } = &uri;
        let account = self.account(id).ok_or_else(|| Error::not_found(&uri.to_string()))?;
        Ok(self.show_account(cx, &account))
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: ManagerAccountUri,
        body: ManagerAccountPatch,
    ) -> Result<Reply<ManagerAccount>> {
        let ManagerAccountUri::AccountServiceAccounts { manager_account_id: id } = &uri;
        let mut faults = Vec::new();
        if body.password.is_null() {
            faults.push(about("Password", messages::property_value_error("Password")));
        }
        if body.locked == Field::Value(true) {
            // Only failed logins lock.
            let message = messages::property_value_not_in_list("true", "Locked");
            faults.push(about("Locked", message));
        }
        refuse(faults)?;
        let change = AccountChange {
            user_name: body.user_name.into_value(),
            password: body.password.into_value(),
            role: body.role_id.into_value(),
            enabled: body.enabled.into_value(),
            account_types: body
                .account_types
                .into_value()
                .map(|types| types.into_iter().flatten().collect()),
            password_change_required: match body.password_change_required {
                // No value means that nothing is required.
                Field::Null => Some(false),
                other => other.into_value(),
            },
            unlock: body.locked == Field::Value(false),
        };
        let (account, messages) = self.change(id, change, cx.principal.as_deref()).await?;
        let reply = Reply::done(self.show_account(cx, &account));
        Ok(messages.into_iter().fold(reply, Reply::with_message))
    }

    async fn delete(&self, _: &Context, uri: ManagerAccountUri) -> Result<Reply<()>> {
        let ManagerAccountUri::AccountServiceAccounts { manager_account_id: id } = &uri;
        self.remove(id).await?;
        Ok(Reply::done(()))
    }

    async fn change_password(
        &self,
        cx: &Context,
        uri: ManagerAccountUri,
        body: ChangePasswordRequest,
    ) -> Result<Reply<()>> {
        let ManagerAccountUri::AccountServiceAccounts { manager_account_id: id } = &uri;
        let principal = cx.principal.as_deref().ok_or_else(Error::unauthorized)?;
        let old: Secret<String> = body.session_account_password.value_or_default();
        let source = cx.client.map(|client| client.ip());
        // The password of who asks, not that of the account that is to change.
        let verified = self.verify(&principal.user_name, old.expose(), source).await;
        let verified = verified.map_err(|error| match error.status {
            StatusCode::UNAUTHORIZED => {
                let action = format!("ManagerAccount.{CHANGE_PASSWORD}");
                let message =
                    messages::action_parameter_value_error("SessionAccountPassword", action);
                Error::new(StatusCode::BAD_REQUEST, message)
            }
            _ => error,
        });
        if verified?.account.id != principal.account {
            return Err(Error::forbidden());
        }
        let password = body.new_password.value_or_default();
        let change = AccountChange { password: Some(password), ..AccountChange::default() };
        self.change(id, change, Some(principal)).await?;
        Ok(Reply::done(()))
    }
}

impl ManagerAccountCollectionApi for Accounts {
    fn exists(&self, _: &Scope, _: &ManagerAccountCollectionUri) -> bool {
        true
    }

    async fn get(
        &self,
        cx: &Context,
        uri: ManagerAccountCollectionUri,
    ) -> Result<ManagerAccountCollection> {
        let accounts = self.all();
        let visible = accounts.iter().filter(|account| cx.scope.has_account(&account.id));
        let members = visible.map(|account| Ref::from(&uri_of(&account.id))).collect();
        Ok(ManagerAccountCollection::new(&uri, "Accounts", members))
    }

    async fn create(
        &self,
        cx: &Context,
        _: ManagerAccountCollectionUri,
        body: ManagerAccountCreate,
    ) -> Result<Reply<ManagerAccount>> {
        let mut faults = Vec::new();
        for (name, given) in [
            ("UserName", body.user_name.is_value()),
            ("Password", body.password.is_value()),
            ("RoleId", body.role_id.is_value()),
        ] {
            if !given {
                faults.push(about(name, messages::property_missing(name)));
            }
        }
        refuse(faults)?;
        let types = body.account_types.into_value();
        let new = NewAccount {
            enabled: body.enabled.value_or(true),
            account_types: types.map(|types| types.into_iter().flatten().collect()),
            password_change_required: body.password_change_required.value_or_default(),
            ..NewAccount::new(
                body.user_name.value_or_default(),
                body.password.value_or_default(),
                body.role_id.value_or_default(),
            )
        };
        let account = self.create(new).await?;
        Ok(Reply::done(self.show_account(cx, &account)))
    }
}

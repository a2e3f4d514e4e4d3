//! `AccountService`.

use redfish_model::account_service::{
    AccountService, AccountServicePatch, AccountServiceUri, BasicAuthState,
};
use redfish_model::{Field, ManagerAccountCollectionUri, Ref, RoleCollectionUri};

use super::{SettingsPatch, running};
use crate::accounts::Accounts;
use crate::accounts::change::about;
use crate::api::account_service::AccountServiceApi;
use crate::context::{Context, Scope};
use crate::error::Result;
use crate::message::Message;
use crate::messages;
use crate::mount::Reply;

impl AccountServiceApi for Accounts {
    fn exists(&self, _: &Scope, _: &AccountServiceUri) -> bool {
        true
    }

    async fn get(&self, _: &Context, uri: AccountServiceUri) -> Result<AccountService> {
        let rules = self.rules();
        let basic = match rules.http_basic_auth {
            true => BasicAuthState::Enabled,
            false => BasicAuthState::Disabled,
        };
        let accounts = ManagerAccountCollectionUri::AccountServiceAccounts;
        let mut service = AccountService {
            account_lockout_threshold: Field::Value(rules.account_lockout_threshold.into()),
            account_lockout_duration: Field::Value(rules.account_lockout_duration.into()),
            account_lockout_counter_reset_after: Field::Value(
                rules.account_lockout_counter_reset_after.into(),
            ),
            min_password_length: Field::Value(rules.min_password_length.into()),
            max_password_length: Field::Value(rules.max_password_length.into()),
            http_basic_auth: Field::Value(basic),
            supported_account_types: Field::Value(self.config.account_types.clone()),
            accounts: Field::Value(Ref::from(&accounts)),
            roles: Field::Value(Ref::from(&RoleCollectionUri::AccountServiceRoles)),
            privilege_map: Field::Value(Ref::to(&self.config.privilege_map)),
            status: running(),
            ..AccountService::new(&uri, "AccountService", "Account Service")
        };
        let states = [BasicAuthState::Enabled, BasicAuthState::Disabled];
        let states: Vec<_> = states.iter().map(|state| state.as_str().to_owned()).collect();
        service.extra.annotate("HTTPBasicAuth", "Redfish.AllowableValues", states);
        Ok(service)
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: AccountServiceUri,
        body: AccountServicePatch,
    ) -> Result<Reply<AccountService>> {
        let changing = self.changing.lock().await;
        let mut patch = SettingsPatch::new(self);
        patch.number("AccountLockoutThreshold", &body.account_lockout_threshold, |options| {
            &mut options.account_lockout_threshold
        });
        patch.number("AccountLockoutDuration", &body.account_lockout_duration, |options| {
            &mut options.account_lockout_duration
        });
        patch.number(
            "AccountLockoutCounterResetAfter",
            &body.account_lockout_counter_reset_after,
            |options| &mut options.account_lockout_counter_reset_after,
        );
        patch.number("MinPasswordLength", &body.min_password_length, |options| {
            &mut options.min_password_length
        });
        patch.number("MaxPasswordLength", &body.max_password_length, |options| {
            &mut options.max_password_length
        });
        let basic = match &body.http_basic_auth {
            Field::Absent => None,
            Field::Null => Some(None),
            Field::Value(BasicAuthState::Enabled) => Some(Some(true)),
            Field::Value(BasicAuthState::Disabled) => Some(Some(false)),
            Field::Value(other) => {
                let name = "HTTPBasicAuth";
                let message = messages::property_value_not_in_list(other.as_str(), name);
                patch.faults.push(about(name, message));
                None
            }
        };
        if let Some(basic) = basic {
            patch.set("HTTPBasicAuth", basic, |options| &mut options.http_basic_auth);
        }
        let messages: Vec<Message> = patch.apply(self).await?;
        drop(changing);
        let service = AccountServiceApi::get(self, cx, uri).await?;
        Ok(messages.into_iter().fold(Reply::done(service), Reply::with_message))
    }
}

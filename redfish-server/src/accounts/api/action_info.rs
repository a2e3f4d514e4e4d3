//! What `ManagerAccount.ChangePassword` takes.

use std::sync::Arc;

use redfish_model::action_info::{ParameterTypes, Parameters};
use redfish_model::{ActionInfo, ActionInfoUri};

use crate::accounts::Accounts;
use crate::api::action_info::{ActionInfoApi, mount_action_info};
use crate::error::{Error, Result};
use crate::mount::Mount;
use crate::{Context, Scope};

const SITE: &str =
    "/redfish/v1/AccountService/Accounts/{ManagerAccountId}/ChangePasswordActionInfo";

pub(super) fn mount(accounts: &Arc<Accounts>) -> Mount {
    mount_action_info(accounts.clone()).at(&[SITE])
}

impl ActionInfoApi for Accounts {
    fn exists(&self, scope: &Scope, uri: &ActionInfoUri) -> bool {
        use ActionInfoUri::AccountServiceAccountsChangePasswordActionInfo as Here;
        matches!(uri, Here { manager_account_id: id }
            if scope.has_account(id) && self.account(id).is_some())
    }

    async fn get(&self, cx: &Context, uri: ActionInfoUri) -> Result<ActionInfo> {
        if !ActionInfoApi::exists(self, &cx.scope, &uri) {
            return Err(Error::not_found(&uri.to_string()));
        }
        let parameter = |name: &str| Parameters {
            data_type: ParameterTypes::String.into(),
            required: true.into(),
            ..Parameters::new(name)
        };
        let parameters = vec![parameter("NewPassword"), parameter("SessionAccountPassword")];
        Ok(ActionInfo {
            parameters: parameters.into(),
            ..ActionInfo::new(&uri, "ChangePasswordActionInfo", "Change Password Action Info")
        })
    }
}

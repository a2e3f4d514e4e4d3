//! `SecureBoot`: what is configured for the next start, and what the present run has.

use redfish_backend::change::BootChange;
use redfish_backend::machine::{KeyReset, Machine};
use redfish_model::secure_boot::{
    Actions, ResetKeysRequest, ResetKeysType, SecureBootCurrentBootType, SecureBootModeType,
    SecureBootPatch,
};
use redfish_model::{Action, Field, SecureBoot, SecureBootUri};

use super::refusal::{about, bad_request, refused};
use super::{Seen, VirtualBmc, secure_boot_database};
use crate::api::secure_boot::SecureBootApi;
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::messages;
use crate::mount::Reply;

const ENABLE: &str = "SecureBootEnable";

/// Secure boot of a machine whose firmware has it.
fn secure_boot(seen: &Seen<'_>) -> Option<SecureBoot> {
    let state = seen.machine.boot.secure_boot?;
    let current = state.current.map(|current| match current {
        true => SecureBootCurrentBootType::Enabled,
        false => SecureBootCurrentBootType::Disabled,
    });
    let keys = secure_boot_database::keys(seen.machine);
    // Without a platform key whoever comes may bring one.
    let mode = keys.map(|keys| match keys.pk {
        true => SecureBootModeType::UserMode,
        false => SecureBootModeType::SetupMode,
    });
    Some(SecureBoot {
        actions: seen.machine.capabilities.secure_boot_keys.then(|| actions(seen)).into(),
        secure_boot_databases: keys.map(|_| seen.link("SecureBoot/SecureBootDatabases")).into(),
        secure_boot_mode: mode.into(),
        secure_boot_enable: state.enable.into(),
        secure_boot_current_boot: current.into(),
        ..SecureBoot::new(seen.below_system("SecureBoot"), "SecureBoot", "UEFI Secure Boot")
    })
}

fn actions(seen: &Seen<'_>) -> Actions {
    let mut reset: Action<ResetKeysRequest> =
        Action::at(seen.below_system("SecureBoot/Actions/SecureBoot.ResetKeys"));
    reset.allow("ResetKeysType", &key_resets());
    reset.set_action_info(seen.below_system("SecureBoot/ResetKeysActionInfo"));
    Actions { secure_boot_reset_keys: reset.into(), ..Actions::default() }
}

/// The values of `ResetKeysType`: each is something that the backend knows.
pub(super) fn key_resets() -> Vec<&'static str> {
    ResetKeysType::KNOWN.to_vec()
}

const fn key_reset(wanted: &ResetKeysType) -> Option<KeyReset> {
    match wanted {
        ResetKeysType::ResetAllKeysToDefault => Some(KeyReset::ToDefault),
        ResetKeysType::DeleteAllKeys => Some(KeyReset::DeleteAll),
        ResetKeysType::DeletePK => Some(KeyReset::DeletePlatformKey),
        _ => None,
    }
}

/// What a PATCH comes to; nothing when it is so already.
fn change(machine: &Machine, patch: &SecureBootPatch) -> Result<Option<BootChange>> {
    let enable = match patch.secure_boot_enable {
        Field::Absent => return Ok(None),
        // There is no third state that a firmware could be in.
        Field::Null => {
            let message = messages::property_value_type_error("null", ENABLE);
            return Err(bad_request(about(ENABLE, message)));
        }
        Field::Value(enable) => enable,
    };
    if machine.boot.secure_boot.map(|state| state.enable) == Some(enable) {
        return Ok(None);
    }
    let mut change = BootChange::default();
    change.secure_boot = Some(enable);
    change.check(machine).map_err(not_writable)?;
    Ok(Some(change))
}

fn not_writable(error: redfish_backend::Error) -> Error {
    refused(error, || about(ENABLE, messages::property_not_writable(ENABLE)))
}

impl SecureBootApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &SecureBootUri) -> bool {
        let SecureBootUri::SystemsSecureBoot { computer_system_id } = uri;
        self.has(scope, computer_system_id, |machine| machine.boot.secure_boot.is_some())
    }

    async fn get(&self, cx: &Context, uri: SecureBootUri) -> Result<SecureBoot> {
        let SecureBootUri::SystemsSecureBoot { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, secure_boot)
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: SecureBootUri,
        body: SecureBootPatch,
    ) -> Result<Reply<SecureBoot>> {
        let SecureBootUri::SystemsSecureBoot { computer_system_id } = &uri;
        let missing = || Error::not_found(&uri.to_string());
        let mut machine = self.machine(&cx.scope, computer_system_id).ok_or_else(missing)?;
        if let Some(change) = change(&machine, &body)? {
            let done = self.backend.set_boot(&machine.id, change, &cx.caller()).await;
            machine = done.map_err(not_writable)?;
        }
        let resource = secure_boot(&self.seen(&machine, &cx.scope)).ok_or_else(missing)?;
        Ok(Reply::done(resource))
    }

    async fn reset_keys(
        &self,
        cx: &Context,
        uri: SecureBootUri,
        body: ResetKeysRequest,
    ) -> Result<Reply<()>> {
        let SecureBootUri::SystemsSecureBoot { computer_system_id } = &uri;
        let missing = || Error::not_found(&uri.to_string());
        let machine = self.machine(&cx.scope, computer_system_id).ok_or_else(missing)?;
        let Field::Value(wanted) = &body.reset_keys_type else {
            let message = messages::action_parameter_missing(RESET, KEYS);
            return Err(bad_request(message));
        };
        let reset = key_reset(wanted).ok_or_else(|| {
            bad_request(messages::action_parameter_value_not_in_list(wanted.as_str(), KEYS, RESET))
        })?;
        let done = self.backend.reset_secure_boot_keys(&machine.id, reset, &cx.caller()).await;
        done.map_err(|error| refused(error, || messages::action_not_supported(RESET)))?;
        Ok(Reply::done(()))
    }
}

const RESET: &str = "ResetKeys";
const KEYS: &str = "ResetKeysType";

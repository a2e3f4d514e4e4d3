//! `ActionInfo`: what the actions of machines accept, made from the same capabilities as the actions.

use redfish_model::action_info::{ParameterTypes, Parameters};
use redfish_model::resource::ResetType;
use redfish_model::{ActionInfo, ActionInfoUri};

use super::media::is_read_only;
use super::system::reset_types;
use super::{Seen, VirtualBmc, manager, secure_boot};
use crate::api::action_info::ActionInfoApi;
use crate::context::{Context, Scope};
use crate::error::Result;

/// The templates at which they stand.
pub(super) const SITES: [&str; 5] = [
    "/redfish/v1/Systems/{ComputerSystemId}/ResetActionInfo",
    "/redfish/v1/Managers/{ManagerId}/ResetActionInfo",
    "/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/ResetKeysActionInfo",
    "/redfish/v1/Systems/{ComputerSystemId}/VirtualMedia/{VirtualMediaId}/InsertMediaActionInfo",
    "/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}/InsertMediaActionInfo",
];

/// The segment of the machine in a URI of these.
fn machine_of(uri: &ActionInfoUri) -> Option<&str> {
    use ActionInfoUri as At;
    match uri {
        At::SystemsResetActionInfo { computer_system_id: id }
        | At::ManagersResetActionInfo { manager_id: id }
        | At::SystemsSecureBootResetKeysActionInfo { computer_system_id: id }
        | At::SystemsVirtualMediaInsertMediaActionInfo { computer_system_id: id, .. }
        | At::ManagersVirtualMediaInsertMediaActionInfo { manager_id: id, .. } => Some(id),
        _ => None,
    }
}

/// The parameters of an action; `None` when the machine does not offer it to this caller.
fn action_info(seen: &Seen<'_>, uri: &ActionInfoUri) -> Option<ActionInfo> {
    use ActionInfoUri as At;
    let (parent, id, parameters) = match uri {
        At::SystemsResetActionInfo { .. } => {
            let allowed = reset_types(seen.machine.capabilities.resets);
            if allowed.is_empty() {
                return None;
            }
            (seen.system(), "ResetActionInfo", vec![listed("ResetType", true, &allowed)])
        }
        At::ManagersResetActionInfo { .. } => {
            let allowed = manager::RESETS.each_ref().map(ResetType::as_str);
            (seen.manager(), "ResetActionInfo", vec![listed("ResetType", false, &allowed)])
        }
        At::SystemsSecureBootResetKeysActionInfo { .. } => {
            let machine = seen.machine;
            if machine.boot.secure_boot.is_none() || !machine.capabilities.secure_boot_keys {
                return None;
            }
            let allowed = secure_boot::key_resets();
            let parameters = vec![listed("ResetKeysType", true, &allowed)];
            (seen.below_system("SecureBoot"), "ResetKeysActionInfo", parameters)
        }
        At::SystemsVirtualMediaInsertMediaActionInfo { virtual_media_id, .. } => {
            insert(seen, &seen.system(), virtual_media_id)?
        }
        At::ManagersVirtualMediaInsertMediaActionInfo { virtual_media_id, .. } => {
            if !seen.for_clients() {
                return None;
            }
            insert(seen, &seen.manager(), virtual_media_id)?
        }
        _ => return None,
    };
    let name = id.replace("ActionInfo", " Action Info");
    Some(ActionInfo {
        parameters: parameters.into(),
        ..ActionInfo::new(format!("{parent}/{id}"), id, name)
    })
}

fn insert(
    seen: &Seen<'_>,
    parent: &str,
    slot: &str,
) -> Option<(String, &'static str, Vec<Parameters>)> {
    let slot = seen.machine.media.iter().find(|candidate| candidate.id.as_str() == slot)?;
    if !seen.machine.capabilities.media {
        return None;
    }
    let protected: &[&str] = if is_read_only(slot.kind) { &["true"] } else { &["true", "false"] };
    let boolean = |name, allowed: &[&str]| Parameters {
        data_type: ParameterTypes::Boolean.into(),
        ..listed(name, false, allowed)
    };
    let parameters = vec![
        parameter("Image", true),
        boolean("Inserted", &["true"]),
        parameter("Password", false),
        listed("TransferMethod", false, &["Stream"]),
        listed("TransferProtocolType", false, &["HTTP", "HTTPS"]),
        parameter("UserName", false),
        boolean("WriteProtected", protected),
    ];
    let parent = format!("{parent}/VirtualMedia/{}", slot.id);
    Some((parent, "InsertMediaActionInfo", parameters))
}

fn parameter(name: &str, required: bool) -> Parameters {
    Parameters {
        data_type: ParameterTypes::String.into(),
        required: required.into(),
        ..Parameters::new(name)
    }
}

fn listed(name: &str, required: bool, allowed: &[&str]) -> Parameters {
    let allowed: Vec<_> = allowed.iter().map(|value| Some((*value).to_owned())).collect();
    Parameters { allowable_values: allowed.into(), ..parameter(name, required) }
}

impl ActionInfoApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &ActionInfoUri) -> bool {
        let machine = machine_of(uri).and_then(|segment| self.machine(scope, segment));
        machine.is_some_and(|machine| action_info(&self.seen(&machine, scope), uri).is_some())
    }

    async fn get(&self, cx: &Context, uri: ActionInfoUri) -> Result<ActionInfo> {
        let segment = machine_of(&uri).unwrap_or_default();
        self.look(cx, segment, &uri, |seen| action_info(seen, &uri))
    }
}

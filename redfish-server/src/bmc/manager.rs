//! `Manager`: the BMC of a machine, which is this service.
//!
//! Each machine has a manager of its own, so that clients find one where they look for it. Its `UUID`
//! follows from the machine (its incarnation if known, else its id), so that it stays the same over
//! restarts and replicas and is another one for another machine under the same name.

use std::sync::Arc;
use std::time::SystemTime;

use redfish_backend::Label;
use redfish_backend::machine::{Machine, Uuid};
use redfish_model::manager::{
    Actions, Links, ManagerPatch, ManagerType, ResetRequest, ResetToDefaultsRequest,
};
use redfish_model::resource::{PowerState, ResetType};
use redfish_model::{
    Action, DateTimeOffset, Field, Manager, ManagerCollection, ManagerCollectionUri, ManagerUri,
    Ref,
};
use sha2::{Digest as _, Sha256};

use super::refusal::bad_request;
use super::seen::{MANAGERS, members};
use super::{Seen, VirtualBmc, status};
use crate::api::manager::{ManagerApi, ManagerCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::messages;
use crate::mount::Reply;

/// The resets of a manager. Both are the same: what hangs on it ends, and it begins anew.
pub(super) const RESETS: [ResetType; 2] = [ResetType::GracefulRestart, ResetType::ForceRestart];

/// The manager of a machine, at a time.
fn manager(
    seen: &Seen<'_>,
    now: Option<DateTimeOffset>,
    last_reset: Option<DateTimeOffset>,
) -> Manager {
    let below = |tail: &str| format!("{}/{tail}", seen.manager());
    let has_interfaces = !seen.settings.network.interfaces.is_empty();
    let virtual_media = seen.for_clients().then(|| Ref::to(below("VirtualMedia")));
    Manager {
        actions: actions(seen).into(),
        date_time_local_offset: now.as_ref().map(|_| "+00:00".to_owned()).into(),
        date_time: now.into(),
        ethernet_interfaces: has_interfaces.then(|| Ref::to(below("EthernetInterfaces"))).into(),
        firmware_version: env!("CARGO_PKG_VERSION").into(),
        last_reset_time: last_reset.into(),
        links: Links {
            manager_for_chassis: vec![Ref::to(seen.chassis())].into(),
            manager_for_chassis_odata_count: 1.into(),
            manager_for_servers: vec![Ref::to(seen.system())].into(),
            manager_for_servers_odata_count: 1.into(),
            ..Links::default()
        }
        .into(),
        log_services: Ref::to(below("LogServices")).into(),
        manager_type: ManagerType::BMC.into(),
        manufacturer: seen.settings.vendor.clone().into(),
        model: "Virtual BMC".into(),
        network_protocol: Ref::to(below("NetworkProtocol")).into(),
        power_state: PowerState::On.into(),
        serial_interfaces: Ref::to(below("SerialInterfaces")).into(),
        status: status::manager(seen).into(),
        uuid: uuid(seen.machine).to_string().into(),
        virtual_media: virtual_media.into(),
        ..Manager::new(seen.manager(), seen.id(), format!("Manager of {}", seen.name()))
    }
}

/// A UUID made of a hash, of version 8 (RFC 9562, 5.8).
fn uuid(machine: &Machine) -> Uuid {
    let name = machine.identity.uid.as_ref().map_or(machine.id.as_str(), Label::as_str);
    let hash = Sha256::new().chain_update("Manager/").chain_update(name).finalize();
    let bytes: [u8; 16] = std::array::from_fn(|at| hash[at]);
    let value = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0x3 << 62);
    Uuid::new(value | 0x8 << 76 | 0x2 << 62)
}

fn actions(seen: &Seen<'_>) -> Actions {
    let mut reset: Action<ResetRequest> =
        Action::at(format!("{}/Actions/Manager.Reset", seen.manager()));
    reset.allow("ResetType", &RESETS.each_ref().map(ResetType::as_str));
    reset.set_action_info(format!("{}/ResetActionInfo", seen.manager()));
    Actions { manager_reset: reset.into(), ..Actions::default() }
}

fn collection(scope: &Scope, machines: &[Arc<Machine>]) -> ManagerCollection {
    let names = machines.iter().map(|machine| scope.name(machine.id.as_str()));
    ManagerCollection::new(MANAGERS, "Managers", members(MANAGERS, names))
}

impl ManagerApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &ManagerUri) -> bool {
        let ManagerUri::Managers { manager_id } = uri;
        self.machine(scope, manager_id).is_some()
    }

    async fn get(&self, cx: &Context, uri: ManagerUri) -> Result<Manager> {
        let ManagerUri::Managers { manager_id } = &uri;
        self.look(cx, manager_id, &uri, |seen| {
            let now = status::timestamp(SystemTime::now());
            Some(manager(seen, now, self.kept(seen.machine).last_reset))
        })
    }

    /// Not mounted: the clock and all else here are the service's.
    async fn patch(&self, _: &Context, _: ManagerUri, _: ManagerPatch) -> Result<Reply<Manager>> {
        Err(Error::method_not_allowed())
    }

    async fn reset(&self, cx: &Context, uri: ManagerUri, body: ResetRequest) -> Result<Reply<()>> {
        let ManagerUri::Managers { manager_id } = &uri;
        let machine = self.machine(&cx.scope, manager_id);
        let machine = machine.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        if let Field::Value(other) = &body.reset_type
            && !RESETS.contains(other)
        {
            let parameter = "ResetType";
            return Err(bad_request(messages::action_parameter_value_not_in_list(
                other.as_str(),
                parameter,
                "Reset",
            )));
        }
        if let Some(hook) = &self.settings.on_manager_reset {
            hook(cx, &machine);
        }
        self.keep(&machine, |kept| {
            // What was set for slots stays: it is configuration, not state.
            kept.last_reset = status::timestamp(SystemTime::now());
        });
        Ok(Reply::done(()))
    }

    /// Not mounted: there is nothing that could be lost.
    async fn reset_to_defaults(
        &self,
        _: &Context,
        _: ManagerUri,
        _: ResetToDefaultsRequest,
    ) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl ManagerCollectionApi for VirtualBmc {
    fn exists(&self, _: &Scope, _: &ManagerCollectionUri) -> bool {
        true
    }

    async fn get(&self, cx: &Context, _: ManagerCollectionUri) -> Result<ManagerCollection> {
        Ok(collection(&cx.scope, &self.machines(&cx.scope)?))
    }
}

#[cfg(test)]
mod tests {
    use redfish_backend::MachineId;
    use redfish_backend::machine::Revision;
    use redfish_backend::power::PowerState;

    use super::*;

    #[test]
    fn uuids_follow_from_machines() {
        let machine = |id: &str, uid: Option<&str>| {
            let mut machine =
                Machine::new(MachineId::new(id).unwrap(), PowerState::Off, Revision::of(1));
            machine.identity.uid = uid.map(Into::into);
            uuid(&machine).to_string()
        };
        assert_eq!(machine("a", None), machine("a", None));
        assert_ne!(machine("a", None), machine("b", None));
        assert_ne!(machine("a", Some("1")), machine("a", Some("2")));
        let text = machine("a", None);
        assert!(text.as_bytes()[14] == b'8' && b"89ab".contains(&text.as_bytes()[19]), "{text}");
    }
}

//! `Chassis`, and the subsystems that a virtual one does not have.
//!
//! A virtual machine has no enclosure, but clients go from systems to chassis and back. So there is
//! one for each machine; it says which machine it holds, and that nothing powers or cools it.

use std::sync::Arc;

use redfish_backend::machine::Machine;
use redfish_model::chassis::{ChassisPatch, ChassisType, Links, ResetRequest};
use redfish_model::power_subsystem::PowerSubsystemPatch;
use redfish_model::thermal_subsystem::ThermalSubsystemPatch;
use redfish_model::{
    Chassis, ChassisCollection, ChassisCollectionUri, ChassisUri, Field, PowerSubsystem,
    PowerSubsystemUri, Ref, ThermalSubsystem, ThermalSubsystemUri,
};

use super::boot_change::Wanted;
use super::seen::{CHASSIS, members};
use super::system_change::{Identity, write};
use super::{Seen, VirtualBmc, drive, status};
use crate::api::chassis::{ChassisApi, ChassisCollectionApi};
use crate::api::power_subsystem::PowerSubsystemApi;
use crate::api::thermal_subsystem::ThermalSubsystemApi;
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// What holds a machine.
fn chassis(seen: &Seen<'_>) -> Chassis {
    let machine = seen.machine;
    let below = |tail: &str| format!("{}/{tail}", seen.chassis());
    let locating = match machine.identity.locating {
        None if machine.capabilities.locate => Field::Null,
        locating => locating.into(),
    };
    let drives = drive::any(machine).then(|| Ref::to(below("Drives")));
    Chassis {
        drives: drives.into(),
        links: Links {
            computer_systems: vec![Ref::to(seen.system())].into(),
            computer_systems_odata_count: 1.into(),
            managed_by: vec![Ref::to(seen.manager())].into(),
            managed_by_odata_count: 1.into(),
            ..Links::default()
        }
        .into(),
        location_indicator_active: locating,
        log_services: Ref::to(below("LogServices")).into(),
        power_state: status::power_state(machine.power).into(),
        power_subsystem: Ref::to(below("PowerSubsystem")).into(),
        sensors: Ref::to(below("Sensors")).into(),
        status: status::system(seen).into(),
        thermal_subsystem: Ref::to(below("ThermalSubsystem")).into(),
        ..Chassis::new(seen.chassis(), seen.id(), seen.name(), ChassisType::Other)
    }
}

fn power_subsystem(seen: &Seen<'_>) -> PowerSubsystem {
    let uri = format!("{}/PowerSubsystem", seen.chassis());
    PowerSubsystem {
        status: status::absent().into(),
        ..PowerSubsystem::new(uri, "PowerSubsystem", "Power Subsystem")
    }
}

fn thermal_subsystem(seen: &Seen<'_>) -> ThermalSubsystem {
    let uri = format!("{}/ThermalSubsystem", seen.chassis());
    ThermalSubsystem {
        status: status::absent().into(),
        ..ThermalSubsystem::new(uri, "ThermalSubsystem", "Thermal Subsystem")
    }
}

fn collection(scope: &Scope, machines: &[Arc<Machine>]) -> ChassisCollection {
    let names = machines.iter().map(|machine| scope.name(machine.id.as_str()));
    ChassisCollection::new(CHASSIS, "Chassis", members(CHASSIS, names))
}

impl ChassisApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &ChassisUri) -> bool {
        let ChassisUri::Chassis { chassis_id } = uri;
        self.machine(scope, chassis_id).is_some()
    }

    async fn get(&self, cx: &Context, uri: ChassisUri) -> Result<Chassis> {
        let ChassisUri::Chassis { chassis_id } = &uri;
        self.look(cx, chassis_id, &uri, |seen| Some(chassis(seen)))
    }

    /// The location indicator is that of the system.
    async fn patch(
        &self,
        cx: &Context,
        uri: ChassisUri,
        body: ChassisPatch,
    ) -> Result<Reply<Chassis>> {
        let ChassisUri::Chassis { chassis_id } = &uri;
        let machine = self.machine(&cx.scope, chassis_id);
        let machine = machine.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let identity =
            Identity { locating: Some(&body.location_indicator_active), ..Identity::default() };
        let applied = write(self, cx, &machine, Wanted::default(), &identity, Vec::new()).await?;
        Ok(applied.reply(|machine| chassis(&self.seen(machine, &cx.scope))))
    }

    /// Not mounted: what can be reset is the system.
    async fn reset(&self, _: &Context, _: ChassisUri, _: ResetRequest) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl ChassisCollectionApi for VirtualBmc {
    fn exists(&self, _: &Scope, _: &ChassisCollectionUri) -> bool {
        true
    }

    async fn get(&self, cx: &Context, _: ChassisCollectionUri) -> Result<ChassisCollection> {
        Ok(collection(&cx.scope, &self.machines(&cx.scope)?))
    }
}

impl PowerSubsystemApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &PowerSubsystemUri) -> bool {
        let PowerSubsystemUri::ChassisPowerSubsystem { chassis_id } = uri;
        self.machine(scope, chassis_id).is_some()
    }

    async fn get(&self, cx: &Context, uri: PowerSubsystemUri) -> Result<PowerSubsystem> {
        let PowerSubsystemUri::ChassisPowerSubsystem { chassis_id } = &uri;
        self.look(cx, chassis_id, &uri, |seen| Some(power_subsystem(seen)))
    }

    /// Not mounted.
    async fn patch(
        &self,
        _: &Context,
        _: PowerSubsystemUri,
        _: PowerSubsystemPatch,
    ) -> Result<Reply<PowerSubsystem>> {
        Err(Error::method_not_allowed())
    }
}

impl ThermalSubsystemApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &ThermalSubsystemUri) -> bool {
        let ThermalSubsystemUri::ChassisThermalSubsystem { chassis_id } = uri;
        self.machine(scope, chassis_id).is_some()
    }

    async fn get(&self, cx: &Context, uri: ThermalSubsystemUri) -> Result<ThermalSubsystem> {
        let ThermalSubsystemUri::ChassisThermalSubsystem { chassis_id } = &uri;
        self.look(cx, chassis_id, &uri, |seen| Some(thermal_subsystem(seen)))
    }

    /// Not mounted.
    async fn patch(
        &self,
        _: &Context,
        _: ThermalSubsystemUri,
        _: ThermalSubsystemPatch,
    ) -> Result<Reply<ThermalSubsystem>> {
        Err(Error::method_not_allowed())
    }
}

//! `ComputerSystem` and its collection.

use redfish_backend::machine::{BootProgress as Progress, Machine, Memory};
use redfish_backend::power::{Reset, ResetSet};
use redfish_model::computer_system::{
    self as model, Actions, BootProgress, BootProgressTypes, ComputerSystemPatch, Links,
    MemorySummary, ProcessorSummary, ResetRequest, SetDefaultBootOrderRequest, SystemType,
};
use redfish_model::{
    Action, ComputerSystem, ComputerSystemCollection, ComputerSystemCollectionUri,
    ComputerSystemUri, Field, LinkOrText, Number, Ref,
};

use super::refusal::{bad_request, refused};
use super::seen::{SYSTEMS, members, number};
use super::{Seen, VirtualBmc, boot, operating_system, status, storage, system_change};
use crate::api::computer_system::{ComputerSystemApi, ComputerSystemCollectionApi};
use crate::context::{Context, OperatingSystem, Scope};
use crate::error::{Error, Result};
use crate::messages;
use crate::mount::Reply;

/// A machine as a ComputerSystem.
pub(super) fn system(seen: &Seen<'_>) -> ComputerSystem {
    let machine = seen.machine;
    let (identity, parts) = (&machine.identity, &machine.inventory);
    let can = &machine.capabilities;
    let has_disks = !parts.disks.is_empty();
    let has_storage = !storage::controllers(machine).is_empty();
    let text = |label: &Option<redfish_backend::Label>| known(label.as_ref());
    ComputerSystem {
        description: known(identity.description.as_ref()),
        actions: actions(seen),
        asset_tag: writable(can.asset_tag, text(&identity.asset_tag)),
        bios: machine.bios.as_ref().map(|_| seen.link("Bios")).into(),
        bios_version: text(&identity.firmware_version),
        boot: boot::boot(seen).into(),
        boot_progress: boot_progress(machine),
        ethernet_interfaces: seen.link("EthernetInterfaces").into(),
        host_name: machine.agent.as_ref().map_or(Field::Absent, |agent| text(&agent.host_name)),
        links: links(seen).into(),
        location_indicator_active: writable(can.locate, identity.locating.into()),
        log_services: seen.link("LogServices").into(),
        manufacturer: text(&identity.manufacturer),
        memory: parts.memory.map(|_| seen.link("Memory")).into(),
        memory_summary: parts.memory.map(memory_summary).into(),
        model: text(&identity.model),
        operating_system: operating_system(seen),
        power_state: status::power_state(machine.power).into(),
        processor_summary: processor_summary(machine),
        processors: parts.processors.as_ref().map(|_| seen.link("Processors")).into(),
        sku: text(&identity.sku),
        secure_boot: machine.boot.secure_boot.map(|_| seen.link("SecureBoot")).into(),
        serial_number: text(&identity.serial_number),
        simple_storage: has_disks.then(|| seen.link("SimpleStorage")).into(),
        status: status::system(seen).into(),
        storage: has_storage.then(|| seen.link("Storage")).into(),
        system_type: SystemType::Virtual.into(),
        uuid: identity.uuid.map(|uuid| uuid.to_string()).into(),
        virtual_media: seen.link("VirtualMedia").into(),
        ..ComputerSystem::new(seen.system(), seen.id(), seen.name())
    }
}

/// All systems of a scope.
fn collection(scope: &Scope, machines: &[std::sync::Arc<Machine>]) -> ComputerSystemCollection {
    let names = machines.iter().map(|machine| scope.name(machine.id.as_str()));
    ComputerSystemCollection::new(SYSTEMS, "Computer Systems", members(SYSTEMS, names))
}

/// The resets that a machine offers, as `ResetType` values.
pub(super) fn reset_types(resets: ResetSet) -> Vec<&'static str> {
    resets.iter().map(Reset::as_str).collect()
}

/// A text that is there if it says something.
pub(super) fn known<const MAX: usize>(text: Option<&redfish_backend::Text<MAX>>) -> Field<String> {
    text.filter(|text| !text.is_empty()).map(|text| text.as_str().to_owned()).into()
}

/// What clients may write is shown also where it is not set.
fn writable<T>(can: bool, field: Field<T>) -> Field<T> {
    match field {
        Field::Absent if can => Field::Null,
        field => field,
    }
}

fn actions(seen: &Seen<'_>) -> Field<Actions> {
    let allowed = reset_types(seen.machine.capabilities.resets);
    if allowed.is_empty() {
        return Field::Absent;
    }
    let mut reset: Action<ResetRequest> =
        Action::at(seen.below_system("Actions/ComputerSystem.Reset"));
    reset.allow("ResetType", &allowed);
    reset.set_action_info(seen.below_system("ResetActionInfo"));
    Actions { computer_system_reset: reset.into(), ..Actions::default() }.into()
}

fn links(seen: &Seen<'_>) -> Links {
    Links {
        chassis: vec![Ref::to(seen.chassis())].into(),
        chassis_odata_count: 1.into(),
        managed_by: vec![Ref::to(seen.manager())].into(),
        managed_by_odata_count: 1.into(),
        ..Links::default()
    }
}

/// How far the boot has come: firmware that runs has its processor, and no more is known of it.
fn boot_progress(machine: &Machine) -> Field<BootProgress> {
    let progress = machine.agent.as_ref().and_then(|agent| agent.boot_progress);
    let state = progress.map(|progress| match progress {
        Progress::FirmwareRunning => BootProgressTypes::PrimaryProcessorInitializationStarted,
        Progress::OsBootStarted => BootProgressTypes::OSBootStarted,
        Progress::OsRunning => BootProgressTypes::OSRunning,
    });
    state.map(|state| BootProgress { last_state: state.into(), ..BootProgress::default() }).into()
}

fn processor_summary(machine: &Machine) -> Field<ProcessorSummary> {
    let Some(processors) = &machine.inventory.processors else { return Field::Absent };
    let cores = u64::from(processors.sockets) * u64::from(processors.cores);
    ProcessorSummary {
        count: number(processors.sockets).into(),
        core_count: number(cores).into(),
        logical_processor_count: number(processors.total_threads()).into(),
        model: known(processors.model.as_ref()),
        ..ProcessorSummary::default()
    }
    .into()
}

fn memory_summary(memory: Memory) -> MemorySummary {
    MemorySummary {
        total_system_memory_gi_b: gibibytes(memory.bytes).into(),
        ..MemorySummary::default()
    }
}

/// Bytes in GiB: an integer where it is one, else the exact fraction (a double holds any number of
/// bytes below 8 PiB).
fn gibibytes(bytes: u64) -> Number {
    const GIB: u64 = 1 << 30;
    let whole = bytes / GIB;
    if bytes.is_multiple_of(GIB) {
        return whole.into();
    }
    #[expect(clippy::cast_precision_loss, reason = "exact as far as memories go")]
    let fraction = bytes as f64 / GIB as f64;
    Number::try_from(fraction).unwrap_or_else(|_| whole.into())
}

fn operating_system(seen: &Seen<'_>) -> Field<LinkOrText<redfish_model::target::OperatingSystem>> {
    let Some(title) = operating_system::title(seen.machine) else { return Field::Absent };
    match seen.scope.operating_system {
        OperatingSystem::Omit => Field::Absent,
        OperatingSystem::String => LinkOrText::Text(title).into(),
        OperatingSystem::Link => LinkOrText::Link(seen.link("OperatingSystem")).into(),
    }
}

impl ComputerSystemApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &ComputerSystemUri) -> bool {
        let ComputerSystemUri::Systems { computer_system_id } = uri;
        self.machine(scope, computer_system_id).is_some()
    }

    async fn get(&self, cx: &Context, uri: ComputerSystemUri) -> Result<ComputerSystem> {
        let ComputerSystemUri::Systems { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| Some(system(seen)))
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: ComputerSystemUri,
        body: ComputerSystemPatch,
    ) -> Result<Reply<ComputerSystem>> {
        let ComputerSystemUri::Systems { computer_system_id } = &uri;
        let machine = self
            .machine(&cx.scope, computer_system_id)
            .ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let applied = system_change::apply(self, cx, &machine, &body).await?;
        Ok(applied.reply(|machine| system(&self.seen(machine, &cx.scope))))
    }

    async fn reset(
        &self,
        cx: &Context,
        uri: ComputerSystemUri,
        body: model::ResetRequest,
    ) -> Result<Reply<()>> {
        let ComputerSystemUri::Systems { computer_system_id } = &uri;
        let machine = self
            .machine(&cx.scope, computer_system_id)
            .ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let offered = machine.capabilities.resets;
        // Whoever does not say which reset does not mean any in particular.
        let Field::Value(wanted) = body.reset_type else {
            return Err(bad_request(messages::action_parameter_missing("Reset", "ResetType")));
        };
        let not_offered =
            || messages::action_parameter_value_not_in_list(wanted.as_str(), "ResetType", "Reset");
        let reset = offered.iter().find(|reset| reset.as_str() == wanted.as_str());
        let reset = reset.ok_or_else(|| bad_request(not_offered()))?;
        let done = self.backend.reset(&machine.id, reset, &cx.caller()).await;
        done.map_err(|error| refused(error, not_offered))?;
        Ok(Reply::done(()))
    }

    /// Not mounted: no backend has a default order that it could go back to.
    async fn set_default_boot_order(
        &self,
        _: &Context,
        _: ComputerSystemUri,
        _: SetDefaultBootOrderRequest,
    ) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl ComputerSystemCollectionApi for VirtualBmc {
    fn exists(&self, _: &Scope, _: &ComputerSystemCollectionUri) -> bool {
        true
    }

    async fn get(
        &self,
        cx: &Context,
        _: ComputerSystemCollectionUri,
    ) -> Result<ComputerSystemCollection> {
        Ok(collection(&cx.scope, &self.machines(&cx.scope)?))
    }
}

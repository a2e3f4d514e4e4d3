//! Which operations of the virtual BMC are served, and where.
//!
//! The generated traits have all operations of the schema. What no machine of any backend can do is
//! not mounted, so that `Allow` is truthful and the answer is 405, or 404 for an action.

use std::sync::Arc;

use super::{VirtualBmc, action_info, bios, drive};
use crate::api;
use crate::mount::Mount;
use crate::operation::Kind;

/// What is below Systems, Chassis and Managers for the machines of a backend.
pub fn mounts(bmc: &Arc<VirtualBmc>) -> Vec<Mount> {
    let service = || Arc::clone(bmc);
    let here = |mount: Mount| {
        let ready = Arc::clone(bmc);
        mount.ready(move || ready.ready())
    };
    // By the machine in the URI; what else an answer depends on is in the number as well.
    let kept = |mount: Mount| {
        let version = Arc::clone(bmc);
        here(mount).versioned(move |scope, uri| version.version(scope, uri))
    };
    let read = |mount: Mount| kept(only(mount, &[Kind::Get]));
    let write = |mount: Mount, actions: &[&'static str]| {
        let actions = actions.iter().map(|action| Kind::Action(action));
        let kinds: Vec<_> = [Kind::Get, Kind::Patch].into_iter().chain(actions).collect();
        kept(only(mount, &kinds))
    };
    vec![
        here(api::computer_system::mount_computer_system_collection(service())),
        write(api::computer_system::mount_computer_system(service()), &["Reset"]),
        read(api::processor::mount_processor_collection(service())),
        read(api::processor::mount_processor(service())),
        read(api::memory::mount_memory_collection(service())),
        read(api::memory::mount_memory(service())),
        read(api::ethernet_interface::mount_ethernet_interface_collection(service())),
        read(api::ethernet_interface::mount_ethernet_interface(service())),
        read(api::simple_storage::mount_simple_storage_collection(service())),
        read(api::simple_storage::mount_simple_storage(service())),
        read(api::storage::mount_storage_collection(service())),
        read(api::storage::mount_storage(service())),
        read(api::storage_controller::mount_storage_controller_collection(service())),
        read(api::storage_controller::mount_storage_controller(service())),
        kept(only(api::volume::mount_volume_collection(service()), &[Kind::Get, Kind::Create])),
        kept(only(api::volume::mount_volume(service()), &[Kind::Get, Kind::Delete])),
        read(api::drive::mount_drive_collection(service())),
        read(api::drive::mount_drive(service()).at(&[drive::SITE])),
        kept(bios_operations(api::bios::mount_bios(service()))),
        // By the machines of a scope: no machine is in the URI.
        here(api::attribute_registry::mount_attribute_registry(service())),
        read(api::boot_option::mount_boot_option_collection(service())),
        read(api::boot_option::mount_boot_option(service())),
        write(api::secure_boot::mount_secure_boot(service()), &["ResetKeys"]),
        read(api::secure_boot_database::mount_secure_boot_database_collection(service())),
        read(api::secure_boot_database::mount_secure_boot_database(service())),
        read(api::operating_system::mount_operating_system(service())),
        read(api::virtual_media::mount_virtual_media_collection(service())),
        write(api::virtual_media::mount_virtual_media(service()), &["InsertMedia", "EjectMedia"]),
        here(api::chassis::mount_chassis_collection(service())),
        write(api::chassis::mount_chassis(service()), &[]),
        read(api::power_subsystem::mount_power_subsystem(service())),
        read(api::thermal_subsystem::mount_thermal_subsystem(service())),
        here(api::manager::mount_manager_collection(service())),
        // Its clock moves: it is made anew each time.
        here(only(api::manager::mount_manager(service()), &[Kind::Get, Kind::Action("Reset")])),
        read(api::action_info::mount_action_info(service()).at(&action_info::SITES)),
    ]
}

/// Serves no other operations than these.
fn only(mut mount: Mount, kinds: &[Kind]) -> Mount {
    mount.operations.retain(|operation| kinds.contains(&operation.kind));
    mount
}

/// Of what is there is a reset, of what will be a PATCH.
fn bios_operations(mut mount: Mount) -> Mount {
    mount.operations.retain(|operation| match operation.kind {
        Kind::Get => true,
        Kind::Patch => operation.site != bios::SITE,
        Kind::Action("ResetBios") => operation.site == bios::SITE,
        _ => false,
    });
    mount
}

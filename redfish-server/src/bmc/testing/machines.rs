//! The machines of tests.

use redfish_backend::machine::{
    AgentData, Bios, BiosAttribute, BiosChoice, BiosKind, BiosValues, BootCapabilities, BootMode,
    BootOption, BootOverride, BootProgress, BootTarget, Condition, Disk, DiskProtocol, LinkState,
    Machine, MediaKind, MediaSlot, Memory, NetworkInterface, OverrideEnabled, Processors, RaidType,
    Revision, SecureBoot, SecureBootKeys, Severity, StorageController, Volume,
};
use redfish_backend::power::{PowerState, Reset, ResetSet};
use redfish_backend::{MachineId, PartId};

pub(in crate::bmc) fn id(id: &str) -> MachineId {
    MachineId::new(id).unwrap()
}

pub(in crate::bmc) fn part(id: &str) -> PartId {
    PartId::new(id).unwrap()
}

/// A machine of which nothing is known, and that can do nothing.
pub(in crate::bmc) fn bare(name: &str) -> Machine {
    Machine::new(id(name), PowerState::Off, Revision::of(1))
}

/// A machine of which everything is known, and that can do everything.
pub(in crate::bmc) fn full(name: &str) -> Machine {
    let mut machine = Machine::new(id(name), PowerState::On, Revision::of(1));
    let identity = &mut machine.identity;
    identity.name = format!("name-of-{name}").into();
    identity.group = Some("group".into());
    identity.uid = Some(format!("uid-of-{name}").into());
    identity.uuid = Some("0c4c4544-0051-3310-8052-b4c04f4d3132".parse().unwrap());
    identity.serial_number = Some("0042".into());
    identity.asset_tag = Some("tag".into());
    identity.manufacturer = Some("Maker".into());
    identity.model = Some("Model".into());
    identity.sku = Some("SKU".into());
    identity.firmware_version = Some("1.2".into());
    identity.locating = Some(false);
    identity.description = Some("A machine".into());
    machine.boot.mode = Some(BootMode::Uefi);
    machine.boot.override_ =
        Some(BootOverride { enabled: OverrideEnabled::Once, target: BootTarget::Cd });
    let option = |id: &str, target| BootOption {
        id: part(id),
        name: format!("Boot {id}").into(),
        target: Some(target),
        part: Some(part(id)),
    };
    machine.boot.options = vec![
        option("disk0", BootTarget::Hdd),
        option("net0", BootTarget::Pxe),
        option("CD0", BootTarget::Cd),
    ];
    machine.boot.order = ["disk0", "net0", "CD0"].map(part).into();
    machine.boot.secure_boot = Some(SecureBoot { enable: true, current: Some(false) });
    let mut processors = Processors::new(2, 4, 2);
    processors.model = Some("CPU Model".into());
    processors.architecture = Some("amd64".into());
    machine.inventory.processors = Some(processors);
    machine.boot.secure_boot_keys = Some(SecureBootKeys::DEFAULT);
    machine.inventory.memory = Some(Memory { bytes: 5 << 29 });
    let mut interface = NetworkInterface::new(part("net0"), "net0");
    interface.mac = Some("52:54:00:00:00:01".parse().unwrap());
    interface.link = Some(LinkState::Up);
    interface.network = Some("lan".into());
    machine.inventory.interfaces.push(interface);
    for name in ["disk0", "disk1", "disk2"] {
        let mut disk = Disk::new(part(name), name);
        disk.capacity = Some(10 << 30);
        disk.protocol = Some(DiskProtocol::Sata);
        disk.rotational = Some(false);
        machine.inventory.disks.push(disk);
    }
    let mut controller = StorageController::new(part("raid0"), "RAID");
    controller.drives = ["disk0", "disk1"].map(part).into();
    controller.raid_types = vec![RaidType::None, RaidType::Raid1];
    let mut volume = Volume::new(part("volume-1"), "system", 10 << 30, RaidType::None);
    volume.drives.push(part("disk0"));
    controller.volumes.push(volume);
    machine.inventory.controllers.push(controller);
    machine.bios = Some(firmware());
    machine.media = vec![slot("CD0", MediaKind::Cd), slot("USB0", MediaKind::UsbStick)];
    machine.conditions =
        vec![Condition::new(Condition::RESTART_REQUIRED, Severity::Ok, "Changes wait")];
    let mut agent = AgentData::default();
    agent.host_name = Some("guest".into());
    agent.os_name = Some("Debian GNU/Linux".into());
    agent.os_version = Some("13".into());
    agent.kernel = Some("6.12".into());
    agent.boot_progress = Some(BootProgress::OsRunning);
    machine.agent = Some(agent);
    let can = &mut machine.capabilities;
    can.resets = ResetSet::NONE.with(Reset::On).with(Reset::ForceOff).with(Reset::ForceRestart);
    let mut boot = BootCapabilities::default();
    boot.targets = vec![BootTarget::Pxe, BootTarget::Hdd, BootTarget::Cd];
    (boot.once, boot.continuous, boot.order) = (true, true, true);
    boot.modes = vec![BootMode::Uefi, BootMode::Legacy];
    can.boot = Some(boot);
    (can.media, can.secure_boot, can.asset_tag, can.locate) = (true, true, true, true);
    (can.bios, can.volumes, can.secure_boot_keys) = (true, true, true);
    machine
}

/// Firmware with an attribute of each kind.
pub(in crate::bmc) fn firmware() -> Bios {
    let choice = |value: &str| BiosChoice { value: value.into(), display_name: value.into() };
    let modes = BiosKind::Enumeration(vec![choice("Fast"), choice("Slow")]);
    let mut version =
        BiosAttribute::new("Version", BiosKind::Text { shortest: 0, longest: 9 }, "1".into());
    version.read_only = true;
    let attributes = [
        BiosAttribute::new("Delay", BiosKind::Integer { least: 0, most: 10 }, 3.into()),
        BiosAttribute::new("Mode", modes, "Fast".into()),
        BiosAttribute::new("Quiet", BiosKind::Boolean, false.into()),
        BiosAttribute::new("Title", BiosKind::Text { shortest: 1, longest: 4 }, "x".into()),
        version,
    ];
    Bios::new(attributes, BiosValues::new())
}

pub(in crate::bmc) fn slot(id: &str, kind: MediaKind) -> MediaSlot {
    MediaSlot {
        id: part(id),
        name: format!("Drive {id}").into(),
        kind,
        medium: None,
        failure: None,
    }
}

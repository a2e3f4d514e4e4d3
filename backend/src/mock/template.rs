//! From a machine's configuration to what never changes about it.

use std::sync::{Arc, OnceLock};

use super::config::{Feature, MachineConfig, SlotKind};
use crate::machine::{
    AgentData, Bios, BiosAttribute, BiosChoice, BiosKind, BiosValues, BootCapabilities, BootMode,
    BootOption, BootTarget, Disk, DiskProtocol, LinkState, MacAddress, Machine, MediaKind,
    MediaSlot, Memory, NetworkInterface, Processors, RaidType, Revision, StorageController, Uuid,
};
use crate::power::{PowerState, Reset};
use crate::text::Label;
use crate::{Error, MachineId, PartId};

/// The most of each kind of part.
const MOST_PARTS: usize = 8;

/// The machine as it is before anything happens to it. `number` counts machines: no two have the same addresses.
///
/// # Errors
/// [`Error::Invalid`] with the key that is wrong.
pub(super) fn template(config: &MachineConfig, seed: u64, number: u64) -> Result<Machine, Error> {
    let id = MachineId::new(&config.name)
        .ok()
        .filter(|id| id.as_str().len() <= 200)
        .ok_or_else(|| wrong("name", "A name has 1 to 200 letters, digits and -._~"))?;
    if !matches!(config.power, PowerState::On | PowerState::Off) {
        return Err(wrong("power", "A machine begins On or Off"));
    }
    let counts =
        [("nics", config.nics.len()), ("disks", config.disks.len()), ("slots", config.slots.len())];
    if let Some((name, _)) = counts.iter().find(|(_, count)| *count > MOST_PARTS) {
        return Err(wrong(name, "There are too many; 8 is the most"));
    }
    let has = |feature| !config.without.contains(&feature);
    let mut random = Random::new(seed, &config.name);
    let mut machine = Machine::new(id, PowerState::Off, Revision::default());

    let identity = &mut machine.identity;
    identity.name = config.name.as_str().into();
    let uuid = match &config.uuid {
        Some(text) => text.parse().map_err(|_| wrong("uuid", "This is no UUID"))?,
        None => random.uuid(),
    };
    identity.uuid = Some(uuid);
    let serial = random.next() % 100_000_000;
    identity.serial_number = config
        .serial_number
        .as_ref()
        .map(Label::new)
        .or_else(|| Some(format!("VM{serial:08}").into()));
    identity.manufacturer = Some(config.manufacturer.as_deref().unwrap_or("VirtualBMC").into());
    identity.model = Some(config.model.as_deref().unwrap_or("Mock machine").into());
    identity.firmware_version = Some("1.0".into());
    identity.labels = config
        .labels
        .iter()
        .map(|(name, value)| (name.as_str().into(), value.as_str().into()))
        .collect();
    identity.description = config.description.as_deref().map(Into::into);

    let processors = &config.processors;
    let mut shape = Processors::new(processors.sockets, processors.cores, processors.threads);
    if !(1..=4096).contains(&shape.total_threads()) {
        return Err(wrong("processors", "There are 1 to 4096 threads in all"));
    }
    shape.model = Label::known(&processors.model);
    shape.architecture = Label::known(&processors.architecture);
    machine.inventory.processors = Some(shape);
    let bytes = config.memory_mib.checked_mul(1 << 20).filter(|bytes| *bytes > 0);
    machine.inventory.memory =
        Some(Memory { bytes: bytes.ok_or_else(|| wrong("memory_mib", "This can't be"))? });

    machine.agent = has(Feature::Agent).then(|| AgentData {
        host_name: Some(config.name.as_str().into()),
        os_name: Some("Debian GNU/Linux".into()),
        os_version: Some("13".into()),
        ..AgentData::default()
    });

    disks(&mut machine, config)?;
    slots(&mut machine, config)?;
    interfaces(&mut machine, config, seed, number)?;
    machine.boot.order = machine.boot.options.iter().map(|option| option.id.clone()).collect();

    if has(Feature::Bios) {
        machine.bios = Some(bios(config)?);
    }
    let can = &mut machine.capabilities;
    can.resets = match &config.resets {
        Some(resets) => resets.iter().copied().collect(),
        None => Reset::ALL.iter().copied().collect(),
    };
    if has(Feature::Boot) {
        let mut targets: Vec<_> =
            machine.boot.options.iter().filter_map(|option| option.target).collect();
        targets.push(BootTarget::BiosSetup);
        targets.sort();
        targets.dedup();
        can.boot = Some(BootCapabilities {
            targets,
            once: true,
            continuous: true,
            modes: vec![BootMode::Uefi, BootMode::Legacy],
            order: has(Feature::BootOrder),
        });
    }
    can.media = has(Feature::Media) && !machine.media.is_empty();
    can.secure_boot = has(Feature::SecureBoot);
    can.secure_boot_keys = has(Feature::SecureBoot);
    can.bios = has(Feature::Bios);
    can.volumes = !machine.inventory.controllers.is_empty();
    can.asset_tag = has(Feature::AssetTag);
    can.locate = has(Feature::Locate);
    Ok(machine)
}

fn wrong(key: &str, reason: &'static str) -> Error {
    Error::invalid(format!("mock.machine.{key}"), reason)
}

fn part(id: impl AsRef<str>, key: &str) -> Result<PartId, Error> {
    PartId::new(id).map_err(|_| wrong(key, "An id has 1 to 255 letters, digits and -._~"))
}

fn option(machine: &mut Machine, id: &PartId, name: &str, target: BootTarget, part: &PartId) {
    let (id, part) = (id.clone(), Some(part.clone()));
    machine.boot.options.push(BootOption { id, name: name.into(), target: Some(target), part });
}

fn disks(machine: &mut Machine, config: &MachineConfig) -> Result<(), Error> {
    let mut controller =
        StorageController::new(part("storage0", "disks")?, "Virtual RAID controller");
    for (index, told) in config.disks.iter().enumerate() {
        let id = part(format!("disk{index}"), "disks")?;
        let mut disk = Disk::new(id.clone(), format!("Disk {index}"));
        let bytes = told.size_gib.checked_mul(1 << 30).filter(|bytes| *bytes > 0);
        disk.capacity = Some(bytes.ok_or_else(|| wrong("disks.size_gib", "This can't be"))?);
        disk.protocol = Some(DiskProtocol::Scsi);
        disk.rotational = Some(told.rotational);
        option(machine, &id, &format!("Disk {index}"), BootTarget::Hdd, &id);
        machine.inventory.disks.push(disk);
        controller.drives.push(id);
    }
    if !config.without.contains(&Feature::Volumes) && !controller.drives.is_empty() {
        let drives = controller.drives.len();
        let fits = |raid: &RaidType| (1..=drives).any(|count| raid.fits(count));
        controller.raid_types = RaidType::ALL.into_iter().filter(fits).collect();
        machine.inventory.controllers.push(controller);
    }
    Ok(())
}

fn slots(machine: &mut Machine, config: &MachineConfig) -> Result<(), Error> {
    for told in &config.slots {
        let id = part(&told.id, "slots.id")?;
        if machine.media.iter().any(|slot| slot.id == id) {
            return Err(wrong("slots.id", "Two slots have the same id"));
        }
        let (kind, target, name) = match told.kind {
            SlotKind::Cd => (MediaKind::Cd, BootTarget::Cd, "Virtual CD"),
            SlotKind::Dvd => (MediaKind::Dvd, BootTarget::Cd, "Virtual DVD"),
            SlotKind::Usb => (MediaKind::UsbStick, BootTarget::Usb, "Virtual USB stick"),
            SlotKind::Floppy => (MediaKind::Floppy, BootTarget::Floppy, "Virtual floppy"),
        };
        option(machine, &part(format!("boot-{id}"), "slots.id")?, name, target, &id);
        machine.media.push(MediaSlot { id, name: name.into(), kind, medium: None, failure: None });
    }
    Ok(())
}

fn interfaces(
    machine: &mut Machine,
    config: &MachineConfig,
    seed: u64,
    number: u64,
) -> Result<(), Error> {
    for (index, told) in config.nics.iter().enumerate() {
        let id = part(format!("nic{index}"), "nics")?;
        let mut nic = NetworkInterface::new(id.clone(), format!("Network interface {index}"));
        nic.mac = Some(match &told.mac {
            Some(text) => text.parse().map_err(|_| wrong("nics.mac", "This is no MAC address"))?,
            None => mac(seed, number, index),
        });
        nic.link = Some(if told.disconnected { LinkState::Down } else { LinkState::Up });
        nic.network = told.network.as_ref().map(Label::new);
        nic.model = Some("virtio".into());
        nic.speed = Some(told.speed_mbps);
        option(machine, &id, &format!("PXE on interface {index}"), BootTarget::Pxe, &id);
        let http = part(format!("{id}-http"), "nics")?;
        option(machine, &http, &format!("HTTP on interface {index}"), BootTarget::UefiHttp, &id);
        machine.inventory.interfaces.push(nic);
    }
    Ok(())
}

/// A locally administered address, of its own for each interface of two million machines.
fn mac(seed: u64, number: u64, index: usize) -> MacAddress {
    let offset = Random::new(seed, "mac").next() << 3;
    let own = (number << 3 | index as u64).wrapping_add(offset);
    let [.., a, b, c] = own.to_be_bytes();
    MacAddress([0x52, 0x54, 0, a, b, c])
}

fn bios(config: &MachineConfig) -> Result<Bios, Error> {
    let attributes = Arc::clone(attributes());
    let mut values = BiosValues::new();
    for (name, value) in &config.bios {
        let attribute = attributes.iter().find(|attribute| attribute.name.as_str() == name);
        let fits = attribute.is_some_and(|attribute| attribute.check_kind(value).is_ok());
        if !fits {
            return Err(wrong("bios", "There is no such setting, or it can't have this value"));
        }
        values.insert(name.as_str().into(), value.clone());
    }
    Ok(Bios::new(attributes, values))
}

/// The settings of the mock's firmware: one of each kind, and what clients look for.
fn attributes() -> &'static Arc<[BiosAttribute]> {
    static ATTRIBUTES: OnceLock<Arc<[BiosAttribute]>> = OnceLock::new();
    ATTRIBUTES.get_or_init(|| {
        let choices = |values: &[&str]| {
            let choice =
                |value: &&str| BiosChoice { value: (*value).into(), display_name: (*value).into() };
            BiosKind::Enumeration(values.iter().map(choice).collect())
        };
        let named = |name: &str, display: &str, kind, default| {
            let mut attribute = BiosAttribute::new(name, kind, default);
            attribute.display_name = display.into();
            attribute
        };
        let switch = choices(&["Enabled", "Disabled"]);
        let mut version = named(
            "FirmwareBuild",
            "Firmware build",
            BiosKind::Text { shortest: 1, longest: 32 },
            "mock-1.0".into(),
        );
        (version.read_only, version.reset_required) = (true, false);
        [
            named(
                "BootTimeout",
                "Seconds to wait before booting",
                BiosKind::Integer { least: 0, most: 300 },
                5.into(),
            ),
            version,
            named(
                "Note",
                "Note of the operator",
                BiosKind::Text { shortest: 0, longest: 64 },
                "".into(),
            ),
            named(
                "ProcVirtualization",
                "Processor virtualization",
                switch.clone(),
                "Enabled".into(),
            ),
            named("QuietBoot", "Hide messages of the firmware", BiosKind::Boolean, true.into()),
            named(
                "SerialConsole",
                "Serial console",
                choices(&["Disabled", "Com1", "Com2"]),
                "Com1".into(),
            ),
            named("Sriov", "Virtual functions of network cards", switch, "Disabled".into()),
        ]
        .into()
    })
}

/// Numbers that look random and are the same each time: SplitMix64.
struct Random(u64);

impl Random {
    fn new(seed: u64, name: &str) -> Self {
        // FNV-1a: std's hasher may differ from release to release.
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, mix))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Version 4, variant 1.
    fn uuid(&mut self) -> Uuid {
        let value = u128::from(self.next()) << 64 | u128::from(self.next());
        Uuid::new(value & !(0xf << 76) & !(0b11 << 62) | 0x4 << 76 | 0b10 << 62)
    }
}

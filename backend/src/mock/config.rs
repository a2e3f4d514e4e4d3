//! What the mock is told: which machines there are, how fast and how true to life.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::delays::Delays;
use crate::Error;
use crate::machine::{BiosValue, BootMode};
use crate::power::{PowerState, Reset};

/// `[mock]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MockConfig {
    /// How many machines are made up besides those of `machine`: `vm-1`, `vm-2`, ...; three if there are none of these
    /// either.
    pub machines: Option<usize>,
    /// The machines that are told one by one: `[[mock.machine]]`.
    pub machine: Vec<MachineConfig>,
    /// What UUIDs, serial numbers and hardware addresses are made from: the same seed, the same machines.
    pub seed: u64,
    /// How long things take.
    pub delays: Delays,
    /// What becomes of images.
    pub media: MockMedia,
    /// The folder in which machines outlive the process; none for in memory only.
    pub persist: Option<PathBuf>,
    /// How many entries the journal keeps; 1,000 if not said.
    pub journal: Option<usize>,
}

/// What becomes of images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MockMedia {
    /// Nothing is fetched: each image is taken to be there, after a while.
    #[default]
    Trust,
    /// They are fetched for real, counted, hashed and thrown away.
    Fetch,
}

/// `[[mock.machine]]`: everything but the name has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineConfig {
    /// The name, which is the id too.
    pub name: String,
    /// SMBIOS UUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// Serial number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial_number: Option<String>,
    /// Asset tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset_tag: Option<String>,
    /// Manufacturer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manufacturer: Option<String>,
    /// Model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Labels by which accounts and views select machines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Whether it runs at the beginning: `On` or `Off`.
    #[serde(default = "off")]
    pub power: PowerState,
    /// Processors.
    #[serde(default)]
    pub processors: ProcessorConfig,
    /// Memory in MiB.
    #[serde(default = "memory")]
    pub memory_mib: u64,
    /// How firmware is started.
    #[serde(default = "uefi")]
    pub firmware: BootMode,
    /// Whether secure boot is on.
    #[serde(default)]
    pub secure_boot: bool,
    /// Network interfaces.
    #[serde(default = "nics")]
    pub nics: Vec<NicConfig>,
    /// Disks.
    #[serde(default = "disks")]
    pub disks: Vec<DiskConfig>,
    /// Drives for virtual media.
    #[serde(default = "slots")]
    pub slots: Vec<SlotConfig>,
    /// Values of firmware settings that differ from the default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bios: BTreeMap<String, BiosValue>,
    /// The resets that it offers; all if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets: Option<Vec<Reset>>,
    /// What it can't do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Feature>,
}

impl MachineConfig {
    /// A machine as they are by default.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            uuid: None,
            serial_number: None,
            asset_tag: None,
            manufacturer: None,
            model: None,
            description: None,
            labels: BTreeMap::new(),
            power: off(),
            processors: ProcessorConfig::default(),
            memory_mib: memory(),
            firmware: uefi(),
            secure_boot: false,
            nics: nics(),
            disks: disks(),
            slots: slots(),
            bios: BTreeMap::new(),
            resets: None,
            without: Vec::new(),
        }
    }
}

/// Something that a machine can be made without, so that clients meet one that lacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// The boot configuration can only be read.
    Boot,
    /// The boot order can only be read.
    BootOrder,
    /// Media slots can only be read.
    Media,
    /// Secure boot can't be switched, nor its keys reset.
    SecureBoot,
    /// No settings of the firmware are known.
    Bios,
    /// Disks are no drives of a controller that makes volumes of them.
    Volumes,
    /// The asset tag can't be set.
    AssetTag,
    /// It can't be marked as being looked for.
    Locate,
    /// No agent in the guest says anything.
    Agent,
}

/// Processors, all alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProcessorConfig {
    /// Sockets.
    pub sockets: u32,
    /// Cores of each.
    pub cores: u32,
    /// Threads of each core.
    pub threads: u32,
    /// The model that the guest sees.
    pub model: String,
    /// `amd64` or `aarch64`.
    pub architecture: String,
}

impl Default for ProcessorConfig {
    fn default() -> Self {
        let (model, architecture) = ("Virtual CPU".into(), "amd64".into());
        Self { sockets: 2, cores: 4, threads: 1, model, architecture }
    }
}

/// A network interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NicConfig {
    /// The hardware address; made up if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mac: Option<String>,
    /// The network that it is attached to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Whether the cable is out.
    pub disconnected: bool,
    /// Its speed in Mbit/s, as the guest sees it.
    pub speed_mbps: u32,
}

impl Default for NicConfig {
    fn default() -> Self {
        Self { mac: None, network: None, disconnected: false, speed_mbps: 10_000 }
    }
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskConfig {
    /// Its size in GiB.
    pub size_gib: u64,
    /// Whether it spins, as the guest sees it.
    #[serde(default)]
    pub rotational: bool,
}

/// A drive for virtual media.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotConfig {
    /// The id.
    pub id: String,
    /// As what the guest sees it.
    pub kind: SlotKind,
}

/// As what a guest sees a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SlotKind {
    /// A CD.
    Cd,
    /// A DVD.
    Dvd,
    /// A USB stick.
    Usb,
    /// A floppy.
    Floppy,
}

const fn off() -> PowerState {
    PowerState::Off
}

const fn memory() -> u64 {
    8192
}

const fn uefi() -> BootMode {
    BootMode::Uefi
}

fn nics() -> Vec<NicConfig> {
    let network = Some("default".to_owned());
    vec![NicConfig { network, ..NicConfig::default() }, NicConfig::default()]
}

fn disks() -> Vec<DiskConfig> {
    let disk = DiskConfig { size_gib: 100, rotational: false };
    vec![disk.clone(), disk]
}

fn slots() -> Vec<SlotConfig> {
    let slot = |id: &str, kind| SlotConfig { id: id.to_owned(), kind };
    vec![slot("cd0", SlotKind::Cd), slot("usb0", SlotKind::Usb)]
}

impl MockConfig {
    /// The most machines.
    pub const MOST: usize = 100_000;
    /// How many entries the journal keeps unless told otherwise.
    pub const JOURNAL: usize = 1000;

    /// Made-up machines only, in memory, and nothing takes any time: for tests.
    pub fn instant(machines: usize) -> Self {
        Self { machines: Some(machines), delays: Delays::none(), ..Self::default() }
    }

    /// All machines: those told, then those made up.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the key that is wrong.
    pub(super) fn all(&self) -> Result<Vec<MachineConfig>, Error> {
        if let Some(name) = self.delays.wrong() {
            let reason = "A delay is from 0 to 86400 seconds";
            return Err(Error::invalid(format!("mock.delays.{name}"), reason));
        }
        let made_up = self.machines.unwrap_or(if self.machine.is_empty() { 3 } else { 0 });
        if made_up > Self::MOST {
            let most = Self::MOST;
            return Err(Error::invalid("mock.machines", format!("At most {most} are made up")));
        }
        let generated = (1..=made_up).map(|number| MachineConfig::new(format!("vm-{number}")));
        Ok(self.machine.iter().cloned().chain(generated).collect())
    }
}

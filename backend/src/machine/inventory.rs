//! What a machine is made of: processors, memory, network interfaces, disks.

use std::fmt;
use std::str::FromStr;

use super::StorageController;
use crate::text::Label;
use crate::{Error, PartId};

/// The parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inventory {
    /// The processors.
    pub processors: Option<Processors>,
    /// The memory.
    pub memory: Option<Memory>,
    /// The network interfaces.
    pub interfaces: Vec<NetworkInterface>,
    /// The disks: not what lies in media slots.
    pub disks: Vec<Disk>,
    /// The controllers that make volumes of disks.
    pub controllers: Vec<StorageController>,
}

/// The processors, which are all alike: `Processor` and `ProcessorSummary`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Processors {
    /// How many sockets.
    pub sockets: u32,
    /// Cores of each socket.
    pub cores: u32,
    /// Threads of each core.
    pub threads: u32,
    /// The model that the guest sees.
    pub model: Option<Label>,
    /// The architecture, in the hypervisor's word: `amd64`, `aarch64`.
    pub architecture: Option<Label>,
}

impl Processors {
    /// Processors of that shape.
    pub const fn new(sockets: u32, cores: u32, threads: u32) -> Self {
        Self { sockets, cores, threads, model: None, architecture: None }
    }

    /// All threads of all cores of all sockets.
    pub const fn total_threads(&self) -> u64 {
        // Widened first: three numbers from a VM object could overflow anything narrower, and saturate here.
        (self.sockets as u64).saturating_mul(self.cores as u64).saturating_mul(self.threads as u64)
    }
}

/// The memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What the guest has, in bytes.
    pub bytes: u64,
}

/// A network interface: `EthernetInterface` of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NetworkInterface {
    /// The id.
    pub id: PartId,
    /// What an operator reads in a list.
    pub name: Label,
    /// The hardware address.
    pub mac: Option<MacAddress>,
    /// Whether it is connected.
    pub link: Option<LinkState>,
    /// The network that it is attached to.
    pub network: Option<Label>,
    /// The model of the device: `virtio`, `e1000e`.
    pub model: Option<Label>,
    /// What the guest is told of its speed, in Mbit/s: `SpeedMbps`.
    pub speed: Option<u32>,
}

impl NetworkInterface {
    /// An interface of which no more is known.
    pub fn new(id: PartId, name: impl Into<Label>) -> Self {
        let name = name.into();
        Self { id, name, mac: None, link: None, network: None, model: None, speed: None }
    }
}

/// Whether a cable is in, so to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Connected.
    Up,
    /// Not connected.
    Down,
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disk {
    /// The id.
    pub id: PartId,
    /// What an operator reads in a list.
    pub name: Label,
    /// Its size in bytes.
    pub capacity: Option<u64>,
    /// How the guest reaches it.
    pub protocol: Option<DiskProtocol>,
    /// Serial number, as the guest sees it.
    pub serial_number: Option<Label>,
    /// Whether the guest can't write to it.
    pub read_only: bool,
    /// Whether it spins, as the guest sees it: `MediaType` of a Drive. None where it does not say.
    pub rotational: Option<bool>,
}

impl Disk {
    /// A disk of which no more is known.
    pub fn new(id: PartId, name: impl Into<Label>) -> Self {
        let name = name.into();
        Self {
            id,
            name,
            capacity: None,
            protocol: None,
            serial_number: None,
            read_only: false,
            rotational: None,
        }
    }
}

/// The bus of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskProtocol {
    /// virtio.
    Virtio,
    /// SATA or IDE.
    Sata,
    /// SCSI.
    Scsi,
    /// NVMe.
    Nvme,
    /// USB.
    Usb,
}

/// A hardware address of six bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl FromStr for MacAddress {
    type Err = Error;

    /// Reads six pairs of hexadecimal digits with `:` or `-` between them.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong =
            || Error::invalid("MACAddress", "A MAC address has six pairs of hexadecimal digits");
        let mut bytes = [0; 6];
        let mut pairs = text.split([':', '-']);
        for byte in &mut bytes {
            let pair = pairs.next().ok_or_else(wrong)?;
            if pair.len() != 2 || !pair.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(wrong());
            }
            *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
        }
        if pairs.next().is_some() { Err(wrong()) } else { Ok(Self(bytes)) }
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mac_addresses_have_one_form() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(
                text.parse::<MacAddress>().ok().map(|mac| mac.to_string()).as_deref(),
                expect,
                "{text}"
            );
        };
        check("52:54:00:AB:cd:0f", Some("52:54:00:ab:cd:0f"));
        check("52-54-00-ab-cd-0f", Some("52:54:00:ab:cd:0f"));
        check("52:54:00:ab:cd", None);
        check("52:54:00:ab:cd:0f:11", None);
        check("+2:54:00:ab:cd:0f", None);
        check("", None);
    }

    #[test]
    fn threads_do_not_overflow() {
        assert_eq!(Processors::new(2, 4, 2).total_threads(), 16);
        assert_eq!(Processors::new(u32::MAX, u32::MAX, u32::MAX).total_threads(), u64::MAX);
    }
}

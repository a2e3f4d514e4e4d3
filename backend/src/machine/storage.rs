//! Controllers that make volumes of drives: `Storage`, `Drive` and `Volume`.
//!
//! A VM's disk is a volume of its hypervisor already, so most backends have none of this: their disks are in
//! [`Inventory::disks`](super::Inventory) and nothing can be made of them.

use serde::{Deserialize, Serialize};

use crate::PartId;
use crate::text::Label;

/// A controller with drives of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StorageController {
    /// The id.
    pub id: PartId,
    /// What an operator reads in a list.
    pub name: Label,
    /// Its drives: those of [`Inventory::disks`](super::Inventory) with these ids.
    pub drives: Vec<PartId>,
    /// What it can make of them: `SupportedRAIDTypes`.
    pub raid_types: Vec<RaidType>,
    /// What was made of them.
    pub volumes: Vec<Volume>,
}

impl StorageController {
    /// A controller without drives and volumes.
    pub fn new(id: PartId, name: impl Into<Label>) -> Self {
        let (drives, raid_types, volumes) = (Vec::new(), Vec::new(), Vec::new());
        Self { id, name: name.into(), drives, raid_types, volumes }
    }
}

/// A volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Volume {
    /// The id.
    pub id: PartId,
    /// What an operator reads in a list.
    pub name: Label,
    /// Its size in bytes.
    pub capacity: u64,
    /// What it is.
    pub raid: RaidType,
    /// The drives that it lies on.
    pub drives: Vec<PartId>,
}

impl Volume {
    /// A volume without drives.
    pub fn new(id: PartId, name: impl Into<Label>, capacity: u64, raid: RaidType) -> Self {
        Self { id, name: name.into(), capacity, raid, drives: Vec::new() }
    }
}

/// `RAIDType` of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RaidType {
    /// A drive as it is.
    None,
    /// Striped.
    #[serde(rename = "RAID0")]
    Raid0,
    /// Mirrored.
    #[serde(rename = "RAID1")]
    Raid1,
    /// Striped with parity.
    #[serde(rename = "RAID5")]
    Raid5,
    /// Striped with double parity.
    #[serde(rename = "RAID6")]
    Raid6,
    /// Striped mirrors.
    #[serde(rename = "RAID10")]
    Raid10,
}

impl RaidType {
    /// All types.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Raid0, Self::Raid1, Self::Raid5, Self::Raid6, Self::Raid10];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Raid0 => "RAID0",
            Self::Raid1 => "RAID1",
            Self::Raid5 => "RAID5",
            Self::Raid6 => "RAID6",
            Self::Raid10 => "RAID10",
        }
    }

    /// Whether it can be made of so many drives.
    pub const fn fits(self, drives: usize) -> bool {
        match self {
            Self::None => drives == 1,
            Self::Raid0 => drives >= 1,
            Self::Raid1 => drives >= 2,
            Self::Raid5 => drives >= 3,
            Self::Raid6 => drives >= 4,
            Self::Raid10 => drives >= 4 && drives.is_multiple_of(2),
        }
    }

    /// How many bytes it holds on so many drives with so many bytes each.
    pub const fn usable(self, drives: u64, bytes_each: u64) -> u64 {
        let counted = match self {
            Self::None | Self::Raid1 => 1,
            Self::Raid0 => drives,
            Self::Raid5 => drives.saturating_sub(1),
            Self::Raid6 => drives.saturating_sub(2),
            Self::Raid10 => drives / 2,
        };
        bytes_each.saturating_mul(counted)
    }
}

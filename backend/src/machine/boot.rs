//! From what a machine boots: `Boot` of a ComputerSystem, its boot options, and secure boot.

use serde::{Deserialize, Serialize};

use crate::PartId;
use crate::text::Label;

/// The boot configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boot {
    /// The override of the order, if one is set; as long as it is set, and not as it was at some boot.
    pub override_: Option<BootOverride>,
    /// How firmware is started, if known.
    pub mode: Option<BootMode>,
    /// What can be booted from, in no order.
    pub options: Vec<BootOption>,
    /// The owner's own order of these options: also while an override is set, which does not change it.
    pub order: Vec<PartId>,
    /// Secure boot, where the firmware has it.
    pub secure_boot: Option<SecureBoot>,
    /// Which keys secure boot has, if known.
    pub secure_boot_keys: Option<SecureBootKeys>,
}

/// An override of the boot order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootOverride {
    /// For how long.
    pub enabled: OverrideEnabled,
    /// From what.
    pub target: BootTarget,
}

/// `BootSourceOverrideEnabled`, where it is not `Disabled`: no override is no [`BootOverride`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OverrideEnabled {
    /// For the next boot, which consumes it.
    Once,
    /// Until somebody changes it.
    Continuous,
}

/// `BootSourceOverrideTarget`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BootTarget {
    /// Network boot by PXE.
    Pxe,
    /// The first disk.
    Hdd,
    /// The first optical medium.
    Cd,
    /// A USB medium.
    Usb,
    /// A floppy.
    Floppy,
    /// Network boot by HTTP from the firmware.
    UefiHttp,
    /// The firmware's setup.
    BiosSetup,
}

/// `BootSourceOverrideMode`, and the firmware behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BootMode {
    /// UEFI.
    #[serde(rename = "UEFI")]
    Uefi,
    /// BIOS.
    Legacy,
}

/// Something to boot from: `BootOption`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootOption {
    /// The id: also its `BootOptionReference`.
    pub id: PartId,
    /// What an operator reads in a list.
    pub name: Label,
    /// Of which kind it is, if one of the override's.
    pub target: Option<BootTarget>,
    /// The part behind it: the [`Disk`](super::Disk), [`NetworkInterface`](super::NetworkInterface) or
    /// [`MediaSlot`](super::MediaSlot) of that id.
    pub part: Option<PartId>,
}

/// Secure boot: what is configured and what the running guest has are two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecureBoot {
    /// Whether the next start has it: `SecureBootEnable`.
    pub enable: bool,
    /// Whether the present run has it: `SecureBootCurrentBoot`; none while off or unknown.
    pub current: Option<bool>,
}

/// Which of the key databases have anything in them: `SecureBootDatabases`. Without a platform key the firmware is in
/// setup mode, with one in user mode: `SecureBootMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecureBootKeys {
    /// The platform key: `PK`.
    pub pk: bool,
    /// The key exchange keys: `KEK`.
    pub kek: bool,
    /// What may be started: `db`.
    pub db: bool,
    /// What may not: `dbx`.
    pub dbx: bool,
}

impl SecureBootKeys {
    /// No keys.
    pub const NONE: Self = Self { pk: false, kek: false, db: false, dbx: false };
    /// The keys that firmware comes with.
    pub const DEFAULT: Self = Self { pk: true, kek: true, db: true, dbx: true };

    /// The keys after a reset.
    #[must_use]
    pub const fn after(self, reset: KeyReset) -> Self {
        match reset {
            KeyReset::ToDefault => Self::DEFAULT,
            KeyReset::DeleteAll => Self::NONE,
            KeyReset::DeletePlatformKey => Self { pk: false, ..self },
        }
    }
}

/// `ResetKeysType` of the action `SecureBoot.ResetKeys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyReset {
    /// All as firmware comes: `ResetAllKeysToDefault`.
    ToDefault,
    /// All away: `DeleteAllKeys`.
    DeleteAll,
    /// The platform key away: `DeletePK`.
    DeletePlatformKey,
}

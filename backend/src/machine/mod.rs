//! What is known about a machine.
//!
//! A [`Machine`] is a value: made by a backend from what its watch told, put into the [snapshot](crate::snapshot), and
//! read from there by everybody without asking the hypervisor. It has the words of the field (UUID, boot override, medium)
//! but no resource, no URI and no message id: how a machine becomes JSON is the service's business.
//!
//! **Unknown is absent.** Every fact that a backend may not know is an `Option` or a list that may be empty. A backend
//! leaves out what it does not know; it never fills in what is usual. **Untrusted is bounded.** Names and texts are
//! [`Label`]s and [`Message`]s, which can't hold what would act on a reader.

mod bios;
mod boot;
mod capabilities;
mod inventory;
mod media;
mod revision;
mod status;
mod storage;

use std::sync::Arc;
use std::time::SystemTime;

pub use bios::{Bios, BiosAttribute, BiosChoice, BiosKind, BiosValue, BiosValues};
pub use boot::{
    Boot, BootMode, BootOption, BootOverride, BootTarget, KeyReset, OverrideEnabled, SecureBoot,
    SecureBootKeys,
};
pub use capabilities::{BootCapabilities, Capabilities};
pub use inventory::{
    Disk, DiskProtocol, Inventory, LinkState, MacAddress, Memory, NetworkInterface, Processors,
};
pub use media::{MediaKind, MediaSlot, Medium, MediumPhase};
pub use revision::Revision;
pub use status::{AgentData, BootProgress, Condition, Metrics, Severity};
pub use storage::{RaidType, StorageController, Volume};

use crate::power::PowerState;
use crate::text::{Label, Message};
use crate::{Error, MachineId, PartId};

/// One machine, as it was when its [`Revision`] was current.
///
/// ```
/// use redfish_backend::machine::{Machine, Revision};
/// use redfish_backend::power::PowerState;
/// use redfish_backend::MachineId;
///
/// # fn main() -> Result<(), redfish_backend::Error> {
/// let mut machine = Machine::new(MachineId::new("web-1")?, PowerState::Off, Revision::of(1));
/// machine.identity.serial_number = Some("0042".into());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Machine {
    /// The id, unique within a backend for as long as there is the machine.
    pub id: MachineId,
    /// Who it is.
    pub identity: Identity,
    /// Whether it runs.
    pub power: PowerState,
    /// From what it boots.
    pub boot: Boot,
    /// The settings of its firmware, where they are known.
    pub bios: Option<Bios>,
    /// What it is made of.
    pub inventory: Inventory,
    /// Where media can be put in, and what is in there.
    pub media: Vec<MediaSlot>,
    /// The ways to its screen and its serial line.
    pub consoles: Vec<ConsoleKind>,
    /// What is wrong with it, or worth knowing.
    pub conditions: Vec<Condition>,
    /// What an agent in the guest says.
    pub agent: Option<AgentData>,
    /// What was measured.
    pub metrics: Option<Metrics>,
    /// What it can do as it is configured, whatever its power state.
    pub capabilities: Capabilities,
    /// Which state of the hypervisor's objects this was made from.
    pub revision: Revision,
    /// Since when nobody can tell whether this is still so; none while the watch behind it works.
    pub stale_since: Option<SystemTime>,
    change: u64,
}

impl Machine {
    /// A machine of which no more is known.
    pub fn new(id: MachineId, power: PowerState, revision: Revision) -> Self {
        Self {
            id,
            identity: Identity::default(),
            power,
            boot: Boot::default(),
            bios: None,
            inventory: Inventory::default(),
            media: Vec::new(),
            consoles: Vec::new(),
            conditions: Vec::new(),
            agent: None,
            metrics: None,
            capabilities: Capabilities::default(),
            revision,
            stale_since: None,
            change: 0,
        }
    }

    /// The number of the last change of this machine in its snapshot; it never stays when any field changes, also those
    /// that a revision does not cover. What is derived from a machine is cached by id and this number.
    pub const fn change(&self) -> u64 {
        self.change
    }

    /// The same content under another change number: the snapshot's business only.
    pub(crate) const fn set_change(&mut self, change: u64) {
        self.change = change;
    }

    /// The media slot of that id.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none.
    pub fn slot(&self, id: &PartId) -> Result<&MediaSlot, Error> {
        let no_slot = || Error::no_part(format!("media slot {id} of machine {}", self.id));
        self.media.iter().find(|slot| slot.id == *id).ok_or_else(no_slot)
    }

    /// The storage controller of that id.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none.
    pub fn controller(&self, id: &PartId) -> Result<&StorageController, Error> {
        let none = || Error::no_part(format!("storage controller {id} of machine {}", self.id));
        self.inventory.controllers.iter().find(|controller| controller.id == *id).ok_or_else(none)
    }

    /// The worst of its conditions.
    pub fn severity(&self) -> Severity {
        self.conditions.iter().map(|condition| condition.severity).max().unwrap_or_default()
    }
}

/// Who a machine is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The name that its owner gave it; where several may share one, [`Identity::group`] tells them apart.
    pub name: Label,
    /// The group within which the name is unique: a namespace, a connection.
    pub group: Option<Label>,
    /// Which incarnation this is: another value means another machine under the same id. Consoles and sessions are bound
    /// to it.
    pub uid: Option<Label>,
    /// SMBIOS UUID, as the guest sees it.
    pub uuid: Option<Uuid>,
    /// Serial number, as the guest sees it.
    pub serial_number: Option<Label>,
    /// Asset tag.
    pub asset_tag: Option<Label>,
    /// Manufacturer, as the guest sees it.
    pub manufacturer: Option<Label>,
    /// Model, as the guest sees it.
    pub model: Option<Label>,
    /// Stock-keeping unit.
    pub sku: Option<Label>,
    /// Version of the firmware that the guest boots with.
    pub firmware_version: Option<Label>,
    /// Whether somebody asked to have it shown where it is.
    pub locating: Option<bool>,
    /// Labels by which accounts and views select machines, sorted by name.
    pub labels: Arc<[(Label, Label)]>,
    /// A remark of its owner.
    pub description: Option<Message>,
}

/// A UUID, checked and in its usual form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(u128);

impl Uuid {
    /// A UUID from its value.
    pub const fn new(value: u128) -> Self {
        Self(value)
    }
}

impl std::str::FromStr for Uuid {
    type Err = Error;

    /// Reads 8-4-4-4-12 hexadecimal digits of either case, or all 32 together.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::invalid("UUID", "A UUID has 32 hexadecimal digits, as in 8-4-4-4-12");
        let grouped =
            text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-');
        let digits: String =
            if grouped { text.chars().filter(|c| *c != '-').collect() } else { text.into() };
        if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        u128::from_str_radix(&digits, 16).map(Self).map_err(|_| wrong())
    }
}

impl std::fmt::Display for Uuid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = format!("{:032x}", self.0);
        write!(f, "{}-{}-{}-{}-{}", &all[..8], &all[8..12], &all[12..16], &all[16..20], &all[20..])
    }
}

/// A way to a machine's screen or serial line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConsoleKind {
    /// The screen, by the RFB protocol (VNC).
    Graphical,
    /// The first serial line, as plain bytes.
    Serial,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_have_one_form() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(
                text.parse::<Uuid>().ok().map(|uuid| uuid.to_string()).as_deref(),
                expect,
                "{text}"
            );
        };
        let usual = "0c4c4544-0051-3310-8052-b4c04f4d3132";
        check(usual, Some(usual));
        check("0C4C4544-0051-3310-8052-B4C04F4D3132", Some(usual));
        check("0c4c454400513310", None);
        check("0c4c4544005133108052b4c04f4d3132", Some(usual));
        check("0c4c4544-0051-3310-8052-b4c04f4d313x", None);
        check("0c4c45440-051-3310-8052-b4c04f4d3132", None);
        check("+c4c4544005133108052b4c04f4d3132", None);
        check("é4c4544-0051-3310-8052-b4c04f4d3132", None);
        check("", None);
    }
}

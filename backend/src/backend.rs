//! What a hypervisor must offer.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::change::{BiosChange, BootChange, IdentityChange, NewVolume};
use crate::machine::{ConsoleKind, KeyReset, Machine, Severity};
use crate::outbound::ImageSource;
use crate::power::Reset;
use crate::snapshot::Snapshot;
use crate::text::Message;
use crate::{Caller, Error, MachineId, PartId};

/// A future in a box: what keeps the trait object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The outcome of a write: the machine as it is after it, already in the snapshot.
pub type Write<'a> = BoxFuture<'a, Result<Arc<Machine>, Error>>;

/// The machines of one hypervisor, or of one cluster.
///
/// **Reads** come from the snapshot, which never waits. **Writes** go to the hypervisor. They return when the change is
/// accepted, not when it is complete: a machine that was asked to start is [`PoweringOn`], a medium is
/// [`Importing`], and the rest is seen by watching. What they return is merged into the snapshot before they return it, so
/// that the next read has it. A write is given to a task of its own and finishes whether or not anybody still waits; an
/// implementation takes the machine's [lock](crate::lock), records an [intent](crate::intent) for whatever takes several
/// steps, and holds no lock while it waits for minutes.
///
/// **Not every machine can do everything.** [`Capabilities`] say what it can; the default bodies here refuse with
/// [`Error::Unsupported`], which is the right answer as long as no machine of the backend claims the capability.
///
/// An implementation begins with a [`Feed`](crate::snapshot::Feed) and these few lines:
///
/// ```
/// use redfish_backend::backend::{MachineBackend, Write};
/// use redfish_backend::machine::{Machine, Revision};
/// use redfish_backend::power::{Decision, PowerState, Reset, decide};
/// use redfish_backend::snapshot::{Feed, Snapshot};
/// use redfish_backend::{Caller, Error, MachineId};
///
/// /// Machines that start and stop at once, and offer `On` and `ForceOff`.
/// struct Switches(Feed);
///
/// impl MachineBackend for Switches {
///     fn snapshot(&self) -> &Snapshot {
///         self.0.snapshot()
///     }
///
///     fn reset<'a>(&'a self, id: &'a MachineId, reset: Reset, _: &'a Caller) -> Write<'a> {
///         Box::pin(async move {
///             let machine = self.0.snapshot().get(id)?;
///             if !machine.capabilities.resets.contains(reset) {
///                 return Err(Error::unsupported(format!("This machine has no reset {}", reset.as_str())));
///             }
///             let mut machine = Machine::clone(&machine);
///             machine.power = match decide(machine.power, reset) {
///                 Decision::Do(_) if machine.power == PowerState::Off => PowerState::On,
///                 Decision::Do(_) => PowerState::Off,
///                 Decision::Nothing | Decision::Queue(..) => return Ok(machine.into()),
///                 Decision::Refuse => return Err(Error::conflict("The machine is off")),
///             };
///             machine.revision = Revision::of(machine.revision.number(0) + 1);
///             self.0.put(machine).current(id)
///         })
///     }
/// }
/// ```
///
/// [`PoweringOn`]: crate::power::PowerState::PoweringOn
/// [`Importing`]: crate::machine::MediumPhase::Importing
/// [`Capabilities`]: crate::machine::Capabilities
pub trait MachineBackend: Send + Sync + 'static {
    /// What is known about all machines: get, list, watch, readiness.
    fn snapshot(&self) -> &Snapshot;

    /// Resets a machine, by the [table](crate::power::decide). Which resets there are: `Capabilities::resets`.
    fn reset<'a>(&'a self, id: &'a MachineId, reset: Reset, caller: &'a Caller) -> Write<'a>;

    /// Changes from what a machine boots. Needs `Capabilities::boot` or `Capabilities::secure_boot`.
    fn set_boot<'a>(
        &'a self,
        id: &'a MachineId,
        change: BootChange,
        caller: &'a Caller,
    ) -> Write<'a> {
        let _ = (change, caller);
        refuse(self.snapshot(), id, "The boot configuration of this machine can only be read")
    }

    /// Puts the keys of secure boot in another state. Needs `Capabilities::secure_boot_keys`.
    fn reset_secure_boot_keys<'a>(
        &'a self,
        id: &'a MachineId,
        reset: KeyReset,
        caller: &'a Caller,
    ) -> Write<'a> {
        let _ = (reset, caller);
        refuse(self.snapshot(), id, "The keys of this machine's secure boot can only be read")
    }

    /// Has the next start change settings of the firmware. Needs `Capabilities::bios`.
    fn set_bios<'a>(
        &'a self,
        id: &'a MachineId,
        change: BiosChange,
        caller: &'a Caller,
    ) -> Write<'a> {
        let _ = (change, caller);
        refuse(self.snapshot(), id, "The firmware settings of this machine can't be changed")
    }

    /// Has the next start put all settings of the firmware to their defaults. Needs `Capabilities::bios`.
    fn reset_bios<'a>(&'a self, id: &'a MachineId, caller: &'a Caller) -> Write<'a> {
        let _ = caller;
        refuse(self.snapshot(), id, "The firmware settings of this machine can't be changed")
    }

    /// Makes a volume at a storage controller, and says which. Needs `Capabilities::volumes`.
    fn create_volume<'a>(
        &'a self,
        id: &'a MachineId,
        controller: &'a PartId,
        volume: NewVolume,
        caller: &'a Caller,
    ) -> BoxFuture<'a, Result<(Arc<Machine>, PartId), Error>> {
        let _ = (controller, volume, caller);
        refuse(self.snapshot(), id, "No volumes can be made on this machine")
    }

    /// Removes a volume. Needs `Capabilities::volumes`.
    fn delete_volume<'a>(
        &'a self,
        id: &'a MachineId,
        controller: &'a PartId,
        volume: &'a PartId,
        caller: &'a Caller,
    ) -> Write<'a> {
        let _ = (controller, volume, caller);
        refuse(self.snapshot(), id, "No volumes can be removed from this machine")
    }

    /// Inserts an image into a media slot, by the [rules](crate::media::insert). Needs `Capabilities::media`.
    fn insert_media<'a>(
        &'a self,
        id: &'a MachineId,
        slot: &'a PartId,
        image: ImageSource,
        caller: &'a Caller,
    ) -> Write<'a> {
        let _ = (slot, image, caller);
        refuse(self.snapshot(), id, "This machine takes no virtual media")
    }

    /// Ejects what is in a media slot, by the [rules](crate::media::eject). Needs `Capabilities::media`.
    fn eject_media<'a>(
        &'a self,
        id: &'a MachineId,
        slot: &'a PartId,
        caller: &'a Caller,
    ) -> Write<'a> {
        let _ = (slot, caller);
        refuse(self.snapshot(), id, "This machine takes no virtual media")
    }

    /// Changes what a machine is called. Needs `Capabilities::asset_tag` or `Capabilities::locate`.
    fn set_identity<'a>(
        &'a self,
        id: &'a MachineId,
        change: IdentityChange,
        caller: &'a Caller,
    ) -> Write<'a> {
        let _ = (change, caller);
        refuse(self.snapshot(), id, "The identity of this machine can only be read")
    }

    /// Opens a console as a byte stream: RFB from its first byte, or what the serial line says. Needs the kind among
    /// `Machine::consoles`. Dropping the stream closes it.
    fn open_console<'a>(
        &'a self,
        id: &'a MachineId,
        kind: ConsoleKind,
        caller: &'a Caller,
    ) -> BoxFuture<'a, Result<Box<dyn ByteStream>, Error>> {
        let _ = (kind, caller);
        refuse(self.snapshot(), id, "This machine has no such console")
    }

    /// Takes a picture of the screen. Needs `Capabilities::screenshot`.
    fn screenshot<'a>(
        &'a self,
        id: &'a MachineId,
        caller: &'a Caller,
    ) -> BoxFuture<'a, Result<Screenshot, Error>> {
        let _ = caller;
        refuse(self.snapshot(), id, "No picture of this machine's screen can be taken")
    }

    /// Looks for what would keep the backend, or one machine, from working: reachability, rights, configuration. It
    /// changes nothing and may take seconds. Trouble in looking is a finding as well.
    fn diagnose<'a>(&'a self, id: Option<&'a MachineId>) -> BoxFuture<'a, Vec<Finding>> {
        let _ = id;
        Box::pin(async { Vec::new() })
    }
}

/// A refusal, ready.
fn refuse<'a, T: Send + 'a>(
    snapshot: &Snapshot,
    id: &MachineId,
    reason: &'static str,
) -> BoxFuture<'a, Result<T, Error>> {
    let error = snapshot.get(id).err().unwrap_or_else(|| Error::unsupported(reason));
    Box::pin(async move { Err(error) })
}

/// A connection that passes bytes both ways.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// A picture of a screen, as the hypervisor gives it.
#[derive(Clone, PartialEq, Eq)]
pub enum Screenshot {
    /// A PNG file.
    Png(Vec<u8>),
    /// Rows from top to bottom, three bytes (red, green, blue) for each pixel.
    Rgb {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// The bytes.
        pixels: Vec<u8>,
    },
}

impl fmt::Debug for Screenshot {
    /// What is on a screen is nobody's business in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Png(bytes) => write!(f, "Png({} bytes)", bytes.len()),
            Self::Rgb { width, height, .. } => write!(f, "Rgb({width} x {height})"),
        }
    }
}

/// One result of a diagnosis: a line of `redfish-server doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at, as a stable word for programs: `api-reach`, `cdrom-tray`.
    pub check: &'static str,
    /// The machine, unless it is about all of them.
    pub machine: Option<MachineId>,
    /// How bad it is; also what is fine is a finding, so that one sees what was looked at.
    pub level: Severity,
    /// What was found.
    pub message: Message,
    /// What to do about it.
    pub remedy: Option<Message>,
}

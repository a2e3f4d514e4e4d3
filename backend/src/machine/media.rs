//! Slots for virtual media and what is in them: `VirtualMedia`.

use std::time::SystemTime;

use crate::PartId;
use crate::media::FetchFailure;
use crate::outbound::ImageUrl;
use crate::text::Label;

/// A drive of a machine into which images can be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaSlot {
    /// The id.
    pub id: PartId,
    /// What an operator reads in a list.
    pub name: Label,
    /// As what the guest sees it.
    pub kind: MediaKind,
    /// What is in it; from the moment in which an insert is accepted, and no longer from the moment in which an eject is.
    pub medium: Option<Medium>,
    /// Why the last medium vanished by itself: which one, and what was wrong. Gone with the next insert or eject.
    pub failure: Option<(u64, FetchFailure)>,
}

/// As what a medium appears in the guest: `MediaTypes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaKind {
    /// A CD.
    Cd,
    /// A DVD.
    Dvd,
    /// A USB stick.
    UsbStick,
    /// A floppy.
    Floppy,
}

/// An inserted medium.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Medium {
    /// The number of the insertion, unique within the machine: by it a task knows whether the medium that it waits for
    /// is still the one that is there.
    pub insertion: u64,
    /// Where the image came from. None for what somebody attached without us.
    pub image: Option<ImageUrl>,
    /// The file's name, where there is no URL or as well.
    pub name: Option<Label>,
    /// Whether the guest can't write to it.
    pub write_protected: bool,
    /// Whether it can be used yet.
    pub phase: MediumPhase,
    /// When it was accepted, if known.
    pub since: Option<SystemTime>,
}

/// How far a medium has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediumPhase {
    /// The image is on its way. A start of the machine waits for it.
    Importing {
        /// How much of it has arrived, in percent, if known.
        percent: Option<u8>,
    },
    /// It waits for the next start, as this machine can't take media while it runs.
    Staged,
    /// The guest can use it.
    Usable,
}

//! What a machine can do.
//!
//! The service offers what is in here and nothing else: allowable values, actions, resources. So capabilities follow
//! from configuration and backend, never from the momentary state: a client that plans a restart reads them while the
//! machine is off. What the state forbids is a [`Conflict`](crate::Error::Conflict), what the capabilities lack is
//! [`Unsupported`](crate::Error::Unsupported), and the contract suite holds a backend to that.

use super::{BootMode, BootTarget};
use crate::power::ResetSet;

/// What a machine can do as it is configured. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// The resets.
    pub resets: ResetSet,
    /// Changes of the boot configuration; none when it can only be read.
    pub boot: Option<BootCapabilities>,
    /// Whether media slots take and give media.
    pub media: bool,
    /// Whether secure boot can be switched.
    pub secure_boot: bool,
    /// Whether the keys of secure boot can be reset.
    pub secure_boot_keys: bool,
    /// Whether settings of the firmware can be changed and reset.
    pub bios: bool,
    /// Whether volumes can be made and removed.
    pub volumes: bool,
    /// Whether the asset tag can be set.
    pub asset_tag: bool,
    /// Whether a machine can be marked as being looked for.
    pub locate: bool,
    /// Whether a picture of the screen can be taken.
    pub screenshot: bool,
}

/// What can be changed about booting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BootCapabilities {
    /// The targets of an override; empty when there is none.
    pub targets: Vec<BootTarget>,
    /// Whether an override can be for the next boot only.
    pub once: bool,
    /// Whether an override can last.
    pub continuous: bool,
    /// The modes that can be chosen; the present one alone when it can't be changed.
    pub modes: Vec<BootMode>,
    /// Whether the order of boot options can be changed.
    pub order: bool,
}

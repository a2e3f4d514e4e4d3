//! How a machine is doing: conditions, what its guest says, what was measured.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use crate::text::{Label, Message};

/// How bad something is: `Health`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Fine, or worth knowing only.
    #[default]
    Ok,
    /// Somebody should look at it.
    Warning,
    /// It does not work.
    Critical,
}

/// Something that is so at present and that a client should know: an entry of `Status.Conditions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// A stable word that programs can look for, such as `RestartRequired`.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is so.
    pub message: Message,
    /// What would end it.
    pub remedy: Option<Message>,
    /// Since when, if known.
    pub since: Option<SystemTime>,
}

impl Condition {
    /// The configuration has changes that only the next start takes up.
    pub const RESTART_REQUIRED: &'static str = "RestartRequired";
    /// The record of ours on the VM is damaged, so nothing of it is done.
    pub const RECORD_DAMAGED: &'static str = "RecordDamaged";

    /// A condition of which no more is known.
    pub fn new(name: &'static str, severity: Severity, message: impl Into<Message>) -> Self {
        Self { name, severity, message: message.into(), remedy: None, since: None }
    }
}

/// What an agent inside the guest reports: anything there may be a lie, and decides nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentData {
    /// The guest's host name: `HostName`.
    pub host_name: Option<Label>,
    /// Name of the operating system.
    pub os_name: Option<Label>,
    /// Its version.
    pub os_version: Option<Label>,
    /// The kernel's version.
    pub kernel: Option<Label>,
    /// Addresses of the guest.
    pub addresses: Vec<IpAddr>,
    /// How far the boot has come, where that is known and not guessed.
    pub boot_progress: Option<BootProgress>,
}

/// `BootProgress.LastState`, as far as a hypervisor can know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootProgress {
    /// The firmware runs.
    FirmwareRunning,
    /// The firmware has handed over.
    OsBootStarted,
    /// The operating system runs.
    OsRunning,
}

/// What was measured, and when: values that somebody read, never estimates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Metrics {
    /// When.
    pub taken: SystemTime,
    /// Processor time since the start, all threads together.
    pub cpu_time: Option<Duration>,
    /// How busy the processors were lately, 0 to 100 over all threads.
    pub cpu_percent: Option<f64>,
    /// Memory in use, in bytes.
    pub memory_used: Option<u64>,
    /// Bytes received and sent on all interfaces since the start.
    pub network_bytes: Option<(u64, u64)>,
    /// Bytes read and written on all disks since the start.
    pub disk_bytes: Option<(u64, u64)>,
}

impl Metrics {
    /// Nothing measured yet.
    pub const fn new(taken: SystemTime) -> Self {
        Self {
            taken,
            cpu_time: None,
            cpu_percent: None,
            memory_used: None,
            network_bytes: None,
            disk_bytes: None,
        }
    }
}

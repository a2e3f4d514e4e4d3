//! What the operator decides about the virtual BMC.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use redfish_backend::machine::{MacAddress, Machine};

use crate::context::Context;

/// Settings of the virtual BMC.
#[derive(Clone)]
#[non_exhaustive]
pub struct Settings {
    /// How long InsertMedia waits for the medium to be usable (`media.wait`).
    pub media_wait: Duration,
    /// `Manufacturer` of managers; never a word that makes clients take us for somebody's BMC.
    pub vendor: String,
    /// The OEM namespace, also that of our message ids.
    pub oem: String,
    /// Whether the names that owners gave are unique among all machines, so that `Name` can be the
    /// bare name where several machines are seen. Else it is the id: clients select by it.
    pub unique_names: bool,
    /// What is known of the service's own network interfaces.
    pub network: ManagerNetwork,
    /// Is told that somebody resets a machine's manager.
    pub on_manager_reset: Option<ResetHook>,
}

/// What `Manager.Reset` calls: it ends what hangs on the machine's manager (its sessions, its
/// consoles), and never the process.
pub type ResetHook = Arc<dyn Fn(&Context, &Machine) + Send + Sync>;

impl Default for Settings {
    fn default() -> Self {
        Self {
            media_wait: Duration::from_secs(25),
            vendor: "VirtualBMC".to_owned(),
            oem: "VirtualBmc".to_owned(),
            unique_names: false,
            network: ManagerNetwork::default(),
            on_manager_reset: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("media_wait", &self.media_wait)
            .field("vendor", &self.vendor)
            .field("oem", &self.oem)
            .field("unique_names", &self.unique_names)
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}

/// The service's own place in the network, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManagerNetwork {
    /// The host name.
    pub host_name: Option<String>,
    /// The interfaces that it listens on. Where their hardware addresses are not known there is none
    /// here, since an EthernetInterface without one is of no use to anybody.
    pub interfaces: Vec<ManagerInterface>,
}

/// A network interface of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagerInterface {
    /// Its name, such as `eth0`; it becomes the `Id`.
    pub name: redfish_backend::PartId,
    /// Its hardware address.
    pub mac: MacAddress,
    /// The addresses that the service listens on, each with the length of its network's prefix.
    pub addresses: Vec<IpNet>,
}

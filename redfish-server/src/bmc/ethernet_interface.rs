//! `EthernetInterface`: those of a machine, and those of the service itself.
//!
//! All managers are the one service, so below each of them are the interfaces that the service
//! listens on, as far as its configuration knows them.

use ipnet::IpNet;
use redfish_backend::machine::{LinkState, Machine, NetworkInterface};
use redfish_model::ethernet_interface::{
    EthernetDeviceType, EthernetInterfacePatch, LinkStatus, Links,
};
use redfish_model::ip_addresses::{IPv4Address, IPv6Address};
use redfish_model::{
    EthernetInterface, EthernetInterfaceCollection, EthernetInterfaceCollectionUri,
    EthernetInterfaceUri, Field, Ref,
};

use super::seen::members;
use super::{ManagerInterface, Seen, VirtualBmc, status};
use crate::api::ethernet_interface::{EthernetInterfaceApi, EthernetInterfaceCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// An interface of a machine. Its address is shown twice: as the one that it has, and as the one that
/// it was made with, which for a virtual interface is the same.
fn of_system(seen: &Seen<'_>, id: &str) -> Option<EthernetInterface> {
    let interface = find(seen.machine, id)?;
    let link = interface.link.map(|link| match link {
        LinkState::Up => LinkStatus::LinkUp,
        LinkState::Down => LinkStatus::LinkDown,
    });
    let mac = interface.mac.map(|mac| mac.to_string());
    let name = if interface.name.is_empty() { id } else { interface.name.as_str() };
    let network = interface.network.as_ref().filter(|network| !network.is_empty());
    let uri = seen.below_system(&format!("EthernetInterfaces/{id}"));
    Some(EthernetInterface {
        description: network.map(|network| format!("Attached to {network}")).into(),
        ethernet_interface_type: EthernetDeviceType::Virtual.into(),
        // A virtual interface that is switched off is one without a link.
        interface_enabled: true.into(),
        link_status: link.into(),
        links: Links { chassis: Ref::to(seen.chassis()).into(), ..Links::default() }.into(),
        mac_address: mac.clone().into(),
        permanent_mac_address: mac.into(),
        speed_mbps: interface.speed.map(i64::from).into(),
        status: status::enabled().into(),
        ..EthernetInterface::new(uri, id, name)
    })
}

fn of_manager(seen: &Seen<'_>, id: &str) -> Option<EthernetInterface> {
    let network = &seen.settings.network;
    let interface = network.interfaces.iter().find(|interface| interface.name.as_str() == id)?;
    let (v4, v6) = addresses(interface);
    let mac = interface.mac.to_string();
    let uri = format!("{}/EthernetInterfaces/{id}", seen.manager());
    Some(EthernetInterface {
        host_name: network.host_name.clone().into(),
        ipv4_addresses: v4,
        ipv6_addresses: v6,
        mac_address: mac.into(),
        status: status::enabled().into(),
        ..EthernetInterface::new(uri, id, "Service Interface")
    })
}

fn addresses(interface: &ManagerInterface) -> (Field<Vec<IPv4Address>>, Field<Vec<IPv6Address>>) {
    let (mut v4, mut v6) = (Vec::new(), Vec::new());
    for address in &interface.addresses {
        match address {
            IpNet::V4(net) => v4.push(IPv4Address {
                address: net.addr().to_string().into(),
                subnet_mask: net.netmask().to_string().into(),
                ..IPv4Address::default()
            }),
            IpNet::V6(net) => v6.push(IPv6Address {
                address: net.addr().to_string().into(),
                prefix_length: i64::from(net.prefix_len()).into(),
                ..IPv6Address::default()
            }),
        }
    }
    (v4.into(), v6.into())
}

fn of_system_collection(seen: &Seen<'_>) -> EthernetInterfaceCollection {
    let uri = seen.below_system("EthernetInterfaces");
    let ids = seen.machine.inventory.interfaces.iter().map(|interface| interface.id.as_str());
    let links = members(&uri, ids);
    EthernetInterfaceCollection::new(uri, "Ethernet Interfaces", links)
}

fn of_manager_collection(seen: &Seen<'_>) -> Option<EthernetInterfaceCollection> {
    let interfaces = &seen.settings.network.interfaces;
    if interfaces.is_empty() {
        return None;
    }
    let uri = format!("{}/EthernetInterfaces", seen.manager());
    let links = members(&uri, interfaces.iter().map(|interface| interface.name.as_str()));
    Some(EthernetInterfaceCollection::new(uri, "Service Interfaces", links))
}

fn find<'a>(machine: &'a Machine, id: &str) -> Option<&'a NetworkInterface> {
    machine.inventory.interfaces.iter().find(|interface| interface.id.as_str() == id)
}

impl EthernetInterfaceApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &EthernetInterfaceUri) -> bool {
        use EthernetInterfaceUri as At;
        match uri {
            At::SystemsEthernetInterfaces { computer_system_id, ethernet_interface_id } => self
                .has(scope, computer_system_id, |machine| {
                    find(machine, ethernet_interface_id).is_some()
                }),
            At::ManagersEthernetInterfaces { manager_id, ethernet_interface_id: id } => {
                let known = &self.settings.network.interfaces;
                known.iter().any(|interface| interface.name.as_str() == id)
                    && self.machine(scope, manager_id).is_some()
            }
        }
    }

    async fn get(&self, cx: &Context, uri: EthernetInterfaceUri) -> Result<EthernetInterface> {
        use EthernetInterfaceUri as At;
        match &uri {
            At::SystemsEthernetInterfaces { computer_system_id, ethernet_interface_id: id } => {
                self.look(cx, computer_system_id, &uri, |seen| of_system(seen, id))
            }
            At::ManagersEthernetInterfaces { manager_id, ethernet_interface_id: id } => {
                self.look(cx, manager_id, &uri, |seen| of_manager(seen, id))
            }
        }
    }

    /// Not mounted.
    async fn patch(
        &self,
        _: &Context,
        _: EthernetInterfaceUri,
        _: EthernetInterfacePatch,
    ) -> Result<Reply<EthernetInterface>> {
        Err(Error::method_not_allowed())
    }
}

impl EthernetInterfaceCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &EthernetInterfaceCollectionUri) -> bool {
        use EthernetInterfaceCollectionUri as At;
        match uri {
            At::SystemsEthernetInterfaces { computer_system_id } => {
                self.machine(scope, computer_system_id).is_some()
            }
            At::ManagersEthernetInterfaces { manager_id } => {
                !self.settings.network.interfaces.is_empty()
                    && self.machine(scope, manager_id).is_some()
            }
        }
    }

    async fn get(
        &self,
        cx: &Context,
        uri: EthernetInterfaceCollectionUri,
    ) -> Result<EthernetInterfaceCollection> {
        use EthernetInterfaceCollectionUri as At;
        match &uri {
            At::SystemsEthernetInterfaces { computer_system_id } => {
                self.look(cx, computer_system_id, &uri, |seen| Some(of_system_collection(seen)))
            }
            At::ManagersEthernetInterfaces { manager_id } => {
                self.look(cx, manager_id, &uri, of_manager_collection)
            }
        }
    }
}

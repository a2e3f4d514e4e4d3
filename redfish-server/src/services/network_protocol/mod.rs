//! `ManagerNetworkProtocol`: how the service is reached, shown by each manager.
//!
//! The listeners are the operator's: what the schema lets clients write of them is shown, since it is true,
//! and each attempt to change it is told that it can't be. What is not decided by the configuration and can
//! be switched while the service runs ([`Settings`]) can be changed by whoever may change the service.

mod change;
mod settings;

use std::fmt;
use std::sync::Arc;

use redfish_model::manager_network_protocol::{
    HTTPSProtocol, ManagerNetworkProtocolPatch, Protocol, SSDProtocol,
};
use redfish_model::resource::{Health, State, Status};
use redfish_model::{Field, ManagerNetworkProtocol, ManagerNetworkProtocolUri, Ref};

use super::certificates;
use super::managers::{Managers, canonical};
use crate::api::manager_network_protocol::{
    ManagerNetworkProtocolApi, mount_manager_network_protocol,
};
use crate::{Context, Mount, Reply, Result, Scope, ssdp};

pub use settings::{Options, Settings};

/// How the service is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The port of HTTPS, if that is on.
    pub https: Option<u16>,
    /// The port of HTTP, if that is on.
    pub http: Option<u16>,
    /// The host's name, where known.
    pub host_name: Option<String>,
    /// The same with its domain, where known.
    pub fqdn: Option<String>,
}

/// Gives what is so now.
pub type Current = Arc<dyn Fn() -> Network + Send + Sync>;

/// Mounts the network protocol of each manager. Without settings there is nothing to switch.
pub fn mounts(current: Current, settings: Option<Arc<Settings>>, managers: Managers) -> Vec<Mount> {
    let service = Arc::new(Protocols { current, settings, managers });
    vec![mount_manager_network_protocol(service).service_wide()]
}

struct Protocols {
    current: Current,
    settings: Option<Arc<Settings>>,
    managers: Managers,
}

impl fmt::Debug for Protocols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protocols").finish_non_exhaustive()
    }
}

impl ManagerNetworkProtocolApi for Protocols {
    fn exists(&self, scope: &Scope, uri: &ManagerNetworkProtocolUri) -> bool {
        let ManagerNetworkProtocolUri::ManagersNetworkProtocol { manager_id } = uri;
        self.managers.exists(scope, manager_id)
    }

    async fn get(
        &self,
        cx: &Context,
        uri: ManagerNetworkProtocolUri,
    ) -> Result<ManagerNetworkProtocol> {
        let ManagerNetworkProtocolUri::ManagersNetworkProtocol { manager_id } = &uri;
        let manager = canonical(&cx.scope, manager_id);
        let here =
            ManagerNetworkProtocolUri::ManagersNetworkProtocol { manager_id: manager.to_owned() };
        let network = (self.current)();
        let https = HTTPSProtocol {
            protocol_enabled: network.https.is_some().into(),
            port: Field::from_nullable(network.https.map(i64::from)),
            certificates: network.https.map(|_| Ref::to(certificates::folder(manager))).into(),
            ..HTTPSProtocol::default()
        };
        let http = Protocol {
            protocol_enabled: network.http.is_some().into(),
            port: Field::from_nullable(network.http.map(i64::from)),
            ..Protocol::default()
        };
        let ssdp = self.settings.as_ref().map(|settings| SSDProtocol {
            protocol_enabled: settings.now().ssdp.unwrap_or(false).into(),
            port: i64::from(ssdp::PORT).into(),
            ..SSDProtocol::default()
        });
        let status =
            Status { state: State::Enabled.into(), health: Health::OK.into(), ..Status::default() };
        let text = |text: Option<String>| Field::from(text.filter(|text| !text.is_empty()));
        Ok(ManagerNetworkProtocol {
            https: https.into(),
            http: http.into(),
            ssdp: ssdp.into(),
            host_name: text(network.host_name),
            fqdn: text(network.fqdn),
            status: status.into(),
            ..ManagerNetworkProtocol::new(&here, "NetworkProtocol", "Manager Network Protocol")
        })
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: ManagerNetworkProtocolUri,
        body: ManagerNetworkProtocolPatch,
    ) -> Result<Reply<ManagerNetworkProtocol>> {
        let said = change::apply(self.settings.as_deref(), body).await?;
        let reply = Reply::done(self.get(cx, uri).await?);
        Ok(said.into_iter().fold(reply, Reply::with_message))
    }
}

#[cfg(test)]
mod tests {
    use redfish_model::to_value_strict;
    use serde_json::{Value, json};

    use super::*;
    use crate::context::{Machines, Naming};
    use crate::services::managers::two;

    fn service(network: Network) -> Protocols {
        let current: Current = Arc::new(move || network.clone());
        Protocols { current, settings: None, managers: two() }
    }

    fn uri(manager: &str) -> ManagerNetworkProtocolUri {
        ManagerNetworkProtocolUri::ManagersNetworkProtocol { manager_id: manager.into() }
    }

    async fn shown(network: Network, scope: Scope, manager: &str) -> Option<Value> {
        let (service, cx) = (service(network), Context::new(None, scope));
        if !service.exists(&cx.scope, &uri(manager)) {
            return None;
        }
        Some(to_value_strict(&service.get(&cx, uri(manager)).await.unwrap()).unwrap())
    }

    #[tokio::test]
    async fn what_is_on_is_shown() {
        let network = Network {
            https: Some(8443),
            host_name: Some("bmc".into()),
            fqdn: Some(String::new()),
            ..Network::default()
        };
        let value = shown(network, Scope::all(), "a").await.unwrap();
        let folder = "/redfish/v1/Managers/a/NetworkProtocol/HTTPS/Certificates";
        let https = json!({
            "Port": 8443, "ProtocolEnabled": true, "Certificates": {"@odata.id": folder},
        });
        assert_eq!(value["HTTPS"], https);
        assert_eq!(value["HTTP"], json!({"Port": null, "ProtocolEnabled": false}));
        assert_eq!((&value["HostName"], value.get("FQDN")), (&"bmc".into(), None));
        assert_eq!(value["Id"], "NetworkProtocol");
        let plain = Network { http: Some(8000), ..Network::default() };
        let value = shown(plain, Scope::all(), "a").await.unwrap();
        assert_eq!(value["HTTPS"], json!({"Port": null, "ProtocolEnabled": false}));
        assert_eq!(value["HTTP"]["Port"], 8000);
    }

    #[tokio::test]
    async fn managers_of_the_scope_have_it() {
        let check =
            async |machines: Machines, naming: Naming, manager: &str, expect: Option<&str>| {
                let scope = Scope { machines, naming, ..Scope::all() };
                let value = shown(Network::default(), scope, manager).await;
                let id = value.as_ref().and_then(|value| value["@odata.id"].as_str());
                let expect =
                    expect.map(|name| format!("/redfish/v1/Managers/{name}/NetworkProtocol"));
                assert_eq!(id, expect.as_deref(), "{manager}");
            };
        let a = || Machines::Only(["a".to_owned()].into_iter().collect());
        check(Machines::All, Naming::Ids, "a", Some("a")).await;
        check(Machines::All, Naming::Ids, "c", None).await;
        check(a(), Naming::Ids, "b", None).await;
        check(a(), Naming::View, "1", Some("1")).await;
        check(a(), Naming::View, "a", Some("1")).await;
    }

    #[tokio::test]
    async fn what_can_be_switched_is_shown() {
        let check = async |configured: Option<bool>, expect: bool| {
            let settings = Settings::forgetful(Options { ssdp: configured }).await.unwrap();
            let service = Protocols { settings: Some(settings), ..service(Network::default()) };
            let cx = Context::new(None, Scope::all());
            let shown = to_value_strict(&service.get(&cx, uri("a")).await.unwrap()).unwrap();
            assert_eq!(shown["SSDP"], json!({"ProtocolEnabled": expect, "Port": 1900}));
        };
        check(None, false).await;
        check(Some(true), true).await;
        let without = shown(Network::default(), Scope::all(), "a").await.unwrap();
        assert_eq!(without.get("SSDP"), None);
    }
}

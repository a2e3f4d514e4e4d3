//! `ServiceRoot` (DSP0266, "Service root"): where every client begins.

use std::sync::Arc;

use redfish_model::service_root::Links;
use redfish_model::{Field, Ref, ServiceRoot, ServiceRootUri};

use crate::api::service_root::{ServiceRootApi, mount_service_root};
use crate::{Context, Mount, Result, Scope};

/// The version of DSP0266 whose rules the service follows (`ServiceRoot.RedfishVersion`).
///
/// The schema bundle does not name one: its mockups say 1.15.0, which is older than the properties in
/// them. It is that of the protocol and not of the release 2025.4; clients compare it, so it has three
/// numbers, and an SSDP answer repeats the second.
pub const REDFISH_VERSION: &str = "1.22.0";

/// What the root says of this service.
#[derive(Clone, Debug)]
pub struct Identity {
    /// `UUID`: the same for as long as the service has its state.
    pub uuid: String,
    /// `Vendor`. Names of BMC vendors, even within others, switch on quirks in clients.
    pub vendor: String,
    /// `Product`.
    pub product: String,
}

/// Mounts the root.
pub fn mounts(identity: Identity) -> Vec<Mount> {
    vec![mount_service_root(Arc::new(Root { identity }))]
}

struct Root {
    identity: Identity,
}

impl ServiceRootApi for Root {
    fn exists(&self, _: &Scope, _: &ServiceRootUri) -> bool {
        true
    }

    async fn get(&self, _: &Context, uri: ServiceRootUri) -> Result<ServiceRoot> {
        // All services that the schema has a link for and that we have traits for. The writer takes out
        // those that are not mounted.
        let links = Links::new(link("SessionService/Sessions"));
        let text = |text: &str| Field::from((!text.is_empty()).then(|| text.to_owned()));
        Ok(ServiceRoot {
            redfish_version: REDFISH_VERSION.into(),
            uuid: text(&self.identity.uuid),
            vendor: text(&self.identity.vendor),
            product: text(&self.identity.product),
            protocol_features_supported: crate::router::features().into(),
            account_service: link("AccountService").into(),
            certificate_service: link("CertificateService").into(),
            chassis: link("Chassis").into(),
            event_service: link("EventService").into(),
            json_schemas: link("JsonSchemas").into(),
            managers: link("Managers").into(),
            registries: link("Registries").into(),
            session_service: link("SessionService").into(),
            systems: link("Systems").into(),
            tasks: link("TaskService").into(),
            telemetry_service: link("TelemetryService").into(),
            update_service: link("UpdateService").into(),
            ..ServiceRoot::new(&uri, "RootService", "Root Service", links)
        })
    }
}

fn link<T>(path: &str) -> Ref<T> {
    Ref::to(format!("/redfish/v1/{path}"))
}

#[cfg(test)]
mod tests {
    use redfish_model::to_value_strict;

    use super::*;
    use crate::operation::OPERATIONS;

    async fn root(uuid: &str, vendor: &str) -> serde_json::Value {
        let identity =
            Identity { uuid: uuid.into(), vendor: vendor.into(), product: "Virtual BMC".into() };
        let cx = Context::new(None, Scope::all());
        let root = Root { identity }.get(&cx, ServiceRootUri::ServiceRoot).await.unwrap();
        to_value_strict(&root).unwrap()
    }

    #[tokio::test]
    async fn the_root_says_who_it_is() {
        let uuid = "6ec6e6a8-5a6e-4c1e-9f3e-0a6d0c1b2a39";
        let root = root(uuid, "VirtualBMC").await;
        assert_eq!(root["@odata.id"], "/redfish/v1/");
        assert_eq!(root["Id"], "RootService");
        assert_eq!((&root["UUID"], &root["Vendor"]), (&uuid.into(), &"VirtualBMC".into()));
        assert_eq!(root["Links"]["Sessions"]["@odata.id"], "/redfish/v1/SessionService/Sessions");
        let parts: Vec<_> = root["RedfishVersion"].as_str().unwrap().split('.').collect();
        assert!(parts.len() == 3 && parts.iter().all(|part| part.parse::<u16>().is_ok()));
    }

    #[tokio::test]
    async fn what_is_unknown_is_absent() {
        let root = root("", "").await;
        assert!(root.get("UUID").is_none() && root.get("Vendor").is_none(), "{root}");
    }

    #[tokio::test]
    async fn links_lead_to_uris_of_the_table() {
        let root = root("", "").await;
        let links = root.as_object().unwrap().values().filter_map(|v| v["@odata.id"].as_str());
        let mut count = 0;
        for uri in links {
            count += 1;
            assert!(OPERATIONS.iter().any(|operation| operation.template == uri), "{uri}");
        }
        assert_eq!(count, 12);
    }
}

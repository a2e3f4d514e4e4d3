//! A service of two resources: the root, and one collection of systems below it.
//!
//! ```text
//! cargo run -p redfish-server --example two_resources
//! curl -s http://127.0.0.1:8000/redfish/v1/Systems
//! ```
//!
//! It serves plain HTTP on loopback and lets everybody log in as a reader: it shows the seam, not
//! how to run a service.

use std::net::IpAddr;
use std::sync::Arc;

use http::request::Parts;
use redfish_model::{
    ComputerSystemCollection, ComputerSystemCollectionUri, Field, Ref, ServiceRoot, ServiceRootUri,
    service_root,
};
use redfish_server::api::computer_system::{
    ComputerSystemCollectionApi, mount_computer_system_collection,
};
use redfish_server::api::service_root::{ServiceRootApi, mount_service_root};
use redfish_server::authenticate::{Authenticator, Verdict};
use redfish_server::operation::Privilege;
use redfish_server::{Context, Principal, Result, Router, Scope, Service};

struct Lab {
    systems: Vec<&'static str>,
}

impl ServiceRootApi for Lab {
    fn exists(&self, _: &Scope, _: &ServiceRootUri) -> bool {
        true
    }

    async fn get(&self, _: &Context, uri: ServiceRootUri) -> Result<ServiceRoot> {
        let links = service_root::Links::new(Ref::to("/redfish/v1/SessionService/Sessions"));
        Ok(ServiceRoot {
            redfish_version: Field::Value("1.22.0".to_owned()),
            systems: Field::Value(Ref::from(&ComputerSystemCollectionUri::Systems)),
            ..ServiceRoot::new(&uri, "RootService", "Lab", links)
        })
    }
}

impl ComputerSystemCollectionApi for Lab {
    fn exists(&self, _: &Scope, _: &ComputerSystemCollectionUri) -> bool {
        true
    }

    async fn get(
        &self,
        cx: &Context,
        uri: ComputerSystemCollectionUri,
    ) -> Result<ComputerSystemCollection> {
        let visible = self.systems.iter().filter(|id| cx.scope.has(id));
        let members = visible.map(|id| Ref::to(format!("/redfish/v1/Systems/{id}"))).collect();
        Ok(ComputerSystemCollection::new(&uri, "Systems", members))
    }
}

fn router(service: &Arc<Lab>) -> Router {
    Router::new()
        .mount(mount_service_root(service.clone()))
        .mount(mount_computer_system_collection(service.clone()))
}

/// Everybody is a reader.
struct Everybody;

impl Authenticator for Everybody {
    fn authenticate<'a>(&'a self, _: &'a Parts, _: Option<IpAddr>) -> Verdict<'a> {
        let reader = Principal::new("reader", "ReadOnly", [Privilege::Login]);
        Box::pin(async { Some(Ok(Arc::new(reader))) })
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let service = Arc::new(Lab { systems: vec!["a", "b"] });
    let app = Service::new(router(&service)).authenticator(Arc::new(Everybody));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    println!("http://{}/redfish/v1/", listener.local_addr()?);
    axum::serve(listener, Arc::new(app).into_axum()).await
}

//! From a connection to what it shows.

use std::sync::Arc;

use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use redfish_server::config::{Config, EndpointTable};
use redfish_server::context::{MachineSet, Machines, Naming};
use redfish_server::listen::{Answer, Connection, Trust, client_of};
use redfish_server::service::{Origin, Service};
use redfish_server::{Scope, listen};

/// The service behind the listeners.
pub(super) struct Endpoints {
    service: Arc<Service>,
    /// What each listener shows.
    scopes: Vec<Arc<Scope>>,
    trust: Trust,
}

impl Endpoints {
    /// Listeners come in the order of [`addresses`].
    pub(super) fn new(service: Arc<Service>, config: &Config) -> Self {
        let everything = Arc::new(everything(config));
        let mut scopes = vec![everything; config.listen.len()];
        for table in &config.endpoint {
            let scope = Arc::new(shown(config, table));
            scopes.extend(table.listen.iter().map(|_| Arc::clone(&scope)));
        }
        let proxies = config.trusted_proxies.iter().map(|network| network.0).collect();
        let trust = Trust { proxies, ..Trust::default() };
        Self { service, scopes, trust }
    }
}

/// All addresses that are listened on.
pub(super) fn addresses(config: &Config) -> Vec<std::net::SocketAddr> {
    let endpoints = config.endpoint.iter().flat_map(|table| &table.listen);
    config.listen.iter().chain(endpoints).copied().collect()
}

/// What a listener without more shows.
fn everything(config: &Config) -> Scope {
    let mut scope = Scope::all();
    scope.profile = config.compat.profile;
    scope.operating_system = config.compat.operating_system;
    scope.guard = config.compat.guard;
    scope
}

fn shown(config: &Config, table: &EndpointTable) -> Scope {
    let mut scope = everything(config);
    if let Some(machine) = &table.machine {
        let only: MachineSet = [machine.clone()].into_iter().collect();
        scope.machines = Machines::Only(only);
        scope.naming = Naming::View;
    }
    scope.profile = table.profile.unwrap_or(scope.profile);
    scope.operating_system = table.operating_system.unwrap_or(scope.operating_system);
    scope
}

impl listen::Service for Endpoints {
    fn call<'a>(
        &'a self,
        request: Request<Incoming>,
        connection: &'a Arc<Connection>,
    ) -> Answer<'a> {
        let client = client_of(connection.peer, connection.tls, request.headers(), &self.trust);
        let scope = self.scopes.get(connection.listener).or(self.scopes.first());
        let mut origin = Origin::new(scope.cloned().unwrap_or_else(|| Arc::new(Scope::all())));
        origin.client = Some(client.address);
        origin.scheme = client.scheme;
        origin.host = client.host.into();
        Box::pin(self.service.call(origin, request.map(Body::new)))
    }
}

//! What is counted, in the OpenMetrics format.
//!
//! Requests are counted by the id of their operation, of which there are as many as the schema has,
//! and never by path: a client could make any number of those.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::service::{Finished, Observer};

/// The figures of a service.
pub struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    durations: Family<Operation, Histogram>,
    refused: Counter,
    connections: Gauge,
    connections_refused: Counter,
    requests_refused: Counter,
    handshakes_failed: Counter,
    /// Sessions that are open.
    pub sessions: Gauge,
    /// Machines that are known.
    pub machines: Gauge,
    /// Reloads that kept what was there, as the new was wrong.
    pub reload_failures: Counter,
    /// Lines of the audit trail that were lost.
    pub audit_drops: Counter,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Request {
    operation: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Operation {
    operation: &'static str,
}

/// Seconds: from what memory answers to what waits for a hypervisor.
const BUCKETS: [f64; 9] = [0.0005, 0.001, 0.0025, 0.01, 0.05, 0.25, 1.0, 5.0, 30.0];

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("redfish");
        let requests = Family::default();
        registry.register("requests", "Requests by operation and status", requests.clone());
        let make: fn() -> Histogram = || Histogram::new(BUCKETS);
        let durations = Family::new_with_constructor(make);
        let help = "Seconds until the answer, by operation";
        registry.register("request_duration_seconds", help, durations.clone());
        let version = vec![("version", env!("CARGO_PKG_VERSION"))];
        registry.register("build", "The program", Info::new(version));
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let refused = counter("authentication_failures", "Requests with wrong credentials");
        let reload_failures = counter("reload_failures", "Reloads that were refused");
        let audit_drops = counter("audit_drops", "Audit lines that were lost");
        let connections_refused = counter("connections_refused", "Connections over a limit");
        let requests_refused = counter("requests_refused", "Requests over the limit");
        let handshakes_failed = counter("handshakes_failed", "Connections that never were one");
        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let connections = gauge("connections", "Open connections");
        let sessions = gauge("sessions", "Open sessions");
        let machines = gauge("machines", "Known machines");
        Self {
            registry,
            requests,
            durations,
            refused,
            connections,
            connections_refused,
            requests_refused,
            handshakes_failed,
            sessions,
            machines,
            reload_failures,
            audit_drops,
        }
    }

    /// How many connections are open.
    pub fn connections(&self) -> i64 {
        self.connections.get()
    }

    /// A request was turned away, as too many are being answered.
    pub fn request_refused(&self) {
        self.requests_refused.inc();
    }

    /// A connection came.
    pub fn connection_opened(&self) {
        self.connections.inc();
    }

    /// It went.
    pub fn connection_closed(&self) {
        self.connections.dec();
    }

    /// One was closed at once, as there were too many.
    pub fn connection_refused(&self) {
        self.connections_refused.inc();
    }

    /// One did not get as far as to a request: no TLS, or no header of a proxy.
    pub fn handshake_failed(&self) {
        self.handshakes_failed.inc();
    }

    /// All figures as text.
    pub fn exposition(&self) -> String {
        let mut text = String::new();
        // Writing to a text can't fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Observer for Metrics {
    fn answered(&self, request: &Finished<'_>) {
        let operation = request.operation.map_or("none", |operation| operation.id);
        let status = request.status.as_u16();
        self.requests.get_or_create(&Request { operation, status }).inc();
        let durations = self.durations.get_or_create(&Operation { operation });
        durations.observe(request.took.as_secs_f64());
        if status == 401 {
            self.refused.inc();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::{Method, StatusCode};

    use super::*;

    #[test]
    fn requests_are_counted_by_operation() {
        let metrics = Metrics::new();
        let request = Finished {
            method: &Method::GET,
            path: "/redfish/v1/Systems/secret-name",
            operation: crate::operation::OPERATIONS.iter().find(|o| o.id == "systems_get"),
            principal: None,
            client: None,
            request_id: "x",
            status: StatusCode::UNAUTHORIZED,
            took: Duration::from_millis(2),
        };
        metrics.answered(&request);
        metrics.answered(&request);
        let text = metrics.exposition();
        let line = r#"redfish_requests_total{operation="systems_get",status="401"} 2"#;
        assert!(text.contains(line), "{text}");
        assert!(text.contains("redfish_authentication_failures_total 2"), "{text}");
        assert!(!text.contains("secret-name"), "{text}");
    }
}

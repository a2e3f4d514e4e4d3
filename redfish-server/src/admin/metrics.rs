//! What is counted.
//!
//! Labels take few values that are known beforehand: ids of operations, methods, classes of statuses. Nothing
//! that a client writes becomes one, or it could fill our memory and the operator's.

use std::time::Duration;

use http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

/// The metrics of the process, as `/metrics` shows them. Whoever counts says what happened; names and labels are
/// an affair of this file.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    durations: Family<OfOperation, Histogram, fn() -> Histogram>,
    requests_refused: Counter,
    connections: Gauge,
    connections_refused: Counter,
    handshakes_failed: Counter,
    sessions: Gauge,
    machines: Gauge,
    authentication_failures: Family<By, Counter>,
    reload_failures: Family<By, Counter>,
    reload_failing: Family<By, Gauge>,
    audit_dropped: Counter,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Request {
    operation: &'static str,
    method: &'static str,
    status: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfOperation {
    operation: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct By {
    kind: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("redfish");
        // From 0.25 ms to 16 s: reads are at one end, writes that wait for an image at the other.
        let histogram: fn() -> Histogram = || Histogram::new(exponential_buckets(0.000_25, 4.0, 9));
        let metrics = Self {
            durations: Family::new_with_constructor(histogram),
            registry: Registry::default(),
            requests: Family::default(),
            requests_refused: Counter::default(),
            connections: Gauge::default(),
            connections_refused: Counter::default(),
            handshakes_failed: Counter::default(),
            sessions: Gauge::default(),
            machines: Gauge::default(),
            authentication_failures: Family::default(),
            reload_failures: Family::default(),
            reload_failing: Family::default(),
            audit_dropped: Counter::default(),
        };
        let m = &metrics;
        registry.register("requests", "Requests answered", m.requests.clone());
        registry.register("request_duration_seconds", "Time to an answer", m.durations.clone());
        let text = "Requests refused because too many were running";
        registry.register("requests_refused", text, m.requests_refused.clone());
        registry.register("connections", "Connections open", m.connections.clone());
        let text = "Connections closed at once because there were too many";
        registry.register("connections_refused", text, m.connections_refused.clone());
        let text = "Connections that ended before their first request could be read";
        registry.register("handshakes_failed", text, m.handshakes_failed.clone());
        registry.register("sessions", "Sessions open", m.sessions.clone());
        registry.register("machines", "Machines known", m.machines.clone());
        let text = "Credentials that were wrong";
        registry.register("authentication_failures", text, m.authentication_failures.clone());
        let text = "Changed files that could not be taken over";
        registry.register("reload_failures", text, m.reload_failures.clone());
        let text = "Whether the old content of a file is still in use because the new one is wrong";
        registry.register("reload_failing", text, m.reload_failing.clone());
        let text = "Lines of the audit that were dropped because nobody took them";
        registry.register("audit_dropped", text, m.audit_dropped.clone());
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program", build);
        Self { registry, ..metrics }
    }
}

impl Metrics {
    /// A request was answered. What belongs to no operation has the id `none`.
    pub fn request(
        &self,
        operation: Option<&'static str>,
        method: &Method,
        status: StatusCode,
        took: Duration,
    ) {
        let operation = operation.unwrap_or("none");
        let labels = Request { operation, method: method_label(method), status: class(status) };
        self.requests.get_or_create(&labels).inc();
        self.durations.get_or_create(&OfOperation { operation }).observe(took.as_secs_f64());
    }

    /// A request was refused because too many were running.
    pub fn request_refused(&self) {
        self.requests_refused.inc();
    }

    /// A connection was accepted.
    pub fn connection_opened(&self) {
        self.connections.inc();
    }

    /// A connection ended.
    pub fn connection_closed(&self) {
        self.connections.dec();
    }

    /// A connection was closed at once because there were too many.
    pub fn connection_refused(&self) {
        self.connections_refused.inc();
    }

    /// A connection ended before its first request could be read.
    pub fn handshake_failed(&self) {
        self.handshakes_failed.inc();
    }

    /// So many connections are open.
    pub fn connections(&self) -> i64 {
        self.connections.get()
    }

    /// So many sessions are open.
    pub fn set_sessions(&self, count: usize) {
        self.sessions.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// So many machines are known.
    pub fn set_machines(&self, count: usize) {
        self.machines.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Credentials of a kind (`basic`, `session`) were wrong.
    pub fn authentication_failed(&self, kind: &'static str) {
        self.authentication_failures.get_or_create(&By { kind }).inc();
    }

    /// A kind of file (`certificate`) changed and was, or was not, taken over.
    pub fn reloaded(&self, kind: &'static str, failed: bool) {
        self.reload_failing.get_or_create(&By { kind }).set(failed.into());
        let failures = self.reload_failures.get_or_create(&By { kind });
        failures.inc_by(failed.into());
    }

    /// A line of the audit was dropped.
    pub fn audit_dropped(&self) {
        self.audit_dropped.inc();
    }

    /// All of it as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // A String takes whatever is written to it.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn method_label(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"];
    known.into_iter().find(|known| method == known).unwrap_or("other")
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_shown() {
        let metrics = Metrics::default();
        let took = Duration::from_millis(3);
        metrics.request(Some("systems_get"), &Method::GET, StatusCode::OK, took);
        metrics.request(Some("systems_get"), &Method::GET, StatusCode::NOT_MODIFIED, took);
        let odd = Method::from_bytes(b"FAKE").unwrap();
        metrics.request(None, &odd, StatusCode::METHOD_NOT_ALLOWED, took);
        metrics.connection_opened();
        metrics.set_machines(3);
        metrics.authentication_failed("basic");
        metrics.reloaded("certificate", true);
        metrics.reloaded("configuration", false);
        let text = metrics.text();
        for line in [
            r#"redfish_requests_total{operation="systems_get",method="GET",status="2xx"} 1"#,
            r#"redfish_requests_total{operation="systems_get",method="GET",status="3xx"} 1"#,
            r#"redfish_requests_total{operation="none",method="other",status="4xx"} 1"#,
            r#"redfish_request_duration_seconds_count{operation="systems_get"} 2"#,
            r#"redfish_request_duration_seconds_bucket{le="0.004",operation="systems_get"} 2"#,
            "redfish_connections 1",
            "redfish_machines 3",
            r#"redfish_authentication_failures_total{kind="basic"} 1"#,
            r#"redfish_reload_failing{kind="certificate"} 1"#,
            r#"redfish_reload_failing{kind="configuration"} 0"#,
            r#"redfish_reload_failures_total{kind="certificate"} 1"#,
            concat!("redfish_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1"),
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}

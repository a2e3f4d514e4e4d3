//! From `[[backend]]` to something that has machines.

use std::sync::Arc;

use redfish_backend::MachineBackend;
use redfish_backend::fetch::Fetcher;
use redfish_backend::mock::{MockBackend, MockConfig};
use redfish_backend::outbound::{OutboundPolicy, OutboundSettings};
use redfish_server::config::{Config, ConfigError};

use super::Failure;
use super::mock_control;

/// A backend that works.
pub(super) struct Started {
    pub(super) backend: Arc<dyn MachineBackend>,
    /// What the admin listener serves for it.
    pub(super) control: Option<axum::Router>,
}

/// The outbound policy. The mock may fetch from this host: tests serve their images themselves.
pub(super) fn outbound(config: &Config) -> OutboundPolicy {
    let settings = OutboundSettings::from(&config.outbound);
    let mock = config.backend.iter().all(|backend| backend.kind == MOCK);
    OutboundPolicy::new(if mock { settings.with_loopback() } else { settings })
}

const MOCK: &str = "mock";

/// Starts the backend that is configured.
pub(super) async fn start(config: &Config) -> Result<Started, Failure> {
    let table = match config.backend.as_slice() {
        [table] => table,
        [] => {
            let text = "is missing: name what runs the machines, as in --backend mock";
            return Err(ConfigError::of("backend", text).into());
        }
        _ => return Err(ConfigError::of("backend", "is there more than once").into()),
    };
    match table.kind.as_str() {
        MOCK => {
            let settings = toml::Value::Table(table.settings.clone());
            let mock: MockConfig = serde_path_to_error::deserialize(settings).map_err(|error| {
                ConfigError::of(&format!("backend.{}", error.path()), error.inner().to_string())
            })?;
            let authorities = match &config.outbound.ca_file {
                Some(file) => std::fs::read(file).map_err(|error| {
                    ConfigError::of("outbound.ca_file", format!("{}: {error}", file.display()))
                })?,
                None => Vec::new(),
            };
            let fetcher = Fetcher::new(outbound(config), &authorities)
                .map_err(|error| ConfigError::of("outbound.ca_file", error.to_string()))?;
            let backend = MockBackend::start(mock, Arc::new(fetcher))
                .await
                .map_err(|error| ConfigError::of("backend", error.to_string()))?;
            let control = Some(mock_control::app(backend.control()));
            Ok(Started { backend: Arc::new(backend), control })
        }
        other => {
            let text = format!("{other:?} is none that this program has; it has: {MOCK}");
            Err(ConfigError::of("backend.kind", text).into())
        }
    }
}

//! Log lines, on the standard error output.

use redfish_server::config::{ConfigError, LogFormat, LogTable};
use tracing_subscriber::EnvFilter;

/// Begins to log.
pub(super) fn begin(table: &LogTable) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(&table.level).map_err(|error| {
        let allowed = "error, warn, info, debug, trace, or directives such as info,hyper=warn";
        ConfigError::of("log.level", format!("{:?}: {error}; allowed are {allowed}", table.level))
    })?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match table.format {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}

//! What the program does: it serves, or runs one of its commands.

mod accounts;
mod backends;
mod commands;
mod doctor;
mod endpoints;
mod interfaces;
mod logs;
mod mock_control;
mod reload;
mod serve;
mod state;

use std::fmt;
use std::process::ExitCode;

use redfish_server::config::cli::Command;
use redfish_server::config::{Cli, Config, ConfigError};

/// Why the program ends.
pub(crate) enum Failure {
    /// The configuration is wrong: exit code 2.
    Config(String),
    /// Anything else: exit code 1.
    Other(String),
}

impl Failure {
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Config(_) => ExitCode::from(2),
            Self::Other(_) => ExitCode::FAILURE,
        }
    }

    /// Anything but the configuration, with all its causes.
    fn other(error: &dyn std::error::Error) -> Self {
        Self::Other(causes(error))
    }

    /// A fault in what the configuration names.
    fn config(error: &dyn std::error::Error) -> Self {
        Self::Config(causes(error))
    }
}

/// An error with all its causes in one line.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(text) | Self::Other(text) => f.write_str(text),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error.to_string())
    }
}

/// Does what the command line asks for.
pub(crate) fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    // These need no configuration, and must work where that is broken.
    match &cli.command {
        Some(Command::Version(format)) => return Ok(commands::version(*format)),
        Some(Command::HashPassword) => return commands::hash_password(),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::other(&error))?;
    let code = runtime.block_on(command(cli));
    // What still blocks (a name that is being resolved, a hash) is not waited for.
    runtime.shutdown_background();
    code
}

async fn command(cli: &Cli) -> Result<ExitCode, Failure> {
    let config = Config::load(cli)?;
    match &cli.command {
        None => serve::run(cli, config).await,
        Some(Command::CheckConfig(format)) => commands::check_config(&config, *format).await,
        Some(Command::Machines(format)) => commands::machines(&config, *format).await,
        Some(Command::Doctor { machine, media, format }) => {
            doctor::run(&config, machine.as_deref(), media.as_deref(), *format).await
        }
        Some(Command::SetPassword { name }) => state::set_password(&config, name).await,
        Some(Command::State { action }) => state::run(&config, action).await,
        Some(Command::Version(_) | Command::HashPassword) => Ok(ExitCode::SUCCESS),
    }
}

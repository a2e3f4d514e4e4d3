//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use toml::{Table, Value};

/// A Redfish service for virtual machines
///
/// Without a command it serves. Every option is also a key of the configuration file (--listen is
/// `listen`) and an environment variable (REDFISH_LISTEN; nested keys with two underscores, as in
/// REDFISH_COMPAT__PROFILE). Options win over variables, variables over the file.
///
/// Exit codes: 0, 2 when the configuration is wrong, 1 for anything else.
#[derive(Clone, Debug, Parser)]
#[command(name = "redfish-server", version, disable_version_flag = false)]
pub struct Cli {
    /// Configuration file (TOML)
    #[arg(long, global = true, value_name = "FILE", env = "REDFISH_CONFIG")]
    pub config: Option<PathBuf>,
    /// What runs the machines: mock
    #[arg(long, global = true, value_name = "KIND")]
    pub backend: Option<String>,
    /// Listen here; may be given several times; port 0 takes a free one and prints it
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Vec<SocketAddr>,
    /// Listen here for /healthz, /readyz and /metrics
    #[arg(long, value_name = "ADDRESS")]
    pub admin_listen: Vec<SocketAddr>,
    /// Keep state in this folder
    #[arg(long, global = true, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// How many machines the mock makes
    #[arg(long, global = true, value_name = "N")]
    pub mock_machines: Option<u32>,
    /// Serve without TLS
    #[arg(long)]
    pub http: bool,
    /// Write the line about the listeners to this file once the service can be used
    #[arg(long, value_name = "FILE")]
    pub ready_file: Option<PathBuf>,
    /// What to do instead of serving
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do instead of serving.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// List the machines and where each can be reached
    Machines(Format),
    /// Look for what would keep the service from working, and say what to do about it
    Doctor {
        /// Look at this machine only
        #[arg(long, value_name = "ID")]
        machine: Option<String>,
        /// Also look whether the outbound policy lets this image pass
        #[arg(long, value_name = "URL")]
        media: Option<String>,
        /// How to print
        #[command(flatten)]
        format: Format,
    },
    /// Read the configuration, say what is wrong with it, and end
    CheckConfig(Format),
    /// Set the password of an account, which is read from the standard input; the service must be down
    SetPassword {
        /// The account
        name: String,
    },
    /// Print the hash of a password, which is read from the standard input, for `password_hash`
    HashPassword,
    /// Save, restore or check the state; the service must be down
    State {
        /// What to do with it
        #[command(subcommand)]
        action: StateAction,
    },
    /// Print the version
    Version(Format),
}

/// What to do with the state.
#[derive(Clone, Debug, Subcommand)]
pub enum StateAction {
    /// Write all records to a file; it holds secrets
    Export {
        /// The file, which must not exist
        file: PathBuf,
    },
    /// Put the records of a file in place of what is there
    Import {
        /// The file
        file: PathBuf,
    },
    /// Look whether all records can be read
    Check,
}

/// How a command prints.
#[derive(Clone, Copy, Debug, Args)]
pub struct Format {
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub output: Output,
}

/// How a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people
    Text,
    /// For programs
    Json,
}

impl Cli {
    /// The options as the table that they are laid over the file with.
    pub(super) fn overlay(&self) -> Table {
        let mut table = Table::new();
        let texts = |addresses: &[SocketAddr]| -> Value {
            Value::Array(addresses.iter().map(|address| address.to_string().into()).collect())
        };
        let path = |path: &PathBuf| Value::from(path.to_string_lossy().into_owned());
        if !self.listen.is_empty() {
            table.insert("listen".to_owned(), texts(&self.listen));
        }
        if !self.admin_listen.is_empty() {
            let admin = [("listen".to_owned(), texts(&self.admin_listen))];
            table.insert("admin".to_owned(), Value::Table(admin.into_iter().collect()));
        }
        if self.http {
            table.insert("http".to_owned(), true.into());
        }
        if let Some(folder) = &self.state_dir {
            table.insert("state_dir".to_owned(), path(folder));
        }
        if let Some(file) = &self.ready_file {
            table.insert("ready_file".to_owned(), path(file));
        }
        table
    }

    /// What `--backend` and `--mock-machines` say of the backends that are configured: they choose one
    /// of them and change it, or are all there is to say.
    pub(super) fn choose_backend(&self, whole: &mut Table) {
        if self.backend.is_none() && self.mock_machines.is_none() {
            return;
        }
        let kind = self.backend.as_deref().unwrap_or("mock");
        let configured = whole.get("backend").and_then(Value::as_array).cloned();
        let of_kind = |table: &Table| table.get("kind").and_then(Value::as_str) == Some(kind);
        let known =
            configured.unwrap_or_default().into_iter().filter_map(|backend| match backend {
                Value::Table(table) if of_kind(&table) => Some(table),
                _ => None,
            });
        let mut backends: Vec<Table> = known.collect();
        if backends.is_empty() {
            backends.push([("kind".to_owned(), kind.into())].into_iter().collect());
        }
        if let (Some(machines), [backend, ..]) = (self.mock_machines, backends.as_mut_slice()) {
            backend.insert("machines".to_owned(), i64::from(machines).into());
        }
        let backends = backends.into_iter().map(Value::Table).collect();
        whole.insert("backend".to_owned(), Value::Array(backends));
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}

//! The configuration of the program: one set of keys, from a file, the environment and the command
//! line.
//!
//! All three are laid over each other as one TOML table before anything is read from it,
//! so a key means the same wherever it is given, and an error can say where it was given. What a key
//! can hold is said by its type alone.

pub mod cli;
mod layers;
mod tables;
mod units;
mod watch;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::Deserialize;

pub use cli::Cli;
pub use layers::ConfigError;
pub use tables::{
    AccountTable, AdminTable, AuditTable, BackendTable, CompatTable, EndpointTable, LimitsTable,
    LogFormat, LogTable, MediaTable, OutboundTable, RegistriesTable, ServiceTable, SsdpTable, Text,
    TlsTable,
};
pub use units::{Period, Size};
pub use watch::Watched;

/// Everything that can be configured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Config {
    /// Where the service listens.
    pub listen: Vec<SocketAddr>,
    /// Whether without TLS.
    pub http: bool,
    /// Where the service keeps its state.
    pub state_dir: Option<PathBuf>,
    /// A file that is written when the service can be used.
    pub ready_file: Option<PathBuf>,
    /// What runs the machines.
    pub backend: Vec<BackendTable>,
    /// Accounts that the configuration owns.
    pub account: Vec<AccountTable>,
    /// Listeners and hosts that show less than everything.
    pub endpoint: Vec<EndpointTable>,
    /// Whose word about a client's address counts.
    pub trusted_proxies: Vec<Text<IpNet>>,
    /// The admin listener.
    pub admin: AdminTable,
    /// Certificates.
    pub tls: TlsTable,
    /// Where the service may connect to.
    pub outbound: OutboundTable,
    /// Virtual media.
    pub media: MediaTable,
    /// Bounds.
    pub limits: LimitsTable,
    /// What deployed clients need.
    pub compat: CompatTable,
    /// Message registries.
    pub registries: RegistriesTable,
    /// What the service says of itself.
    pub service: ServiceTable,
    /// Discovery.
    pub ssdp: SsdpTable,
    /// Logs.
    pub log: LogTable,
    /// The audit trail.
    pub audit: AuditTable,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: vec![SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8443)],
            http: false,
            state_dir: None,
            ready_file: None,
            backend: Vec::new(),
            account: Vec::new(),
            endpoint: Vec::new(),
            trusted_proxies: Vec::new(),
            admin: AdminTable::default(),
            tls: TlsTable::default(),
            outbound: OutboundTable::default(),
            media: MediaTable::default(),
            limits: LimitsTable::default(),
            compat: CompatTable::default(),
            registries: RegistriesTable::default(),
            service: ServiceTable::default(),
            ssdp: SsdpTable::default(),
            log: LogTable::default(),
            audit: AuditTable::default(),
        }
    }
}

impl Config {
    /// Reads the configuration that a command line asks for: its options, over the environment, over
    /// the file.
    ///
    /// # Errors
    /// Names the file or variable, the key, and what is allowed.
    pub fn load(cli: &Cli) -> Result<Self, ConfigError> {
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let config: Self =
            layers::read(cli.config.as_deref(), environment, cli.overlay(), |whole| {
                cli.choose_backend(whole);
            })?;
        config.check()?;
        Ok(config)
    }

    /// The state folder: as configured, or where programs keep their state.
    ///
    /// # Errors
    /// When neither it nor a home folder is known.
    pub fn state_dir(&self) -> Result<PathBuf, ConfigError> {
        let folder = |name: &str, below: &str| {
            let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
            Some(PathBuf::from(value).join(below))
        };
        self.state_dir
            .clone()
            .or_else(|| folder("STATE_DIRECTORY", ""))
            .or_else(|| folder("XDG_STATE_HOME", "redfish-server"))
            .or_else(|| folder("HOME", ".local/state/redfish-server"))
            .ok_or_else(|| ConfigError::of("state_dir", "is not set, and there is no home folder"))
    }

    /// What the types can't say.
    fn check(&self) -> Result<(), ConfigError> {
        let mut names: Vec<_> = self.account.iter().map(|account| &account.name).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ConfigError::of("account", format!("{:?} is there twice", twice[0])));
        }
        for (index, account) in self.account.iter().enumerate() {
            if account.password_hash.is_some() == account.password_file.is_some() {
                let key = format!("account.{index}");
                let why = "needs one of password_hash and password_file";
                return Err(ConfigError::of(&key, why));
            }
        }
        if self.tls.certificate.is_some() != self.tls.key.is_some() {
            return Err(ConfigError::of("tls", "certificate and key go together"));
        }
        if self.http && self.tls.certificate.is_some() {
            return Err(ConfigError::of("http", "is set, and tls.certificate as well"));
        }
        if let Some((key, why)) = self.limits.fault() {
            return Err(ConfigError::of(&format!("limits.{key}"), why));
        }
        for (index, endpoint) in self.endpoint.iter().enumerate() {
            if endpoint.listen.is_empty() {
                return Err(ConfigError::of(&format!("endpoint.{index}.listen"), "is missing"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Profile;

    fn load(
        file: &str,
        environment: &[(&str, &str)],
        arguments: &[&str],
    ) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, file).unwrap();
        let arguments = ["redfish-server"].iter().chain(arguments).copied();
        let cli = <Cli as clap::Parser>::try_parse_from(arguments).map_err(|e| e.to_string())?;
        let environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let config: Config = layers::read(Some(&path), environment, cli.overlay(), |whole| {
            cli.choose_backend(whole);
        })
        .map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))?;
        config.check().map_err(|error| error.to_string())?;
        Ok(config)
    }

    #[test]
    fn later_layers_win() {
        let file =
            "listen = [\"127.0.0.1:1\"]\n[compat]\nprofile = \"strict\"\n[media]\nwait = \"5s\"";
        let config = load(file, &[], &[]).unwrap();
        assert_eq!(config.compat.profile, Profile::Strict);
        assert_eq!(config.media.wait.get().as_secs(), 5);
        let environment =
            [("REDFISH_COMPAT__PROFILE", "clients"), ("REDFISH_HTTP", "true"), ("OTHER", "x")];
        let config = load(file, &environment, &["--listen", "[::1]:2"]).unwrap();
        assert_eq!(config.compat.profile, Profile::Clients);
        assert!(config.http);
        assert_eq!(config.listen, ["[::1]:2".parse().unwrap()]);
        let config = load("", &[], &["--backend", "mock", "--mock-machines", "7"]).unwrap();
        assert_eq!(config.backend[0].kind, "mock");
        assert_eq!(config.backend[0].settings["machines"].as_integer(), Some(7));
        let file = "[[backend]]\nkind = \"mock\"\nseed = 5\n[[backend]]\nkind = \"other\"";
        let config = load(file, &[], &["--backend", "mock", "--mock-machines", "7"]).unwrap();
        let [backend] = config.backend.as_slice() else { panic!("{:?}", config.backend) };
        let setting = |name: &str| backend.settings[name].as_integer();
        assert_eq!((setting("seed"), setting("machines")), (Some(5), Some(7)));
    }

    #[test]
    fn errors_say_where_and_what_is_allowed() {
        let check = |file: &str, environment: &[(&str, &str)], expect: &[&str]| {
            let error = load(file, environment, &[]).unwrap_err();
            for part in expect {
                assert!(error.contains(part), "{part:?} in {error:?}");
            }
        };
        check("lisen = []", &[], &["FILE", "lisen", "listen"]);
        check("listen = [\"nowhere\"]", &[], &["FILE", "listen[0]"]);
        check("[compat]\nprofile = \"lax\"", &[], &["FILE", "compat.profile", "clients", "strict"]);
        check("", &[("REDFISH_COMPAT__PROFILE", "lax")], &["REDFISH_COMPAT__PROFILE", "strict"]);
        check("[media]\nwait = \"soon\"", &[], &["media.wait"]);
        check("[media]\nmax_size = \"5 potatoes\"", &[], &["media.max_size", "GiB"]);
        check("[limits]\ntasks = 0", &[], &["limits.tasks", "at least 1"]);
        check("[limits]\nidle_timeout = 0", &[], &["limits.idle_timeout", "at least 1"]);
        check("[limits]\nhead = \"2 MiB\"", &[], &["limits.head", "1 MiB"]);
        check("[limits]\ntask_expiry = \"5s\"", &[], &["limits.task_expiry", "a minute"]);
        check("= 5", &[], &["FILE", "line 1"]);
        check("[[account]]\nname = \"a\"", &[], &["account.0", "password_hash"]);
        check("[tls]\nkey = \"x\"", &[], &["tls", "go together"]);
    }

    #[test]
    fn secrets_are_not_shown() {
        let file = "[[account]]\nname = \"a\"\npassword_hash = \"$argon2id$hunter2\"";
        assert!(!format!("{:?}", load(file, &[], &[]).unwrap()).contains("hunter2"));
    }
}

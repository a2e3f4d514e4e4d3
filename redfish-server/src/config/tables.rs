//! The tables of the configuration.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use redfish_backend::outbound::{OutboundSettings, Rule};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

use super::units::{Period, Size};
use crate::context::{Guard, OperatingSystem, Profile};

/// `[[backend]]`: something that runs machines.
#[derive(Clone, Debug, Deserialize)]
pub struct BackendTable {
    /// Its name; with several, the ids of its machines begin with it.
    pub name: Option<String>,
    /// What it is: `mock`.
    pub kind: String,
    /// Its own settings.
    #[serde(flatten)]
    pub settings: toml::Table,
}

/// `[[account]]`: an account that the configuration owns; over Redfish it can only be read.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountTable {
    /// Its name.
    pub name: String,
    /// Its role.
    #[serde(default = "administrator")]
    pub role: String,
    /// The hash of its password, as `hash-password` prints it.
    pub password_hash: Option<String>,
    /// A file with its password, or the hash of it.
    pub password_file: Option<PathBuf>,
    /// The machines that it may see; all, if absent.
    pub machines: Option<Vec<String>>,
    /// Whether it sees its one machine as `Systems/1`.
    #[serde(default)]
    pub view: bool,
    /// What it may be used for.
    pub account_types: Option<Vec<String>>,
    /// Whether the guard does not count for it.
    #[serde(default)]
    pub multi_machine: bool,
}

fn administrator() -> String {
    "Administrator".to_owned()
}

impl fmt::Debug for AccountTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountTable")
            .field("name", &self.name)
            .field("role", &self.role)
            .field("machines", &self.machines)
            .finish_non_exhaustive()
    }
}

/// `[[endpoint]]`: listeners that show less than everything, or in another way.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointTable {
    /// Where it listens.
    pub listen: Vec<SocketAddr>,
    /// The one machine that it shows, as `Systems/1`.
    pub machine: Option<String>,
    /// Overrides `compat.profile`.
    #[serde(default, deserialize_with = "word")]
    pub profile: Option<Profile>,
    /// Overrides `compat.operating_system`.
    #[serde(default, deserialize_with = "word")]
    pub operating_system: Option<OperatingSystem>,
}

/// `[admin]`: health and metrics.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdminTable {
    /// Where it listens; nowhere if empty.
    pub listen: Vec<SocketAddr>,
}

impl Default for AdminTable {
    fn default() -> Self {
        Self { listen: vec![SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8081)] }
    }
}

/// `[tls]`: the certificate of the listeners.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TlsTable {
    /// A PEM file with the certificate and its chain; without it one is made and kept.
    pub certificate: Option<PathBuf>,
    /// A PEM file with its key.
    pub key: Option<PathBuf>,
    /// Names that a certificate of our own is for, beside those that are known.
    pub hosts: Vec<String>,
}

/// `[outbound]`: where the service may connect to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutboundTable {
    /// What passes although guarded: networks and hosts.
    pub allow: Vec<Text<Rule>>,
    /// What never passes.
    pub deny: Vec<Text<Rule>>,
    /// What is guarded beside this host and its link.
    pub guard: Vec<Text<Rule>>,
    /// Whether only what `allow` covers passes.
    pub only_allowed: bool,
    /// Whether `http` passes, or `https` only.
    pub http: bool,
    /// How many redirects are followed.
    pub max_redirects: usize,
    /// How much a fetch may bring.
    pub max_size: Size,
    /// How long a fetch may take.
    pub timeout: Period,
    /// Certificates that are trusted beside the system's, as a PEM file.
    pub ca_file: Option<PathBuf>,
}

impl Default for OutboundTable {
    fn default() -> Self {
        let settings = OutboundSettings::default();
        Self {
            allow: Vec::new(),
            deny: Vec::new(),
            guard: Vec::new(),
            only_allowed: settings.only_allowed,
            http: settings.http,
            max_redirects: settings.max_redirects,
            max_size: Size::bytes(settings.max_bytes),
            timeout: Period::seconds(settings.timeout.as_secs()),
            ca_file: None,
        }
    }
}

impl From<&OutboundTable> for OutboundSettings {
    fn from(table: &OutboundTable) -> Self {
        let rules = |rules: &[Text<Rule>]| rules.iter().map(|rule| rule.0.clone()).collect();
        let mut settings = Self::default();
        settings.allow = rules(&table.allow);
        settings.deny = rules(&table.deny);
        settings.guard = rules(&table.guard);
        settings.only_allowed = table.only_allowed;
        settings.http = table.http;
        settings.max_redirects = table.max_redirects;
        settings.max_bytes = table.max_size.get();
        settings.timeout = table.timeout.get();
        settings
    }
}

/// `[media]`: virtual media.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MediaTable {
    /// How long InsertMedia waits for the medium to be usable.
    pub wait: Period,
    /// The largest image.
    pub max_size: Size,
}

impl Default for MediaTable {
    fn default() -> Self {
        Self { wait: Period::seconds(25), max_size: Size::bytes(64 << 30) }
    }
}

/// `[limits]`: bounds that keep one client from the others' throats.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsTable {
    /// Connections in all; one more is closed at once.
    pub connections: usize,
    /// Connections of one address, of IPv6 of one network of 64 bits; trusted proxies aside.
    pub connections_per_address: usize,
    /// Requests that are answered at the same time; one more gets 503.
    pub requests: usize,
    /// The head of a request; a larger one gets 431.
    pub head: Size,
    /// Header fields of a request; one more gets 431.
    pub headers: usize,
    /// How long a client may take for a handshake and for the head of a request.
    pub head_timeout: Period,
    /// How long a client may take nothing of an answer.
    pub write_timeout: Period,
    /// How long a connection may idle.
    pub idle_timeout: Period,
    /// How long requests may go on after a signal to end.
    pub drain: Period,
    /// Sessions in all.
    pub sessions: usize,
    /// Sessions of one account.
    pub sessions_per_account: usize,
    /// Tasks in all; for one more the oldest finished one goes, and without one it gets 503.
    pub tasks: usize,
    /// Tasks of one account, likewise.
    pub tasks_per_account: usize,
    /// How long a finished task is kept, in whole minutes.
    pub task_expiry: Period,
}

impl Default for LimitsTable {
    fn default() -> Self {
        Self {
            connections: 10_000,
            connections_per_address: 5_000,
            requests: 1024,
            head: Size::bytes(16 << 10),
            headers: 100,
            head_timeout: Period::seconds(15),
            write_timeout: Period::seconds(30),
            idle_timeout: Period::seconds(120),
            drain: Period::seconds(20),
            sessions: 20_000,
            sessions_per_account: 10_000,
            tasks: 1000,
            tasks_per_account: 500,
            task_expiry: Period::seconds(3600),
        }
    }
}

impl LimitsTable {
    /// The key of a bound that nothing could pass, or that makes no sense.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let counts = [
            ("connections", self.connections),
            ("connections_per_address", self.connections_per_address),
            ("requests", self.requests),
            ("headers", self.headers),
            ("sessions", self.sessions),
            ("sessions_per_account", self.sessions_per_account),
            ("tasks", self.tasks),
            ("tasks_per_account", self.tasks_per_account),
        ];
        let times = [
            ("head_timeout", self.head_timeout),
            ("write_timeout", self.write_timeout),
            ("idle_timeout", self.idle_timeout),
        ];
        let zero = counts.iter().find(|(_, count)| *count == 0).map(|(name, _)| *name);
        let zero = zero
            .or_else(|| times.iter().find(|(_, t)| t.get().is_zero()).map(|(name, _)| *name))
            .map(|name| (name, "is 0, which lets nobody in; give at least 1"));
        let head = !(1 << 10..=1 << 20).contains(&self.head.get());
        let expiry = !(60..=366 * 86_400).contains(&self.task_expiry.get().as_secs());
        zero.or(head.then_some(("head", "is not between 1 KiB and 1 MiB")))
            .or(expiry.then_some(("task_expiry", "is not between a minute and a year")))
    }
}

/// `[compat]`: what deployed clients need.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompatTable {
    /// What `ComputerSystem.OperatingSystem` holds: `omit`, `string`, `link`.
    #[serde(deserialize_with = "one_word")]
    pub operating_system: OperatingSystem,
    /// For which clients answers are shaped: `clients`, `strict`.
    #[serde(deserialize_with = "one_word")]
    pub profile: Profile,
    /// What a write to a second machine gets: `session`, `deny`, `off`.
    #[serde(deserialize_with = "one_word")]
    pub guard: Guard,
}

/// `[registries]`: message registries.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RegistriesTable {
    /// The registry files of the DMTF, to be served: a folder with them, the bundle DSP8011 as a zip file,
    /// or one file.
    pub path: Option<PathBuf>,
}

/// `[service]`: what the service says of itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServiceTable {
    /// `Vendor`. Names of BMC vendors, even within others, switch on quirks in clients.
    pub vendor: String,
    /// `Product`.
    pub product: String,
    /// The UUID of the service; one is made and kept if absent.
    pub uuid: Option<String>,
}

impl Default for ServiceTable {
    fn default() -> Self {
        let (vendor, product) = ("VirtualBMC".to_owned(), "Virtual BMC".to_owned());
        Self { vendor, product, uuid: None }
    }
}

/// `[ssdp]`: discovery.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SsdpTable {
    /// Whether searches are answered; if absent, clients may switch it, and it is off until one does.
    pub enabled: Option<bool>,
}

/// `[log]`: what is told on the standard error output.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogTable {
    /// `text` or `json`.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, `trace`, or directives such as `info,redfish_server=debug`.
    pub level: String,
}

impl Default for LogTable {
    fn default() -> Self {
        Self { format: LogFormat::default(), level: "info".to_owned() }
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: one JSON object per line.
    Json,
}

/// `[audit]`: who wrote what.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditTable {
    /// A file that lines are appended to; the standard output if it is `-`; nowhere if absent.
    pub file: Option<PathBuf>,
}

/// A value that is read from its text.
#[derive(Clone, Debug)]
pub struct Text<T>(pub T);

impl<'de, T: std::str::FromStr<Err: fmt::Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|error| D::Error::custom(format!("{text:?}: {error}")))
    }
}

/// A type whose values are words.
trait Words: Copy + 'static {
    /// All of them.
    const WORDS: &'static [(&'static str, Self)];
}

impl Words for Profile {
    const WORDS: &'static [(&'static str, Self)] =
        &[("clients", Self::Clients), ("strict", Self::Strict)];
}

impl Words for OperatingSystem {
    const WORDS: &'static [(&'static str, Self)] =
        &[("omit", Self::Omit), ("string", Self::String), ("link", Self::Link)];
}

impl Words for Guard {
    const WORDS: &'static [(&'static str, Self)] =
        &[("session", Self::Session), ("deny", Self::Deny), ("off", Self::Off)];
}

fn one_word<'de, T: Words, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    let found = T::WORDS.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<_> = T::WORDS.iter().map(|(word, _)| *word).collect();
        D::Error::custom(format!("{text:?} is none of {}", words.join(", ")))
    })
}

fn word<'de, T: Words, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    one_word(deserializer).map(Some)
}

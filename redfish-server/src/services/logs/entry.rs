//! One entry of a log: how it is written, and the resource made of it.

use redfish_backend::Text;
use redfish_model::log_entry::{EventSeverity, Links, LogEntryType};
use redfish_model::resource::Health;
use redfish_model::{DateTimeOffset, Field, LogEntry, OpenEnum as _, Ref};
use serde::{Deserialize, Serialize};

use super::{Key, Site};
use crate::Scope;
use crate::message::Message;

/// What happened. Texts are bounded and free of control characters, whoever wrote them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    site: Site,
    machine: Option<String>,
    severity: Health,
    message: Text<1024>,
    message_id: Option<String>,
    message_args: Vec<Text<256>>,
    resolution: Option<Text<1024>>,
    origin: Option<String>,
    user: Option<Text<256>>,
}

impl Entry {
    /// In our own words, without a registry: an entry of a machine's log.
    pub fn text(site: Site, machine: &str, severity: Health, text: impl AsRef<str>) -> Self {
        Self {
            site,
            machine: Some(machine.to_owned()),
            severity,
            message: Text::new(text),
            message_id: None,
            message_args: Vec::new(),
            resolution: None,
            origin: None,
            user: None,
        }
    }

    /// A message of a registry: an entry of a machine's log.
    pub fn message(site: Site, machine: &str, message: &Message) -> Self {
        let severity = message.message_severity.value().cloned().unwrap_or(Health::OK);
        let text = message.message.as_deref().unwrap_or_default();
        let args = message.message_args.as_deref().unwrap_or_default();
        Self {
            message_id: message.message_id.value().cloned(),
            message_args: args.iter().map(Text::new).collect(),
            resolution: message.resolution.as_deref().map(Text::new),
            ..Self::text(site, machine, severity, text)
        }
    }

    /// The same of the service as a whole, in the logs of all managers.
    #[must_use]
    pub fn of_the_service(self) -> Self {
        Self { site: Site::Manager, machine: None, ..self }
    }

    /// With the resource that it is about. Where that stands below a machine, the URI has its id.
    #[must_use]
    pub fn about(self, uri: impl Into<String>) -> Self {
        Self { origin: Some(uri.into()), ..self }
    }

    /// With the name of who did it.
    #[must_use]
    pub fn by(self, user: impl AsRef<str>) -> Self {
        Self { user: Some(Text::new(user)), ..self }
    }

    pub(super) fn key(&self) -> Key {
        (self.site, self.machine.clone())
    }
}

/// An entry in its log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The order of all entries of all logs.
    pub(super) number: u64,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(super) created: i64,
    pub(super) entry: Entry,
}

impl Record {
    pub(super) fn id(&self) -> String {
        self.number.to_string()
    }

    /// The resource at a URI, for a scope.
    pub(super) fn resource(&self, scope: &Scope, uri: String) -> LogEntry {
        let entry = &self.entry;
        let text = |text: &str| Field::from((!text.is_empty()).then(|| text.to_owned()));
        let args: Vec<_> = entry.message_args.iter().map(|arg| arg.as_str().to_owned()).collect();
        let links = entry.origin.as_deref().map(|origin| Links {
            origin_of_condition: Ref::to(self.seen(scope, origin)).into(),
            ..Links::default()
        });
        LogEntry {
            created: DateTimeOffset::from_unix_seconds(self.created).into(),
            severity: EventSeverity::from_text(entry.severity.as_str()).into(),
            message: text(entry.message.as_str()),
            message_id: entry.message_id.clone().into(),
            message_args: Field::from((!args.is_empty()).then_some(args)),
            resolution: entry.resolution.as_ref().map_or(Field::Absent, |r| text(r.as_str())),
            username: entry.user.as_ref().map_or(Field::Absent, |user| text(user.as_str())),
            links: links.into(),
            ..LogEntry::new(
                uri,
                self.id(),
                format!("Log Entry {}", self.number),
                LogEntryType::Event,
            )
        }
    }

    /// A URI with the name that the machine has in the scope.
    fn seen(&self, scope: &Scope, uri: &str) -> String {
        let Some(machine) = self.entry.machine.as_deref() else { return uri.to_owned() };
        let name = scope.name(machine);
        let mut segments: Vec<_> = uri.split('/').collect();
        let below = matches!(segments.get(3), Some(&("Systems" | "Managers" | "Chassis")));
        match segments.get_mut(4) {
            Some(segment) if below && name != machine => *segment = name,
            _ => {}
        }
        segments.join("/")
    }
}

//! The log services, their collections, and the entries, which stand whole in theirs
//! (`LogEntryCollection.Members` is expanded by the schema).

use std::sync::Arc;

use http::StatusCode;
use redfish_model::log_entry::LogEntryPatch;
use redfish_model::log_service::{
    Actions, ClearLogRequest, CollectDiagnosticDataRequest, LogEntryTypes, LogServicePatch,
    OverWritePolicy,
};
use redfish_model::resource::{Health, State, Status};
use redfish_model::{
    Action, DateTimeOffset, Field, LogEntry, LogEntryCollection, LogEntryCollectionUri,
    LogEntryUri, LogService, LogServiceCollection, LogServiceCollectionUri, LogServiceUri, Ref,
};

use super::{Log, Site};
use crate::api::log_entry::{
    LogEntryApi, LogEntryCollectionApi, mount_log_entry, mount_log_entry_collection,
};
use crate::api::log_service::{
    LogServiceApi, LogServiceCollectionApi, mount_log_service, mount_log_service_collection,
};
use crate::operation::Kind;
use crate::services::managers::{Managers, canonical};
use crate::{Context, Error, Mount, Reply, Result, Scope, messages};

/// Mounts the logs of all machines; their managers, systems and chassis have the same names. Nothing but
/// `ClearLog` changes them.
pub fn mounts(log: &Arc<Log>, managers: Managers) -> Vec<Mount> {
    let service = Arc::new(Service { log: Arc::clone(log), managers });
    let sites = ["Managers/{ManagerId}", "Systems/{ComputerSystemId}", "Chassis/{ChassisId}"];
    let at = |mount: Mount, tail: &str| {
        let sites = sites.map(|site| format!("/redfish/v1/{site}/LogServices{tail}"));
        mount.at(&sites.each_ref().map(String::as_str))
    };
    let other = Kind::Action("CollectDiagnosticData");
    vec![
        at(mount_log_service_collection(service.clone()), ""),
        at(mount_log_service(service.clone()).without(&[Kind::Patch, other]), "/{LogServiceId}"),
        at(mount_log_entry_collection(service.clone()), "/{LogServiceId}/Entries"),
        at(
            mount_log_entry(service).without(&[Kind::Patch]),
            "/{LogServiceId}/Entries/{LogEntryId}",
        ),
    ]
}

struct Service {
    log: Arc<Log>,
    managers: Managers,
}

impl Site {
    /// The id of the log service there.
    fn log(self) -> &'static str {
        match self {
            Self::Manager => "Log",
            Self::System | Self::Chassis => "Event",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Manager => "Manager Log",
            Self::System => "System Event Log",
            Self::Chassis => "Chassis Event Log",
        }
    }

    fn collection(self, machine: &str) -> LogServiceCollectionUri {
        let machine = machine.to_owned();
        match self {
            Self::Manager => LogServiceCollectionUri::ManagersLogServices { manager_id: machine },
            Self::System => {
                LogServiceCollectionUri::SystemsLogServices { computer_system_id: machine }
            }
            Self::Chassis => LogServiceCollectionUri::ChassisLogServices { chassis_id: machine },
        }
    }

    fn service(self, machine: &str) -> String {
        format!("{}/{}", self.collection(machine), self.log())
    }
}

/// A log as URIs name it: where, of which machine, and its id.
type Named<'a> = (Site, &'a str, &'a str);

fn service(uri: &LogServiceUri) -> Option<Named<'_>> {
    use LogServiceUri as Uri;
    match uri {
        Uri::ManagersLogServices { manager_id, log_service_id } => {
            Some((Site::Manager, manager_id, log_service_id))
        }
        Uri::SystemsLogServices { computer_system_id, log_service_id } => {
            Some((Site::System, computer_system_id, log_service_id))
        }
        Uri::ChassisLogServices { chassis_id, log_service_id } => {
            Some((Site::Chassis, chassis_id, log_service_id))
        }
        Uri::TelemetryServiceLogService => None,
    }
}

fn entries(uri: &LogEntryCollectionUri) -> Option<Named<'_>> {
    use LogEntryCollectionUri as Uri;
    match uri {
        Uri::ManagersLogServicesEntries { manager_id, log_service_id } => {
            Some((Site::Manager, manager_id, log_service_id))
        }
        Uri::SystemsLogServicesEntries { computer_system_id, log_service_id } => {
            Some((Site::System, computer_system_id, log_service_id))
        }
        Uri::ChassisLogServicesEntries { chassis_id, log_service_id } => {
            Some((Site::Chassis, chassis_id, log_service_id))
        }
        Uri::TelemetryServiceLogServiceEntries => None,
    }
}

fn entry(uri: &LogEntryUri) -> Option<(Named<'_>, &str)> {
    use LogEntryUri as Uri;
    match uri {
        Uri::ManagersLogServicesEntries { manager_id, log_service_id, log_entry_id } => {
            Some(((Site::Manager, manager_id, log_service_id), log_entry_id))
        }
        Uri::SystemsLogServicesEntries { computer_system_id, log_service_id, log_entry_id } => {
            Some(((Site::System, computer_system_id, log_service_id), log_entry_id))
        }
        Uri::ChassisLogServicesEntries { chassis_id, log_service_id, log_entry_id } => {
            Some(((Site::Chassis, chassis_id, log_service_id), log_entry_id))
        }
        Uri::TelemetryServiceLogServiceEntries { .. } => None,
    }
}

impl Service {
    /// The site and the machine's id, if the scope has the log.
    fn find<'a>(&self, scope: &'a Scope, named: Option<Named<'a>>) -> Option<(Site, &'a str)> {
        let (site, segment, log) = named?;
        let there = log == site.log() && self.managers.exists(scope, segment);
        there.then(|| scope.machine(segment)).flatten().map(|machine| (site, machine))
    }

    fn resources(&self, scope: &Scope, site: Site, machine: &str) -> Vec<LogEntry> {
        let folder = format!("{}/Entries", site.service(scope.name(machine)));
        let records = self.log.entries(scope, site, machine);
        let resource =
            |record: &super::Record| record.resource(scope, format!("{folder}/{}", record.id()));
        records.iter().map(resource).collect()
    }

    fn entry(&self, scope: &Scope, uri: &LogEntryUri) -> Option<LogEntry> {
        let (named, id) = entry(uri)?;
        let (site, machine) = self.find(scope, Some(named))?;
        let records = self.log.entries(scope, site, machine);
        let record = records.iter().find(|record| record.id() == id)?;
        let folder = format!("{}/Entries", site.service(scope.name(machine)));
        Some(record.resource(scope, format!("{folder}/{id}")))
    }
}

impl LogServiceCollectionApi for Service {
    fn exists(&self, scope: &Scope, uri: &LogServiceCollectionUri) -> bool {
        self.managers.exists(scope, collection(uri).1)
    }

    async fn get(
        &self,
        cx: &Context,
        uri: LogServiceCollectionUri,
    ) -> Result<LogServiceCollection> {
        let (site, segment) = collection(&uri);
        let machine = canonical(&cx.scope, segment);
        let members = vec![Ref::to(site.service(machine))];
        Ok(LogServiceCollection::new(&site.collection(machine), "Log Services", members))
    }
}

fn collection(uri: &LogServiceCollectionUri) -> (Site, &str) {
    match uri {
        LogServiceCollectionUri::ManagersLogServices { manager_id } => (Site::Manager, manager_id),
        LogServiceCollectionUri::SystemsLogServices { computer_system_id } => {
            (Site::System, computer_system_id)
        }
        LogServiceCollectionUri::ChassisLogServices { chassis_id } => (Site::Chassis, chassis_id),
    }
}

impl LogServiceApi for Service {
    fn exists(&self, scope: &Scope, uri: &LogServiceUri) -> bool {
        self.find(scope, service(uri)).is_some()
    }

    async fn get(&self, cx: &Context, uri: LogServiceUri) -> Result<LogService> {
        let found = self.find(&cx.scope, service(&uri));
        let (site, machine) = found.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let here = site.service(cx.scope.name(machine));
        let clear = Action::at(format!("{here}/Actions/LogService.ClearLog"));
        let actions = Actions { log_service_clear_log: clear.into(), ..Actions::default() };
        let status =
            Status { state: State::Enabled.into(), health: Health::OK.into(), ..Status::default() };
        let now = DateTimeOffset::from_unix_seconds((self.log.clock)());
        Ok(LogService {
            date_time: now.into(),
            date_time_local_offset: "+00:00".into(),
            service_enabled: true.into(),
            status: status.into(),
            log_entry_type: LogEntryTypes::Event.into(),
            max_number_of_records: i64::try_from(self.log.limits.entries).ok().into(),
            over_write_policy: OverWritePolicy::WrapsWhenFull.into(),
            persistency: self.log.journal.persists().into(),
            entries: Field::Value(Ref::to(format!("{here}/Entries"))),
            actions: actions.into(),
            ..LogService::new(here, site.log(), site.name())
        })
    }

    async fn patch(
        &self,
        _: &Context,
        _: LogServiceUri,
        _: LogServicePatch,
    ) -> Result<Reply<LogService>> {
        Err(Error::method_not_allowed())
    }

    async fn clear_log(
        &self,
        cx: &Context,
        uri: LogServiceUri,
        body: ClearLogRequest,
    ) -> Result<Reply<()>> {
        let found = self.find(&cx.scope, service(&uri));
        let (site, machine) = found.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        if !body.log_entries_e_tag.is_absent() {
            // The tag of the entries is made where answers are written.
            let message = messages::action_parameter_not_supported("LogEntriesETag", "ClearLog");
            return Err(Error::new(StatusCode::BAD_REQUEST, message));
        }
        self.log.clear(&cx.scope, site, machine);
        Ok(Reply::done(()))
    }

    async fn collect_diagnostic_data(
        &self,
        _: &Context,
        uri: LogServiceUri,
        _: CollectDiagnosticDataRequest,
    ) -> Result<Reply<()>> {
        Err(Error::not_found(&uri.to_string()))
    }
}

impl LogEntryCollectionApi for Service {
    fn exists(&self, scope: &Scope, uri: &LogEntryCollectionUri) -> bool {
        self.find(scope, entries(uri)).is_some()
    }

    async fn get(&self, cx: &Context, uri: LogEntryCollectionUri) -> Result<LogEntryCollection> {
        let found = self.find(&cx.scope, entries(&uri));
        let (site, machine) = found.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let here = format!("{}/Entries", site.service(cx.scope.name(machine)));
        let members = self.resources(&cx.scope, site, machine);
        Ok(LogEntryCollection::new(here, "Log Entries", members))
    }
}

impl LogEntryApi for Service {
    fn exists(&self, scope: &Scope, uri: &LogEntryUri) -> bool {
        self.entry(scope, uri).is_some()
    }

    async fn get(&self, cx: &Context, uri: LogEntryUri) -> Result<LogEntry> {
        self.entry(&cx.scope, &uri).ok_or_else(|| Error::not_found(&uri.to_string()))
    }

    async fn patch(
        &self,
        _: &Context,
        _: LogEntryUri,
        _: LogEntryPatch,
    ) -> Result<Reply<LogEntry>> {
        Err(Error::method_not_allowed())
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// The answer to a GET of what a log has, as it is written.
    pub(in super::super) async fn get(
        log: &Arc<Log>,
        cx: &Context,
        uri: &str,
    ) -> Option<serde_json::Value> {
        let service = Service { log: Arc::clone(log), managers: crate::services::managers::two() };
        macro_rules! one {
            ($api:ident) => {
                if let Ok(uri) = uri.parse() {
                    if !$api::exists(&service, &cx.scope, &uri) {
                        return None;
                    }
                    let resource = $api::get(&service, cx, uri).await.unwrap();
                    return Some(redfish_model::to_value_strict(&resource).unwrap());
                }
            };
        }
        one!(LogServiceCollectionApi);
        one!(LogServiceApi);
        one!(LogEntryCollectionApi);
        one!(LogEntryApi);
        None
    }

    pub(in super::super) async fn clear(
        log: &Arc<Log>,
        cx: &Context,
        uri: &str,
        etag: Option<&str>,
    ) -> Result<()> {
        let service = Service { log: Arc::clone(log), managers: crate::services::managers::two() };
        let body = ClearLogRequest {
            log_entries_e_tag: etag.map(str::to_owned).into(),
            ..ClearLogRequest::default()
        };
        service.clear_log(cx, uri.parse().unwrap(), body).await.map(drop)
    }
}

//! The OData service document (DSP0266, "OData service document").

use serde_json::{Value, json};

use crate::operation::{Kind, Operation};

/// Resources whose name in `ServiceRoot.ServiceContainer` is not the last segment of their URI.
const NAMES: &[(&str, &str)] = &[("/redfish/v1/", "Service"), ("/redfish/v1/TaskService", "Tasks")];

/// Below a service, and in the container all the same.
const SESSIONS: &str = "/redfish/v1/SessionService/Sessions";

/// The document: the root, and what stands directly below it.
pub fn odata(operations: &[&'static Operation]) -> Value {
    let mut sites: Vec<_> = operations
        .iter()
        .filter(|operation| operation.kind == Kind::Get && is_top(operation.site))
        .map(|operation| operation.site)
        .collect();
    sites.sort_unstable();
    sites.dedup();
    let entry = |site: &str| {
        let named = NAMES.iter().find(|(uri, _)| *uri == site).map(|(_, name)| *name);
        let name = named.or_else(|| site.rsplit('/').next()).unwrap_or(site);
        json!({"name": name, "kind": "Singleton", "url": site})
    };
    let value: Vec<_> = sites.into_iter().map(entry).collect();
    json!({"@odata.context": "/redfish/v1/$metadata", "value": value})
}

fn is_top(site: &str) -> bool {
    site == SESSIONS || site.strip_prefix("/redfish/v1/").is_some_and(|path| !path.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::operations_of;

    #[test]
    fn what_is_mounted_is_listed() {
        let check = |resources: &[&str], expect: &[(&str, &str)]| {
            let operations: Vec<_> = resources.iter().flat_map(|r| operations_of(r)).collect();
            let document = odata(&operations);
            assert_eq!(document["@odata.context"], "/redfish/v1/$metadata");
            let list: Vec<_> = document["value"].as_array().unwrap().iter().collect();
            let list: Vec<_> = list
                .iter()
                .map(|entry| (entry["name"].as_str().unwrap(), entry["url"].as_str().unwrap()))
                .collect();
            assert_eq!(list, expect, "{resources:?}");
        };
        check(&[], &[]);
        check(
            &["ServiceRoot", "Role", "SessionCollection", "TaskService", "ManagerCollection"],
            &[
                ("Service", "/redfish/v1/"),
                ("Managers", "/redfish/v1/Managers"),
                ("Sessions", "/redfish/v1/SessionService/Sessions"),
                ("Tasks", "/redfish/v1/TaskService"),
            ],
        );
    }
}

//! Links that lead nowhere for the caller are taken out before an answer goes out.
//!
//! Whether a link leads somewhere depends on what is mounted, on the scope and on privileges; services
//! would have to know all three. So they print what makes sense to them, and this is the one place
//! that holds every link against the router.

use serde_json::{Map, Value};

/// Removes the links whose target is not shown, from members and arrays, with their counts.
pub(super) fn prune(document: &mut Map<String, Value>, shows: &impl Fn(&str) -> bool) {
    let mut counts = Vec::new();
    document.retain(|name, value| match value {
        Value::Array(items) => {
            let before = items.len();
            items.retain_mut(|item| keep(item, shows));
            if items.len() < before {
                counts.push((format!("{name}@odata.count"), items.len()));
            }
            true
        }
        Value::String(uri) if name == "@Redfish.ActionInfo" => shows(uri),
        value => keep(value, shows),
    });
    for (name, count) in counts {
        if let Some(value) = document.get_mut(&name) {
            *value = count.into();
        }
    }
}

/// Whether a value is to be shown; what is below it is pruned as well.
fn keep(value: &mut Value, shows: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::Object(members) => match link(members) {
            Some(uri) => shows(uri),
            None => {
                prune(members, shows);
                true
            }
        },
        Value::Array(items) => {
            items.retain_mut(|item| keep(item, shows));
            true
        }
        _ => true,
    }
}

/// The target, if the object is a link to a resource of this service.
fn link(members: &Map<String, Value>) -> Option<&str> {
    match (members.len(), members.get("@odata.id")) {
        (1, Some(Value::String(uri))) if uri.starts_with("/redfish/") => {
            Some(uri.split_once('#').map_or(uri.as_str(), |(resource, _)| resource))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_there_is_not_linked() {
        let a = json!({"@odata.id": "/redfish/v1/a"});
        let b = json!({"@odata.id": "/redfish/v1/b"});
        let mut document = json!({
            "@odata.id": "/redfish/v1/b", "A": a, "B": b, "Part": {"@odata.id": "/redfish/v1/b#/X"},
            "Members": [a, b, a], "Members@odata.count": 3, "Names": ["x"], "Names@odata.count": 9,
            "Links": {"Chassis": [b], "Chassis@odata.count": 1, "Oem": {"X": {"Y": b}}},
            "Whole": {"@odata.id": "/redfish/v1/b", "Id": "b"},
            "Elsewhere": {"@odata.id": "https://example.com/"},
            "#X.Y": {"target": "/x", "@Redfish.ActionInfo": "/redfish/v1/b"},
            "#X.Z": {"target": "/x", "@Redfish.ActionInfo": "/redfish/v1/a"},
        });
        prune(document.as_object_mut().unwrap(), &|uri| uri == "/redfish/v1/a");
        let expect = json!({
            "@odata.id": "/redfish/v1/b", "A": a, "Members": [a, a], "Members@odata.count": 2,
            "Names": ["x"], "Names@odata.count": 9,
            "Links": {"Chassis": [], "Chassis@odata.count": 0, "Oem": {"X": {}}},
            "Whole": {"@odata.id": "/redfish/v1/b", "Id": "b"},
            "Elsewhere": {"@odata.id": "https://example.com/"},
            "#X.Y": {"target": "/x"},
            "#X.Z": {"target": "/x", "@Redfish.ActionInfo": "/redfish/v1/a"},
        });
        assert_eq!(document, expect);
    }
}

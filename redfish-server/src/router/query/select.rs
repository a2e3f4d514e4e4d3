//! `$select`: which members are sent.

use serde_json::{Map, Value};

/// Paths of members, as `Name` or `Boot/BootSourceOverrideTarget`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::router) struct Select(Vec<Vec<String>>);

/// What is always sent.
const KEPT: &[&str] = &["@odata.id", "@odata.type", "@odata.context", "@odata.etag"];

impl Select {
    pub(in crate::router) fn parse(text: &str) -> Option<Self> {
        let path = |path: &str| -> Option<Vec<String>> {
            let names = path.trim().split('/');
            names.map(|name| (!name.is_empty()).then(|| name.to_owned())).collect()
        };
        text.split(',').map(path).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Leaves what was asked for.
    pub(in crate::router) fn apply(&self, document: &mut Map<String, Value>) {
        let paths: Vec<&[String]> = self.0.iter().map(Vec::as_slice).collect();
        reduce(document, &paths, true);
    }
}

fn reduce(members: &mut Map<String, Value>, paths: &[&[String]], top: bool) {
    members.retain(|name, value| {
        if top && KEPT.contains(&name.as_str()) {
            return true;
        }
        // An annotation goes with its member.
        let of = name.split_once('@').map_or(name.as_str(), |(of, _)| of);
        let mut below = Vec::new();
        for path in paths {
            match path {
                [only] if only == of || only == name => return true,
                [first, rest @ ..] if first == name => below.push(rest),
                _ => {}
            }
        }
        if below.is_empty() {
            return false;
        }
        match value {
            Value::Object(members) => reduce(members, &below, false),
            Value::Array(items) => {
                let objects = items.iter_mut().filter_map(Value::as_object_mut);
                objects.for_each(|members| reduce(members, &below, false));
            }
            _ => return false,
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_asked_for() {
        let check = |select: &str, expect: Option<Value>| {
            let mut document = json!({
                "@odata.id": "/x", "@odata.etag": "\"a\"", "Id": "1", "Name": "n",
                "Boot": {"Target": "Pxe", "Target@Redfish.AllowableValues": ["Pxe"], "Mode": "UEFI"},
                "Items": [{"A": 1, "B": 2}, {"A": 3}], "Items@odata.count": 2,
            });
            let found = Select::parse(select).map(|select| {
                select.apply(document.as_object_mut().unwrap());
                document
            });
            assert_eq!(found, expect, "{select}");
        };
        let with = |members: Value| {
            let mut kept = json!({"@odata.id": "/x", "@odata.etag": "\"a\""});
            kept.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            Some(kept)
        };
        check("Name", with(json!({"Name": "n"})));
        check("Name, Id", with(json!({"Name": "n", "Id": "1"})));
        check("Nothing", with(json!({})));
        check(
            "Boot/Target",
            with(json!({"Boot": {"Target": "Pxe", "Target@Redfish.AllowableValues": ["Pxe"]}})),
        );
        check("Items/A", with(json!({"Items": [{"A": 1}, {"A": 3}]})));
        check(
            "Items",
            with(json!({"Items": [{"A": 1, "B": 2}, {"A": 3}], "Items@odata.count": 2})),
        );
        check("Name/Deeper", with(json!({})));
        check("", None);
        check("A//B", None);
        check("A,", None);
    }
}

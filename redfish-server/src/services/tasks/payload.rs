//! The request that a task came from (`Task.Payload`), without what must not be shown.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use redfish_model::{Field, task};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::metadata::{Object, ValueType};
use crate::operation::OPERATIONS;

/// The longest body that is kept, as text.
const MAX_BODY: usize = 16 << 10;

/// The request that a task came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    method: String,
    uri: String,
    body: Option<String>,
}

impl Payload {
    /// A request and its body, if it is not `()`: the values of secret properties are `null` there, and URIs
    /// lose what stands before their hosts. Headers are not kept: they hold tokens.
    pub fn new(method: &http::Method, uri: impl Into<String>, body: &impl Serialize) -> Self {
        let body = serde_json::to_value(body).ok().filter(|body| !body.is_null());
        let body = body.map(|mut body| {
            redact(&mut body);
            body.to_string()
        });
        Self {
            method: method.as_str().to_owned(),
            uri: uri.into(),
            body: body.filter(|text| text.len() <= MAX_BODY),
        }
    }

    pub(super) fn resource(&self) -> task::Payload {
        task::Payload {
            http_operation: self.method.as_str().into(),
            target_uri: self.uri.as_str().into(),
            json_body: Field::from(self.body.clone()),
            ..task::Payload::default()
        }
    }
}

/// The names of properties and parameters that are secret in any request.
static SECRETS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let (mut seen, mut names) = (BTreeSet::new(), BTreeSet::new());
    let mut todo: Vec<&Object> = OPERATIONS.iter().filter_map(|o| o.body).collect();
    while let Some(object) = todo.pop() {
        if !seen.insert(object.name) {
            continue;
        }
        for property in object.properties {
            if property.secret {
                names.insert(property.name);
            }
            todo.extend(below(&property.value));
        }
    }
    names
});

fn below(value: &ValueType) -> Option<&'static Object> {
    match value {
        ValueType::Object(object) => Some(object),
        ValueType::Array { items, .. } | ValueType::Map(items) => below(items),
        _ => None,
    }
}

fn redact(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match SECRETS.contains(name.as_str()) {
                    true => *value = Value::Null,
                    false => redact(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::String(text) => {
            if let Some(shown) = without_userinfo(text) {
                *text = shown;
            }
        }
        _ => {}
    }
}

/// `http://name:password@host/` without `name:password@`; `None` where there is nothing to leave out.
fn without_userinfo(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (_, host) = authority.rsplit_once('@')?;
    Some(format!("{scheme}://{host}{path}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_left_out() {
        let check = |body: Value, expect: Value| {
            let payload = Payload::new(&http::Method::POST, "/u", &body).resource();
            let text = payload.json_body.as_deref().unwrap().to_owned();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expect, "{body}");
        };
        check(
            json!({"Image": "http://a/b", "Inserted": true}),
            json!({"Image": "http://a/b", "Inserted": true}),
        );
        check(
            json!({"UserName": "u", "Password": "p"}),
            json!({"UserName": "u", "Password": null}),
        );
        check(json!({"A": [{"Token": {"x": 1}}]}), json!({"A": [{"Token": null}]}));
        check(json!({"Image": "http://u:p@a/b?c=d@e"}), json!({"Image": "http://a/b?c=d@e"}));
        check(json!({"Image": "http://u@p@a"}), json!({"Image": "http://a"}));
        check(json!({"Image": "http://a/u@b"}), json!({"Image": "http://a/u@b"}));
    }

    #[test]
    fn large_bodies_are_not_kept() {
        let payload = Payload::new(&http::Method::POST, "/u", &"x".repeat(MAX_BODY));
        assert!(payload.resource().json_body.is_absent());
    }

    #[test]
    fn the_names_of_secrets_are_those_of_the_schema() {
        for name in ["Password", "Token", "CertificateString", "HttpHeaders"] {
            assert!(SECRETS.contains(name), "{name}");
        }
        assert!(!SECRETS.contains("Image"));
    }
}

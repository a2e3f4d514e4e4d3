//! `openapi.yaml` (DSP0266, "OpenAPI schema support"): the operations of this service, and no others.
//!
//! JSON is YAML, so the document is JSON. It is put together from lines that the schema gave (see
//! `generated/openapi.txt`), without parsing any of them: a document of a thousand types as a tree
//! would be the largest thing in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::operation::{Kind, Operation};

const PARTS: &str = include_str!("../../generated/openapi.txt");

/// How a schema refers to another.
const REFERENCE: &str = "\"#/components/schemas/";

/// The lines by what they are about.
#[derive(Default)]
struct Parts {
    release: &'static str,
    /// The request and response of an operation, empty where there is none.
    operations: BTreeMap<&'static str, (&'static str, &'static str)>,
    schemas: BTreeMap<&'static str, &'static str>,
}

impl Parts {
    fn read() -> Self {
        let mut parts = Self::default();
        for line in PARTS.lines() {
            let mut columns = line.split('\t');
            let mut next = || columns.next().unwrap_or_default();
            match (next(), next()) {
                ("release", release) => parts.release = release,
                ("operation", id) => drop(parts.operations.insert(id, (next(), next()))),
                ("schema", component) => drop(parts.schemas.insert(component, next())),
                _ => {}
            }
        }
        parts
    }
}

/// The document for these operations.
pub fn openapi(operations: &[&'static Operation]) -> String {
    let parts = Parts::read();
    let mut paths = BTreeMap::<&str, BTreeMap<&str, String>>::new();
    for operation in operations {
        let method = match operation.kind {
            Kind::Get => "get",
            Kind::Patch => "patch",
            Kind::Create | Kind::Action(_) => "post",
            Kind::Delete => "delete",
        };
        let described = describe(&parts, operation);
        paths.entry(operation.template).or_default().insert(method, described);
    }
    let mut text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Redfish","version":"{}"}},"security":[{{"session":[]}},{{"basic":[]}}],"paths":{{"#,
        parts.release
    );
    let paths = paths.into_iter().map(|(template, operations)| {
        let operations =
            operations.into_iter().map(|(method, text)| format!("\"{method}\":{text}"));
        let members: Vec<_> = parameters(template).into_iter().chain(operations).collect();
        format!("\"{template}\":{{{}}}", members.join(","))
    });
    text.push_str(&paths.collect::<Vec<_>>().join(","));
    let schemas = closure(&parts, &text);
    text.push_str(concat!(
        r#"},"components":{"securitySchemes":{"basic":{"type":"http","scheme":"basic"},"#,
        r#""session":{"type":"apiKey","in":"header","name":"X-Auth-Token"}},"schemas":{"#,
    ));
    let schemas = schemas.into_iter().filter_map(|name| {
        let schema = parts.schemas.get(name)?;
        Some(format!("\"{name}\":{schema}"))
    });
    text.push_str(&schemas.collect::<Vec<_>>().join(","));
    text.push_str("}}}\n");
    text
}

/// The ids in a template.
fn parameters(template: &str) -> Option<String> {
    let parameter = |name: &str| {
        format!(
            r#"{{"in":"path","name":"{name}","required":true,"schema":{{"type":"string","minLength":1}}}}"#
        )
    };
    let names = template.split('/').filter_map(|s| s.strip_prefix('{')?.strip_suffix('}'));
    let list: Vec<_> = names.map(parameter).collect();
    (!list.is_empty()).then(|| format!("\"parameters\":[{}]", list.join(",")))
}

fn describe(parts: &Parts, operation: &Operation) -> String {
    let (request, response) = parts.operations.get(operation.id).copied().unwrap_or_default();
    let mut text =
        format!(r#"{{"operationId":"{}","tags":["{}"]"#, operation.id, operation.resource);
    if operation.public {
        text.push_str(r#","security":[{}]"#);
    }
    if operation.deprecated {
        text.push_str(r#","deprecated":true"#);
    }
    if !request.is_empty() {
        // An action without parameters that must be given can do without a body.
        let required = match (operation.kind, operation.body) {
            (Kind::Action(_), Some(body)) => body.properties.iter().any(|p| p.required),
            _ => true,
        };
        _ = write!(text, r#","requestBody":{{"required":{required},{}}}"#, content(request));
    }
    let done = |description: &str| format!(r#"{{"description":"{description}"}}"#);
    let answer = |description: &str, component: &str, headers: &str| {
        format!(r#"{{"description":"{description}"{headers},{}}}"#, content(component))
    };
    let mut responses = match operation.kind {
        Kind::Get => {
            vec![("200", answer("The resource", response, "")), ("304", done("Unchanged"))]
        }
        Kind::Patch => vec![("200", answer("The resource as it now is", response, ""))],
        Kind::Create => vec![("201", answer("The new resource", response, LOCATED))],
        Kind::Action(_) if !response.is_empty() => vec![("200", answer("Done", response, ""))],
        Kind::Delete | Kind::Action(_) => vec![("204", done("Done"))],
    };
    if operation.kind != Kind::Get {
        responses.push(("202", answer("It goes on as a task", "Task_Task", LOCATED)));
    }
    responses.push(("default", answer("Refused or failed", "RedfishError", "")));
    let responses: Vec<_> =
        responses.into_iter().map(|(status, text)| format!("\"{status}\":{text}")).collect();
    _ = write!(text, r#","responses":{{{}}}}}"#, responses.join(","));
    text
}

const LOCATED: &str =
    r#","headers":{"Location":{"schema":{"type":"string","format":"uri-reference"}}}"#;

fn content(component: &str) -> String {
    format!(r#""content":{{"application/json":{{"schema":{{"$ref":{REFERENCE}{component}"}}}}}}"#)
}

/// The schemas that a text refers to, and those that they refer to.
fn closure<'a>(parts: &'a Parts, text: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut todo: Vec<&str> = references(text)
        .filter_map(|name| parts.schemas.get_key_value(name).map(|(name, _)| *name))
        .collect();
    while let Some(name) = todo.pop() {
        if found.insert(name) {
            todo.extend(parts.schemas.get(name).into_iter().flat_map(|schema| references(schema)));
        }
    }
    found
}

fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split(REFERENCE).skip(1).filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::operation::{OPERATIONS, operations_of};

    fn document(operations: &[&'static Operation]) -> Value {
        serde_json::from_str(&openapi(operations)).unwrap()
    }

    /// Goes through all members of a tree.
    fn walk(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    visit(name, value);
                    walk(value, visit);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
            _ => {}
        }
    }

    #[test]
    fn it_is_openapi_and_refers_to_what_is_there() {
        let all: Vec<_> = OPERATIONS.iter().collect();
        let text = openapi(&all);
        let parsed: openapiv3::OpenAPI = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed.openapi, "3.0.3");
        assert_eq!(parsed.operations().count(), OPERATIONS.len());
        assert!(!text.contains("\"x-"), "private members");
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut references = BTreeSet::new();
        walk(&document, &mut |name, value| {
            if let ("$ref", Some(target)) = (name, value.as_str()) {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{target}");
                references.insert(pointer.to_owned());
            }
        });
        // Nothing is there that nobody refers to.
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for name in schemas.keys() {
            assert!(references.contains(&format!("/components/schemas/{name}")), "{name}");
        }
    }

    #[test]
    fn every_operation_has_its_line() {
        let parts = Parts::read();
        for operation in OPERATIONS {
            let (request, response) = parts.operations[operation.id];
            assert_eq!(request.is_empty(), operation.body.is_none(), "{}", operation.id);
            if matches!(operation.kind, Kind::Get | Kind::Patch | Kind::Create) {
                assert!(!response.is_empty(), "{}", operation.id);
            }
        }
    }

    #[test]
    fn only_what_is_mounted_is_described() {
        let role: Vec<_> = operations_of("Role").iter().filter(|o| o.kind == Kind::Get).collect();
        let document = document(&role);
        let paths: Vec<_> = document["paths"].as_object().unwrap().iter().collect();
        assert_eq!(paths.len(), 1);
        let (path, item) = paths[0];
        assert_eq!(path, "/redfish/v1/AccountService/Roles/{RoleId}");
        assert_eq!(item["parameters"][0]["name"], "RoleId");
        assert!(item.get("patch").is_none());
        let schemas = document["components"]["schemas"].as_object().unwrap();
        assert!(schemas.contains_key("Role_Role") && !schemas.contains_key("Bios_Bios"));
    }

    #[test]
    fn requests_hold_what_clients_may_send() {
        let all: Vec<_> = OPERATIONS.iter().collect();
        let document = document(&all);
        let check = |component: &str, name: &str, expect: bool| {
            let schema = &document["components"]["schemas"][component];
            assert_eq!(schema["additionalProperties"], false, "{component}");
            assert_eq!(schema["properties"].get(name).is_some(), expect, "{component} {name}");
        };
        check("ComputerSystem_ComputerSystemPatch", "AssetTag", true);
        check("ComputerSystem_ComputerSystemPatch", "PowerState", false);
        check("ComputerSystem_ComputerSystemPatch", "Id", false);
        check("ComputerSystem_BootPatch", "BootSourceOverrideTarget", true);
        check("ManagerAccount_ManagerAccountCreate", "UserName", true);
        check("ManagerAccount_ManagerAccountCreate", "Id", false);
        check("ComputerSystem_ResetRequestBody", "ResetType", true);
        let create = &document["components"]["schemas"]["Session_SessionCreate"];
        assert_eq!(create["required"], serde_json::json!(["Password", "UserName"]));
        assert!(create["properties"]["UserName"].get("readOnly").is_none());
    }

    #[test]
    fn answers_are_those_of_the_router() {
        let check = |id: &str, statuses: &[&str], body: Option<bool>| {
            let operation = OPERATIONS.iter().find(|operation| operation.id == id).unwrap();
            let document = document(&[operation]);
            let method = operation.method().as_str().to_lowercase();
            let described = &document["paths"][operation.template][method];
            let responses = described["responses"].as_object().unwrap();
            assert_eq!(responses.keys().collect::<Vec<_>>(), statuses, "{id}");
            assert_eq!(described["requestBody"]["required"].as_bool(), body, "{id}");
            assert_eq!(described.get("security").is_some(), operation.public, "{id}");
        };
        check("service_root_get", &["200", "304", "default"], None);
        check("systems_patch", &["200", "202", "default"], Some(true));
        check("session_service_sessions_create", &["201", "202", "default"], Some(true));
        check("session_service_sessions_delete", &["202", "204", "default"], None);
        check("systems_reset", &["202", "204", "default"], Some(false));
        check("systems_virtual_media_insert_media", &["202", "204", "default"], Some(true));
        check("certificate_service_generate_csr", &["200", "202", "default"], Some(true));
    }
}

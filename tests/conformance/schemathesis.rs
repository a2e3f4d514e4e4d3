//! Schemathesis makes requests from the OpenAPI document that the service itself serves: no answer is a 5xx
//! but 501 and 503, all have a type and a shape that the document states.
//!
//! Ids come from a crawl, so that requests reach resources that are there. A bounded number of examples
//! and a seed keep it repeatable.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use redfish_tests::crawl::{ROOT, crawl};
use redfish_tests::random::seed;
use redfish_tests::server::{PASSWORD, Setup, USER};
use redfish_tests::{root, tools};
use serde_json::Value;
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(600);
/// Requests for each operation.
const EXAMPLES: &str = "5";
const CHECKS: &str =
    "not_a_server_error,content_type_conformance,response_schema_conformance,ignored_auth";
/// What would lock the tool out, and so turn all that follows into 401: logins, sessions or listeners
/// switched off. Its own account is out of its reach since accounts' ids are not told to it.
const LEFT_OUT: [&str; 3] =
    ["account_service_patch", "session_service_patch", "managers_network_protocol_patch"];
const NOT_TOLD: [&str; 1] = ["ManagerAccountId"];

#[test]
fn requests_made_from_the_openapi_document_get_proper_answers() {
    let mut server = Setup::default().start();
    let seen = crawl(&server.login(), ROOT);
    let templates = templates();
    let found = Found::new(&templates, seen.documents.keys());

    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("schemathesis.toml"), found.configuration()).unwrap();
    let mut command = tools::python("schemathesis");
    command.current_dir(&folder).arg("run").arg(format!("{}/redfish/v1/openapi.yaml", server.url));
    command.args(["--url", &server.url, "--auth", &format!("{USER}:{PASSWORD}")]);
    command.arg("--tls-verify").arg(server.ca.as_ref().unwrap());
    command.args(["--phases", "fuzzing", "--checks", CHECKS, "--max-examples", EXAMPLES]);
    command.args(["--seed", &seed(42).to_string(), "--workers", "2", "--no-shrink"]);
    command.args([
        "--continue-on-failure",
        "--report",
        "json",
        "--report-json-path",
        "report.json",
    ]);
    for operation in LEFT_OUT {
        command.args(["--exclude-operation-id", operation]);
    }
    let run = tools::run(&mut command, LIMIT);

    let path = folder.path().join("report.json");
    let report = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((run.code, &report["complete"]), (Some(0), &Value::Bool(true)), "{}", run.out);
    let missed = found.missed(&report);
    let all = found.templates.len();
    assert!(missed.len() * 10 <= all, "of {all} GET operations never reached: {missed:?}");
    assert!(server.runs());
    server.basic(USER, PASSWORD).read("/redfish/v1/Systems");
}

/// The templates that have a GET.
fn templates() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("schema/openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let gets = paths.iter().filter(|(_, path)| path.get("get").is_some());
    gets.map(|(template, _)| template.clone()).collect()
}

/// What of the document is there.
struct Found<'a> {
    /// The templates of what a crawl saw.
    templates: BTreeSet<&'a str>,
    /// The ids, by parameter.
    ids: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Found<'a> {
    fn new(templates: &'a [String], uris: impl Iterator<Item = impl AsRef<str>>) -> Self {
        let mut found = Self { templates: BTreeSet::new(), ids: BTreeMap::new() };
        for uri in uris {
            // Where several fit, the one with the fewest parameters is meant.
            let fits = templates.iter().filter_map(|t| Some((t, parameters(t, uri.as_ref())?)));
            if let Some((template, parameters)) = fits.min_by_key(|(_, p)| p.len()) {
                found.templates.insert(template);
                for (name, id) in parameters {
                    found.ids.entry(name).or_default().insert(id);
                }
            }
        }
        found.ids.retain(|name, _| !NOT_TOLD.contains(name));
        found
    }

    /// Tells the ids: most requests name something that is there.
    fn configuration(&self) -> String {
        let mut text = String::new();
        for (name, ids) in &self.ids {
            let ids: Vec<_> = ids.iter().collect();
            writeln!(text, "[dictionaries.{name}]\nvalues = {ids:?}").unwrap();
        }
        writeln!(text, "[parameters]").unwrap();
        for name in self.ids.keys() {
            let bound = format!("{{ dictionary = {name:?}, probability = 0.9 }}");
            writeln!(text, "\"path.{name}\" = {bound}").unwrap();
        }
        text
    }

    /// The templates of which no GET was accepted.
    fn missed(&self, report: &Value) -> Vec<&str> {
        let told =
            |template: &str| !NOT_TOLD.iter().any(|name| template.contains(&format!("{{{name}}}")));
        let accepted = |template: &str| {
            let rates = &report["valid_rates"][format!("GET {template}")]["fuzzing"];
            rates["accepted"].as_u64().is_some_and(|number| number > 0)
        };
        let missed = self.templates.iter().filter(|t| told(t) && !accepted(t));
        missed.copied().collect()
    }
}

/// The parameters with which a template makes the URI.
fn parameters<'a>(template: &'a str, uri: &str) -> Option<Vec<(&'a str, String)>> {
    let (template, uri) = (template.trim_end_matches('/'), uri.trim_end_matches('/'));
    if template.split('/').count() != uri.split('/').count() {
        return None;
    }
    let mut parameters = Vec::new();
    for (want, have) in template.split('/').zip(uri.split('/')) {
        match want.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(name) => parameters.push((name, have.to_owned())),
            None if want == have => {}
            None => return None,
        }
    }
    Some(parameters)
}

#[test]
fn ids_come_from_what_is_there() {
    let templates =
        ["/r/", "/r/S", "/r/S/{SId}", "/r/S/New", "/r/A/{ManagerAccountId}"].map(str::to_owned);
    let uris = ["/r", "/r/S", "/r/S/a", "/r/S/New", "/r/A/admin", "/elsewhere"];
    let found = Found::new(&templates, uris.iter());
    assert_eq!(found.templates.len(), 5);
    assert_eq!(
        found.configuration(),
        "[dictionaries.SId]\nvalues = [\"a\"]\n[parameters]\n\
         \"path.SId\" = { dictionary = \"SId\", probability = 0.9 }\n"
    );
    let report = serde_json::json!({ "valid_rates": {
        "GET /r/": { "fuzzing": { "accepted": 2 } },
        "GET /r/S": { "fuzzing": { "accepted": 0 } },
    }});
    assert_eq!(found.missed(&report), ["/r/S", "/r/S/New", "/r/S/{SId}"]);
}

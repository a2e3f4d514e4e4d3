//! Runs the DMTF's Service Validator and reads what it found.
//!
//! What passed is kept by schema, so that a run which looked at too little is told.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use redfish_tests::server::{PASSWORD, USER};
use redfish_tests::tools;
use serde_json::Value;
use tempfile::TempDir;

use crate::report;

/// A run on three machines needs well below a minute.
const LIMIT: Duration = Duration::from_secs(300);
/// Where nothing listens (discard): the tool asks the DMTF's site for newer schema files through it.
const NOWHERE: &str = "http://127.0.0.1:9";

/// One check that did not pass.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    /// The resource.
    pub(crate) uri: String,
    /// The property.
    pub(crate) property: String,
    /// What the tool says.
    pub(crate) message: String,
}

/// What the tool found.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Checks that passed, for each schema.
    pub(crate) passed: BTreeMap<String, usize>,
    /// Checks that warned.
    pub(crate) warnings: Vec<Finding>,
    /// Checks that failed.
    pub(crate) failures: Vec<Finding>,
}

/// Runs the tool on a service with a folder of schema files, which it may add to.
#[track_caller]
pub(crate) fn run(url: &str, login: &str, schemas: &Path) -> Verdict {
    let folder = TempDir::new().unwrap();
    let mut command = tools::python("rf_service_validator");
    command.current_dir(&folder).args(["-r", url, "-u", USER, "-p", PASSWORD, "--authtype", login]);
    command.args(["--ext_http_proxy", NOWHERE, "--ext_https_proxy", NOWHERE]);
    command.arg("--schema_directory").arg(schemas).args(["--logdir", "out"]);
    let run = tools::run(&mut command, LIMIT);
    let rows = report::read(&run, &folder.path().join("out"));
    let mut verdict = verdict(&rows);
    verdict.failures.extend(schemas_not_had(&run.out));
    verdict
}

/// Schema files of the service that the tool could not read: it says so and goes on. That the site of the
/// DMTF is out of reach is as it should be.
fn schemas_not_had(output: &str) -> impl Iterator<Item = Finding> {
    let before = output.lines().take_while(|line| !line.starts_with("Validating "));
    let failed = before.filter(|line| line.starts_with("Could not") && !line.contains("info.json"));
    failed.map(|line| Finding {
        uri: String::new(),
        property: "schema file".to_owned(),
        message: line.to_owned(),
    })
}

fn verdict(rows: &[Value]) -> Verdict {
    let mut verdict = Verdict::default();
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        // `ComputerSystem v1.27.0`
        let schema = text("Resource Type").split(' ').next().unwrap_or_default().to_owned();
        let passed = verdict.passed.entry(schema).or_default();
        let finding =
            Finding { uri: text("URI"), property: text("Property"), message: text("Message") };
        match text("Result").as_str() {
            "PASS" => *passed += 1,
            "SKIP" => {}
            "WARN" => verdict.warnings.push(finding),
            _ => verdict.failures.push(finding),
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_files_that_could_not_be_read_are_told() {
        let output = "Could not access or unpack info.json on dmtf.org; x\n\
                      Could not access /redfish/v1/$metadata; HTTP status: 404\n\
                      Validating /redfish/v1/...\nCould not access /x; HTTP status: 404\n";
        let found: Vec<_> = schemas_not_had(output).map(|finding| finding.message).collect();
        assert_eq!(found, ["Could not access /redfish/v1/$metadata; HTTP status: 404"]);
    }

    #[test]
    fn rows_become_a_verdict() {
        let row = |kind: &str, result: &str| json!({ "URI": "/u", "Resource Type": kind, "Property": "p", "Result": result, "Message": "m" });
        let found = verdict(&[
            row("Chassis v1.28.0", "PASS"),
            row("Chassis v1.28.0", "PASS"),
            row("Chassis v1.28.0", "SKIP"),
            row("Manager v1.2.0", "WARN"),
            row("Unknown", "FAIL"),
        ]);
        let finding = Finding { uri: "/u".into(), property: "p".into(), message: "m".into() };
        assert_eq!(found.passed["Chassis"], 2);
        assert_eq!(found.passed["Manager"], 0);
        assert_eq!((found.warnings, found.failures), (vec![finding.clone()], vec![finding]));
    }
}

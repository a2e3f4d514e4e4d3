//! The DMTF's Use Case Checkers: accounts made and ended, every reset, boot overrides that a boot consumes,
//! queries, each done as a client does them and looked at afterwards.

use std::time::Duration;

use redfish_tests::server::{PASSWORD, Setup, USER};
use redfish_tests::tools;
use tempfile::TempDir;

use crate::report;

/// The tool sleeps ten seconds after each reset.
const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn every_use_case_works() {
    // One session drives all machines here, which the guard is there to prevent.
    let setup = Setup { machines: 2, ..Setup::default() };
    let server = setup.config("[compat]\nguard = \"off\"").start();
    let folder = TempDir::new().unwrap();
    let mut command = tools::python("rf_use_case_checkers");
    command.current_dir(&folder).args(["-r", &server.url, "-u", USER, "-p", PASSWORD]);
    command.args(["--report-dir", "out"]);
    let run = tools::run(&mut command, LIMIT);
    let rows = report::read(&run, &folder.path().join("out"));
    let findings = report::findings(&rows);
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    let passed = report::count(&rows, "PASS");
    assert!(passed >= 73, "{passed} checks passed, 73 must");
}

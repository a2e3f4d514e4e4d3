//! Interoperability profiles, under the DMTF's Interop Validator: what software that drives machines asks of
//! a service, written down by its authors.

use std::path::PathBuf;
use std::time::Duration;

use redfish_tests::server::{PASSWORD, Setup, USER};
use redfish_tests::tools;
use tempfile::TempDir;

use crate::report;

/// A run on three machines needs a few seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// A profile, where `cargo xtask test` found them.
fn profile(name: &str) -> PathBuf {
    let folder = std::env::var_os("REDFISH_PROFILES").expect("REDFISH_PROFILES is set");
    PathBuf::from(folder).join(name)
}

/// Nothing fails, nothing is warned of, and at least `floor` checks passed.
#[track_caller]
fn check(name: &str, floor: usize) {
    let server = Setup::default().config("[compat]\nprofile = \"strict\"").start();
    let folder = TempDir::new().unwrap();
    let mut command = tools::python("rf_interop_validator");
    command.current_dir(&folder).args(["-r", &server.url, "-u", USER, "-p", PASSWORD]);
    command.args(["--authtype", "Session", "--logdir", "out"]).arg(profile(name));
    let run = tools::run(&mut command, LIMIT);
    let rows = report::read(&run, &folder.path().join("out"));
    let findings = report::findings(&rows);
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    let passed = report::count(&rows, "PASS");
    assert!(passed >= floor, "{passed} checks passed, {floor} must");
}

#[test]
fn ironic() {
    check("OpenStackIronicProfile.v1_2_0.json", 270);
}

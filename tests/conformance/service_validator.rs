//! The DMTF's Service Validator finds nothing: in profile `strict` no warning either, in `clients` only
//! that something is deprecated, which is why deployed clients need it.

use std::collections::BTreeSet;

use redfish_tests::crawl::{ROOT, crawl};
use redfish_tests::server::{PASSWORD, Server, Setup, USER};
use redfish_tests::{root, tools};
use tempfile::TempDir;

use crate::floors;
use crate::validator::{Finding, Verdict, run};

fn start(profile: &str, listen: &str) -> Server {
    let setup = Setup { listen: listen.to_owned(), ..Setup::default() };
    // The OperatingSystem resource exists with `link` only: the validator is to see it.
    setup.config(&format!("[compat]\nprofile = \"{profile}\"\noperating_system = \"link\"")).start()
}

/// The schema files of the bundle, copied: the tool adds those that the service has of its own.
fn schemas() -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in std::fs::read_dir(tools::prepared("csdl")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    folder
}

/// What is wrong with a verdict.
fn faults(profile: &str, verdict: &Verdict) -> Vec<String> {
    let tell = |kind: &str, found: &Finding| {
        format!("{kind} {} {}: {}", found.uri, found.property, found.message)
    };
    let allowed =
        |found: &&Finding| profile == "clients" && found.message.starts_with("Deprecated ");
    let failures = verdict.failures.iter().map(|found| tell("FAIL", found));
    let warnings = verdict.warnings.iter().filter(|found| !allowed(found));
    failures.chain(warnings.map(|found| tell("WARN", found))).collect()
}

/// The validator went wherever a crawl goes, and every type that it saw is one that we say we support.
fn unvisited(server: &Server, verdict: &Verdict) -> Vec<String> {
    // Without a session, which would be one more resource than the validator saw.
    let found = crawl(&server.basic(USER, PASSWORD), ROOT);
    let supported = supported();
    let types = found.types();
    let mut faults = found.faults;
    for schema in types.keys() {
        if verdict.passed.get(schema).is_none_or(|passed| *passed == 0) {
            faults.push(format!("{schema} is served and was not validated"));
        }
    }
    // `Unknown` is what could not be read, which is a failure of its own.
    let strange = |schema: &&String| *schema != "Unknown" && !supported.contains(*schema);
    for schema in verdict.passed.keys().filter(strange) {
        faults.push(format!("{schema} is not in schema/resources.toml"));
    }
    faults
}

/// The resources of `schema/resources.toml`, with their collections.
fn supported() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("schema/resources.toml")).unwrap();
    let headings = text.lines().filter_map(|line| line.strip_prefix("[resource."));
    let names = headings.map(|line| line.trim_end_matches(']').to_owned());
    names.flat_map(|name| [format!("{name}Collection"), name]).collect()
}

#[track_caller]
fn check(profile: &str, listen: &str, login: &str) {
    let server = start(profile, listen);
    let schemas = schemas();
    // There is a session to look at, also where the validator opens none.
    let _session = server.login();
    let verdict = run(&server.url, login, schemas.path());
    let mut faults = faults(profile, &verdict);
    faults.extend(floors::shortfalls(profile, &verdict.passed));
    faults.extend(unvisited(&server, &verdict));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn strict_is_clean_with_a_session() {
    check("strict", "127.0.0.1:0", "Session");
}

#[test]
fn strict_is_clean_over_ipv6() {
    check("strict", "[::1]:0", "Session");
}

#[test]
fn clients_is_clean_but_for_what_is_deprecated() {
    check("clients", "127.0.0.1:0", "Basic");
}

/// Of the harness itself: a run that could check nothing is red.
#[test]
fn a_run_without_schema_files_is_not_clean() {
    let server = start("strict", "127.0.0.1:0");
    let empty = TempDir::new().unwrap();
    let verdict = run(&server.url, "Session", empty.path());
    assert!(!faults("strict", &verdict).is_empty());
    assert!(!unvisited(&server, &verdict).is_empty());
}

#[test]
fn warnings_are_allowed_for_clients_when_they_say_deprecated() {
    #[track_caller]
    fn check(profile: &str, message: &str, fails: bool, expect: usize) {
        let finding =
            || Finding { uri: "/u".into(), property: "p".into(), message: message.into() };
        let mut verdict = Verdict::default();
        if fails {
            verdict.failures.push(finding());
        } else {
            verdict.warnings.push(finding());
        }
        assert_eq!(faults(profile, &verdict).len(), expect, "{profile} {message}");
    }
    let deprecated = "Deprecated Property Warning: The property is deprecated.";
    check("clients", deprecated, false, 0);
    check("clients", deprecated, true, 1);
    check("clients", "Empty String Warning: The property is an empty string.", false, 1);
    check("strict", deprecated, false, 1);
}

//! Runs one of the Go programs and keeps what its steps printed.

use std::time::Duration;

use redfish_tests::server::{PASSWORD, Server, USER};
use redfish_tests::tools;
use serde_json::Value;

/// All steps of a program need seconds; a client that waits for something that never comes is ended.
const LIMIT: Duration = Duration::from_secs(180);

/// What a step gave.
#[derive(Debug)]
pub(crate) struct Step {
    name: String,
    error: Option<String>,
    value: Value,
}

/// The steps of one program.
#[derive(Debug)]
pub(crate) struct Steps(Vec<Step>);

/// Runs a program on one system of the server.
#[track_caller]
pub(crate) fn run(program: &str, server: &Server, basic: bool, system: &str, image: &str) -> Steps {
    let mut command = tools::go(program);
    command.env("REDFISH_PASSWORD", PASSWORD).args(["-url", &server.url, "-user", USER]);
    command.args(["-system", system, "-image", image]);
    if let Some(ca) = &server.ca {
        command.arg("-ca").arg(ca);
    }
    if basic {
        command.arg("-basic");
    }
    let run = tools::run(&mut command, LIMIT);
    assert_eq!(run.code, Some(0), "{program}: {}{}", run.out, run.err);
    let steps = Steps(run.out.lines().map(parse).collect());
    let last = steps.0.last().map(|step| step.name.as_str());
    assert_eq!(last, Some("logout"), "{program} ended early: {}", run.out);
    steps
}

fn parse(line: &str) -> Step {
    let mut step: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    Step {
        name: step["step"].as_str().unwrap().to_owned(),
        error: step["error"].as_str().map(str::to_owned),
        value: step["value"].take(),
    }
}

impl Steps {
    fn step(&self, name: &str) -> &Step {
        let found = self.0.iter().find(|step| step.name == name);
        found.unwrap_or_else(|| panic!("no step {name:?} in {self:?}"))
    }

    /// What a step gave that had to succeed.
    #[track_caller]
    pub(crate) fn value(&self, name: &str) -> &Value {
        let step = self.step(name);
        assert_eq!(step.error, None, "{name}");
        &step.value
    }

    /// A step that had to fail with a text that has this part.
    #[track_caller]
    pub(crate) fn fails(&self, name: &str, part: &str) {
        let error = self.step(name).error.as_deref().unwrap_or("nothing went wrong");
        assert!(error.contains(part), "{name}: {error}");
    }

    /// The steps that failed.
    pub(crate) fn failed(&self) -> Vec<&str> {
        let failed = self.0.iter().filter(|step| step.error.is_some());
        failed.map(|step| step.name.as_str()).collect()
    }
}

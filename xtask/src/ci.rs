//! `cargo xtask ci`: what must hold before a change lands, the test suites last.
//!
//! Each check is one entry of [`CHECKS`] and one row of the closing table. The commands are printed as
//! they run, so that a red one can be repeated by hand.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::Context as _;

use crate::report::{Report, Row, Status};
use crate::select::{Selection, one_of};
use crate::workspace::{Workspace, spelled};
use crate::{features, suites, test, tidy, tools};

/// Run all checks, then the test suites
///
/// The name "test" in --only and --skip stands for all suites. Ends with a table of checks and suites.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this check or suite only; may be given several times
    #[arg(long, value_name = "NAME", value_parser = one_of(names()))]
    only: Vec<String>,
    /// Leave this check or suite out; may be given several times
    #[arg(long, value_name = "NAME", value_parser = one_of(names()))]
    skip: Vec<String>,
    /// List the checks and suites and run none
    #[arg(long)]
    list: bool,
}

/// The group of all suites.
const TEST: &str = "test";

/// One thing that must hold.
struct Check {
    name: &'static str,
    covers: &'static str,
    run: fn(&Workspace) -> anyhow::Result<Verdict>,
}

/// How a check ended.
enum Verdict {
    Ok,
    /// With what is wrong and what to do.
    Failed(String),
    /// With what it would have needed; reported, but no failure.
    NotRun(String),
}

/// The cheap and telling ones first.
const CHECKS: &[Check] = &[
    Check {
        name: "tidy",
        covers: "what no other tool looks at: paths, sizes, licences, line ends",
        run: tidy,
    },
    Check { name: "fmt", covers: "formatting", run: fmt },
    Check { name: "unused", covers: "dependencies that nothing uses", run: unused },
    Check {
        name: "deny",
        covers: "bans, licences and sources of all dependencies (deny.toml)",
        run: deny,
    },
    Check {
        name: "advisories",
        covers: "known vulnerabilities, where their database is reachable",
        run: advisories,
    },
    Check { name: "regen", covers: "generated files are what the schema gives", run: regen },
    Check { name: "clippy", covers: "lints, warnings denied", run: clippy },
    Check { name: "features", covers: "the feature sets that users may build", run: feature_sets },
    Check { name: "docs", covers: "documentation, warnings denied", run: docs },
];

/// Runs the task.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::discover()?;
    if args.list {
        for check in CHECKS {
            println!("{:<12} {}", check.name, check.covers);
        }
        test::list(&workspace);
        return Ok(ExitCode::SUCCESS);
    }
    let selection = Selection::new(&args.only, &args.skip);
    let mut report = Report::new();
    for check in CHECKS {
        let taken = selection.takes(&[check.name]);
        report.push(if taken { run_check(&workspace, check) } else { Row::skipped(check.name) });
    }
    test::run_suites(&workspace, &mut report, |suite| selection.takes(&[suite.name, TEST]));
    Ok(test::finish(&report))
}

fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.name).chain([TEST]).chain(suites::names())
}

fn run_check(workspace: &Workspace, check: &Check) -> Row {
    let started = Instant::now();
    println!("\n==> {}: {}", check.name, check.covers);
    let (status, note) = match (check.run)(workspace) {
        Ok(Verdict::Ok) => (Status::Ok, None),
        Ok(Verdict::Failed(note)) => (Status::Failed, Some(note)),
        Ok(Verdict::NotRun(note)) => (Status::NotRun, Some(note)),
        Err(error) => (Status::Failed, Some(format!("{error:#}"))),
    };
    Row { name: check.name, status, counts: None, took: Some(started.elapsed()), note }
}

/// Runs one command; `remedy` is what to do when it fails.
fn passes(mut command: Command, remedy: &str) -> anyhow::Result<Verdict> {
    let name = spelled(&command);
    println!("$ {name}");
    let status = command.status().with_context(|| format!("Cannot run `{name}`"))?;
    Ok(if status.success() {
        Verdict::Ok
    } else {
        Verdict::Failed(format!("`{name}` failed: {remedy}"))
    })
}

fn tidy(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let findings = tidy::run(workspace)?;
    for finding in &findings {
        println!("{finding}");
    }
    Ok(match findings.len() {
        0 => Verdict::Ok,
        number => Verdict::Failed(format!(
            "{number} finding(s), listed above; `cargo xtask ci --only tidy` again"
        )),
    })
}

fn fmt(workspace: &Workspace) -> anyhow::Result<Verdict> {
    passes(workspace.cargo(["fmt", "--all", "--check"]), "run `cargo fmt --all`")
}

fn clippy(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let args = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    passes(workspace.cargo(args), "see the warnings above")
}

fn docs(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let mut command = workspace.cargo(["doc", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    passes(command, "see the warnings above")
}

/// By cargo rather than by `current_exe`: a check before this one may have rebuilt this program.
fn regen(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let command =
        workspace.cargo(["run", "--quiet", "--package", "xtask", "--", "regen", "--check"]);
    passes(command, "run `cargo xtask regen` and commit what it writes")
}

fn deny(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let mut command = tools::CARGO_DENY.command(workspace)?;
    command.args(["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]);
    passes(command, "drop the dependency, or let deny.toml allow it with a reason")
}

fn advisories(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let mut fetch = tools::CARGO_DENY.command(workspace)?;
    fetch.args(["fetch", "db"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !fetch.status()?.success() {
        return Ok(Verdict::NotRun("advisory database not reachable".to_owned()));
    }
    let mut command = tools::CARGO_DENY.command(workspace)?;
    command.args(["check", "--hide-inclusion-graph", "advisories"]);
    passes(command, "update the dependency, or let deny.toml ignore the advisory with a reason")
}

fn unused(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let mut command = tools::CARGO_MACHETE.command(workspace)?;
    command.arg("--skip-target-dir");
    passes(command, "remove the dependencies from the manifests that list them")
}

fn feature_sets(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let (ran, failed) = features::run(workspace)?;
    println!("{ran} feature sets checked");
    Ok(match failed.as_slice() {
        [] => Verdict::Ok,
        commands => Verdict::Failed(format!("these fail:\n    {}", commands.join("\n    "))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_thing() {
        let mut all: Vec<_> = names().collect();
        let number = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), number);
    }
}

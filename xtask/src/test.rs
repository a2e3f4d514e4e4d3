//! `cargo xtask test`: runs the suites and ends with a table of them and one line of counts.
//!
//! One command for everybody, from a first look at the project to CI: it brings what the suites need,
//! goes on after a failure so that one run shows everything, and never passes by testing nothing.

use std::process::ExitCode;
use std::time::Instant;

use crate::libtest::{self, Counts};
use crate::report::{Report, Row, Status};
use crate::select::{Selection, one_of};
use crate::suites::{self, SUITES, Suite};
use crate::workspace::{Workspace, spelled};

/// Run the test suites
///
/// Ends with a table of the suites and the line "N passed, N failed". A suite that cannot run is a
/// failure that says what is missing and how to leave the suite out.
///
/// Builds and data are kept below $REDFISH_CACHE_DIR (default: redfish in the user's cache folder).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this suite only; may be given several times
    #[arg(long, value_name = "NAME", value_parser = one_of(suites::names()))]
    only: Vec<String>,
    /// Leave this suite out; may be given several times
    #[arg(long, value_name = "NAME", value_parser = one_of(suites::names()))]
    skip: Vec<String>,
    /// List the suites, what each covers and what keeps it from running, and run none
    #[arg(long)]
    list: bool,
}

/// Runs the task.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::discover()?;
    let selection = Selection::new(&args.only, &args.skip);
    if args.list {
        list(&workspace);
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::new();
    run_suites(&workspace, &mut report, |suite| selection.takes(&[suite.name]));
    Ok(finish(&report))
}

/// Prints the report of a task and gives its exit code.
pub(crate) fn finish(report: &Report) -> ExitCode {
    if report.idle() {
        eprintln!("error: --only and --skip leave nothing to run");
        return ExitCode::from(crate::USAGE);
    }
    report.print();
    if report.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The suites for a reader.
pub(crate) fn list(workspace: &Workspace) {
    for suite in SUITES {
        println!("{:<12} {}", suite.name, suite.covers);
        if let Some(obstacle) = suite.obstacle(workspace) {
            println!("{:<12} {obstacle}", "");
        }
    }
}

/// Runs the suites that are taken, in order; the others become skipped rows.
pub(crate) fn run_suites(
    workspace: &Workspace,
    report: &mut Report,
    takes: impl Fn(&Suite) -> bool,
) {
    for suite in SUITES {
        report.push(if takes(suite) {
            run_suite(workspace, suite)
        } else {
            Row::skipped(suite.name)
        });
    }
}

fn run_suite(workspace: &Workspace, suite: &Suite) -> Row {
    let started = Instant::now();
    println!("\n==> {}: {}", suite.name, suite.covers);
    let (counts, trouble) = match suite.obstacle(workspace) {
        Some(obstacle) => (Counts::default(), Some(obstacle)),
        None => run_commands(workspace, suite)
            .unwrap_or_else(|error| (Counts::default(), Some(format!("{error:#}")))),
    };
    let (status, counts, note) = verdict(counts, trouble);
    Row { name: suite.name, status, counts: Some(counts), took: Some(started.elapsed()), note }
}

/// The sum of all commands of a suite, and the commands that did not succeed.
fn run_commands(workspace: &Workspace, suite: &Suite) -> anyhow::Result<(Counts, Option<String>)> {
    suite.prepare(workspace)?;
    let mut sum = Counts::default();
    let mut failed = Vec::new();
    for args in suite.cargo {
        let mut command = workspace.cargo(args.iter().copied());
        println!("$ {}", spelled(&command));
        let (success, counts) = libtest::run(&mut command)?;
        sum += counts;
        if !success {
            failed.push(format!("`{}` failed", spelled(&command)));
        }
    }
    Ok((sum, (!failed.is_empty()).then(|| failed.join("; "))))
}

/// What a suite's counts and the trouble it met amount to. A failure that no test stands for (it could
/// not run, did not compile, ran no test) counts as one failed test, so that the sums never look clean.
fn verdict(counts: Counts, trouble: Option<String>) -> (Status, Counts, Option<String>) {
    let note = match trouble {
        None if counts.passed + counts.failed == 0 => Some("no test ran".to_owned()),
        other => other,
    };
    if note.is_none() && counts.failed == 0 {
        return (Status::Ok, counts, None);
    }
    (Status::Failed, Counts { failed: counts.failed.max(1), ..counts }, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_passes_only_by_passing_tests() {
        #[track_caller]
        fn check(
            (passed, failed, ignored): (u64, u64, u64),
            trouble: Option<&str>,
            status: Status,
            failures: u64,
            note: Option<&str>,
        ) {
            let counts = Counts { passed, failed, ignored };
            let expect = (status, Counts { failed: failures, ..counts }, note.map(str::to_owned));
            assert_eq!(verdict(counts, trouble.map(str::to_owned)), expect);
        }
        check((5, 0, 1), None, Status::Ok, 0, None);
        check((0, 0, 0), None, Status::Failed, 1, Some("no test ran"));
        check((0, 0, 4), None, Status::Failed, 1, Some("no test ran"));
        check((5, 2, 0), Some("cargo failed"), Status::Failed, 2, Some("cargo failed"));
        check((5, 0, 0), Some("cargo failed"), Status::Failed, 1, Some("cargo failed"));
        check((0, 0, 0), Some("cannot run"), Status::Failed, 1, Some("cannot run"));
        check((5, 1, 0), None, Status::Failed, 1, None);
    }
}

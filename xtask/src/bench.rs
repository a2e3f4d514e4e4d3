//! `cargo xtask bench`: the figures of the project, side by side with a peer or a limit in the same run.
//!
//! Machines are noisy and differ, so a figure alone says little: each row has something to compare with.
//! Nothing here is an assertion; a row that misses its target says so and is explained by a person.

mod compile;
mod server;

use std::borrow::Cow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::workspace::Workspace;

/// Measure, and print each figure beside its target and its peer
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these rows (by the start of their names)
    #[arg(value_name = "ROW")]
    rows: Vec<String>,
}

/// One line of the table.
pub(crate) struct Row {
    name: Cow<'static, str>,
    figure: String,
    target: Cow<'static, str>,
    peer: String,
}

/// A group of rows that are measured together, under the name that selects it.
type Group = (&'static str, fn(&Workspace) -> anyhow::Result<Vec<Row>>);

const GROUPS: [Group; 3] = [("compile", compile::rows), ("regen", regen), ("server", server::rows)];

/// Runs the task.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::discover()?;
    let wanted = |name: &str| {
        args.rows.is_empty() || args.rows.iter().any(|row| name.starts_with(row.as_str()))
    };
    let mut rows = Vec::new();
    for (name, measure) in GROUPS.iter().filter(|(name, _)| wanted(name)) {
        println!("measuring {name} …");
        rows.extend(measure(&workspace)?);
    }
    if rows.is_empty() {
        let names: Vec<_> = GROUPS.iter().map(|(name, _)| *name).collect();
        println!("no such row; there are: {}", names.join(", "));
        return Ok(ExitCode::from(2));
    }
    println!();
    println!("{:58} {:>12}  {:>13}  peer", "what", "figure", "target");
    for Row { name, figure, target, peer } in rows {
        println!("{name:58} {figure:>12}  {target:>13}  {peer}");
    }
    Ok(ExitCode::SUCCESS)
}

fn regen(workspace: &Workspace) -> anyhow::Result<Vec<Row>> {
    let mut command =
        workspace.cargo(["run", "--quiet", "--package", "xtask", "--", "regen", "--check"]);
    // Once for the build.
    command.status()?;
    let start = Instant::now();
    let passed = command.status()?.success();
    let figure = if passed { seconds(start.elapsed()) } else { "failed".into() };
    Ok(vec![Row {
        name: "regen --check from the zips (debug build)".into(),
        figure,
        target: "< 20 s".into(),
        peer: String::new(),
    }])
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

//! `cargo xtask`: everything that is done to this workspace rather than with it.
//!
//! The tasks are Rust so that they run wherever the workspace builds and are held to its lints. One file
//! per task (`regen`, `test`, `ci`, `bench`, `run`), beside them what tasks share: where things are
//! (`workspace`), what is run (`suites`, `features`, `tools`, `tidy`) and with what (`needs`, `prepare`),
//! and how the end is told (`libtest`, `report`, `select`).
//!
//! Exit codes are the same for every task: 0, 1 when something failed, 2 when the command line is wrong.

mod bench;
mod ci;
mod features;
mod libtest;
mod needs;
mod prepare;
mod regen;
mod report;
mod run;
mod select;
mod suites;
mod test;
mod tidy;
mod tools;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit code of a command line that asks for nothing that can be done, as clap has it.
const USAGE: u8 = 2;

/// The tasks of this workspace
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Regen(regen::Args),
    Test(test::Args),
    Ci(ci::Args),
    Bench(bench::Args),
    Run(run::Args),
}

fn main() -> ExitCode {
    let ended = match Cli::parse().task {
        Task::Regen(args) => regen::run(&args),
        Task::Test(args) => test::run(&args),
        Task::Ci(args) => ci::run(&args),
        Task::Bench(args) => bench::run(&args),
        Task::Run(args) => run::run(&args),
    };
    ended.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

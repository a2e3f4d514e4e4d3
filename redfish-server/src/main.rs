//! The program `redfish-server`.

mod program;

use std::process::ExitCode;

use clap::Parser as _;
use redfish_server::config::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match program::run(&cli) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.code()
        }
    }
}

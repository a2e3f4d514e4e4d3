//! The figures of a running service, beside a peer or a limit in the same run; `cargo xtask bench` builds
//! and runs it.
//!
//! One program is the load, the limit and the order of things: a client that costs little, since it shares
//! two cores with what it measures, and an axum handler that returns bytes from memory.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a bench that cannot measure has nothing else to do"
)]

mod bare;
mod load;
mod process;
mod rows;
mod sushy;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use redfish_tests::client::{Auth, Client};
use redfish_tests::connection::Endpoint;

use crate::load::{Load, Shape};

/// Measures Redfish services
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// All rows of `cargo xtask bench server`, as JSON lines
    Rows,
    /// Put load on any service, and print what it does as JSON
    Load {
        /// Where it is: `http://127.0.0.1:8000`
        url: String,
        /// What is read
        path: String,
        /// The certificate that an HTTPS service is verified with
        #[arg(long)]
        ca: Option<PathBuf>,
        /// An account, with HTTP Basic; the password is in REDFISH_PASSWORD
        #[arg(long)]
        user: Option<String>,
        /// A new connection for each request
        #[arg(long)]
        new_connections: bool,
        /// Connections at the same time
        #[arg(long, default_value_t = 4)]
        connections: usize,
        /// How long
        #[arg(long, default_value_t = 3)]
        seconds: u64,
        /// The process that CPU time is read of, with its children
        #[arg(long)]
        pid: Option<u32>,
    },
    /// Serve one file from memory with axum, and print where
    Bare {
        /// What is served at every path
        file: PathBuf,
        /// With TLS; the certificate is written to this file
        #[arg(long)]
        ca: Option<PathBuf>,
    },
}

fn main() {
    match Cli::parse().task {
        Task::Rows => rows::print(),
        Task::Bare { file, ca } => bare::serve(std::fs::read(file).unwrap(), ca.as_deref()),
        Task::Load { url, path, ca, user, new_connections, connections, seconds, pid } => {
            let auth = user.map_or(Auth::None, |user| {
                Auth::basic(&user, &std::env::var("REDFISH_PASSWORD").unwrap_or_default())
            });
            let client = Client::new(Endpoint::new(&url, ca.as_deref()).unwrap(), auth);
            let shape = Shape { connections, keep: !new_connections };
            let load = Load { shape, pid, ..Load::get(&client, &path) };
            println!("{}", load.run(Duration::from_secs(seconds)).json());
        }
    }
}

//! What the suites that talk to a running service share: the server as a child process, and clients that
//! send what they are told to, byte for byte.
//!
//! `cargo xtask test --list` tells what the suites need. The bench of `cargo xtask bench` stands on the same
//! client, as a program of its own in release mode.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of tests fails as a test does"
)]

pub mod answer;
pub mod client;
pub mod connection;
pub mod crawl;
pub mod mock;
pub mod random;
pub mod server;
pub mod storm;
pub mod tools;
pub mod web;

use std::path::{Path, PathBuf};

/// The workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

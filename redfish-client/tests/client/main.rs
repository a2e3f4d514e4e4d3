//! The client against a small HTTP server in the same process: what goes over the wire, and what becomes of answers.

// clippy allows them in test functions only, and helpers of tests are tests.
#![allow(clippy::panic, clippy::unwrap_used)]

mod auth;
mod events;
mod limits;
mod links;
mod reading;
mod retry;
mod sending;
mod server;
mod tls;
mod writes;

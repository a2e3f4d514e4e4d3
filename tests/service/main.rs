//! The `service` suite: the running server through plain HTTP, from the side of those who mean no good
//! and of those who rely on it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the whole crate is tests, and clippy sees only the functions that say so"
)]

mod addresses;
mod bodies;
mod cast;
mod faults;
mod links;
mod own_client;
mod rights;
mod sudden_end;
mod weather;

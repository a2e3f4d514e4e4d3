//! The `interop` suite: the clients that people have, in the releases that are deployed.
//!
//! The programs below `go/` do the same steps with gofish 0.19, 0.20 and 0.23 and print what each gave.
//! Here stands what it must be, and that it did happen: the mock's journal has it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the whole crate is tests, and clippy sees only the functions that say so"
)]

mod gofish;
mod steps;

//! The `conformance` suite: the running service under the tools that others judge it with.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the whole crate is tests, and clippy sees only the functions that say so"
)]

mod floors;
mod profiles;
mod report;
mod schemathesis;
mod service_validator;
mod use_cases;
mod validator;

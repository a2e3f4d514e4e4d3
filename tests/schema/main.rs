//! The `schema` suite: the pipeline against the real bundle, and what came out of it against real
//! documents.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the whole crate is tests, and clippy sees only the functions that say so"
)]

mod privileges;
mod properties;
mod regen;
mod roundtrip;
mod snapshots;
mod support;
mod wording;

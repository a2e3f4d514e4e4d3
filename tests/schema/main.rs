//! The `schema` suite: the pipeline against the real bundle, and what came out of it against real
//! documents.

mod privileges;
mod properties;
mod regen;
mod roundtrip;
mod snapshots;
mod support;

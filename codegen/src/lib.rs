//! From the DMTF Redfish schema bundle to typed Rust.
//!
//! ```text
//! bundle --source--> components --passes--> schema/openapi.json --ir--> model --emit--> Rust
//!                     resources.toml, patches ^
//! ```
//!
//! Two halves with a file between them. [`trim`](mod@trim) reads the bundle (thousands of files, most of
//! them old versions), keeps the facts about the supported resources, applies our patches and
//! gives one OpenAPI document. [`ir`] and [`emit`] see that document only. Everything but
//! [`source`] is free of I/O; `cargo xtask regen` does the rest.

pub mod emit;
pub mod error;
pub mod ir;
pub mod json;
pub mod naming;
pub mod passes;
pub mod patch;
pub mod release;
pub mod report;
pub mod resources;
pub mod source;
pub mod trim;
pub mod version;
pub mod wording;

pub use error::{Error, Result};

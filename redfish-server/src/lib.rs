//! A Redfish service as a library.
//!
//! The schema gives traits: one for each resource, one method for each operation
//! ([`api`]). A service implements those of the resources that it has and mounts them on a
//! [`Router`], which knows the rest: which operations exist and where, who may do them, and what
//! the answers to the others are.
//!
//! `examples/two_resources.rs` is a whole service of two resources.

pub mod accounts;
pub mod admin;
pub mod assembly;
pub mod audit;
pub mod authenticate;
pub mod bmc;
mod body;
#[cfg(feature = "standalone")]
pub mod config;
pub mod context;
pub mod error;
#[rustfmt::skip]
mod generated;
pub mod listen;
pub mod message;
pub mod metadata;
pub mod mount;
pub mod operation;
pub mod page;
pub mod privileges;
pub mod router;
pub mod service;
pub mod services;
pub mod ssdp;
pub mod store;
pub mod tls;

pub use authenticate::Authenticator;
pub use context::{Context, Principal, Scope};
pub use error::{Error, Result};
pub use generated::{api, messages};
pub use mount::{Accepted, Mount, Reply, State};
pub use page::Page;
pub use router::Router;
pub use service::Service;

/// What the generated traits and mounts are written with.
mod api_prelude {
    pub(crate) use std::sync::Arc;

    pub(crate) use crate::context::{Context, Scope};
    pub(crate) use crate::error::Result;
    pub(crate) use crate::mount::{Mount, MountBuilder, Reply};
}

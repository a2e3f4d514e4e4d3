//! The resources that every service has, whatever its machines are: the root and the documents of the
//! protocol, registries, tasks, logs, certificates, network protocol.
//!
//! Each module has a service type and one function that gives its mounts; what they need from others
//! (a clock, a place to keep records, the managers) is handed in, so that nothing here knows of a store
//! or of machines.

pub mod certificates;
pub mod documents;
pub mod journal;
pub mod logs;
pub mod managers;
pub mod network_protocol;
pub mod registries;
pub mod root;
pub mod schemas;
pub mod tasks;

#[cfg(test)]
mod tests;

//! The virtual BMC over a scripted backend.

mod changes;
mod crawl;
mod firmware;
mod media;
mod representations;
mod requests;
mod volumes;

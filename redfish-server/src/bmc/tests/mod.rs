//! The virtual BMC over a scripted backend.

mod changes;
mod crawl;
mod media;
mod representations;

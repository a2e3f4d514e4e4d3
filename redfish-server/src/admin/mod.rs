//! The listener for operators: is it alive, is it ready, what does it count.
//!
//! It has no accounts, so it listens on loopback unless configured otherwise, and tells nothing of machines.

mod metrics;

pub use metrics::Metrics;

//! Request bodies, judged by the tables of the schema before any service sees them.
//!
//! A body is parsed strictly ([`json`]), then checked member by member against
//! [`metadata`](crate::metadata), so that all its faults are told at once and each with its own
//! message. What is left is typed and valid; services judge only what it means.
//!
//! A PATCH is also held against the resource as it is: a client that sends back what it read is not
//! at fault for the read-only members in it, and items of arrays are merged (DSP0266, "PATCH").

mod faults;
mod json;
mod patch;
#[cfg(test)]
mod properties;
mod value;
mod whole;

pub(crate) use json::parse_object;
pub(crate) use patch::patch;
pub(crate) use whole::{create, parameters};

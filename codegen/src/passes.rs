//! The steps from a file of the bundle to a component of the trimmed document.
//!
//! Each is a small function on plain JSON values with a table test. Plain values, because typed
//! OpenAPI models drop what stands beside a `$ref`, which is where DMTF writes `readOnly`.

pub mod closure;
pub mod facts;
pub mod links;
pub mod operations;
pub mod privileges;
pub mod registries;
pub mod shape;

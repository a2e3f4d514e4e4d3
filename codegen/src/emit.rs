//! Model -> the generated files of each crate.
//!
//! Every emitter is a function from the model to text; who writes the files, or compares them, is
//! up to the caller.

pub mod model;

use std::collections::BTreeMap;

use crate::error::Result;
use crate::ir::Model;

/// Generated files by path relative to the workspace.
pub type Files = BTreeMap<String, String>;

/// The folders that hold generated files and nothing else.
pub const FOLDERS: [&str; 1] = [model::FOLDER];

/// Makes all generated files.
pub fn files(model: &Model) -> Result<Files> {
    model::files(model)
}

//! Model -> the generated files of each crate.
//!
//! Every emitter is a function from the model to text; who writes the files, or compares them, is
//! up to the caller.

mod client;
pub mod model;
mod server;

use std::collections::BTreeMap;

use crate::error::Result;
use crate::ir::Model;

/// Generated files by path relative to the workspace.
pub type Files = BTreeMap<String, String>;

/// The folders that hold generated files and nothing else.
pub const FOLDERS: [&str; 3] = [model::FOLDER, server::FOLDERS[0], server::FOLDERS[1]];

/// Makes all generated files.
pub fn files(model: &Model) -> Result<Files> {
    let mut files = model::files(model)?;
    files.extend(server::files(model)?);
    files.extend(client::files(model)?);
    Ok(files)
}

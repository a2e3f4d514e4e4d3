//! `redfish-server/src/generated/`: the operation table, traits and mounts, and what the server
//! has to know of properties, parameters and messages to judge a request.

mod api;
mod messages;
mod metadata;
mod openapi;
mod operations;
mod schemas;

use super::Files;
use super::model::header;
use crate::error::Result;
use crate::ir::Model;

pub(super) const FOLDERS: [&str; 2] =
    ["redfish-server/src/generated", "redfish-server/src/generated/api"];

/// Makes the modules of `redfish-server`.
pub(super) fn files(model: &Model) -> Result<Files> {
    let [folder, api_folder] = FOLDERS;
    let mut files = Files::new();
    let mut add = |path: String, text: String| files.insert(path, text);
    add(format!("{folder}/operations.rs"), operations::module(model));
    add(format!("{folder}/privileges.rs"), operations::privileges(model));
    add(format!("{folder}/metadata.rs"), metadata::module(model));
    add(format!("{folder}/messages.rs"), messages::module(model)?);
    add(format!("{folder}/openapi.txt"), openapi::parts(model));
    add(format!("{folder}/schemas.rs"), schemas::module(model));
    for (name, text) in api::modules(model)? {
        add(format!("{api_folder}/{name}.rs"), text);
    }
    add(format!("{api_folder}/mod.rs"), api::root(model));
    add(
        format!("{folder}/mod.rs"),
        format!(
            "{}//! What is made from the schema.\n\npub mod api;\npub mod messages;\npub(crate) mod metadata;\n\
             pub(crate) mod operations;\npub(crate) mod privileges;\npub(crate) mod schemas;\n",
            header(model)
        ),
    );
    Ok(files)
}

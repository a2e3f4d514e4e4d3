//! The table of all types, for programs that learn the type from the document: round-trip
//! checkers, inspectors, property tests.

use std::fmt::Write as _;

use super::{Areas, Modules, header, types};
use crate::ir::derive::is_main;
use crate::ir::{Kind, Model};

pub(super) fn module(model: &Model, modules: &Modules, areas: &Areas) -> String {
    let mut text = header(model);
    text.push_str(
        "//! All types by name, for programs that learn the type of a document from the document.\n\n\
         use crate::reflect::{TypeEntry, object, open_enum, resource};\n\n\
         /// Every type of the crate with the features that are on.\n\
         pub const TYPES: &[TypeEntry] = &[\n",
    );
    for (module, components) in modules {
        for component in components {
            let ty = &model.types[component];
            let name = types::name(ty);
            let kind = match &ty.kind {
                Kind::Enum(_) => "open_enum",
                _ if is_main(component, ty) && model.resources.contains_key(&ty.schema) => {
                    "resource"
                }
                _ => "object",
            };
            let cfg = areas.cfg(module).replace('\n', "\n    ");
            _ = writeln!(
                text,
                "    {cfg}{kind}::<super::{module}::{name}>({component:?}, \"{module}::{name}\"),"
            );
        }
    }
    text.push_str("];\n");
    text
}

//! What the pipeline makes, for eyes: a change of it shows up here before it does in a user's
//! build. `cargo insta review`, or `INSTA_UPDATE=always cargo xtask test --only schema`.

use redfish_codegen::ir::{Model, read};
use serde_json::{Value, json};

use crate::support::{root, trimmed};

fn model() -> Model {
    read(&trimmed()).unwrap()
}

/// A resource of the model with the types of its schema.
fn resource(schema: &str) -> Value {
    let model = model();
    let types: Vec<_> = model.types.values().filter(|t| t.schema == schema).collect();
    json!({"resource": model.resources[schema], "types": types})
}

#[test]
fn ir_of_three_resources() {
    for schema in ["Bios", "Role", "VirtualMedia"] {
        insta::assert_json_snapshot!(format!("ir_{schema}"), resource(schema));
    }
}

#[test]
fn modules_of_two_resources() {
    for module in ["manager_account", "virtual_media"] {
        let path = root().join(format!("redfish-model/src/generated/{module}.rs"));
        let text = std::fs::read_to_string(path).unwrap();
        insta::assert_snapshot!(format!("module_{module}"), text);
    }
}

#[test]
fn operation_table() {
    let rows: Vec<_> = redfish_server::operation::OPERATIONS
        .iter()
        .map(|operation| {
            let all = |any: &[&[redfish_server::operation::Privilege]]| {
                let lists = any
                    .iter()
                    .map(|all| all.iter().map(|p| p.as_str()).collect::<Vec<_>>().join("+"));
                lists.collect::<Vec<_>>().join(" | ")
            };
            format!(
                "{:6} {:110} {:28} {}",
                operation.method(),
                operation.template,
                operation.resource,
                all(operation.privileges)
            )
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"));
}

#[test]
fn paths_of_the_trimmed_document() {
    let document = trimmed();
    let paths: Vec<_> = document["paths"].as_object().unwrap().keys().cloned().collect();
    insta::assert_snapshot!(paths.join("\n"));
}

/// A settings file of cargo's that names a feature which nothing is gated by would be a lie, and
/// so would a gate that no feature opens.
#[test]
fn features_are_the_areas_of_resources_toml() {
    let manifest = std::fs::read_to_string(root().join("redfish-model/Cargo.toml")).unwrap();
    for area in redfish_codegen::emit::model::features(&model()) {
        assert!(manifest.contains(&format!("\n{area} = []\n")), "feature {area} is missing");
        assert!(manifest.contains(&format!("\"{area}\"")), "`all` lacks {area}");
    }
}

//! `redfish-client/src/generated.rs`: a method for each operation, by progenitor.
//!
//! progenitor has a model of its own for OpenAPI documents and panics on what it does not know:
//! several success types, defaults for errors. So it gets a *view*: the same operations, with one
//! success type each, and a name in place of every schema, which it replaces by a type of
//! `redfish-model`. It never sees a schema, and generates no type.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Files;
use super::model::{header, path};
use crate::error::{Error, Result};
use crate::ir::{Model, Operation, OperationKind};
use crate::naming;

pub(super) const FILE: &str = "redfish-client/src/generated.rs";

/// Makes the client.
pub(super) fn files(model: &Model) -> Result<Files> {
    let mut view = View::default();
    let document = view.document(model);
    let place = "the client's view of the document";
    let spec: openapiv3::OpenAPI =
        serde_json::from_value(document).map_err(|e| Error::schema(place, e.to_string()))?;
    let mut settings = progenitor_impl::GenerationSettings::new();
    settings.with_hooks(progenitor_impl::HooksMode::Expected);
    settings.with_inner_type(quote::quote!(crate::Inner));
    for (path, name) in &view.names {
        settings.with_replacement(name, path, std::iter::empty());
    }
    let tokens = progenitor_impl::Generator::new(&settings)
        .generate_tokens(&spec)
        .map_err(|e| Error::schema(place, e.to_string()))?;
    let text = super::model::pretty(place, tokens)?;
    // The formatter leaves no empty lines between items.
    let text = text.replace("    }\n    ///", "    }\n\n    ///");
    Ok(Files::from([(FILE.to_owned(), format!("{}\n{text}", header(model)))]))
}

/// The names under which progenitor knows our types.
#[derive(Default)]
struct View {
    /// Name by Rust path.
    names: BTreeMap<String, String>,
}

impl View {
    fn document(&mut self, model: &Model) -> Value {
        let mut paths = Map::new();
        for operation in &model.operations {
            let item = paths.entry(operation.template.clone()).or_insert_with(|| json!({}));
            item[operation.kind.method().to_lowercase()] = self.operation(model, operation);
        }
        let schemas: Map<_, _> =
            self.names.values().map(|name| (name.clone(), json!({"type": "object"}))).collect();
        json!({
            "openapi": "3.0.3",
            "info": {"title": "Redfish", "version": model.release},
            "paths": paths,
            "components": {"schemas": schemas},
        })
    }

    fn operation(&mut self, model: &Model, operation: &Operation) -> Value {
        let response = match &operation.response {
            Some(component) => path(model, component),
            None => "()".to_owned(),
        };
        let response = match operation.kind {
            OperationKind::Get => format!("crate::Decoded<{response}>"),
            _ => format!("crate::Answer<{response}>"),
        };
        let mut parameters: Vec<_> = naming::parameters(&operation.template)
            .into_iter()
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        if matches!(operation.kind, OperationKind::Patch | OperationKind::Delete) {
            parameters
                .push(json!({"name": "If-Match", "in": "header", "schema": {"type": "string"}}));
        }
        let mut view = json!({
            "operationId": operation.id,
            "summary": summary(operation),
            "parameters": parameters,
            "responses": {
                "2XX": self.body("Done", response),
                "default": self.body("Refused or failed", "redfish_model::RedfishError".into()),
            },
        });
        if let Some(request) = &operation.request {
            view["requestBody"] = self.body("", path(model, request));
            view["requestBody"]["required"] = true.into();
        }
        view
    }

    fn body(&mut self, description: &str, path: String) -> Value {
        let next = format!("Type{:04}", self.names.len());
        let name = self.names.entry(path).or_insert(next);
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        json!({"description": description, "content": {"application/json": {"schema": schema}}})
    }
}

fn summary(operation: &Operation) -> String {
    let resource = &operation.resource;
    match &operation.kind {
        OperationKind::Get => format!("Reads the `{resource}`"),
        OperationKind::Patch => format!("Changes the `{resource}`"),
        OperationKind::Create => format!("Adds to the `{resource}`"),
        OperationKind::Delete => format!("Deletes the `{resource}`"),
        OperationKind::Action(action) => format!("Runs the action `{action}` of the `{resource}`"),
    }
}

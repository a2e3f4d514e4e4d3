//! The traits that a service implements, one for each resource, and their mounts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::super::model::{header, module, name, pretty};
use crate::error::Result;
use crate::ir::{Model, OperationKind, Resource};
use crate::naming;

/// The text of each module, by name: as in `redfish-model`.
pub(super) fn modules(model: &Model) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for (schema, resource) in mounted(model) {
        let name = module(model, schema);
        let text = texts.entry(name.clone()).or_insert_with(|| {
            format!(
                "{}//! The types of `redfish_model::{name}` on the wire.\n\n\
                 use redfish_model::{name} as model;\n\nuse crate::api_prelude::*;\n",
                header(model)
            )
        });
        text.push('\n');
        text.push_str(&api(model, schema, resource)?);
    }
    Ok(texts)
}

fn mounted(model: &Model) -> impl Iterator<Item = (&String, &Resource)> {
    model.resources.iter().filter(|(schema, _)| model.operations_of(schema).next().is_some())
}

/// `mod.rs`: the list of modules, and the mount of everything.
pub(super) fn root(model: &Model) -> String {
    let mut names: Vec<_> = mounted(model).map(|(schema, _)| module(model, schema)).collect();
    names.sort();
    names.dedup();
    let mut text = header(model);
    text.push_str(
        "//! A trait for each resource, and a mount that routes its operations to an implementation.\n\n",
    );
    for name in &names {
        _ = writeln!(text, "pub mod {name};");
    }
    text.push_str("\nuse std::sync::Arc;\n\nuse crate::router::Router;\n\n");
    text.push_str(
        "/// Mounts every resource; for services that have them all.\npub fn mount_all<S>(service: &Arc<S>) -> Router\nwhere\n    S: ",
    );
    let all: Vec<_> = mounted(model).collect();
    let bounds: Vec<_> = all.iter().map(|(s, _)| format!("{}::{s}Api", module(model, s))).collect();
    text.push_str(&bounds.join("\n        + "));
    text.push_str(",\n{\n    Router::new()\n");
    for (schema, _) in &all {
        let module = module(model, schema);
        _ = writeln!(text, "        .mount({module}::{}(service.clone()))", mount_name(schema));
    }
    text.push_str("}\n");
    text
}

fn mount_name(schema: &str) -> String {
    format!("mount_{}", naming::snake(schema))
}

fn api(model: &Model, schema: &str, resource: &Resource) -> Result<String> {
    let uri = in_model(&format!("{schema}Uri"));
    let own = in_model(&name(model, &resource.component));
    let api = format_ident!("{schema}Api");
    let mount = format_ident!("{}", mount_name(schema));
    let mut methods = Vec::new();
    let mut mounts = Vec::new();
    // The same operation stands in the table once for each template.
    let kinds: BTreeMap<_, _> = model.operations_of(schema).map(|o| (o.kind.clone(), o)).collect();
    for (kind, operation) in kinds {
        let component = |c: &Option<String>| c.as_ref().map(|c| in_model(&name(model, c)));
        let request = component(&operation.request);
        let response = component(&operation.response).unwrap_or_else(|| quote!(()));
        let (method, mounted, doc) = match &kind {
            OperationKind::Get => {
                (format_ident!("get"), quote!(get), " GET: the resource as it is.".to_owned())
            }
            OperationKind::Patch => (
                format_ident!("patch"),
                quote!(patch),
                " PATCH: changes it, and gives it as it then is.".to_owned(),
            ),
            OperationKind::Create => (
                format_ident!("create"),
                quote!(create),
                " POST: creates a member, and gives it.".to_owned(),
            ),
            OperationKind::Delete => {
                (format_ident!("delete"), quote!(delete), " DELETE: removes it.".to_owned())
            }
            OperationKind::Action(action) => (
                format_ident!("{}", naming::field(action)),
                quote!(action),
                format!(" POST: the `{schema}.{action}` action."),
            ),
        };
        let body = request.as_ref().map(|request| quote!(, body: #request));
        let output = match kind {
            OperationKind::Get => quote!(Result<#own>),
            _ => quote!(Result<Reply<#response>>),
        };
        methods.push(quote! {
            #[doc = #doc]
            fn #method(&self, cx: &Context, uri: #uri #body) -> impl Future<Output = #output> + Send;
        });
        let (parameter, argument) = match request {
            Some(_) => (quote!(, body), quote!(, body)),
            None => (quote!(), quote!()),
        };
        let action = match &kind {
            OperationKind::Action(action) => quote!(#action,),
            _ => quote!(),
        };
        mounts.push(quote! {
            .#mounted(#action |service, cx, uri #parameter| async move {
                service.#method(&cx, uri #argument).await
            })
        });
    }
    let doc = format!(" `{schema}`: what a service that has it must answer.");
    let mount_doc = format!(" Routes the operations of `{schema}` to a service.");
    let tokens = quote! {
        #[doc = #doc]
        pub trait #api: Send + Sync + 'static {
            #[doc = " Whether the scope has the resource; asked before anything else."]
            fn exists(&self, scope: &Scope, uri: &#uri) -> bool;
            #(#methods)*
        }
        #[doc = #mount_doc]
        pub fn #mount<S: #api>(service: Arc<S>) -> Mount {
            MountBuilder::new(#schema, service, S::exists) #(#mounts)* .build()
        }
    };
    Ok(pretty(schema, tokens)?.replace("}\n/// ", "}\n\n/// "))
}

/// A type of the module of `redfish-model` that this module mirrors.
fn in_model(name: &str) -> TokenStream {
    let name = format_ident!("{name}");
    quote!(model::#name)
}

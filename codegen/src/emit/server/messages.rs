//! A constructor for each message of the Base registry, with its arguments by name.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::super::model::{header, pretty};
use crate::error::Result;
use crate::ir::{Message, Model};
use crate::naming;

/// `messages.rs`.
pub(super) fn module(model: &Model) -> Result<String> {
    let registry = &model.messages;
    let version: Vec<_> = registry.version.split('.').take(2).collect();
    let version = version.join(".");
    let functions = registry.messages.iter().map(|(id, message)| {
        constructor(id, &format!("{}.{version}.{id}", registry.prefix), message)
    });
    let (prefix, full) = (&registry.prefix, &registry.version);
    let tokens = quote! {
        use crate::message::{Argument, Definition, Message};

        #[doc = " The prefix of the registry."]
        pub const PREFIX: &str = #prefix;

        #[doc = " The version of the registry."]
        pub const VERSION: &str = #full;

        #(#functions)*
    };
    let text = format!(
        "{}//! The messages of the {prefix} registry {full}, in our words.\n\n{}",
        header(model),
        pretty("messages", tokens)?
    );
    // An empty line between functions, which the formatter leaves out.
    Ok(text.replace("}\n/// ", "}\n\n/// "))
}

fn constructor(id: &str, message_id: &str, message: &Message) -> TokenStream {
    let function = format_ident!("{}", naming::snake(id));
    let names: Vec<_> = message.args.iter().map(|a| format_ident!("{}", a.name)).collect();
    let types = message.args.iter().map(|a| {
        if a.number { quote!(impl Into<serde_json::Number>) } else { quote!(impl Into<String>) }
    });
    let arguments = message.args.iter().zip(&names).map(|(a, name)| {
        if a.number {
            quote!(Argument::Number(#name.into()))
        } else {
            quote!(Argument::Text(#name.into()))
        }
    });
    let severity = format_ident!("{}", message.severity);
    let (text, resolution) = (&message.text, &message.resolution);
    let deprecated =
        message.deprecated.as_ref().map(|v| format!(" Deprecated since {v}.")).unwrap_or_default();
    let doc = format!(" `{id}`: {text}{deprecated}");
    quote! {
        #[doc = #doc]
        pub fn #function(#(#names: #types),*) -> Message {
            const DEFINITION: Definition = Definition {
                id: #message_id,
                severity: crate::message::Severity::#severity,
                text: #text,
                resolution: #resolution,
            };
            DEFINITION.with(vec![#(#arguments),*])
        }
    }
}

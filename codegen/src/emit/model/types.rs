//! One module: its structs, enums and URI type.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{docs, header, module as module_of};
use crate::error::{Error, Result};
use crate::ir::derive::is_main;
use crate::ir::{Kind, Model, Property, Shape, Site, Type};
use crate::passes::links::ANY;
use crate::{naming, passes};

/// Whether a component becomes a Rust type of its own.
pub(super) fn emitted(model: &Model, component: &str, ty: &Type) -> bool {
    let action = |p: &Property| match p.wire.strip_prefix('#').and_then(|n| n.split_once('.')) {
        Some((schema, action)) => format!("{schema}_{action}") == component,
        None => false,
    };
    let own = model.types.iter().filter(|(_, other)| other.schema == ty.schema);
    !matches!(ty.kind, Kind::Alias(_))
        && component != "odata-v4_idRef"
        && !own.flat_map(|(_, other)| properties(other)).any(action)
}

/// The properties of a type; none for enums.
pub(super) fn properties(ty: &Type) -> &[Property] {
    match &ty.kind {
        Kind::Object(properties) => properties,
        _ => &[],
    }
}

/// The Rust name: as in the schema, request bodies shortened.
pub(super) fn name(ty: &Type) -> String {
    let name = match ty.name.strip_suffix("RequestBody") {
        Some(action) => format!("{action}Request"),
        None => ty.name.clone(),
    };
    // `Target_PrivilegeMap` is the one name with an underscore.
    name.replace('_', "")
}

/// The text of a module.
pub(super) fn module(model: &Model, module: &str, components: &BTreeSet<String>) -> Result<String> {
    let mut text = header(model);
    let schemas: BTreeSet<_> = components
        .iter()
        .map(|c| {
            let ty = &model.types[c];
            let version = ty.version.as_deref().unwrap_or("unversioned");
            format!("`{}` ({version})", ty.schema)
        })
        .collect();
    let schemas: Vec<_> = schemas.into_iter().collect();
    _ = writeln!(text, "//! {}.\n\nuse crate::gen_prelude::*;", schemas.join(", "));
    for component in components {
        let ty = &model.types[component];
        text.push('\n');
        match &ty.kind {
            Kind::Object(properties) => {
                object(&mut text, model, module, component, ty, properties)?;
            }
            Kind::Enum(_) => open_enum(&mut text, ty)?,
            Kind::Alias(_) => {}
        }
    }
    Ok(text)
}

fn object(
    text: &mut String,
    model: &Model,
    module: &str,
    component: &str,
    ty: &Type,
    properties: &[Property],
) -> Result<()> {
    let name = name(ty);
    let fields =
        unique(component, properties.iter().map(|p| (naming::field(&p.wire), p.wire.as_str())))?;
    let rust: Vec<_> = properties.iter().map(|p| rust_type(model, module, component, p)).collect();
    let ident = format_ident!("{name}");
    let doc = format!(" {}", docs::of_type(ty, &what(model, component, ty)));
    let members = fields.iter().zip(properties).zip(&rust).map(|((field, property), rust)| {
        let (field, doc) = (format_ident!("{field}"), format!(" {}", docs::of_property(property)));
        quote!(#[doc = #doc] pub #field: Field<#rust>)
    });
    let tokens = quote! {
        #[doc = #doc]
        #[derive(Clone, PartialEq)]
        pub struct #ident {
            #(#members,)*
            #[doc = " Annotations, and members that the schema does not name."]
            pub extra: Extra,
        }
    };
    text.push_str(&pretty(component, tokens)?);
    _ = writeln!(text, "object! {{\n    {name} {{");
    for (field, property) in fields.iter().zip(properties) {
        _ = writeln!(text, "        {field} = {:?},", property.wire);
    }
    text.push_str("    }\n");
    let required: Vec<_> =
        fields.iter().zip(properties).zip(&rust).filter(|((_, p), _)| p.required).collect();
    for (block, nullable) in [("required", false), ("required_nullable", true)] {
        let mut members = required.iter().filter(|((_, p), _)| p.nullable == nullable).peekable();
        if members.peek().is_some() {
            _ = writeln!(text, "    {block} {{");
            for ((field, property), rust) in members {
                _ = writeln!(text, "        {field}: {} = {:?},", spaced(rust), property.wire);
            }
            text.push_str("    }\n");
        }
    }
    text.push_str("}\n");
    let resource = model.resources.get(&ty.schema).filter(|r| r.component == component);
    let required = required.into_iter().map(|((field, property), rust)| (field, property, rust));
    if let Some(new) = constructor(&ident, resource.is_some(), required) {
        text.push_str(&pretty(component, new)?);
    }
    if let Some(resource) = resource {
        resource_impl(text, ty, &resource.sites)?;
    }
    Ok(())
}

/// What a type is for, as the beginning of its comment.
fn what(model: &Model, component: &str, ty: &Type) -> String {
    let derived = |suffix: &str| {
        let base = component.strip_suffix(suffix).filter(|base| model.types.contains_key(*base));
        base.and_then(|_| ty.name.strip_suffix(suffix))
    };
    if is_main(component, ty) {
        "The resource".into()
    } else if let Some(base) = derived("Patch") {
        format!("What a PATCH may set in `{base}`,")
    } else if let Some(base) = derived("Create") {
        format!("What a POST may set in a new `{base}`,")
    } else if let Some(action) = ty.name.strip_suffix("RequestBody") {
        format!("The parameters of the `{action}` action")
    } else {
        format!("`{}`", ty.name)
    }
}

/// `new(…)` over what the schema requires; `@odata.type` and the number of members are known and
/// no arguments.
fn constructor<'a>(
    ident: &proc_macro2::Ident,
    resource: bool,
    required: impl Iterator<Item = (&'a String, &'a Property, &'a TokenStream)>,
) -> Option<TokenStream> {
    let (mut parameters, mut known, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for (field, property, rust) in required {
        let field = format_ident!("{field}");
        match property.wire.as_str() {
            "@odata.type" if resource => {
                known.push(quote!(#field: Field::Value(Self::ODATA_TYPE.to_owned())));
            }
            "Members@odata.count" if resource => {
                known.push(quote!(#field: Field::Value(crate::gen_prelude::count(&members))));
            }
            "Members" if resource => {
                parameters.push(quote!(#field: #rust));
                given.push(quote!(#field: Field::Value(#field)));
            }
            _ => {
                parameters.push(quote!(#field: impl Into<#rust>));
                given.push(quote!(#field: Field::Value(#field.into())));
            }
        }
    }
    if parameters.is_empty() {
        return None;
    }
    let rest = quote!(..Self::default());
    Some(quote! {
        impl #ident {
            #[doc = " With what the schema requires; everything else is absent."]
            pub fn new(#(#parameters),*) -> Self {
                Self { #(#known,)* #(#given,)* #rest }
            }
        }
    })
}

fn resource_impl(text: &mut String, ty: &Type, sites: &[Site]) -> Result<()> {
    let (name, schema) = (name(ty), &ty.schema);
    let version = match ty.version.as_deref() {
        Some(version) => {
            let parts: Vec<_> = version.trim_start_matches('v').split('_').collect();
            format!("Some(({}))", parts.join(", "))
        }
        None => "None".into(),
    };
    let odata_type = match ty.version.as_deref() {
        Some(version) => format!("#{schema}.{version}.{schema}"),
        None => format!("#{schema}.{schema}"),
    };
    let uris = if sites.is_empty() { "&[]".into() } else { format!("{schema}Uri::TEMPLATES") };
    _ = writeln!(
        text,
        "\nimpl LinkTarget for {name} {{\n    const SCHEMA: &'static str = {schema:?};\n}}\n\n\
         impl Resource for {name} {{\n    const VERSION: Option<(u16, u16, u16)> = {version};\n    \
         const ODATA_TYPE: &'static str = {odata_type:?};\n    \
         const URIS: &'static [&'static str] = {uris};\n}}"
    );
    if sites.is_empty() {
        return Ok(());
    }
    _ = writeln!(
        text,
        "\nuris! {{\n    /// Where [`{name}`] is served.\n    pub enum {schema}Uri {{"
    );
    let variants = unique(
        schema,
        sites.iter().map(|site| (uri_variant(&site.template), site.template.as_str())),
    )?;
    for (variant, site) in variants.iter().zip(sites) {
        let deprecated = if site.deprecated { " Deprecated by the schema." } else { "" };
        let own = if site.own { " Not a URI of the schema." } else { "" };
        doc_line(text, &format!("{deprecated}{own}"));
        let ids: Vec<_> =
            naming::parameters(&site.template).into_iter().map(naming::field).collect();
        let ids = if ids.is_empty() { String::new() } else { format!(" {{ {} }}", ids.join(", ")) };
        _ = writeln!(text, "        {variant}{ids} = {:?},", site.template);
    }
    text.push_str("    }\n}\n");
    Ok(())
}

/// `/redfish/v1/Systems/{…}/VirtualMedia/{…}` -> `SystemsVirtualMedia`.
pub(in crate::emit) fn uri_variant(template: &str) -> String {
    naming::place(template).concat()
}

fn open_enum(text: &mut String, ty: &Type) -> Result<()> {
    let Kind::Enum(values) = &ty.kind else { return Ok(()) };
    let name = name(ty);
    let variants =
        unique(&name, values.iter().map(|v| (naming::variant(&v.wire), v.wire.as_str())))?;
    let doc = docs::of_type(ty, &format!("`{}`", ty.name));
    _ = writeln!(text, "open_enum! {{\n    /// {doc}\n    pub enum {name} {{");
    for (variant, value) in variants.iter().zip(values) {
        doc_line(text, &docs::of_value(value));
        _ = writeln!(text, "        {variant} = {:?},", value.wire);
    }
    text.push_str("    }\n}\n");
    Ok(())
}

/// A comment on a macro's variant, whose own text the macro says; none if there is no more.
fn doc_line(text: &mut String, doc: &str) {
    if !doc.is_empty() {
        _ = writeln!(text, "        ///{doc}");
    }
}

/// The names, or an error if two are the same.
fn unique<'a>(place: &str, names: impl Iterator<Item = (String, &'a str)>) -> Result<Vec<String>> {
    let mut seen = std::collections::BTreeMap::new();
    let mut all = Vec::new();
    for (name, wire) in names {
        if let Some(first) = seen.insert(name.clone(), wire) {
            let of = |wire: &str| format!("{place}: {wire}");
            return Err(Error::Collision { name, first: of(first), second: of(wire) });
        }
        all.push(name);
    }
    Ok(all)
}

pub(in crate::emit) fn pretty(component: &str, tokens: TokenStream) -> Result<String> {
    let file =
        syn::parse2(tokens).map_err(|e| Error::schema(component, format!("bad Rust: {e}")))?;
    Ok(prettyplease::unparse(&file))
}

/// A type as people write it, for the lines that no formatter sees.
fn spaced(tokens: &TokenStream) -> String {
    tokens
        .to_string()
        .replace(" :: ", "::")
        .replace(" < ", "<")
        .replace(" >", ">")
        .replace(" ,", ",")
}

/// The type of a property's value.
fn rust_type(model: &Model, module: &str, owner: &str, property: &Property) -> TokenStream {
    let rust = shape(model, module, &property.shape);
    if property.secret {
        return quote!(Secret<#rust>);
    }
    match &property.shape {
        Shape::Named(target) if contains(model, target, owner, &mut BTreeSet::new()) => {
            quote!(Box<#rust>)
        }
        _ => rust,
    }
}

/// Whether one type holds another in place, which would make it infinitely large.
fn contains(model: &Model, outer: &str, inner: &str, seen: &mut BTreeSet<String>) -> bool {
    outer == inner
        || seen.insert(outer.to_owned())
            && model.properties(outer).iter().any(|p| match &p.shape {
                Shape::Named(next) => contains(model, next, inner, seen),
                _ => false,
            })
}

fn shape(model: &Model, module: &str, value: &Shape) -> TokenStream {
    match value {
        Shape::Bool => quote!(bool),
        Shape::Integer(_) => quote!(i64),
        Shape::Number(_) => quote!(Number),
        Shape::Text { .. } => quote!(String),
        Shape::DateTime => quote!(DateTimeOffset),
        Shape::Duration => quote!(Duration),
        Shape::Named(component) => named(model, module, component),
        Shape::Array { items, nullable } => {
            let items = shape(model, module, items);
            if *nullable { quote!(Vec<Option<#items>>) } else { quote!(Vec<#items>) }
        }
        Shape::Link(target) => {
            let target = link_target(target);
            quote!(Ref<#target>)
        }
        Shape::LinkOrText(target) => {
            let target = link_target(target);
            quote!(LinkOrText<#target>)
        }
        Shape::Action(Some(component)) => {
            let parameters = named(model, module, component);
            quote!(Action<#parameters>)
        }
        Shape::Action(None) => quote!(Action<()>),
        Shape::Map(items) => {
            let items = shape(model, module, items);
            quote!(BTreeMap<String, #items>)
        }
        Shape::Oem => quote!(Oem),
        Shape::Json => quote!(Value),
    }
}

fn named(model: &Model, module: &str, component: &str) -> TokenStream {
    let ty = &model.types[component];
    let name = format_ident!("{}", name(ty));
    let other = module_of(model, &ty.schema);
    // A struct may be named like something of the prelude (`Action`, `Resource`); its own
    // module's name for it always wins, others are written out.
    if other == module {
        quote!(#name)
    } else {
        let other = format_ident!("{other}");
        quote!(crate::#other::#name)
    }
}

fn link_target(target: &str) -> TokenStream {
    if target == passes::links::ANY {
        let any = format_ident!("{ANY}");
        return quote!(#any);
    }
    let target = format_ident!("{target}");
    quote!(crate::target::#target)
}

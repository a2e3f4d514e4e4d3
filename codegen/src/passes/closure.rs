//! Loads the components that the supported resources need, and gives them version-free names.
//!
//! Each schema is taken in its newest version: `VirtualMedia_v1_6_5_EjectPolicy` and the
//! unversioned alias of it both become `VirtualMedia_EjectPolicy`. Request and response bodies of
//! actions are reachable by name only, never by reference, so they are roots too.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::json::ValueExt;
use crate::source::Bundle;
use crate::version::Version;

/// The prefix of references within the trimmed document.
pub const LOCAL: &str = "#/components/schemas/";

/// A loaded component.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The schema it belongs to.
    pub schema: String,
    /// The version of the schema, where it has one.
    pub version: Option<Version>,
    /// Its definition, with references in the document's own form.
    pub value: Value,
}

/// The closure and what was left out of it.
#[derive(Debug, Default)]
pub struct Closure {
    /// The components by version-free name.
    pub components: BTreeMap<String, Component>,
    /// References to files outside the bundle: the place, and what it wanted.
    pub cut: Vec<(String, String)>,
}

/// Loads the components of the given schemas, and of everything that they refer to; types that
/// nothing refers to are asked for by name.
pub fn collect<'a>(
    bundle: &Bundle,
    schemas: impl Iterator<Item = (String, &'a [String])>,
) -> Result<Closure> {
    let mut loader = Loader {
        bundle,
        files: BTreeMap::new(),
        closure: Closure::default(),
        wanted: BTreeSet::new(),
        todo: Vec::new(),
    };
    for (schema, types) in schemas {
        loader.want_schema(&schema)?;
        for ty in types {
            if !loader.want(&schema, &format!("{schema}_{ty}"))? {
                return Err(Error::resource(&schema, format!("the schema has no type `{ty}`")));
            }
        }
    }
    while let Some((name, mut component)) = loader.todo.pop() {
        loader.references(&mut component.value, &component.schema, &name)?;
        loader.closure.components.insert(name, component);
    }
    loader.closure.cut.sort();
    Ok(loader.closure)
}

struct Loader<'a> {
    bundle: &'a Bundle,
    /// The components of each schema that was opened, all of them.
    files: BTreeMap<String, BTreeMap<String, Component>>,
    closure: Closure,
    wanted: BTreeSet<String>,
    todo: Vec<(String, Component)>,
}

impl Loader<'_> {
    /// A supported schema: its main type (or all types, where it has no main type), and the
    /// bodies of its actions.
    fn want_schema(&mut self, schema: &str) -> Result<()> {
        if !self.bundle.contains(&format!("openapi/{schema}.yaml")) {
            return Err(Error::resource(
                schema,
                format!("unknown resource: the bundle has no openapi/{schema}.yaml"),
            ));
        }
        let main = format!("{schema}_{schema}");
        let names: Vec<_> = self.schema(schema)?.keys().cloned().collect();
        let has_main = names.contains(&main);
        for name in names {
            let body = name.ends_with("RequestBody") || name.ends_with("Response");
            if name == main || body || !has_main {
                self.want(schema, &name)?;
            }
        }
        Ok(())
    }

    /// Puts a component on the list; `false` if its schema does not have it.
    fn want(&mut self, schema: &str, name: &str) -> Result<bool> {
        if self.wanted.contains(name) {
            return Ok(true);
        }
        let Some(component) = self.schema(schema)?.get(name).cloned() else { return Ok(false) };
        self.wanted.insert(name.into());
        self.todo.push((name.into(), component));
        Ok(true)
    }

    /// All components of a schema: those of the unversioned file, overridden by the newest.
    fn schema(&mut self, schema: &str) -> Result<&BTreeMap<String, Component>> {
        if !self.files.contains_key(schema) {
            let mut components = BTreeMap::new();
            let newest = self.bundle.newest(schema);
            let files = [
                Some(format!("openapi/{schema}.yaml")),
                newest.map(|v| format!("openapi/{schema}.{v}.yaml")),
            ];
            for file in files.into_iter().flatten().filter(|file| self.bundle.contains(file)) {
                let document = self.bundle.read(&file)?;
                let definitions = document.get("components").unwrap_or(&Value::Null);
                for (name, value) in definitions.members("schemas") {
                    let name = version_free(schema, name);
                    let component =
                        Component { schema: schema.into(), version: newest, value: value.clone() };
                    components.insert(name, component);
                }
            }
            self.files.insert(schema.into(), components);
        }
        Ok(&self.files[schema])
    }

    /// Follows and rewrites the references in a schema object.
    fn references(&mut self, value: &mut Value, schema: &str, place: &str) -> Result<()> {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(reference)) = map.get("$ref").cloned() {
                    match self.resolve(&reference, schema, place)? {
                        Some(name) => {
                            map.insert("$ref".into(), format!("{LOCAL}{name}").into());
                        }
                        None => {
                            map.remove("$ref");
                            map.insert("x-cut".into(), last(&reference).into());
                        }
                    }
                }
                for (name, member) in map.iter_mut().filter(|(name, _)| *name != "$ref") {
                    let place = if member.is_object() && name != "properties" && name != "items" {
                        format!("{place}.{name}")
                    } else {
                        place.to_owned()
                    };
                    self.references(member, schema, &place)?;
                }
                Ok(())
            }
            Value::Array(items) => {
                items.iter_mut().try_for_each(|item| self.references(item, schema, place))
            }
            _ => Ok(()),
        }
    }

    /// The name of the component that a reference means, in the newest version of its schema;
    /// `None` where the file is outside the bundle.
    fn resolve(&mut self, reference: &str, schema: &str, place: &str) -> Result<Option<String>> {
        let target = target_schema(reference).unwrap_or_else(|| schema.to_owned());
        let name = version_free(&target, last(reference));
        if !self.bundle.contains(&format!("openapi/{target}.yaml"))
            && self.bundle.newest(&target).is_none()
        {
            self.closure.cut.push((place.into(), last(reference).into()));
            return Ok(None);
        }
        // An alias of another component stands for it.
        if let Some(alias) = self.schema(&target)?.get(&name).and_then(alias) {
            let alias_schema = target_schema(&alias).unwrap_or_else(|| target.clone());
            if version_free(&alias_schema, last(&alias)) != name {
                return self.resolve(&alias, &target, place);
            }
        }
        if self.want(&target, &name)? {
            return Ok(Some(name));
        }
        Err(Error::schema(
            place,
            format!(
                "refers to {name}, which the newest version of {target} no longer has; patch the reference in schema/patches/"
            ),
        ))
    }
}

/// The reference of a component that is nothing but a reference.
fn alias(component: &Component) -> Option<String> {
    let reference = component.value.text("$ref")?;
    Some(reference.to_owned())
}

/// `http://…/VirtualMedia.v1_6_5.yaml#/…` -> `VirtualMedia`; `None` for a local reference.
fn target_schema(reference: &str) -> Option<String> {
    let (url, _) = reference.split_once('#')?;
    let file = url.rsplit('/').next()?.strip_suffix(".yaml")?;
    let schema = match file.rsplit_once('.') {
        Some((schema, version)) if Version::parse(version).is_some() => schema,
        _ => file,
    };
    Some(schema.to_owned())
}

fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// `VirtualMedia_v1_6_5_EjectPolicy` -> `VirtualMedia_EjectPolicy`.
fn version_free(schema: &str, name: &str) -> String {
    let versioned = || {
        let rest = name.strip_prefix(schema)?.strip_prefix('_')?;
        let end = rest.match_indices('_').nth(2)?.0;
        Version::parse(&rest[..end])?;
        Some(format!("{schema}{}", &rest[end..]))
    };
    versioned().unwrap_or_else(|| name.to_owned())
}

/// A reference to a component of the document.
pub fn local(name: &str) -> Value {
    json!({ "$ref": format!("{LOCAL}{name}") })
}

#[cfg(test)]
mod tests;

//! Which cargo feature brings which module.
//!
//! `schema/resources.toml` gives a resource its area; the modules of the types that it refers to
//! come with it. A module that something without an area needs is always there.

use std::collections::{BTreeMap, BTreeSet};

use super::{Modules, module, types};
use crate::ir::{Model, Shape};

pub(super) struct Areas {
    /// The features that bring a module; `None` for always.
    of: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl Areas {
    pub(super) fn new(model: &Model, modules: &Modules) -> Self {
        let needs: BTreeMap<_, _> =
            modules.iter().map(|(name, parts)| (name.clone(), needs(model, parts))).collect();
        let mut of: BTreeMap<String, Option<BTreeSet<String>>> =
            modules.keys().map(|name| (name.clone(), Some(BTreeSet::new()))).collect();
        let roots =
            model.resources.iter().map(|(schema, r)| (module(model, schema), r.area.clone()));
        // A schema without main resource (`Resource`, `Message`) that nothing refers to is
        // supported for its own sake.
        let types_only = modules.iter().filter(|(name, parts)| {
            let referred = needs.iter().any(|(other, n)| other != *name && n.contains(*name));
            let resource =
                parts.iter().any(|p| model.resources.contains_key(&model.types[p].schema));
            !referred && !resource
        });
        let types_only = types_only.map(|(name, _)| (name.clone(), None));
        for (root, area) in roots.chain(types_only) {
            for reached in reach(&needs, &root) {
                let features = of.entry(reached).or_default();
                match (&area, features.as_mut()) {
                    (Some(area), Some(features)) => _ = features.insert(area.clone()),
                    (None, _) => *features = None,
                    (Some(_), None) => {}
                }
            }
        }
        Self { of }
    }

    fn features(&self, module: &str) -> Option<Vec<String>> {
        let features = self.of.get(module)?.as_ref()?;
        Some(features.iter().map(|f| format!("feature = \"{f}\"")).collect())
    }

    /// The condition of a module, as an attribute line; empty for always.
    pub(super) fn cfg(&self, module: &str) -> String {
        match self.features(module).as_deref() {
            None => String::new(),
            Some([one]) => format!("#[cfg({one})]\n"),
            Some(several) => format!("#[cfg(any({}))]\n", several.join(", ")),
        }
    }

    /// The opposite of [`Self::cfg`]; `None` for never.
    pub(super) fn cfg_not(&self, module: &str) -> Option<String> {
        Some(format!("#[cfg(not(any({})))]\n", self.features(module)?.join(", ")))
    }
}

fn reach(needs: &BTreeMap<String, BTreeSet<String>>, root: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![root.to_owned()];
    while let Some(name) = todo.pop() {
        if seen.insert(name.clone()) {
            todo.extend(needs.get(&name).into_iter().flatten().cloned());
        }
    }
    seen
}

/// The modules that the types of a module name.
fn needs(model: &Model, components: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for property in components.iter().flat_map(|c| types::properties(&model.types[c])) {
        named(model, &property.shape, &mut found);
    }
    found
}

fn named(model: &Model, shape: &Shape, found: &mut BTreeSet<String>) {
    if let Shape::Named(component) | Shape::Action(Some(component)) = shape.innermost() {
        found.insert(module(model, &model.types[component].schema));
    }
}

//! Templates as a tree of path segments.

use std::collections::HashMap;

use http::{HeaderValue, Method};

use crate::metadata::Object;
use crate::operation::{Kind, Operation};

/// A segment of the URI tree.
#[derive(Debug, Default)]
pub(super) struct Node {
    fixed: HashMap<&'static str, Node>,
    id: Option<Box<Node>>,
    endpoint: Option<Endpoint>,
}

/// What stands at a template.
#[derive(Debug)]
pub(super) struct Endpoint {
    /// Who answers.
    pub(super) answers: Answers,
    /// Its operations here; none for a page.
    pub(super) operations: Vec<&'static Operation>,
    /// The methods, as in an `Allow` header.
    pub(super) allow: HeaderValue,
}

/// Who answers, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    Nobody,
    Mount(usize),
    Page(usize),
}

impl Endpoint {
    /// The operation of a method.
    pub(super) fn operation(&self, method: &Method) -> Option<&'static Operation> {
        self.operations.iter().copied().find(|operation| operation.method() == method)
    }

    /// The type that a PATCH of the resource takes.
    pub(super) fn patch(&self) -> Option<&'static Object> {
        self.operations.iter().find(|operation| operation.kind == Kind::Patch)?.body
    }

    /// Has a mount answer one more operation.
    pub(super) fn mount(&mut self, index: usize, operation: &'static Operation) {
        if self.answers != Answers::Mount(index) {
            self.answers = Answers::Mount(index);
            self.operations.clear();
        }
        self.operations.push(operation);
        let methods = self.operations.iter().map(|operation| operation.method());
        self.allow = allow(methods);
    }

    /// Has a page answer.
    pub(super) fn page(&mut self, index: usize, methods: &[Method]) {
        self.answers = Answers::Page(index);
        self.operations.clear();
        self.allow = allow(methods);
    }

    /// The part of a path that is the resource's: all but the action.
    pub(super) fn resource<'a>(&self, path: &'a str) -> &'a str {
        // A page has no actions.
        let Some(operation) = self.operations.first() else { return path };
        let end = path.match_indices('/').nth(segments(operation.site).count());
        end.map_or(path, |(at, _)| &path[..at])
    }
}

fn allow<'a>(methods: impl IntoIterator<Item = &'a Method>) -> HeaderValue {
    let mut names = Vec::new();
    for method in methods {
        names.push(method.as_str());
        if method == Method::GET {
            names.push("HEAD");
        }
    }
    // Names of methods are always fit for a header.
    HeaderValue::try_from(names.join(", ")).unwrap_or(HeaderValue::from_static(""))
}

impl Node {
    /// The endpoint at a template; at a new one nobody answers yet.
    pub(super) fn insert(&mut self, template: &'static str) -> &mut Endpoint {
        let mut node = self;
        for segment in segments(template) {
            node = if segment.starts_with('{') {
                node.id.get_or_insert_default()
            } else {
                node.fixed.entry(segment).or_default()
            };
        }
        node.endpoint.get_or_insert_with(|| Endpoint {
            answers: Answers::Nobody,
            operations: Vec::new(),
            allow: HeaderValue::from_static(""),
        })
    }

    /// The endpoint that a path leads to.
    pub(super) fn find(&self, path: &str) -> Option<&Endpoint> {
        let mut node = self;
        for segment in segments(path) {
            node = node.fixed.get(segment).or(node.id.as_deref())?;
        }
        node.endpoint.as_ref()
    }
}

/// The segments of a path; one trailing slash does not count.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.split('/').skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_templates() {
        let mut root = Node::default();
        for (index, template) in [
            "/redfish/v1/",
            "/redfish/v1/Systems",
            "/redfish/v1/Systems/{Id}",
            "/redfish/v1/Systems/{Id}/Bios",
        ]
        .into_iter()
        .enumerate()
        {
            root.insert(template).page(index, &[]);
        }
        let check = |path: &str, expect: Option<usize>| {
            let found = root.find(path).map(|endpoint| endpoint.answers);
            assert_eq!(found, expect.map(Answers::Page), "{path}");
        };
        check("/redfish/v1", Some(0));
        check("/redfish/v1/", Some(0));
        check("/redfish/v1//", None);
        check("/redfish/v1/Systems", Some(1));
        check("/redfish/v1/Systems/", Some(1));
        check("/redfish/v1/systems", None);
        check("/redfish/v1/Systems/a", Some(2));
        check("/redfish/v1/Systems/a/Bios/", Some(3));
        check("/redfish/v1/Systems/a/Bios/x", None);
        check("/redfish", None);
        check("", None);
    }
}

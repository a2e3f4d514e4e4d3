//! Templates as a tree of path segments.

use std::collections::HashMap;

use http::Method;

use crate::operation::Operation;

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
    /// The index of the mount that answers.
    pub(super) mount: usize,
    /// Its operations here.
    pub(super) operations: Vec<&'static Operation>,
}

impl Endpoint {
    /// The part of a path that is the resource's: all but the action.
    pub(super) fn resource<'a>(&self, path: &'a str) -> &'a str {
        let site = self.operations.first().map_or("", |operation| operation.site);
        let end = path.match_indices('/').nth(segments(site).count());
        end.map_or(path, |(at, _)| &path[..at])
    }

    /// The methods, as in an `Allow` header.
    pub(super) fn allow(&self) -> String {
        let methods = self.operations.iter().flat_map(|operation| match *operation.method() {
            Method::GET => vec!["GET", "HEAD"],
            ref other => vec![other.as_str()],
        });
        methods.collect::<Vec<_>>().join(", ")
    }
}

impl Node {
    /// The endpoint at a template; a new one belongs to no mount yet.
    pub(super) fn insert(&mut self, template: &'static str) -> &mut Endpoint {
        let mut node = self;
        for segment in segments(template) {
            node = if segment.starts_with('{') {
                node.id.get_or_insert_default()
            } else {
                node.fixed.entry(segment).or_default()
            };
        }
        node.endpoint.get_or_insert(Endpoint { mount: usize::MAX, operations: Vec::new() })
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
            root.insert(template).mount = index;
        }
        let check = |path: &str, expect: Option<usize>| {
            assert_eq!(root.find(path).map(|endpoint| endpoint.mount), expect, "{path}");
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

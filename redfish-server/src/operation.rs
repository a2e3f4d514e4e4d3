//! Operations and privileges: the static table that routing, authorisation, `Allow` headers and
//! metrics labels are made from.

use std::fmt;

use crate::metadata::Object;

pub use crate::generated::operations::OPERATIONS;
pub use crate::generated::privileges::Privilege;

/// An operation on one resource at one URI template.
#[derive(Debug)]
pub struct Operation {
    /// The id, unique and stable: `systems_reset`.
    pub id: &'static str,
    /// What it does.
    pub kind: Kind,
    /// The schema of the resource, which is also the entity of the privilege registry.
    pub resource: &'static str,
    /// The template of the request, `/Actions/…` included.
    pub template: &'static str,
    /// The template of the resource.
    pub site: &'static str,
    /// The privileges that it needs: any of the outer, all of an inner list (DSP0266,
    /// "Privilege syntax"), subordinate overrides applied.
    pub privileges: &'static [&'static [Privilege]],
    /// Properties for which others are needed (`PropertyOverrides`).
    pub property_privileges: &'static [(&'static str, &'static [&'static [Privilege]])],
    /// Whether it needs no credentials (DSP0266, "Authentication requirements").
    pub public: bool,
    /// Whether the schema gave its URI up.
    pub deprecated: bool,
    /// What a request body may hold; `None` where there is none.
    pub body: Option<&'static Object>,
}

impl Operation {
    /// The HTTP method. HEAD is answered wherever GET is, and needs the same privileges.
    pub fn method(&self) -> &'static http::Method {
        match self.kind {
            Kind::Get => &http::Method::GET,
            Kind::Patch => &http::Method::PATCH,
            Kind::Create | Kind::Action(_) => &http::Method::POST,
            Kind::Delete => &http::Method::DELETE,
        }
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// GET (and HEAD).
    Get,
    /// PATCH.
    Patch,
    /// POST to a collection.
    Create,
    /// DELETE.
    Delete,
    /// POST to the target of the named action.
    Action(&'static str),
}

/// The operations of a resource, at all its templates.
pub fn operations_of(resource: &str) -> &'static [Operation] {
    let start = OPERATIONS.partition_point(|operation| operation.resource < resource);
    let length = OPERATIONS[start..].partition_point(|operation| operation.resource == resource);
    &OPERATIONS[start..start + length]
}

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_a_resource() {
        let check = |resource: &str, expect: &[&str]| {
            let ids: Vec<_> = operations_of(resource).iter().map(|o| o.id).collect();
            assert_eq!(ids, expect, "{resource}");
        };
        check("ServiceRoot", &["service_root_get"]);
        check(
            "VirtualMediaCollection",
            &["managers_virtual_media_list", "systems_virtual_media_list"],
        );
        check("NoSuch", &[]);
    }

    #[test]
    fn operations_without_credentials() {
        let public: Vec<_> = OPERATIONS.iter().filter(|o| o.public).map(|o| o.id).collect();
        assert_eq!(public, ["service_root_get", "session_service_sessions_create"]);
    }

    #[test]
    fn the_table_is_sorted_by_resource() {
        assert!(OPERATIONS.is_sorted_by_key(|operation| operation.resource));
    }
}

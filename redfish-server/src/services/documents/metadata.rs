//! The OData metadata document (DSP0266, "OData metadata"): where the schema of each type is.

use std::fmt::Write as _;

use crate::operation::Operation;
use crate::services::schemas::{self, Schema};

/// A schema file, and the namespaces in it.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its URI; one of ours is a relative reference, which tools fetch with credentials.
    pub uri: String,
    /// The namespaces, versions included.
    pub namespaces: Vec<String>,
}

impl From<&Schema> for Reference {
    fn from(schema: &Schema) -> Self {
        let mut namespaces = vec![schema.name.to_owned()];
        namespaces.extend(schema.version.is_some().then(|| schema.versioned()));
        if schema.name == "ServiceRoot" {
            // Where the container is that ours extends.
            namespaces.push("ServiceRoot.v1_0_0".to_owned());
        }
        Self { uri: schema.csdl(), namespaces }
    }
}

/// The document for these operations; `own` are schemas of our own.
pub fn metadata(operations: &[&'static Operation], own: &[Reference]) -> String {
    let mut text = String::from(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">
"#,
    );
    let published = schemas::in_use(operations).into_iter().map(Reference::from);
    for reference in published.chain(own.iter().cloned()) {
        _ = writeln!(text, r#"  <edmx:Reference Uri="{}">"#, escape(&reference.uri));
        for namespace in &reference.namespaces {
            _ = writeln!(text, r#"    <edmx:Include Namespace="{}"/>"#, escape(namespace));
        }
        text.push_str("  </edmx:Reference>\n");
    }
    text.push_str(
        r#"  <edmx:Reference Uri="http://redfish.dmtf.org/schemas/v1/RedfishExtensions_v1.xml">
    <edmx:Include Namespace="RedfishExtensions.v1_0_0" Alias="Redfish"/>
  </edmx:Reference>
  <edmx:DataServices>
    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">
      <EntityContainer Name="Service" Extends="ServiceRoot.v1_0_0.ServiceContainer"/>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
"#,
    );
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::schemas::SCHEMAS;
    use crate::operation::{OPERATIONS, operations_of};

    fn namespaces(document: &str) -> Vec<String> {
        let document = roxmltree::Document::parse(document).unwrap();
        let includes = document.descendants().filter(|node| node.has_tag_name((EDMX, "Include")));
        includes.filter_map(|node| node.attribute("Namespace")).map(str::to_owned).collect()
    }

    const EDMX: &str = "http://docs.oasis-open.org/odata/ns/edmx";
    const EDM: &str = "http://docs.oasis-open.org/odata/ns/edm";

    #[test]
    fn every_type_is_named() {
        let operations: Vec<_> = OPERATIONS.iter().collect();
        let found = namespaces(&metadata(&operations, &[]));
        for operation in OPERATIONS {
            let schema = Schema::named(operation.resource).unwrap();
            assert!(found.iter().any(|name| *name == schema.versioned()), "{schema:?}");
            for need in schema.needs {
                assert!(found.iter().any(|name| name == need), "{need}");
            }
        }
        // Schemas of links that nobody mounts are not.
        assert!(found.len() <= 2 * SCHEMAS.len() + 2);
    }

    #[test]
    fn the_container_stands_in_the_first_schema() {
        let text = metadata(&[], &[]);
        let document = roxmltree::Document::parse(&text).unwrap();
        let schema =
            document.descendants().find(|node| node.has_tag_name((EDM, "Schema"))).unwrap();
        let container = schema.children().find(roxmltree::Node::is_element).unwrap();
        assert_eq!(container.tag_name().name(), "EntityContainer");
        assert_eq!(container.attribute("Extends"), Some("ServiceRoot.v1_0_0.ServiceContainer"));
        assert_eq!(schema.parent().unwrap().tag_name().name(), "DataServices");
    }

    #[test]
    fn only_what_is_mounted_is_named() {
        let check = |resource: &str, name: &str, expect: bool| {
            let operations: Vec<_> = operations_of(resource).iter().collect();
            let found = namespaces(&metadata(&operations, &[]));
            assert_eq!(found.iter().any(|found| found == name), expect, "{resource} {name}");
        };
        check("Role", "Role.v1_3_3", true);
        check("Role", "Privileges.v1_0_6", true);
        check("Role", "Bios.v1_2_3", false);
        check("ServiceRoot", "ServiceRoot.v1_0_0", true);
    }

    #[test]
    fn own_schemas_stand_beside() {
        let own = Reference { uri: "/s/A&B.xml".into(), namespaces: vec!["A.v1_0_0".into()] };
        let text = metadata(&[], &[own]);
        let document = roxmltree::Document::parse(&text).unwrap();
        let uris = document.descendants().filter_map(|node| node.attribute("Uri"));
        assert!(uris.into_iter().any(|uri| uri == "/s/A&B.xml"));
        assert!(namespaces(&text).contains(&"A.v1_0_0".to_owned()));
    }
}

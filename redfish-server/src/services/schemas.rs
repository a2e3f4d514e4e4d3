//! The schemas in use, and `JsonSchemas` (DSP0266, "Schema locations"), which says where to get them.
//!
//! The files themselves stay with their publisher: each entry has its URI and no copy of ours.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use redfish_model::json_schema_file::Location;
use redfish_model::{
    JsonSchemaFile, JsonSchemaFileCollection, JsonSchemaFileCollectionUri, JsonSchemaFileUri, Ref,
};

use crate::api::json_schema_file::{
    JsonSchemaFileApi, JsonSchemaFileCollectionApi, mount_json_schema_file,
    mount_json_schema_file_collection,
};
use crate::generated::schemas::SCHEMAS;
use crate::operation::Operation;
use crate::{Context, Error, Mount, Result, Scope};

/// A schema of the release that the service is made from.
#[derive(Debug)]
pub struct Schema {
    /// Its name: `Role`.
    pub name: &'static str,
    /// Its version, `v1_3_3`; collections have none.
    pub version: Option<&'static str>,
    /// The schemas whose types it uses, however far away.
    pub needs: &'static [&'static str],
}

/// Schemas that SNIA publishes, in a folder of their own.
const SWORDFISH: &[&str] = &["Volume", "VolumeCollection"];

impl Schema {
    /// The schema of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        let index = SCHEMAS.binary_search_by(|schema| schema.name.cmp(name)).ok()?;
        SCHEMAS.get(index)
    }

    /// The folder of the publisher.
    fn folder(&self) -> &'static str {
        match SWORDFISH.contains(&self.name) {
            true => "http://redfish.dmtf.org/schemas/swordfish/v1",
            false => "http://redfish.dmtf.org/schemas/v1",
        }
    }

    /// The name with version, as files and namespaces have it: `Role.v1_3_3`.
    pub fn versioned(&self) -> String {
        match self.version {
            Some(version) => format!("{}.{version}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// The published CSDL file, which has all versions.
    pub fn csdl(&self) -> String {
        format!("{}/{}_v1.xml", self.folder(), self.name)
    }

    /// The published JSON Schema file.
    pub fn json_schema(&self) -> String {
        format!("{}/{}.json", self.folder(), self.versioned())
    }
}

/// The schemas of the resources that operations are about, sorted by name.
pub fn of_resources(operations: &[&'static Operation]) -> Vec<&'static Schema> {
    let names: BTreeSet<_> = operations.iter().map(|operation| operation.resource).collect();
    names.into_iter().filter_map(Schema::named).collect()
}

/// The same with the schemas of all types in them, and of messages and settings, which annotations
/// hold wherever they are.
pub fn in_use(operations: &[&'static Operation]) -> Vec<&'static Schema> {
    let mut names: BTreeSet<_> = ["Message", "Settings"].into();
    names.extend(operations.iter().map(|operation| operation.resource));
    let needs = names.iter().filter_map(|name| Schema::named(name)).flat_map(|s| s.needs.iter());
    let needs: Vec<_> = needs.copied().collect();
    names.extend(needs);
    names.into_iter().filter_map(Schema::named).collect()
}

/// The `JsonSchemas` collection.
#[derive(Debug, Default)]
pub struct JsonSchemas {
    schemas: OnceLock<Vec<&'static Schema>>,
}

impl JsonSchemas {
    /// A collection that is empty until it is told what is mounted, itself included.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Says what is mounted; the first word stands.
    pub fn tell(&self, operations: &[&'static Operation]) {
        self.schemas.get_or_init(|| of_resources(operations));
    }

    fn schemas(&self) -> &[&'static Schema] {
        self.schemas.get().map_or(&[], Vec::as_slice)
    }

    fn find(&self, uri: &JsonSchemaFileUri) -> Option<&'static Schema> {
        let JsonSchemaFileUri::JsonSchemas { json_schema_file_id: id } = uri;
        self.schemas().iter().copied().find(|schema| schema.versioned() == *id)
    }
}

/// Mounts the collection and its members.
pub fn mounts(schemas: &Arc<JsonSchemas>) -> Vec<Mount> {
    vec![
        mount_json_schema_file(Arc::clone(schemas)),
        mount_json_schema_file_collection(Arc::clone(schemas)),
    ]
}

impl JsonSchemaFileApi for JsonSchemas {
    fn exists(&self, _: &Scope, uri: &JsonSchemaFileUri) -> bool {
        self.find(uri).is_some()
    }

    async fn get(&self, _: &Context, uri: JsonSchemaFileUri) -> Result<JsonSchemaFile> {
        let schema = self.find(&uri).ok_or_else(|| Error::not_found(&uri.to_string()))?;
        let id = schema.versioned();
        let location = Location {
            language: "en".into(),
            publication_uri: schema.json_schema().into(),
            ..Location::default()
        };
        let name = format!("{} Schema File", schema.name);
        let odata_type = format!("#{id}.{}", schema.name);
        let languages = vec!["en".to_owned()];
        Ok(JsonSchemaFile::new(&uri, id, name, languages, vec![location], odata_type))
    }
}

impl JsonSchemaFileCollectionApi for JsonSchemas {
    fn exists(&self, _: &Scope, _: &JsonSchemaFileCollectionUri) -> bool {
        true
    }

    async fn get(
        &self,
        _: &Context,
        uri: JsonSchemaFileCollectionUri,
    ) -> Result<JsonSchemaFileCollection> {
        let member = |schema: &&Schema| {
            Ref::from(&JsonSchemaFileUri::JsonSchemas { json_schema_file_id: schema.versioned() })
        };
        let members = self.schemas().iter().map(member).collect();
        Ok(JsonSchemaFileCollection::new(&uri, "Schema Files", members))
    }
}

#[cfg(test)]
mod tests {
    use redfish_model::to_value_strict;

    use super::*;
    use crate::operation::{OPERATIONS, operations_of};

    fn operations(resources: &[&str]) -> Vec<&'static Operation> {
        resources.iter().flat_map(|resource| operations_of(resource)).collect()
    }

    #[test]
    fn every_resource_has_a_schema() {
        assert!(SCHEMAS.is_sorted_by_key(|schema| schema.name));
        for operation in OPERATIONS {
            assert!(Schema::named(operation.resource).is_some(), "{}", operation.resource);
        }
        for schema in SCHEMAS {
            assert!(schema.needs.iter().all(|need| Schema::named(need).is_some()), "{schema:?}");
        }
    }

    #[test]
    fn files_are_where_they_are_published() {
        let check = |name: &str, csdl: &str, json: &str| {
            let schema = Schema::named(name).unwrap();
            assert_eq!((schema.csdl().as_str(), schema.json_schema().as_str()), (csdl, json));
        };
        let folder = "http://redfish.dmtf.org/schemas";
        check(
            "Role",
            &format!("{folder}/v1/Role_v1.xml"),
            &format!("{folder}/v1/Role.v1_3_3.json"),
        );
        check(
            "VolumeCollection",
            &format!("{folder}/swordfish/v1/VolumeCollection_v1.xml"),
            &format!("{folder}/swordfish/v1/VolumeCollection.json"),
        );
    }

    #[test]
    fn what_is_in_use() {
        let check = |resources: &[&str], expect: &[&str]| {
            let names: Vec<_> = in_use(&operations(resources)).iter().map(|s| s.name).collect();
            assert_eq!(names, expect, "{resources:?}");
        };
        check(&[], &["ActionInfo", "Message", "ResolutionStep", "Resource", "Settings"]);
        check(
            &["RoleCollection", "Role"],
            &[
                "ActionInfo",
                "Message",
                "Privileges",
                "ResolutionStep",
                "Resource",
                "Role",
                "RoleCollection",
                "Settings",
            ],
        );
    }

    #[tokio::test]
    async fn files_of_what_is_mounted() {
        let schemas = JsonSchemas::new();
        let cx = Context::new(None, Scope::all());
        let list = async || {
            let uri = JsonSchemaFileCollectionUri::JsonSchemas;
            let list = JsonSchemaFileCollectionApi::get(&*schemas, &cx, uri).await.unwrap();
            to_value_strict(&list).unwrap()
        };
        assert_eq!(list().await["Members@odata.count"], 0);
        schemas.tell(&operations(&["Role", "RoleCollection"]));
        let members = list().await["Members"].clone();
        assert_eq!(members[0]["@odata.id"], "/redfish/v1/JsonSchemas/Role.v1_3_3");
        let uri: JsonSchemaFileUri = members[0]["@odata.id"].as_str().unwrap().parse().unwrap();
        assert!(JsonSchemaFileApi::exists(&*schemas, &cx.scope, &uri));
        let file = JsonSchemaFileApi::get(&*schemas, &cx, uri).await.unwrap();
        let file = to_value_strict(&file).unwrap();
        assert_eq!(
            (&file["Id"], &file["Schema"]),
            (&"Role.v1_3_3".into(), &"#Role.v1_3_3.Role".into())
        );
        let other = "/redfish/v1/JsonSchemas/Bios.v1_2_3".parse().unwrap();
        assert!(!JsonSchemaFileApi::exists(&*schemas, &cx.scope, &other));
    }
}

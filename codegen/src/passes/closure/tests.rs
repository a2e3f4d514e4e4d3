//! A bundle of a few lines for each way in which the real one is irregular.

use std::path::Path;

use serde_json::json;

use super::*;

/// Writes files (name, text) and collects the closure of one schema.
fn collect_from(files: &[(&str, &str)], schema: &str) -> Result<Closure> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join("openapi").join(Path::new(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for other in ["json-schema/X.json", "registries/X.json"] {
        let path = folder.path().join(other);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "{}").unwrap();
    }
    let bundle = Bundle::open(&[folder.path().to_owned()])?;
    collect(&bundle, std::iter::once((schema.to_owned(), &[][..])))
}

fn names(closure: &Closure) -> Vec<&str> {
    closure.components.keys().map(String::as_str).collect()
}

const ALIAS: &str = "
components:
  schemas:
    Fan_Fan:
      $ref: http://h/schemas/v1/Fan.v1_0_0.yaml#/components/schemas/Fan_v1_0_0_Fan
";

#[test]
fn the_newest_version_counts_and_names_lose_it() {
    let old = "{components: {schemas: {Fan_v1_9_0_Fan: {type: object, properties: {Old: {type: string}}}}}}";
    let new = "{components: {schemas: {Fan_v1_10_0_Fan: {type: object, properties: {New: {type: string}}}}}}";
    let files = [("Fan.yaml", ALIAS), ("Fan.v1_9_0.yaml", old), ("Fan.v1_10_0.yaml", new)];
    let closure = collect_from(&files, "Fan").unwrap();
    let fan = &closure.components["Fan_Fan"];
    assert_eq!(fan.value["properties"], json!({"New": {"type": "string"}}));
    assert_eq!(fan.version, Some(Version(1, 10, 0)));
}

#[test]
fn references_are_redirected_to_the_newest_version() {
    let fan = "
components:
  schemas:
    Fan_v1_0_0_Fan:
      type: object
      properties:
        Status:
          $ref: http://h/schemas/v1/Thing.v1_0_0.yaml#/components/schemas/Thing_v1_0_0_Status
          readOnly: true
        Speed:
          oneOf:
          - $ref: '#/components/schemas/Fan_v1_0_0_Speed'
          - enum: [null]
    Fan_v1_0_0_Speed: {type: string, enum: [Slow]}
";
    let thing = "{components: {schemas: {Thing_v1_1_0_Status: {type: object}}}}";
    let files = [
        ("Fan.yaml", ALIAS),
        ("Fan.v1_0_0.yaml", fan),
        ("Thing.yaml", "components: {schemas: {}}"),
        ("Thing.v1_1_0.yaml", thing),
    ];
    let closure = collect_from(&files, "Fan").unwrap();
    assert_eq!(names(&closure), ["Fan_Fan", "Fan_Speed", "Thing_Status"]);
    let properties = &closure.components["Fan_Fan"].value["properties"];
    let expect = json!({"$ref": "#/components/schemas/Thing_Status", "readOnly": true});
    assert_eq!(properties["Status"], expect);
    let error = collect_from(&[files[0], files[1], files[2]], "Fan").unwrap_err();
    assert!(
        error.to_string().contains("refers to Thing_Status, which the newest version"),
        "{error}"
    );
}

#[test]
fn bodies_of_actions_are_found_by_name() {
    let fan = "
components:
  schemas:
    Fan_v1_0_0_Fan: {type: object}
    Fan_v1_0_0_SpinRequestBody: {type: object}
    Fan_v1_0_0_SpinResponse: {type: object}
    Fan_v1_0_0_Unused: {type: object}
";
    let closure = collect_from(&[("Fan.yaml", ALIAS), ("Fan.v1_0_0.yaml", fan)], "Fan").unwrap();
    assert_eq!(names(&closure), ["Fan_Fan", "Fan_SpinRequestBody", "Fan_SpinResponse"]);
}

#[test]
fn references_outside_the_bundle_are_cut_and_reported() {
    let fan = "
components:
  schemas:
    Fan_v1_0_0_Fan:
      type: object
      properties:
        Pool: {$ref: 'http://h/schemas/swordfish/v1/Pool.yaml#/components/schemas/Pool_Kind'}
        Near: {$ref: 'http://h/schemas/swordfish/v1/Fan.yaml#/components/schemas/Fan_Fan'}
";
    let closure = collect_from(&[("Fan.yaml", ALIAS), ("Fan.v1_0_0.yaml", fan)], "Fan").unwrap();
    let properties = &closure.components["Fan_Fan"].value["properties"];
    assert_eq!(properties["Pool"], json!({"x-cut": "Pool_Kind"}));
    // The same host path, but the bundle has the file.
    assert_eq!(properties["Near"], json!({"$ref": "#/components/schemas/Fan_Fan"}));
    assert_eq!(closure.cut, [("Fan_Fan.Pool".to_owned(), "Pool_Kind".to_owned())]);
}

#[test]
fn aliases_of_other_components_are_looked_through() {
    let fan = "
components:
  schemas:
    Fan_Fan:
      type: object
      properties:
        Item: {$ref: '#/components/schemas/Fan_Item'}
    Fan_Item: {$ref: '#/components/schemas/Fan_Real'}
    Fan_Real: {type: object}
";
    let closure = collect_from(&[("Fan.yaml", fan)], "Fan").unwrap();
    assert_eq!(names(&closure), ["Fan_Fan", "Fan_Real"]);
    assert_eq!(closure.components["Fan_Fan"].version, None);
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    let fan = "
components:
  schemas:
    Fan_Fan:
      type: object
      properties:
        Parts: {type: array, items: {$ref: '#/components/schemas/Fan_Fan'}}
";
    let closure = collect_from(&[("Fan.yaml", fan)], "Fan").unwrap();
    assert_eq!(names(&closure), ["Fan_Fan"]);
}

#[test]
fn a_file_without_components_has_none() {
    let closure = collect_from(&[("notes-v1.yaml", "properties: {A: {type: string}}")], "notes-v1");
    assert!(closure.unwrap().components.is_empty());
}

#[test]
fn an_unknown_schema_is_refused_by_name() {
    let error = collect_from(&[("Fan.yaml", ALIAS)], "Fam").unwrap_err();
    assert!(error.to_string().contains("[Fam]: unknown resource"), "{error}");
}

#[test]
fn names_lose_their_version() {
    let check = |schema, name, expect| assert_eq!(version_free(schema, name), expect);
    check("VirtualMedia", "VirtualMedia_v1_6_5_EjectPolicy", "VirtualMedia_EjectPolicy");
    check("VirtualMedia", "VirtualMedia_VirtualMedia", "VirtualMedia_VirtualMedia");
    check("Resource", "Resource_v1_23_0_Item", "Resource_Item");
    check("odata-v4", "odata-v4_idRef", "odata-v4_idRef");
    check("Resource", "ResourceBlock_v1_0_0_X", "ResourceBlock_v1_0_0_X");
}

#[test]
fn target_schemas() {
    let check = |reference, expect: Option<&str>| {
        assert_eq!(target_schema(reference).as_deref(), expect, "{reference}");
    };
    check("http://h/schemas/v1/Volume.v1_9_0.yaml#/components/schemas/X", Some("Volume"));
    check("http://h/schemas/swordfish/v1/Volume.yaml#/components/schemas/X", Some("Volume"));
    check("http://h/schemas/v1/odata-v4.yaml#/components/schemas/odata-v4_id", Some("odata-v4"));
    check("#/components/schemas/X", None);
}

//! Where the DMTF files are, and how to read them.
//!
//! No code is shared with `redfish-codegen`: what checks the generator must not make its mistakes.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the bundle's folders: `$REDFISH_BUNDLE`, then `../shared/dsp8010`.
pub(crate) fn bundle_file(name: &str) -> PathBuf {
    let named = std::env::var_os("REDFISH_BUNDLE").unwrap_or_default();
    let places = std::env::split_paths(&named).chain([root().join("../shared/dsp8010")]);
    let mut candidates =
        places.map(|place| if place.ends_with(name) { place } else { place.join(name) });
    candidates.find(|path| path.is_file()).unwrap_or_else(|| {
        panic!("{name} not found: name the folder of the DMTF bundle in REDFISH_BUNDLE")
    })
}

/// The JSON documents of a zip, by path.
pub(crate) fn json_documents(zip: &Path) -> Vec<(String, String)> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(zip).unwrap()).unwrap();
    let mut documents = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let name = file.name().unwrap().into_owned();
        if name.ends_with(".json") {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            documents.push((name, text));
        }
    }
    documents
}

/// One JSON document of a zip, by the end of its path.
pub(crate) fn json_document(zip: &Path, name: &str) -> Value {
    let documents = json_documents(zip);
    let (_, text) = documents.iter().find(|(path, _)| path.ends_with(name)).unwrap();
    serde_json::from_str(text).unwrap()
}

/// The committed trimmed document.
pub(crate) fn trimmed() -> Value {
    let text = std::fs::read_to_string(root().join("schema/openapi.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The text files of a zip whose path is wanted, by path.
pub(crate) fn zip_texts(zip: &Path, wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(zip).unwrap()).unwrap();
    let mut texts = Vec::new();
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).unwrap().unwrap().into_owned();
        if wanted(&name) {
            let mut text = String::new();
            archive.by_index(index).unwrap().read_to_string(&mut text).unwrap();
            texts.push((name, text));
        }
    }
    texts
}

/// The items of a JSON array; none if it is something else.
pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// `/redfish/v1/Systems/{ComputerSystemId}/` -> `/redfish/v1/Systems/{}`.
pub(crate) fn anonymous(uri: &str) -> String {
    let segments = uri.trim_end_matches('/').split('/');
    let segments: Vec<_> = segments.map(|s| if s.starts_with('{') { "{}" } else { s }).collect();
    segments.join("/")
}

/// Which schema stands at each URI, ids left out: from the `uris` of the unversioned JSON Schemas.
pub(crate) fn uri_owners() -> BTreeMap<String, String> {
    let name = |path: &str| {
        let (_, name) = path.strip_suffix(".json")?.rsplit_once("json-schema/")?;
        (!name.contains('.')).then(|| name.to_owned())
    };
    let mut owners = BTreeMap::new();
    for (path, text) in zip_texts(&bundle_file("DSP8010_2025.4.zip"), |path| name(path).is_some()) {
        let schema = name(&path).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        for uri in list(&document["definitions"][&schema]["uris"]) {
            let other = owners.insert(anonymous(uri.as_str().unwrap()), schema.clone());
            assert!(other.is_none_or(|other| other == schema), "two schemas at {uri}");
        }
    }
    assert!(owners.len() > 1000, "only {} URIs in the JSON Schemas", owners.len());
    owners
}

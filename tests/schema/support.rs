//! Where the DMTF files are, and how to read them; and a copy of the workspace to run regen on.
//!
//! No code is shared with `redfish-codegen`: what checks the generator must not make its mistakes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;
use tempfile::TempDir;

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

/// Unpacks the folders of a zip that regen looks into.
pub(crate) fn unpack(zip: &Path, folder: &Path) {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(zip).unwrap()).unwrap();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).unwrap();
        let name = member.enclosed_name().unwrap();
        let wanted = ["openapi", "json-schema", "registries"].map(Path::new);
        if member.is_file() && name.parent().is_some_and(|p| wanted.iter().any(|w| p.ends_with(w)))
        {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::io::copy(&mut member, &mut std::fs::File::create(path).unwrap()).unwrap();
        }
    }
}

/// What regen reads and writes in a workspace.
const PARTS: [&str; 4] = [
    "schema",
    "redfish-client/src/generated.rs",
    "redfish-model/src/generated",
    "redfish-server/src/generated",
];

/// The pinned files of the bundle, by their names in `schema/release.toml`.
pub(crate) static PINNED: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let release = std::fs::read_to_string(root().join("schema/release.toml")).unwrap();
    let pinned = release.lines().filter_map(|line| line.strip_prefix('"')?.split('"').next());
    let pinned: BTreeSet<_> = pinned.collect();
    let texts = zips().into_iter().flat_map(|zip| {
        zip_texts(&zip, |path| {
            pinned.iter().any(|name| path.ends_with(&format!("/{name}")) || path == *name)
        })
    });
    let files: BTreeMap<_, _> = texts.map(|(path, text)| (tail(&path), text)).collect();
    assert!(pinned.len() > 300 && files.len() == pinned.len());
    files
});

pub(crate) fn zips() -> [PathBuf; 2] {
    ["DSP8010_2025.4.zip", "DSP8011_2025.4.zip"].map(bundle_file)
}

/// The last folder and the name.
fn tail(path: &str) -> String {
    let from = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    path[from..].to_owned()
}

/// `$REDFISH_XTASK`, or what `cargo build --package xtask` makes; looked for once.
fn xtask() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        if let Some(path) = std::env::var_os("REDFISH_XTASK") {
            return path.into();
        }
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // What cargo tells this test about itself would make build scripts run again.
        for (name, _) in std::env::vars().filter(|(name, _)| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        }) {
            cargo.env_remove(name);
        }
        let built = cargo
            .args(["build", "--package", "xtask", "--message-format", "json"])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let messages = String::from_utf8(built.stdout).unwrap();
        let messages = messages.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut made = messages.filter(|m| m["target"]["name"] == "xtask");
        made.find_map(|m| Some(m["executable"].as_str()?.into())).unwrap()
    })
}

/// A copy of what regen works on.
pub(crate) struct RegenRoot {
    pub(crate) dir: TempDir,
}

pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl RegenRoot {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for part in PARTS {
            copy(&root().join(part), &dir.path().join("w").join(part));
        }
        Self { dir }
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join("w").join(file)
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    /// Replaces what must be there once.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        self.write(file, &replaced(&std::fs::read_to_string(self.path(file)).unwrap(), from, to));
    }

    /// Adds a patch: its TOML from `target` on.
    pub(crate) fn patch(&self, id: &str, rest: &str) {
        let text = format!("id = '{id}'\ntitle = 't'\nwhy = 'w'\nuntil = 'u'\ntarget = {rest}\n");
        self.write(&format!("schema/patches/{id}-made-up.toml"), &text);
    }

    /// A bundle of the pinned files, each as `edit` gives it back, or left out.
    pub(crate) fn bundle(&self, edit: impl Fn(&str, &str) -> Option<String>) -> PathBuf {
        let bundle = tempfile::tempdir_in(&self.dir).unwrap().keep();
        for (name, text) in &*PINNED {
            if let Some(text) = edit(name, text) {
                Self::add(&bundle, name, &text);
            }
        }
        bundle
    }

    /// Adds a file to a bundle.
    pub(crate) fn add(bundle: &Path, name: &str, text: &str) {
        let path = bundle.join("any/leading/path").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn pinned(&self) -> PathBuf {
        self.bundle(|_, text| Some(text.to_owned()))
    }

    /// Runs regen. The workspace that it thinks it belongs to has no bundle beside it.
    pub(crate) fn regen(&self, bundles: &[PathBuf], args: &[&str], env: &[(&str, &str)]) -> Run {
        let mut command = Command::new(xtask());
        command.env_clear().env("HOME", self.dir.path()).envs(env.iter().copied());
        command.env("CARGO_MANIFEST_DIR", self.dir.path().join("no/workspace/xtask"));
        command.arg("regen").args(args).arg("--root").arg(self.path(""));
        for bundle in bundles {
            command.arg("--bundle").arg(bundle);
        }
        let output = command.current_dir(self.dir.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// All files with their content.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.path("")).unwrap().to_owned();
                    files.insert(name, std::fs::read(path).unwrap());
                }
            }
        }
        files
    }

    /// Removes everything that regen generates.
    pub(crate) fn clear(&self) {
        for part in &PARTS[2..] {
            std::fs::remove_dir_all(self.path(part)).unwrap();
        }
        std::fs::remove_file(self.path(PARTS[1])).unwrap();
    }

    /// Runs regen, which must fail with a message that has these parts, and change nothing.
    #[track_caller]
    pub(crate) fn refuses(&self, bundles: &[PathBuf], args: &[&str], parts: &[&str]) {
        let before = self.tree();
        let run = self.regen(bundles, args, &[]);
        assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
        assert!(run.err.starts_with("error: ") && run.out.is_empty(), "{}{}", run.out, run.err);
        for part in parts {
            assert!(run.err.contains(part), "{part:?} is not in {}", run.err);
        }
        assert_same(&before, &self.tree());
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
        return;
    }
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

pub(crate) fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

/// Compares without printing megabytes.
#[track_caller]
pub(crate) fn assert_same(left: &BTreeMap<PathBuf, Vec<u8>>, right: &BTreeMap<PathBuf, Vec<u8>>) {
    let names: BTreeSet<_> = left.keys().chain(right.keys()).collect();
    let differ: Vec<_> =
        names.into_iter().filter(|name| left.get(*name) != right.get(*name)).collect();
    assert!(differ.is_empty(), "these files differ: {differ:?}");
}

#[track_caller]
pub(crate) fn assert_succeeds(run: &Run, part: &str) {
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains(part), "{}", run.out);
}

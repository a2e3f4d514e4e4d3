//! `cargo xtask regen` as its users meet it: a program that is right, or says what is wrong and
//! leaves everything as it was.
//!
//! The tests run the real binary on a copy of the workspace's schema and generated files
//! (`--root`), with an environment that holds nothing but what a test gives it. The binary is
//! `$REDFISH_XTASK` where that is set, else what `cargo build --package xtask` makes; it is run
//! itself and not through cargo, which would need the real HOME.
//!
//! A run takes some seconds, most of them in the optional index `openapi.yaml`. So only the two
//! tests about whole bundles have it; the others are given exactly the files that
//! `schema/release.toml` pins, which is all that is read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{bundle_file, json_document, list, root, trimmed, zip_texts};

/// What regen reads and writes in a workspace.
const PARTS: [&str; 4] = [
    "schema",
    "redfish-client/src/generated.rs",
    "redfish-model/src/generated",
    "redfish-server/src/generated",
];
const MEDIA: &str = "openapi/VirtualMedia.v1_6_5.yaml";

/// The pinned files of the bundle, by their names in `schema/release.toml`.
static PINNED: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let release = std::fs::read_to_string(root().join("schema/release.toml")).unwrap();
    let pinned = release.lines().filter_map(|line| line.strip_prefix('"')?.split('"').next());
    let pinned: BTreeSet<_> = pinned.collect();
    let texts = zips().into_iter().flat_map(|zip| {
        zip_texts(&zip, |path| pinned.iter().any(|name| path.ends_with(&format!("/{name}")) || path == *name))
    });
    let files: BTreeMap<_, _> = texts.map(|(path, text)| (tail(&path), text)).collect();
    assert!(pinned.len() > 300 && files.len() == pinned.len());
    files
});

fn zips() -> [PathBuf; 2] {
    ["DSP8010_2025.4.zip", "DSP8011_2025.4.zip"].map(bundle_file)
}

/// The last folder and the name.
fn tail(path: &str) -> String {
    let from = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    path[from..].to_owned()
}

/// The program, built once if need be.
fn xtask() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        if let Some(path) = std::env::var_os("REDFISH_XTASK") {
            return path.into();
        }
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // What cargo tells this test about itself would make build scripts run again.
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
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
struct Root {
    dir: TempDir,
}

struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Root {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for part in PARTS {
            copy(&root().join(part), &dir.path().join("w").join(part));
        }
        Self { dir }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join("w").join(file)
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    /// Replaces what must be there once.
    fn edit(&self, file: &str, from: &str, to: &str) {
        self.write(file, &replaced(&std::fs::read_to_string(self.path(file)).unwrap(), from, to));
    }

    /// Adds a patch: its TOML from `target` on.
    fn patch(&self, id: &str, rest: &str) {
        let text = format!("id = '{id}'\ntitle = 't'\nwhy = 'w'\nuntil = 'u'\ntarget = {rest}\n");
        self.write(&format!("schema/patches/{id}-made-up.toml"), &text);
    }

    /// A bundle of the pinned files, each as `edit` gives it back, or left out.
    fn bundle(&self, edit: impl Fn(&str, &str) -> Option<String>) -> PathBuf {
        let folder = self.dir.path().join("bundle");
        for (name, text) in &*PINNED {
            let path = folder.join("any/leading/path").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if let Some(text) = edit(name, text) {
                std::fs::write(path, text).unwrap();
            }
        }
        folder
    }

    fn pinned(&self) -> PathBuf {
        self.bundle(|_, text| Some(text.to_owned()))
    }

    /// Runs regen. The workspace that it thinks it belongs to has no bundle beside it.
    fn regen(&self, bundles: &[PathBuf], args: &[&str], env: &[(&str, &str)]) -> Run {
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
    fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
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
    fn clear(&self) {
        for part in &PARTS[2..] {
            std::fs::remove_dir_all(self.path(part)).unwrap();
        }
        std::fs::remove_file(self.path(PARTS[1])).unwrap();
    }

    /// Runs regen, which must fail with a message that has these parts, and change nothing.
    #[track_caller]
    fn refuses(&self, bundles: &[PathBuf], args: &[&str], parts: &[&str]) {
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

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

/// Compares without printing megabytes.
#[track_caller]
fn assert_same(left: &BTreeMap<PathBuf, Vec<u8>>, right: &BTreeMap<PathBuf, Vec<u8>>) {
    let names: BTreeSet<_> = left.keys().chain(right.keys()).collect();
    let differ: Vec<_> = names.into_iter().filter(|name| left.get(*name) != right.get(*name)).collect();
    assert!(differ.is_empty(), "these files differ: {differ:?}");
}

#[track_caller]
fn assert_succeeds(run: &Run, part: &str) {
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains(part), "{}", run.out);
}

#[test]
fn check_from_the_zips() {
    let root = Root::new();
    let before = root.tree();
    assert_succeeds(&root.regen(&zips(), &["--check"], &[]), "files are up to date");
    assert_same(&before, &root.tree());
}

#[test]
fn check_from_an_unpacked_bundle() {
    let root = Root::new();
    let folder = root.dir.path().join("unpacked");
    let read = |path: &str| ["openapi/", "json-schema/", "registries/"].iter().any(|f| path.contains(f));
    for zip in zips() {
        for (path, text) in zip_texts(&zip, read) {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    assert!(folder.join("openapi/openapi.yaml").is_file());
    assert_succeeds(&root.regen(&[folder], &["--check"], &[]), "files are up to date");
}

/// Neither the index nor line ends, indentation and comments are part of what is pinned.
#[test]
fn check_from_a_repackaged_bundle_without_index() {
    let root = Root::new();
    let repackaged = root.bundle(|name, text| {
        if name.ends_with(".yaml") {
            return Some(format!("# Fetched today\r\n{}", text.replace('\n', "\r\n")));
        }
        Some(serde_json::from_str::<Value>(text).unwrap().to_string())
    });
    assert_succeeds(&root.regen(&[repackaged], &["--check"], &[]), "files are up to date");
}

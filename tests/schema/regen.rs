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
        zip_texts(&zip, |path| {
            pinned.iter().any(|name| path.ends_with(&format!("/{name}")) || path == *name)
        })
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
    let differ: Vec<_> =
        names.into_iter().filter(|name| left.get(*name) != right.get(*name)).collect();
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
    let read =
        |path: &str| ["openapi/", "json-schema/", "registries/"].iter().any(|f| path.contains(f));
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

/// Two folders, two users, two places on earth: the same bytes, which are the committed ones.
/// A second run finds nothing to do and touches no file.
#[test]
fn output_depends_on_nothing_else() {
    let roots = [Root::new(), Root::new()];
    let committed = roots[0].tree();
    let surroundings = [
        [("HOME", "/"), ("TZ", "UTC"), ("LANG", "C"), ("LC_ALL", "C")],
        [
            ("HOME", "/nowhere"),
            ("TZ", "Pacific/Apia"),
            ("LANG", "tr_TR.UTF-8"),
            ("LC_ALL", "tr_TR.UTF-8"),
        ],
    ];
    for (root, env) in roots.iter().zip(surroundings) {
        root.clear();
        std::fs::remove_file(root.path("schema/openapi.json")).unwrap();
        assert_succeeds(&root.regen(&[root.pinned()], &[], &env), " files changed");
        assert_same(&committed, &root.tree());
    }
    let root = &roots[0];
    let written =
        |name: &PathBuf| std::fs::metadata(root.path("").join(name)).unwrap().modified().unwrap();
    let before: Vec<_> = committed.keys().map(written).collect();
    let again = root.regen(&[root.pinned()], &[], &[]);
    assert_succeeds(&again, "; 0 of ");
    assert_eq!(before, committed.keys().map(written).collect::<Vec<_>>());
    assert_same(&committed, &root.tree());
}

/// The second half needs the trimmed document and nothing else, not even the rest of `schema/`.
#[test]
fn the_document_is_enough() {
    let root = Root::new();
    let committed = root.tree();
    root.clear();
    for file in ["release.toml", "resources.toml", "messages.toml"] {
        std::fs::remove_file(root.path("schema").join(file)).unwrap();
    }
    let missing = root.regen(&[], &["--check"], &[]);
    assert_eq!(missing.code, Some(1), "{}", missing.err);
    assert!(missing.out.starts_with("regen: no bundle ("), "{}", missing.out);
    assert!(missing.out.contains("redfish-client/src/generated.rs differs"), "{}", missing.out);

    assert_succeeds(&root.regen(&[], &["--from-document"], &[]), " files changed");
    let mut tree = root.tree();
    tree.extend(
        committed
            .iter()
            .filter(|(name, _)| {
                name.ends_with("release.toml")
                    || name.ends_with("resources.toml")
                    || name.ends_with("messages.toml")
            })
            .map(|(n, t)| (n.clone(), t.clone())),
    );
    assert_same(&committed, &tree);
    assert_succeeds(&root.regen(&[], &["--check"], &[]), "files are up to date");
    root.refuses(
        &[],
        &[],
        &["no DMTF bundle", "get DSP8010 and DSP8011", "--bundle or $REDFISH_BUNDLE"],
    );
}

#[test]
fn check_names_what_differs() {
    let root = Root::new();
    root.edit("redfish-server/src/generated/privileges.rs", "\"Redfish_1.8.0_", "\"Redfish_1.9.0_");
    std::fs::remove_file(root.path("redfish-model/src/generated/bios.rs")).unwrap();
    root.write("redfish-server/src/generated/api/stray.rs", "");
    let before = root.tree();
    let run = root.regen(&[], &["--check", "--from-document"], &[]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let expect = "regen: redfish-model/src/generated/bios.rs differs\n\
                  regen: redfish-server/src/generated/privileges.rs differs\n\
                  regen: redfish-server/src/generated/api/stray.rs differs\n\
                  run `cargo xtask regen` and commit what it writes\n";
    assert_eq!(run.out, expect);
    assert_same(&before, &root.tree());
}

#[test]
fn another_bundle_is_refused() {
    let root = Root::new();
    let tampered = root.bundle(|name, text| match name {
        MEDIA => Some(replaced(text, "\n      - USBStick\n", "\n      - USBStack\n")),
        _ => Some(text.to_owned()),
    });
    let expect =
        ["not release 2025.4 as pinned", &format!("  {MEDIA}: altered (sha256"), "--relock"];
    root.refuses(&[tampered.clone()], &[], &expect);
    root.refuses(&[tampered], &["--check"], &expect);

    for (missing, place) in [
        (MEDIA, "openapi/VirtualMedia"),
        ("openapi/VirtualMedia.yaml", "openapi/VirtualMedia.yaml"),
        ("json-schema/VirtualMedia.json", "json-schema/VirtualMedia.json: not in the bundle ("),
        ("registries/Base.1.22.1.json", "registries/Base."),
    ] {
        let root = Root::new();
        let rest = root.bundle(|name, text| (name != missing).then(|| text.to_owned()));
        root.refuses(&[rest], &[], &[place]);
    }
}

#[test]
fn a_damaged_bundle_is_refused() {
    let root = Root::new();
    let remedy = "cannot be read; it may be truncated or damaged: fetch it again";
    let [schemas, registries] = zips();
    let bytes = std::fs::read(&registries).unwrap();
    let truncated = root.dir.path().join("truncated.zip");
    std::fs::write(&truncated, &bytes[..bytes.len() / 2]).unwrap();
    root.refuses(&[schemas, truncated], &[], &["truncated.zip", remedy]);

    let mut archive = zip::ZipArchive::new(std::fs::File::open(&registries).unwrap()).unwrap();
    let member = archive.by_name("registries/Base.1.22.1.json").unwrap();
    let start = usize::try_from(member.data_start().unwrap()).unwrap();
    let mut damaged = bytes;
    damaged[start + 200..start + 400].iter_mut().for_each(|byte| *byte ^= 0x55);
    let path = root.dir.path().join("damaged.zip");
    std::fs::write(&path, damaged).unwrap();
    let schemas =
        root.bundle(|name, text| (!name.starts_with("registries/Base")).then(|| text.to_owned()));
    root.refuses(&[schemas, path], &[], &["registries/Base.1.22.1.json", remedy]);
    root.refuses(
        &["nowhere.zip".into()],
        &[],
        &["nowhere.zip: no such file or folder", "--bundle"],
    );
}

const IMAGE: &str = "'/components/schemas/VirtualMedia_VirtualMedia/properties/Image/type'";

/// Patches that do not fit: the TOML from `target` on, and what is said of it.
fn unfit_patches() -> [(String, String); 3] {
    let gone = "/components/schemas/NoSuch_NoSuch/properties/x";
    [
        (format!("'{gone}'\nset = 1"), format!("dead: {gone} no longer exists")),
        (
            format!("{IMAGE}\nexpect = 'x'\nset = 'string'"),
            "dead: the document already says what it sets; remove the patch".into(),
        ),
        (
            format!("{IMAGE}\nexpect = 'integer'\nset = 'boolean'"),
            format!(
                "expects \"integer\" at {}, but finds \"string\"; review it",
                IMAGE.trim_matches('\'')
            ),
        ),
    ]
}

#[test]
fn a_patch_that_does_not_fit_is_an_error() {
    for (patch, message) in unfit_patches() {
        let root = Root::new();
        root.patch("0002", &patch);
        let expect = format!("error: schema/patches/0002-made-up.toml: {message}\n");
        root.refuses(&[root.pinned()], &[], &[&expect]);
    }
    let root = Root::new();
    root.patch("0002", &format!("{IMAGE}\nexpect = 'string'\nset = 'string'"));
    root.refuses(
        &[root.pinned()],
        &[],
        &["schema/patches/0002-made-up.toml", "it changes nothing"],
    );
}

/// `--relock` takes another bundle, says what that means, and pins it.
#[test]
fn relock_reports_what_changed() {
    let root = Root::new();
    let property = PINNED[MEDIA].find("\n        EjectTimeout:\n").unwrap() + 1;
    let next = property + PINNED[MEDIA][property..].find("\n        Id:\n").unwrap() + 1;
    let bundle = root.bundle(|name, text| match name {
        MEDIA => Some(format!(
            "{}        MadeUp:\n          type: string\n{}",
            &text[..property],
            &text[next..]
        )),
        _ => Some(text.to_owned()),
    });
    let mut died = String::new();
    for (number, (patch, message)) in (2..).zip(unfit_patches()) {
        root.patch(&format!("000{number}"), &patch);
        died.push_str(&format!("  schema/patches/000{number}-made-up.toml: {message}\n"));
    }
    let before = root.tree();
    let run = root.regen(&[bundle], &["--relock", "--release", "2099.1"], &[]);
    assert_succeeds(&run, " files changed");
    let died = format!("Patches that died (remove or review them): 3\n{died}References cut");
    assert!(run.out.starts_with(&died), "{}", run.out);
    let rest = "Types added: 0\nTypes removed: 0\n\
                Properties added: 1\n  VirtualMedia_VirtualMedia.MadeUp\n\
                Properties removed: 1\n  VirtualMedia_VirtualMedia.EjectTimeout\n\
                Enum values added: 0\nEnum values removed: 0\n\
                Operations added: 0\nOperations removed: 0\n\
                Messages added: 0\nMessages removed: 0\n";
    assert!(run.out.contains(rest), "{}", run.out);

    // Pinned: the new name, and one hash that is new. What depends on it has followed.
    let lines = |tree: &BTreeMap<PathBuf, Vec<u8>>, file: &str| -> BTreeSet<String> {
        String::from_utf8(tree[Path::new(file)].clone())
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect()
    };
    let after = root.tree();
    let new = &lines(&after, "schema/release.toml") - &lines(&before, "schema/release.toml");
    let new: Vec<_> = new.iter().map(|line| line.split(" = ").next().unwrap()).collect();
    assert_eq!(new, [format!("\"{MEDIA}\"").as_str(), "release"]);
    let model = "redfish-model/src/generated/virtual_media.rs";
    let new = &lines(&after, model) - &lines(&before, model);
    assert!(new.iter().any(|line| line.contains("MadeUp")), "{new:?}");
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
}

#[test]
fn a_table_that_the_schema_does_not_back_is_an_error() {
    let secure_boot = "/redfish/v1/Systems/{ComputerSystemId}/SecureBoot";
    let settings = "/redfish/v1/Systems/{ComputerSystemId}/Bios/Settings";
    let twice = format!("uris = [\"{secure_boot}\", {{ uri = \"{settings}\", own = true }}]");
    let table = format!("uris = [\"{secure_boot}\"]");
    for (from, to, parts) in [
        ("[resource.SecureBoot]", "[resource.SecureBeet]", &["[SecureBeet]: unknown resource"][..]),
        (
            "[\"Reset\", \"SetDefaultBootOrder\"]",
            "[\"Rest\"]",
            &["[ComputerSystem]: unknown action `Rest`", "Reset"],
        ),
        (
            table.as_str(),
            "uris = [\"/redfish/v1/Boots\"]",
            &["[SecureBoot]: /redfish/v1/Boots is not a URI", secure_boot],
        ),
        // Two resources at one URI.
        (table.as_str(), twice.as_str(), &["Bios", settings]),
    ] {
        let root = Root::new();
        root.edit("schema/resources.toml", from, to);
        root.refuses(&[root.pinned()], &[], &[&["schema/resources.toml"], parts].concat());
    }
    // Two members of one name in Rust, as a future release might bring them.
    let root = Root::new();
    root.patch(
        "0002",
        "'/components/schemas/Bios_Bios/properties/attribute_registry'\nset = { type = 'string' }",
    );
    root.refuses(
        &[root.pinned()],
        &[],
        &["Bios_Bios: AttributeRegistry", "Bios_Bios: attribute_registry", "`attribute_registry`"],
    );
}

/// The repository holds facts and our own sentences, none of DMTF's.
#[test]
fn the_document_holds_no_prose() {
    let document = trimmed();
    let mut sentences = BTreeSet::new();
    collect(&document, "", &mut sentences);
    let own: BTreeSet<_> = ["Accepted; the task tells the rest", "Done", "Error"].into();
    assert_eq!(sentences.iter().map(String::as_str).collect::<BTreeSet<_>>(), own);

    let base = json_document(&zips()[1], "registries/Base.1.22.1.json");
    let theirs = base["Messages"].as_object().unwrap().values();
    let theirs: BTreeSet<_> = theirs
        .flat_map(|m| ["Message", "Resolution", "Description"].map(|key| m[key].as_str().unwrap()))
        .collect();
    let ours = document["x-messages"]["messages"].as_object().unwrap();
    assert!(ours.len() > 100);
    for message in ours.values().flat_map(|m| [&m["text"], &m["resolution"]]) {
        let text = message.as_str().unwrap();
        assert!(text == "None." || !theirs.contains(text), "{text}");
    }
}

/// Descriptions, and other strings that are long and have spaces; not enum values, patterns and
/// our wording of messages.
fn collect(value: &Value, key: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let ours = ["enum", "pattern", "x-messages"].contains(&name.as_str())
                    && key != "properties";
                if !ours {
                    collect(member, name, found);
                }
            }
        }
        Value::Array(_) => list(value).for_each(|item| collect(item, key, found)),
        Value::String(text) => {
            let prose = ["description", "summary", "title", "x-longDescription"].contains(&key);
            if (prose && text != "Redfish") || (text.len() > 40 && text.contains(' ')) {
                found.insert(text.clone());
            }
        }
        _ => {}
    }
}

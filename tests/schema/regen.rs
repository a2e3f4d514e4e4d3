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

use serde_json::Value;

use crate::support::{
    PINNED, RegenRoot, assert_same, assert_succeeds, list, replaced, trimmed, unpack, zips,
};

const MEDIA: &str = "openapi/VirtualMedia.v1_6_5.yaml";

#[test]
fn check_from_the_zips() {
    let root = RegenRoot::new();
    let before = root.tree();
    assert_succeeds(&root.regen(&zips(), &["--check"], &[]), "files are up to date");
    assert_same(&before, &root.tree());
}

#[test]
fn check_from_an_unpacked_bundle() {
    let root = RegenRoot::new();
    let folder = root.dir.path().join("unpacked");
    zips().iter().for_each(|zip| unpack(zip, &folder));
    assert!(folder.join("openapi/openapi.yaml").is_file());
    assert_succeeds(&root.regen(&[folder], &["--check"], &[]), "files are up to date");
}

/// Neither the index nor line ends, indentation and comments are part of what is pinned.
#[test]
fn check_from_a_repackaged_bundle_without_index() {
    let root = RegenRoot::new();
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
    let roots = [RegenRoot::new(), RegenRoot::new()];
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
    const INPUTS: [&str; 3] = ["release.toml", "resources.toml", "messages.toml"];
    let root = RegenRoot::new();
    let committed = root.tree();
    root.clear();
    for file in INPUTS {
        std::fs::remove_file(root.path("schema").join(file)).unwrap();
    }
    let missing = root.regen(&[], &["--check"], &[]);
    assert_eq!(missing.code, Some(1), "{}", missing.err);
    assert!(missing.out.starts_with("regen: no bundle ("), "{}", missing.out);
    assert!(missing.out.contains("redfish-client/src/generated.rs differs"), "{}", missing.out);

    assert_succeeds(&root.regen(&[], &["--from-document"], &[]), " files changed");
    let mut tree = root.tree();
    for name in INPUTS.map(|file| Path::new("schema").join(file)) {
        tree.insert(name.clone(), committed[&name].clone());
    }
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
    let root = RegenRoot::new();
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
    let root = RegenRoot::new();
    let edited = |edit: fn(&str) -> String| {
        [root.bundle(|name, text| Some(if name == MEDIA { edit(text) } else { text.to_owned() }))]
    };
    let altered = format!("  {MEDIA}: altered (sha256");
    let expect = ["not release 2025.4 as pinned", &altered, "--relock"];
    let tampered = edited(|text| replaced(text, "\n      - USBStick\n", "\n      - USBStack\n"));
    root.refuses(&tampered, &[], &expect);
    root.refuses(&tampered, &["--check"], &expect);
    // So little of it is left that nothing fits; that it is altered explains the rest.
    root.refuses(
        &edited(|text| text.lines().take(40).collect::<Vec<_>>().join("\n")),
        &[],
        &expect,
    );

    for missing in ["openapi/VirtualMedia.yaml", "json-schema/VirtualMedia.json"] {
        let root = RegenRoot::new();
        let rest = root.bundle(|name, text| (name != missing).then(|| text.to_owned()));
        root.refuses(&[rest], &[], &[missing]);
    }
}

/// Nor is one that has another version of a pinned file, older or newer: that would be a change of
/// release without anybody's word.
#[test]
fn a_pinned_file_is_not_passed_over() {
    let root = RegenRoot::new();
    let other = |name: &str| name.replace(".v1_6_5.", ".v1_6_4.");
    let bundle = root.bundle(|name, text| (other(name) == name).then(|| text.to_owned()));
    for (name, text) in PINNED.iter().filter(|(name, _)| other(name) != **name) {
        RegenRoot::add(&bundle, &other(name), &text.replace("v1_6_5", "v1_6_4"));
    }
    root.refuses(&[bundle], &[], &["not release 2025.4 as pinned", MEDIA]);

    let root = RegenRoot::new();
    let bundle = root.pinned();
    let base = "registries/Base.1.22.1.json";
    RegenRoot::add(&bundle, "registries/Base.1.23.0.json", &PINNED[base]);
    root.refuses(&[bundle], &[], &["not release 2025.4 as pinned", base]);
}

#[test]
fn a_write_that_fails_changes_nothing() {
    let root = RegenRoot::new();
    let (first, last) =
        ("redfish-client/src/generated.rs", "redfish-server/src/generated/operations");
    root.write(first, "");
    root.write(&format!("{last}.rs"), "");
    // Something is in the way of the new file.
    std::fs::create_dir(root.path(&format!("{last}.new"))).unwrap();
    root.refuses(&[], &["--from-document"], &[&format!("{last}.rs: cannot be written")]);
}

#[test]
fn a_damaged_bundle_is_refused() {
    let root = RegenRoot::new();
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
        let root = RegenRoot::new();
        root.patch("0002", &patch);
        let expect = format!("error: schema/patches/0002-made-up.toml: {message}\n");
        root.refuses(&[root.pinned()], &[], &[&expect]);
    }
    let root = RegenRoot::new();
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
    let root = RegenRoot::new();
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
        let root = RegenRoot::new();
        root.edit("schema/resources.toml", from, to);
        root.refuses(&[root.pinned()], &[], &[&["schema/resources.toml"], parts].concat());
    }
    // Two members of one name in Rust, as a future release might bring them.
    let root = RegenRoot::new();
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

/// The repository holds facts and sentences of ours, no descriptions (`wording` has the messages).
#[test]
fn the_document_holds_no_prose() {
    let document = trimmed();
    let mut sentences = BTreeSet::new();
    collect(&document, "", &mut sentences);
    let own: BTreeSet<_> = ["Accepted; the task tells the rest", "Done", "Error"].into();
    assert_eq!(sentences.iter().map(String::as_str).collect::<BTreeSet<_>>(), own);
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

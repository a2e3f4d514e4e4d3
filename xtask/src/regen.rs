//! `cargo xtask regen`: from the schema bundle to the committed document and code.
//!
//! Everything is made in memory before the first file is written, and each file is replaced by a
//! rename: an error leaves the tree as it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, bail};
use redfish_codegen::emit;
use redfish_codegen::patch::Patch;
use redfish_codegen::release::Release;
use redfish_codegen::report::{Report, summary};
use redfish_codegen::resources::Resources;
use redfish_codegen::source::Bundle;
use redfish_codegen::trim::trim;
use redfish_codegen::{ir, json, wording};
use serde_json::Value;

use crate::workspace::Workspace;

const RELEASE: &str = "schema/release.toml";
const RESOURCES: &str = "schema/resources.toml";
const PATCHES: &str = "schema/patches";
const MESSAGES: &str = "schema/messages.toml";
const DOCUMENT: &str = "schema/openapi.json";

/// Generate all committed code and documents from the schema bundle
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail with the files that differ (without a bundle: from the trimmed document on)
    #[arg(long)]
    check: bool,

    /// A DMTF bundle: a zip, or a folder of schema files or zips; several are searched in turn
    /// [default: $REDFISH_BUNDLE, then ../shared/dsp8010]
    #[arg(long, value_name = "ZIP_OR_DIR")]
    bundle: Vec<PathBuf>,

    /// Start from schema/openapi.json and leave the bundle alone
    #[arg(long, conflicts_with_all = ["bundle", "relock"])]
    from_document: bool,

    /// Accept the bundle as it is: pin its files and report what changed
    #[arg(long, conflicts_with = "check")]
    relock: bool,

    /// The release that --relock pins [default: the one pinned so far]
    #[arg(long, requires = "relock", value_name = "RELEASE")]
    release: Option<String>,

    /// The workspace to work on [default: this one]
    #[arg(long, hide = true)]
    root: Option<PathBuf>,
}

/// Runs the task.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let workspace = Workspace::discover()?;
    let root = args.root.clone().unwrap_or_else(|| workspace.root.clone());
    let bundle = if args.bundle.is_empty() { workspace.bundle() } else { args.bundle.clone() };
    let from_document = args.from_document || (args.check && bundle.is_empty());

    let mut files = BTreeMap::new();
    let document = if from_document {
        if !args.from_document {
            println!(
                "regen: no bundle ({}); checking from {DOCUMENT} on",
                workspace.bundle_places()
            );
        }
        read_document(&root)?
    } else if bundle.is_empty() {
        bail!(
            "no DMTF bundle ({}); get DSP8010 and DSP8011 from the DMTF Redfish publications and name them \
             with --bundle or $REDFISH_BUNDLE",
            workspace.bundle_places()
        );
    } else {
        let document = first_half(&root, &bundle, args, &mut files)?;
        files.insert(DOCUMENT.to_owned(), json::pretty(&document));
        document
    };
    files.extend(emit::files(&ir::read(&document)?)?);

    let differences = differences(&root, &files)?;
    if args.check {
        if differences.is_empty() {
            println!("regen: {} files are up to date", files.len());
            return Ok(ExitCode::SUCCESS);
        }
        for path in &differences {
            println!("regen: {path} differs");
        }
        println!("run `cargo xtask regen` and commit what it writes");
        return Ok(ExitCode::FAILURE);
    }
    write(&root, &files, &differences)?;
    println!(
        "regen: {}; {} of {} files changed, {:.1} s",
        summary(&document),
        differences.len(),
        files.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(ExitCode::SUCCESS)
}

/// Bundle -> trimmed document; with `--relock` also the new release file and the report.
fn first_half(
    root: &Path,
    sources: &[PathBuf],
    args: &Args,
    files: &mut BTreeMap<String, String>,
) -> anyhow::Result<Value> {
    let pinned = Release::parse(&read(root, RELEASE)?)?;
    let resources = Resources::parse(&read(root, RESOURCES)?)?;
    let wording = wording::parse(&read(root, MESSAGES)?)?;
    let patches = patches(root)?;
    let bundle = Bundle::open(sources)?;
    let release = args.release.as_ref().unwrap_or(&pinned.release);
    let trimmed = trim(&bundle, release, &resources, &wording, &patches);
    let read = bundle.hashes();
    if !args.relock {
        // A bundle that is not the pinned one explains whatever else is wrong.
        pinned.verify(&read)?;
    }
    let trimmed = trimmed?;
    if args.relock {
        let old = read_document(root).ok();
        println!("{}", Report::new(old.as_ref(), &trimmed));
    } else if !trimmed.dead.is_empty() {
        let dead: Vec<_> = trimmed.dead.iter().map(ToString::to_string).collect();
        bail!("{}", dead.join("\n"));
    }
    let release = Release { release: release.clone(), files: read, ..pinned.clone() };
    files.insert(RELEASE.to_owned(), release.to_toml());
    Ok(trimmed.document)
}

fn patches(root: &Path) -> anyhow::Result<Vec<Patch>> {
    let folder = root.join(PATCHES);
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name.ends_with(".toml"));
    names.sort();
    names
        .iter()
        .map(|name| Ok(Patch::parse(name, &read(root, &format!("{PATCHES}/{name}"))?)?))
        .collect()
}

fn read(root: &Path, file: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(root.join(file)).with_context(|| format!("{file}: cannot be read"))
}

fn read_document(root: &Path) -> anyhow::Result<Value> {
    serde_json::from_str(&read(root, DOCUMENT)?).with_context(|| format!("{DOCUMENT} is damaged"))
}

/// The files that are missing, other than they should be, or there for no reason.
fn differences(root: &Path, files: &BTreeMap<String, String>) -> anyhow::Result<Vec<String>> {
    let mut differences: Vec<_> = files
        .iter()
        .filter(|(path, text)| {
            std::fs::read(root.join(path)).ok().as_deref() != Some(text.as_bytes())
        })
        .map(|(path, _)| path.clone())
        .collect();
    for folder in emit::FOLDERS {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        for entry in entries {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_file() && !files.contains_key(&path) {
                differences.push(path);
            }
        }
    }
    Ok(differences)
}

/// Writes all new files beside the old ones before it replaces the first: a full disk, or something
/// in the way, leaves the tree as it was.
fn write(root: &Path, files: &BTreeMap<String, String>, changed: &[String]) -> anyhow::Result<()> {
    let new = |path: &str| root.join(path).with_extension("new");
    let written: Vec<_> = changed.iter().filter(|path| files.contains_key(*path)).collect();
    for path in &written {
        let folder = root.join(path).parent().map(Path::to_owned).unwrap_or_default();
        let done = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(new(path), &files[path.as_str()]));
        if let Err(error) = done {
            for path in &written {
                // Those that were not written yet are not there to be removed.
                _ = std::fs::remove_file(new(path));
            }
            return Err(error).with_context(|| format!("{path}: cannot be written"));
        }
    }
    for path in &written {
        std::fs::rename(new(path), root.join(path))
            .with_context(|| format!("{path}: cannot be replaced"))?;
    }
    for path in changed.iter().filter(|path| !files.contains_key(*path)) {
        std::fs::remove_file(root.join(path))
            .with_context(|| format!("{path}: cannot be removed"))?;
    }
    Ok(())
}

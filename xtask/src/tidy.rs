//! What no other tool looks at: findings in the files that are, or are about to be, in git.
//!
//! Rules are few and each answers to something that happened to projects like this one: a path of
//! somebody's machine, a DMTF archive that may not be redistributed from here, a version stated twice,
//! files that grow until nobody splits them. `generated/` answers to its generator, not to style.

use anyhow::Context as _;
use toml::{Table, Value};

use crate::workspace::Workspace;

/// Hand-written files beyond this are split; most have a third of it.
const MAX_LINES: usize = 500;
const LICENSE: &str = "Apache-2.0";
/// First folders of paths that exist on one machine only.
const MACHINE_FOLDERS: [&str; 3] = ["home", "root", "work"];
/// Kinds of files that are neither source nor text, so that nobody commits a DMTF publication.
const ARCHIVES: [&str; 5] = [".zip", ".tar", ".gz", ".tgz", ".xz"];
/// Hand-written kinds in which white space at a line's end is an oversight.
const TEXTS: [&str; 7] = [".md", ".rs", ".sh", ".toml", ".yaml", ".yml", ".ci/run"];

/// All findings, as `file:line: what`.
pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<Vec<String>> {
    let mut git = workspace.command("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().context("Cannot run git")?;
    anyhow::ensure!(
        output.status.success(),
        "git ls-files: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let list = String::from_utf8(output.stdout).context("A file name is not UTF-8")?;

    let mut findings = Vec::new();
    for path in list.split_terminator('\0') {
        let file = workspace.root.join(path);
        // Deleted but not yet from the index, or a link: nothing of ours to read.
        if !file.symlink_metadata().is_ok_and(|data| data.is_file()) {
            continue;
        }
        let bytes = std::fs::read(&file).with_context(|| format!("Cannot read {path}"))?;
        findings.extend(
            check_file(path, &bytes)
                .into_iter()
                .map(|(line, what)| format!("{path}:{line}: {what}")),
        );
    }
    Ok(findings)
}

/// The line, from 1, and what is wrong there.
type Finding = (usize, String);

fn check_file(path: &str, bytes: &[u8]) -> Vec<Finding> {
    if ARCHIVES.iter().any(|end| path.ends_with(end)) {
        return vec![(
            1,
            "an archive; DMTF files and other data stay outside the repository".to_owned(),
        )];
    }
    if bytes.contains(&0) {
        return Vec::new();
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return vec![(1, "not UTF-8".to_owned())];
    };
    let mut findings = check_lines(path, text);
    if !text.is_empty() && !text.ends_with('\n') {
        findings.push((text.lines().count(), "no newline at the end of the file".to_owned()));
    }
    let by_hand = !is_generated(path);
    if by_hand && path.ends_with(".rs") {
        if text.lines().count() > MAX_LINES {
            findings
                .push((MAX_LINES + 1, format!("more than {MAX_LINES} lines: split it by subject")));
        }
        if !text.starts_with("//!") {
            findings.push((
                1,
                "no module documentation: the first line says what this is for".to_owned(),
            ));
        }
    }
    if path == "Cargo.toml" || path.ends_with("/Cargo.toml") {
        findings.extend(check_manifest(path, text).into_iter().map(|what| (1, what)));
    }
    findings
}

fn check_lines(path: &str, text: &str) -> Vec<Finding> {
    let rust = path.ends_with(".rs");
    let text_by_hand = !is_generated(path) && TEXTS.iter().any(|end| path.ends_with(end));
    let mut findings = Vec::new();
    for (index, line) in text.split_terminator('\n').enumerate() {
        let mut find = |what: String| findings.push((index + 1, what));
        if let Some(folder) = machine_path(line) {
            find(format!("a path of one machine, below {folder}"));
        }
        if line.ends_with('\r') {
            find("a carriage return".to_owned());
        } else if text_by_hand && line.ends_with([' ', '\t']) {
            find("white space at the end of the line".to_owned());
        }
        if rust && line.contains('\t') {
            find("a tab".to_owned());
        }
        if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
            find("a conflict that was not resolved".to_owned());
        }
    }
    findings
}

/// The first folder of an absolute path that can't exist elsewhere. A folder of that name in the middle
/// of a path or URL is nobody's machine: what stands before the slash tells.
fn machine_path(line: &str) -> Option<String> {
    MACHINE_FOLDERS.iter().map(|folder| format!("/{folder}/")).find(|folder| {
        line.match_indices(folder.as_str()).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let inside = |c: char| c.is_alphanumeric() || "/.-_~})*$".contains(c);
            !before.is_some_and(inside) || line[..at].ends_with("://")
        })
    })
}

/// One licence, one set of lints and one place for versions: the workspace's.
fn check_manifest(path: &str, text: &str) -> Vec<String> {
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![format!("not a manifest: {error}")],
    };
    let mut findings = Vec::new();
    if path == "Cargo.toml" {
        let license = at(&manifest, &["workspace", "package", "license"]).and_then(Value::as_str);
        if license != Some(LICENSE) {
            findings.push(format!("workspace.package.license is not \"{LICENSE}\""));
        }
    }
    if !manifest.contains_key("package") {
        return findings;
    }
    for keys in [&["package", "license", "workspace"][..], &["lints", "workspace"]] {
        if at(&manifest, keys).and_then(Value::as_bool) != Some(true) {
            findings.push(format!("`{} = true` is missing", keys.join(".")));
        }
    }
    let targets = at(&manifest, &["target"]).and_then(Value::as_table);
    let tables =
        targets.into_iter().flat_map(Table::values).filter_map(Value::as_table).chain([&manifest]);
    for table in tables {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let dependencies = table.get(kind).and_then(Value::as_table);
            for (name, dependency) in dependencies.into_iter().flatten() {
                if dependency.get("workspace").and_then(Value::as_bool) != Some(true) {
                    findings
                        .push(format!("{kind}.{name} states its own version: `workspace = true`"));
                }
            }
        }
    }
    findings
}

fn at<'a>(table: &'a Table, keys: &[&str]) -> Option<&'a Value> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
}

/// A file that a generator answers for.
fn is_generated(path: &str) -> bool {
    path.contains("/generated/") || path.ends_with("/generated.rs")
}

#[cfg(test)]
mod tests;

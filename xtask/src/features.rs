//! The feature sets that users may build, each compiled by itself.
//!
//! Cargo unifies features over the workspace, so a plain build never shows that a crate needs a feature
//! it does not ask for. Each single feature, none, the defaults and all of them do; the full power set
//! would cost hours and show little more.

use anyhow::Context as _;
use serde_json::Value;

use crate::workspace::{Workspace, spelled};

/// The sets that are checked for a package.
enum Sets {
    /// None, the defaults, each single feature, all.
    Each,
    /// The defaults.
    Default,
    /// None and the defaults.
    NoneAndDefault,
}

/// Which packages users depend on, and with what.
const PACKAGES: &[(&str, Sets)] = &[
    ("redfish-model", Sets::Each),
    ("redfish-client", Sets::Default),
    ("redfish-server", Sets::NoneAndDefault),
];

/// Checks every set; gives the commands that failed and how many there were.
pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<(usize, Vec<String>)> {
    let metadata = metadata(workspace)?;
    let mut ran = 0;
    let mut failed = Vec::new();
    for (package, sets) in PACKAGES {
        for choice in sets.choices(&features(&metadata, package)?) {
            let mut command = workspace.cargo(["check", "--quiet", "--package", package]);
            command.args(&choice);
            println!("$ {}", spelled(&command));
            ran += 1;
            if !command.status()?.success() {
                failed.push(spelled(&command));
            }
        }
    }
    Ok((ran, failed))
}

fn metadata(workspace: &Workspace) -> anyhow::Result<Value> {
    let output = workspace.cargo(["metadata", "--no-deps", "--format-version", "1"]).output()?;
    anyhow::ensure!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("Cannot read what cargo metadata printed")
}

/// The features of a package, without `default`, in order.
fn features(metadata: &Value, package: &str) -> anyhow::Result<Vec<String>> {
    let found = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|entry| entry["name"] == package);
    let features = found.and_then(|entry| entry["features"].as_object());
    let features = features.with_context(|| format!("The workspace has no package {package}"))?;
    let mut names: Vec<_> = features.keys().filter(|name| *name != "default").cloned().collect();
    names.sort();
    Ok(names)
}

impl Sets {
    /// The arguments of each `cargo check`.
    fn choices(&self, features: &[String]) -> Vec<Vec<String>> {
        let none = || vec!["--no-default-features".to_owned()];
        let one = |name: &String| {
            vec!["--no-default-features".to_owned(), "--features".to_owned(), name.clone()]
        };
        match self {
            Self::Default => vec![vec![]],
            Self::NoneAndDefault => vec![none(), vec![]],
            Self::Each => {
                let mut choices = vec![none(), vec![]];
                choices.extend(features.iter().map(one));
                choices.push(vec!["--all-features".to_owned()]);
                choices
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_is_checked_alone() {
        #[track_caller]
        fn check(sets: &Sets, expect: &[&str]) {
            let features = ["events".to_owned(), "storage".to_owned()];
            let choices: Vec<_> =
                sets.choices(&features).iter().map(|words| words.join(" ")).collect();
            assert_eq!(choices, expect);
        }
        check(&Sets::Default, &[""]);
        check(&Sets::NoneAndDefault, &["--no-default-features", ""]);
        check(
            &Sets::Each,
            &[
                "--no-default-features",
                "",
                "--no-default-features --features events",
                "--no-default-features --features storage",
                "--all-features",
            ],
        );
    }

    #[test]
    fn features_come_from_the_metadata() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "other", "features": {} },
            { "name": "model", "features": { "storage": [], "default": ["events"], "events": [] } },
        ]});
        assert_eq!(features(&metadata, "model").unwrap(), ["events", "storage"]);
        assert_eq!(features(&metadata, "other").unwrap(), [""; 0]);
        assert!(features(&metadata, "absent").is_err());
    }
}

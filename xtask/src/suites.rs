//! The test suites: what each covers, what it needs, and the cargo commands that are it.
//!
//! A new suite is one more entry of [`SUITES`]; `test`, `ci` and their help texts follow from the table.
//! A suite whose needs are not met *fails*: a run that silently leaves tests out looks like one that
//! passed them.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::workspace::Workspace;

/// The release of the DMTF publications that the suites read; `schema/release.toml` pins the same one.
macro_rules! release {
    () => {
        "2025.4"
    };
}

/// One suite.
pub(crate) struct Suite {
    /// The name that `--only` and `--skip` take.
    pub(crate) name: &'static str,
    /// One line for `--list`.
    pub(crate) covers: &'static str,
    /// What must be there before it can run.
    pub(crate) needs: &'static [Need],
    /// Work to do first: data to unpack, programs to install into the cache.
    pub(crate) prepare: Option<fn(&Workspace) -> anyhow::Result<()>>,
    /// The arguments of each cargo command; all of them run, whatever the ones before it gave.
    pub(crate) cargo: &'static [&'static [&'static str]],
}

/// All suites, in the order in which they run.
pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "unit",
        covers: "every crate by itself: unit, integration and doc tests; examples compile",
        needs: &[],
        prepare: None,
        cargo: &[&["test", "--workspace", "--exclude", "redfish-tests", "--no-fail-fast"]],
    },
    Suite {
        name: "schema",
        covers: "the pipeline and the model against the DMTF bundle, its registries and published mockups",
        needs: &[
            Need::DmtfFile {
                name: concat!("DSP8010_", release!(), ".zip"),
                publication: SCHEMA_BUNDLE,
            },
            Need::DmtfFile {
                name: concat!("DSP8011_", release!(), ".zip"),
                publication: REGISTRIES,
            },
            Need::DmtfFile { name: "mockup-public-bladed.zip", publication: MOCKUPS },
            Need::DmtfFile { name: "mockup-public-rackmount1.zip", publication: MOCKUPS },
            Need::DmtfFile { name: "mockup-public-telemetry.zip", publication: MOCKUPS },
            Need::DmtfFile { name: "mockup-public-tower.zip", publication: MOCKUPS },
        ],
        prepare: None,
        cargo: &[&[
            "test",
            "--package",
            "redfish-tests",
            "--test",
            "schema",
            "--no-fail-fast",
            "--",
            "--show-output",
        ]],
    },
];

const SCHEMA_BUNDLE: &str = concat!("DSP8010 ", release!(), ", the schema bundle");
const REGISTRIES: &str = concat!("DSP8011 ", release!(), ", the message and privilege registries");
const MOCKUPS: &str =
    concat!("DSP2043 ", release!(), ", the mockups, one zip per folder public-NAME");

/// Something outside the repository that a suite cannot do without.
pub(crate) enum Need {
    /// A file of a DMTF publication; they are read where they lie and never copied into the repository.
    DmtfFile {
        name: &'static str,
        /// Where it comes from, as the DMTF names it.
        publication: &'static str,
    },
}

impl Need {
    /// What is missing and from where, when it is.
    fn missing(&self, find: impl Fn(&str) -> Option<PathBuf>) -> Option<String> {
        match self {
            Self::DmtfFile { name, publication } => find(name)
                .is_none()
                .then(|| format!("{name} (DMTF Redfish publications: {publication})")),
        }
    }
}

impl Suite {
    /// Why the suite cannot run, with the way out of it.
    pub(crate) fn obstacle(&self, workspace: &Workspace) -> Option<String> {
        let missing = self.missing(|name| workspace.bundle_file(name));
        (!missing.is_empty()).then(|| obstacle(self.name, &missing, &workspace.bundle_places()))
    }

    fn missing(&self, find: impl Fn(&str) -> Option<PathBuf>) -> Vec<String> {
        self.needs.iter().filter_map(|need| need.missing(&find)).collect()
    }

    /// Does what has to be done before the commands run.
    pub(crate) fn prepare(&self, workspace: &Workspace) -> anyhow::Result<()> {
        match self.prepare {
            Some(prepare) => {
                prepare(workspace).with_context(|| format!("Cannot prepare suite {}", self.name))
            }
            None => Ok(()),
        }
    }
}

fn obstacle(suite: &str, missing: &[String], places: &str) -> String {
    let mut text = "cannot run, missing:\n".to_owned();
    for item in missing {
        text.push_str(&format!("    {item}\n"));
    }
    text.push_str(&format!("  looked in: {places}\n"));
    text.push_str("  remedy: get the files and set REDFISH_BUNDLE to each zip or to their folder (`:` between several)\n");
    text.push_str(&format!("  or leave the suite out: --skip {suite}"));
    text
}

/// The names of all suites.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SUITES.iter().map(|suite| suite.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_with_its_publication() {
        #[track_caller]
        fn check(suite: &str, present: &[&str], expect: usize, first: &str) {
            let suite = SUITES.iter().find(|entry| entry.name == suite).unwrap();
            let missing = suite.missing(|name| present.contains(&name).then(PathBuf::new));
            assert_eq!(missing.len(), expect, "{missing:?}");
            assert_eq!(missing.first().map_or("", String::as_str), first);
        }
        check("unit", &[], 0, "");
        check(
            "schema",
            &[],
            6,
            "DSP8010_2025.4.zip (DMTF Redfish publications: DSP8010 2025.4, the schema bundle)",
        );
        check(
            "schema",
            &["DSP8010_2025.4.zip", "mockup-public-tower.zip", "mockup-public-bladed.zip"],
            3,
            "DSP8011_2025.4.zip (DMTF Redfish publications: DSP8011 2025.4, the message and privilege registries)",
        );
    }

    #[test]
    fn an_obstacle_says_what_where_and_how_to_go_on() {
        let text = obstacle("schema", &["a.zip (A)".to_owned(), "b.zip (B)".to_owned()], "x, y");
        let expect = "cannot run, missing:\n    a.zip (A)\n    b.zip (B)\n  looked in: x, y\n  \
                      remedy: get the files and set REDFISH_BUNDLE to each zip or to their folder \
                      (`:` between several)\n  or leave the suite out: --skip schema";
        assert_eq!(text, expect);
    }

    #[test]
    fn the_release_is_the_pinned_one() {
        let pinned: toml::Table = include_str!("../../schema/release.toml").parse().unwrap();
        assert_eq!(pinned["release"].as_str(), Some(release!()));
    }

    #[test]
    fn names_are_those_of_the_design() {
        let known = [
            "unit",
            "schema",
            "service",
            "conformance",
            "interop",
            "cluster",
            "hypervisor",
            "console",
        ];
        let ours: Vec<_> = names().collect();
        let in_order: Vec<_> = known.into_iter().filter(|name| ours.contains(name)).collect();
        assert_eq!(ours, in_order);
    }
}

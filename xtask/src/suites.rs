//! The test suites: what each covers, what it needs, and the cargo commands that are it.
//!
//! A new suite is one more entry of [`SUITES`]; `test`, `ci` and their help texts follow from the table.
//! A suite whose needs are not met *fails*: a run that silently leaves tests out looks like one that
//! passed them.

use anyhow::Context as _;

use crate::needs::{self, GO, Need, PYTHON};
use crate::prepare;
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
    pub(crate) prepare: &'static [fn(&Workspace) -> anyhow::Result<()>],
    /// The arguments of each cargo command; all of them run, whatever the ones before it gave.
    pub(crate) cargo: &'static [&'static [&'static str]],
}

/// All suites, in the order in which they run.
pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "unit",
        covers: "every crate by itself: unit, integration and doc tests; examples compile",
        needs: &[],
        prepare: &[],
        cargo: &[&["test", "--workspace", "--exclude", "redfish-tests", "--no-fail-fast"]],
    },
    Suite {
        name: "schema",
        covers: "the pipeline and the model against the DMTF bundle, its registries and published mockups",
        needs: &[
            Need::DmtfFile { name: SCHEMA_ZIP, publication: SCHEMA_BUNDLE },
            Need::DmtfFile {
                name: concat!("DSP8011_", release!(), ".zip"),
                publication: REGISTRIES,
            },
            Need::DmtfFile { name: "mockup-public-bladed.zip", publication: MOCKUPS },
            Need::DmtfFile { name: "mockup-public-rackmount1.zip", publication: MOCKUPS },
            Need::DmtfFile { name: "mockup-public-telemetry.zip", publication: MOCKUPS },
            Need::DmtfFile { name: "mockup-public-tower.zip", publication: MOCKUPS },
        ],
        prepare: &[],
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
    Suite {
        name: "service",
        covers: "the running server over plain HTTP: hostile input, every link, every privilege, sudden ends",
        needs: &[],
        prepare: &[],
        cargo: &[
            SERVER,
            &["test", "--package", "redfish-tests", "--lib", "--test", "service", "--no-fail-fast"],
        ],
    },
    Suite {
        name: "conformance",
        covers: "the running server under the DMTF's validators and checkers and under Schemathesis",
        needs: &[
            Need::DmtfFile { name: SCHEMA_ZIP, publication: SCHEMA_BUNDLE },
            Need::Profile {
                name: "OpenStackIronicProfile.v1_2_0.json",
                origin: "OpenStack Ironic",
            },
            PYTHON,
        ],
        prepare: &[prepare::python, prepare::csdl],
        cargo: &[
            SERVER,
            &["test", "--package", "redfish-tests", "--test", "conformance", "--no-fail-fast"],
        ],
    },
    Suite {
        name: "interop",
        covers: "the running server under the clients that people have: gofish 0.19, 0.20, 0.23",
        needs: &[GO],
        prepare: &[prepare::go],
        cargo: &[
            SERVER,
            &["test", "--package", "redfish-tests", "--test", "interop", "--no-fail-fast"],
        ],
    },
];

/// The zip of the schema bundle.
pub(crate) const SCHEMA_ZIP: &str = concat!("DSP8010_", release!(), ".zip");
/// The program that the suites against a running service start.
const SERVER: &[&str] = &["build", "--package", "redfish-server"];

const SCHEMA_BUNDLE: &str = concat!("DSP8010 ", release!(), ", the schema bundle");
const REGISTRIES: &str = concat!("DSP8011 ", release!(), ", the message and privilege registries");
const MOCKUPS: &str =
    concat!("DSP2043 ", release!(), ", the mockups, one zip per folder public-NAME");

impl Suite {
    /// Why the suite cannot run, with the way out of it.
    pub(crate) fn obstacle(&self, workspace: &Workspace) -> Option<String> {
        needs::obstacle(workspace, self.name, self.needs)
    }

    /// Does what has to be done before the commands run.
    pub(crate) fn prepare(&self, workspace: &Workspace) -> anyhow::Result<()> {
        for step in self.prepare {
            step(workspace).with_context(|| format!("Cannot prepare suite {}", self.name))?;
        }
        Ok(())
    }
}

/// The names of all suites.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SUITES.iter().map(|suite| suite.name)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::needs::Present;

    #[test]
    fn a_missing_file_is_named_with_its_publication() {
        #[track_caller]
        fn check(suite: &str, present: &[&str], expect: usize, first: &str) {
            let suite = SUITES.iter().find(|entry| entry.name == suite).unwrap();
            let present = Present {
                file: &|name| present.contains(&name).then(PathBuf::new),
                profile: &|name| present.contains(&name).then(PathBuf::new),
                program: &|name, _| present.contains(&name),
            };
            let missing: Vec<_> =
                suite.needs.iter().filter_map(|need| need.missing(&present)).collect();
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
        let ironic = "OpenStackIronicProfile.v1_2_0.json";
        check("conformance", &["DSP8010_2025.4.zip", ironic, "python3"], 0, "");
        let missing = "OpenStackIronicProfile.v1_2_0.json (profile of OpenStack Ironic)";
        check("conformance", &["DSP8010_2025.4.zip", "python3"], 1, missing);
        check(
            "interop",
            &[],
            1,
            "program go (Go 1.21 or later: on Debian the package golang, else from go.dev)",
        );
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

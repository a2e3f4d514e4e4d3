//! Where the workspace, the caches and the DMTF files are, and the environment that child processes get.
//!
//! Stated once, so that `test`, `ci` and the suites agree: a suite finds the schema bundle where the
//! runner found it, and a build made by one task is reused by the next.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

/// Names the places of the schema bundle, `:`-separated zips or folders.
pub(crate) const BUNDLE: &str = "REDFISH_BUNDLE";
/// Names the folder below which builds, tools and data are kept.
pub(crate) const CACHE: &str = "REDFISH_CACHE_DIR";
/// Where the DMTF files are looked for when `REDFISH_BUNDLE` does not have them.
const DEFAULT_BUNDLE: &str = "../shared/dsp8010";
/// Names the folder of the interoperability profiles.
pub(crate) const PROFILES: &str = "REDFISH_PROFILES";
/// Where they are looked for when `REDFISH_PROFILES` names no folder.
const DEFAULT_PROFILES: &str = "../shared/profiles";
const TARGET: &str = "CARGO_TARGET_DIR";

/// What `cargo run` sets for this program. Passed on, it would look like a change to build scripts that
/// watch these (ring's does), and each task would rebuild what the one before it built.
const OURS_ONLY: [&str; 6] = [
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "CARGO_PRIMARY_PACKAGE",
    "LD_LIBRARY_PATH",
];

/// The places that every task works with.
pub(crate) struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Builds, tools and data that outlive a run.
    pub(crate) cache: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    bundle: Vec<PathBuf>,
    profiles: PathBuf,
}

impl Workspace {
    /// Reads the environment; no file is looked at or made.
    pub(crate) fn discover() -> anyhow::Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
        let manifest =
            manifest.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root =
            manifest.parent().context("The xtask crate has no folder above it")?.to_path_buf();

        let cache = cache_dir(|name| {
            std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
        })
        .with_context(|| format!("No cache folder: set {CACHE}, XDG_CACHE_HOME or HOME"))?;
        let cache = std::path::absolute(cache)?;
        let target = match std::env::var_os(TARGET) {
            Some(target) => std::path::absolute(target)?,
            None => cache.join("target"),
        };

        let mut bundle = Vec::new();
        if let Some(places) = std::env::var_os(BUNDLE) {
            for place in
                std::env::split_paths(&places).filter(|place| !place.as_os_str().is_empty())
            {
                bundle.push(std::path::absolute(place)?);
            }
        }
        bundle.push(root.join(DEFAULT_BUNDLE));
        let profiles = match std::env::var_os(PROFILES).filter(|folder| !folder.is_empty()) {
            Some(folder) => std::path::absolute(folder)?,
            None => root.join(DEFAULT_PROFILES),
        };
        Ok(Self { root, cache, target, bundle, profiles })
    }

    /// The named DMTF file: a place of the bundle itself, or a file in one that is a folder.
    pub(crate) fn bundle_file(&self, name: &str) -> Option<PathBuf> {
        self.bundle.iter().find_map(|place| {
            let candidate = if place.file_name() == Some(OsStr::new(name)) {
                place.clone()
            } else {
                place.join(name)
            };
            candidate.is_file().then_some(candidate)
        })
    }

    /// The named interoperability profile.
    pub(crate) fn profile(&self, name: &str) -> Option<PathBuf> {
        Some(self.profiles.join(name)).filter(|path| path.is_file())
    }

    /// Where `profile` looks, for a message.
    pub(crate) fn profiles_place(&self) -> String {
        self.shown(&self.profiles)
    }

    /// The places of the schema bundle that exist.
    pub(crate) fn bundle(&self) -> Vec<PathBuf> {
        self.bundle.iter().filter(|place| place.exists()).cloned().collect()
    }

    /// Where `bundle_file` looks, for a message.
    pub(crate) fn bundle_places(&self) -> String {
        let shown: Vec<_> = self.bundle.iter().map(|place| self.shown(place)).collect();
        shown.join(", ")
    }

    /// A path as the reader of a message would write it: relative to the workspace where it is near it.
    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// The cargo that runs this task, in the workspace, building where the tasks build.
    pub(crate) fn cargo<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = self.command(cargo);
        command.args(args);
        command
    }

    /// A program of the workspace, where cargo puts it.
    pub(crate) fn program(&self, name: &str, release: bool) -> PathBuf {
        self.target.join(if release { "release" } else { "debug" }).join(name)
    }

    /// Any program, with the environment that the suites rely on.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env(CACHE, &self.cache).env(TARGET, &self.target);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| OURS_ONLY.iter().any(|ours| name.starts_with(ours)))
            {
                command.env_remove(name);
            }
        }
        let existing = self.bundle.iter().filter(|place| place.exists());
        if let Ok(places) = std::env::join_paths(existing) {
            command.env(BUNDLE, places);
        }
        command.env(PROFILES, &self.profiles);
        command
    }
}

/// The cache folder that the environment asks for.
fn cache_dir(var: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    var(CACHE)
        .or_else(|| var("XDG_CACHE_HOME").map(|base| base.join("redfish")))
        .or_else(|| var("HOME").map(|home| home.join(".cache/redfish")))
}

/// A command as a person would type it, for the log.
pub(crate) fn spelled(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|arg| arg.to_string_lossy().into_owned()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_folder_is_the_first_that_is_named() {
        #[track_caller]
        fn check(vars: &[(&str, &str)], expect: Option<&str>) {
            let found = cache_dir(|name| {
                vars.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into())
            });
            assert_eq!(found, expect.map(PathBuf::from));
        }
        check(&[("REDFISH_CACHE_DIR", "a"), ("XDG_CACHE_HOME", "b"), ("HOME", "c")], Some("a"));
        check(&[("XDG_CACHE_HOME", "b"), ("HOME", "c")], Some("b/redfish"));
        check(&[("HOME", "c")], Some("c/.cache/redfish"));
        check(&[], None);
    }

    #[test]
    fn bundle_files_are_found_in_folders_and_as_themselves() -> anyhow::Result<()> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let with = |place: PathBuf| Workspace {
            root: PathBuf::new(),
            cache: PathBuf::new(),
            target: PathBuf::new(),
            bundle: vec![manifest.join("no such place"), place],
            profiles: PathBuf::new(),
        };
        let file = manifest.join("Cargo.toml");
        assert_eq!(with(manifest.into()).bundle_file("Cargo.toml"), Some(file.clone()));
        assert_eq!(with(file.clone()).bundle_file("Cargo.toml"), Some(file.clone()));
        assert_eq!(with(file).bundle_file("DSP8010_2025.4.zip"), None);
        Ok(())
    }

    #[test]
    fn children_do_not_see_what_cargo_told_this_program() -> anyhow::Result<()> {
        let command = Workspace::discover()?.cargo(["test", "--workspace"]);
        let removed =
            command.get_envs().any(|(name, value)| name == "CARGO_PKG_NAME" && value.is_none());
        assert!(removed);
        assert_eq!(spelled(&command), "cargo test --workspace");
        Ok(())
    }
}

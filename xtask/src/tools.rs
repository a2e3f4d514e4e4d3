//! The cargo tools that checks use, in pinned versions: a lint that changes overnight is no lint.
//!
//! One that is installed in the pinned version is used; else it is built from source into the cache.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use crate::workspace::{Workspace, spelled};

/// A program that `cargo install` brings.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

/// Bans, licences, sources and advisories of the dependencies.
pub(crate) const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
/// Dependencies that no source file names.
pub(crate) const CARGO_MACHETE: Tool = Tool { name: "cargo-machete", version: "0.9.2" };

impl Tool {
    /// The program in its pinned version, installed first when it is not there.
    pub(crate) fn command(&self, workspace: &Workspace) -> anyhow::Result<Command> {
        let tools = workspace.cache.join("tools");
        let ours = tools.join("bin").join(self.name);
        for program in [Path::new(self.name), &ours] {
            if self.is_pinned(workspace, program) {
                return Ok(bare(workspace, program));
            }
        }
        let mut install =
            workspace.cargo(["install", "--locked", self.name, "--version", self.version]);
        // A debug build without debug data is ready soonest and fast enough. Its build folder is not
        // worth keeping: without a target folder of ours, cargo takes one that it removes.
        install.args(["--debug", "--quiet", "--force", "--root"]).arg(&tools);
        install.env("CARGO_PROFILE_DEV_DEBUG", "0").env_remove("CARGO_TARGET_DIR");
        println!("$ {}", spelled(&install));
        let name = spelled(&install);
        let status = install.status().with_context(|| format!("Cannot run `{name}`"))?;
        anyhow::ensure!(status.success(), "`{name}` failed");
        Ok(bare(workspace, &ours))
    }

    fn is_pinned(&self, workspace: &Workspace, program: &Path) -> bool {
        let output = bare(workspace, program).arg("--version").output();
        output.is_ok_and(|output| says(&String::from_utf8_lossy(&output.stdout), self.version))
    }
}

/// The program as if called from a shell: some tools take `CARGO` as a sign that cargo called them, with
/// their name as the first argument.
fn bare(workspace: &Workspace, program: &Path) -> Command {
    let mut command = workspace.command(program);
    command.env_remove("CARGO");
    command
}

/// Whether the output of `--version` states this version; some tools print their name before it.
fn says(output: &str, version: &str) -> bool {
    output.split_whitespace().last() == Some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_whole() {
        #[track_caller]
        fn check(output: &str, expect: bool) {
            assert_eq!(says(output, "0.9.2"), expect, "{output}");
        }
        check("cargo-deny 0.9.2\n", true);
        check("0.9.2\n", true);
        check("0.9.21", false);
        check("10.9.2", false);
        check("", false);
    }
}

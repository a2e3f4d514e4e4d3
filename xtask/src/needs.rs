//! What suites need from outside the repository, and what to say when it is not there.

use std::path::PathBuf;
use std::process::Stdio;

use crate::workspace::Workspace;

/// Something outside the repository that a suite cannot do without.
pub(crate) enum Need {
    /// A file of a DMTF publication; they are read where they lie and never copied into the repository.
    DmtfFile {
        name: &'static str,
        /// Where it comes from, as the DMTF names it.
        publication: &'static str,
    },
    /// An interoperability profile; they are read where they lie too.
    Profile {
        name: &'static str,
        /// The project that publishes it.
        origin: &'static str,
    },
    /// A program that cargo does not bring.
    Program {
        name: &'static str,
        /// Arguments with which it succeeds when it is there with all that is used of it.
        probe: &'static [&'static str],
        /// How it is had.
        remedy: &'static str,
    },
}

/// Python, and what makes environments of it.
pub(crate) const PYTHON: Need = Need::Program {
    name: "python3",
    probe: &["-c", "import ensurepip, venv"],
    remedy: "Python 3.11 or later with venv: on Debian the packages python3 and python3-venv",
};

/// Go.
pub(crate) const GO: Need = Need::Program {
    name: "go",
    probe: &["version"],
    remedy: "Go 1.21 or later: on Debian the package golang, else from go.dev",
};

/// What is there: a file of the DMTF, a profile, a program that succeeds with these arguments.
pub(crate) struct Present<'a> {
    pub(crate) file: &'a dyn Fn(&str) -> Option<PathBuf>,
    pub(crate) profile: &'a dyn Fn(&str) -> Option<PathBuf>,
    pub(crate) program: &'a dyn Fn(&str, &[&str]) -> bool,
}

impl Need {
    /// What is missing and from where, when it is.
    pub(crate) fn missing(&self, present: &Present<'_>) -> Option<String> {
        match self {
            Self::DmtfFile { name, publication } => (present.file)(name)
                .is_none()
                .then(|| format!("{name} (DMTF Redfish publications: {publication})")),
            Self::Profile { name, origin } => {
                (present.profile)(name).is_none().then(|| format!("{name} (profile of {origin})"))
            }
            Self::Program { name, probe, remedy } => {
                (!(present.program)(name, probe)).then(|| format!("program {name} ({remedy})"))
            }
        }
    }
}

/// Why a suite with these needs cannot run, with the way out of it.
pub(crate) fn obstacle(workspace: &Workspace, suite: &str, needs: &[Need]) -> Option<String> {
    let program = |name: &str, probe: &[&str]| {
        let mut command = workspace.command(name);
        command.args(probe).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let present = Present {
        file: &|name| workspace.bundle_file(name),
        profile: &|name| workspace.profile(name),
        program: &program,
    };
    text(suite, needs, &present, &workspace.bundle_places(), &workspace.profiles_place())
}

fn text(
    suite: &str,
    needs: &[Need],
    present: &Present<'_>,
    places: &str,
    profiles_place: &str,
) -> Option<String> {
    let (mut files, mut profiles) = (false, false);
    let mut lines = String::new();
    for need in needs {
        if let Some(missing) = need.missing(present) {
            files |= matches!(need, Need::DmtfFile { .. });
            profiles |= matches!(need, Need::Profile { .. });
            lines.push_str(&format!("    {missing}\n"));
        }
    }
    if lines.is_empty() {
        return None;
    }
    let mut text = format!("cannot run, missing:\n{lines}");
    if files {
        text.push_str(&format!("  looked for files in: {places}\n"));
        text.push_str("  remedy: get the files and set REDFISH_BUNDLE to each zip or to their folder (`:` between several)\n");
    }
    if profiles {
        text.push_str(&format!("  looked for profiles in: {profiles_place}\n"));
        text.push_str(
            "  remedy: get them from their projects and set REDFISH_PROFILES to their folder\n",
        );
    }
    text.push_str(&format!("  or leave the suite out: --skip {suite}"));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Need = Need::DmtfFile { name: "a.zip", publication: "A 1" };

    const PROFILE: Need = Need::Profile { name: "p.json", origin: "P" };

    #[track_caller]
    fn check(present: &[&str], expect: Option<&str>) {
        let needs = [FILE, PROFILE, PYTHON, GO];
        let present = Present {
            file: &|name| present.contains(&name).then(PathBuf::new),
            profile: &|name| present.contains(&name).then(PathBuf::new),
            program: &|name, probe| present.contains(&name) && !probe.is_empty(),
        };
        assert_eq!(text("interop", &needs, &present, "x, y", "z").as_deref(), expect);
    }

    #[test]
    fn an_obstacle_says_what_where_and_how_to_go_on() {
        check(&["a.zip", "p.json", "go", "python3"], None);
        check(
            &["a.zip", "p.json", "python3"],
            Some(
                "cannot run, missing:\n    program go (Go 1.21 or later: on Debian the package golang, \
                 else from go.dev)\n  or leave the suite out: --skip interop",
            ),
        );
        check(
            &["a.zip", "go", "python3"],
            Some(
                "cannot run, missing:\n    p.json (profile of P)\n  looked for profiles in: z\n  remedy: get them \
                 from their projects and set REDFISH_PROFILES to their folder\n  or leave the suite out: --skip \
                 interop",
            ),
        );
        check(
            &["p.json", "go", "python3"],
            Some(
                "cannot run, missing:\n    a.zip (DMTF Redfish publications: A 1)\n  looked for files in: \
                 x, y\n  remedy: get the files and set REDFISH_BUNDLE to each zip or to their folder \
                 (`:` between several)\n  or leave the suite out: --skip interop",
            ),
        );
    }

    #[test]
    fn programs_are_tried() -> anyhow::Result<()> {
        let workspace = Workspace::discover()?;
        let probe = |name, probe| Need::Program { name, probe, remedy: "none" };
        let told = |need: Need| obstacle(&workspace, "s", &[need]).is_some();
        assert!(!told(probe("true", &["x"])));
        assert!(told(probe("false", &["x"])));
        assert!(told(probe("no-such-program-here", &["x"])));
        Ok(())
    }
}

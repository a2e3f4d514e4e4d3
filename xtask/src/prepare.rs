//! What suites need beside the repository, put below the cache folder: Python programs in pinned versions,
//! the schema files that validators read, clients built from Go.
//!
//! Each step looks first and does nothing when what it makes is what the inputs ask for. A lock keeps two
//! runs that share a cache folder apart.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

use crate::suites::SCHEMA_ZIP;
use crate::workspace::{Workspace, spelled};

/// The pinned Python packages.
const REQUIREMENTS: &str = "tests/requirements.txt";
/// The Go programs: a name, the module file that pins its dependencies, its build tags.
const GO_PROGRAMS: [(&str, &str, &str); 3] = [
    ("gofish19", "gofish19.mod", "redfish"),
    ("gofish20", "gofish20.mod", "redfish"),
    ("gofish23", "go.mod", "schemas"),
];
/// Where their source is.
const GO_SOURCE: &str = "tests/interop/go";

/// A Python environment with the pinned packages: `python`.
pub(crate) fn python(workspace: &Workspace) -> anyhow::Result<()> {
    let _lock = lock(workspace)?;
    let wanted = read(&workspace.root.join(REQUIREMENTS))?;
    let folder = workspace.cache.join("python");
    // Written last, so that an environment that was not finished is made again.
    let made_from = folder.join("made-from.txt");
    if std::fs::read(&made_from).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    remove(&folder)?;
    let mut venv = workspace.command("python3");
    run(venv.args(["-m", "venv"]).arg(&folder))?;
    let mut pip = workspace.command(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS]);
    run(&mut pip)?;
    std::fs::write(made_from, wanted)?;
    Ok(())
}

/// The CSDL files of the schema bundle: `csdl`.
pub(crate) fn csdl(workspace: &Workspace) -> anyhow::Result<()> {
    let _lock = lock(workspace)?;
    let zip = workspace.bundle_file(SCHEMA_ZIP).context("The schema bundle is gone")?;
    let bytes = read(&zip)?;
    let hash = Sha256::digest(&bytes);
    let folder = workspace.cache.join("csdl");
    let made_from = folder.join("made-from.sha256");
    if std::fs::read(&made_from).is_ok_and(|have| have == hash.as_slice()) {
        return Ok(());
    }
    println!("unpacking CSDL files of {SCHEMA_ZIP}");
    remove(&folder)?;
    std::fs::create_dir_all(&folder)?;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes))
        .with_context(|| format!("{} is no zip", zip.display()))?;
    let mut files = 0;
    for index in 0..archive.len() {
        let mut member = archive.by_index(index)?;
        let Some(path) = member.enclosed_name() else { continue };
        let in_csdl = path.parent().is_some_and(|parent| parent.ends_with("csdl"));
        let (true, Some(name)) =
            (in_csdl && path.extension() == Some("xml".as_ref()), path.file_name())
        else {
            continue;
        };
        let mut content = Vec::new();
        member.read_to_end(&mut content)?;
        std::fs::write(folder.join(name), content)?;
        files += 1;
    }
    anyhow::ensure!(files > 100, "{} has {files} CSDL files", zip.display());
    std::fs::write(made_from, hash)?;
    Ok(())
}

/// The Go programs, beside what cargo builds: each work tree has its own. Go's cache makes a second build
/// a look at the sources.
pub(crate) fn go(workspace: &Workspace) -> anyhow::Result<()> {
    let _lock = lock(workspace)?;
    let cache = workspace.cache.join("go");
    for (name, module, tags) in GO_PROGRAMS {
        let mut build = workspace.command("go");
        build.current_dir(workspace.root.join(GO_SOURCE));
        // Modules that can be written, so that whoever clears the cache folder can.
        build.args(["build", "-trimpath", "-buildvcs=false", "-modcacherw", "-mod=readonly"]);
        build.arg(format!("-modfile={module}")).args(["-tags", tags]);
        build.arg("-o").arg(workspace.target.join("interop").join(name)).arg(".");
        build.env("GOMODCACHE", cache.join("mod")).env("GOCACHE", cache.join("build"));
        build.env("GOFLAGS", "").env("GOWORK", "off").env("CGO_ENABLED", "0");
        run(&mut build)?;
    }
    Ok(())
}

/// Held until dropped.
fn lock(workspace: &Workspace) -> anyhow::Result<File> {
    std::fs::create_dir_all(&workspace.cache)?;
    let path = workspace.cache.join("prepare.lock");
    let file = File::create(&path).with_context(|| format!("Cannot write {}", path.display()))?;
    file.lock()?;
    Ok(file)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("Cannot read {}", path.display()))
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("Cannot clear {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = spelled(command);
    println!("$ {name}");
    let status = command.status().with_context(|| format!("Cannot run `{name}`"))?;
    anyhow::ensure!(status.success(), "`{name}` failed");
    Ok(())
}

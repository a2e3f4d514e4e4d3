//! How long users wait: clean debug builds of a crate that uses the model, beside the same for the
//! other typed Redfish crate.
//!
//! Each is a crate of its own outside the workspace, so that features and profiles are those that a
//! user gets. Incremental compilation is off, as it is for dependencies.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Row, seconds};
use crate::workspace::Workspace;

/// The peer, and what it builds from the schema in its build script.
const PEER: &str = "nv-redfish = { version = \"=0.22.0\", features = [\"std-redfish\"] }";

const USE_MODEL: &str = r#"
use redfish_model::{ComputerSystem, Field};

fn main() -> Result<(), serde_json::Error> {
    let mut system: ComputerSystem = serde_json::from_str("{}")?;
    system.asset_tag = Field::Null;
    println!("{}", serde_json::to_string(&system)?);
    Ok(())
}
"#;

pub(crate) fn rows(workspace: &Workspace) -> anyhow::Result<Vec<Row>> {
    let bench = workspace.cache.join("bench");
    let model = workspace.root.join("redfish-model");
    let ours = |features: &str| {
        format!(
            "redfish-model = {{ path = {model:?}, features = [{features}] }}\nserde_json = \"1\""
        )
    };
    let default = consumer(&bench, "default", &ours(""), USE_MODEL)?;
    let all = consumer(&bench, "all", &ours("\"all\""), USE_MODEL)?;
    let peer = consumer(&bench, "peer", PEER, "fn main() {}")?;

    let mut rows = Vec::new();
    for (crate_dir, alone, with) in [
        (
            &default,
            "redfish-model, default features, alone",
            "a consumer of it, dependencies included",
        ),
        (&all, "redfish-model, all features, alone", "a consumer of it, dependencies included"),
    ] {
        // First everything below the crate, then the crate, then the consumer.
        clean(crate_dir)?;
        let start = Instant::now();
        build(workspace, crate_dir, &["-p", "serde_json"])?;
        let below = start.elapsed();
        build(workspace, crate_dir, &["-p", "redfish-model"])?;
        let model = start.elapsed() - below;
        build(workspace, crate_dir, &[])?;
        let all = start.elapsed();
        rows.push(row(alone, model, "< 25 s", String::new()));
        rows.push(row(
            "  the consumer's own crate on top",
            all - model - below,
            "< 10 s",
            String::new(),
        ));
        rows.push(row(with, all, "", String::new()));
    }
    clean(&peer)?;
    let start = Instant::now();
    let peer_text = match build(workspace, &peer, &[]) {
        Ok(()) => {
            let peer = start.elapsed();
            rows.iter()
                .position(|row| row.name.starts_with("a consumer"))
                .map(|_| format!("nv-redfish 0.22 std-redfish: {}", seconds(peer)))
                .unwrap_or_default()
        }
        Err(error) => format!("nv-redfish 0.22: not measured ({error})"),
    };
    for row in rows.iter_mut().filter(|row| row.name.starts_with("a consumer")) {
        row.peer.clone_from(&peer_text);
    }
    rows.push(Row {
        name: "size of the model's rlib, default / all features".into(),
        figure: format!("{} / {} MB", rlib_megabytes(&default)?, rlib_megabytes(&all)?),
        target: "".into(),
        peer: String::new(),
    });
    Ok(rows)
}

fn row(name: &'static str, time: Duration, target: &'static str, peer: String) -> Row {
    Row { name: name.into(), figure: seconds(time), target: target.into(), peer }
}

/// Writes a crate with the given dependencies; gives its folder.
fn consumer(bench: &Path, name: &str, dependencies: &str, main: &str) -> anyhow::Result<PathBuf> {
    let folder = bench.join(name);
    let manifest = format!(
        "[package]\nname = \"consumer-{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n\n[workspace]\n"
    );
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("src/main.rs"), main)?;
    Ok(folder)
}

fn clean(folder: &Path) -> anyhow::Result<()> {
    match std::fs::remove_dir_all(folder.join("target")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn build(workspace: &Workspace, folder: &Path, args: &[&str]) -> anyhow::Result<()> {
    let mut command = workspace.cargo(["build", "--quiet"]);
    command
        .args(args)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_INCREMENTAL", "0");
    let status = command.status().with_context(|| folder.display().to_string())?;
    anyhow::ensure!(status.success(), "the build failed");
    Ok(())
}

fn rlib_megabytes(folder: &Path) -> anyhow::Result<u64> {
    for entry in std::fs::read_dir(folder.join("target/debug/deps"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("libredfish_model") && name.ends_with(".rlib") {
            return Ok(entry.metadata()?.len() / 1_000_000);
        }
    }
    anyhow::bail!("no rlib of the model in {}", folder.display())
}

//! The running service: requests a second, CPU time, memory, beside bare axum and sushy-tools in the same
//! run. The program `redfish-bench` of the tests measures; here it is built, with what it measures.

use anyhow::Context as _;
use serde_json::Value;

use super::Row;
use crate::prepare;
use crate::workspace::Workspace;

pub(crate) fn rows(workspace: &Workspace) -> anyhow::Result<Vec<Row>> {
    prepare::python(workspace)?;
    for args in [
        &["build", "--quiet", "--release", "--package", "redfish-server"][..],
        &["build", "--quiet", "--release", "--package", "redfish-tests", "--features", "bench"],
    ] {
        let status = workspace.cargo(args.iter().copied()).status()?;
        anyhow::ensure!(status.success(), "`cargo {}` failed", args.join(" "));
    }
    let mut command = workspace.command(workspace.program("redfish-bench", true));
    command.arg("rows").env("REDFISH_SERVER", workspace.program("redfish-server", true));
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    anyhow::ensure!(output.status.success(), "redfish-bench failed");
    let text = String::from_utf8(output.stdout)?;
    text.lines().map(row).collect()
}

fn row(line: &str) -> anyhow::Result<Row> {
    let row: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    Ok(Row {
        name: text("name").into(),
        figure: text("figure"),
        target: text("target").into(),
        peer: text("peer"),
    })
}

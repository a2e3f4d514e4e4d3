//! `cargo xtask run`: the mock with three machines, to look at and to point clients at.
//!
//! It listens on loopback, on a port that is free, with a password made for this run: two of them do not
//! get in each other's way, and none is a way in that outlives it. Its state is thrown away.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{ExitCode, Stdio};

use anyhow::Context as _;
use serde_json::Value;

use crate::workspace::{Workspace, spelled};

/// Build the server and run it with the mock backend and three machines
///
/// Prints URL, account and a curl line; Ctrl-C ends it. Its own password is made each time unless
/// REDFISH_ADMIN_PASSWORD has one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Build in release mode
    #[arg(long)]
    release: bool,
    /// Further arguments of redfish-server, after `--`
    #[arg(last = true, value_name = "ARGUMENT")]
    more: Vec<String>,
}

const USER: &str = "admin";
const PASSWORD: &str = "REDFISH_ADMIN_PASSWORD";

/// Runs the task.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::discover()?;
    let mut build = workspace.cargo(["build", "--package", "redfish-server"]);
    if args.release {
        build.arg("--release");
    }
    println!("$ {}", spelled(&build));
    if !build.status()?.success() {
        return Ok(ExitCode::FAILURE);
    }
    let password = match std::env::var(PASSWORD) {
        Ok(given) if !given.is_empty() => given,
        _ => made_up()?,
    };
    // A folder for each process: the account of an earlier one would keep its password.
    let states = workspace.cache.join("run");
    sweep(&states);
    let state = states.join(std::process::id().to_string());
    let mut server = workspace.command(workspace.program("redfish-server", args.release));
    for (option, value) in [
        ("--backend", "mock"),
        ("--mock-machines", "3"),
        ("--listen", "127.0.0.1:0"),
        ("--admin-listen", "127.0.0.1:0"),
    ] {
        if !args.more.iter().any(|given| is_option(given, option)) {
            server.args([option, value]);
        }
    }
    if !args.more.iter().any(|given| is_option(given, "--state-dir")) {
        server.arg("--state-dir").arg(&state);
    }
    println!("$ {}", spelled(server.args(&args.more)));
    let mut child = server
        .env(PASSWORD, &password)
        .stdout(Stdio::piped())
        .spawn()
        .context("Cannot start redfish-server")?;
    let output = BufReader::new(child.stdout.take().context("The output was not piped")?);
    for line in output.lines() {
        let line = line?;
        match announced(&line, &password) {
            Some(text) => println!("\n{text}\n"),
            None => println!("{line}"),
        }
    }
    let status = child.wait()?;
    if state.exists() {
        std::fs::remove_dir_all(&state).with_context(|| state.display().to_string())?;
    }
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Removes the folders of runs that are over; Ctrl-C leaves no time to do it then.
fn sweep(states: &Path) {
    let entries = std::fs::read_dir(states).into_iter().flatten().flatten();
    for entry in entries.filter(|_| Path::new("/proc/self").exists()) {
        if !Path::new("/proc").join(entry.file_name()).exists() {
            // One that stays is in nobody's way.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether an argument is that option, with its value behind `=` or in the next argument.
fn is_option(given: &str, option: &str) -> bool {
    given.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// 96 random bits, with what rules for passwords ask for.
fn made_up() -> anyhow::Result<String> {
    let mut bytes = [0; 12];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("Run-{hex}"))
}

/// What to tell when the server says where it listens.
fn announced(line: &str, password: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    let url = line["url"].as_str()?.trim_end_matches('/');
    let url = url.strip_suffix("/redfish/v1").unwrap_or(url);
    let trust = line["ca"].as_str().map_or(String::new(), |ca| format!(" --cacert {}", quoted(ca)));
    let mut text = format!("URL       {url}/redfish/v1\nuser      {USER}\npassword  {password}\n");
    if let Some(ca) = line["ca"].as_str() {
        text.push_str(&format!("CA        {ca}\n"));
    }
    if let Some(admin) = line["admin"].as_str() {
        text.push_str(&format!("admin     {admin}\n"));
    }
    let account = quoted(&format!("{USER}:{password}"));
    text.push_str(&format!(
        "\ncurl{trust} -u {account} {url}/redfish/v1/Systems\n\nCtrl-C ends it."
    ));
    Some(text)
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_announcement_has_a_line_to_paste() {
        #[track_caller]
        fn check(line: &str, expect: Option<&str>) {
            let text = announced(line, "it's");
            let curl =
                text.as_deref().and_then(|text| text.lines().find(|l| l.starts_with("curl")));
            assert_eq!(curl, expect);
        }
        check(
            r#"{"url":"https://127.0.0.1:4711/redfish/v1/","ca":"/a b/ca.pem"}"#,
            Some(
                r"curl --cacert '/a b/ca.pem' -u 'admin:it'\''s' https://127.0.0.1:4711/redfish/v1/Systems",
            ),
        );
        check(
            r#"{"url":"http://127.0.0.1:4711"}"#,
            Some(r"curl -u 'admin:it'\''s' http://127.0.0.1:4711/redfish/v1/Systems"),
        );
        check(r#"{"audit":"login"}"#, None);
        check("started", None);
    }

    #[test]
    fn options_can_be_given_otherwise() {
        #[track_caller]
        fn check(given: &str, expect: bool) {
            assert_eq!(is_option(given, "--listen"), expect, "{given}");
        }
        check("--listen", true);
        check("--listen=[::1]:0", true);
        check("--listening", false);
        check("listen", false);
    }

    #[test]
    fn passwords_differ() -> anyhow::Result<()> {
        assert_ne!(made_up()?, made_up()?);
        Ok(())
    }
}

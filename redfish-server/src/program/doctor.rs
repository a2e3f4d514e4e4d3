//! `doctor`: what would keep the service from working, and what to do about it.

use std::process::ExitCode;

use redfish_backend::MachineId;
use redfish_backend::backend::Finding;
use redfish_backend::machine::Severity;
use redfish_server::config::Config;
use redfish_server::config::cli::Format;
use redfish_server::store::Folder;
use redfish_server::tls::{self, CertificateDetails};
use serde_json::{Value, json};

use super::{Failure, backends, causes, commands};

/// A certificate with fewer days left is worth a word.
const DAYS: i64 = 30;

/// Looks at the service, and at one machine or all; exit code 1 when something does not work.
pub(super) async fn run(
    config: &Config,
    machine: Option<&str>,
    media: Option<&str>,
    format: Format,
) -> Result<ExitCode, Failure> {
    let machine = machine.map(MachineId::new).transpose().map_err(|e| Failure::other(&e))?;
    let mut findings = vec![state_folder(config)];
    findings.extend(certificate(config));
    findings.extend(match media {
        Some(url) => Some(image(config, url).await),
        None => None,
    });
    match backends::start(config).await {
        Ok(started) => {
            commands::known(&*started.backend).await?;
            let machines = started.backend.snapshot().known().len();
            findings.push(found("backend", Severity::Ok, format!("{machines} machines"), None));
            findings.extend(started.backend.diagnose(machine.as_ref()).await);
        }
        Err(failure) => {
            let remedy = Some("Mend the configuration; check-config looks at it alone");
            findings.push(found("backend", Severity::Critical, failure.to_string(), remedy));
        }
    }
    let rows: Vec<_> = findings.iter().map(row).collect();
    let text = || findings.iter().map(line).collect::<Vec<_>>().join("\n");
    commands::print(format, &json!(rows), text);
    let worst = findings.iter().map(|finding| finding.level).max().unwrap_or_default();
    Ok(if worst == Severity::Critical { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn found(check: &'static str, level: Severity, message: String, remedy: Option<&str>) -> Finding {
    Finding { check, machine: None, level, message: message.into(), remedy: remedy.map(Into::into) }
}

fn state_folder(config: &Config) -> Finding {
    let opened = config.state_dir().map_err(|error| error.to_string());
    let opened = opened.and_then(|path| Folder::open(path).map_err(|error| causes(&error)));
    match opened {
        Ok(folder) => {
            let message = folder.path().display().to_string();
            found("state-folder", Severity::Ok, message, None)
        }
        Err(message) if message.contains("in use") => {
            found("state-folder", Severity::Ok, "It is in use: the service runs".to_owned(), None)
        }
        Err(message) => {
            let remedy = Some("Give the folder to the service alone, or name another: --state-dir");
            found("state-folder", Severity::Critical, message, remedy)
        }
    }
}

fn certificate(config: &Config) -> Option<Finding> {
    let (certificate, key) = (config.tls.certificate.as_ref()?, config.tls.key.as_ref()?);
    let read = tls::read(certificate, key).map_err(|error| causes(&error));
    let read = read.and_then(|key| {
        let first = key.cert.first().ok_or_else(|| "There is no certificate".to_owned())?;
        CertificateDetails::of(first).map_err(|error| causes(&error))
    });
    Some(match read {
        Ok(details) => {
            let left = details.not_after.as_second() - jiff::Timestamp::now().as_second();
            let level = match left {
                ..=0 => Severity::Critical,
                _ if left < DAYS * 86_400 => Severity::Warning,
                _ => Severity::Ok,
            };
            let remedy = (level != Severity::Ok).then_some("Replace it; it is taken up at once");
            found("certificate", level, format!("Valid until {}", details.not_after), remedy)
        }
        Err(message) => {
            let remedy = Some("tls.certificate and tls.key must be PEM files that belong together");
            found("certificate", Severity::Critical, message, remedy)
        }
    })
}

/// Whether the outbound policy lets an image pass, and its host has an address.
async fn image(config: &Config, url: &str) -> Finding {
    let policy = backends::outbound(config);
    let refused = |why: String| {
        let remedy = Some("See [outbound]: allow, deny, guard, only_allowed");
        found("media", Severity::Critical, why, remedy)
    };
    let destination = match policy.destination(url) {
        Ok(destination) => destination,
        Err(refusal) => return refused(refusal.to_string()),
    };
    let host = destination.host().trim_matches(['[', ']']).to_owned();
    let resolved = match tokio::net::lookup_host((host, destination.port())).await {
        Ok(resolved) => resolved.collect::<Vec<_>>(),
        Err(error) => return refused(error.to_string()),
    };
    match policy.connectable(&destination, resolved) {
        Ok(addresses) => {
            let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
            found("media", Severity::Ok, format!("Passes, at {}", addresses.join(", ")), None)
        }
        Err(refusal) => refused(refusal.to_string()),
    }
}

const fn word(level: Severity) -> &'static str {
    match level {
        Severity::Ok => "ok",
        Severity::Warning => "warning",
        Severity::Critical => "critical",
    }
}

fn row(finding: &Finding) -> Value {
    json!({
        "check": finding.check,
        "machine": finding.machine.as_ref().map(MachineId::as_str),
        "level": word(finding.level),
        "message": finding.message.as_str(),
        "remedy": finding.remedy.as_ref().map(redfish_backend::Message::as_str),
    })
}

fn line(finding: &Finding) -> String {
    let machine = finding.machine.as_ref().map_or("", MachineId::as_str);
    let mut line =
        format!("{:9} {:16} {machine} {}", word(finding.level), finding.check, finding.message);
    if let Some(remedy) = &finding.remedy {
        line.push_str(&format!("\n          remedy: {remedy}"));
    }
    line
}

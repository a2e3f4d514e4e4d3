//! Commands that print something and end.

use std::process::ExitCode;
use std::time::Duration;

use redfish_backend::MachineBackend;
use redfish_backend::snapshot::Readiness;
use redfish_server::accounts::{Cost, hash_password as hashed};
use redfish_server::config::Config;
use redfish_server::config::cli::{Format, Output};
use redfish_server::services::registries;
use redfish_server::tls;
use serde_json::{Value, json};

use super::{Failure, accounts, backends, state};

/// How long a backend may take to know its machines.
const PATIENCE: Duration = Duration::from_secs(30);

/// Prints a value for programs, or lines for people.
pub(super) fn print(format: Format, value: &Value, text: impl FnOnce() -> String) {
    match format.output {
        Output::Json => println!("{value}"),
        Output::Text => println!("{}", text()),
    }
}

pub(super) fn version(format: Format) -> ExitCode {
    let version = env!("CARGO_PKG_VERSION");
    print(format, &json!({ "version": version }), || format!("redfish-server {version}"));
    ExitCode::SUCCESS
}

pub(super) fn hash_password() -> Result<ExitCode, Failure> {
    let hash = hashed(&state::read_password()?.into(), Cost::default());
    let hash = hash.ok_or_else(|| Failure::Other("There is no randomness".to_owned()))?;
    println!("{}", hash.expose());
    Ok(ExitCode::SUCCESS)
}

/// Looks at everything that the configuration names, without starting anything.
pub(super) async fn check_config(config: &Config, format: Format) -> Result<ExitCode, Failure> {
    accounts::configured(config)?;
    if let (Some(certificate), Some(key)) = (&config.tls.certificate, &config.tls.key) {
        tls::read(certificate, key).map_err(|error| Failure::config(&error))?;
    }
    if let Some(path) = &config.registries.path {
        registries::load(path).map_err(|error| Failure::config(&error))?;
    }
    backends::start(config).await?;
    print(format, &json!({ "ok": true }), || "The configuration is fine".to_owned());
    Ok(ExitCode::SUCCESS)
}

/// Waits until a backend knows its machines.
pub(super) async fn known(backend: &dyn MachineBackend) -> Result<(), Failure> {
    let mut readiness = backend.snapshot().watch_readiness();
    let known = readiness.wait_for(|readiness| *readiness != Readiness::Starting);
    match tokio::time::timeout(PATIENCE, known).await {
        Ok(Ok(_)) => Ok(()),
        _ => Err(Failure::Other("The backend does not tell of its machines".to_owned())),
    }
}

/// Lists the machines and where each can be reached.
pub(super) async fn machines(config: &Config, format: Format) -> Result<ExitCode, Failure> {
    let started = backends::start(config).await?;
    known(&*started.backend).await?;
    let scheme = if config.http { "http" } else { "https" };
    let at = |address: &std::net::SocketAddr, id: &str| {
        format!("{scheme}://{address}/redfish/v1/Systems/{id}")
    };
    let machines = started.backend.snapshot().known();
    let rows: Vec<_> = machines
        .iter()
        .map(|machine| {
            let id = machine.id.as_str();
            let mut urls: Vec<_> = config.listen.iter().map(|address| at(address, id)).collect();
            for endpoint in &config.endpoint {
                let name = match &endpoint.machine {
                    None => id,
                    Some(only) if only == id => "1",
                    Some(_) => continue,
                };
                urls.extend(endpoint.listen.iter().map(|address| at(address, name)));
            }
            json!({ "id": id, "name": machine.identity.name.as_str(), "power": machine.power, "urls": urls })
        })
        .collect();
    let text = || {
        let line = |row: &Value| {
            let urls = row["urls"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let urls = urls.collect::<Vec<_>>().join(" ");
            format!("{:24} {:12} {urls}", word("id"), word("power"))
        };
        rows.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    print(format, &json!(rows), text);
    Ok(ExitCode::SUCCESS)
}

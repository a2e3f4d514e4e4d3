//! File, environment and command line as one table.

use std::fmt;
use std::path::Path;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// What environment variables of ours begin with.
const PREFIX: &str = "REDFISH_";
/// Those that are no keys: the password of the first start, and what only the project's tools read.
const OTHERS: &[&str] = &["REDFISH_ADMIN_PASSWORD", "REDFISH_BUNDLE", "REDFISH_CACHE_DIR"];

/// What is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, variable or option that gave it, if one did.
    pub source: Option<String>,
    /// The key.
    pub key: Option<String>,
    /// What is wrong with it, and what is allowed.
    pub reason: String,
}

impl ConfigError {
    /// A fault of a key.
    pub fn of(key: &str, reason: impl Into<String>) -> Self {
        Self { source: None, key: Some(key.to_owned()), reason: reason.into() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [&self.source, &self.key].into_iter().flatten() {
            write!(f, "{part}: ")?;
        }
        f.write_str(self.reason.trim_end())
    }
}

impl std::error::Error for ConfigError {}

/// Reads a configuration from a file, the environment and what the command line says.
pub(super) fn read<T: DeserializeOwned>(
    file: Option<&Path>,
    environment: impl IntoIterator<Item = (String, String)>,
    options: Table,
    finish: impl FnOnce(&mut Table),
) -> Result<T, ConfigError> {
    let mut layers = Vec::new();
    if let Some(file) = file {
        layers.push((file.display().to_string(), read_file(file)?));
    }
    for (name, value) in environment {
        if let Some(layer) = read_variable(&name, &value) {
            layers.push((name, layer));
        }
    }
    layers.push(("command line".to_owned(), options));
    let mut whole = Table::new();
    for (_, layer) in &layers {
        lay_over(&mut whole, layer.clone());
    }
    finish(&mut whole);
    serde_path_to_error::deserialize(Value::Table(whole)).map_err(|error| {
        let key = error.path().to_string();
        // The last layer that has the key, or what is above it, gave it.
        let first = key.split(['.', '[']).next().unwrap_or_default().to_owned();
        let path: Vec<_> = key.split('.').collect();
        let gave = |layer: &Table| match get(layer, &path) {
            true => true,
            false => path.len() == 1 && layer.contains_key(&first),
        };
        let source = layers.iter().rev().find(|(_, layer)| gave(layer));
        let source = source.or_else(|| layers.iter().rev().find(|(_, l)| l.contains_key(&first)));
        let source = source.or(layers.first()).map(|(name, _)| name.clone());
        ConfigError {
            source,
            key: Some(key).filter(|key| key != "."),
            reason: error.inner().to_string(),
        }
    })
}

fn read_file(path: &Path) -> Result<Table, ConfigError> {
    let source = Some(path.display().to_string());
    let fault = |reason: String| ConfigError { source: source.clone(), key: None, reason };
    let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    text.parse().map_err(|error: toml::de::Error| fault(error.to_string()))
}

/// `REDFISH_COMPAT__PROFILE=strict` as `compat.profile = "strict"`.
fn read_variable(name: &str, value: &str) -> Option<Table> {
    let path = name.strip_prefix(PREFIX).filter(|_| !OTHERS.contains(&name))?.to_lowercase();
    let parsed: Result<Table, _> = format!("value = {value}").parse();
    let value = match parsed {
        Ok(mut table) if table.len() == 1 => table.remove("value")?,
        // What is no TOML value is a text without its quotes.
        _ => Value::String(value.to_owned()),
    };
    let nested = path
        .rsplit("__")
        .fold(value, |value, key| Value::Table([(key.to_owned(), value)].into_iter().collect()));
    match nested {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// Whether a table has something at a path; indexes into arrays end it.
fn get(table: &Table, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    let name = first.split('[').next().unwrap_or_default();
    match table.get(name) {
        Some(Value::Table(below)) if !rest.is_empty() => get(below, rest),
        Some(_) => true,
        None => false,
    }
}

/// Tables are merged, anything else is replaced.
fn lay_over(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

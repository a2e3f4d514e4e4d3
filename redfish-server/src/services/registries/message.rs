//! The operator's message registries (`registries.path`): read once, bounded and checked.
//!
//! They are DMTF's files or those of vendors. Two things in them do not belong in an answer:
//! `@Redfish.Copyright`, and `Severity` of each message, which the schema gave up.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use redfish_model::{Field, MessageRegistry, OpenEnum as _};

/// The largest file; DMTF's have up to half a megabyte.
const MAX_FILE: u64 = 4 << 20;
/// The most files.
const MAX_FILES: usize = 64;

/// Why a registry cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The folder or a file in it.
    #[error("{path}: cannot be read")]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that is too large, or one too many.
    #[error("{path}: more than {MAX_FILES} files of at most 4 MiB each are not read")]
    TooMuch {
        /// Which one.
        path: PathBuf,
    },
    /// A file with something else in it.
    #[error("{path}: no message registry: {reason}; put nothing else into this folder")]
    NoRegistry {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads the registries of a folder, or one from a file.
///
/// # Errors
/// The first file that cannot be read or is no message registry; other than `.json` is not looked at.
pub fn load(path: &Path) -> Result<Vec<MessageRegistry>, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
    if std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Ok(vec![read(path)?]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            files.push(file);
        }
        if files.len() > MAX_FILES {
            return Err(LoadError::TooMuch { path: path.to_owned() });
        }
    }
    files.sort();
    let mut registries = Vec::<MessageRegistry>::new();
    for file in files {
        let registry = read(&file)?;
        if registries.iter().any(|other| other.id == registry.id) {
            let reason = "another file has the same Id".to_owned();
            return Err(LoadError::NoRegistry { path: file, reason });
        }
        registries.push(registry);
    }
    Ok(registries)
}

fn read(path: &Path) -> Result<MessageRegistry, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        return Err(LoadError::TooMuch { path: path.to_owned() });
    }
    parse(&text).map_err(|reason| LoadError::NoRegistry { path: path.to_owned(), reason })
}

fn parse(text: &[u8]) -> Result<MessageRegistry, String> {
    let mut registry: MessageRegistry =
        serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let odata_type = registry.odata_type().unwrap_or_default();
    if !odata_type.starts_with("#MessageRegistry.v1_") {
        return Err(format!("@odata.type is {odata_type:?}"));
    }
    let inspection = redfish_model::Inspection::of(&registry);
    // Files older than 1.4.0 of the schema have the one severity, newer ones both.
    let severity = |member: &str| matches!(member, "Severity" | "MessageSeverity");
    if let Some(missing) = inspection.missing.iter().find(|missing| !severity(missing.member)) {
        return Err(missing.to_string());
    }
    if let Some(misfit) = inspection.misfits.first() {
        return Err(misfit.to_string());
    }
    registry.extra.remove("@Redfish.Copyright");
    for message in registry.messages.value_mut().into_iter().flat_map(|m| m.values_mut()) {
        if let (Field::Value(old), false) =
            (message.severity.take(), message.message_severity.is_value())
        {
            message.message_severity = redfish_model::resource::Health::from_text(&old).into();
        }
        message.extra.remove("@Redfish.Copyright");
    }
    Ok(registry)
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A registry of one message, in the form of the published files.
    pub(in super::super) fn file() -> Value {
        json!({
            "@Redfish.Copyright": "Somebody",
            "@odata.type": "#MessageRegistry.v1_7_0.MessageRegistry",
            "Id": "Test.1.0.2", "Name": "Test", "Language": "en", "OwningEntity": "Contoso",
            "RegistryPrefix": "Test", "RegistryVersion": "1.0.2",
            "Messages": {"Failed": {
                "Description": "d", "Message": "%1 failed.", "Severity": "Warning",
                "MessageSeverity": "Critical", "NumberOfArgs": 1, "ParamTypes": ["string"],
                "Resolution": "None.",
            }},
        })
    }

    #[test]
    fn what_does_not_belong_in_an_answer_is_taken_out() {
        let served = serde_json::to_value(parse(file().to_string().as_bytes()).unwrap()).unwrap();
        assert!(served.get("@Redfish.Copyright").is_none());
        let message = &served["Messages"]["Failed"];
        assert!(message.get("Severity").is_none());
        assert_eq!(message["MessageSeverity"], "Critical");
        let mut old = file();
        old["Messages"]["Failed"].as_object_mut().unwrap().remove("MessageSeverity");
        let served = serde_json::to_value(parse(old.to_string().as_bytes()).unwrap()).unwrap();
        assert_eq!(served["Messages"]["Failed"]["MessageSeverity"], "Warning");
    }

    #[test]
    fn other_files_are_refused() {
        let check = |text: &str, expect: &str| {
            let reason = parse(text.as_bytes()).unwrap_err();
            assert!(reason.contains(expect), "{text}: {reason}");
        };
        check("", "EOF");
        check("[]", "object");
        check("{}", "@odata.type");
        check(r##"{"@odata.type": "#Role.v1_3_3.Role"}"##, "Role");
        check(r##"{"@odata.type": "#MessageRegistry.v1_7_0.MessageRegistry"}"##, "missing");
        let mut file = file();
        file["Messages"]["Failed"]["NumberOfArgs"] = "one".into();
        check(&file.to_string(), "/Messages/Failed/NumberOfArgs");
    }

    #[test]
    fn folders_are_read_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("README", "no registry");
        assert!(load(folder.path()).unwrap().is_empty());
        write("a.json", &file().to_string());
        assert_eq!(load(folder.path()).unwrap().len(), 1);
        assert_eq!(load(&folder.path().join("a.json")).unwrap().len(), 1);
        write("b.json", &file().to_string());
        assert!(load(folder.path()).unwrap_err().to_string().contains("b.json"));
        write("b.json", &" ".repeat(5 << 20));
        assert!(matches!(load(folder.path()), Err(LoadError::TooMuch { .. })));
        write("b.json", "{");
        assert!(matches!(load(folder.path()), Err(LoadError::NoRegistry { .. })));
        let missing = folder.path().join("missing");
        assert!(matches!(load(&missing), Err(LoadError::Unreadable { .. })));
    }
}

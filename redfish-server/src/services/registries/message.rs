//! The operator's message registries (`registries.path`): read once, bounded and checked.
//!
//! They are DMTF's files or those of vendors; the bundle DSP8011 will do, as it is or unpacked, in which
//! there are many versions, other registries, and types that no schema has. Two things in them do not
//! belong in an answer: `@Redfish.Copyright`, and `Severity` of each message, which the schema gave up.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use redfish_model::{Field, MessageRegistry, OpenEnum as _};

use crate::messages;

/// The largest file; DMTF's have up to half a megabyte.
const MAX_FILE: u64 = 4 << 20;
/// The most files; DSP8011 has less than half of that.
const MAX_FILES: usize = 512;
/// How the type of a message registry begins.
const TYPE: &str = "#MessageRegistry.v1_";

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
    /// An archive that is damaged.
    #[error(
        "{path}: is no zip archive that can be read: {reason}; give the file as DMTF publishes it"
    )]
    NoArchive {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that is damaged, or does not keep to its schema.
    #[error("{path}: cannot be served as a message registry: {reason}; mend or remove it")]
    NoRegistry {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads the registries of a folder or of a zip archive, or one from a file: of each the newest version,
/// and of the Base registry the one whose messages we send, if it is there. Files of other types are
/// passed over.
///
/// # Errors
/// The first file that cannot be read or served; other than `.json` is not looked at.
pub fn load(path: &Path) -> Result<Vec<MessageRegistry>, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
    let is_file = std::fs::metadata(path).map_err(unreadable)?.is_file();
    if is_file && is_archive(path) {
        return unpack(path).and_then(newest);
    }
    let mut files = Vec::new();
    if is_file {
        files.push(path.to_owned());
    } else {
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
    }
    let mut found = Vec::new();
    for file in files {
        found.extend(read(&file)?.map(|registry| (file, registry)));
    }
    newest(found)
}

fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

/// The registries of an archive. What it holds is bounded by what comes out, not by what it claims.
fn unpack(path: &Path) -> Result<Vec<(PathBuf, MessageRegistry)>, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
    let damaged = |reason: zip::result::ZipError| LoadError::NoArchive {
        path: path.to_owned(),
        reason: reason.to_string(),
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut archive = zip::ZipArchive::new(file).map_err(damaged)?;
    let names = archive.file_names().map(|name| name.map(Cow::into_owned));
    let mut names = names.collect::<Result<Vec<_>, _>>().map_err(damaged)?;
    names.retain(|name| name.ends_with(".json"));
    if names.len() > MAX_FILES {
        return Err(LoadError::TooMuch { path: path.to_owned() });
    }
    names.sort();
    let mut found = Vec::new();
    for name in names {
        let at = path.join(&name);
        let registry = take(archive.by_name(&name).map_err(damaged)?, &at)?;
        found.extend(registry.map(|registry| (at, registry)));
    }
    Ok(found)
}

/// Of each registry the version that is wanted most.
fn newest(found: Vec<(PathBuf, MessageRegistry)>) -> Result<Vec<MessageRegistry>, LoadError> {
    let mut newest = BTreeMap::<String, (Rank, PathBuf, MessageRegistry)>::new();
    for (file, registry) in found {
        let prefix = registry.registry_prefix().unwrap_or_default().to_owned();
        let version = rank(&registry);
        if newest.get(&prefix).is_none_or(|(other, ..)| *other < version) {
            newest.insert(prefix, (version, file, registry));
        }
    }
    // Old versions have faults of their own, which do not matter.
    let winners = newest.into_values();
    winners
        .map(|(_, path, registry)| {
            shown(registry).map_err(|reason| LoadError::NoRegistry { path, reason })
        })
        .collect()
}

/// How much a version is wanted: whether its messages are those that we send, and how new it is.
type Rank = (bool, Vec<u32>);

fn rank(registry: &MessageRegistry) -> Rank {
    let version = registry.registry_version().unwrap_or_default();
    let ours = registry.registry_prefix() == Ok(messages::PREFIX) && version == messages::VERSION;
    (ours, version.split('.').map(|number| number.parse().unwrap_or_default()).collect())
}

fn read(path: &Path) -> Result<Option<MessageRegistry>, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
    take(std::fs::File::open(path).map_err(unreadable)?, path)
}

/// Reads one file, wherever it comes from.
fn take(file: impl Read, path: &Path) -> Result<Option<MessageRegistry>, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
    let mut text = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        return Err(LoadError::TooMuch { path: path.to_owned() });
    }
    parse(&text).map_err(|reason| LoadError::NoRegistry { path: path.to_owned(), reason })
}

/// The registry as it stands in the file; `None` if the file has another type.
fn parse(text: &[u8]) -> Result<Option<MessageRegistry>, String> {
    let registry: MessageRegistry =
        serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let odata_type = registry.odata_type().map_err(|missing| missing.to_string())?;
    Ok(odata_type.starts_with(TYPE).then_some(registry))
}

/// The registry as it is served.
fn shown(mut registry: MessageRegistry) -> Result<MessageRegistry, String> {
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

    fn served(file: &Value) -> MessageRegistry {
        shown(parse(file.to_string().as_bytes()).unwrap().unwrap()).unwrap()
    }

    #[test]
    fn what_does_not_belong_in_an_answer_is_taken_out() {
        let shown = serde_json::to_value(served(&file())).unwrap();
        assert!(shown.get("@Redfish.Copyright").is_none());
        let message = &shown["Messages"]["Failed"];
        assert!(message.get("Severity").is_none());
        assert_eq!(message["MessageSeverity"], "Critical");
        let mut old = file();
        old["Messages"]["Failed"].as_object_mut().unwrap().remove("MessageSeverity");
        let shown = serde_json::to_value(served(&old)).unwrap();
        assert_eq!(shown["Messages"]["Failed"]["MessageSeverity"], "Warning");
    }

    #[test]
    fn damaged_files_are_refused() {
        let check = |text: &str, expect: &str| {
            let parsed = parse(text.as_bytes()).and_then(|registry| shown(registry.unwrap()));
            let reason = parsed.unwrap_err();
            assert!(reason.contains(expect), "{text}: {reason}");
        };
        check("", "EOF");
        check("[]", "object");
        check("{}", "@odata.type");
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
        write("other.json", r##"{"@odata.type": "#PrivilegeRegistry.v1_1_4.PrivilegeRegistry"}"##);
        assert!(load(folder.path()).unwrap().is_empty());
        write("a.json", &file().to_string());
        assert_eq!(load(folder.path()).unwrap().len(), 1);
        assert_eq!(load(&folder.path().join("a.json")).unwrap().len(), 1);
        write("b.json", &" ".repeat(5 << 20));
        assert!(matches!(load(folder.path()), Err(LoadError::TooMuch { .. })));
        write("b.json", "{");
        assert!(matches!(load(folder.path()), Err(LoadError::NoRegistry { .. })));
        let missing = folder.path().join("missing");
        assert!(matches!(load(&missing), Err(LoadError::Unreadable { .. })));
    }

    #[test]
    fn archives_are_read_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bundle.ZIP");
        let pack = |files: &[(&str, &str)]| {
            use std::io::Write as _;
            let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
            for (name, text) in files {
                archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
                archive.write_all(text.as_bytes()).unwrap();
            }
            archive.finish().unwrap();
        };
        let text = file().to_string();
        let mut newer = file();
        newer["RegistryVersion"] = "1.1.0".into();
        let newer = newer.to_string();
        pack(&[("LICENSE.md", "x"), ("registries/a.json", &text), ("registries/b.json", &newer)]);
        let loaded = load(&path).unwrap();
        assert_eq!((loaded.len(), loaded[0].registry_version().unwrap()), (1, "1.1.0"));
        pack(&[("a.json", "{")]);
        let error = load(&path).unwrap_err();
        assert!(error.to_string().contains("bundle.ZIP/a.json"), "{error}");
        // It packs well, and is not unpacked to its end.
        pack(&[("a.json", &" ".repeat(5 << 20))]);
        assert!(matches!(load(&path), Err(LoadError::TooMuch { .. })));
        std::fs::write(&path, "no archive").unwrap();
        assert!(matches!(load(&path), Err(LoadError::NoArchive { .. })));
    }

    #[test]
    fn one_version_of_each_is_taken() {
        let check = |prefix: &str, versions: &[&str], expect: &str| {
            let folder = tempfile::tempdir().unwrap();
            for (index, version) in versions.iter().enumerate() {
                let mut file = file();
                file["RegistryPrefix"] = prefix.into();
                file["RegistryVersion"] = (*version).into();
                std::fs::write(folder.path().join(format!("{index}.json")), file.to_string())
                    .unwrap();
            }
            let loaded = load(folder.path()).unwrap();
            let found: Vec<_> = loaded.iter().map(|r| r.registry_version().unwrap()).collect();
            assert_eq!(found, [expect], "{prefix} {versions:?}");
        };
        check("Test", &["1.9.0", "1.10.0", "1.2.0"], "1.10.0");
        check("Base", &["1.9.0", "1.10.0"], "1.10.0");
        check("Base", &[messages::VERSION, "1.99.0"], messages::VERSION);
    }
}

//! Reads the DMTF bundle: the only module of this crate that does I/O.
//!
//! A bundle is any mix of zips and folders; what counts is the last folder of a file's path
//! (`openapi/`, `json-schema/`, `registries/`) and its name, so that the published zips, an
//! unpacked copy and a repackaged one are all the same. Hashes are taken over the parsed content
//! for the same reason: line ends, indentation and packaging do not matter.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::version::Version;

/// The folders of a bundle that the pipeline reads.
const FOLDERS: [&str; 3] = ["openapi", "json-schema", "registries"];

/// How deep folders are searched for the three above, and for zips.
const MAX_DEPTH: usize = 4;

/// The largest file that is read; the largest of the bundle has 5 MB.
const MAX_FILE: u64 = 64 << 20;

/// The schema files of one release, wherever they are packed.
#[derive(Debug)]
pub struct Bundle {
    sources: Vec<PathBuf>,
    archives: Vec<(PathBuf, RefCell<zip::ZipArchive<File>>)>,
    index: BTreeMap<String, Place>,
    hashes: RefCell<BTreeMap<String, String>>,
}

#[derive(Clone, Debug)]
enum Place {
    File(PathBuf),
    Member { archive: usize, position: usize },
}

impl Bundle {
    /// Indexes the given zips and folders; of two files with one name the first source's counts.
    pub fn open(sources: &[PathBuf]) -> Result<Self> {
        let mut bundle = Self {
            sources: sources.to_vec(),
            archives: Vec::new(),
            index: BTreeMap::new(),
            hashes: RefCell::default(),
        };
        for source in sources {
            if source.is_dir() {
                bundle.index_folder(source, 0)?;
            } else if source.is_file() {
                bundle.index_archive(source)?;
            } else {
                return Err(Error::NoSource { path: source.display().to_string() });
            }
        }
        // The folders come together; what lacks one is something else.
        for folder in FOLDERS {
            let folder = format!("{folder}/");
            let first = bundle.index.range(folder.clone()..).next();
            if !first.is_some_and(|(name, _)| name.starts_with(&folder)) {
                return Err(bundle.no_file(&folder));
            }
        }
        Ok(bundle)
    }

    fn index_folder(&mut self, folder: &Path, depth: usize) -> Result<()> {
        let unreadable = |source| Error::Unreadable { place: folder.display().to_string(), source };
        let mut entries = std::fs::read_dir(folder)
            .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
            .map_err(unreadable)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if path.is_dir() && depth < MAX_DEPTH {
                self.index_folder(&path, depth + 1)?;
            } else if path.extension().is_some_and(|e| e == "zip") {
                self.index_archive(&path)?;
            } else if let Some(name) = bundle_name(&path.to_string_lossy()) {
                self.index.entry(name).or_insert(Place::File(path));
            }
        }
        Ok(())
    }

    fn index_archive(&mut self, path: &Path) -> Result<()> {
        let zip = open_zip(path)?;
        let archive = self.archives.len();
        for position in 0..zip.len() {
            let name = zip.name_for_index(position).and_then(std::result::Result::ok);
            let name = name.and_then(|name| bundle_name(&name));
            let Some(name) = name else { continue };
            self.index.entry(name).or_insert(Place::Member { archive, position });
        }
        self.archives.push((path.to_owned(), RefCell::new(zip)));
        Ok(())
    }

    /// Whether the bundle has a file, named as in `openapi/VirtualMedia.yaml`.
    pub fn contains(&self, file: &str) -> bool {
        self.index.contains_key(file)
    }

    /// The newest version of a schema that the bundle has, from the names in `openapi/`.
    pub fn newest(&self, schema: &str) -> Option<Version> {
        let prefix = format!("openapi/{schema}.v");
        self.index
            .range(prefix.clone()..)
            .take_while(|(name, _)| name.starts_with(&prefix))
            .filter_map(|(name, _)| {
                let text =
                    name.strip_prefix("openapi/")?.strip_prefix(schema)?.strip_prefix('.')?;
                Version::parse(text.strip_suffix(".yaml")?)
            })
            .max()
    }

    /// The newest registry named `{prefix}{dotted version}{suffix}`, and its version.
    pub fn newest_registry(&self, prefix: &str, suffix: &str) -> Result<(String, Version)> {
        let folder = format!("registries/{prefix}");
        self.index
            .keys()
            .filter_map(|name| {
                let version = name.strip_prefix(&folder)?.strip_suffix(suffix)?;
                Some((Version::parse_dotted(version)?, name.clone()))
            })
            .max()
            .map(|(version, name)| (name, version))
            .ok_or_else(|| self.no_file(&format!("{folder}*{suffix}")))
    }

    /// Reads and parses a file, and remembers its hash.
    pub fn read(&self, file: &str) -> Result<Value> {
        let value = self.parse(file)?;
        self.hashes.borrow_mut().insert(file.into(), hash(&value));
        Ok(value)
    }

    /// Reads and parses a file that is not pinned, such as the optional index.
    pub fn read_unpinned(&self, file: &str) -> Result<Option<Value>> {
        if self.contains(file) { self.parse(file).map(Some) } else { Ok(None) }
    }

    /// The hash of every file read so far.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.hashes.borrow().clone()
    }

    fn parse(&self, file: &str) -> Result<Value> {
        let text = self.text(file)?;
        if file.ends_with(".json") {
            serde_json::from_str(&text).map_err(|e| Error::syntax(file, e))
        } else {
            serde_saphyr::from_str_with_options(&text, yaml_options())
                .map_err(|e| Error::syntax(file, e))
        }
    }

    fn text(&self, file: &str) -> Result<String> {
        let mut bytes = Vec::new();
        match self.index.get(file).ok_or_else(|| self.no_file(file))? {
            Place::File(path) => {
                File::open(path).and_then(|f| f.take(MAX_FILE).read_to_end(&mut bytes)).map_err(
                    |source| Error::Unreadable { place: path.display().to_string(), source },
                )?
            }
            Place::Member { archive, position } => {
                let (path, zip) = &self.archives[*archive];
                let place = || format!("{}: {file}", path.display());
                let unreadable = |source| Error::Unreadable { place: place(), source };
                let mut zip = zip.borrow_mut();
                let member = zip.by_index(*position).map_err(|e| unreadable(e.into()))?;
                member.take(MAX_FILE).read_to_end(&mut bytes).map_err(unreadable)?
            }
        };
        String::from_utf8(bytes).map_err(|e| Error::syntax(file, e))
    }

    fn no_file(&self, file: &str) -> Error {
        let sources: Vec<_> = self.sources.iter().map(|s| s.display().to_string()).collect();
        Error::NoFile { file: file.into(), sources: sources.join(", ") }
    }
}

/// `…/openapi/X.yaml` -> `openapi/X.yaml`, for the folders and types of file that count.
fn bundle_name(path: &str) -> Option<String> {
    let mut parts = path.rsplit('/');
    let (file, folder) = (parts.next()?, parts.next()?);
    let counts = FOLDERS.contains(&folder) && (file.ends_with(".json") || file.ends_with(".yaml"));
    counts.then(|| format!("{folder}/{file}"))
}

/// The index has 400,000 nodes, more than the parser expects of honest YAML.
fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: 2_000_000, max_events: 4_000_000 },
    }
}

fn open_zip(path: &Path) -> Result<zip::ZipArchive<File>> {
    let unreadable = |source| Error::Unreadable { place: path.display().to_string(), source };
    let file = File::open(path).map_err(unreadable)?;
    zip::ZipArchive::new(file).map_err(|e| unreadable(e.into()))
}

/// The SHA-256 of a document's canonical form: members sorted, no white space.
pub fn hash(value: &Value) -> String {
    let digest = Sha256::digest(crate::json::canonical(value));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bundle_names() {
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(bundle_name(path).as_deref(), expect, "{path}");
        };
        check("DSP8010/openapi/X.yaml", Some("openapi/X.yaml"));
        check("openapi/X.v1_0_0.yaml", Some("openapi/X.v1_0_0.yaml"));
        check("a/b/registries/Base.1.0.0.json", Some("registries/Base.1.0.0.json"));
        check("X.yaml", None);
        check("csdl/X_v1.xml", None);
        check("openapi/README.md", None);
    }

    #[test]
    fn hash_ignores_packaging() {
        let a: Value = serde_json::from_str(r#"{"b":1,"a":[1,2]}"#).unwrap();
        let b: Value = serde_json::from_str("{ \"a\": [1, 2],\r\n \"b\": 1 }").unwrap();
        assert_eq!(hash(&a), hash(&b));
        assert_ne!(hash(&a), hash(&json!({"a": [2, 1], "b": 1})));
    }
}

//! `schema/release.toml`: which release is pinned, and the hash of each file that was read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::error::{Error, Result};

/// The pinned release.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The DSP8010 release, such as `2025.4`.
    pub release: String,
    /// Where the bundle comes from, for people.
    pub origin: String,
    /// SHA-256 over the parsed content of each file that regen reads.
    pub files: BTreeMap<String, String>,
}

impl Release {
    /// Parses `schema/release.toml`.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| Error::syntax("schema/release.toml", e))
    }

    /// Fails if a pinned file is altered, or passed over for another version of it. Files that are
    /// read for the first time, because a resource was added, are of the same bundle and get pinned.
    pub fn verify(&self, read: &BTreeMap<String, String>) -> Result<()> {
        let mut differences = String::new();
        for (file, hash) in read {
            match self.files.get(file) {
                Some(pinned) if pinned == hash => {}
                Some(pinned) => {
                    _ = writeln!(differences, "  {file}: altered (sha256 {hash}, pinned {pinned})");
                }
                None => {
                    let other = family(file).and_then(|f| {
                        self.files.keys().find(|pinned| family(pinned).as_ref() == Some(&f))
                    });
                    if let Some(pinned) = other {
                        _ = writeln!(
                            differences,
                            "  {file}: in place of {pinned}, which is pinned"
                        );
                    }
                }
            }
        }
        if differences.is_empty() {
            return Ok(());
        }
        Err(Error::Release {
            release: self.release.clone(),
            differences: differences.trim_end().into(),
        })
    }

    /// The text of the file.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# The pinned DMTF release. Written by `cargo xtask regen`: the hashes are over the parsed\n\
             # content of each file that it reads, so that packaging does not matter.\n",
        );
        _ = writeln!(text, "release = {:?}\norigin = {:?}\n\n[files]", self.release, self.origin);
        for (file, hash) in &self.files {
            _ = writeln!(text, "{file:?} = {hash:?}");
        }
        text
    }
}

/// A file's name without its version: `openapi/VirtualMedia.v1_6_5.yaml` and its other versions
/// are one family, and so are `registries/Base.1.22.1.json` and its.
fn family(file: &str) -> Option<String> {
    let is_version = |part: &str| {
        let digits = part.trim_start_matches('v');
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '_')
    };
    let parts: Vec<_> = file.split('.').filter(|part| !is_version(part)).collect();
    let registry = file.split_once("_PrivilegeRegistry").map(|_| "privileges".to_owned());
    registry.or_else(|| (parts.len() < file.split('.').count()).then(|| parts.join(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(files: &[(&str, &str)]) -> Release {
        let files = files.iter().map(|(f, h)| ((*f).into(), (*h).into())).collect();
        Release { release: "2025.4".into(), origin: "here".into(), files }
    }

    #[test]
    fn verify_names_what_differs() {
        let check = |pinned: &[(&str, &str)], read: &[(&str, &str)], expect: &[&str]| {
            let result = release(pinned).verify(&release(read).files);
            let text = result.err().map(|e| e.to_string()).unwrap_or_default();
            assert_eq!(text.is_empty(), expect.is_empty(), "{text}");
            for part in expect {
                assert!(text.contains(part), "{part} in {text}");
            }
        };
        check(&[("a", "1")], &[("a", "1")], &[]);
        check(&[("a", "1")], &[("a", "2")], &["a: altered", "--relock"]);
        check(&[("a", "1")], &[("a", "1"), ("b", "2")], &[]);
        check(&[("a", "1"), ("b", "2")], &[("a", "1")], &[]);
        check(
            &[("openapi/A.v1_9_0.yaml", "1")],
            &[("openapi/A.v1_10_0.yaml", "2")],
            &["openapi/A.v1_10_0.yaml: in place of openapi/A.v1_9_0.yaml"],
        );
        check(&[("openapi/A.yaml", "1")], &[("openapi/A.yaml", "1"), ("openapi/B.yaml", "2")], &[]);
        check(&[("openapi/A.v1_0_0.yaml", "1")], &[("openapi/B.v1_0_0.yaml", "2")], &[]);
        check(&[("r/Base.1.9.0.json", "1")], &[("r/Base.1.10.0.json", "2")], &["in place of"]);
        check(
            &[("r/Redfish_1.7.0_PrivilegeRegistry.json", "1")],
            &[("r/Redfish_1.8.0_PrivilegeRegistry.json", "2")],
            &["in place of"],
        );
    }

    #[test]
    fn writes_what_it_reads() {
        let release = release(&[("openapi/A.yaml", "00"), ("openapi/B.yaml", "01")]);
        assert_eq!(Release::parse(&release.to_toml()).unwrap(), release);
    }
}

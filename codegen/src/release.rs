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

    /// Fails if a pinned file is altered. Files that are read for the first time, because a
    /// resource was added, are of the same bundle and get pinned.
    pub fn verify(&self, read: &BTreeMap<String, String>) -> Result<()> {
        let mut differences = String::new();
        for (file, hash) in read {
            if let Some(pinned) = self.files.get(file).filter(|pinned| *pinned != hash) {
                _ = writeln!(differences, "  {file}: altered (sha256 {hash}, pinned {pinned})");
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
    }

    #[test]
    fn writes_what_it_reads() {
        let release = release(&[("openapi/A.yaml", "00"), ("openapi/B.yaml", "01")]);
        assert_eq!(Release::parse(&release.to_toml()).unwrap(), release);
    }
}

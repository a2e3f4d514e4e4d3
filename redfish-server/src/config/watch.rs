//! Files that may change while the service runs: certificates, passwords, the configuration.
//!
//! Their content is compared every few seconds. That sees everything that notifications of the
//! kernel see, and what they don't: a mounted Secret, where a link two folders up is swapped, and
//! files on a network.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

/// How often the files are looked at.
const EVERY: Duration = Duration::from_secs(2);
/// What is read of a file: the files that belong here are small.
const MOST: usize = 1 << 20;

/// Files and the content that they had when they were last looked at.
#[derive(Debug)]
pub struct Watched {
    files: BTreeMap<PathBuf, Option<[u8; 32]>>,
}

impl Watched {
    /// Watches files from how they are now.
    pub fn new(files: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { files: files.into_iter().map(|file| (file.clone(), content(&file))).collect() }
    }

    /// Waits until some of them have changed; gives those.
    pub async fn changed(&mut self) -> Vec<PathBuf> {
        loop {
            tokio::time::sleep(EVERY).await;
            let changed = self.look();
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    /// Those that have changed since the last look. A file that is being replaced may be gone for a
    /// moment, which is no change.
    pub fn look(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (file, known) in &mut self.files {
            let now = content(file);
            if now.is_some() && now != *known {
                *known = now;
                changed.push(file.clone());
            }
        }
        changed
    }
}

fn content(file: &PathBuf) -> Option<[u8; 32]> {
    let bytes = std::fs::read(file).ok()?;
    Some(Sha256::digest(&bytes[..bytes.len().min(MOST)]).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_counts_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (version, content) in [("v1", "a"), ("v2", "b")] {
            std::fs::create_dir(at(version)).unwrap();
            std::fs::write(at(version).join("key"), content).unwrap();
        }
        std::os::unix::fs::symlink("v1", at("now")).unwrap();
        let file = at("now").join("key");
        let mut watched = Watched::new([file.clone(), at("missing")]);
        assert_eq!(watched.look(), Vec::<PathBuf>::new());
        std::os::unix::fs::symlink("v2", at("next")).unwrap();
        std::fs::rename(at("next"), at("now")).unwrap();
        assert_eq!(watched.look(), std::slice::from_ref(&file));
        assert_eq!(watched.look(), Vec::<PathBuf>::new());
        std::fs::remove_file(&file).unwrap();
        assert_eq!(watched.look(), Vec::<PathBuf>::new());
        std::fs::write(at("missing"), "c").unwrap();
        assert_eq!(watched.look(), [at("missing")]);
    }
}

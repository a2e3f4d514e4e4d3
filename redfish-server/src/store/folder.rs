//! The state folder: who may look into it, and that one process at a time has it.
//!
//! It holds password hashes and private keys. A folder that others can read is refused rather than
//! mended, since whoever could read it may have done so. The lock is on a file of its own and not on
//! the database, so that it also covers what other parts of the service keep here.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::{Error, Result};

const LOCK: &str = "lock";
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// A state folder that this process has for itself until it is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Takes a folder, which is made if it is missing.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::Exposed`], [`Error::Io`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&path);
        made.map_err(|source| io_error(&path, source))?;
        private(&path, FOLDER_MODE)?;
        for entry in fs::read_dir(&path).map_err(|source| io_error(&path, source))? {
            let entry = entry.map_err(|source| io_error(&path, source))?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            private(&entry.path(), if is_folder { FOLDER_MODE } else { FILE_MODE })?;
        }
        let file = path.join(LOCK);
        let lock = options().create(true).truncate(false).open(&file);
        let lock = lock.map_err(|source| io_error(&file, source))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, lock }),
            Err(TryLockError::WouldBlock) => Err(Error::Locked { path }),
            Err(TryLockError::Error(source)) => Err(io_error(&file, source)),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether state was ever begun here. A folder that says so and has no database has lost it.
    pub(super) fn is_begun(&self) -> Result<bool> {
        let mut text = String::new();
        let mut lock = &self.lock;
        let read = lock.rewind().and_then(|()| lock.read_to_string(&mut text));
        read.map_err(|source| io_error(&self.path.join(LOCK), source))?;
        Ok(!text.is_empty())
    }

    /// Says that state is begun.
    pub(super) fn begin(&self) -> Result<()> {
        let mut lock = &self.lock;
        let written = lock.rewind().and_then(|()| lock.write_all(b"state is begun\n"));
        let kept = written.and_then(|()| lock.sync_all()).and_then(|()| self.sync());
        kept.map_err(|source| io_error(&self.path.join(LOCK), source))
    }

    /// Makes what was created and renamed here durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

/// How files of the folder are opened.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(FILE_MODE);
    options
}

pub(super) fn io_error(path: &Path, source: io::Error) -> Error {
    Error::Io { what: path.display().to_string(), source }
}

/// Refuses what others than the owner can get at.
fn private(path: &Path, allowed: u32) -> Result<()> {
    let metadata = fs::symlink_metadata(path).map_err(|source| io_error(path, source))?;
    // The mode of a link is that of nothing; what it leads to is somebody else's to protect.
    if metadata.is_symlink() {
        return Ok(());
    }
    let mode = metadata.permissions().mode() & 0o7777;
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(Error::Exposed { path: path.to_owned(), mode, allowed }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folders_are_made_private() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        let folder = Folder::open(&path).unwrap();
        let found = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((found(&path), found(&path.join(LOCK))), (0o700, 0o600));
        assert!(!folder.is_begun().unwrap());
        folder.begin().unwrap();
        drop(folder);
        assert!(Folder::open(&path).unwrap().is_begun().unwrap());
    }

    #[test]
    fn one_process_has_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("state");
        let folder = Folder::open(&path).unwrap();
        assert!(matches!(Folder::open(&path), Err(Error::Locked { .. })));
        drop(folder);
        Folder::open(&path).unwrap();
    }

    #[test]
    fn what_others_can_read_is_refused() {
        let check = |folder: u32, file: u32, expect: Option<u32>| {
            let root = tempfile::tempdir().unwrap();
            let name = root.path().join("state.redb");
            fs::write(&name, "").unwrap();
            mode(&name, file);
            mode(root.path(), folder);
            let mode = match Folder::open(root.path()) {
                Err(Error::Exposed { allowed, .. }) => Some(allowed),
                other => other.map(|_| None).unwrap(),
            };
            assert_eq!(mode, expect, "{folder:o} {file:o}");
        };
        check(0o700, 0o600, None);
        check(0o700, 0o400, None);
        check(0o750, 0o600, Some(0o700));
        check(0o700, 0o640, Some(0o600));
        check(0o700, 0o602, Some(0o600));
    }
}

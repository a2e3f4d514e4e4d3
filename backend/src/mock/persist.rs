//! The folder in which machines outlive the process.
//!
//! One file for each machine, replaced as a whole: written beside it, flushed to the disk, renamed. A write of the backend
//! returns after that. The folder belongs to one process at a time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};

use super::config::MachineConfig;
use super::state::State;
use super::world::World;
use crate::text::Label;
use crate::{Error, MachineId};

/// What is in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    pub(super) config: MachineConfig,
    pub(super) uid: Label,
    pub(super) state: State,
}

/// The most bytes of a file that is read.
const MOST: u64 = 1 << 20;
/// How long a write waits for the disk.
const WAIT: Duration = Duration::from_secs(10);

/// The folder, and how far it is.
pub(super) struct Store {
    folder: PathBuf,
    wake: Notify,
    /// Everything up to this change is in the folder.
    saved: watch::Sender<u64>,
}

impl Store {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, wake: Notify::new(), saved: watch::Sender::new(0) }
    }

    /// There is something to save.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits until a change is in the folder.
    pub(super) async fn saved(&self, revision: u64) -> Result<(), Error> {
        let mut saved = self.saved.subscribe();
        let done = saved.wait_for(|saved| *saved >= revision);
        match tokio::time::timeout(WAIT, done).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(Error::unavailable("The folder of the mock can't be written to")),
        }
    }

    /// Saves what there is to save, once.
    pub(super) async fn save(&self, world: &World) -> Result<(), Error> {
        let (revision, kept) = world.take_dirty();
        let ids: Vec<_> = kept.iter().map(|(id, _)| id.clone()).collect();
        let folder = self.folder.clone();
        let written = tokio::task::spawn_blocking(move || write_all(&folder, &kept)).await;
        if let Ok(Ok(())) = written {
            // Never back: saves run one after another, but who knows.
            self.saved.send_modify(|saved| *saved = revision.max(*saved));
            return Ok(());
        }
        world.put_dirty(ids);
        let folder = self.folder.display();
        Err(Error::unavailable(format!("mock.persist: {folder} can't be written to")))
    }

    /// Saves whenever there is something, as long as it is polled.
    pub(super) async fn run(&self, world: Arc<World>) {
        loop {
            self.wake.notified().await;
            while self.save(&world).await.is_err() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Reads a folder, which is made if there is none.
pub(super) fn read(folder: &Path) -> Result<Vec<Kept>, Error> {
    let failed = |path: &Path, what: &str| {
        Error::invalid("mock.persist", format!("{} {what}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|_| failed(folder, "can't be made"))?;
    let entries = fs::read_dir(folder).map_err(|_| failed(folder, "can't be read"))?;
    let mut all = Vec::new();
    for entry in entries {
        let path = entry.map_err(|_| failed(folder, "can't be read"))?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = match fs::metadata(&path) {
            Ok(about) if about.is_file() && about.len() <= MOST => fs::read_to_string(&path),
            _ => return Err(failed(&path, "is no file of ours")),
        };
        let text = text.map_err(|_| failed(&path, "can't be read"))?;
        let kept: Kept = serde_json::from_str(&text)
            .map_err(|_| failed(&path, "is damaged; remove it to begin that machine anew"))?;
        if path.file_stem().is_none_or(|stem| stem != kept.config.name.as_str()) {
            return Err(failed(&path, "is about a machine of another name"));
        }
        all.push(kept);
    }
    Ok(all)
}

fn write_all(folder: &Path, all: &[(MachineId, Option<Kept>)]) -> io::Result<()> {
    for (id, kept) in all {
        let path = folder.join(format!("{id}.json"));
        let Some(kept) = kept else {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => continue,
            }
        };
        let beside = folder.join(format!("{id}.new"));
        let mut file = create(&beside)?;
        serde_json::to_writer(&mut file, kept)?;
        file.flush()?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&beside, &path)?;
    }
    // The names have to last as well.
    File::open(folder)?.sync_all()
}

/// Image URLs may be signed: nobody else's business.
fn create(path: &Path) -> io::Result<io::BufWriter<File>> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(io::BufWriter::new)
}

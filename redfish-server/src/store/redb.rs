//! The embedded store: one redb file in the state folder.
//!
//! Every write is a transaction that is on the disk before it is acknowledged. A file that is there
//! is checked page by page when it is opened (it is small); a new one is made under another name,
//! so that a crash in between never leaves a half-made file that looks like state, and a missing one
//! is only made anew where there never was any.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use redb::{
    Database, Durability, ReadableDatabase, ReadableTable, TableDefinition, TableError,
    WriteTransaction,
};

use super::dump::{DumpRecord, SCHEMA};
use super::folder::{io_error, options};
use super::{Dump, Error, Expect, Folder, Kind, Pending, Record, Result, Store};

const FILE: &str = "state.redb";
const NEW_FILE: &str = "state.redb.new";
/// Pages that redb keeps in memory; the records themselves are kept by tables.
const CACHE: usize = 1 << 20;

/// Records: kind and id, to revision and content.
const RECORDS: TableDefinition<'_, (&str, &str), (u64, &[u8])> = TableDefinition::new("records");
/// The schema version, and the revision of the last write.
const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

/// Records in a file.
pub struct Redb {
    inner: Arc<Inner>,
}

struct Inner {
    /// Checks need it alone, everything else shares it.
    database: RwLock<Database>,
    file: PathBuf,
    /// Other processes stay out as long as this one has the folder.
    _folder: Arc<Folder>,
}

impl Redb {
    /// Opens the state in a folder, or begins it where there never was any.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Newer`], [`Error::Locked`], [`Error::Io`].
    pub async fn open(folder: Arc<Folder>) -> Result<Self> {
        let file = folder.path().join(FILE);
        let name = file.display().to_string();
        // redb promises an error for a damaged file; should it panic after all, that is one too.
        let opened = tokio::task::spawn_blocking(move || {
            let database = open(&folder, &file)?;
            Ok(Inner { database: RwLock::new(database), file, _folder: folder })
        });
        match opened.await {
            Ok(inner) => Ok(Self { inner: Arc::new(inner?) }),
            Err(_) => Err(Error::Damaged { what: name, reason: "it can't be read".to_owned() }),
        }
    }

    /// Runs something on the pool for blocking calls.
    fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> Pending<'static, T> {
        let inner = self.inner.clone();
        // Started at once: a write goes on when nobody waits for it any more.
        let done = tokio::task::spawn_blocking(move || call(&inner));
        Box::pin(
            async move { done.await.unwrap_or_else(|error| Err(Error::Failed(error.to_string()))) },
        )
    }
}

impl Store for Redb {
    fn load(&self, kind: Kind) -> Pending<'_, Vec<Record>> {
        self.run(move |inner| {
            let mut records = Vec::new();
            inner.each(Some(kind), |_, id, revision, bytes| {
                records.push(Record { id: id.to_owned(), revision, bytes: bytes.to_vec() });
                Ok(())
            })?;
            Ok(records)
        })
    }

    fn put<'a>(
        &'a self,
        kind: Kind,
        id: &'a str,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Pending<'a, u64> {
        let id = id.to_owned();
        self.run(move |inner| {
            inner.write(|transaction| {
                inner.expect(transaction, kind, &id, expect)?;
                inner.put(transaction, kind, &id, &bytes)
            })
        })
    }

    fn delete<'a>(&'a self, kind: Kind, id: &'a str, expect: Expect) -> Pending<'a, u64> {
        let id = id.to_owned();
        self.run(move |inner| {
            inner.write(|transaction| {
                inner.expect(transaction, kind, &id, expect)?;
                let mut table = inner.try_to(transaction.open_table(RECORDS))?;
                inner.try_to(table.remove((kind.as_str(), id.as_str())))?;
                inner.next(transaction)
            })
        })
    }

    fn export(&self) -> Pending<'_, Dump> {
        self.run(|inner| {
            let mut records = Vec::new();
            inner.each(None, |kind, id, _, bytes| {
                let kind = inner.kind(kind)?;
                records.push(DumpRecord { kind, id: id.to_owned(), bytes: bytes.to_vec() });
                Ok(())
            })?;
            Ok(Dump::new(records))
        })
    }

    fn import(&self, dump: Dump) -> Pending<'_, ()> {
        self.run(move |inner| {
            inner.write(|transaction| {
                let mut table = inner.try_to(transaction.open_table(RECORDS))?;
                inner.try_to(table.retain(|_, _| false))?;
                drop(table);
                for DumpRecord { kind, id, bytes } in dump.into_records() {
                    inner.put(transaction, kind, &id, &bytes)?;
                }
                Ok(())
            })
        })
    }

    fn check(&self) -> Pending<'_, ()> {
        self.run(|inner| {
            let mut database = inner.database.write().unwrap_or_else(PoisonError::into_inner);
            let whole = inner.try_to(database.check_integrity())?;
            drop(database);
            if !whole {
                return Err(inner.damaged("it had to be repaired, and may lack the last writes"));
            }
            inner.each(None, |kind, _, _, _| inner.kind(kind).map(|_| ()))
        })
    }
}

impl Inner {
    /// Shows every record, or those of one kind, in order, as they are at one moment.
    fn each(
        &self,
        only: Option<Kind>,
        mut see: impl FnMut(&str, &str, u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let transaction = self.try_to(database.begin_read())?;
        let table = self.try_to(transaction.open_table(RECORDS))?;
        let first = (only.map_or("", Kind::as_str), "");
        for entry in self.try_to(table.range(first..))? {
            let (key, value) = self.try_to(entry)?;
            let ((kind, id), (revision, bytes)) = (key.value(), value.value());
            if only.is_some_and(|only| only.as_str() != kind) {
                break;
            }
            see(kind, id, revision, bytes)?;
        }
        Ok(())
    }

    /// Changes something as a whole; what is done is on the disk.
    fn write<T>(&self, change: impl FnOnce(&WriteTransaction) -> Result<T>) -> Result<T> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let mut transaction = self.try_to(database.begin_write())?;
        self.try_to(transaction.set_durability(Durability::Immediate))?;
        let done = change(&transaction)?;
        self.try_to(transaction.commit())?;
        Ok(done)
    }

    fn expect(
        &self,
        transaction: &WriteTransaction,
        kind: Kind,
        id: &str,
        expect: Expect,
    ) -> Result<()> {
        let table = self.try_to(transaction.open_table(RECORDS))?;
        let found = self.try_to(table.get((kind.as_str(), id)))?.map(|value| value.value().0);
        match expect.holds(found) {
            true => Ok(()),
            false => Err(Error::Conflict { kind, found }),
        }
    }

    fn put(
        &self,
        transaction: &WriteTransaction,
        kind: Kind,
        id: &str,
        bytes: &[u8],
    ) -> Result<u64> {
        let revision = self.next(transaction)?;
        let mut table = self.try_to(transaction.open_table(RECORDS))?;
        self.try_to(table.insert((kind.as_str(), id), (revision, bytes)))?;
        Ok(revision)
    }

    /// The revision of the write that is going on.
    fn next(&self, transaction: &WriteTransaction) -> Result<u64> {
        let mut meta = self.try_to(transaction.open_table(META))?;
        let last = self.try_to(meta.get("revision"))?.map_or(0, |value| value.value());
        let next = last + 1;
        self.try_to(meta.insert("revision", next))?;
        Ok(next)
    }

    fn kind(&self, name: &str) -> Result<Kind> {
        let unknown = || self.damaged(&format!("it has records of the unknown kind '{name}'"));
        Kind::from_name(name).ok_or_else(unknown)
    }

    fn damaged(&self, reason: &str) -> Error {
        Error::Damaged { what: self.file.display().to_string(), reason: reason.to_owned() }
    }

    fn try_to<T, E: Into<redb::Error>>(&self, done: Result<T, E>) -> Result<T> {
        done.map_err(|error| named(&self.file, error.into()))
    }
}

/// Opens or begins the file.
fn open(folder: &Folder, file: &Path) -> Result<Database> {
    let damaged = |reason: &str| Error::Damaged {
        what: file.display().to_string(),
        reason: reason.to_owned(),
    };
    match fs::metadata(file) {
        // redb would take an empty file for a new one.
        Ok(metadata) if metadata.len() == 0 => return Err(damaged("it is empty")),
        Ok(_) => {}
        Err(_) if folder.is_begun()? => return Err(damaged("it is gone")),
        Err(_) => begin(folder, file)?,
    }
    let opened = builder().set_check_integrity_on_open(true).open(file);
    let database = opened.map_err(|error| named(file, error.into()))?;
    let schema = schema(&database).map_err(|error| named(file, error))?;
    match schema {
        Some(SCHEMA) => {}
        Some(found) if found > SCHEMA => return Err(Error::Newer { found, known: SCHEMA }),
        _ => return Err(damaged("it does not say what version it is")),
    }
    if !folder.is_begun()? {
        folder.begin()?;
    }
    Ok(database)
}

/// Makes an empty file, all or nothing.
fn begin(folder: &Folder, file: &Path) -> Result<()> {
    let new = folder.path().join(NEW_FILE);
    let failed = |source| io_error(&new, source);
    let made = options().create(true).truncate(true).open(&new);
    drop(made.map_err(failed)?);
    let create = || -> Result<(), redb::Error> {
        let database = builder().create(&new)?;
        let transaction = database.begin_write()?;
        transaction.open_table(RECORDS)?;
        transaction.open_table(META)?.insert("schema", SCHEMA)?;
        transaction.commit()?;
        Ok(())
    };
    create().map_err(|error| named(&new, error))?;
    fs::rename(&new, file).and_then(|()| folder.sync()).map_err(failed)
}

fn builder() -> redb::Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE);
    builder
}

fn schema(database: &Database) -> Result<Option<u64>, redb::Error> {
    let meta = match database.begin_read()?.open_table(META) {
        Ok(meta) => meta,
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(meta.get("schema")?.map(|value| value.value()))
}

/// An error of redb by the names that operators know.
fn named(file: &Path, error: redb::Error) -> Error {
    let what = file.display().to_string();
    let damaged = |reason: String| Error::Damaged { what: what.clone(), reason };
    match error {
        redb::Error::DatabaseAlreadyOpen => Error::Locked { path: file.to_owned() },
        redb::Error::Corrupted(reason) => damaged(reason),
        redb::Error::UpgradeRequired(version) => {
            damaged(format!("it has the old file format {version}"))
        }
        redb::Error::TableTypeMismatch { .. } | redb::Error::TypeDefinitionChanged { .. } => {
            damaged("its tables are not ours".to_owned())
        }
        // What redb says of a file that is none of its own.
        redb::Error::Io(source) if source.kind() == std::io::ErrorKind::InvalidData => {
            damaged(source.to_string())
        }
        redb::Error::Io(source) => Error::Io { what, source },
        other => Error::Failed(format!("{what}: {other}")),
    }
}

//! Typed records of one kind, all in memory: reads never wait.
//!
//! A write goes to the store first and to memory when the store has it, in a task of its own: a
//! caller that goes away leaves the two the same. What other replicas write arrives by revision, so
//! the order of arrival does not matter.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use futures_util::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::AbortHandle;

use super::{Change, Error, Expect, Kind, Record, Result, Store};

/// A record with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<T> {
    /// The id.
    pub id: String,
    /// The revision that the last write gave it.
    pub revision: u64,
    /// The content.
    pub value: T,
}

/// The records of one kind.
pub struct Table<T> {
    inner: Arc<Inner<T>>,
    /// The task that follows other replicas.
    follower: AbortHandle,
}

type Rows<T> = BTreeMap<String, Arc<Entry<T>>>;

struct Inner<T> {
    store: Arc<dyn Store>,
    kind: Kind,
    prefix: &'static str,
    rows: RwLock<Rows<T>>,
    version: AtomicU64,
    /// Keeps memory in the order of the store.
    writing: tokio::sync::Mutex<()>,
}

impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Table<T> {
    /// Loads the records of a kind.
    ///
    /// # Errors
    /// Those of the store; [`Error::Damaged`] for a record that is not of the type.
    pub async fn open(store: Arc<dyn Store>, kind: Kind) -> Result<Self> {
        Self::open_below(store, kind, "").await
    }

    /// Loads those records of a kind whose ids begin with a prefix: settings of one service.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_below(
        store: Arc<dyn Store>,
        kind: Kind,
        prefix: &'static str,
    ) -> Result<Self> {
        // Watched before it is loaded, so that nothing falls between.
        let mut changes = store.watch();
        let records = store.load(kind).await?;
        let ours = records.into_iter().filter(|record| record.id.starts_with(prefix));
        let rows = ours.map(|record| decode(kind, record).map(|entry| (entry.id.clone(), entry)));
        let inner = Arc::new(Inner {
            rows: RwLock::new(rows.collect::<Result<_>>()?),
            store,
            kind,
            prefix,
            version: AtomicU64::new(1),
            writing: tokio::sync::Mutex::default(),
        });
        let followed = inner.clone();
        let follower = tokio::spawn(async move {
            while let Some(change) = changes.next().await {
                followed.follow(change);
            }
        });
        Ok(Self { inner, follower: follower.abort_handle() })
    }

    /// The record of an id.
    pub fn get(&self, id: &str) -> Option<Arc<Entry<T>>> {
        self.inner.rows().get(id).cloned()
    }

    /// Whether there is a record of that id.
    pub fn contains(&self, id: &str) -> bool {
        self.inner.rows().contains_key(id)
    }

    /// All records, by id.
    pub fn all(&self) -> Vec<Arc<Entry<T>>> {
        self.inner.rows().values().cloned().collect()
    }

    /// The first record, by id, that is as asked for.
    pub fn find(&self, mut is: impl FnMut(&Entry<T>) -> bool) -> Option<Arc<Entry<T>>> {
        self.inner.rows().values().find(|entry| is(entry)).cloned()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.inner.rows().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.inner.rows().is_empty()
    }

    /// A number that grows whenever a record comes, changes or goes: for caches.
    pub fn version(&self) -> u64 {
        self.inner.version.load(Ordering::Acquire)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// Those of the store; a conflict where the id is taken.
    pub async fn insert(&self, id: impl Into<String>, value: T) -> Result<Arc<Entry<T>>> {
        self.put(id.into(), value, Expect::Absent).await
    }

    /// Writes a record, if what is there is as expected.
    ///
    /// # Errors
    /// Those of the store; a conflict where it is not.
    pub async fn put(&self, id: String, value: T, expect: Expect) -> Result<Arc<Entry<T>>> {
        let inner = self.inner.clone();
        finish(tokio::spawn(async move {
            let bytes = serde_json::to_vec(&value).map_err(|e| Error::Failed(e.to_string()))?;
            let _writing = inner.writing.lock().await;
            let revision = inner.store.put(inner.kind, &id, bytes, expect).await?;
            Ok(inner.apply(Entry { id, revision, value }))
        }))
        .await
    }

    /// Removes a record, if it is as expected.
    ///
    /// # Errors
    /// Those of the store; a conflict where it is not.
    pub async fn delete(&self, id: impl Into<String>, expect: Expect) -> Result<()> {
        let (inner, id) = (self.inner.clone(), id.into());
        finish(tokio::spawn(async move {
            let _writing = inner.writing.lock().await;
            let revision = inner.store.delete(inner.kind, &id, expect).await?;
            inner.remove(&id, revision);
            Ok(())
        }))
        .await
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl<T: DeserializeOwned> Inner<T> {
    fn follow(&self, change: Change) {
        match change {
            Change::Put(kind, record)
                if kind == self.kind && record.id.starts_with(self.prefix) =>
            {
                match decode(kind, record) {
                    Ok(entry) => drop(self.apply_shared(entry)),
                    // What is there stays: half a record is worse than an old one.
                    Err(error) => tracing::error!(error = &error as &dyn std::error::Error),
                }
            }
            Change::Deleted { kind, id, revision } if kind == self.kind => {
                self.remove(&id, revision);
            }
            _ => {}
        }
    }
}

impl<T> Inner<T> {
    fn rows(&self) -> RwLockReadGuard<'_, Rows<T>> {
        // Every change is one insertion or removal: a panic elsewhere leaves nothing half done.
        self.rows.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn rows_mut(&self) -> RwLockWriteGuard<'_, Rows<T>> {
        self.rows.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply(&self, entry: Entry<T>) -> Arc<Entry<T>> {
        self.apply_shared(Arc::new(entry))
    }

    /// Takes in a record, unless a newer one is there; gives the newer one.
    fn apply_shared(&self, entry: Arc<Entry<T>>) -> Arc<Entry<T>> {
        let mut rows = self.rows_mut();
        if let Some(newer) = rows.get(&entry.id).filter(|there| there.revision > entry.revision) {
            return newer.clone();
        }
        rows.insert(entry.id.clone(), entry.clone());
        self.version.fetch_add(1, Ordering::AcqRel);
        entry
    }

    /// Takes out a record, unless it was written after the removal.
    fn remove(&self, id: &str, revision: u64) {
        let mut rows = self.rows_mut();
        if rows.get(id).is_some_and(|there| there.revision <= revision) {
            rows.remove(id);
            self.version.fetch_add(1, Ordering::AcqRel);
        }
    }
}

async fn finish<T>(task: tokio::task::JoinHandle<Result<T>>) -> Result<T> {
    task.await.unwrap_or_else(|error| Err(Error::Failed(error.to_string())))
}

fn decode<T: DeserializeOwned>(kind: Kind, record: Record) -> Result<Arc<Entry<T>>> {
    let Record { id, revision, bytes } = record;
    match serde_json::from_slice(&bytes) {
        Ok(value) => Ok(Arc::new(Entry { id, revision, value })),
        // The error itself would quote the record.
        Err(error) => Err(Error::Damaged {
            what: format!("the {kind} record '{id}'"),
            reason: format!("it is not of its type (column {})", error.column()),
        }),
    }
}

#[cfg(test)]
mod tests;

//! Tasks and log entries in the store, without making anybody wait for it.
//!
//! Changes of one key replace each other until they are written, so what waits is bounded by what
//! there is. A write that fails is tried again; meanwhile memory has it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::services::journal::Journal;
use crate::store::{self, Expect, Kind, Store};

/// How long after a failure the next attempt is made.
const PAUSE: Duration = Duration::from_secs(5);

/// Keeps the records of one kind.
#[derive(Clone)]
pub(super) struct Keeper(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    kind: Kind,
    /// What is not written yet; `None` is to be removed.
    waiting: Mutex<BTreeMap<String, Option<Value>>>,
    wake: Notify,
}

impl Keeper {
    /// A keeper, and what was kept before.
    pub(super) async fn open(
        store: Arc<dyn Store>,
        kind: Kind,
    ) -> store::Result<(Self, Vec<Value>)> {
        let records = store.load(kind).await?;
        let records = records.iter().filter_map(|r| serde_json::from_slice(&r.bytes).ok());
        let records = records.collect();
        let waiting = Mutex::default();
        Ok((Self(Arc::new(Shared { store, kind, waiting, wake: Notify::new() })), records))
    }

    /// Writes whatever waits, until it is dropped.
    pub(super) fn work(&self) -> impl Future<Output = ()> + Send + 'static {
        let keeper = self.clone();
        async move {
            loop {
                keeper.0.wake.notified().await;
                while !keeper.flush().await {
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Writes what waits now; whether all of it could be written.
    pub(super) async fn flush(&self) -> bool {
        let Shared { store, kind, waiting, .. } = &*self.0;
        let changes = std::mem::take(&mut *waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let mut whole = true;
        for (key, value) in changes {
            let written = match &value {
                Some(value) => {
                    let bytes = value.to_string().into_bytes();
                    store.put(*kind, &key, bytes, Expect::Any).await
                }
                None => store.delete(*kind, &key, Expect::Any).await,
            };
            if let Err(error) = written {
                tracing::warn!(%kind, error = %error, "a record is not kept yet");
                whole = false;
                // Unless there is something newer by now.
                waiting.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(value);
            }
        }
        whole
    }

    fn change(&self, key: &str, value: Option<Value>) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(key.to_owned(), value);
        drop(waiting);
        self.0.wake.notify_one();
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keeper({})", self.0.kind)
    }
}

impl Journal for Keeper {
    fn put(&self, key: &str, record: Value) {
        self.change(key, Some(record));
    }

    fn remove(&self, key: &str) {
        self.change(key, None);
    }

    fn persists(&self) -> bool {
        true
    }
}

/// The UUID of the service: made once, and kept.
///
/// # Errors
/// Those of the store.
pub async fn service_uuid(store: &dyn Store) -> store::Result<String> {
    const ID: &str = "service";
    let kept = store.load(Kind::Setting).await?.into_iter().find(|record| record.id == ID);
    let kept = kept.and_then(|record| serde_json::from_slice::<Value>(&record.bytes).ok());
    if let Some(uuid) = kept.as_ref().and_then(|kept| kept["uuid"].as_str()) {
        return Ok(uuid.to_owned());
    }
    let no_randomness = |_| store::Error::Failed("There is no randomness".to_owned());
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(no_randomness)?;
    // Version 4, variant 1 (RFC 9562).
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let uuid = redfish_backend::machine::Uuid::new(u128::from_be_bytes(bytes)).to_string();
    store.put(Kind::Setting, ID, json!({ "uuid": uuid }).to_string().into(), Expect::Any).await?;
    Ok(uuid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;

    #[tokio::test]
    async fn records_are_written_behind_and_found_again() {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let (keeper, before) = Keeper::open(store.clone(), Kind::Task).await.unwrap();
        assert!(before.is_empty());
        keeper.put("a", json!(1));
        keeper.put("a", json!(2));
        keeper.put("b", json!(3));
        keeper.remove("b");
        assert!(keeper.flush().await);
        let (_, kept) = Keeper::open(store.clone(), Kind::Task).await.unwrap();
        assert_eq!(kept, [json!(2)]);
        let worker = tokio::spawn(keeper.work());
        keeper.put("c", json!(4));
        for _ in 0..1000 {
            if store.load(Kind::Task).await.unwrap().len() == 2 {
                worker.abort();
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("nothing was written");
    }

    #[tokio::test]
    async fn a_service_keeps_its_uuid() {
        let store = Memory::new();
        let first = service_uuid(&store).await.unwrap();
        assert_eq!(service_uuid(&store).await.unwrap(), first);
        assert_eq!((first.len(), &first[14..15]), (36, "4"));
        assert_ne!(service_uuid(&Memory::new()).await.unwrap(), first);
    }
}

//! What tables make of writes, lost races, callers that go away and other replicas.

use std::sync::Mutex;

use futures_util::stream::BoxStream;
use tokio::sync::mpsc;

use super::super::{Dump, Memory, Pending};
use super::*;

type Texts = Table<String>;

/// A store whose other replica is the test, and which waits before each write.
struct Shared {
    memory: Memory,
    changes: Mutex<Option<mpsc::UnboundedReceiver<Change>>>,
    gate: Arc<tokio::sync::Semaphore>,
}

impl Store for Shared {
    fn load(&self, kind: Kind) -> Pending<'_, Vec<Record>> {
        self.memory.load(kind)
    }

    fn put<'a>(
        &'a self,
        kind: Kind,
        id: &'a str,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Pending<'a, u64> {
        Box::pin(async move {
            self.gate.acquire().await.unwrap().forget();
            self.memory.put(kind, id, bytes, expect).await
        })
    }

    fn delete<'a>(&'a self, kind: Kind, id: &'a str, expect: Expect) -> Pending<'a, u64> {
        self.memory.delete(kind, id, expect)
    }

    fn watch(&self) -> BoxStream<'static, Change> {
        let mut changes = self.changes.lock().unwrap().take().unwrap();
        futures_util::stream::poll_fn(move |cx| changes.poll_recv(cx)).boxed()
    }

    fn export(&self) -> Pending<'_, Dump> {
        self.memory.export()
    }

    fn import(&self, dump: Dump) -> Pending<'_, ()> {
        self.memory.import(dump)
    }

    fn check(&self) -> Pending<'_, ()> {
        self.memory.check()
    }
}

fn value(table: &Texts, id: &str) -> Option<String> {
    table.get(id).map(|entry| entry.value.clone())
}

#[tokio::test]
async fn writes_are_seen_and_kept() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let table = Texts::open(store.clone(), Kind::Log).await.unwrap();
    let before = table.version();
    let one = table.insert("a", "1".to_owned()).await.unwrap();
    assert!(table.insert("a", "2".to_owned()).await.unwrap_err().is_conflict());
    let expect = Expect::Revision(one.revision);
    let two = table.put("a".into(), "2".into(), expect).await.unwrap();
    assert!(two.revision > one.revision && table.version() > before);
    assert!(table.put("a".into(), "3".into(), expect).await.unwrap_err().is_conflict());
    assert!(table.delete("a", expect).await.unwrap_err().is_conflict());
    table.insert("b", "4".to_owned()).await.unwrap();
    table.delete("b", Expect::Any).await.unwrap();
    assert_eq!((value(&table, "a").as_deref(), table.len()), (Some("2"), 1));
    let again = Texts::open(store.clone(), Kind::Log).await.unwrap();
    assert_eq!(again.all(), table.all());
    assert!(Texts::open(store, Kind::Task).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_part_of_a_kind_is_a_table() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    for id in ["a/1", "a/2", "b/1"] {
        store.put(Kind::Setting, id, b"\"x\"".to_vec(), Expect::Any).await.unwrap();
    }
    store.put(Kind::Setting, "c", b"7".to_vec(), Expect::Any).await.unwrap();
    let table = Texts::open_below(store.clone(), Kind::Setting, "a/").await.unwrap();
    assert_eq!(table.len(), 2);
    let error = Texts::open(store, Kind::Setting).await.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("the setting record 'c'"), "{error}");
}

#[tokio::test]
async fn a_caller_that_goes_away_changes_nothing() {
    let (_changes, receiver) = mpsc::unbounded_channel();
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let changes = Mutex::new(Some(receiver));
    let store = Arc::new(Shared { memory: Memory::new(), changes, gate: gate.clone() });
    let table = Arc::new(Texts::open(store, Kind::Log).await.unwrap());
    let writer = table.clone();
    let caller = tokio::spawn(async move { writer.insert("a", "1".to_owned()).await });
    tokio::task::yield_now().await;
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    assert!(!table.contains("a"));
    gate.add_permits(2);
    // The next write waits for the one that nobody waits for.
    table.insert("b", "2".to_owned()).await.unwrap();
    assert_eq!(value(&table, "a").as_deref(), Some("1"));
}

#[tokio::test]
async fn other_replicas_are_followed_in_any_order() {
    let (changes, receiver) = mpsc::unbounded_channel();
    let gate = Arc::new(tokio::sync::Semaphore::new(10));
    let store =
        Arc::new(Shared { memory: Memory::new(), changes: Mutex::new(Some(receiver)), gate });
    let table = Texts::open(store, Kind::Log).await.unwrap();
    let put = |id: &str, revision, text: &str| {
        let bytes = serde_json::to_vec(text).unwrap();
        Change::Put(Kind::Log, Record { id: id.into(), revision, bytes })
    };
    let gone = |id: &str, revision| Change::Deleted { kind: Kind::Log, id: id.into(), revision };
    for change in [
        put("new", 10, "b"),
        put("new", 9, "a"),
        gone("new", 8),
        put("gone", 3, "a"),
        gone("gone", 4),
        Change::Put(Kind::Log, Record { id: "new".into(), revision: 11, bytes: b"7".into() }),
        Change::Put(Kind::Task, Record { id: "else".into(), revision: 11, bytes: b"7".into() }),
        put("last", 12, ""),
    ] {
        changes.send(change).unwrap();
    }
    while !table.contains("last") {
        tokio::task::yield_now().await;
    }
    assert_eq!(value(&table, "new").as_deref(), Some("b"));
    assert_eq!(table.len(), 2);
}

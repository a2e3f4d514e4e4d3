//! What every store must do, asked of each.

use std::sync::Arc;

use super::{Error, Expect, Folder, Kind, Memory, Redb, Store};

/// Runs a test with every store.
fn each(test: impl AsyncFn(Arc<dyn Store>)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        test(Arc::new(Memory::new())).await;
        let root = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::open(root.path().join("state")).unwrap());
        test(Arc::new(Redb::open(folder).await.unwrap())).await;
    });
}

async fn ids(store: &dyn Store, kind: Kind) -> Vec<String> {
    store.load(kind).await.unwrap().into_iter().map(|record| record.id).collect()
}

#[test]
fn records_are_kept_by_kind_and_id() {
    each(async |store| {
        for (kind, id) in [
            (Kind::Task, "b"),
            (Kind::Task, "a"),
            (Kind::Log, "a"),
            (Kind::Setting, ""),
            (Kind::Task, "\u{10ffff}"),
        ] {
            store.put(kind, id, vec![0, 255], Expect::Absent).await.unwrap();
        }
        assert_eq!(ids(&*store, Kind::Task).await, ["a", "b", "\u{10ffff}"]);
        assert_eq!(ids(&*store, Kind::Log).await, ["a"]);
        assert_eq!(ids(&*store, Kind::Setting).await, [""]);
        assert!(ids(&*store, Kind::Role).await.is_empty());
        assert_eq!(store.load(Kind::Log).await.unwrap()[0].bytes, [0, 255]);
        store.check().await.unwrap();
    });
}

#[test]
fn writes_depend_on_what_is_there() {
    each(async |store| {
        let put = async |id: &str, expect| store.put(Kind::Task, id, b"1".to_vec(), expect).await;
        let is_conflict = |result: Result<u64, Error>, revision: Option<u64>| {
            assert!(
                matches!(result, Err(Error::Conflict { kind: Kind::Task, found }) if found == revision)
            );
        };
        is_conflict(put("a", Expect::Revision(1)).await, None);
        let one = put("a", Expect::Absent).await.unwrap();
        is_conflict(put("a", Expect::Absent).await, Some(one));
        let two = put("a", Expect::Revision(one)).await.unwrap();
        is_conflict(put("a", Expect::Revision(one)).await, Some(two));
        let three = put("a", Expect::Any).await.unwrap();
        is_conflict(store.delete(Kind::Task, "a", Expect::Revision(two)).await, Some(three));
        is_conflict(store.delete(Kind::Task, "b", Expect::Revision(two)).await, None);
        assert_eq!(store.load(Kind::Task).await.unwrap()[0].revision, three);
        let four = store.delete(Kind::Task, "a", Expect::Revision(three)).await.unwrap();
        let five = store.delete(Kind::Task, "a", Expect::Any).await.unwrap();
        let six = put("a", Expect::Absent).await.unwrap();
        let revisions = [one, two, three, four, five, six];
        assert!(revisions.is_sorted_by(|a, b| a < b), "{revisions:?}");
    });
}

#[test]
fn of_many_writers_one_wins() {
    each(async |store| {
        let race = (0..8u8).map(|n| store.put(Kind::Task, "a", vec![n], Expect::Absent));
        let done = futures_util::future::join_all(race).await;
        let won: Vec<_> = (0..8u8).filter(|n| done[usize::from(*n)].is_ok()).collect();
        assert_eq!(won.len(), 1);
        assert_eq!(store.load(Kind::Task).await.unwrap()[0].bytes, won);
    });
}

#[test]
fn dumps_move_between_stores() {
    each(async |store| {
        let from = Memory::new();
        from.put(Kind::Task, "a", b"{}".to_vec(), Expect::Any).await.unwrap();
        from.put(Kind::Role, "b", b"\xff".to_vec(), Expect::Any).await.unwrap();
        store.put(Kind::Log, "old", Vec::new(), Expect::Any).await.unwrap();
        let dump = from.export().await.unwrap();
        store.import(dump.clone()).await.unwrap();
        assert_eq!(store.export().await.unwrap(), dump);
        assert!(ids(&*store, Kind::Log).await.is_empty());
        assert_eq!(store.load(Kind::Role).await.unwrap()[0].bytes, b"\xff");
    });
}

#[test]
fn embedded_stores_have_no_other_replicas() {
    use futures_util::StreamExt as _;
    each(async |store| assert_eq!(store.watch().next().await, None));
}

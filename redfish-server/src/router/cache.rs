//! Rendered answers, kept until the resource changes.
//!
//! Most requests are polls that find what the ones before them found. Making a document, pruning its
//! links, hashing and writing it costs a hundred times what sending it does, so the bytes are kept by
//! who could get the same answer: URI, scope, privileges. The version of the resource decides whether they are still good.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::HeaderValue;

use crate::context::Context;

/// A document as it is sent.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) bytes: Bytes,
    /// `ETag`, where it is a resource.
    pub(super) tag: Option<HeaderValue>,
    /// `Link`, where the type says which schema describes it.
    pub(super) link: Option<HeaderValue>,
}

/// Rendered documents, at most twice [`Cache::BYTES`] of them.
#[derive(Debug, Default)]
pub(super) struct Cache {
    shards: [Mutex<Shard>; Cache::SHARDS],
}

/// Two generations: what is used again moves to the young one, and when that is full, the old one is
/// dropped as a whole.
#[derive(Debug, Default)]
struct Shard {
    young: HashMap<Key, Entry>,
    old: HashMap<Key, Entry>,
    bytes: usize,
}

/// Who could get the same answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    path: Box<str>,
    caller: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    version: u64,
    rendered: Arc<Rendered>,
}

impl Key {
    pub(super) fn new(cx: &Context, path: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        cx.scope.hash(&mut hasher);
        let principal = cx.principal.as_deref();
        principal.map(|principal| &principal.privileges).hash(&mut hasher);
        Self { path: path.into(), caller: hasher.finish() }
    }

    fn shard(&self) -> usize {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        usize::try_from(hasher.finish() % Cache::SHARDS as u64).unwrap_or_default()
    }
}

impl Cache {
    const SHARDS: usize = 16;
    /// How many bytes a generation of all shards has.
    const BYTES: usize = 16 << 20;

    /// What is kept of a version.
    pub(super) fn get(&self, key: &Key, version: u64) -> Option<Arc<Rendered>> {
        let mut shard = self.shard(key);
        if let Some(entry) = shard.young.get(key) {
            return (entry.version == version).then(|| Arc::clone(&entry.rendered));
        }
        let entry = shard.old.remove(key).filter(|entry| entry.version == version)?;
        let rendered = Arc::clone(&entry.rendered);
        shard.put(key.clone(), entry);
        Some(rendered)
    }

    /// Keeps what was rendered of a version.
    pub(super) fn put(&self, key: Key, version: u64, rendered: Arc<Rendered>) {
        self.shard(&key).put(key, Entry { version, rendered });
    }

    fn shard(&self, key: &Key) -> std::sync::MutexGuard<'_, Shard> {
        self.shards[key.shard()].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    fn put(&mut self, key: Key, entry: Entry) {
        // Headers and the map's own share, roughly.
        const OVERHEAD: usize = 256;
        let size = entry.rendered.bytes.len() + key.path.len() + OVERHEAD;
        if size > Cache::BYTES / Cache::SHARDS {
            return;
        }
        if self.bytes + size > Cache::BYTES / Cache::SHARDS {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += size;
        self.young.insert(key, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Principal, Scope};
    use crate::operation::Privilege::{ConfigureUsers, Login};

    fn rendered(size: usize) -> Arc<Rendered> {
        Rendered { bytes: vec![0; size].into(), tag: None, link: None }.into()
    }

    fn key(path: &str) -> Key {
        Key::new(&Context::new(None, Scope::all()), path)
    }

    #[test]
    fn versions_and_callers_are_told_apart() {
        let cache = Cache::default();
        cache.put(key("/a"), 1, rendered(10));
        assert!(cache.get(&key("/a"), 1).is_some());
        assert!(cache.get(&key("/a"), 2).is_none());
        assert!(cache.get(&key("/b"), 1).is_none());
        let with = |privileges: &[_]| {
            let principal = Principal::new("a", "r", privileges.iter().copied());
            Key::new(&Context::new(Some(principal.into()), Scope::all()), "/a")
        };
        assert_ne!(with(&[Login]), with(&[Login, ConfigureUsers]));
        assert_eq!(with(&[Login]), with(&[Login]));
    }

    #[test]
    fn it_is_bounded_and_keeps_what_is_used() {
        let cache = Cache::default();
        cache.put(key("/used"), 1, rendered(1000));
        for index in 0..100_000 {
            cache.put(key(&format!("/{index}")), 1, rendered(1000));
            assert!(cache.get(&key("/used"), 1).is_some(), "{index}");
        }
        let held = |shard: &Mutex<Shard>| {
            let shard = shard.lock().unwrap();
            shard.young.len() + shard.old.len()
        };
        let entries: usize = cache.shards.iter().map(held).sum();
        assert!(entries * 1000 < 2 * Cache::BYTES, "{entries}");
        cache.put(key("/huge"), 1, rendered(Cache::BYTES));
        assert!(cache.get(&key("/huge"), 1).is_none());
    }
}

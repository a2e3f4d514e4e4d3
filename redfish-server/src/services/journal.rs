//! Where tasks and log entries are kept over a restart, without knowing what a store is.
//!
//! Both live in memory: they are read all the time, and a read must not wait. A journal is told of each
//! change and takes care of the rest; after a start, what it kept is handed back to `restore`.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// Keeps records by key. Calls come from within locks and must not block: whoever writes to disks
/// or networks queues, and may drop an older change of the same key.
pub trait Journal: Send + Sync + 'static {
    /// Keeps a record in the place of what the key had.
    fn put(&self, key: &str, record: Value);
    /// Forgets a record.
    fn remove(&self, key: &str);
    /// Whether records outlive the process (`LogService.Persistency`).
    fn persists(&self) -> bool;
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug)]
pub struct Forgetful;

impl Journal for Forgetful {
    fn put(&self, _: &str, _: Value) {}

    fn remove(&self, _: &str) {}

    fn persists(&self) -> bool {
        false
    }
}

/// Tells the time, in seconds since 1970-01-01T00:00:00Z.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The clock of the system.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

/// A journal that tests can look into, and a clock that they set.
#[cfg(test)]
pub(crate) mod testing {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::sync::{Arc, Mutex};

    use serde_json::Value;

    use super::{Clock, Journal};

    #[derive(Clone, Default)]
    pub(crate) struct Notebook(Arc<Mutex<BTreeMap<String, Value>>>);

    impl Notebook {
        pub(crate) fn records(&self) -> Vec<Value> {
            self.0.lock().unwrap().values().cloned().collect()
        }
    }

    impl Journal for Notebook {
        fn put(&self, key: &str, record: Value) {
            self.0.lock().unwrap().insert(key.to_owned(), record);
        }

        fn remove(&self, key: &str) {
            self.0.lock().unwrap().remove(key);
        }

        fn persists(&self) -> bool {
            true
        }
    }

    #[derive(Clone, Default)]
    pub(crate) struct Time(Arc<AtomicI64>);

    impl Time {
        pub(crate) fn clock(&self) -> Clock {
            let time = self.0.clone();
            Arc::new(move || time.load(Ordering::Relaxed))
        }

        pub(crate) fn pass(&self, seconds: i64) {
            self.0.fetch_add(seconds, Ordering::Relaxed);
        }
    }
}

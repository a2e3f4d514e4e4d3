//! A store that forgets, for tests and for library users who keep nothing.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::dump::DumpRecord;
use super::{Dump, Error, Expect, Kind, Pending, Record, Result, Store};

/// Records in memory.
#[derive(Default)]
pub struct Memory {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    revision: u64,
    records: BTreeMap<(Kind, String), (u64, Vec<u8>)>,
}

impl Memory {
    /// A store without records.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is one insertion or removal: a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn expect(&self, kind: Kind, id: &str, expect: Expect) -> Result<()> {
        let found = self.records.get(&(kind, id.to_owned())).map(|(revision, _)| *revision);
        match expect.holds(found) {
            true => Ok(()),
            false => Err(Error::Conflict { kind, found }),
        }
    }

    fn next(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    fn put(&mut self, kind: Kind, id: &str, bytes: Vec<u8>) -> u64 {
        let revision = self.next();
        self.records.insert((kind, id.to_owned()), (revision, bytes));
        revision
    }
}

impl Store for Memory {
    fn load(&self, kind: Kind) -> Pending<'_, Vec<Record>> {
        let state = self.state();
        let records = state.records.iter().filter(|((k, _), _)| *k == kind);
        let records = records.map(|((_, id), (revision, bytes))| Record {
            id: id.clone(),
            revision: *revision,
            bytes: bytes.clone(),
        });
        Box::pin(ready(Ok(records.collect())))
    }

    fn put<'a>(
        &'a self,
        kind: Kind,
        id: &'a str,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Pending<'a, u64> {
        let mut state = self.state();
        let done = state.expect(kind, id, expect).map(|()| state.put(kind, id, bytes));
        Box::pin(ready(done))
    }

    fn delete<'a>(&'a self, kind: Kind, id: &'a str, expect: Expect) -> Pending<'a, u64> {
        let mut state = self.state();
        let done = state.expect(kind, id, expect).map(|()| {
            state.records.remove(&(kind, id.to_owned()));
            state.next()
        });
        Box::pin(ready(done))
    }

    fn export(&self) -> Pending<'_, Dump> {
        let state = self.state();
        let records = state.records.iter().map(|((kind, id), (_, bytes))| DumpRecord {
            kind: *kind,
            id: id.clone(),
            bytes: bytes.clone(),
        });
        Box::pin(ready(Ok(Dump::new(records.collect()))))
    }

    fn import(&self, dump: Dump) -> Pending<'_, ()> {
        let mut state = self.state();
        state.records.clear();
        for DumpRecord { kind, id, bytes } in dump.into_records() {
            state.put(kind, &id, bytes);
        }
        Box::pin(ready(Ok(())))
    }

    fn check(&self) -> Pending<'_, ()> {
        Box::pin(ready(Ok(())))
    }
}

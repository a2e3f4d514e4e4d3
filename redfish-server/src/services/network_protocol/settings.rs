//! What clients may switch in `ManagerNetworkProtocol`, and what holds now.
//!
//! The responder and whoever else does what is switched follow [`Settings::watch`], so that a PATCH is
//! answered when the new value holds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::store::{self, Expect, Kind, Memory, Store, Table};

/// The one record, and the prefix of its key.
const ID: &str = "network-protocol";

/// What is decided; what is absent is decided elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// `SSDP.ProtocolEnabled`; off unless decided otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssdp: Option<bool>,
}

impl Options {
    /// These, and for what they leave open the others.
    fn or(&self, other: &Self) -> Self {
        Self { ssdp: self.ssdp.or(other.ssdp) }
    }
}

/// The settings and their owners: what the configuration decides can't be changed by clients.
pub struct Settings {
    kept: Table<Options>,
    configured: Options,
    now: watch::Sender<Options>,
    pub(super) changing: tokio::sync::Mutex<()>,
}

impl Settings {
    /// Those that are kept, below those that are configured.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn open(store: Arc<dyn Store>, configured: Options) -> store::Result<Arc<Self>> {
        let kept: Table<Options> = Table::open_below(store, Kind::Setting, ID).await?;
        let before = kept.get(ID).map(|kept| kept.value.clone()).unwrap_or_default();
        let now = watch::Sender::new(configured.or(&before));
        Ok(Arc::new(Self { kept, configured, now, changing: tokio::sync::Mutex::default() }))
    }

    /// Those of a configuration, forgotten with the process.
    ///
    /// # Errors
    /// None that a store in memory has.
    pub async fn forgetful(configured: Options) -> store::Result<Arc<Self>> {
        Self::open(Arc::new(Memory::new()), configured).await
    }

    /// What holds.
    pub fn now(&self) -> Options {
        self.now.borrow().clone()
    }

    /// What holds, and what comes to hold.
    pub fn watch(&self) -> watch::Receiver<Options> {
        self.now.subscribe()
    }

    /// What the configuration decides.
    pub(super) fn configured(&self) -> &Options {
        &self.configured
    }

    /// What clients decided.
    pub(super) fn kept(&self) -> Options {
        self.kept.get(ID).map(|kept| kept.value.clone()).unwrap_or_default()
    }

    /// Keeps what clients decide. It holds when this is done.
    pub(super) async fn keep(&self, options: Options) -> store::Result<()> {
        let now = self.configured.or(&options);
        self.kept.put(ID.to_owned(), options, Expect::Any).await?;
        self.now.send_replace(now);
        Ok(())
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("now", &self.now()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_configuration_wins_and_the_rest_is_kept() {
        let check = async |configured: Option<bool>, kept: Option<bool>, expect: Option<bool>| {
            let store: Arc<dyn Store> = Arc::new(Memory::new());
            let first = Settings::open(store.clone(), Options::default()).await.unwrap();
            let mut seen = first.watch();
            first.keep(Options { ssdp: kept }).await.unwrap();
            assert!(seen.has_changed().unwrap());
            assert_eq!(seen.borrow_and_update().ssdp, kept);
            let again = Settings::open(store, Options { ssdp: configured }).await.unwrap();
            assert_eq!(again.now().ssdp, expect);
        };
        check(None, None, None).await;
        check(None, Some(true), Some(true)).await;
        check(Some(false), Some(true), Some(false)).await;
        check(Some(true), None, Some(true)).await;
    }
}

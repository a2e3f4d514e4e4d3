//! From a name and a password to an account, at the same cost whether the account exists or not.
//!
//! HTTP Basic brings the password with every request, and a hash takes longer than all the rest of
//! it. So what was verified is remembered under a keyed hash whose key dies with the process, as
//! long as no account or role changes.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::settings::LONGEST_PASSWORD;
use super::{Account, Accounts};
use crate::context::Principal;
use crate::error::{Error, Result};
use crate::store::Entry;

/// How many verified credentials are remembered.
const MOST: usize = 4096;

/// Who gave the right password.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) account: Arc<Entry<Account>>,
    pub(super) principal: Arc<Principal>,
}

/// Credentials that were right.
pub(super) struct Verified {
    key: [u8; 32],
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The version of the tables that all of this rests on.
    version: u64,
    by_credentials: HashMap<[u8; 32], Identity>,
}

impl Verified {
    pub(super) fn new() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self { key, known: Mutex::default() })
    }

    /// A digest of credentials that nobody else can compute.
    fn digest(&self, user_name: &str, password: &str) -> [u8; 32] {
        let length = (user_name.len() as u64).to_be_bytes();
        let inner = Sha256::new()
            .chain_update(self.key)
            .chain_update(length)
            .chain_update(user_name)
            .chain_update(password)
            .finalize();
        Sha256::new().chain_update(self.key).chain_update(inner).finalize().into()
    }

    fn get(&self, version: u64, digest: &[u8; 32]) -> Option<Identity> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.by_credentials.get(digest);
        found.filter(|_| known.version == version).cloned()
    }

    fn put(&self, version: u64, digest: [u8; 32], identity: Identity) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.version != version || known.by_credentials.len() >= MOST {
            *known = Known { version, by_credentials: HashMap::new() };
        }
        known.by_credentials.insert(digest, identity);
    }
}

impl Accounts {
    /// Whose credentials these are.
    ///
    /// # Errors
    /// 401, whatever is wrong with them; 503 where too many passwords wait to be looked at.
    pub(super) async fn verify(
        &self,
        user_name: &str,
        password: &str,
        source: Option<IpAddr>,
    ) -> Result<Identity> {
        // A longer one can't be right, and is not worth hashing; a shorter one takes its place.
        let too_long = password.len() > LONGEST_PASSWORD as usize * 4;
        let password = if too_long { "" } else { password };
        let digest = self.verified.digest(user_name, password);
        // The lock comes first, or who is locked out could go on guessing what is remembered.
        let known = || match self.lockouts.is_locked(user_name, source) {
            true => Err(Error::unauthorized()),
            false => Ok(self.verified.get(self.version(), &digest)),
        };
        if let Some(identity) = known()? {
            return Ok(identity);
        }
        let turn = self.hasher.turn().await?;
        // While this one waited, another may have settled it.
        if let Some(identity) = known()? {
            return Ok(identity);
        }
        let version = self.version();
        let account = self.by_name(user_name);
        let hash = account.as_ref().map_or(&self.hasher.nobody, |account| &account.value.password);
        let right = self.hasher.verify(turn, hash, password).await && !too_long;
        match account.filter(|account| right && account.value.enabled) {
            Some(account) => {
                self.lockouts.passed(user_name, source);
                let principal = Arc::new(self.principal(&account, None));
                let identity = Identity { account, principal };
                self.verified.put(version, digest, identity.clone());
                Ok(identity)
            }
            None => {
                self.refused(user_name, source);
                Err(Error::unauthorized())
            }
        }
    }

    fn refused(&self, user_name: &str, source: Option<IpAddr>) {
        let locks = self.lockouts.failed(user_name, source, &self.rules());
        // A name that is none of ours may be a password in the wrong field.
        let account = self.by_name(user_name).map(|account| account.id.clone());
        let account = account.as_deref().unwrap_or("unknown");
        let source = source.map(tracing::field::display);
        tracing::warn!(target: "audit", account, source, locks, "login refused");
    }
}

//! Passwords as argon2id hashes, computed on a bounded pool.
//!
//! A hash is meant to be slow, so whoever may ask for hashes can keep the processor busy. Few are
//! computed at a time, some wait, and the rest is told to come back: the service goes on answering
//! those who are known already.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use redfish_model::Secret;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, Result};

/// How many may wait for a hash.
const WAITING: usize = 64;
/// The most memory that a hash from the configuration may ask for, in KiB.
const MAX_MEMORY: u32 = 1 << 20;
/// The most passes that it may ask for.
const MAX_PASSES: u32 = 64;

/// What a hash costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Memory in KiB.
    pub memory: u32,
    /// Passes over it.
    pub passes: u32,
}

impl Default for Cost {
    /// What OWASP recommends for argon2id.
    fn default() -> Self {
        Self { memory: 19_456, passes: 2 }
    }
}

/// Whether a text is an argon2 hash that this service can check, in PHC form.
pub fn is_password_hash(text: &str) -> bool {
    let Ok(hash) = PasswordHash::new(text) else { return false };
    let known = Algorithm::try_from(hash.algorithm.as_str()).is_ok();
    let params = Params::try_from(&hash);
    let bounded = params.is_ok_and(|p| p.m_cost() <= MAX_MEMORY && p.t_cost() <= MAX_PASSES);
    known && bounded && hash.salt.is_some() && hash.hash.is_some()
}

/// The hash of a password, computed here and now: for a command line.
pub fn hash_password(password: &Secret<String>, cost: Cost) -> Option<Secret<String>> {
    compute(&argon(cost)?, password.expose())
}

fn argon(Cost { memory, passes }: Cost) -> Option<Argon2<'static>> {
    let params = Params::new(memory, passes, 1, None).ok()?;
    Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn compute(argon: &Argon2<'_>, password: &str) -> Option<Secret<String>> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).ok()?;
    let hash = argon.hash_password_with_salt(password.as_bytes(), &salt).ok()?;
    Some(hash.to_string().into())
}

/// Computes hashes.
pub(super) struct Hasher {
    argon: Argon2<'static>,
    /// Those who compute.
    pool: Arc<Semaphore>,
    /// Those who compute or wait.
    places: Arc<Semaphore>,
    /// The hash of no password: what unknown users are measured by.
    pub(super) nobody: Secret<String>,
    computed: Arc<AtomicU64>,
}

/// The right to compute one hash.
pub(super) struct Turn(#[allow(dead_code)] [OwnedSemaphorePermit; 2]);

impl Hasher {
    pub(super) fn new(cost: Cost) -> Result<Self, &'static str> {
        let argon = argon(cost).ok_or("The cost of password hashes is out of range")?;
        let mut random = [0; 48];
        getrandom::fill(&mut random).map_err(|_| "There is no randomness")?;
        let (salt, output) = random.split_at(16);
        let nobody = format!(
            "$argon2id$v=19$m={},t={},p=1${}${}",
            cost.memory,
            cost.passes,
            STANDARD_NO_PAD.encode(salt),
            STANDARD_NO_PAD.encode(output),
        );
        // Half of the processors, so that the other half answers.
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let width = (processors / 2).max(1);
        Ok(Self {
            argon,
            pool: Arc::new(Semaphore::new(width)),
            places: Arc::new(Semaphore::new(width + WAITING)),
            nobody: nobody.into(),
            computed: Arc::default(),
        })
    }

    /// How many hashes were computed.
    pub(super) fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Waits for one's turn.
    ///
    /// # Errors
    /// 503 where too many wait.
    pub(super) async fn turn(&self) -> Result<Turn> {
        let overloaded = || Error::unavailable(Duration::from_secs(1));
        let place = self.places.clone().try_acquire_owned().map_err(|_| overloaded())?;
        let turn = self.pool.clone().acquire_owned().await.map_err(|_| overloaded())?;
        Ok(Turn([place, turn]))
    }

    /// Whether a password belongs to a hash.
    pub(super) async fn verify(&self, turn: Turn, hash: &Secret<String>, password: &str) -> bool {
        let (hash, password) = (hash.clone(), password.to_owned());
        let done = self.run(turn, move |argon| {
            argon.verify_password(password.as_bytes(), hash.expose().as_str()).is_ok()
        });
        done.await.unwrap_or(false)
    }

    /// The hash of a password.
    ///
    /// # Errors
    /// 503 where too many wait.
    pub(super) async fn hash(&self, password: &str) -> Result<Secret<String>> {
        let turn = self.turn().await?;
        let password = password.to_owned();
        let done = self.run(turn, move |argon| compute(argon, &password));
        done.await.flatten().ok_or_else(Error::internal)
    }

    async fn run<T: Send + 'static>(
        &self,
        turn: Turn,
        compute: impl FnOnce(&Argon2<'static>) -> T + Send + 'static,
    ) -> Option<T> {
        let (argon, computed) = (self.argon.clone(), self.computed.clone());
        let task = tokio::task::spawn_blocking(move || {
            computed.fetch_add(1, Ordering::Relaxed);
            let done = compute(&argon);
            // Kept until now, even if nobody waits for the result any more.
            drop(turn);
            done
        });
        task.await.ok()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) const CHEAP: Cost = Cost { memory: 8, passes: 1 };

    #[tokio::test]
    async fn hashes_and_verifies() {
        let hasher = Hasher::new(CHEAP).unwrap();
        let hash = hasher.hash("correct horse").await.unwrap();
        assert!(is_password_hash(hash.expose()) && is_password_hash(hasher.nobody.expose()));
        assert_ne!(hasher.hash("correct horse").await.unwrap(), hash);
        let check = async |hash: &Secret<String>, password: &str, expect: bool| {
            let turn = hasher.turn().await.unwrap();
            assert_eq!(hasher.verify(turn, hash, password).await, expect, "{password}");
        };
        check(&hash, "correct horse", true).await;
        check(&hash, "Correct horse", false).await;
        check(&hash, "", false).await;
        check(&hasher.nobody, "", false).await;
        check(&"nonsense".into(), "", false).await;
        assert_eq!(hasher.computed(), 7);
        let hash = hash_password(&"correct horse".into(), CHEAP).unwrap();
        check(&hash, "correct horse", true).await;
    }

    #[test]
    fn only_bounded_hashes_are_taken() {
        let check = |text: &str, expect: bool| assert_eq!(is_password_hash(text), expect, "{text}");
        let hash = |head: &str| format!("${head}$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA");
        check(&hash("argon2id$v=19$m=19456,t=2,p=1"), true);
        check(&hash("argon2i$v=19$m=64,t=2,p=1"), true);
        check(&hash("argon2id$v=19$m=4000000,t=2,p=1"), false);
        check(&hash("argon2id$v=19$m=64,t=1000,p=1"), false);
        check(&hash("scrypt$ln=16,r=8,p=1"), false);
        check("$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA", false);
        check("hunter2", false);
        check("", false);
    }

    #[tokio::test]
    async fn too_many_are_told_to_come_back() {
        let hasher = Arc::new(Hasher::new(CHEAP).unwrap());
        let busy: Vec<_> = (0..hasher.pool.available_permits()).map(|_| hasher.turn()).collect();
        let busy = futures_util::future::join_all(busy).await;
        let waiting: Vec<_> = (0..WAITING)
            .map(|_| {
                let hasher = hasher.clone();
                tokio::spawn(async move { hasher.turn().await.map(|_| ()) })
            })
            .collect();
        while hasher.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let refused = hasher.turn().await.map(|_| ()).unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.retry_after), (503, Some(1)));
        drop(busy);
        for waiter in waiting {
            waiter.await.unwrap().unwrap();
        }
        hasher.turn().await.unwrap();
    }
}

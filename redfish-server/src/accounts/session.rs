//! Sessions: a random token, of which only the hash is kept.
//!
//! The id of a session is the beginning of that hash, so that the table of sessions is also the index
//! by token. Using a session moves its time in memory only; a sweep writes what has moved far, so
//! that sessions outlive a restart without a write for each request.

use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use redfish_model::manager_account::AccountTypes;
use redfish_model::{Secret, SessionUri};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::verify::Identity;
use super::{Account, Accounts, Config};
use crate::context::Principal;
use crate::error::{Error, Result};
use crate::messages;
use crate::store::{Entry, Expect};

/// How often what is over is cleared away.
const SWEEP: Duration = Duration::from_secs(30);
/// How many records one sweep writes or removes.
const SWEPT: usize = 256;

/// A session as it is kept.
#[derive(Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// The id of the account.
    pub account: String,
    /// The epoch of the account in which it was opened.
    epoch: u64,
    /// SHA-256 of the token, in hexadecimal.
    token: Secret<String>,
    /// When it was opened, in seconds since 1970.
    pub created: i64,
    /// Where its client is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<IpAddr>,
    /// When it was last used, as far as this process knows.
    last_used: AtomicI64,
    /// What of that is in the store.
    #[serde(skip)]
    kept: AtomicI64,
    /// The principal, and the version of the tables that it rests on.
    #[serde(skip)]
    principal: Mutex<Option<(u64, Arc<Principal>)>>,
}

/// A session that was just opened: the only time that its token is known.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The session.
    pub session: Arc<Entry<Session>>,
    /// The token, for `X-Auth-Token`.
    pub token: Secret<String>,
    /// Whose it is.
    pub account: Arc<Entry<Account>>,
}

impl Session {
    /// The same with another epoch: for the one session that goes on.
    fn in_epoch(&self, epoch: u64) -> Self {
        let last_used = self.last_used.load(Ordering::Relaxed);
        Self {
            account: self.account.clone(),
            epoch,
            token: self.token.clone(),
            created: self.created,
            client: self.client,
            last_used: last_used.into(),
            kept: last_used.into(),
            principal: Mutex::default(),
        }
    }
}

/// The URI of a session.
pub(super) fn uri_of(id: &str) -> SessionUri {
    SessionUri::SessionServiceSessions { session_id: id.to_owned() }
}

fn hash_of(token: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(token).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// 80 bits of the hash: enough that two never meet.
fn id_of(hash: &str) -> &str {
    &hash[..20]
}

impl Accounts {
    /// Opens a session for who gives the right password.
    ///
    /// # Errors
    /// 401; 503 where there are too many sessions, or too many passwords wait to be looked at.
    pub async fn log_in(
        &self,
        user_name: &str,
        password: &Secret<String>,
        source: Option<IpAddr>,
    ) -> Result<Opened> {
        let Identity { account, .. } = self.verify(user_name, password.expose(), source).await?;
        if !account.value.account_types.contains(&AccountTypes::Redfish) {
            return Err(Error::unauthorized());
        }
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|_| Error::internal())?;
        let token = URL_SAFE_NO_PAD.encode(random);
        let hash = hash_of(&token);
        let now = self.clock.now();
        let session = Session {
            account: account.id.clone(),
            epoch: account.value.epoch,
            token: hash.clone().into(),
            created: now,
            client: source,
            last_used: now.into(),
            kept: now.into(),
            principal: Mutex::default(),
        };
        let opening = self.opening.lock().await;
        self.room(&account.id)?;
        let session = self.sessions.insert(id_of(&hash), session).await?;
        drop(opening);
        // If the account changed since the password was looked at, the session is of a past epoch.
        if !self.is_alive(&session) {
            return Err(Error::unauthorized());
        }
        let source = source.map(tracing::field::display);
        tracing::info!(target: "audit", account = account.id, source, "session opened");
        Ok(Opened { session, token: token.into(), account })
    }

    /// Whether there is room for another session of an account.
    fn room(&self, account: &str) -> Result<()> {
        let Config { max_sessions, max_sessions_per_account, .. } = self.config;
        // Counting is only worth it where what is over might make the difference.
        if self.sessions.len() < max_sessions.min(max_sessions_per_account) {
            return Ok(());
        }
        let alive = self.sessions();
        let own = alive.iter().filter(|session| session.value.account == account).count();
        if alive.len() < max_sessions && own < max_sessions_per_account {
            return Ok(());
        }
        let error = Error::new(StatusCode::SERVICE_UNAVAILABLE, messages::session_limit_exceeded());
        Err(Error { retry_after: Some(30), ..error })
    }

    /// A session by its id, while it lasts.
    pub fn session(&self, id: &str) -> Option<Arc<Entry<Session>>> {
        self.sessions.get(id).filter(|session| self.is_alive(session))
    }

    /// All sessions that last.
    pub fn sessions(&self) -> Vec<Arc<Entry<Session>>> {
        let mut sessions = self.sessions.all();
        sessions.retain(|session| self.is_alive(session));
        sessions
    }

    /// Whose session a token is for; that counts as a use of it.
    ///
    /// # Errors
    /// 401.
    pub fn principal_of_token(&self, token: &str) -> Result<Arc<Principal>> {
        let hash = hash_of(token);
        let session = self.sessions.get(id_of(&hash)).ok_or_else(Error::unauthorized)?;
        let same: bool = session.value.token.expose().as_bytes().ct_eq(hash.as_bytes()).into();
        let now = self.clock.now();
        if !same || self.is_expired(&session.value, now) {
            return Err(Error::unauthorized());
        }
        let principal = self.principal_of_session(&session).ok_or_else(Error::unauthorized)?;
        session.value.last_used.store(now, Ordering::Relaxed);
        Ok(principal)
    }

    fn principal_of_session(&self, session: &Entry<Session>) -> Option<Arc<Principal>> {
        let mut kept = session.value.principal.lock().unwrap_or_else(PoisonError::into_inner);
        let version = self.version();
        if let Some((_, principal)) = kept.as_ref().filter(|(of, _)| *of == version) {
            return Some(principal.clone());
        }
        let account = self.account_of(&session.value)?;
        let principal = Arc::new(self.principal(&account, Some(&session.id)));
        *kept = Some((version, principal.clone()));
        Some(principal)
    }

    /// The account of a session, if the session is of its epoch.
    fn account_of(&self, session: &Session) -> Option<Arc<Entry<Account>>> {
        let account = self.accounts.get(&session.account)?;
        let Account { enabled, epoch, account_types, .. } = &account.value;
        let lasts =
            *enabled && *epoch == session.epoch && account_types.contains(&AccountTypes::Redfish);
        lasts.then_some(account)
    }

    fn is_alive(&self, session: &Entry<Session>) -> bool {
        !self.is_expired(&session.value, self.clock.now())
            && self.account_of(&session.value).is_some()
    }

    fn is_expired(&self, session: &Session, now: i64) -> bool {
        let rules = self.rules();
        let idle = now - session.last_used.load(Ordering::Relaxed);
        let age = now - session.created;
        idle >= i64::from(rules.session_timeout)
            || rules.absolute_session_timeout_enabled
                && age >= i64::from(rules.absolute_session_timeout)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn log_out(&self, id: &str) -> Result<()> {
        self.sessions.delete(id, Expect::Any).await?;
        tracing::info!(target: "audit", session = id, "session ended");
        Ok(())
    }

    /// Lets one session of an account go on in another epoch; if that fails, it has ended.
    pub(super) async fn carry_over(&self, id: &str, epoch: u64) {
        let Some(session) = self.sessions.get(id) else { return };
        let carried = session.value.in_epoch(epoch);
        if let Err(error) = self.sessions.put(id.to_owned(), carried, Expect::Any).await {
            tracing::error!(error = &error as &dyn std::error::Error, "a session can't go on");
        }
    }

    /// Clears away what is over and writes what has moved, for ever.
    pub async fn maintain(&self) {
        let mut ticks = tokio::time::interval(SWEEP);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let far = i64::from(self.rules().session_timeout) / 4;
            if let Err(error) = self.sweep(SWEPT, far).await {
                tracing::error!(error = &error as &dyn std::error::Error, "sessions can't be kept");
            }
        }
    }

    /// Writes when sessions were last used, all of them: for a process that ends.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn flush(&self) -> crate::store::Result<()> {
        self.sweep(usize::MAX, 1).await
    }

    /// Removes sessions that are over, and writes those whose last use has moved so far, in seconds;
    /// so many at most.
    pub(super) async fn sweep(&self, most: usize, far: i64) -> crate::store::Result<()> {
        let mut left = most;
        for session in self.sessions.all() {
            if left == 0 {
                break;
            }
            let last_used = session.value.last_used.load(Ordering::Relaxed);
            let expect = Expect::Revision(session.revision);
            let done = if !self.is_alive(&session) {
                self.sessions.delete(session.id.clone(), expect).await
            } else if last_used - session.value.kept() >= far {
                let moved = session.value.in_epoch(session.value.epoch);
                self.sessions.put(session.id.clone(), moved, expect).await.map(|_| ())
            } else {
                continue;
            };
            left -= 1;
            match done {
                // Somebody else was faster.
                Err(error) if error.is_conflict() => {}
                done => done?,
            }
        }
        Ok(())
    }
}

impl Session {
    /// When it was last used, as the store has it. A session that was loaded starts with that.
    fn kept(&self) -> i64 {
        let kept = self.kept.load(Ordering::Relaxed);
        if kept != 0 {
            return kept;
        }
        let first = self.last_used.load(Ordering::Relaxed);
        self.kept.store(first, Ordering::Relaxed);
        first
    }
}

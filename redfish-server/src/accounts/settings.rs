//! The settings of `AccountService` and `SessionService`, each with one owner.
//!
//! What the configuration decides holds, and clients can't change it. Of the rest, what a client set
//! holds and is kept in the store; what nobody set has its default.

use std::sync::{Arc, PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use crate::store::{self, Expect, Kind, Store, Table};

const ID: &str = "accounts";

/// Settings, as far as somebody decided about them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// `AccountLockoutThreshold`: so many failures lock; 0 never does.
    pub account_lockout_threshold: Option<u32>,
    /// `AccountLockoutDuration`, in seconds; 0 never locks.
    pub account_lockout_duration: Option<u32>,
    /// `AccountLockoutCounterResetAfter`: failures are forgotten after so many seconds.
    pub account_lockout_counter_reset_after: Option<u32>,
    /// `MinPasswordLength`, in characters.
    pub min_password_length: Option<u32>,
    /// `MaxPasswordLength`, in characters.
    pub max_password_length: Option<u32>,
    /// `HTTPBasicAuth`.
    pub http_basic_auth: Option<bool>,
    /// `SessionTimeout`, in seconds.
    pub session_timeout: Option<u32>,
    /// `AbsoluteSessionTimeout`, in seconds.
    pub absolute_session_timeout: Option<u32>,
    /// `AbsoluteSessionTimeoutEnabled`.
    pub absolute_session_timeout_enabled: Option<bool>,
}

/// Settings, as they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// `AccountLockoutThreshold`.
    pub account_lockout_threshold: u32,
    /// `AccountLockoutDuration`.
    pub account_lockout_duration: u32,
    /// `AccountLockoutCounterResetAfter`.
    pub account_lockout_counter_reset_after: u32,
    /// `MinPasswordLength`.
    pub min_password_length: u32,
    /// `MaxPasswordLength`.
    pub max_password_length: u32,
    /// `HTTPBasicAuth`.
    pub http_basic_auth: bool,
    /// `SessionTimeout`.
    pub session_timeout: u32,
    /// `AbsoluteSessionTimeout`.
    pub absolute_session_timeout: u32,
    /// `AbsoluteSessionTimeoutEnabled`.
    pub absolute_session_timeout_enabled: bool,
}

impl Options {
    /// With what another has where this one has nothing.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            account_lockout_threshold: self
                .account_lockout_threshold
                .or(other.account_lockout_threshold),
            account_lockout_duration: self
                .account_lockout_duration
                .or(other.account_lockout_duration),
            account_lockout_counter_reset_after: self
                .account_lockout_counter_reset_after
                .or(other.account_lockout_counter_reset_after),
            min_password_length: self.min_password_length.or(other.min_password_length),
            max_password_length: self.max_password_length.or(other.max_password_length),
            http_basic_auth: self.http_basic_auth.or(other.http_basic_auth),
            session_timeout: self.session_timeout.or(other.session_timeout),
            absolute_session_timeout: self
                .absolute_session_timeout
                .or(other.absolute_session_timeout),
            absolute_session_timeout_enabled: self
                .absolute_session_timeout_enabled
                .or(other.absolute_session_timeout_enabled),
        }
    }

    /// What holds when this is all that was decided.
    pub fn rules(&self) -> Rules {
        Rules {
            account_lockout_threshold: self.account_lockout_threshold.unwrap_or(10),
            account_lockout_duration: self.account_lockout_duration.unwrap_or(300),
            account_lockout_counter_reset_after: self
                .account_lockout_counter_reset_after
                .unwrap_or(300),
            min_password_length: self.min_password_length.unwrap_or(8),
            max_password_length: self.max_password_length.unwrap_or(128),
            http_basic_auth: self.http_basic_auth.unwrap_or(true),
            session_timeout: self.session_timeout.unwrap_or(1800),
            absolute_session_timeout: self.absolute_session_timeout.unwrap_or(86_400),
            absolute_session_timeout_enabled: self
                .absolute_session_timeout_enabled
                .unwrap_or(false),
        }
    }
}

/// The longest password of any policy; a longer one is refused unread.
pub(super) const LONGEST_PASSWORD: u32 = 1024;

impl Rules {
    /// The names of settings that can't have these values.
    pub fn faults(&self) -> Vec<&'static str> {
        let session = 30..=86_400;
        let mut faults = Vec::new();
        let mut check = |fine: bool, name| {
            if !fine {
                faults.push(name);
            }
        };
        check(
            (1..=self.max_password_length).contains(&self.min_password_length),
            "MinPasswordLength",
        );
        check((16..=LONGEST_PASSWORD).contains(&self.max_password_length), "MaxPasswordLength");
        check(
            self.account_lockout_duration == 0
                || self.account_lockout_counter_reset_after <= self.account_lockout_duration,
            "AccountLockoutCounterResetAfter",
        );
        check(session.contains(&self.session_timeout), "SessionTimeout");
        check(session.contains(&self.absolute_session_timeout), "AbsoluteSessionTimeout");
        faults
    }
}

/// The settings and their owners.
pub(super) struct Settings {
    kept: Table<Options>,
    configured: RwLock<Options>,
}

impl Settings {
    pub(super) async fn open(store: Arc<dyn Store>, configured: Options) -> store::Result<Self> {
        let kept = Table::open_below(store, Kind::Setting, ID).await?;
        Ok(Self { kept, configured: RwLock::new(configured) })
    }

    /// What holds.
    pub(super) fn rules(&self) -> Rules {
        let configured = self.configured.read().unwrap_or_else(PoisonError::into_inner);
        match self.kept.get(ID) {
            Some(kept) => configured.or(&kept.value).rules(),
            None => configured.rules(),
        }
    }

    /// What the configuration decides.
    pub(super) fn configured(&self) -> Options {
        self.configured.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What clients decided.
    pub(super) fn kept(&self) -> Options {
        self.kept.get(ID).map(|kept| kept.value.clone()).unwrap_or_default()
    }

    pub(super) fn configure(&self, options: Options) {
        *self.configured.write().unwrap_or_else(PoisonError::into_inner) = options;
    }

    pub(super) async fn keep(&self, options: Options) -> store::Result<()> {
        self.kept.put(ID.to_owned(), options, Expect::Any).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_hold_together() {
        assert!(Options::default().rules().faults().is_empty());
    }

    #[test]
    fn rules_have_limits() {
        let check = |options: Options, expect: &[&str]| {
            assert_eq!(options.rules().faults(), expect, "{options:?}");
        };
        let none = Options::default();
        check(Options { min_password_length: Some(0), ..none.clone() }, &["MinPasswordLength"]);
        check(Options { min_password_length: Some(129), ..none.clone() }, &["MinPasswordLength"]);
        check(Options { max_password_length: Some(2000), ..none.clone() }, &["MaxPasswordLength"]);
        check(Options { session_timeout: Some(29), ..none.clone() }, &["SessionTimeout"]);
        check(Options { session_timeout: Some(86_401), ..none.clone() }, &["SessionTimeout"]);
        check(
            Options { account_lockout_duration: Some(299), ..none.clone() },
            &["AccountLockoutCounterResetAfter"],
        );
        check(Options { account_lockout_duration: Some(0), ..none }, &[]);
    }

    #[test]
    fn the_configuration_wins() {
        let configured = Options { session_timeout: Some(60), ..Options::default() };
        let kept = Options {
            session_timeout: Some(90),
            min_password_length: Some(9),
            ..Options::default()
        };
        let rules = configured.or(&kept).rules();
        assert_eq!((rules.session_timeout, rules.min_password_length), (60, 9));
    }
}

//! Who guesses passwords is locked out: the account at that address, not the account.
//!
//! Locking the account for everybody would let anyone lock out its owner. Names that do not exist
//! are counted like others, so that a lock tells nothing; the number of counters is bounded.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::account::is_user_name;
use super::settings::Rules;

/// How many counters are kept.
const MOST: usize = 16_384;

/// Counters of failures.
#[derive(Default)]
pub(super) struct Lockouts {
    counters: Mutex<HashMap<Key, Counter>>,
}

/// A user name, empty for what can be none, and where the attempts come from.
type Key = (Box<str>, Option<IpAddr>);

#[derive(Clone, Copy)]
struct Counter {
    failures: u32,
    last: Instant,
    locked_until: Option<Instant>,
}

impl Lockouts {
    /// Whether attempts are refused.
    pub(super) fn is_locked(&self, user_name: &str, source: Option<IpAddr>) -> bool {
        let counters = self.counters();
        counters.get(&key(user_name, source)).is_some_and(Counter::is_locked)
    }

    /// Whether attempts from anywhere are refused (`ManagerAccount.Locked`).
    pub(super) fn is_locked_anywhere(&self, user_name: &str) -> bool {
        let counters = self.counters();
        counters.iter().any(|((name, _), counter)| **name == *user_name && counter.is_locked())
    }

    /// Counts a failure; says whether it was the one that locks.
    pub(super) fn failed(&self, user_name: &str, source: Option<IpAddr>, rules: &Rules) -> bool {
        let duration = Duration::from_secs(rules.account_lockout_duration.into());
        let forget = Duration::from_secs(rules.account_lockout_counter_reset_after.into());
        if rules.account_lockout_threshold == 0 || duration.is_zero() {
            return false;
        }
        let (now, key) = (Instant::now(), key(user_name, source));
        let mut counters = self.counters();
        if counters.len() >= MOST && !counters.contains_key(&key) {
            make_room(&mut counters, forget);
        }
        let fresh = Counter { failures: 0, last: now, locked_until: None };
        let counter = counters.entry(key).or_insert(fresh);
        if now.duration_since(counter.last) >= forget {
            *counter = fresh;
        }
        counter.failures += 1;
        counter.last = now;
        let locks = counter.failures >= rules.account_lockout_threshold;
        if locks {
            *counter = Counter { locked_until: Some(now + duration), ..fresh };
        }
        locks
    }

    /// Forgets the failures from one place.
    pub(super) fn passed(&self, user_name: &str, source: Option<IpAddr>) {
        self.counters().remove(&key(user_name, source));
    }

    /// Forgets all failures of an account.
    pub(super) fn unlock(&self, user_name: &str) {
        self.counters().retain(|(name, _), _| **name != *user_name);
    }

    fn counters(&self) -> MutexGuard<'_, HashMap<Key, Counter>> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counter {
    fn is_locked(&self) -> bool {
        self.locked_until.is_some_and(|until| Instant::now() < until)
    }
}

fn key(user_name: &str, source: Option<IpAddr>) -> Key {
    let name = if is_user_name(user_name) { user_name } else { "" };
    (name.into(), source.map(network))
}

/// The part of an address that its owner can't change at will: of IPv6 the first 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// Drops what is over, and the oldest counter if nothing is.
fn make_room(counters: &mut HashMap<Key, Counter>, forget: Duration) {
    counters.retain(|_, counter| counter.is_locked() || counter.last.elapsed() < forget);
    if counters.len() >= MOST {
        let oldest = counters.iter().min_by_key(|(_, counter)| counter.last);
        let oldest = oldest.map(|(key, _)| key.clone());
        oldest.and_then(|key| counters.remove(&key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::Options;

    fn rules() -> Rules {
        let options = Options {
            account_lockout_threshold: Some(3),
            account_lockout_duration: Some(60),
            account_lockout_counter_reset_after: Some(30),
            ..Options::default()
        };
        options.rules()
    }

    fn at(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn failures_lock_for_a_while() {
        // Seconds until the next attempt, and whether it is refused unseen; all attempts fail.
        let check = async |attempts: &[(u64, bool)]| {
            let lockouts = Lockouts::default();
            for (index, (wait, expect)) in attempts.iter().enumerate() {
                tokio::time::advance(Duration::from_secs(*wait)).await;
                assert_eq!(lockouts.is_locked("a", None), *expect, "{index} of {attempts:?}");
                if !expect {
                    lockouts.failed("a", None, &rules());
                }
            }
        };
        check(&[(0, false), (0, false), (0, false), (0, true), (59, true), (1, false)]).await;
        check(&[(0, false), (29, false), (29, false), (0, true)]).await;
        check(&[(0, false), (0, false), (30, false), (0, false), (0, false), (0, true)]).await;
        // A lock that is over starts a new count.
        check(&[
            (0, false),
            (0, false),
            (0, false),
            (60, false),
            (0, false),
            (0, false),
            (0, true),
        ])
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn locks_are_for_a_name_and_a_source() {
        let lockouts = Lockouts::default();
        for _ in 0..3 {
            lockouts.failed("a", at("192.0.2.1"), &rules());
            lockouts.failed("b", at("2001:db8::1"), &rules());
            lockouts.failed("no:name", None, &rules());
        }
        let check = |name: &str, source: Option<IpAddr>, expect: bool| {
            assert_eq!(lockouts.is_locked(name, source), expect, "{name} {source:?}");
        };
        check("a", at("192.0.2.1"), true);
        check("a", at("::ffff:192.0.2.1"), true);
        check("a", at("192.0.2.2"), false);
        check("a", None, false);
        check("b", at("192.0.2.1"), false);
        check("b", at("2001:db8::2"), true);
        check("b", at("2001:db8:0:1::1"), false);
        check("another:name", None, true);
        assert!(lockouts.is_locked_anywhere("a") && !lockouts.is_locked_anywhere("c"));
        lockouts.unlock("a");
        check("a", at("192.0.2.1"), false);
        lockouts.passed("b", at("2001:db8::3"));
        check("b", at("2001:db8::1"), false);
    }

    #[tokio::test(start_paused = true)]
    async fn counters_are_bounded() {
        let lockouts = Lockouts::default();
        for number in 0..MOST + 10 {
            tokio::time::advance(Duration::from_millis(1)).await;
            lockouts.failed(&format!("user{number}"), None, &rules());
        }
        assert_eq!(lockouts.counters().len(), MOST);
        tokio::time::advance(Duration::from_secs(30)).await;
        lockouts.failed("one-more", None, &rules());
        assert_eq!(lockouts.counters().len(), 1);
    }

    #[test]
    fn zero_never_locks() {
        let check = |threshold, duration| {
            let mut rules = rules();
            rules.account_lockout_threshold = threshold;
            rules.account_lockout_duration = duration;
            let lockouts = Lockouts::default();
            assert!((0..20).all(|_| !lockouts.failed("a", None, &rules)));
        };
        check(0, 60);
        check(3, 0);
    }
}

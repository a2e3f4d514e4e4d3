//! When a request is sent again.
//!
//! A service that is busy answers 503 (or 429) and says in `Retry-After` when to come back (DSP0266, *HTTP status
//! codes*); it has done nothing then, so any request may be repeated. A connection that broke leaves open whether the
//! request was carried out: only reads are repeated, since a second Reset is not the same as one.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use tokio::time::Instant;

/// How often and how long a request is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a request is sent at most, the first time included; 1 means never again.
    pub attempts: u32,
    /// How long all of it may take. A service that asks for a longer wait than is left gets its way: the request fails.
    pub total: Duration,
}

impl RetryPolicy {
    /// Every request is sent once.
    pub const NEVER: Self = Self { attempts: 1, total: Duration::ZERO };
}

impl Default for RetryPolicy {
    /// 3 attempts within 60 seconds.
    fn default() -> Self {
        Self { attempts: 3, total: Duration::from_secs(60) }
    }
}

/// The attempts of one request.
pub(crate) struct Attempts {
    policy: RetryPolicy,
    started: Instant,
    made: u32,
}

impl Attempts {
    pub(crate) fn new(policy: RetryPolicy) -> Self {
        Self { policy, started: Instant::now(), made: 1 }
    }

    /// How long to wait before the request is sent again after this answer; `None`: not at all.
    pub(crate) fn after_answer(
        &mut self,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Option<Duration> {
        let busy =
            matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS);
        if busy { self.wait(retry_after(headers)?) } else { None }
    }

    /// The same after a failure of the connection.
    pub(crate) fn after_failure(
        &mut self,
        method: &Method,
        error: &reqwest::Error,
    ) -> Option<Duration> {
        let repeatable = matches!(*method, Method::GET | Method::HEAD);
        // A time-out has used its time already.
        let broken = !error.is_timeout() && (error.is_connect() || error.is_request());
        if !repeatable || !broken {
            return None;
        }
        self.wait(Duration::from_millis(100) * 2_u32.saturating_pow(self.made.min(6)))
    }

    fn wait(&mut self, wait: Duration) -> Option<Duration> {
        let left = self.policy.total.checked_sub(self.started.elapsed())?;
        if self.made >= self.policy.attempts || wait > left {
            return None;
        }
        self.made += 1;
        Some(wait)
    }
}

/// `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3).
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    parse(headers.get(RETRY_AFTER)?.to_str().ok()?.trim(), SystemTime::now())
}

fn parse(text: &str, now: SystemTime) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More seconds than fit a number are a long time all the same.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let check = |text: &str, expect: Option<u64>| {
            assert_eq!(parse(text, now), expect.map(Duration::from_secs), "{text}");
        };
        check("0", Some(0));
        check("120", Some(120));
        check("99999999999999999999999", Some(u64::MAX));
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10));
        check("Sun, 06 Nov 1994 08:49:07 GMT", Some(0));
        check("", None);
        check("-1", None);
        check("1.5", None);
        check("soon", None);
    }

    #[tokio::test]
    async fn attempts_are_bounded_in_number_and_time() {
        let mut headers = HeaderMap::new();
        let busy = StatusCode::SERVICE_UNAVAILABLE;
        let policy = RetryPolicy { attempts: 3, total: Duration::from_secs(5) };
        assert_eq!(Attempts::new(policy).after_answer(busy, &headers), None, "no Retry-After");
        headers.insert(RETRY_AFTER, "1".parse().unwrap());
        let mut attempts = Attempts::new(policy);
        let wait = Some(Duration::from_secs(1));
        assert_eq!(attempts.after_answer(busy, &headers), wait);
        assert_eq!(attempts.after_answer(StatusCode::TOO_MANY_REQUESTS, &headers), wait);
        assert_eq!(attempts.after_answer(busy, &headers), None, "the third was the last");
        assert_eq!(Attempts::new(policy).after_answer(StatusCode::BAD_GATEWAY, &headers), None);
        assert_eq!(Attempts::new(RetryPolicy::NEVER).after_answer(busy, &headers), None);
        headers.insert(RETRY_AFTER, "6".parse().unwrap());
        assert_eq!(Attempts::new(policy).after_answer(busy, &headers), None, "longer than is left");
    }
}

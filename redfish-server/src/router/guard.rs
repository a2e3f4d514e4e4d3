//! One machine for each session, where an endpoint shows several.
//!
//! Deployed clients list all systems and act on the first, or on each: meant for a BMC with one
//! machine, such a client powers off a whole cluster. So a session writes to one machine, the one
//! that it wrote to first; so does an account without a session, from one address, until it has
//! paused. Who knows what it does is exempt by its account, or gets an endpoint for each machine.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::StatusCode;

use crate::context::{Context, Guard as Policy, Machines};
use crate::error::{Error, Result};
use crate::messages;

/// How long an account without a session stays with its machine after a write.
const PAUSE: Duration = Duration::from_secs(60);
/// How long a session can be idle at most (`SessionTimeout`).
const SESSION: Duration = Duration::from_secs(86_400);
/// With so many entries, those whose time is over are looked for.
const MANY: usize = 4096;

/// Who wrote to what.
#[derive(Debug, Default)]
pub(super) struct Guard {
    bound: Mutex<HashMap<Writer, (Box<str>, Instant)>>,
}

/// Who writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Writer {
    Session(String),
    Account(String, Option<IpAddr>),
}

impl Writer {
    fn keeps_for(&self) -> Duration {
        match self {
            Self::Session(_) => SESSION,
            Self::Account(..) => PAUSE,
        }
    }
}

impl Guard {
    /// Whether the caller may write to the machine that a segment of a URI names.
    ///
    /// # Errors
    /// 403, with what to do about it.
    pub(super) fn admit(&self, cx: &Context, segment: &str, now: Instant) -> Result<()> {
        let Some(principal) = cx.principal.as_deref().filter(|p| !p.multi_machine) else {
            return Ok(());
        };
        let several = match &cx.scope.machines {
            Machines::All => true,
            Machines::Only(ids) => ids.iter().nth(1).is_some(),
        };
        let Some(machine) = cx.scope.machine(segment).filter(|_| several) else { return Ok(()) };
        let refused = |why: &str| {
            let remedy = "Use an endpoint for each machine, or set multi_machine for the account.";
            let message = messages::insufficient_privilege();
            Err(Error::explained(StatusCode::FORBIDDEN, message, &format!("{why} {remedy}")))
        };
        match cx.scope.guard {
            Policy::Off => return Ok(()),
            Policy::Deny => return refused("Machines are only read on an endpoint with several."),
            Policy::Session => {}
        }
        let writer = match &principal.session {
            Some(session) => Writer::Session(session.clone()),
            None => Writer::Account(principal.account.clone(), cx.client.map(|c| c.ip())),
        };
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        if bound.len() >= MANY {
            bound.retain(|writer, (_, last)| now.duration_since(*last) < writer.keeps_for());
        }
        let held =
            bound.get(&writer).filter(|(_, last)| now.duration_since(*last) < writer.keeps_for());
        if let Some((held, _)) = held
            && **held != *machine
        {
            let held = cx.scope.name(held);
            return match writer {
                Writer::Session(_) => refused(&format!(
                    "This session writes to machine {held}; open another one for another machine."
                )),
                Writer::Account(..) => refused(&format!(
                    "This account writes to machine {held} from this address; open a session for \
                     each machine."
                )),
            };
        }
        bound.insert(writer, (machine.into(), now));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Principal, Scope};

    fn context(session: Option<&str>, client: &str, policy: Policy) -> Context {
        let mut principal = Principal::new("joe", "Operator", []);
        principal.session = session.map(str::to_owned);
        let scope = Scope { guard: policy, ..Scope::all() };
        let mut cx = Context::new(Some(principal.into()), scope);
        cx.client = format!("{client}:1").parse().ok();
        cx
    }

    #[test]
    fn one_machine_at_a_time() {
        let guard = Guard::default();
        let start = Instant::now();
        let check = |cx: &Context, machine: &str, after: u64, expect: bool| {
            let now = start + Duration::from_secs(after);
            assert_eq!(guard.admit(cx, machine, now).is_ok(), expect, "{cx:?} {machine} {after}");
        };
        let session = context(Some("s1"), "192.0.2.1", Policy::Session);
        check(&session, "a", 0, true);
        check(&session, "b", 0, false);
        check(&session, "a", 3600, true);
        check(&session, "b", 7200, false);
        check(&context(Some("s2"), "192.0.2.1", Policy::Session), "b", 0, true);
        let basic = context(None, "192.0.2.1", Policy::Session);
        check(&basic, "a", 0, true);
        check(&basic, "b", 59, false);
        check(&basic, "a", 59, true);
        check(&basic, "b", 118, false);
        check(&basic, "b", 120, true);
        check(&context(None, "192.0.2.2", Policy::Session), "c", 120, true);
        check(&context(Some("s3"), "192.0.2.1", Policy::Deny), "a", 0, false);
        check(&context(Some("s4"), "192.0.2.1", Policy::Off), "a", 0, true);
        check(&context(Some("s4"), "192.0.2.1", Policy::Off), "b", 0, true);
    }

    #[test]
    fn who_sees_one_machine_is_not_guarded() {
        let guard = Guard::default();
        let mut cx = context(Some("s"), "192.0.2.1", Policy::Deny);
        let only = Machines::Only(["a".to_owned()].into_iter().collect());
        cx.scope = Scope { machines: only, ..Scope::clone(&cx.scope) }.into();
        assert!(guard.admit(&cx, "a", Instant::now()).is_ok());
        let mut exempt = Principal::new("joe", "Operator", []);
        exempt.multi_machine = true;
        let mut cx = context(Some("s"), "192.0.2.1", Policy::Deny);
        cx.principal = Some(exempt.into());
        assert!(guard.admit(&cx, "a", Instant::now()).is_ok());
    }

    #[test]
    fn it_forgets() {
        let guard = Guard::default();
        let start = Instant::now();
        for index in 0..3 * MANY {
            let client = format!("10.0.{}.{}", index / 256, index % 256);
            let cx = context(None, &client, Policy::Session);
            let now = start + Duration::from_secs(u64::try_from(index).unwrap());
            guard.admit(&cx, "a", now).unwrap();
        }
        assert!(guard.bound.lock().unwrap().len() <= MANY);
    }
}

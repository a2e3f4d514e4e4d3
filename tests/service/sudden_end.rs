//! The power goes (SIGKILL) at random moments while accounts, sessions and settings are written.
//!
//! After each start the state is sound and has all that was acknowledged; what was under way when it
//! ended is there as a whole or not at all.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redfish_tests::client::{Auth, Client};
use redfish_tests::random::{Random, seed};
use redfish_tests::server::{PASSWORD, Setup, USER};
use serde_json::{Value, json};

const ACCOUNTS: &str = "/redfish/v1/AccountService/Accounts";
const SERVICE: &str = "/redfish/v1/AccountService";
/// Services that live and end beside each other, and how often each does.
const SERVICES: usize = 4;
const ENDS: usize = 50;
/// Milliseconds.
const LONGEST_LIFE: u64 = 500;
const SECRET: &str = "Crash-Secret.42";

/// What the service has acknowledged, and what it was asked last.
#[derive(Debug, Default)]
struct Ledger {
    /// Roles of accounts by name; `None` when deleted.
    accounts: BTreeMap<String, Option<String>>,
    /// The names that a write without an answer was about.
    open: Vec<String>,
    /// The last acknowledged lockout threshold, and one that was asked for without an answer.
    threshold: (Option<u64>, Option<u64>),
    /// Sessions that were acknowledged.
    sessions: Vec<Auth>,
}

#[test]
fn what_was_acknowledged_is_there_after_a_sudden_end() {
    let seed = seed(7);
    println!("REDFISH_SEED={seed}");
    let mut random = Random::new(seed);
    std::thread::scope(|scope| {
        for _ in 0..SERVICES {
            let random = Random::new(random.bits());
            scope.spawn(move || one_service(random));
        }
    });
}

/// The life of one service.
fn one_service(mut random: Random) {
    let mut server = Setup::plain().start();
    let mut ledger = Ledger::default();
    for round in 0..ENDS {
        let admin = server.login();
        let stop = AtomicBool::new(false);
        let pause = Duration::from_millis(random.bits() % LONGEST_LIFE);
        let mut own = Random::new(random.bits());
        std::thread::scope(|scope| {
            let (ledger, stop, own, admin) = (&mut ledger, &stop, &mut own, admin);
            let writer = scope.spawn(move || write(&admin, ledger, own, round, stop));
            std::thread::sleep(pause);
            server.kill();
            stop.store(true, Ordering::Relaxed);
            writer.join().unwrap();
        });
        server = server.restart();
        check(&server.login(), &mut ledger);
    }
    let acknowledged = ledger.accounts.len() + ledger.sessions.len();
    println!("{acknowledged} accounts and sessions over {ENDS} ends");
    assert!(acknowledged >= ENDS, "hardly anything was written: {ledger:?}");
}

/// Writes until the connection breaks.
fn write(
    admin: &Client,
    ledger: &mut Ledger,
    random: &mut Random,
    round: usize,
    stop: &AtomicBool,
) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let known: Vec<_> = ledger.accounts.iter().filter(|(_, role)| role.is_some()).collect();
        let some = (!known.is_empty()).then(|| random.pick(&known).0.clone());
        let done = match (random.below(5), some) {
            (0, Some(name)) => delete(admin, ledger, &name),
            (1, Some(name)) => change(admin, ledger, &name, random),
            (2, _) => threshold(admin, ledger, 3 + random.bits() % 50),
            (3, _) => session(admin, ledger),
            _ => create(admin, ledger, &format!("a{round}-{number}")),
        };
        if done.is_none() {
            return;
        }
    }
}

/// A write on an account: `None` when it had no answer.
fn on_account(
    admin: &Client,
    ledger: &mut Ledger,
    name: &str,
    (method, uri, body): (&str, &str, Option<Value>),
    outcome: Option<String>,
) -> Option<()> {
    ledger.open.push(name.to_owned());
    let body = body.map(|body| body.to_string());
    let answer = admin.try_request(method, uri, &[], body.as_deref().map(str::as_bytes)).ok()?;
    assert!(answer.status < 300, "{method} {uri}: {}", answer.summary());
    ledger.open.pop();
    ledger.accounts.insert(name.to_owned(), outcome);
    Some(())
}

fn create(admin: &Client, ledger: &mut Ledger, name: &str) -> Option<()> {
    let body = json!({ "UserName": name, "Password": SECRET, "RoleId": "ReadOnly" });
    let write = ("POST", ACCOUNTS, Some(body));
    on_account(admin, ledger, name, write, Some("ReadOnly".to_owned()))
}

fn change(admin: &Client, ledger: &mut Ledger, name: &str, random: &mut Random) -> Option<()> {
    let role = *random.pick(&["ReadOnly", "Operator", "Administrator"]);
    let uri = find(admin, name).ok()??;
    let write = ("PATCH", uri.as_str(), Some(json!({ "RoleId": role })));
    on_account(admin, ledger, name, write, Some(role.to_owned()))
}

fn delete(admin: &Client, ledger: &mut Ledger, name: &str) -> Option<()> {
    let uri = find(admin, name).ok()??;
    on_account(admin, ledger, name, ("DELETE", uri.as_str(), None), None)
}

fn threshold(admin: &Client, ledger: &mut Ledger, value: u64) -> Option<()> {
    ledger.threshold.1 = Some(value);
    let body = json!({ "AccountLockoutThreshold": value }).to_string();
    let answer = admin.try_request("PATCH", SERVICE, &[], Some(body.as_bytes())).ok()?;
    assert_eq!(answer.status, 200, "{}", answer.summary());
    ledger.threshold = (Some(value), None);
    Some(())
}

fn session(admin: &Client, ledger: &mut Ledger) -> Option<()> {
    let body = json!({ "UserName": USER, "Password": PASSWORD }).to_string();
    let uri = "/redfish/v1/SessionService/Sessions";
    let nobody = admin.with(Auth::None);
    let answer = nobody.try_request("POST", uri, &[], Some(body.as_bytes())).ok()?;
    assert_eq!(answer.status, 201, "{}", answer.summary());
    let header = |name| answer.header(name).unwrap().to_owned();
    ledger.sessions.push(Auth::Session { token: header("x-auth-token"), uri: header("location") });
    Some(())
}

/// The URI of an account by its name.
fn find(admin: &Client, name: &str) -> std::io::Result<Option<String>> {
    let read = |uri: &str| -> std::io::Result<Value> {
        let answer = admin.try_request("GET", uri, &[], None)?;
        Ok(answer.expect(200).json())
    };
    let list = read(ACCOUNTS)?;
    for member in list["Members"].as_array().into_iter().flatten() {
        let uri = member["@odata.id"].as_str().unwrap();
        if read(uri)?["UserName"] == name {
            return Ok(Some(uri.to_owned()));
        }
    }
    Ok(None)
}

/// Compares what is there with the ledger, and takes what was open as it came out.
#[track_caller]
fn check(admin: &Client, ledger: &mut Ledger) {
    let mut found = BTreeMap::new();
    for uri in admin.members(ACCOUNTS) {
        let account = admin.read(&uri);
        let text = |name: &str| account[name].as_str().unwrap_or_default().to_owned();
        found.insert(text("UserName"), text("RoleId"));
    }
    for name in std::mem::take(&mut ledger.open) {
        let role = found.get(&name).cloned();
        // An account that came to be as a whole can log in.
        if role.is_some() {
            admin.with(Auth::basic(&name, SECRET)).read("/redfish/v1/Systems");
        }
        ledger.accounts.insert(name, role);
    }
    for (name, role) in &ledger.accounts {
        assert_eq!(found.get(name), role.as_ref(), "{name}");
    }
    let value = admin.read(SERVICE)["AccountLockoutThreshold"].as_u64();
    let (acknowledged, open) = ledger.threshold;
    if acknowledged.is_some() {
        assert!(value == acknowledged || (open.is_some() && value == open), "{value:?} {ledger:?}");
    }
    if ledger.threshold != (None, None) {
        ledger.threshold = (value, None);
    }
    for session in &ledger.sessions {
        admin.with(session.clone()).read("/redfish/v1/Systems");
    }
}

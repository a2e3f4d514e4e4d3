//! Random requests from a seed, on several connections, and what every answer to them must be.
//!
//! Requests are made of what the service itself prints, bent here and there: URIs that exist and do not,
//! methods that fit and do not, bodies from valid to broken. Framing is always right, so that each
//! request has an answer and connections can be kept.

use std::io;
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::client::{Auth, Client, went_away};
use crate::connection::{Connection, Endpoint};
use crate::random::Random;

/// What a storm is made of.
pub struct Storm<'a> {
    /// Where to.
    pub endpoint: Endpoint,
    /// Who asks, one of them each time.
    pub callers: Vec<Auth>,
    /// URIs to begin with.
    pub uris: Vec<String>,
    /// Whether a write to a URI would end the storm early (its own account, endless streams).
    pub spare: &'a (dyn Fn(&str, &str) -> bool + Sync),
    /// The first seed; each connection has its own.
    pub seed: u64,
    /// Requests in all.
    pub requests: usize,
    /// Ends the storm before that.
    pub limit: Duration,
    /// Connections at the same time.
    pub connections: usize,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Answers, by class of status (index 2 for 2xx).
    pub classes: [usize; 6],
    /// What was wrong, each with the request.
    pub faults: Vec<String>,
}

impl Outcome {
    /// All answers.
    pub fn answers(&self) -> usize {
        self.classes.iter().sum()
    }
}

/// After so many the rest tells nothing new.
const MOST_FAULTS: usize = 10;

const METHODS: [&str; 10] =
    ["GET", "GET", "GET", "HEAD", "POST", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"];
/// Pieces of bodies: true in some places, false in most.
const VALUES: [&str; 16] = [
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "18446744073709551616",
    "\"\"",
    "\"On\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"Once\"",
    "[]",
    "{}",
    "[null,{}]",
    "{\"@odata.id\":\"/redfish/v1\"}",
    "\"2026-13-45T99:99:99Z\"",
];
const NAMES: [&str; 16] = [
    "AssetTag",
    "Boot",
    "BootSourceOverrideTarget",
    "BootSourceOverrideEnabled",
    "ResetType",
    "Image",
    "Inserted",
    "UserName",
    "Password",
    "RoleId",
    "Enabled",
    "@odata.etag",
    "Oem",
    "Id",
    "NoSuchProperty",
    "Attributes",
];
const QUERIES: [&str; 8] = [
    "?$expand=*($levels=2)",
    "?$expand=.",
    "?$select=Name,,",
    "?$filter=Id eq 'a' and (",
    "?$top=-1&$skip=99999999999999999999",
    "?only",
    "?$top=1&$skip=1",
    "?%00=%ff",
];

/// Sends a storm.
pub fn storm(storm: &Storm<'_>) -> Outcome {
    let started = Instant::now();
    let mut outcome = Outcome::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..storm.connections)
            .map(|worker| scope.spawn(move || work(storm, worker as u64, started)))
            .collect();
        for worker in workers {
            let more = worker.join().unwrap();
            outcome.faults.extend(more.faults);
            for (sum, number) in outcome.classes.iter_mut().zip(more.classes) {
                *sum += number;
            }
        }
    });
    outcome
}

fn work(storm: &Storm<'_>, worker: u64, started: Instant) -> Outcome {
    let mut random = Random::new(storm.seed.wrapping_add(worker));
    let client = |auth: &Auth| Client::new(storm.endpoint.clone(), auth.clone());
    let callers: Vec<_> = storm.callers.iter().map(client).collect();
    let mut outcome = Outcome::default();
    let mut kept = None;
    for _ in 0..storm.requests / storm.connections {
        if started.elapsed() > storm.limit || outcome.faults.len() > MOST_FAULTS {
            break;
        }
        let (method, uri) = loop {
            let (method, uri) = (*random.pick(&METHODS), uri(&mut random, &storm.uris));
            if !(storm.spare)(method, &uri) {
                break (method, uri);
            }
        };
        let caller = random.below(callers.len());
        let bytes = request(&mut random, &callers[caller], method, &uri);
        // Now and then a new connection.
        if random.one_in(200) {
            kept = None;
        }
        let head = method == "HEAD";
        let fault = match exchange(&storm.endpoint, &mut kept, &bytes, head) {
            Ok(answer) => {
                outcome.classes[usize::from(answer.status / 100)] += 1;
                answer.fault(head)
            }
            Err(error) => Some(error.to_string()),
        };
        outcome.faults.extend(fault.map(|fault| format!("{} -> {fault}", shown(&bytes))));
    }
    outcome
}

/// One exchange on the kept connection, or on a new one when the server closed that between requests.
fn exchange(
    endpoint: &Endpoint,
    kept: &mut Option<Connection>,
    bytes: &[u8],
    head: bool,
) -> io::Result<Answer> {
    let on = |mut connection: Connection, kept: &mut Option<Connection>| {
        connection.send(bytes)?;
        let answer = connection.receive(head)?;
        *kept = (!answer.closed).then_some(connection);
        Ok(answer)
    };
    if let Some(connection) = kept.take() {
        match on(connection, kept) {
            Err(error) if went_away(&error) => {}
            other => return other,
        }
    }
    on(endpoint.connect()?, kept)
}

fn uri(random: &mut Random, uris: &[String]) -> String {
    let mut uri = random.pick(uris).clone();
    match random.below(12) {
        0 => uri.push_str("/NoSuch"),
        1 => uri.push('/'),
        2 => uri.push_str(random.pick(&QUERIES).replace(' ', "%20").as_str()),
        3 => {
            let at = random.below(uri.len());
            let junk: String = random.bytes(4).iter().map(|b| format!("%{b:02x}")).collect();
            if uri.is_char_boundary(at) && at > 0 {
                uri.insert_str(at, &junk);
            }
        }
        4 => {
            let from = random.pick(uris).rsplit('/').next().unwrap_or_default().to_owned();
            uri = format!("{}/{from}", uri.rsplit_once('/').map_or("", |(head, _)| head));
        }
        5 => uri.push_str("/../.%2e/%2F"),
        6 => uri.push_str(&"/x".repeat(random.below(500))),
        _ => {}
    }
    uri
}

fn request(random: &mut Random, client: &Client, method: &str, uri: &str) -> Vec<u8> {
    let mut headers = Vec::new();
    if random.one_in(6) {
        let values = ["\"0.0\"", "*", "W/\"x\"", "\"", "\u{7f}x, \"y\"", "\"a\",\"b\""];
        headers.push((*random.pick(&["If-Match", "If-None-Match"]), *random.pick(&values)));
    }
    if random.one_in(10) {
        headers.push(("OData-Version", *random.pick(&["4.0", "4.1", "", "x"])));
    }
    if random.one_in(10) {
        let types = ["text/plain", "application/xml", "application/json;charset=x", "", "*/*"];
        headers.push((*random.pick(&["Content-Type", "Accept"]), *random.pick(&types)));
    }
    if random.one_in(15) {
        headers.push(("Prefer", "respond-async"));
    }
    // A control character is not a header: that one request is refused as none.
    headers.retain(|(_, value)| value.bytes().all(|byte| byte >= b' ' && byte != 0x7f));
    let body = matches!(method, "POST" | "PATCH" | "PUT" | "DELETE").then(|| body(random));
    client.bytes(method, uri, &headers, body.as_deref())
}

fn body(random: &mut Random) -> Vec<u8> {
    match random.below(10) {
        0 => Vec::new(),
        1 => random.bytes(64),
        2 => random.pick(&VALUES).as_bytes().to_vec(),
        3 => vec![b'['; random.below(3000)],
        _ => {
            let mut text = object(random, 3).into_bytes();
            if random.one_in(8) {
                let at = random.below(text.len());
                text[at] = random.bits().to_le_bytes()[0];
            }
            text
        }
    }
}

fn object(random: &mut Random, depth: usize) -> String {
    let members: Vec<_> = (0..random.below(4))
        .map(|_| {
            let nested = depth > 0 && random.one_in(3);
            let name = *random.pick(&NAMES);
            let value =
                if nested { object(random, depth - 1) } else { (*random.pick(&VALUES)).into() };
            format!("\"{name}\":{value}")
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

/// A request as the failure shows it, without credentials.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let secret = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        !lower.starts_with("authorization:") && !lower.starts_with("x-auth-token:")
    };
    let lines: Vec<_> = text.lines().filter(secret).collect();
    lines.join("\\n").chars().take(600).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::{Reply, Request, serve};

    const ERROR: &str =
        r#"{"error":{"code":"c","message":"m","@Message.ExtendedInfo":[{"MessageId":"i"}]}}"#;

    fn good(request: &Request) -> Reply {
        let status = if request.target.contains("NoSuch") { 404 } else { 400 };
        match request.method.as_str() {
            "GET" | "HEAD" if request.target == "/redfish/v1" => {
                (200, "application/json", b"{}".to_vec())
            }
            _ => (status, "application/json", ERROR.into()),
        }
    }

    fn send(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Outcome {
        let endpoint = Endpoint::new(&serve(handler), None).unwrap();
        storm(&Storm {
            endpoint,
            callers: vec![Auth::None, Auth::basic("u", "p")],
            uris: vec!["/redfish/v1".to_owned(), "/redfish/v1/Systems".to_owned()],
            spare: &|method, _| method == "DELETE",
            seed: 7,
            requests: 2000,
            limit: Duration::from_secs(60),
            connections: 2,
        })
    }

    #[test]
    fn a_service_without_faults_has_none() {
        let outcome = send(|request| {
            assert_ne!(request.method, "DELETE");
            good(request)
        });
        assert_eq!(outcome.faults, [""; 0]);
        assert_eq!(outcome.answers(), 2000);
        assert!(outcome.classes[2] > 0 && outcome.classes[4] > 0, "{:?}", outcome.classes);
    }

    #[test]
    fn planted_faults_are_found() {
        #[track_caller]
        fn check(method: &'static str, reply: Reply, expect: &str) {
            let outcome = send(move |request| match request.method == method {
                true => reply.clone(),
                false => good(request),
            });
            let fault = outcome.faults.first().map_or("nothing", String::as_str);
            assert!(fault.contains(expect), "{fault}");
        }
        check("PUT", (500, "application/json", ERROR.into()), "an internal error");
        check("PATCH", (400, "text/html", b"<p>".to_vec()), "an error that is not JSON");
        check("GET", (200, "application/json", b"{".to_vec()), "broken JSON");
        check("POST", (600, "application/json", ERROR.into()), "status line");
        check("OPTIONS", (404, "application/json", Vec::new()), "an error without a body");
    }

    #[test]
    fn credentials_are_not_shown() {
        let text = shown(
            b"GET / HTTP/1.1\r\nAuthorization: Basic eA==\r\nX-Auth-Token: t\r\nA: b\r\n\r\n",
        );
        assert_eq!(text, "GET / HTTP/1.1\\nA: b\\n");
    }
}

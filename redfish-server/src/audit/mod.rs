//! The audit trail: who wrote what, and who was refused.
//!
//! One JSON object per line, appended and never cleared by any request. Whoever answers a request
//! only puts a line into a queue; a thread writes it. When the queue is full, because a disk is, the
//! line is lost, counted, and the next one that is written says how many were.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::SystemTime;

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use crate::operation::Kind;
use crate::service::{Finished, Observer};

/// How many lines wait at most.
const QUEUE: usize = 4096;

/// The way to the trail.
pub struct Audit {
    lines: SyncSender<Line>,
    lost: Arc<AtomicU64>,
    reopen: Arc<AtomicBool>,
}

struct Line {
    members: Map<String, Value>,
}

impl Audit {
    /// Appends to a file, or writes to the standard output where that is `-`.
    ///
    /// # Errors
    /// When the file can't be opened.
    pub fn to(path: &Path) -> io::Result<Self> {
        let target = Target::open(path)?;
        let (lines, waiting) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicU64::new(0));
        let reopen = Arc::new(AtomicBool::new(false));
        let (counted, asked) = (Arc::clone(&lost), Arc::clone(&reopen));
        std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || write(target, &waiting, &counted, &asked))?;
        Ok(Self { lines, lost, reopen })
    }

    /// Opens the file again before the next line: it was moved away.
    pub fn reopen(&self) {
        self.reopen.store(true, Ordering::Relaxed);
    }

    /// Tells of something that is no request: a start, a reload, a console.
    pub fn record(&self, kind: &str, members: Value) {
        let mut line = Map::new();
        line.insert("kind".to_owned(), kind.into());
        if let Value::Object(members) = members {
            line.extend(members);
        }
        self.send(line);
    }

    fn send(&self, mut members: Map<String, Value>) {
        members.insert("time".to_owned(), now().into());
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.lines.try_send(Line { members })
        {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audit").finish_non_exhaustive()
    }
}

impl Observer for Audit {
    fn answered(&self, request: &Finished<'_>) {
        let Some(kind) = kind(request) else { return };
        let mut line = Map::new();
        let mut add = |name: &str, value: Value| line.insert(name.to_owned(), value);
        add("kind", kind.into());
        add("request", request.request_id.into());
        add("method", request.method.as_str().into());
        add("target", request.path.chars().take(512).collect::<String>().into());
        add("status", request.status.as_u16().into());
        add("ms", u64::try_from(request.took.as_millis()).unwrap_or(u64::MAX).into());
        if let Some(operation) = request.operation {
            add("operation", operation.id.into());
        }
        if let Some(principal) = request.principal {
            add("account", principal.user_name.as_str().into());
            if let Some(session) = &principal.session {
                add("session", session.as_str().into());
            }
        }
        if let Some(client) = request.client {
            add("address", client.ip().to_string().into());
        }
        self.send(line);
    }
}

/// What a request is to the trail; reads that went well are nothing to it.
fn kind(request: &Finished<'_>) -> Option<&'static str> {
    let login = request.operation.is_some_and(|o| o.id == "session_service_sessions_create");
    let logout =
        request.operation.is_some_and(|o| o.resource == "Session" && o.kind == Kind::Delete);
    let reads = matches!(*request.method, Method::GET | Method::HEAD | Method::OPTIONS);
    let refused = matches!(request.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    match (login, logout, request.status.is_success()) {
        (true, _, true) => Some("login"),
        (true, _, false) => Some("login_failure"),
        (_, true, true) => Some("logout"),
        _ if refused => Some("refused"),
        _ if reads => None,
        _ => Some("write"),
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_millis())
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    now.map(|now| now.to_string()).unwrap_or_default()
}

/// Where lines go.
enum Target {
    Output,
    File(PathBuf, File),
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Output);
        }
        use std::os::unix::fs::OpenOptionsExt as _;
        let file = File::options().append(true).create(true).mode(0o600).open(path)?;
        Ok(Self::File(path.to_owned(), file))
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        match self {
            Self::Output => io::stdout().lock().write_all(line.as_bytes()),
            Self::File(_, file) => file.write_all(line.as_bytes()),
        }
    }
}

fn write(mut target: Target, waiting: &Receiver<Line>, lost: &AtomicU64, reopen: &AtomicBool) {
    while let Ok(Line { mut members }) = waiting.recv() {
        if reopen.swap(false, Ordering::Relaxed)
            && let Target::File(path, _) = &target
            && let Ok(new) = Target::open(path)
        {
            target = new;
        }
        let missing = lost.swap(0, Ordering::Relaxed);
        if missing > 0 {
            members.insert("lost_before".to_owned(), json!(missing));
        }
        let line = Value::Object(members).to_string() + "\n";
        if target.write(&line).is_err() {
            lost.fetch_add(missing + 1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::context::Principal;
    use crate::operation::OPERATIONS;

    fn lines(path: &Path, count: usize) -> Vec<Value> {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            if text.lines().count() >= count || Instant::now() > end {
                return text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn requests_are_told_by_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit");
        let audit = Audit::to(&path).unwrap();
        let principal = Principal::new("joe", "Operator", []);
        let tell = |id: &str, method: Method, status: u16| {
            audit.answered(&Finished {
                method: &method,
                path: "/redfish/v1/x",
                operation: OPERATIONS.iter().find(|operation| operation.id == id),
                principal: Some(&principal),
                client: "192.0.2.1:5".parse().ok(),
                request_id: "r-1",
                status: StatusCode::from_u16(status).unwrap(),
                took: Duration::from_millis(3),
            });
        };
        tell("systems_get", Method::GET, 200);
        tell("systems_get", Method::GET, 404);
        tell("systems_get", Method::GET, 403);
        tell("systems_reset", Method::POST, 204);
        tell("systems_reset", Method::POST, 409);
        tell("session_service_sessions_create", Method::POST, 201);
        tell("session_service_sessions_create", Method::POST, 401);
        tell("session_service_sessions_delete", Method::DELETE, 204);
        audit.record("reload", json!({"file": "x"}));
        let lines = lines(&path, 7);
        let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
        let expect = ["refused", "write", "write", "login", "login_failure", "logout", "reload"];
        assert_eq!(kinds, expect);
        assert_eq!(lines[1]["account"], "joe");
        assert_eq!(lines[1]["address"], "192.0.2.1");
        assert_eq!(lines[1]["operation"], "systems_reset");
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_was_moved_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("audit"), folder.path().join("audit.1"));
        let audit = Audit::to(&path).unwrap();
        audit.record("a", json!({}));
        assert_eq!(lines(&path, 1).len(), 1);
        std::fs::rename(&path, &moved).unwrap();
        audit.reopen();
        audit.record("b", json!({}));
        assert_eq!(lines(&path, 1)[0]["kind"], "b");
        assert_eq!(lines(&moved, 1).len(), 1);
    }

    #[test]
    fn lost_lines_are_counted() {
        let (lines, waiting) = sync_channel(1);
        let lost = Arc::new(AtomicU64::new(0));
        let audit = Audit { lines, lost: lost.clone(), reopen: Arc::default() };
        (0..5).for_each(|_| audit.record("a", json!({})));
        assert_eq!(lost.load(Ordering::Relaxed), 4);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit");
        drop(audit);
        write(Target::open(&path).unwrap(), &waiting, &lost, &AtomicBool::new(false));
        assert_eq!(super::tests::lines(&path, 1)[0]["lost_before"], 4);
    }
}

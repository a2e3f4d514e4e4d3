//! The program `redfish-server` with the mock backend, as a child process with a state folder of its own.
//!
//! Built by the suite's first cargo command and found beside the test program. It listens on a port that
//! the system gives it and says so in one JSON line; every wait is bounded, and what it logged is printed
//! when a test fails.

use std::fs::Permissions;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::client::{Auth, Client};
use crate::connection::Endpoint;

/// The account of the first start.
pub const USER: &str = "admin";
/// Its password.
pub const PASSWORD: &str = "Suite-Secret.42";
/// A start on a busy machine, certificate and password hash included, is far below.
const START: Duration = Duration::from_secs(60);
/// The end of a log that a failure shows.
const SHOWN: usize = 60;

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Machines of the mock.
    pub machines: usize,
    /// Where it listens.
    pub listen: String,
    /// Whether without TLS.
    pub http: bool,
    /// The text of the configuration file, `{folder}` for the folder that it is in; none without text.
    pub config: String,
    /// Further files of that folder, readable by their owner alone: name and text.
    pub files: Vec<(&'static str, String)>,
    /// Further arguments.
    pub arguments: Vec<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            machines: 3,
            listen: "127.0.0.1:0".to_owned(),
            http: false,
            config: String::new(),
            files: Vec::new(),
            arguments: Vec::new(),
        }
    }
}

impl Setup {
    /// Without TLS: for tests that send bytes.
    pub fn plain() -> Self {
        Self { http: true, ..Self::default() }
    }

    /// With a configuration file.
    #[must_use]
    pub fn config(mut self, text: &str) -> Self {
        self.config.push_str(text);
        self.config.push('\n');
        self
    }

    /// Starts it on a new state folder.
    #[track_caller]
    pub fn start(&self) -> Server {
        let folder = tempfile::Builder::new().prefix("redfish-suite-").tempdir().unwrap();
        self.start_in(Arc::new(folder))
    }

    /// Starts it on the folder of another one, which must have ended.
    #[track_caller]
    pub fn start_in(&self, folder: Arc<TempDir>) -> Server {
        let ready = folder.path().join("ready");
        if ready.exists() {
            std::fs::remove_file(&ready).unwrap();
        }
        let mut command = Command::new(program());
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("REDFISH_")) {
                command.env_remove(name);
            }
        }
        command.env("REDFISH_ADMIN_PASSWORD", PASSWORD).current_dir(folder.path());
        command.args(["--backend", "mock", "--mock-machines", &self.machines.to_string()]);
        command.args(["--listen", &self.listen, "--admin-listen", "127.0.0.1:0"]);
        command.arg("--state-dir").arg(folder.path().join("state"));
        command.arg("--ready-file").arg(&ready);
        if self.http {
            command.arg("--http");
        }
        if !self.config.is_empty() {
            let path = folder.path().join("config.toml");
            let text = self.config.replace("{folder}", folder.path().to_str().unwrap());
            std::fs::write(&path, text).unwrap();
            command.arg("--config").arg(path);
        }
        for (name, text) in &self.files {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
        }
        command.args(&self.arguments);
        Server::spawn(command, folder, &ready, self.clone())
    }
}

/// Lines that the server wrote, both streams together.
type Log = Arc<Mutex<Vec<String>>>;

/// A running server; killed when dropped.
pub struct Server {
    child: Child,
    /// `https://127.0.0.1:PORT`.
    pub url: String,
    /// The certificate that it is verified with.
    pub ca: Option<PathBuf>,
    /// The admin listener, `http://127.0.0.1:PORT`.
    pub admin: String,
    /// Configuration and state.
    pub folder: Arc<TempDir>,
    setup: Setup,
    log: Log,
}

impl Server {
    #[track_caller]
    fn spawn(mut command: Command, folder: Arc<TempDir>, ready: &Path, setup: Setup) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| {
            panic!("{}: {error}", Path::new(command.get_program()).display())
        });
        let log = Log::default();
        let (found, announced) = mpsc::channel();
        record(child.stderr.take().unwrap(), Arc::clone(&log), |_| ());
        record(child.stdout.take().unwrap(), Arc::clone(&log), move |line| {
            // Audit records are JSON lines too: the announcement is the one with a URL.
            if let Ok(line) = serde_json::from_str::<Value>(line)
                && line["url"].is_string()
            {
                let _ = found.send(line);
            }
        });
        let mut server =
            Self { child, url: String::new(), ca: None, admin: String::new(), folder, setup, log };
        let line = announced.recv_timeout(START).unwrap_or_else(|_| {
            panic!("redfish-server announced no URL ({})", server.state());
        });
        let text = |name: &str| line[name].as_str().map(|t| t.trim_end_matches('/').to_owned());
        server.url = text("url").unwrap().trim_end_matches("/redfish/v1").to_owned();
        server.ca = text("ca").map(PathBuf::from);
        server.admin = text("admin").unwrap_or_default();
        let started = Instant::now();
        while !ready.exists() {
            assert!(started.elapsed() < START, "redfish-server is not ready ({})", server.state());
            assert!(server.child.try_wait().unwrap().is_none(), "it ended: {}", server.state());
            std::thread::sleep(Duration::from_millis(10));
        }
        server
    }

    fn state(&mut self) -> String {
        self.child.try_wait().unwrap().map_or("still running".into(), |status| status.to_string())
    }

    /// Where it listens.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.url, self.ca.as_deref()).unwrap()
    }

    /// A client without credentials.
    pub fn anonymous(&self) -> Client {
        Client::new(self.endpoint(), Auth::None)
    }

    /// A client with Basic authentication.
    pub fn basic(&self, user: &str, password: &str) -> Client {
        Client::new(self.endpoint(), Auth::basic(user, password))
    }

    /// The administrator, with a session.
    #[track_caller]
    pub fn login(&self) -> Client {
        self.anonymous().login(USER, PASSWORD)
    }

    /// A client of the admin listener.
    pub fn admin(&self) -> Client {
        Client::new(Endpoint::new(&self.admin, None).unwrap(), Auth::None)
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process still runs.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// All that it logged so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    /// Ends it as a power cut would (SIGKILL).
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again on the same state.
    #[track_caller]
    pub fn restart(mut self) -> Self {
        self.kill();
        let (setup, folder) = (self.setup.clone(), Arc::clone(&self.folder));
        drop(self);
        setup.start_in(folder)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = self.log.lock().unwrap();
            eprintln!("--- the end of the server's log");
            for line in &log[log.len().saturating_sub(SHOWN)..] {
                eprintln!("{line}");
            }
            eprintln!("---");
        }
    }
}

fn record(from: impl Read + Send + 'static, log: Log, each: impl Fn(&str) + Send + 'static) {
    std::thread::spawn(move || {
        let mut lines = BufReader::new(from);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            each(&text);
            log.lock().unwrap().push(text);
            line.clear();
        }
    });
}

/// `$REDFISH_SERVER`, or the program in the target folder that this test program lies in.
fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("REDFISH_SERVER") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("redfish-server");
    assert!(
        path.is_file(),
        "no {}: `cargo build --package redfish-server` makes it",
        path.display()
    );
    path
}

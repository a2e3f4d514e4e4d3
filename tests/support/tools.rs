//! Programs that are not ours: where `cargo xtask test` put them, and how they are run.
//!
//! The environment of the caller must not decide what a validator does: variables that change whom Python
//! and Go trust, or through which proxy they go, are taken out.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// `requests` lets the bundles override what a tool itself says about certificates; proxies are not for
/// loopback.
const MISLEADING: [&str; 12] = [
    "ALL_PROXY",
    "CURL_CA_BUNDLE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "PYTHONHOME",
    "PYTHONPATH",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
];

/// What `cargo xtask test` prepared: a file or folder below the cache folder.
pub fn prepared(name: &str) -> PathBuf {
    let var = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = var("REDFISH_CACHE_DIR")
        .or_else(|| var("XDG_CACHE_HOME").map(|base| base.join("redfish")))
        .or_else(|| var("HOME").map(|home| home.join(".cache/redfish")))
        .expect("REDFISH_CACHE_DIR, XDG_CACHE_HOME or HOME is set");
    let path = cache.join(name);
    assert!(path.exists(), "{} is not there: `cargo xtask test` makes it", path.display());
    path
}

/// A program of the Python environment.
pub fn python(program: &str) -> Command {
    clean(prepared("python").join("bin").join(program))
}

/// A Go program of the `interop` suite.
pub fn go(program: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(3).unwrap().join("interop").join(program);
    assert!(path.exists(), "{} is not there: `cargo xtask test` makes it", path.display());
    clean(path)
}

fn clean(program: PathBuf) -> Command {
    let mut command = Command::new(program);
    for name in MISLEADING {
        command.env_remove(name);
    }
    command
}

/// How a program ended.
#[derive(Debug)]
pub struct Run {
    /// The exit code; `None` when it was ended by a signal.
    pub code: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it complained about.
    pub err: String,
}

/// Runs a program to its end, which must come within the limit.
#[track_caller]
pub fn run(command: &mut Command, limit: Duration) -> Run {
    let name = format!("{}", command.get_program().display());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
    let out = collect(child.stdout.take().unwrap());
    let err = collect(child.stderr.take().unwrap());
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if started.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let (out, err) = (out.join().unwrap(), err.join().unwrap());
    match status {
        Some(status) => Run { code: status.code(), out, err },
        None => panic!("{name} did not end within {limit:?}\n{out}\n{err}"),
    }
}

fn collect(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

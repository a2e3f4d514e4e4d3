//! The peer that people know: sushy-tools' emulator with its fake driver, at its best under gunicorn with
//! one sync worker.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use redfish_tests::client::{Auth, Client};
use redfish_tests::connection::Endpoint;
use redfish_tests::tools;
use tempfile::TempDir;

/// The emulator as a process of its own; killed when dropped.
pub(crate) struct Sushy {
    child: Child,
    pub(crate) client: Client,
    /// The system that it has.
    pub(crate) system: String,
    _folder: TempDir,
}

impl Sushy {
    /// Starts it.
    pub(crate) fn start() -> Self {
        let folder = TempDir::new().unwrap();
        // A port that was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let configuration = folder.path().join("emulator.conf");
        std::fs::write(&configuration, "SUSHY_EMULATOR_FAKE_DRIVER = True\n").unwrap();
        let mut command = tools::python("gunicorn");
        command.args(["--workers", "1", "--bind", &address, "--log-level", "error"]);
        command.arg("--chdir").arg(folder.path());
        command.env("SUSHY_EMULATOR_CONFIG", &configuration);
        command.arg("sushy_tools.emulator.main:app");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let started = Instant::now();
        while TcpStream::connect(&address).is_err() {
            assert!(started.elapsed() < Duration::from_secs(60), "sushy-tools does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        let endpoint = Endpoint::new(&format!("http://{address}"), None).unwrap();
        let client = Client::new(endpoint, Auth::None);
        let system = client.members("/redfish/v1/Systems").remove(0);
        Self { child, client, system, _folder: folder }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Sushy {
    fn drop(&mut self) {
        // The master takes its worker along when it is asked; killed, it would leave it behind.
        let pid = self.child.id().to_string();
        let _ = std::process::Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.child.wait();
    }
}

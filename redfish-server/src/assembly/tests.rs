//! The whole service on the mock: what happens when a client hangs up in the middle of a write.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode};
use redfish_backend::mock::{Happened, JournalEntry, MockBackend, MockConfig, MockControl};
use redfish_backend::power::PowerState;
use redfish_backend::{MachineBackend, MachineId};
use serde_json::{Value, json};

use super::{Bmc, Builder};
use crate::context::Scope;
use crate::service::Origin;

const PASSWORD: &str = "Whole-Service-1";

struct Lab {
    bmc: Bmc,
    backend: Arc<dyn MachineBackend>,
    control: MockControl,
    token: String,
}

impl Lab {
    async fn new() -> Self {
        let mock = MockBackend::start(MockConfig::instant(1), Arc::default()).await.unwrap();
        let control = mock.control();
        let backend: Arc<dyn MachineBackend> = Arc::new(mock);
        let policy = redfish_backend::outbound::OutboundSettings::default().with_loopback();
        let policy = redfish_backend::outbound::OutboundPolicy::new(policy);
        let bmc = Builder::new(Arc::clone(&backend)).outbound(policy).build().await.unwrap();
        bmc.accounts.bootstrap(Some(PASSWORD.to_owned().into())).await.unwrap();
        let mut lab = Self { bmc, backend, control, token: String::new() };
        let login = json!({ "UserName": "admin", "Password": PASSWORD });
        let answer = lab.send("POST", "/redfish/v1/SessionService/Sessions", &login).await;
        lab.token = answer.headers()["x-auth-token"].to_str().unwrap().to_owned();
        lab
    }

    async fn send(&self, method: &str, uri: &str, body: &Value) -> http::Response<Body> {
        let request = Request::builder().method(method).uri(uri);
        let request = request.header("x-auth-token", &self.token).body(body.to_string().into());
        // The first request has no token yet.
        let mut request = request.unwrap();
        if self.token.is_empty() {
            request.headers_mut().remove("x-auth-token");
        }
        self.bmc.service.call(Origin::new(Scope::all()), request).await
    }

    fn power(&self) -> PowerState {
        self.backend.snapshot().get(&MachineId::new("vm-1").unwrap()).unwrap().power
    }

    fn happened(&self, is: impl Fn(&Happened) -> bool) -> usize {
        self.control.journal(0).iter().filter(|JournalEntry { what, .. }| is(what)).count()
    }

    /// Waits for something to become true.
    async fn until(&self, what: &str, is: impl Fn(&Self) -> bool) {
        for _ in 0..2000 {
            if is(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{what}: {:?}", self.control.journal(0));
    }
}

/// Polls a request so often, then drops it; whether it was answered before.
async fn hang_up_after(
    polls: usize,
    request: impl Future<Output = http::Response<Body>>,
) -> Option<StatusCode> {
    let mut request = std::pin::pin!(request);
    for _ in 0..polls {
        let polled =
            std::future::poll_fn(|cx| std::task::Poll::Ready(request.as_mut().poll(cx))).await;
        if let std::task::Poll::Ready(response) = polled {
            return Some(response.status());
        }
        // Something else gets on meanwhile, or every poll would find the same.
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    None
}

/// Hangs up after each number of polls; the write is done all the same, or was not begun.
async fn hangs_up(
    method: &str,
    uri: &str,
    body: Value,
    asked: impl Fn(&Happened) -> bool + Copy,
    done: impl Fn(&Lab) -> bool + Copy,
) {
    let mut went_on = 0;
    for polls in 0.. {
        let lab = Lab::new().await;
        let answered = hang_up_after(polls, lab.send(method, uri, &body)).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        match (lab.happened(asked), answered) {
            (0, None) => assert!(!done(&lab), "{method} {uri} after {polls} polls"),
            (_, Some(status)) => {
                assert!(status.is_success(), "{status}");
                lab.until("an answered write is not done", done).await;
                break;
            }
            (_, None) => {
                lab.until("a write that was begun is not done", done).await;
                went_on += 1;
            }
        }
        // The machine is free for the next one.
        let next = json!({ "AssetTag": "after" });
        let answer = lab.send("PATCH", "/redfish/v1/Systems/vm-1", &next).await;
        assert_eq!(answer.status(), StatusCode::OK, "after {polls} polls");
    }
    assert!(went_on > 0, "{method} {uri}: never hung up on a write that went on");
}

fn asked(word: &'static str) -> impl Fn(&Happened) -> bool + Copy {
    move |what| matches!(what, Happened::Asked { write, .. } if write.as_str().contains(word))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_goes_on_without_its_client() {
    let uri = "/redfish/v1/Systems/vm-1/Actions/ComputerSystem.Reset";
    let body = json!({ "ResetType": "On" });
    hangs_up("POST", uri, body, asked("reset"), |lab| lab.power() == PowerState::On).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_boot_override_goes_on_without_its_client() {
    let body = json!({ "Boot": { "BootSourceOverrideTarget": "Pxe" } });
    let set = |lab: &Lab| {
        let machine = lab.backend.snapshot().get(&MachineId::new("vm-1").unwrap()).unwrap();
        machine.boot.override_.is_some()
    };
    hangs_up("PATCH", "/redfish/v1/Systems/vm-1", body, asked("boot"), set).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_insert_goes_on_without_its_client() {
    let uri = "/redfish/v1/Systems/vm-1/VirtualMedia/cd0/Actions/VirtualMedia.InsertMedia";
    let body = json!({ "Image": "http://127.0.0.1/boot.iso" });
    let attached =
        |lab: &Lab| lab.happened(|what| matches!(what, Happened::MediumAttached { .. })) > 0;
    hangs_up("POST", uri, body, asked("insert"), attached).await;
}

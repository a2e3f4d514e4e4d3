//! The rows: what is measured, against what, and what it should come to.

use std::time::{Duration, Instant};

use redfish_tests::server::{PASSWORD, Server, Setup, USER};
use serde_json::json;

use crate::bare::Bare;
use crate::load::{Figures, Load, Shape, middle};
use crate::process;
use crate::sushy::Sushy;

/// One run of a load; three of each are made, and the middle one counts.
const RUN: Duration = Duration::from_secs(2);
const KEPT: Shape = Shape { connections: 4, keep: true };
const NEW: Shape = Shape { connections: 4, keep: false };
/// A process is at rest some time after its start.
const REST: Duration = Duration::from_secs(3);

fn row(name: &str, figure: &str, target: &str, peer: &str) {
    println!("{}", json!({ "name": name, "figure": figure, "target": target, "peer": peer }));
}

/// Measures and prints all rows.
pub(crate) fn print() {
    let sushy = Sushy::start();
    let peer = Load { pid: Some(sushy.pid()), ..Load::get(&sushy.client, &sushy.system) };
    let peer = run(&Load { shape: NEW, ..peer });
    let body = sushy.client.get(&sushy.system).body;
    drop(sushy);
    yardstick(&body, &peer);
    if !std::env::var_os("REDFISH_SERVER").is_some_and(|path| std::path::Path::new(&path).exists())
    {
        row("redfish-server", "not built", "", "");
        return;
    }
    requests(&peer);
    encrypted();
    at_rest();
    collections();
    under_load();
}

/// What the limit itself makes of the peer's document: no service can be better.
fn yardstick(body: &[u8], peer: &Figures) {
    let bare = Bare::start(body, false);
    let load = Load { pid: Some(bare.pid()), ..Load::get(&bare.client, "/") };
    let kept = run(&Load { shape: KEPT, ..load });
    row(
        "axum from memory, kept connections",
        &rate(&kept),
        "",
        &format!("sushy-tools {}", rate(peer)),
    );
    row("  CPU time per request", &cpu(&kept), "", &format!("sushy-tools {}", cpu(peer)));
}

fn run(load: &Load) -> Figures {
    let runs = (0..3).map(|_| checked(load.run(RUN)));
    middle(runs.collect())
}

/// Two loads in turn, so that what else the machine does meets both.
fn both(ours: &Load, theirs: &Load) -> (Figures, Figures) {
    let runs: Vec<_> = (0..3).map(|_| (checked(ours.run(RUN)), checked(theirs.run(RUN)))).collect();
    let (ours, theirs) = runs.into_iter().unzip();
    (middle(ours), middle(theirs))
}

#[track_caller]
fn checked(figures: Figures) -> Figures {
    let rare = figures.errors * 1000 <= figures.answers;
    assert!(rare && figures.answers > 0, "too many errors: {}", figures.json());
    figures
}

fn rate(figures: &Figures) -> String {
    format!("{:.0}/s", figures.rate())
}

fn cpu(figures: &Figures) -> String {
    figures.cpu.map_or("unknown".into(), |cpu| format!("{:.1} us", micros(cpu)))
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn ratio(ours: f64, theirs: f64) -> String {
    format!("{:.2} x", ours / theirs)
}

fn requests(peer: &Figures) {
    let server = Setup { machines: 1000, ..Setup::plain() }.start();
    let session = server.login();
    let uri = session.members("/redfish/v1/Systems").swap_remove(500);
    let bytes = session.get(&uri).expect(200).body;
    let bare = Bare::start(&bytes, false);

    let ours = Load { pid: Some(server.pid()), ..Load::get(&session, &uri) };
    let limit = Load::get(&bare.client, "/");
    let (kept, bound) = both(&ours, &limit);
    row(
        "GET ComputerSystem, session, kept connections, of axum",
        &ratio(kept.rate(), bound.rate()),
        ">= 0.8 x",
        &format!("{} of {}", rate(&kept), rate(&bound)),
    );
    let basic = server.basic(USER, PASSWORD);
    let (basic, again) = both(&Load::get(&basic, &uri), &ours);
    row(
        "  with Basic, of the session's",
        &ratio(basic.rate(), again.rate()),
        ">= 0.6 x",
        &format!("{} of {}", rate(&basic), rate(&again)),
    );
    let times =
        |ours: Duration, theirs: Duration| format!("{:.0} x", micros(theirs) / micros(ours));
    row(
        "  CPU time per request, less than sushy-tools'",
        &kept.cpu.zip(peer.cpu).map_or("unknown".into(), |(ours, theirs)| times(ours, theirs)),
        ">= 150 x",
        &format!("{} and {}", cpu(&kept), cpu(peer)),
    );
    let new = run(&Load { shape: NEW, ..ours });
    row(
        "  new connections, of sushy-tools' requests/s",
        &format!("{:.0} x", new.rate() / peer.rate()),
        ">= 40 x",
        &format!("{} and {}", rate(&new), rate(peer)),
    );
}

fn encrypted() {
    let server = Setup { machines: 1000, ..Setup::default() }.start();
    let session = server.login();
    let uri = session.members("/redfish/v1/Systems").swap_remove(500);
    let bare = Bare::start(&session.get(&uri).expect(200).body, true);
    let ours = Load { shape: NEW, ..Load::get(&session, &uri) };
    let limit = Load { shape: NEW, ..Load::get(&bare.client, "/") };
    let (ours, limit) = both(&ours, &limit);
    row(
        "the same over TLS, new connections, of axum and rustls",
        &ratio(ours.rate(), limit.rate()),
        ">= 0.8 x",
        &format!("{} of {}", rate(&ours), rate(&limit)),
    );
}

fn at_rest() {
    let mut sizes = Vec::new();
    for machines in [3, 1000, 10_000] {
        let started = Instant::now();
        let server = Setup { machines, ..Setup::default() }.start();
        server.anonymous().get("/redfish/v1/").expect(200);
        let took = started.elapsed();
        std::thread::sleep(REST);
        sizes.push(format!("{:.0}", process::resident(server.pid()) as f64 / 1_048_576.0));
        if machines == 1000 {
            row("cold start to the first 200, 1,000 machines", &millis(took), "< 500 ms", "");
        }
    }
    row(
        "MiB resident at rest, 3 / 1,000 / 10,000 machines",
        &sizes.join(" / "),
        "13 / 40 / 250",
        "",
    );
}

fn collections() {
    let one = Shape { connections: 1, keep: true };
    let median = |server: &Server, uri: &str| {
        let session = server.login();
        session.read(uri);
        run(&Load { shape: one, ..Load::get(&session, uri) }).median
    };
    let small = Setup { machines: 1000, ..Setup::plain() }.start();
    let thousand = median(&small, "/redfish/v1/Systems");
    let expanded = median(&small, "/redfish/v1/Systems?$expand=.");
    drop(small);
    let large = Setup { machines: 10_000, ..Setup::plain() }.start();
    let all = median(&large, "/redfish/v1/Systems");
    let thousand = format!("1,000 take {}", millis(thousand));
    row("collection of 10,000 systems", &millis(all), "< 25 ms", &thousand);
    row("$expand=. of 1,000 systems", &millis(expanded), "< 60 ms", "");
}

/// What others' load does to who waits for one answer.
fn under_load() {
    let server = Setup { machines: 1000, ..Setup::plain() }.start();
    let session = server.login();
    let systems = session.members("/redfish/v1/Systems");
    let patch = |text: &str| {
        let body = json!({ "AssetTag": text }).to_string();
        session.bytes("PATCH", &systems[0], &[], Some(body.as_bytes()))
    };
    let polls = systems.iter().map(|uri| session.bytes("GET", uri, &[], None)).collect();
    let polls = Load::of(&session, polls);
    let one = Shape { connections: 1, keep: true };
    let writes = Load { shape: one, ..Load::of(&session, vec![patch("a"), patch("b")]) };
    let figures = beside(&polls, &Load { rate: Some(100), ..writes });
    row("p99 of a PATCH while 1,000 machines are polled", &millis(figures.p99), "< 10 ms", "");

    let polite = || Load { shape: one, rate: Some(200), ..Load::get(&session, &systems[0]) };
    let alone = run(&polite());
    let wrong = json!({ "UserName": "nobody", "Password": "wrong" }).to_string();
    let nobody = server.anonymous();
    let uri = "/redfish/v1/SessionService/Sessions";
    let login = nobody.bytes("POST", uri, &[], Some(wrong.as_bytes()));
    let logins = Load { rate: Some(1000), expect: 401, ..Load::of(&nobody, vec![login]) };
    let beset = beside(&logins, &polite());
    row(
        "p99 of others' reads under 1,000 wrong logins/s",
        &ratio(beset.p99.as_secs_f64(), alone.p99.as_secs_f64()),
        "<= 2 x",
        &format!("{} and {}", millis(beset.p99), millis(alone.p99)),
    );
}

/// The figures of the second load while the first is on.
fn beside(load: &Load, measured: &Load) -> Figures {
    std::thread::scope(|scope| {
        scope.spawn(|| load.run(RUN + Duration::from_secs(1)));
        checked(measured.run(RUN))
    })
}

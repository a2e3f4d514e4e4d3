//! A hundred thousand random requests: whatever comes in, proper HTTP goes out.

use std::time::Duration;

use redfish_server::operation::OPERATIONS;
use redfish_tests::crawl::{ROOT, crawl};
use redfish_tests::random::seed;
use redfish_tests::storm::{Storm, storm};

use crate::cast::Cast;

/// Reads that do not end, and writes that would end the storm early: logins, sessions and accounts.
fn spare(method: &str, uri: &str) -> bool {
    let service = ["/AccountService", "/SessionService", "/NetworkProtocol"];
    let write = !matches!(method, "GET" | "HEAD" | "OPTIONS");
    uri.contains("SSE") || write && service.iter().any(|part| uri.contains(part))
}

#[test]
fn a_hundred_thousand_random_requests() {
    let mut cast = Cast::start();
    let found = crawl(cast.admin(), ROOT);
    let mut uris: Vec<_> = found.documents.into_keys().collect();
    // Most of what is asked for is there.
    let templates = OPERATIONS.iter().map(|operation| operation.template.to_owned());
    uris.extend(templates.step_by(OPERATIONS.len() * 6 / uris.len()));
    uris.extend(
        ["/", "/redfish", "/redfish/v1/$metadata", "/redfish/v1/odata", "*"].map(String::from),
    );
    let seed = seed(20_251_201);
    println!("REDFISH_SEED={seed}");
    let outcome = storm(&Storm {
        endpoint: cast.server.endpoint(),
        callers: cast.credentials(),
        uris,
        spare: &spare,
        seed,
        requests: 100_000,
        limit: Duration::from_secs(180),
        connections: 4,
    });
    println!("{} answers, by class {:?}", outcome.answers(), outcome.classes);
    assert!(outcome.faults.is_empty(), "seed {seed}:\n{}", outcome.faults.join("\n"));
    // A storm that met only closed doors would show nothing.
    assert!(outcome.classes[2] * 10 > outcome.answers(), "{:?}", outcome.classes);
    assert!(cast.server.runs());
    cast.admin().read("/redfish/v1/Systems");
}

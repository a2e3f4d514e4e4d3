//! URIs and methods that are not there, and spellings of those that are.

use redfish_tests::mock::MACHINES;
use redfish_tests::server::Setup;

#[test]
fn unknown_uris_and_methods() {
    let server = Setup::plain().start();
    let admin = server.login();
    let system = format!("/redfish/v1/Systems/{}", MACHINES[0]);
    let check = |method: &str, uri: &str, status: u16| {
        let body = matches!(method, "POST" | "PATCH" | "PUT").then_some(&b"{}"[..]);
        let answer = admin.request(method, uri, &[], body).expect(status);
        assert_eq!(answer.fault(method == "HEAD"), None, "{method} {uri}");
        if status == 405 {
            let allow = answer.header("allow").unwrap_or_default();
            assert!(allow.contains("GET") && !allow.contains(method), "{method} {uri}: {allow}");
        }
    };
    for uri in ["/", "/favicon.ico", "/api/session", "/redfish/v2", "/redfish/v1x", "/etc/passwd"] {
        check("GET", uri, 404);
        check("POST", uri, 404);
    }
    for uri in [
        "/redfish/v1/NoSuch",
        "/redfish/v1/Systems/no-such",
        "/redfish/v1/Systems/no-such/Processors",
        "/redfish/v1/Managers/no-such",
        "/redfish/v1/AccountService/Accounts/no-such",
        "/redfish/v1/AccountService/Roles/no-such",
        "/redfish/v1/SessionService/Sessions/no-such",
        "/redfish/v1/Systems/{ComputerSystemId}",
        "/redfish/v1/Systems/*",
    ] {
        // What is not there has no methods.
        for method in ["GET", "HEAD", "PATCH", "DELETE", "PUT"] {
            check(method, uri, 404);
        }
    }
    check("POST", &format!("{system}/Actions/ComputerSystem.Explode"), 404);
    check("POST", "/redfish/v1/Systems/no-such/Actions/ComputerSystem.Reset", 404);
    for uri in ["/redfish/v1", "/redfish/v1/Systems", "/redfish/v1/SessionService"] {
        check("PUT", uri, 405);
        check("DELETE", uri, 405);
    }
    check("POST", &system, 405);
    check("DELETE", &system, 405);
}

#[test]
fn spellings_of_what_is_there() {
    let server = Setup::plain().start();
    let admin = server.login();
    let id = MACHINES[0];
    let plain = admin.read(&format!("/redfish/v1/Systems/{id}"));
    let first = id.as_bytes()[0];
    let check = |uri: &str, status: u16| {
        let answer = admin.get(uri).expect(status);
        assert_eq!(answer.fault(false), None, "{uri}");
        if status == 200 {
            assert_eq!(answer.json()["@odata.id"], plain["@odata.id"], "{uri}");
        }
    };
    check(&format!("/redfish/v1/Systems/{id}/"), 200);
    check(&format!("/redfish/v1/Systems/%{first:02x}{}", &id[1..]), 200);
    check(&format!("/redfish/v1/%53ystems/{id}"), 200);
    check(&format!("/redfish/v1/systems/{id}"), 404);
    check(&format!("/redfish/v1/Systems//{id}"), 404);
    check(&format!("/redfish//v1/Systems/{id}"), 404);
    check(&format!("/redfish/v1/Systems/{id}//"), 404);
    check(&format!("/redfish/v1/Systems/./{id}"), 404);
    check(&format!("/redfish/v1/Managers/../Systems/{id}"), 404);
    check(&format!("/redfish/v1/Managers/%2e%2e/Systems/{id}"), 404);
    check(&format!("/redfish/v1/Systems%2F{id}"), 404);
    check(&format!("/redfish/v1/Systems/{id}%00"), 404);
    check(&format!("/redfish/v1/Systems/{id}%0a"), 404);
    check("/redfish/v1/Systems/%ff%fe", 404);
    check("/redfish/v1/Systems/%", 404);
    check("/redfish/v1/Systems/%zz", 404);
    check(&format!("/redfish/v1/Systems/{}", "x".repeat(4000)), 404);
    check("/redfish/v1/..%2f..%2f..%2fetc%2fpasswd", 404);
}

/// Dot segments and escapes are no way around the question who asks.
#[test]
fn no_spelling_gets_around_authentication() {
    let server = Setup::plain().start();
    let nobody = server.anonymous();
    for uri in [
        "/redfish/v1/Systems",
        "/redfish/v1/Systems/",
        "/redfish/v1/%53ystems",
        "/redfish/v1/./Systems",
        "/redfish/v1/odata/../Systems",
        "/redfish/v1/$metadata/../Systems",
        "/redfish/v1//Systems",
        "/redfish/v1/Systems/no-such",
        "/redfish/v1/NoSuch",
        "/redfish/v1/SessionService/Sessions/Members",
    ] {
        let answer = nobody.get(uri);
        assert!(matches!(answer.status, 401 | 404), "{uri}: {}", answer.summary());
        assert_eq!(answer.fault(false), None, "{uri}");
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains(MACHINES[0]), "{uri}: {text}");
    }
    nobody.get("/redfish/v1/Systems").expect(401);
    nobody.get("/redfish/v1/Systems/no-such").expect(401);
}

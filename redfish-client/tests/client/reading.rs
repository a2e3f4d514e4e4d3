//! Reading what services really send.

use redfish_client::{Error, Query};
use redfish_model::Ref;
use redfish_model::chassis::Chassis;
use redfish_model::computer_system::ComputerSystem;
use serde_json::Value;

use crate::server::{Server, answer, not_found, ok};

const SYSTEM: &str = r#"{"@odata.id": "/redfish/v1/Systems/1", "@odata.etag": "W/\"member\"", "Id": "1", "Name": 7,
    "PowerState": "Warp", "Boot": {"BootOrder": ["a", 1, "b"]}, "Oem": {"X": {}}}"#;

#[tokio::test]
async fn one_bad_member_does_not_cost_the_resource() {
    let server = Server::start(|_, count| match count {
        0 => answer(200, &[("ETag", "\"header\"")], SYSTEM),
        _ => ok(SYSTEM),
    })
    .await;
    let client = server.client();
    let generated = client.systems_get("1").await.unwrap();
    let faults = generated.faults();
    let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/Boot/BootOrder", "/Name"]);
    assert_eq!(generated.extra.get("Name"), Some(&7.into()));
    assert_eq!(generated.id.as_deref(), Some("1"));
    assert_eq!(generated.power_state.value().unwrap().as_str(), "Warp");
    assert_eq!(generated.boot.value().unwrap().extra.get("BootOrder").unwrap()[2], "b");
    assert_eq!(generated.etag().as_deref(), Some("\"header\""));

    let linked = client.get(&Ref::<ComputerSystem>::to("/redfish/v1/Systems/1")).await.unwrap();
    assert_eq!(linked.faults(), generated.faults());
    assert_eq!(linked.etag().as_deref(), Some("W/\"member\""));
}

#[tokio::test]
async fn what_stands_in_the_place_of_a_link_needs_no_request() {
    let server = Server::start(|_, _| not_found()).await;
    let link: Ref<ComputerSystem> = serde_json::from_str(SYSTEM).unwrap();
    let system = server.client().get(&link).await.unwrap();
    assert_eq!((system.id.as_deref(), system.faults().len()), (Some("1"), 2));
    assert!(server.seen().is_empty());
    assert!(matches!(server.client().get(&Ref::<Chassis>::default()).await, Err(Error::Uri(_))));
}

#[tokio::test]
async fn a_fragment_is_a_part_of_a_resource() {
    let server =
        Server::start(|_, _| ok(r#"{"PowerSupplies": [{"Name": "a"}, {"Name": "b/c"}]}"#)).await;
    let client = server.client();
    let query = Query::new();
    let part = client.get_uri::<Value>("/p#/PowerSupplies/1", &query).await.unwrap();
    assert_eq!(part["Name"], "b/c");
    assert!(matches!(
        client.get_uri::<Value>("/p#/PowerSupplies/2", &query).await,
        Err(Error::Uri(_))
    ));
    assert_eq!(server.lines(), ["GET /p"; 2]);
}

#[tokio::test]
async fn errors_tell_what_the_service_said() {
    let server = Server::start(|seen, _| match seen.uri.as_str() {
        "/redfish/v1/Systems/html" => answer(502, &[], "<h1>Bad\u{1b} Gateway</h1>"),
        "/redfish/v1/Systems/empty" => answer(500, &[], ""),
        "/redfish/v1/Systems/odd" => answer(
            400,
            &[],
            r#"{"error": {"code": 1, "@Message.ExtendedInfo": [{"MessageId": "A.1.0.B", "Message": "odd", "MessageArgs": [1]}]}}"#,
        ),
        "/redfish/v1/Systems/text" => ok("hello"),
        _ => not_found(),
    })
    .await;
    let client = server.client();
    let check = async |id: &str, status: u16, text: &str| {
        let generated = Error::from(client.systems_get(id).await.unwrap_err());
        let uri = format!("/redfish/v1/Systems/{id}");
        let linked = client.get_uri::<Value>(&uri, &Query::new()).await.unwrap_err();
        for error in [generated, linked] {
            assert_eq!(error.status().unwrap().as_u16(), status, "{error:?}");
            assert_eq!(error.redfish().unwrap().to_string(), text);
        }
    };
    check("1", 404, "Not here.").await;
    check("html", 502, "<h1>Bad\\u{1b} Gateway</h1>").await;
    check("empty", 500, "Internal Server Error").await;
    check("odd", 400, "odd").await;
    let error = Error::from(client.systems_get("1").await.unwrap_err());
    assert!(error.redfish().unwrap().has("ResourceMissingAtURI"));
    let error =
        client.get_uri::<Value>("/redfish/v1/Systems/text", &Query::new()).await.unwrap_err();
    assert!(matches!(error, Error::Decode { .. }), "{error:?}");
    let error = Error::from(client.systems_get("text").await.unwrap_err());
    assert!(matches!(error, Error::Decode { .. }), "{error:?}");
}

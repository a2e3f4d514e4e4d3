//! Following links and walking through collections.

use axum::body::Body;
use axum::http::Response;
use redfish_client::{Error, Query};
use redfish_model::Ref;
use redfish_model::computer_system::ComputerSystem;

use crate::server::{Seen, Server, answer, not_found, ok};

const EXPAND: &str = r#"{"ProtocolFeaturesSupported": {"ExpandQuery": {"NoLinks": true}}}"#;

async fn names(server: &Server, query: Query) -> Vec<Result<String, Error>> {
    let systems: Ref<()> = Ref::to("/redfish/v1/Systems");
    let mut members = server.client().members_with::<ComputerSystem>(&systems, query);
    let mut names = Vec::new();
    while let Some(member) = members.next().await {
        names.push(member.map(|system| system.name.as_deref().unwrap_or("?").to_owned()));
    }
    names
}

fn good(names: Vec<Result<String, Error>>) -> Vec<String> {
    names.into_iter().map(Result::unwrap).collect()
}

fn pages(seen: &Seen, _: usize) -> Response<Body> {
    match seen.uri.as_str() {
        "/redfish/v1/" => ok("{}"),
        "/redfish/v1/Systems" => ok(
            r#"{"Members": [{"@odata.id": "/redfish/v1/Systems/1"}, {"@odata.id": "/redfish/v1/Systems/gone"}, null],
                "Members@odata.nextLink": "/redfish/v1/Systems?$skip=3"}"#,
        ),
        "/redfish/v1/Systems?$skip=3" => {
            ok(r#"{"Members": [{"@odata.id": "/redfish/v1/Systems/2"}]}"#)
        }
        "/redfish/v1/Systems/1" => ok(r#"{"Name": "one"}"#),
        "/redfish/v1/Systems/2" => ok(r#"{"Name": "two"}"#),
        _ => not_found(),
    }
}

#[tokio::test]
async fn pages_and_members_are_followed() {
    let server = Server::start(pages).await;
    let names = names(&server, Query::new()).await;
    let names: Vec<_> = names.iter().map(|name| name.as_deref().map_err(Error::status)).collect();
    let gone = Some(axum::http::StatusCode::NOT_FOUND);
    assert_eq!(names, [Ok("one"), Err(gone), Err(None), Ok("two")]);
}

#[tokio::test]
async fn expanded_members_need_no_request_of_their_own() {
    let server = Server::start(|seen, _| match seen.uri.as_str() {
        "/redfish/v1/" => ok(EXPAND),
        "/redfish/v1/Systems?$filter=a&$expand=." => {
            ok(r#"{"Members": [{"@odata.id": "/redfish/v1/Systems/1", "Name": "one", "Id": 1}],
                "Members@odata.nextLink": "/next?$expand=."}"#)
        }
        "/next?$expand=." => ok(r#"{"Members": [{"@odata.id": "/2", "Name": "two"}]}"#),
        _ => not_found(),
    })
    .await;
    assert_eq!(good(names(&server, Query::new().filter("a")).await), ["one", "two"]);
    assert_eq!(server.lines().len(), 3);
}

#[tokio::test]
async fn a_service_that_expands_in_words_only_is_asked_without() {
    let server = Server::start(|seen, count| match seen.uri.as_str() {
        "/redfish/v1/" => ok(EXPAND),
        "/redfish/v1/Systems?$expand=." => answer(501, &[], ""),
        _ => pages(seen, count),
    })
    .await;
    assert_eq!(names(&server, Query::new()).await.len(), 4);
}

#[tokio::test]
async fn pages_that_go_in_a_circle_end() {
    let server = Server::start(|seen, _| match seen.uri.as_str() {
        "/redfish/v1/" => ok("{}"),
        _ => {
            ok(r#"{"Members": [{"Name": "x"}], "Members@odata.nextLink": "/redfish/v1/Systems?a"}"#)
        }
    })
    .await;
    let names = names(&server, Query::new()).await;
    assert_eq!(names.len(), 3);
    assert!(matches!(names[2], Err(Error::PageLoop(_))));
}

#[tokio::test]
async fn a_collection_in_place_is_not_asked_for() {
    let server = Server::start(pages).await;
    let link: Ref<()> = serde_json::from_str(
        r#"{"@odata.id": "/x", "Members": [{"@odata.id": "/redfish/v1/Systems/1"}]}"#,
    )
    .unwrap();
    let all = server.client().members::<ComputerSystem>(&link).all().await.unwrap();
    assert_eq!(all[0].name.as_deref(), Some("one"));
    assert_eq!(server.lines(), ["GET /redfish/v1/Systems/1"]);
}

//! Everything can be done in a task of its own.

use std::time::Duration;

use redfish_client::{Error, Query};
use redfish_model::computer_system::{ComputerSystem, ResetRequest};

use crate::server::{Server, ok};

#[tokio::test]
async fn futures_move_between_threads() {
    let body = r#"{"Members": [{"Id": "1"}], "ServerSentEventUri": "/e", "EventService": {"@odata.id": "/e"}}"#;
    let server = Server::start(move |_, _| ok(body)).await;
    let client = server.client();
    let task = tokio::spawn(async move {
        let answer = client.systems_reset("1", &ResetRequest::default()).await?.into_inner();
        answer.wait(&client, Duration::ZERO).await?;
        client.get_uri::<ComputerSystem>("/x", &Query::new()).await?;
        client.members::<ComputerSystem>("/x").all().await?;
        client.events().await.unwrap_err();
        client.logout().await?;
        Ok::<_, Error>(())
    });
    task.await.unwrap().unwrap();
}

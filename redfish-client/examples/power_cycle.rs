//! Logs in, lists the systems, power-cycles one:
//! `REDFISH_PASSWORD=... cargo run --example power_cycle -- https://bmc.example admin 1`

use std::time::Duration;

use redfish_client::Client;
use redfish_model::computer_system::{ComputerSystem, ResetRequest};
use redfish_model::resource::ResetType;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [url, user, id] = arguments.as_slice() else { return Err("URL USER SYSTEM".into()) };

    let client = Client::builder(url).login(user, std::env::var("REDFISH_PASSWORD")?).await?;
    let mut systems = client.members::<ComputerSystem>("/redfish/v1/Systems");
    while let Some(system) = systems.next().await {
        let system = system?;
        println!("{:?} {:?}", system.id, system.power_state);
    }
    let request = ResetRequest { reset_type: ResetType::PowerCycle.into(), ..Default::default() };
    let answer = client.systems_reset(id, &request).await?.into_inner();
    answer.wait(&client, Duration::from_secs(60)).await?;
    client.logout().await?;
    Ok(())
}

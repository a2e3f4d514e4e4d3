//! Prints the events of a service: `REDFISH_PASSWORD=... cargo run --example events -- https://bmc.example admin`

use redfish_client::Client;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [url, user] = arguments.as_slice() else { return Err("URL USER".into()) };

    let client = Client::builder(url).login(user, std::env::var("REDFISH_PASSWORD")?).await?;
    let mut events = client.events().await?;
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                for record in event.events.value().into_iter().flatten() {
                    println!("{:?} {:?}", record.message_id, record.message);
                }
            }
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(())
}

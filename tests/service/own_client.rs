//! Our own client and types against our own service: what the service offers is driven, and every
//! document fits its type with nothing missing and nothing left over.

use std::time::Duration;

use redfish_client::Client;
use redfish_model::Field;
use redfish_model::computer_system::{ComputerSystem, ComputerSystemPatch, ResetRequest};
use redfish_model::manager_account::{ManagerAccount, ManagerAccountCreate};
use redfish_model::reflect::resource_entry;
use redfish_model::resource::{PowerState, ResetType};
use redfish_model::virtual_media::{InsertMediaRequest, VirtualMedia};
use redfish_tests::crawl::{ROOT, crawl, type_name};
use redfish_tests::mock::MACHINES;
use redfish_tests::server::{PASSWORD, Server, Setup, USER};

/// The mock's machines start within seconds.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn every_document_fits_its_type() {
    for profile in ["strict", "clients"] {
        let server = Setup::plain().config(&format!("[compat]\nprofile = \"{profile}\"")).start();
        let mut faults = Vec::new();
        let mut checked = 0;
        for (uri, document) in crawl(&server.login(), ROOT).documents {
            let Some(entry) = type_name(&document).and_then(resource_entry) else { continue };
            checked += 1;
            let read = (entry.rewrite)(&document.to_string()).unwrap();
            for missing in read.inspection.missing {
                faults.push(format!("{uri}: missing {missing:?}"));
            }
            for misfit in read.inspection.misfits {
                faults.push(format!("{uri}: {misfit:?}"));
            }
            if read.value != document {
                faults.push(format!("{uri}: written back it differs"));
            }
        }
        assert!(faults.is_empty(), "{profile}:\n{}", faults.join("\n"));
        assert!(checked > 50, "{profile}: only {checked} documents have a type of ours");
    }
}

#[test]
fn our_client_drives_a_machine() {
    let server = Setup::default().start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(drive(&server)).unwrap();
}

async fn drive(server: &Server) -> redfish_client::Result<()> {
    let ca = std::fs::read(server.ca.as_ref().unwrap()).unwrap();
    let builder = || Client::builder(&server.url).ca_pem(&ca).only_ca_pem();
    builder().login(USER, "wrong").await.unwrap_err();
    let client = builder().login(USER, PASSWORD).await?;
    assert!(client.session().is_some());
    assert!(client.root().await?.faults().is_empty());

    let systems = client.members::<ComputerSystem>("/redfish/v1/Systems").all().await?;
    let ids: Vec<_> = systems.iter().filter_map(|system| system.id.as_deref()).collect();
    assert_eq!(ids, MACHINES);
    let id = MACHINES[0];

    power(&client, id).await?;
    change(&client, id).await?;
    media(&client, id).await?;
    account(&client, builder).await?;
    client.logout().await?;
    client.systems_get(id).await.map(|_| ()).unwrap_err();
    Ok(())
}

async fn power(client: &Client, id: &str) -> redfish_client::Result<()> {
    for (reset, state) in [
        (ResetType::On, PowerState::On),
        (ResetType::ForceRestart, PowerState::On),
        (ResetType::ForceOff, PowerState::Off),
    ] {
        let request = ResetRequest { reset_type: reset.clone().into(), ..ResetRequest::default() };
        let answer = client.systems_reset(id, &request).await?.into_inner();
        answer.wait(client, PATIENCE).await?;
        let reached = tokio::time::timeout(PATIENCE, until(client, id, &state)).await;
        reached.unwrap_or_else(|_| panic!("{reset:?} does not lead to {state:?}"))?;
    }
    Ok(())
}

async fn until(client: &Client, id: &str, state: &PowerState) -> redfish_client::Result<()> {
    while client.systems_get(id).await?.into_inner().power_state.value() != Some(state) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// A change with the tag of the state that it is of, and one with that of the state before.
async fn change(client: &Client, id: &str) -> redfish_client::Result<()> {
    let system = client.systems_get(id).await?.into_inner();
    let tag = system.etag();
    assert!(tag.is_some());
    let patch = |tag: &str| ComputerSystemPatch {
        asset_tag: Field::Value(tag.to_owned()),
        ..ComputerSystemPatch::default()
    };
    let answer = client.systems_patch(id, tag.as_deref(), &patch("first")).await?.into_inner();
    let changed = answer.done().and_then(|done| done.resource).expect("the answer has it");
    assert_eq!(changed.asset_tag.as_deref(), Some("first"));
    client.systems_patch(id, tag.as_deref(), &patch("second")).await.map(|_| ()).unwrap_err();
    let after = client.systems_get(id).await?.into_inner();
    assert_eq!(after.asset_tag.as_deref(), Some("first"));
    Ok(())
}

async fn media(client: &Client, id: &str) -> redfish_client::Result<()> {
    let collection = format!("/redfish/v1/Systems/{id}/VirtualMedia");
    let slots = client.members::<VirtualMedia>(collection.as_str()).all().await?;
    let slot = slots.first().and_then(|slot| slot.id.as_deref()).unwrap();
    let image = redfish_tests::web::image();
    let request =
        InsertMediaRequest { image: Field::Value(image.clone()), ..InsertMediaRequest::default() };
    let answer = client.systems_virtual_media_insert_media(id, slot, &request).await?.into_inner();
    answer.wait(client, PATIENCE).await?;
    let inserted = client.systems_virtual_media_get(id, slot).await?.into_inner();
    assert_eq!(inserted.image.as_deref(), Some(image.as_str()));
    assert_eq!(inserted.inserted.value(), Some(&true));
    client.systems_virtual_media_eject_media(id, slot, &Default::default()).await?;
    let ejected = client.systems_virtual_media_get(id, slot).await?.into_inner();
    assert_eq!(ejected.inserted.value(), Some(&false));
    Ok(())
}

async fn account(
    client: &Client,
    builder: impl Fn() -> redfish_client::Builder,
) -> redfish_client::Result<()> {
    let secret = "Made-By-Client.42";
    let create = ManagerAccountCreate {
        user_name: Field::Value("made".to_owned()),
        password: Field::Value(secret.to_owned().into()),
        role_id: Field::Value("ReadOnly".to_owned()),
        ..ManagerAccountCreate::default()
    };
    client.account_service_accounts_create(&create).await?;
    let accounts =
        client.members::<ManagerAccount>("/redfish/v1/AccountService/Accounts").all().await?;
    let made = accounts.iter().find(|account| account.user_name.as_deref() == Some("made"));
    let id = made.and_then(|account| account.id.as_deref()).unwrap();
    let reader = builder().basic("made", secret.to_owned()).build()?;
    reader.systems_get(MACHINES[0]).await?;
    let request = ResetRequest { reset_type: ResetType::On.into(), ..ResetRequest::default() };
    reader.systems_reset(MACHINES[0], &request).await.map(|_| ()).unwrap_err();
    client.account_service_accounts_delete(id, None).await?;
    reader.systems_get(MACHINES[0]).await.map(|_| ()).unwrap_err();
    Ok(())
}

//! Volumes: made as asked for or not at all, and removed.

use redfish_model::volume::VolumeCreate;
use redfish_model::{Volume, VolumeUri};
use serde_json::{Value, json};

use super::super::testing::{Lab, admin, full, view};
use crate::api::storage::StorageCollectionApi;
use crate::api::volume::{VolumeApi, VolumeCollectionApi};
use crate::context::Scope;
use crate::error::Result;
use crate::mount::{Reply, State};

const VOLUMES: &str = "/redfish/v1/Systems/a/Storage/raid0/Volumes";

async fn create(lab: &Lab, body: Value) -> Result<Reply<Volume>> {
    let body: VolumeCreate = serde_json::from_value(body).unwrap();
    VolumeCollectionApi::create(&*lab.bmc, &admin(Scope::all()), VOLUMES.parse().unwrap(), body)
        .await
}

#[tokio::test]
async fn volumes_are_made_and_removed() {
    let lab = Lab::new([full("a")]);
    // As Ironic asks.
    let body = json!({
        "Encrypted": false,
        "VolumeType": "RawDevice",
        "RAIDType": "None",
        "CapacityBytes": 1 << 30,
        "Name": "data",
        "Links": {"Drives": [{"@odata.id": "/redfish/v1/Chassis/a/Drives/disk1"}]},
    });
    let State::Done(volume) = create(&lab, body).await.unwrap().state else { panic!("not done") };
    let volume = redfish_model::to_value_strict(&volume).unwrap();
    assert_eq!(volume["@odata.id"], format!("{VOLUMES}/volume-2"));
    assert_eq!((&volume["Name"], &volume["CapacityBytes"]), (&"data".into(), &(1 << 30).into()));
    assert_eq!(volume["Links"]["Drives"][0]["@odata.id"], "/redfish/v1/Chassis/a/Drives/disk1");
    let uri: VolumeUri = format!("{VOLUMES}/volume-2").parse().unwrap();
    let context = admin(Scope::all());
    VolumeApi::delete(&*lab.bmc, &context, uri.clone()).await.unwrap();
    assert!(!VolumeApi::exists(&*lab.bmc, &Scope::all(), &uri));
    let again = VolumeApi::delete(&*lab.bmc, &context, uri).await.unwrap_err();
    assert_eq!(again.status, 404);
    assert_eq!(lab.backend.taken_calls(), ["create_volume raid0", "delete_volume volume-2"]);
}

#[tokio::test]
async fn a_volume_is_as_asked_for_or_not_at_all() {
    let check = async |body: Value, status: u16, expect: &[&str]| {
        let lab = Lab::new([full("a"), full("b")]);
        let error = create(&lab, body.clone()).await.unwrap_err();
        let line = |message: &crate::message::Message| {
            let id = message.message_id().unwrap().rsplit('.').next().unwrap_or_default();
            let related = message.related_properties.as_deref().unwrap_or_default().join(" ");
            format!("{id} {related}").trim_end().to_owned()
        };
        let found: Vec<_> = error.messages.iter().map(line).collect();
        assert_eq!(
            (error.status.as_u16(), found),
            (status, expect.iter().map(|l| (*l).to_owned()).collect()),
            "{body}"
        );
    };
    let drives = |uri: &str| json!({"RAIDType": "None", "Links": {"Drives": [{"@odata.id": uri}]}});
    check(json!({}), 400, &["CreateFailedMissingReqProperties #/RAIDType"]).await;
    check(json!({"RAIDType": "RAID60"}), 400, &["PropertyValueNotInList #/RAIDType"]).await;
    // Nothing that this controller makes.
    check(json!({"RAIDType": "RAID5"}), 400, &["PropertyValueError #/RAIDType"]).await;
    check(json!({"VolumeType": "StripedWithParity"}), 400, &["PropertyValueError #/RAIDType"])
        .await;
    let too_large = json!({"RAIDType": "None", "CapacityBytes": 1_u64 << 40});
    check(too_large, 400, &["PropertyValueError #/CapacityBytes"]).await;
    let negative = json!({"RAIDType": "None", "CapacityBytes": -1});
    check(negative, 400, &["PropertyValueOutOfRange #/CapacityBytes"]).await;
    check(
        json!({"RAIDType": "None", "Encrypted": true, "StripSizeBytes": 4096}),
        400,
        &["PropertyNotWritable #/Encrypted", "PropertyNotWritable #/StripSizeBytes"],
    )
    .await;
    let missing = "ResourceMissingAtURI #/Links/Drives";
    check(drives("/redfish/v1/Chassis/b/Drives/disk1"), 400, &[missing]).await;
    check(drives("disk1"), 400, &[missing]).await;
    check(
        drives("/redfish/v1/Chassis/a/Drives/disk2"),
        400,
        &["PropertyValueError #/Links/Drives"],
    )
    .await;
    // Taken already.
    check(drives("/redfish/v1/Chassis/a/Drives/disk0"), 409, &["ResourceInUse"]).await;
}

#[tokio::test]
async fn drives_are_named_as_they_are_seen() {
    let lab = Lab::new([full("a")]);
    let body = json!({
        "RAIDType": "None",
        "Links": {"Drives": [{"@odata.id": "/redfish/v1/Chassis/1/Drives/disk1"}]},
    });
    let body: VolumeCreate = serde_json::from_value(body).unwrap();
    let uri = "/redfish/v1/Systems/1/Storage/raid0/Volumes".parse().unwrap();
    let made = VolumeCollectionApi::create(&*lab.bmc, &admin(view("a")), uri, body).await;
    let State::Done(volume) = made.unwrap().state else { panic!("not done") };
    assert_eq!(volume.odata_id(), Ok("/redfish/v1/Systems/1/Storage/raid0/Volumes/volume-2"));
}

#[tokio::test]
async fn machines_that_make_none_have_no_storage() {
    let mut machine = full("a");
    machine.capabilities.volumes = false;
    let lab = Lab::new([machine]);
    let uri = "/redfish/v1/Systems/a/Storage".parse().unwrap();
    assert!(!StorageCollectionApi::exists(&*lab.bmc, &Scope::all(), &uri));
}

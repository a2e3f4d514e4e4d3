//! The certificate as clients get to see it, made by another library than the one that reads it.

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use redfish_model::to_value_strict;
use serde_json::json;

use super::*;
use crate::context::{Machines, Naming};
use crate::services::managers::two;

fn made() -> (rcgen::Certificate, CertificateDetails) {
    let names = ["bmc.test".to_owned(), "192.0.2.7".to_owned()];
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "bmc.test");
    params.distinguished_name.push(DnType::OrganizationName, "Lab");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.serial_number = Some(vec![1, 171].into());
    params.not_before = rcgen::date_time_ymd(2024, 1, 2);
    params.not_after = rcgen::date_time_ymd(2034, 1, 2);
    let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
    let facts = CertificateDetails::of(certificate.der()).unwrap();
    (certificate, facts)
}

fn service(facts: Option<CertificateDetails>) -> Certificates {
    let facts = facts.map(Arc::new);
    Certificates { current: Arc::new(move || facts.clone()), managers: two() }
}

fn scoped(machine: &str, naming: Naming) -> Context {
    let machines = Machines::Only([machine.to_owned()].into_iter().collect());
    Context::new(None, Scope { machines, naming, ..Scope::all() })
}

const FOLDER: &str = "/redfish/v1/Managers/a/NetworkProtocol/HTTPS/Certificates";

#[tokio::test]
async fn the_certificate_says_what_it_is() {
    let (certificate, facts) = made();
    let (service, cx) = (service(Some(facts)), Context::new(None, Scope::all()));
    let uri: CertificateUri = format!("{FOLDER}/1").parse().unwrap();
    assert!(CertificateApi::exists(&service, &cx.scope, &uri));
    let resource = CertificateApi::get(&service, &cx, uri).await.unwrap();
    let value = to_value_strict(&resource).unwrap();
    assert_eq!(value["Issuer"], json!({"CommonName": "bmc.test", "Organization": "Lab"}));
    let names = &value["Subject"]["AlternativeNames"];
    assert_eq!(*names, json!(["bmc.test", "192.0.2.7"]));
    assert_eq!(value["KeyUsage"], json!(["DigitalSignature", "ServerAuthentication"]));
    assert_eq!(value["ValidNotBefore"], "2024-01-02T00:00:00Z");
    assert_eq!(value["ValidNotAfter"], "2034-01-02T00:00:00Z");
    assert_eq!(value["SerialNumber"], "01:AB");
    assert_eq!(value["SignatureAlgorithm"], "ecdsa-with-SHA256");
    assert_eq!(value["Fingerprint"].as_str().unwrap().len(), 32 * 3 - 1);
    // The same bytes as the other library writes.
    let pem = value["CertificateString"].as_str().unwrap();
    assert_eq!(pem, certificate.pem().replace("\r\n", "\n"));
    assert!(value.get("Actions").is_none());
}

#[tokio::test]
async fn each_manager_of_the_scope_shows_it() {
    let service = service(Some(made().1));
    let check = |cx: &Context, uri: &str, expect: bool| {
        let there = match uri.parse::<CertificateUri>() {
            Ok(uri) => CertificateApi::exists(&service, &cx.scope, &uri),
            Err(_) => CertificateCollectionApi::exists(&service, &cx.scope, &uri.parse().unwrap()),
        };
        assert_eq!(there, expect, "{uri}");
    };
    let all = Context::new(None, Scope::all());
    check(&all, FOLDER, true);
    check(&all, &format!("{FOLDER}/2"), false);
    check(&all, &FOLDER.replace("/a/", "/c/"), false);
    check(&all, "/redfish/v1/Managers/a/Certificates", false);
    check(&scoped("b", Naming::Ids), FOLDER, false);
    let view = scoped("a", Naming::View);
    check(&view, &format!("{FOLDER}/1"), true);
    let uri = FOLDER.parse().unwrap();
    let list = CertificateCollectionApi::get(&service, &view, uri).await.unwrap();
    let list = to_value_strict(&list).unwrap();
    let expect = FOLDER.replace("/a/", "/1/");
    assert_eq!(
        (&list["@odata.id"], list["Members"].as_array().unwrap().len()),
        (&expect.as_str().into(), 1)
    );
    assert_eq!(list["Members"][0]["@odata.id"], format!("{expect}/1"));
}

#[tokio::test]
async fn locations_are_those_of_the_scope() {
    let check = async |cx: &Context, facts: Option<CertificateDetails>, expect: usize| {
        let service = service(facts);
        let uri = CertificateLocationsUri::CertificateServiceCertificateLocations;
        let locations = CertificateLocationsApi::get(&service, cx, uri).await.unwrap();
        let locations = to_value_strict(&locations).unwrap();
        let links = &locations["Links"];
        assert_eq!(links["Certificates@odata.count"], expect);
        for link in links["Certificates"].as_array().unwrap() {
            let uri: CertificateUri = link["@odata.id"].as_str().unwrap().parse().unwrap();
            assert!(CertificateApi::exists(&service, &cx.scope, &uri), "{link}");
        }
    };
    let facts = made().1;
    check(&Context::new(None, Scope::all()), Some(facts.clone()), 2).await;
    check(&scoped("b", Naming::View), Some(facts), 1).await;
    check(&Context::new(None, Scope::all()), None, 0).await;
}

#[tokio::test]
async fn what_does_not_work_is_not_there() {
    let mounts = mounts(Arc::new(|| None), two());
    for mount in &mounts {
        assert!(mount.operations.iter().all(|operation| operation.kind == Kind::Get), "{mount:?}");
    }
    let without = service(None);
    let uri = FOLDER.parse().unwrap();
    assert!(!CertificateCollectionApi::exists(&without, &Scope::all(), &uri));
    let cx = Context::new(None, Scope::all());
    let uri = CertificateServiceUri::CertificateService;
    let resource = CertificateServiceApi::get(&without, &cx, uri).await.unwrap();
    let value = to_value_strict(&resource).unwrap();
    assert!(value.get("Actions").is_none());
    let locations = "/redfish/v1/CertificateService/CertificateLocations";
    assert_eq!(value["CertificateLocations"]["@odata.id"], locations);
}

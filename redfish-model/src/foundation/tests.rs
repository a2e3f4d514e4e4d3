//! The macros and traits together, on small objects as the generator writes them.

use serde::Deserialize;
use serde_json::{Value, from_str, to_string};

use crate::gen_prelude::*;
use crate::{Inspection, Missing, missing_members, to_value_strict};

/// For the tests.
#[derive(Clone, PartialEq)]
pub struct Status {
    pub state: Field<String>,
    pub extra: Extra,
}

object! {
    Status {
        state = "State",
    }
    required {
        state: String = "State",
    }
}

/// For the tests.
#[derive(Clone, PartialEq)]
pub struct Disk {
    pub odata_id: Field<String>,
    pub size: Field<i64>,
    pub ready: Field<bool>,
    pub load: Field<Number>,
    pub status: Field<Status>,
    pub parts: Field<Vec<Status>>,
    pub places: Field<Vec<Option<Ref<Any>>>>,
    pub by_name: Field<BTreeMap<String, Status>>,
    pub headers: Field<BTreeMap<String, String>>,
    pub password: Field<Secret<String>>,
    pub anything: Field<Value>,
    pub oem: Field<Oem>,
    pub extra: Extra,
}

object! {
    Disk {
        odata_id = "@odata.id",
        size = "Size",
        ready = "Ready",
        load = "Load",
        status = "Status",
        parts = "Parts",
        places = "Places",
        by_name = "ByName",
        headers = "Headers",
        password = "Password",
        anything = "Anything",
        oem = "Oem",
    }
    required {
        odata_id: String = "@odata.id",
        places: Vec<Option<Ref<Any>>> = "Places",
        by_name: BTreeMap<String, Status> = "ByName",
        ready: bool = "Ready",
    }
    required_nullable {
        size: i64 = "Size",
        load: Number = "Load",
    }
}

/// For the tests.
#[derive(Clone, PartialEq)]
pub struct Empty {
    pub extra: Extra,
}

object! { Empty {} }

impl LinkTarget for Disk {
    const SCHEMA: &'static str = "Disk";
}

impl Resource for Disk {
    const VERSION: Option<(u16, u16, u16)> = Some((1, 2, 3));
    const ODATA_TYPE: &'static str = "#Disk.v1_2_3.Disk";
    const URIS: &'static [&'static str] = DiskUri::TEMPLATES;
}

unsupported! { Fabric, Zone }

uris! {
    /// For the tests.
    pub enum DiskUri {
        Disks = "/redfish/v1/Disks",
        Disk { disk_id } = "/redfish/v1/Disks/{DiskId}",
        /// Documented.
        Part { disk_id, part_id } = "/redfish/v1/Disks/{DiskId}/Parts/{PartId}",
    }
}

#[test]
fn objects_survive() {
    fn check(text: &str) {
        assert_eq!(to_string(&from_str::<Disk>(text).unwrap()).unwrap(), text);
        let value: Value = from_str(text).unwrap();
        let disk = Disk::deserialize(&value).unwrap();
        assert_eq!(serde_json::to_value(&disk).unwrap(), value);
        assert_eq!(serde_json::from_reader::<_, Disk>(text.as_bytes()).unwrap(), disk);
    }
    check("{}");
    check(r#"{"Size":null}"#);
    check(r#"{"Status":{},"Parts":[],"ByName":{},"Oem":{}}"#);
    check(r#"{"Size":7,"Load":7,"Anything":7}"#);
    check(r#"{"Load":7.0,"Anything":[7.0,null,{"a":null}]}"#);
    check(r#"{"Places":[{"@odata.id":"/a"},null,{"@odata.id":"/b","Name":"b"}]}"#);
    check(
        r#"{"Status":{"State":"Enabled","State@Message.ExtendedInfo":[],"Vendor":{"x":18446744073709551615}}}"#,
    );
    check(r#"{"ByName":{"a/b":{"State":null}},"Headers":{"":"x"},"Password":"p"}"#);
    check(r#"{"@odata.id":"/d","@odata.count":1.0,"Unknown":null,"ünï\"\n":[1]}"#);
}

#[test]
fn values_that_do_not_fit_are_kept_and_told() {
    fn check(text: &str, expect: &[(&str, &str)]) {
        let disk: Disk = from_str(text).unwrap();
        assert_eq!(serde_json::to_value(&disk).unwrap(), from_str::<Value>(text).unwrap());
        let misfits = Inspection::of(&disk).misfits;
        assert_eq!(misfits.len(), expect.len(), "{misfits:?}");
        for (misfit, (pointer, reason)) in misfits.iter().zip(expect) {
            assert_eq!(misfit.pointer, *pointer, "{text}");
            assert!(misfit.reason.contains(reason), "{misfit}");
        }
    }
    check(r#"{"Size":7,"X":"any"}"#, &[]);
    check(r#"{"Size":"7"}"#, &[("/Size", "expected i64")]);
    check(r#"{"Size":7.0}"#, &[("/Size", "expected i64")]);
    check(r#"{"Size":18446744073709551615}"#, &[("/Size", "expected i64")]);
    check(r#"{"Status":{"State":1},"Size":7}"#, &[("/Status/State", "expected a string")]);
    check(r#"{"Status":[]}"#, &[("/Status", "an object of type Status")]);
    check(r#"{"Parts":[{},{"State":{}}]}"#, &[("/Parts/1/State", "expected a string")]);
    check(r#"{"Parts":[null]}"#, &[("/Parts", "an object of type Status")]);
    check(r#"{"Parts":{}}"#, &[("/Parts", "expected an array")]);
    check(r#"{"ByName":{"k/":{"State":true}}}"#, &[("/ByName/k~1/State", "expected a string")]);
    check(r#"{"ByName":[]}"#, &[("/ByName", "expected an object")]);
    check(r#"{"Password":12}"#, &[("/Password", "a secret value has the wrong type")]);
}

#[test]
fn a_value_that_does_not_fit_gives_way_to_one_that_is_set() {
    let mut disk: Disk = from_str(r#"{"Size":"7","X":1}"#).unwrap();
    assert!(disk.size.is_absent());
    disk.size = 8.into();
    assert_eq!(to_string(&disk).unwrap(), r#"{"Size":8,"X":1}"#);
}

#[test]
fn a_required_member_that_does_not_fit_is_not_missing() {
    let status: Status = from_str(r#"{"State":1}"#).unwrap();
    assert!(missing_members(&status).is_empty());
    assert!(to_value_strict(&status).is_err_and(|e| e.to_string().contains("/State")));
}

#[test]
fn what_is_no_object_is_refused() {
    for text in ["[]", "null", "1", "\"\"", "{", ""] {
        assert!(from_str::<Disk>(text).is_err(), "{text}");
    }
}

#[test]
fn accessors_ask_for_required_members() {
    let mut disk = Disk::default();
    let missing = Missing { object: Some("Disk"), member: "@odata.id", null: false };
    assert_eq!(disk.odata_id(), Err(missing));
    disk.odata_id = Field::Null;
    assert_eq!(disk.odata_id(), Err(Missing { null: true, ..missing }));
    disk.odata_id = "/d".into();
    assert_eq!(disk.odata_id(), Ok("/d"));
    disk.places = vec![None].into();
    assert_eq!(disk.places(), Ok(&[None][..]));
    disk.ready = true.into();
    assert_eq!(disk.ready(), Ok(true));
    assert!(disk.by_name().is_err());
    assert!(disk.size().is_err());
    disk.size = Field::Null;
    assert_eq!(disk.size(), Ok(None));
    disk.size = 3.into();
    assert_eq!(disk.size(), Ok(Some(3)));
    disk.load = Number::from(1).into();
    assert_eq!(disk.load(), Ok(Some(&Number::from(1))));
}

#[test]
fn missing_members_are_found_at_every_depth() {
    fn check(text: &str, expect: &[&str]) {
        let disk: Disk = from_str(text).unwrap();
        let missing = missing_members(&disk);
        assert_eq!(
            missing.iter().map(|missing| missing.pointer.as_str()).collect::<Vec<_>>(),
            expect,
            "{text}"
        );
        match to_value_strict(&disk) {
            Ok(value) => assert_eq!((value, expect), (from_str(text).unwrap(), &[][..])),
            Err(inspection) => assert_eq!(inspection.missing, missing),
        }
    }
    const REST: &str = r#""@odata.id":"/d","Size":1,"Ready":true,"Load":1,"#;
    check("{}", &["/@odata.id", "/Size", "/Ready", "/Load", "/Places", "/ByName"]);
    check(
        r#"{"@odata.id":"/d","Size":null,"Ready":true,"Load":null,"Places":[],"ByName":{}}"#,
        &[],
    );
    check(&format!(r#"{{{REST}"Places":null,"ByName":{{}}}}"#), &["/Places"]);
    check(&format!(r#"{{{REST}"Places":[],"ByName":{{"a/b~":{{}}}}}}"#), &["/ByName/a~1b~0/State"]);
    check(&format!(r#"{{{REST}"Places":[null,{{}}],"ByName":{{}}}}"#), &["/Places/1/@odata.id"]);
    check(
        &format!(
            r#"{{{REST}"Status":{{}},"Parts":[{{"State":"x"}},{{"State":null}}],"Places":[],"ByName":{{}}}}"#
        ),
        &["/Status/State", "/Parts/1/State"],
    );
}

#[test]
fn the_strict_writer_says_what_is_missing() {
    let error = to_value_strict(&Status { state: Field::Null, ..Status::default() }).unwrap_err();
    assert_eq!(error.to_string(), "the object does not fit its schema: /State (Status): null");
}

#[test]
fn constants_describe_the_type() {
    assert_eq!((Disk::NAME, Disk::MEMBERS.len(), Empty::MEMBERS.len()), ("Disk", 12, 0));
    assert_eq!(Disk::REQUIRED, ["@odata.id", "Places", "ByName", "Ready"]);
    assert_eq!(Disk::REQUIRED_NULLABLE, ["Size", "Load"]);
    assert_eq!((Zone::SCHEMA, Any::SCHEMA), ("Zone", "Any"));
    assert_eq!(Ref::<Fabric>::default().schema(), "Fabric");
}

#[test]
fn debug_shows_members_and_hides_secrets() {
    let disk: Disk = from_str(
        r#"{"Size":null,"Ready":true,"Password":"hunter2","Places":[{"@odata.id":"/a"}],"X":1,"Load":"hidden"}"#,
    )
    .unwrap();
    assert_eq!(
        format!("{disk:?}"),
        r#"Disk { Size: null, Ready: true, Places: [Some(Ref { @odata.id: "/a" })], Password: Secret(..), Load: .., X: .. }"#,
    );
}

#[test]
fn links_keep_expanded_resources() {
    fn check(text: &str, uri: Option<&str>, expanded: bool) {
        let link: Ref<Disk> = from_str(text).unwrap();
        assert_eq!(to_string(&link).unwrap(), text);
        assert_eq!((link.odata_id(), link.is_expanded()), (uri, expanded), "{text}");
        assert_eq!(link.expanded().is_some(), expanded);
        assert_eq!(link.clone().cast::<Any>().cast::<Disk>(), link);
        if let Some(value) = link.expanded_value() {
            assert_eq!(value, from_str::<Value>(text).unwrap());
        }
    }
    check("{}", None, false);
    check(r#"{"@odata.id":null}"#, None, false);
    check(r#"{"@odata.id":"/a"}"#, Some("/a"), false);
    check(r#"{"@odata.id":"/a","@odata.etag":"1"}"#, Some("/a"), false);
    check(r#"{"@odata.id":"/a","Size":1}"#, Some("/a"), true);
    check(r#"{"@odata.id":null,"Size":1}"#, None, true);

    let disk: Disk = from_str(r#"{"@odata.id":"/a","Size":1,"X":{}}"#).unwrap();
    let link = Ref::expand(&disk).unwrap();
    assert_eq!(link.odata_id(), Some("/a"));
    assert_eq!(link.expanded().unwrap().unwrap(), disk);
    assert!(from_str::<Ref<Disk>>("\"/a\"").is_err());
}

#[test]
fn uris_survive_nasty_ids() {
    fn check(id: &str, encoded: &str) {
        let uri = DiskUri::Part { disk_id: id.to_owned(), part_id: "p".to_owned() };
        let text = uri.to_string();
        assert_eq!(text, format!("/redfish/v1/Disks/{encoded}/Parts/p"));
        assert_eq!(text.parse(), Ok(uri.clone()));
        assert_eq!(format!("{text}/").parse(), Ok(uri.clone()));
        assert_eq!(Ref::<Disk>::from(&uri), Ref::to(&uri));
        assert_eq!(uri.ids(), [id, "p"]);
    }
    check("a", "a");
    check("a-b.c_d~e", "a-b.c_d~e");
    check("!$&'()*+,;=:@", "!$&'()*+,;=:@");
    check("a/b%c?d#e", "a%2Fb%25c%3Fd%23e");
    check("%2F", "%252F");
    check("...", "...");
    check("{DiskId}", "%7BDiskId%7D");
    check("ü \"<>[]\\^`|", "%C3%BC%20%22%3C%3E%5B%5D%5C%5E%60%7C");
}

#[test]
fn other_uris_are_refused() {
    fn check(text: &str, expect: Option<&DiskUri>) {
        assert_eq!(text.parse::<DiskUri>().ok().as_ref(), expect, "{text}");
    }
    let disk = |id: &str| DiskUri::Disk { disk_id: id.to_owned() };
    check("/redfish/v1/Disks", Some(&DiskUri::Disks));
    check("/redfish/v1/Disks/", Some(&DiskUri::Disks));
    check("/redfish/v1/Disks/a", Some(&disk("a")));
    check("/redfish/v1/Disks/a b", Some(&disk("a b")));
    check("/redfish/v1/Disks/%41", Some(&disk("A")));
    for bad in [
        "",
        "/",
        "redfish/v1/Disks",
        "/redfish/v1/disks",
        "/redfish/v1/Disks//",
        "/redfish/v1/Disks/.",
        "/redfish/v1/Disks/..",
        "/redfish/v1/Disks/a//",
        "/redfish/v1/Disks/a/Parts",
        "/redfish/v1/Disks/a/Parts//",
        "/redfish/v1/Disks/a/Parts/b/c",
        "/redfish/v1/Disks/a?b",
        "/redfish/v1/Disks/a#b",
        "/redfish/v1/Disks/%",
        "/redfish/v1/Disks/%4",
        "/redfish/v1/Disks/%+1",
        "/redfish/v1/Disks/%zz",
        "/redfish/v1/Disks/%FF",
        "/redfish/v1/Disks/%2e",
        "/redfish/v1/Disks/%2E.",
        "/redfish/v1/Disks/a%00",
        "/redfish/v1/Disks/a%0a",
        "/redfish/v1/Disks/a%C2%85",
        "/redfish/v1/Disks/a\nb",
        "/redfish/v1/Disks/a\u{7f}b",
        "https://host/redfish/v1/Disks",
    ] {
        check(bad, None);
    }
    assert_eq!(
        "x".parse::<DiskUri>().unwrap_err().to_string(),
        "not a URI of the form /redfish/v1/Disks or /redfish/v1/Disks/{DiskId} or /redfish/v1/Disks/{DiskId}/Parts/{PartId}",
    );
    assert_eq!(DiskUri::Disks.template(), "/redfish/v1/Disks");
}

//! Queries over a collection of any size.

use http::Method;
use serde_json::Value;

use super::{SYSTEM, call, context};
use crate::operation::Privilege::Login;

#[test]
fn queries_put_answers_together() {
    let get = |count: usize, query: &str| {
        let path = format!("/redfish/v1/Systems/{count}/VirtualMedia?{query}");
        call(context(&[Login]), &Method::GET, &path, "")
    };
    let check = |count: usize, query: &str, pointer: &str, expect: Option<&str>| {
        let answer = get(count, query);
        let found = answer.body.pointer(pointer).map(Value::to_string);
        assert_eq!(found.as_deref(), expect, "{count} {query} {pointer}: {}", answer.body);
    };
    check(2, "", "/Members/1/@odata.id", Some(r#""/redfish/v1/Systems/a/VirtualMedia/Cd""#));
    check(2, "", "/Members/1/Name", None);
    check(2, "$expand=.", "/Members/1/Name", Some(r#""CD""#));
    check(2, "$expand=~", "/Members/1/Name", None);
    check(2, "$expand=.&$select=Name", "/Members/0/Name", Some(r#""CD""#));
    check(2, "$expand=.&$select=Name", "/Members/0/Id", None);
    check(2, "$select=Name", "/Members", None);
    check(2, "only", "/Members@odata.count", Some("2"));
    check(1, "only", "/Name", Some(r#""CD""#));
    check(3, "$filter=Name%20eq%20'CD'&$top=1", "/Members@odata.count", Some("3"));
    check(3, "$filter=Name%20eq%20'CD'&$top=1", "/Members/1", None);
    check(3, "$filter=Name+eq+'DVD'", "/Members@odata.count", Some("0"));
    check(3, "$skip=2", "/Members/0/@odata.id", Some(r#""/redfish/v1/Systems/a/VirtualMedia/Cd""#));
    check(3, "$skip=2", "/Members/1", None);
    check(3, "$skip=9", "/Members/0", None);
    let next = r#""/redfish/v1/Systems/2500/VirtualMedia?$expand=.&$skip=1000""#;
    check(2500, "$expand=.", "/Members@odata.nextLink", Some(next));
    let next = r#""/redfish/v1/Systems/2500/VirtualMedia?$expand=.&$skip=2000""#;
    check(2500, "$skip=1000&$expand=.", "/Members@odata.nextLink", Some(next));
    check(2500, "$skip=2000&$expand=.", "/Members@odata.nextLink", None);
    check(2500, "$skip=2000&$expand=.", "/Members/499/Name", Some(r#""CD""#));
    let status = |path: &str| call(context(&[Login]), &Method::GET, path, "").status.as_u16();
    assert_eq!(status(&format!("{SYSTEM}?only")), 400);
    assert_eq!(status(&format!("{SYSTEM}?$filter=Id%20eq%20'a'")), 400);
    assert_eq!(status(&format!("{SYSTEM}?$expand=.")), 200);
    assert_eq!(status(&format!("{SYSTEM}?$nonsense")), 501);
    assert_eq!(status(&format!("{SYSTEM}?nonsense")), 200);
    let tag = get(2, "$select=Name").header("etag").map(str::to_owned);
    assert_eq!(tag.as_deref(), get(2, "").header("etag"));
}

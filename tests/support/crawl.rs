//! Follows every reference that a service prints, as a caller sees it.
//!
//! The rule it checks: what is printed answers 200 for the same caller, is JSON, and names itself by the
//! URI under which it was found. Action targets and addresses of other hosts are no references.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use crate::client::Client;

/// Where a crawl starts when nothing else is said.
pub const ROOT: &str = "/redfish/v1/";
/// A service that prints more than this has a loop in its URIs.
const MOST: usize = 20_000;

/// What a crawl found.
#[derive(Debug, Default)]
pub struct Crawl {
    /// Each document by its URI.
    pub documents: BTreeMap<String, Value>,
    /// What was wrong, each with the URI and where it was printed.
    pub faults: Vec<String>,
}

impl Crawl {
    /// Fails with all faults.
    #[track_caller]
    pub fn assert_clean(&self, who: &str) {
        assert!(self.faults.is_empty(), "as {who}:\n{}", self.faults.join("\n"));
    }

    /// The schemas seen, with the number of resources of each.
    pub fn types(&self) -> BTreeMap<String, usize> {
        let mut types = BTreeMap::new();
        for document in self.documents.values() {
            if let Some(name) = type_name(document) {
                *types.entry(name.to_owned()).or_default() += 1;
            }
        }
        types
    }
}

/// `#ComputerSystem.v1_27_0.ComputerSystem` is a `ComputerSystem`.
pub fn type_name(document: &Value) -> Option<&str> {
    document["@odata.type"].as_str()?.strip_prefix('#')?.split('.').next()
}

/// Crawls from a URI.
pub fn crawl(client: &Client, start: &str) -> Crawl {
    let mut found = Crawl::default();
    let mut seen: BTreeMap<String, String> = [(start.to_owned(), "the start".to_owned())].into();
    let mut queue: VecDeque<String> = [start.to_owned()].into();
    while let Some(uri) = queue.pop_front() {
        let answer = match client.try_request("GET", &uri, &[], None) {
            Ok(answer) => answer,
            Err(error) => {
                found.faults.push(format!("{uri} (from {}): {error}", seen[&uri]));
                continue;
            }
        };
        if answer.status != 200 {
            let fault = format!("{uri} (from {}): {}", seen[&uri], answer.summary());
            found.faults.push(fault);
            continue;
        }
        if let Some(fault) = answer.fault(false) {
            found.faults.push(format!("{uri}: {fault}"));
        }
        // Schema files and the like are no resources.
        if !answer.is_json() {
            continue;
        }
        let document = answer.json();
        found.faults.extend(itself(&uri, &document));
        references(&document, "", &mut |place, target| {
            let target = target.split('#').next().unwrap_or_default();
            if target.starts_with('/') && !seen.contains_key(target) {
                seen.insert(target.to_owned(), format!("{uri}{place}"));
                queue.push_back(target.to_owned());
            } else if !target.starts_with('/') && !target.contains("://") && !target.is_empty() {
                found.faults.push(format!("{uri}{place}: {target:?} is no URI from the root"));
            }
        });
        found.documents.insert(uri, document);
        if seen.len() > MOST {
            found.faults.push(format!("more than {MOST} URIs: an endless tree"));
            break;
        }
    }
    found
}

/// A resource says where it is, and a collection counts its members.
fn itself(uri: &str, document: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let same = |stated: &str| {
        stated.trim_end_matches('/')
            == uri.split('?').next().unwrap_or_default().trim_end_matches('/')
    };
    match document["@odata.id"].as_str() {
        Some(stated) if !same(stated) => faults.push(format!("{uri}: says it is {stated}")),
        None if type_name(document).is_some_and(|name| !name.ends_with("Registry")) => {
            faults.push(format!("{uri}: no @odata.id"));
        }
        _ => {}
    }
    if let (Some(members), count) =
        (document["Members"].as_array(), &document["Members@odata.count"])
        && document.get("Members@odata.nextLink").is_none()
        && count.as_u64() != Some(members.len() as u64)
    {
        faults.push(format!("{uri}: {} members, counted {count}", members.len()));
    }
    faults
}

/// Calls `each` with the place and the target of every reference in a document.
pub fn references(value: &Value, place: &str, each: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let place = format!("{place}/{name}");
                match (name.as_str(), value) {
                    (
                        "@odata.id"
                        | "Uri"
                        | "DataSourceUri"
                        | "TargetComponentURI"
                        | "Members@odata.nextLink"
                        | "@Redfish.ActionInfo",
                        Value::String(target),
                    ) => each(&place, target),
                    _ => references(value, &place, each),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                references(item, &format!("{place}/{index}"), each);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::client::Auth;
    use crate::connection::Endpoint;
    use crate::web::serve;

    /// Crawls a service of these documents; gives the URIs read and the starts of the faults.
    #[track_caller]
    fn check(documents: &[(&'static str, Value)], read: &[&str], faults: &[&str]) {
        let pages: BTreeMap<_, _> =
            documents.iter().map(|(uri, page)| (*uri, page.to_string())).collect();
        let url = serve(move |request| match pages.get(request.target.as_str()) {
            Some(page) => (200, "application/json", page.clone().into_bytes()),
            None => (404, "application/json", b"{}".to_vec()),
        });
        let client = Client::new(Endpoint::new(&url, None).unwrap(), Auth::None);
        let found = crawl(&client, "/r");
        assert_eq!(found.documents.keys().map(String::as_str).collect::<Vec<_>>(), read);
        assert_eq!(found.faults.len(), faults.len(), "{:?}", found.faults);
        for (fault, expect) in found.faults.iter().zip(faults) {
            assert!(fault.starts_with(expect), "{fault}");
        }
    }

    #[test]
    fn a_crawl_reads_all_there_is_and_tells_what_is_wrong() {
        let root = |links: Value| ("/r", json!({ "@odata.id": "/r", "Links": links }));
        let good = ("/r/a", json!({ "@odata.id": "/r/a", "Up": { "@odata.id": "/r" } }));
        check(&[root(json!([{ "@odata.id": "/r/a#/Part" }])), good.clone()], &["/r", "/r/a"], &[]);
        check(
            &[root(json!([{ "@odata.id": "/r/gone" }, { "@odata.id": "/r/a" }])), good],
            &["/r", "/r/a"],
            &["/r/gone (from /r/Links/0/@odata.id): 404"],
        );
        let lies = ("/r/a", json!({ "@odata.id": "/r/b" }));
        check(
            &[root(json!([{ "@odata.id": "/r/a" }])), lies],
            &["/r", "/r/a"],
            // What it says it is was printed too, and is not there.
            &["/r/a: says it is /r/b", "/r/b (from /r/a/@odata.id): 404"],
        );
        check(
            &[root(json!({ "@odata.id": "r/a" }))],
            &["/r"],
            &["/r/Links/@odata.id: \"r/a\" is no URI"],
        );
    }

    #[test]
    fn references_are_found_wherever_they_stand() {
        let document = json!({
            "@odata.id": "/a",
            "Links": { "Chassis": [{ "@odata.id": "/c/1" }] },
            "Actions": { "#X.Reset": { "target": "/a/Actions/X.Reset", "@Redfish.ActionInfo": "/a/i" } },
            "Location": [{ "Uri": "/r.json", "PublicationUri": "https://x/r" }],
        });
        let mut found = Vec::new();
        references(&document, "", &mut |place, target| found.push(format!("{place} {target}")));
        found.sort();
        let expect = [
            "/@odata.id /a",
            "/Actions/#X.Reset/@Redfish.ActionInfo /a/i",
            "/Links/Chassis/0/@odata.id /c/1",
            "/Location/0/Uri /r.json",
        ];
        assert_eq!(found, expect);
    }

    #[test]
    fn a_document_is_checked_against_itself() {
        #[track_caller]
        fn check(uri: &str, document: &Value, expect: &[&str]) {
            assert_eq!(itself(uri, document), expect);
        }
        check("/a/", &json!({ "@odata.id": "/a" }), &[]);
        check("/a?x", &json!({ "@odata.id": "/a" }), &[]);
        check("/b", &json!({ "@odata.id": "/a" }), &["/b: says it is /a"]);
        check("/b", &json!({ "@odata.type": "#X.v1_0_0.X" }), &["/b: no @odata.id"]);
        let counted = json!({ "@odata.id": "/c", "Members": [{}], "Members@odata.count": 2 });
        check("/c", &counted, &["/c: 1 members, counted 2"]);
    }
}

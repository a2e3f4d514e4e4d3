//! Which privileges an operation needs: the registry's answer for one URI and method.
//!
//! A subordinate override applies where its `Targets` equal the tail of the chain of resources
//! above the URI. Services and collections count as links of that chain; path segments that hold
//! no resource (`/Boot/`, `/HTTPS/`) do not.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::json::ValueExt;

/// Which resource stands at each served template.
pub type Places = BTreeMap<String, String>;

/// The resources above a template, from the service root down.
pub fn ancestors(template: &str, places: &Places) -> Vec<String> {
    let template = template.trim_end_matches('/');
    let cuts = template.match_indices('/').map(|(at, _)| &template[..at]);
    cuts.filter_map(|prefix| places.get(prefix).or_else(|| places.get(&format!("{prefix}/"))))
        .cloned()
        .collect()
}

/// The privileges for a method on an entity at a template: any of the outer, all of an inner list.
pub fn needed(registry: &Value, entity: &str, ancestors: &[String], method: &str) -> Result<Value> {
    let mapping = mapping(registry, entity)?;
    let overridden =
        mapping["subordinateOverrides"].as_array().into_iter().flatten().find_map(|o| {
            ancestors.ends_with(&o.texts("targets")).then(|| o["operations"].get(method))?
        });
    overridden.or_else(|| mapping["operations"].get(method)).cloned().ok_or_else(|| {
        Error::schema(format!("x-privileges: {entity}"), format!("no privileges for {method}"))
    })
}

/// The properties for which a method needs other privileges than the entity as a whole.
pub fn property_overrides(
    registry: &Value,
    entity: &str,
    method: &str,
) -> Result<BTreeMap<String, Value>> {
    let mapping = mapping(registry, entity)?;
    let overrides = mapping["propertyOverrides"].as_array().into_iter().flatten();
    Ok(overrides
        .filter_map(|o| Some((o.texts("targets"), o["operations"].get(method)?)))
        .flat_map(|(targets, any_of)| targets.into_iter().map(move |t| (t, any_of.clone())))
        .collect())
}

fn mapping<'a>(registry: &'a Value, entity: &str) -> Result<&'a Value> {
    let mut mappings = registry["mappings"].as_array().into_iter().flatten();
    mappings.find(|m| m.text("entity") == Some(entity)).ok_or_else(|| {
        Error::schema(
            format!("x-privileges: {entity}"),
            "the privilege registry has no mapping for it; add one with a patch",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places() -> Places {
        [
            ("/redfish/v1/", "ServiceRoot"),
            ("/redfish/v1/Systems", "SystemCollection"),
            ("/redfish/v1/Systems/{S}", "System"),
            ("/redfish/v1/Systems/{S}/Certificates", "CertificateCollection"),
        ]
        .map(|(uri, name)| (uri.to_owned(), name.to_owned()))
        .into()
    }

    #[test]
    fn ancestors_skip_segments_without_resource() {
        let check = |template, expect: &[&str]| {
            assert_eq!(ancestors(template, &places()), expect, "{template}");
        };
        check("/redfish/v1/", &[]);
        check("/redfish/v1/Systems", &["ServiceRoot"]);
        check(
            "/redfish/v1/Systems/{S}/Boot/Certificates",
            &["ServiceRoot", "SystemCollection", "System"],
        );
        check(
            "/redfish/v1/Systems/{S}/Certificates/{C}",
            &["ServiceRoot", "SystemCollection", "System", "CertificateCollection"],
        );
    }

    #[test]
    fn overrides_match_the_tail_only() {
        let registry = json!({"mappings": [{
            "entity": "E",
            "operations": {"GET": [["Login"]], "PATCH": [["Manager"]]},
            "subordinateOverrides": [{"targets": ["A", "B"], "operations": {"PATCH": [["Components"]]}}],
            "propertyOverrides": [{"targets": ["Password"], "operations": {"PATCH": [["Self"]]}}],
        }]});
        let check = |above: &[&str], method, expect| {
            let above: Vec<_> = above.iter().map(|s| (*s).to_owned()).collect();
            assert_eq!(
                needed(&registry, "E", &above, method).unwrap(),
                expect,
                "{above:?} {method}"
            );
        };
        check(&["Root", "A", "B"], "PATCH", json!([["Components"]]));
        check(&["Root", "A", "B"], "GET", json!([["Login"]]));
        check(&["Root", "A", "B", "C"], "PATCH", json!([["Manager"]]));
        check(&["B"], "PATCH", json!([["Manager"]]));
        let patch = property_overrides(&registry, "E", "PATCH").unwrap();
        assert_eq!(patch, BTreeMap::from([("Password".into(), json!([["Self"]]))]));
        assert!(property_overrides(&registry, "E", "GET").unwrap().is_empty());
        assert!(needed(&registry, "X", &[], "GET").is_err());
    }
}

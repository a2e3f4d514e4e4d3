//! What holds for every PATCH, whatever is in it.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{parse_object, patch};
use crate::metadata::{Access, Object};
use crate::operation::OPERATIONS;

fn object() -> &'static Object {
    OPERATIONS.iter().find(|operation| operation.id == "systems_patch").unwrap().body.unwrap()
}

/// Names of the schema, of annotations, and others.
fn name() -> impl Strategy<Value = String> {
    let known: Vec<_> = object().properties.iter().map(|property| property.name).collect();
    prop_oneof![
        6 => proptest::sample::select(known).prop_map(str::to_owned),
        1 => "[A-Z][a-z]{1,6}(@[A-Za-z.]{1,6})?",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        Just(json!({})),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = Map<String, Value>> {
    let members = proptest::collection::btree_map(name(), value(), 0..6);
    members.prop_map(|members| members.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What is applied was sent and may be written; every fault says of what, and what to do.
    #[test]
    fn patches_are_applied_or_told(current in document(), body in document()) {
        let sent = body.clone();
        let faults = match patch(object(), &current, body) {
            Ok(patch) => {
                for name in patch.apply.keys() {
                    let property = object().property(name);
                    prop_assert!(sent.contains_key(name) && !name.contains('@'));
                    prop_assert!(property.is_some_and(|p| p.access != Access::Read), "{name}");
                }
                patch.faults
            }
            Err(error) => {
                prop_assert_eq!(error.status.as_u16(), 400);
                prop_assert!(!error.messages.is_empty());
                error.messages
            }
        };
        let asks = sent.keys().any(|name| !name.contains('@'));
        for fault in &faults {
            let fault = serde_json::to_value(fault).unwrap();
            prop_assert!(fault["Resolution"].is_string(), "{fault}");
            prop_assert_eq!(fault["RelatedProperties"][0].is_string(), asks, "{}", fault);
        }
    }

    /// Read-only members that come back as they were read are no fault, and ask for nothing.
    #[test]
    fn echoes_ask_for_nothing(current in document()) {
        let read_only = |name: &String| {
            object().property(name).is_some_and(|property| property.access == Access::Read)
        };
        let mut body = current.clone();
        body.retain(|name, _| !name.contains('@') && read_only(name));
        if !body.is_empty() {
            let patch = patch(object(), &current, body).unwrap();
            prop_assert!(patch.apply.is_empty() && patch.faults.is_empty());
        }
    }

    /// Any bytes are an object or an error.
    #[test]
    fn bodies_are_objects_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        if let Err(error) = parse_object(&bytes) {
            prop_assert!(error.status.is_client_error() && !error.messages.is_empty());
        }
    }
}

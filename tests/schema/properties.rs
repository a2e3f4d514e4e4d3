//! Every type of the crate, put through values that the schema allows and values that it does not.
//!
//! The values are made from the trimmed document, so each entry of the table is tried with what
//! its own members may hold, `null` and absence included.

use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use redfish_codegen::ir::{Kind, Model, Property, Shape, read};
use redfish_model::catalog::TYPES;
use redfish_model::reflect::{TypeEntry, TypeKind};
use serde_json::{Map, Value, json};

use crate::support::trimmed;

/// Cases for each type.
const CASES: u32 = 24;

/// How deep objects are nested; below that they are empty.
const DEPTH: u32 = 3;

fn model() -> Model {
    read(&trimmed()).unwrap()
}

/// Runs a check for each entry of the table with values that a strategy makes, and counts cases.
fn each(
    strategy: impl Fn(&Model, &TypeEntry) -> Option<BoxedStrategy<Value>>,
    check: impl Fn(&TypeEntry, &Value),
) -> usize {
    let model = model();
    let config = Config { cases: CASES, rng_seed: RngSeed::Fixed(8010), ..Config::default() };
    let config = Config { failure_persistence: None, ..config };
    let mut entries = 0;
    for entry in TYPES {
        let Some(strategy) = strategy(&model, entry) else { continue };
        let ran = std::cell::Cell::new(0);
        TestRunner::new(config.clone())
            .run(&strategy, |value| {
                ran.set(ran.get() + 1);
                check(entry, &value);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{}: {error}", entry.path));
        assert!(ran.get() >= CASES, "{}: {} cases", entry.path, ran.get());
        entries += 1;
    }
    println!("{entries} types, {CASES} cases each");
    entries
}

fn rewrite(entry: &TypeEntry, value: &Value) -> Value {
    let rewritten = (entry.rewrite)(&value.to_string()).unwrap();
    assert!(rewritten.stable, "{}: reading what was written gives another value", entry.path);
    rewritten.value
}

/// A value of a component: what its schema allows.
fn component(model: &Model, name: &str, depth: u32) -> BoxedStrategy<Value> {
    match &model.types[name].kind {
        Kind::Object(properties) if depth > 0 => object(model, properties, depth - 1),
        Kind::Object(_) => Just(json!({})).boxed(),
        Kind::Enum(values) => {
            let known: Vec<_> = values.iter().map(|v| v.wire.clone()).collect();
            prop_oneof![4 => proptest::sample::select(known), 1 => "[A-Z][a-z]{2,8}~"]
                .prop_map(Value::from)
                .boxed()
        }
        Kind::Alias(shape) => shape_value(model, shape, depth),
    }
}

/// Some of the members, and members that the schema does not name.
fn object(model: &Model, properties: &[Property], depth: u32) -> BoxedStrategy<Value> {
    let members: Vec<_> = properties
        .iter()
        .map(|property| {
            let name = property.wire.clone();
            let value = shape_value(model, &property.shape, depth);
            // Null whether or not the schema allows it: services send it anyway.
            let value = prop_oneof![5 => value, 1 => Just(Value::Null)];
            proptest::option::weighted(0.3, value)
                .prop_map(move |value| Some((name.clone(), value?)))
        })
        .collect();
    (members, extra())
        .prop_map(|(members, extra)| {
            let mut map: Map<_, _> = members.into_iter().flatten().collect();
            map.extend(extra);
            map.into()
        })
        .boxed()
}

fn extra() -> impl Strategy<Value = Vec<(String, Value)>> {
    let any = prop_oneof![
        Just(json!(null)),
        Just(json!([])),
        Just(json!({})),
        Just(json!([null, 1.0, 1, u64::MAX])),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        "[a-z]{3}@Redfish\\.[A-Z][a-z]{4}",
        "@Message\\.[A-Z][a-z]{4}",
        "vendor[A-Z]{3}"
    ];
    proptest::collection::vec((name, any), 0..3)
}

fn shape_value(model: &Model, shape: &Shape, depth: u32) -> BoxedStrategy<Value> {
    let text = || "\\PC{0,12}".prop_map(Value::from).boxed();
    match shape {
        Shape::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Integer(_) => any::<i64>().prop_map(Value::from).boxed(),
        Shape::Number(_) => prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
        ]
        .boxed(),
        Shape::Text { .. } | Shape::DateTime | Shape::Duration => text(),
        Shape::Named(name) => component(model, name, depth),
        Shape::Array { items, nullable } => {
            let items = shape_value(model, items, depth);
            let items = if *nullable {
                prop_oneof![4 => items, 1 => Just(Value::Null)].boxed()
            } else {
                items
            };
            proptest::collection::vec(items, 0..3).prop_map(Value::from).boxed()
        }
        Shape::Link(_) => "/[a-z]{1,8}".prop_map(|uri| json!({"@odata.id": uri})).boxed(),
        Shape::LinkOrText(_) => {
            prop_oneof![text(), "/[a-z]{1,8}".prop_map(|uri| json!({"@odata.id": uri}))].boxed()
        }
        Shape::Action(_) => "/[a-z]{1,8}"
            .prop_map(|uri| json!({"target": uri, "A@Redfish.AllowableValues": ["x"]}))
            .boxed(),
        Shape::Map(items) => {
            let items = shape_value(model, items, depth);
            proptest::collection::btree_map("[A-Za-z]{1,6}", items, 0..3)
                .prop_map(|map| map.into_iter().collect::<Map<_, _>>().into())
                .boxed()
        }
        Shape::Oem => "[A-Z][a-z]{3}".prop_map(|vendor| json!({vendor: {"A": null}})).boxed(),
        Shape::Json => text(),
    }
}

fn full(model: &Model, entry: &TypeEntry) -> BoxedStrategy<Value> {
    component(model, entry.component, DEPTH)
}

#[test]
fn what_is_read_is_written() {
    let entries = each(
        |model, entry| Some(full(model, entry)),
        |entry, value| assert_eq!(rewrite(entry, value), *value, "{}", entry.path),
    );
    assert_eq!(entries, TYPES.len());
}

#[test]
fn what_the_schema_allows_fits() {
    let entries = each(
        |model, entry| Some(full(model, entry)),
        |entry, value| {
            let rewritten = (entry.rewrite)(&value.to_string()).unwrap();
            let misfits = rewritten.inspection.misfits;
            assert!(misfits.is_empty(), "{}: {misfits:?} in {value}", entry.path);
        },
    );
    assert_eq!(entries, TYPES.len());
}

#[test]
fn enums_keep_texts_that_they_do_not_know() {
    let entries = each(
        |_, entry| {
            let any = "\\PC{0,20}".prop_map(Value::from).boxed();
            (entry.kind == TypeKind::Enum).then_some(any)
        },
        |entry, value| assert_eq!(rewrite(entry, value), *value, "{}", entry.path),
    );
    assert_eq!(entries, TYPES.iter().filter(|e| e.kind == TypeKind::Enum).count());
}

#[test]
fn null_absent_and_empty_stay_apart() {
    let model = model();
    let mut members = 0;
    for entry in TYPES.iter().filter(|entry| entry.kind != TypeKind::Enum) {
        assert_eq!((entry.empty.unwrap())().unwrap(), json!({}), "{}", entry.path);
        assert_eq!(rewrite(entry, &json!({})), json!({}), "{}", entry.path);
        for property in model.properties(entry.component) {
            let empty = match property.shape {
                Shape::Array { .. } => json!([]),
                Shape::Map(_) | Shape::Oem | Shape::Link(_) | Shape::Action(_) => json!({}),
                _ => json!(null),
            };
            for value in [json!(null), empty] {
                let document = json!({property.wire.as_str(): value});
                assert_eq!(rewrite(entry, &document), document, "{}", entry.path);
            }
            members += 1;
        }
    }
    println!("{members} members");
    assert!(members > 4000, "{members}");
}

#[test]
fn patches_can_say_null() {
    let model = model();
    let mut nullable = 0;
    for entry in TYPES.iter().filter(|entry| entry.component.ends_with("Patch")) {
        for property in model.properties(entry.component).iter().filter(|p| p.nullable) {
            let document = json!({property.wire.as_str(): null});
            let rewritten = (entry.rewrite)(&document.to_string()).unwrap();
            assert_eq!(rewritten.value, document, "{}", entry.path);
            assert!(rewritten.inspection.misfits.is_empty(), "{}", entry.path);
            nullable += 1;
        }
    }
    println!("{nullable} nullable members of patch types");
    assert!(nullable > 200, "{nullable}");
}

#[test]
fn the_table_has_every_type_of_the_document() {
    let model = model();
    let missing: Vec<_> = model
        .types
        .iter()
        .filter(|(_, ty)| !matches!(ty.kind, Kind::Alias(_)))
        .map(|(name, _)| name.as_str())
        .filter(|name| !TYPES.iter().any(|entry| entry.component == *name))
        // Entries of `Actions` are `Action<…>`, links are `Ref<…>`.
        .filter(|name| *name != "odata-v4_idRef" && !is_action(&model, name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn is_action(model: &Model, component: &str) -> bool {
    let wire = format!("#{}", component.replacen('_', ".", 1));
    model.types.keys().any(|name| model.properties(name).iter().any(|p| p.wire == wire))
}

//! One value against its type.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use redfish_model::{DateTimeOffset, Duration};
use regex::Regex;
use serde_json::{Map, Value};

use super::faults::{Faults, Misfit, Path};
use crate::metadata::{Object, Property, ValueType};

/// Checks a value that replaces whatever was there; tells all its faults and says whether it fits.
pub(super) fn fits(
    faults: &mut Faults,
    path: &Path<'_>,
    property: &Property,
    value: &Value,
) -> bool {
    if value.is_null() && property.nullable {
        return true;
    }
    value_fits(faults, path, &property.value, value, property.secret)
}

fn value_fits(
    faults: &mut Faults,
    path: &Path<'_>,
    ty: &ValueType,
    value: &Value,
    secret: bool,
) -> bool {
    match (ty, value) {
        (ValueType::Object(object), Value::Object(members)) => {
            object_fits(faults, path, object, members)
        }
        (ValueType::Array { items, nullable }, Value::Array(values)) => {
            let mut fit = true;
            for (index, item) in values.iter().enumerate() {
                let index = index.to_string();
                let free = item.is_null() && *nullable;
                fit &= free || value_fits(faults, &path.below(&index), items, item, secret);
            }
            fit
        }
        (ValueType::Map(items), Value::Object(members)) => {
            let mut fit = true;
            for (name, item) in members.iter().filter(|(name, _)| !name.contains('@')) {
                fit &= value_fits(faults, &path.below(name), items, item, secret);
            }
            fit
        }
        _ => match misfit(ty, value) {
            Some(misfit) => {
                faults.misfit(path, misfit, value, secret);
                false
            }
            None => true,
        },
    }
}

/// Checks the members of an object that is given as a whole.
fn object_fits(
    faults: &mut Faults,
    path: &Path<'_>,
    object: &Object,
    members: &Map<String, Value>,
) -> bool {
    let mut fit = true;
    for (name, value) in members {
        let path = path.below(name);
        match object.property(name) {
            Some(property) => fit &= fits(faults, &path, property, value),
            None if name.contains('@') => {}
            None => {
                faults.unknown(&path);
                fit = false;
            }
        }
    }
    fit
}

/// What is wrong with a value that has no members.
fn misfit(ty: &ValueType, value: &Value) -> Option<Misfit> {
    let unless = |fine: bool, misfit| (!fine).then_some(misfit);
    match (ty, value) {
        (ValueType::Bool, Value::Bool(_)) | (ValueType::Json, _) => None,
        (ValueType::Oem, Value::Object(_)) => None,
        (ValueType::Integer { minimum, maximum }, Value::Number(number)) => {
            // 5.0 is an integer in JSON's eyes.
            let whole = number.as_i64().or_else(|| number.as_f64().and_then(whole));
            let Some(whole) = whole else { return Some(Misfit::Type) };
            let within = minimum.is_none_or(|least| whole >= least)
                && maximum.is_none_or(|most| whole <= most);
            unless(within, Misfit::OutOfRange)
        }
        (ValueType::Number { minimum, maximum }, Value::Number(number)) => {
            let number = number.as_f64()?;
            let within = minimum.is_none_or(|least| number >= least)
                && maximum.is_none_or(|most| number <= most);
            unless(within, Misfit::OutOfRange)
        }
        (ValueType::Text { pattern, .. }, Value::String(text)) => {
            unless(pattern.is_none_or(|pattern| matches(pattern, text)), Misfit::Format)
        }
        (ValueType::DateTime, Value::String(text)) => {
            unless(DateTimeOffset::from(text.as_str()).is_well_formed(), Misfit::Format)
        }
        (ValueType::Duration, Value::String(text)) => {
            unless(Duration::from(text.as_str()).is_well_formed(), Misfit::Format)
        }
        (ValueType::Enum(known), Value::String(text)) => {
            unless(known.contains(&text.as_str()), Misfit::NotInList)
        }
        (ValueType::Link(_), Value::Object(link)) => {
            unless(matches!(link.get("@odata.id"), Some(Value::String(_))), Misfit::Format)
        }
        _ => Some(Misfit::Type),
    }
}

/// A number without a fraction, as far as both types are exact.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Whether a text matches a pattern of the schema. A test sees to it that all of them can be read.
fn matches(pattern: &'static str, text: &str) -> bool {
    static READ: LazyLock<Mutex<HashMap<&'static str, Option<Regex>>>> =
        LazyLock::new(Mutex::default);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let regex = read.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
    regex.as_ref().is_none_or(|regex| regex.is_match(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::body::faults::Voice;
    use crate::operation::OPERATIONS;

    #[test]
    fn values_fit_their_types() {
        let check = |ty: ValueType, value: Value, expect: Option<Misfit>| {
            assert_eq!(misfit(&ty, &value), expect, "{ty:?} {value}");
        };
        let integer = ValueType::Integer { minimum: Some(1), maximum: Some(9) };
        check(integer, json!(1), None);
        check(integer, json!(9.0), None);
        check(integer, json!(1.5), Some(Misfit::Type));
        check(integer, json!("1"), Some(Misfit::Type));
        check(integer, json!(0), Some(Misfit::OutOfRange));
        check(integer, json!(10), Some(Misfit::OutOfRange));
        check(integer, json!(18_446_744_073_709_551_615_u64), Some(Misfit::Type));
        check(ValueType::Number { minimum: None, maximum: Some(0.5) }, json!(0.25), None);
        check(
            ValueType::Number { minimum: None, maximum: Some(0.5) },
            json!(1),
            Some(Misfit::OutOfRange),
        );
        let hex = ValueType::Text { format: None, pattern: Some("^[0-9a-fA-F]+$") };
        check(hex, json!("0aF"), None);
        check(hex, json!("x"), Some(Misfit::Format));
        check(ValueType::Enum(&["On", "Off"]), json!("On"), None);
        check(ValueType::Enum(&["On", "Off"]), json!("on"), Some(Misfit::NotInList));
        check(ValueType::Enum(&["On", "Off"]), json!(null), Some(Misfit::Type));
        check(ValueType::DateTime, json!("2026-01-01T00:00:00Z"), None);
        check(ValueType::DateTime, json!("2026-01-01"), Some(Misfit::Format));
        check(ValueType::Duration, json!("PT5S"), None);
        check(ValueType::Duration, json!("5s"), Some(Misfit::Format));
        check(ValueType::Link("Any"), json!({"@odata.id": "/x"}), None);
        check(ValueType::Link("Any"), json!({}), Some(Misfit::Format));
        check(ValueType::Bool, json!("true"), Some(Misfit::Type));
    }

    #[test]
    fn all_patterns_of_the_schema_can_be_read() {
        fn walk(object: &'static Object, seen: &mut Vec<*const Object>) -> usize {
            if seen.contains(&std::ptr::from_ref(object)) {
                return 0;
            }
            seen.push(object);
            object.properties.iter().map(|property| patterns(property.value, seen)).sum()
        }
        fn patterns(ty: ValueType, seen: &mut Vec<*const Object>) -> usize {
            match ty {
                ValueType::Text { pattern: Some(pattern), .. } => {
                    assert!(Regex::new(pattern).is_ok(), "{pattern}");
                    1
                }
                ValueType::Object(object) => walk(object, seen),
                ValueType::Array { items, .. } | ValueType::Map(items) => patterns(*items, seen),
                _ => 0,
            }
        }
        let mut seen = Vec::new();
        let bodies = OPERATIONS.iter().filter_map(|operation| operation.body);
        assert!(bodies.map(|body| walk(body, &mut seen)).sum::<usize>() > 10);
    }

    #[test]
    fn all_faults_of_a_whole_object_are_told() {
        let body = json!({"Image": 7, "Inserted": "yes", "Nonsense": 1, "a@b": 1});
        let mut faults = Faults::new(Voice::Parameters("InsertMedia"));
        let object = OPERATIONS.iter().find(|o| o.id == "systems_virtual_media_insert_media");
        let object = object.and_then(|o| o.body).unwrap();
        assert!(!object_fits(&mut faults, &Path::top("x"), object, body.as_object().unwrap()));
        assert_eq!(faults.into_messages().len(), 3);
    }
}

//! The body of a PATCH against the resource as it is (DSP0266, "PATCH").
//!
//! What remains is what the service has to apply: annotations are gone, read-only members that only
//! echo what was read are gone, arrays are complete. Members with faults are left out and told, so
//! that the others can be applied; whether that makes a partial success or a failure is seen when
//! the service has done its part.
//!
//! A member that the resource does not show is not there, even if the schema knows it: services show
//! what can be written, as `null` where it is not set. Write-only members are never shown and always
//! accepted here.

use http::StatusCode;
use serde_json::{Map, Value};

use super::faults::{Faults, Misfit, Path, Voice};
use super::value::fits;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::messages;
use crate::metadata::{Access, Object, Property, ValueType};

/// What a PATCH asks for.
#[derive(Debug)]
pub(crate) struct Patch {
    /// The members to apply; none when all that was sent is so already.
    pub(crate) apply: Map<String, Value>,
    /// What was wrong with the others.
    pub(crate) faults: Vec<Message>,
}

/// Checks the body of a PATCH.
///
/// # Errors
/// `NoOperation` when it says nothing but annotations; the faults when nothing of it is left.
pub(crate) fn patch(
    object: &Object,
    current: &Map<String, Value>,
    body: Map<String, Value>,
) -> Result<Patch> {
    let bad = StatusCode::BAD_REQUEST;
    if body.keys().all(|name| name.contains('@')) {
        return Err(Error::new(bad, messages::no_operation()));
    }
    let mut faults = Faults::new(Voice::Properties);
    let apply = members(&mut faults, None, object, current, body);
    let faults = faults.into_messages();
    if apply.is_empty() && !faults.is_empty() {
        return Err(Error::with_messages(bad, faults));
    }
    Ok(Patch { apply, faults })
}

/// The members of an object that are to be applied.
fn members(
    faults: &mut Faults,
    above: Option<&Path<'_>>,
    object: &Object,
    current: &Map<String, Value>,
    body: Map<String, Value>,
) -> Map<String, Value> {
    let mut apply = Map::new();
    for (name, value) in body {
        if name.contains('@') {
            continue;
        }
        let path = Path { above, token: &name };
        let shown = current.get(&name);
        let property = object.property(&name);
        let Some(property) = property.filter(|p| shown.is_some() || p.access == Access::Write)
        else {
            faults.unknown(&path);
            continue;
        };
        if let Some(value) = member(faults, &path, property, shown, value) {
            apply.insert(name, value);
        }
    }
    apply
}

/// What is to be applied of one member.
fn member(
    faults: &mut Faults,
    path: &Path<'_>,
    property: &Property,
    shown: Option<&Value>,
    value: Value,
) -> Option<Value> {
    let echo = shown == Some(&value);
    match (property.access, &property.value, value) {
        (Access::Write | Access::ReadWrite, ValueType::Array { items, .. }, Value::Array(sent)) => {
            let merged = array(faults, path, items, property, shown, sent)?;
            fits(faults, path, property, &merged).then_some(merged)
        }
        (Access::Write | Access::ReadWrite, _, value) => {
            fits(faults, path, property, &value).then_some(value)
        }
        // What was read and comes back unchanged asks for nothing.
        (Access::Read | Access::Inherited, _, _) if echo => None,
        (Access::Inherited, ValueType::Object(object), Value::Object(body)) => {
            let none = Map::new();
            let current = shown.and_then(Value::as_object).unwrap_or(&none);
            let apply = members(faults, Some(path), object, current, body);
            (!apply.is_empty()).then_some(Value::Object(apply))
        }
        (Access::Inherited, ValueType::Array { items, .. }, Value::Array(sent)) => {
            array(faults, path, items, property, shown, sent)
        }
        // Names that no schema knows: the service judges them.
        (Access::Inherited, ValueType::Map(_), value @ Value::Object(_)) => {
            fits(faults, path, property, &value).then_some(value)
        }
        (
            Access::Inherited,
            ValueType::Object(_) | ValueType::Array { .. } | ValueType::Map(_),
            value,
        ) if !value.is_null() => {
            faults.misfit(path, Misfit::Type, &value, property.secret);
            None
        }
        (Access::Read | Access::Inherited, ..) => {
            faults.not_writable(path);
            None
        }
    }
}

/// An array as it is to be: `null` removes an item, `{}` keeps the one at its place, what is beyond
/// the end of the body is removed, and objects are merged into those at their places.
fn array(
    faults: &mut Faults,
    path: &Path<'_>,
    items: &ValueType,
    property: &Property,
    shown: Option<&Value>,
    sent: Vec<Value>,
) -> Option<Value> {
    let current = shown.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut merged = Vec::with_capacity(sent.len());
    let mut fit = true;
    for (index, item) in sent.into_iter().enumerate() {
        let at = current.get(index);
        match (item, at) {
            (Value::Null, _) => {}
            (Value::Object(kept), Some(at)) if kept.is_empty() => merged.push(at.clone()),
            (item, Some(at)) if item == *at => merged.push(item),
            (Value::Object(body), at) => {
                let ValueType::Object(object) = items else {
                    merged.push(Value::Object(body));
                    continue;
                };
                let token = index.to_string();
                let path = path.below(&token);
                // A new item shows nothing yet; what may be written to it is all that may be written.
                let at = at.and_then(Value::as_object);
                let before = faults.len();
                let mut whole = at.cloned().unwrap_or_default();
                let apply = match at {
                    Some(at) => members(faults, Some(&path), object, at, body),
                    None => new_item(faults, &path, object, body),
                };
                whole.extend(apply);
                fit &= faults.len() == before;
                merged.push(Value::Object(whole));
            }
            (item, _) if property.access == Access::Inherited => {
                let token = index.to_string();
                faults.misfit(&path.below(&token), Misfit::Type, &item, property.secret);
                fit = false;
            }
            (item, _) => merged.push(item),
        }
    }
    fit.then_some(Value::Array(merged))
}

/// The members of an item that was not there.
fn new_item(
    faults: &mut Faults,
    path: &Path<'_>,
    object: &Object,
    body: Map<String, Value>,
) -> Map<String, Value> {
    let mut item = Map::new();
    for (name, value) in body.into_iter().filter(|(name, _)| !name.contains('@')) {
        let path = path.below(&name);
        match object.property(&name) {
            None => faults.unknown(&path),
            Some(property) if property.access == Access::Read => faults.not_writable(&path),
            Some(property) => {
                if fits(faults, &path, property, &value) {
                    item.insert(name, value);
                }
            }
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::body::faults::lines;
    use crate::metadata::ValueType as V;

    static ITEM: Object = Object {
        name: "T.Item",
        properties: &[
            Property::read_write("A", V::Integer { minimum: None, maximum: None }),
            Property::read_write("B", V::Bool),
            Property::read("C", V::Bool),
        ],
    };
    static INNER: Object = Object {
        name: "T.Inner",
        properties: &[
            Property::read_write("Target", V::Enum(&["None", "Pxe"])),
            Property::read("Shown", V::Bool),
        ],
    };
    static OBJECT: Object = Object {
        name: "T",
        properties: &[
            Property::read("Id", V::Text { format: None, pattern: None }),
            Property::read_write("Tag", V::Text { format: None, pattern: None }).nullable(),
            Property::read_write("Hidden", V::Bool),
            Property::write("Password", V::Text { format: None, pattern: None }).secret(),
            Property::inherited("Inner", V::Object(&INNER)),
            Property::read_write(
                "Names",
                V::Array { items: &V::Text { format: None, pattern: None }, nullable: true },
            ),
            Property::inherited("Items", V::Array { items: &V::Object(&ITEM), nullable: true }),
            Property::read_write("Free", V::Map(&V::Json)),
            Property::inherited("Attributes", V::Map(&V::Json)),
            Property::inherited("Oem", V::Oem),
        ],
    };

    fn check(body: Value, expect: Value, told: &[&str]) {
        let current = json!({
            "@odata.id": "/x", "Id": "1", "Tag": null, "Password": null,
            "Inner": {"Target": "None", "Shown": true},
            "Names": ["a", "b", "c"],
            "Items": [{"A": 1, "B": true, "C": true}, {"A": 2, "B": false, "C": true}],
            "Free": {"X": 1},
            "Attributes": {"X": 1},
        });
        let shown = body.to_string();
        let Value::Object(given) = body else { panic!("{shown}") };
        let (apply, faults) = match patch(&OBJECT, current.as_object().unwrap(), given) {
            Ok(patch) => (Value::Object(patch.apply), patch.faults),
            Err(error) => (Value::Null, error.messages),
        };
        let told: Vec<_> = told.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!((apply, lines(&faults)), (expect, told), "{shown}");
    }

    #[test]
    fn members_are_applied_or_told() {
        check(json!({"Tag": "x"}), json!({"Tag": "x"}), &[]);
        check(json!({"Tag": null}), json!({"Tag": null}), &[]);
        check(json!({"Password": "new"}), json!({"Password": "new"}), &[]);
        check(json!({"Tag": 5}), Value::Null, &["PropertyValueTypeError 5 Tag"]);
        check(json!({"Password": 5}), Value::Null, &["PropertyValueTypeError ****** Password"]);
        check(json!({"Colour": 5}), Value::Null, &["PropertyUnknown Colour"]);
        // The schema has it, this resource does not.
        check(json!({"Hidden": true}), Value::Null, &["PropertyUnknown Hidden"]);
        check(
            json!({"Tag": "x", "Id": "2", "Colour": 1}),
            json!({"Tag": "x"}),
            &["PropertyUnknown Colour", "PropertyNotWritable Id"],
        );
        check(json!({"Oem": {"X": {}}}), Value::Null, &["PropertyUnknown Oem"]);
        check(json!({"Free": {"Y": 2}}), json!({"Free": {"Y": 2}}), &[]);
        check(json!({"Attributes": {"Y": 2}}), json!({"Attributes": {"Y": 2}}), &[]);
        check(json!({"Attributes": 2}), Value::Null, &["PropertyValueTypeError 2 Attributes"]);
    }

    #[test]
    fn echoes_and_annotations_ask_for_nothing() {
        check(json!({}), Value::Null, &["NoOperation "]);
        check(json!({"@odata.id": "/x"}), Value::Null, &["NoOperation "]);
        check(json!({"Tag@Redfish.AllowableValues": []}), Value::Null, &["NoOperation "]);
        check(json!({"Id": "1"}), json!({}), &[]);
        check(json!({"Id": "1", "Tag": "x", "@odata.etag": "1"}), json!({"Tag": "x"}), &[]);
        check(
            json!({"Inner": {"Target": "Pxe", "Target@Redfish.AllowableValues": ["x"], "Shown": true}}),
            json!({"Inner": {"Target": "Pxe"}}),
            &[],
        );
    }

    #[test]
    fn objects_are_merged() {
        check(json!({"Inner": {}}), json!({}), &[]);
        check(
            json!({"Inner": {"Target": "Moon", "Shown": false, "X": 1}}),
            Value::Null,
            &[
                "PropertyNotWritable Inner/Shown",
                "PropertyValueNotInList Moon Inner/Target",
                "PropertyUnknown Inner/X",
            ],
        );
        check(json!({"Inner": 5}), Value::Null, &["PropertyValueTypeError 5 Inner"]);
        check(json!({"Inner": null}), Value::Null, &["PropertyNotWritable Inner"]);
    }

    #[test]
    fn arrays_are_merged() {
        check(json!({"Names": ["x"]}), json!({"Names": ["x"]}), &[]);
        check(json!({"Names": [{}, null, "z"]}), json!({"Names": ["a", "z"]}), &[]);
        check(json!({"Names": [{}, {}, {}, "d"]}), json!({"Names": ["a", "b", "c", "d"]}), &[]);
        check(json!({"Names": []}), json!({"Names": []}), &[]);
        check(json!({"Names": "x"}), Value::Null, &["PropertyValueTypeError x Names"]);
        check(json!({"Names": [5]}), Value::Null, &["PropertyValueTypeError 5 Names/0"]);
        check(
            json!({"Names": [{}, {}, {}, {}]}),
            Value::Null,
            &["PropertyValueTypeError {} Names/3"],
        );
        check(
            json!({"Items": [{"B": false}, null, {"A": 3}]}),
            json!({"Items": [{"A": 1, "B": false, "C": true}, {"A": 3}]}),
            &[],
        );
        check(
            json!({"Items": [{"C": false}, {"A": "x"}, {"C": true}, 5]}),
            Value::Null,
            &[
                "PropertyNotWritable Items/0/C",
                "PropertyValueTypeError x Items/1/A",
                "PropertyNotWritable Items/2/C",
                "PropertyValueTypeError 5 Items/3",
            ],
        );
    }
}

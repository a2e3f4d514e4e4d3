//! Bodies that are given as a whole: of new members of collections, and parameters of actions.

use http::StatusCode;
use serde_json::{Map, Value};

use super::faults::{Faults, Path, Voice};
use super::value::fits;
use crate::error::{Error, Result};
use crate::metadata::{Object, Property};

/// Checks the body of a POST to a collection. Read-only properties can be given, as many are the
/// client's at creation only.
///
/// # Errors
/// All faults at once; nothing is created from half a body.
pub(crate) fn create(object: &Object, body: Map<String, Value>) -> Result<Value> {
    let faults = Faults::new(Voice::Properties);
    check(faults, object, body, |property| property.required_on_create, MADE_BY_US)
}

/// What nobody gives a new resource but the service.
const MADE_BY_US: &[&str] = &["Actions", "Id", "Status"];

/// Checks the parameters of an action.
///
/// # Errors
/// All faults at once.
pub(crate) fn parameters(
    action: &'static str,
    object: &Object,
    body: Map<String, Value>,
) -> Result<Value> {
    let faults = Faults::new(Voice::Parameters(action));
    check(faults, object, body, |property| property.required, &[])
}

fn check(
    mut faults: Faults,
    object: &Object,
    body: Map<String, Value>,
    must: impl Fn(&Property) -> bool,
    refused: &[&str],
) -> Result<Value> {
    for property in object.properties.iter().filter(|property| must(property)) {
        if !body.contains_key(property.name) {
            faults.missing(&Path::top(property.name));
        }
    }
    let mut members = Map::new();
    for (name, value) in body {
        let path = Path::top(&name);
        match object.property(&name) {
            _ if name.contains('@') => {}
            Some(_) if refused.contains(&name.as_str()) => faults.not_writable(&path),
            Some(property) => {
                if fits(&mut faults, &path, property, &value) {
                    members.insert(name, value);
                }
            }
            None => faults.unknown(&path),
        }
    }
    let messages = faults.into_messages();
    if messages.is_empty() {
        return Ok(Value::Object(members));
    }
    Err(Error::with_messages(StatusCode::BAD_REQUEST, messages))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::body::faults::lines;
    use crate::operation::{Kind, OPERATIONS};

    fn check(id: &str, body: Value, expect: Result<Value, &[&str]>) {
        let operation = OPERATIONS.iter().find(|operation| operation.id == id).unwrap();
        let (object, shown) = (operation.body.unwrap(), body.to_string());
        let Value::Object(given) = body else { panic!("{shown}") };
        let found = match operation.kind {
            Kind::Action(name) => parameters(name, object, given),
            _ => create(object, given),
        };
        let told = |error: Error| lines(&error.messages);
        let expect = expect.map_err(|lines| lines.iter().map(|l| (*l).to_owned()).collect());
        assert_eq!(found.map_err(told), expect, "{id} {shown}");
    }

    #[test]
    fn parameters_of_actions() {
        let insert = "systems_virtual_media_insert_media";
        check(insert, json!({"Image": "http://a/b"}), Ok(json!({"Image": "http://a/b"})));
        check(insert, json!({"Image": "a", "x@Redfish.y": 1}), Ok(json!({"Image": "a"})));
        check(insert, json!({}), Err(&["ActionParameterMissing InsertMedia Image"]));
        check(
            insert,
            json!({"Image": 7, "Inserted": "yes", "TransferMethod": "Pigeon", "Password": 5, "Nonsense": 1}),
            Err(&[
                "ActionParameterValueTypeError 7 Image InsertMedia",
                "ActionParameterValueTypeError yes Inserted InsertMedia",
                "ActionParameterUnknown InsertMedia Nonsense",
                "ActionParameterValueTypeError ****** Password InsertMedia",
                "ActionParameterValueNotInList Pigeon TransferMethod InsertMedia",
            ]),
        );
    }

    #[test]
    fn new_members() {
        let accounts = "account_service_accounts_create";
        let given = json!({"UserName": "a", "Password": "secret", "RoleId": "ReadOnly"});
        check(accounts, given.clone(), Ok(given));
        check(
            accounts,
            json!({"UserName": null, "Password": 1, "Id": "a", "Colour": "red"}),
            Err(&[
                "CreateFailedMissingReqProperties RoleId",
                "PropertyUnknown Colour",
                "PropertyNotWritable Id",
                "PropertyValueTypeError ****** Password",
                "PropertyValueTypeError null UserName",
            ]),
        );
    }
}

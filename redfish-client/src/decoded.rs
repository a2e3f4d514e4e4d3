//! What a service sent, with what the answer said about it.
//!
//! Services in the field send a number as text, an object where the schema says a list, a date that is `0`. The types
//! of `redfish_model` leave such a member absent and keep its value aside, so one bad member does not cost the
//! resource. Whoever wants to know asks for [`Decoded::faults`]; nobody else pays for it.

use std::ops::{Deref, DerefMut};

use redfish_model::{Field, Inspection, Member, MemberSink, Misfit, Object};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A `T` that a service sent.
///
/// ```
/// use redfish_client::Decoded;
/// use redfish_model::task::Task;
///
/// let task: Decoded<Task> = Decoded::from_slice(br#"{"Id": "1", "PercentComplete": "half"}"#)?;
/// assert_eq!(task.id.as_deref(), Some("1"));
/// assert!(task.percent_complete.is_absent());
/// assert_eq!(task.faults()[0].pointer, "/PercentComplete");
/// assert_eq!(task.extra.get("PercentComplete"), Some(&"half".into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<T> {
    value: T,
    etag: Option<String>,
}

impl<T> Decoded<T> {
    /// The resource alone.
    pub fn into_inner(self) -> T {
        self.value
    }

    pub(crate) fn with_etag(self, etag: Option<String>) -> Self {
        Self { etag, ..self }
    }
}

impl<T: Object> Decoded<T> {
    /// The members whose values do not fit their types; empty for a resource that keeps to its schema. The values are
    /// in the `extra` of the object that has the member.
    pub fn faults(&self) -> Vec<Misfit> {
        Inspection::of(&self.value).misfits
    }

    /// The tag of this state of the resource, for `If-Match`: that of the answer, else its `@odata.etag`.
    pub fn etag(&self) -> Option<String> {
        self.etag.clone().or_else(|| {
            let mut find = FindEtag(None);
            self.value.members(&mut find);
            find.0
        })
    }
}

impl<T: DeserializeOwned> Decoded<T> {
    /// Reads JSON.
    ///
    /// # Errors
    /// The text is no JSON, or no `T` at all.
    pub fn from_slice(json: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(json).map(|value| Self { value, etag: None })
    }

    /// Reads a JSON value.
    ///
    /// # Errors
    /// It is no `T` at all.
    pub fn from_value(json: Value) -> Result<Self, serde_json::Error> {
        serde_json::from_value(json).map(|value| Self { value, etag: None })
    }
}

/// What the hooks make of an answer to a GET, so that its headers reach [`Decoded`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<T> {
    etag: Option<String>,
    body: T,
}

/// The body that [`Decoded`] reads in the generated methods. Every answer is wrapped, so none is taken for a wrapping.
pub(crate) fn envelope(etag: Option<String>, body: &[u8]) -> Vec<u8> {
    let mut text = format!(r#"{{"etag":{},"body":"#, Value::from(etag)).into_bytes();
    text.extend_from_slice(if body.is_empty() { b"null" } else { body });
    text.push(b'}');
    text
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Decoded<T> {
    /// Reads the wrapping that this crate puts around answers, and nothing else: see [`Decoded::from_slice`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Envelope { etag, body } = Envelope::deserialize(deserializer)?;
        Ok(Self { value: body, etag })
    }
}

impl<T> Deref for Decoded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Decoded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// Finds `@odata.etag` among the members of any object.
struct FindEtag(Option<String>);

impl MemberSink for FindEtag {
    fn member<T: Member>(&mut self, name: &'static str, field: &Field<T>) {
        if name == "@odata.etag"
            && let Some(value) = field.value()
            && let Ok(Value::String(etag)) = serde_json::to_value(value)
        {
            self.0 = Some(etag);
        }
    }
}

#[cfg(test)]
mod tests {
    use redfish_model::event::Event;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_told() {
        fn check(json: &Value, pointers: &[&str]) {
            let decoded = Decoded::<Event>::from_slice(json.to_string().as_bytes()).unwrap();
            let faults = decoded.faults();
            let found: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
            assert_eq!(found, pointers, "{json}");
            assert_eq!(serde_json::to_value(&*decoded).unwrap(), *json);
            assert_eq!(Decoded::from_value(json.clone()).unwrap(), decoded);
        }
        check(&json!({"Id": "1", "Name": "n", "X": [1]}), &[]);
        check(&json!({"Id": 1, "Name": "n"}), &["/Id"]);
        check(&json!({"Events": {}, "Name": "n"}), &["/Events"]);
        check(
            &json!({"Events": [{"EventId": "b", "Context": 1}, {"EventGroupId": "y"}]}),
            &["/Events/0/Context", "/Events/1/EventGroupId"],
        );
    }

    #[test]
    fn a_document_of_another_kind_is_an_error() {
        for text in ["", "{", "[]", "null", "1", "\"x\"", r#"{"Id": }"#] {
            assert!(Decoded::<Event>::from_slice(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn no_body_passes_for_a_wrapping() {
        let read = |body: &str| {
            let text = envelope(Some("\"e\"".into()), body.as_bytes());
            serde_json::from_slice::<Decoded<Value>>(&text)
        };
        let alike = json!({"etag": "x", "body": 1});
        assert_eq!(read(&alike.to_string()).unwrap().into_inner(), alike);
        for body in [r#"{},"etag":"x""#, r#"{},"body":1"#, r#"{},"x":1"#, "{}}", "1 2", "]", "{"] {
            assert!(read(body).is_err(), "{body}");
        }
        assert_eq!(read("").unwrap().into_inner(), Value::Null);
        assert_eq!(read("{}").unwrap().etag.as_deref(), Some("\"e\""));
    }

    #[test]
    fn faults_do_not_show_values() {
        let json = json!({"Password": 4711, "UserName": ["hunter2"]});
        let decoded = Decoded::<redfish_model::session::Session>::from_value(json).unwrap();
        let text = format!("{decoded:?} {:?}", decoded.faults());
        assert!(!text.contains("4711") && !text.contains("hunter2"), "{text}");
    }
}

//! Lenient reading: one member that does not fit its type must not cost the whole resource.
//!
//! Services in the field send a number as text, an object where the schema says a list, a date that is `0`. serde stops
//! at the first of these. So when strict reading fails, the place is looked up, cut out and noted, and the rest is read
//! again. A resource without such faults is read once, straight into its type.

use std::fmt;
use std::ops::{Deref, DerefMut};

use redfish_model::{Field, Member, MemberSink, Object};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};

/// How many faults a resource may have before it counts as unreadable.
const LIMIT: usize = 100;

/// What a service sent as a `T`, with what did not fit left out.
///
/// ```
/// use redfish_client::Decoded;
/// use redfish_model::task::Task;
///
/// let task: Decoded<Task> = Decoded::from_slice(br#"{"Id": "1", "PercentComplete": "half"}"#)?;
/// assert_eq!(task.id.as_deref(), Some("1"));
/// assert!(task.percent_complete.is_absent());
/// assert_eq!(task.faults()[0].pointer, "/PercentComplete");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<T> {
    value: T,
    faults: Vec<Fault>,
    etag: Option<String>,
}

/// A part of a document that did not fit its type and was left out.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// Where it stood: a JSON pointer (RFC 6901) into the document as it was sent.
    pub pointer: String,
    /// Why it does not fit.
    pub reason: String,
    /// What stood there.
    pub value: Value,
}

impl Fault {
    /// The whole document does not fit.
    pub(crate) fn new(reason: String, value: Value) -> Self {
        Self { pointer: String::new(), reason, value }
    }
}

impl fmt::Debug for Fault {
    /// Without the value: what stands at the wrong place may be a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({:?}: {})", self.pointer, self.reason)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.reason)
    }
}

impl<T> Decoded<T> {
    /// What did not fit; empty for a resource that keeps to its schema.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The resource alone.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The resource, and what did not fit.
    pub fn into_parts(self) -> (T, Vec<Fault>) {
        (self.value, self.faults)
    }

    pub(crate) fn with_etag(self, etag: Option<String>) -> Self {
        Self { etag, ..self }
    }
}

impl<T: Object> Decoded<T> {
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
    /// The text is no JSON, or no `T` even without what does not fit.
    pub fn from_slice(json: &[u8]) -> Result<Self, serde_json::Error> {
        match serde_json::from_slice(json) {
            Ok(value) => Ok(Self::faultless(value)),
            Err(error) => Self::repair(serde_json::from_slice(json)?, &error),
        }
    }

    /// Reads a JSON value.
    ///
    /// # Errors
    /// It is no `T` even without what does not fit.
    pub fn from_value(json: Value) -> Result<Self, serde_json::Error> {
        match T::deserialize(&json) {
            Ok(value) => Ok(Self::faultless(value)),
            Err(error) => Self::repair(json, &error),
        }
    }

    fn faultless(value: T) -> Self {
        Self { value, faults: Vec::new(), etag: None }
    }

    fn repair(mut json: Value, first: &serde_json::Error) -> Result<Self, serde_json::Error> {
        let mut faults = Vec::new();
        // Indices that were cut out of arrays, so that pointers speak of the document as it was sent.
        let mut cut: Vec<(String, usize)> = Vec::new();
        loop {
            let error = match serde_path_to_error::deserialize(&json) {
                Ok(value) => {
                    if faults.is_empty() {
                        // What a JSON value cannot have, such as a member that is there twice.
                        faults.push(Fault::new(first.to_string(), Value::Null));
                    }
                    return Ok(Self { value, faults, etag: None });
                }
                Err(error) => error,
            };
            let found = if faults.len() < LIMIT { cut_out(&mut json, error.path()) } else { None };
            let Some((tokens, value)) = found else { return Err(error.into_inner()) };
            let pointer = original(&tokens, &mut cut);
            faults.push(Fault { pointer, reason: error.inner().to_string(), value });
        }
    }
}

/// What the hooks make of an answer to a GET, so that its headers reach [`Decoded`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    etag: Option<String>,
    #[serde(borrow)]
    body: &'a RawValue,
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
        let envelope = Envelope::deserialize(deserializer)?;
        let decoded = Self::from_slice(envelope.body.get().as_bytes());
        Ok(decoded.map_err(serde::de::Error::custom)?.with_etag(envelope.etag))
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

/// A step in a document that is there.
enum Token {
    Member(String),
    Item(usize),
}

/// Cuts out the deepest place on the path that is there; its steps and its value. `None` when that is the document.
fn cut_out(json: &mut Value, path: &Path) -> Option<(Vec<Token>, Value)> {
    let mut tokens = Vec::new();
    let mut place: &Value = json;
    for segment in path {
        let (next, token) = match segment {
            Segment::Map { key } => (place.get(key), Token::Member(key.clone())),
            Segment::Seq { index } => (place.get(index), Token::Item(*index)),
            Segment::Enum { .. } | Segment::Unknown => break,
        };
        let Some(next) = next else { break };
        place = next;
        tokens.push(token);
    }
    let (last, above) = tokens.split_last()?;
    let mut place = json;
    for token in above {
        place = match token {
            Token::Member(name) => place.get_mut(name)?,
            Token::Item(index) => place.get_mut(*index)?,
        };
    }
    let value = match (last, place) {
        (Token::Member(name), Value::Object(members)) => members.remove(name)?,
        (Token::Item(index), Value::Array(items)) => items.remove(*index),
        _ => return None,
    };
    Some((tokens, value))
}

/// The pointer into the document as it was sent, and a note of the index that was cut out.
fn original(tokens: &[Token], cut: &mut Vec<(String, usize)>) -> String {
    let mut pointer = String::new();
    for (depth, token) in tokens.iter().enumerate() {
        match token {
            Token::Member(name) => {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            Token::Item(index) => {
                let mut before: Vec<_> = cut
                    .iter()
                    .filter(|(list, _)| *list == pointer)
                    .map(|(_, index)| *index)
                    .collect();
                before.sort_unstable();
                let index =
                    before.into_iter().fold(*index, |index, cut| index + usize::from(cut <= index));
                if depth + 1 == tokens.len() {
                    cut.push((pointer.clone(), index));
                }
                pointer.push_str(&format!("/{index}"));
            }
        }
    }
    pointer
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

    fn check(json: &Value, pointers: &[&str]) -> Event {
        let text = json.to_string();
        let decoded = Decoded::<Event>::from_slice(text.as_bytes()).unwrap();
        let found: Vec<_> = decoded.faults().iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(found, pointers, "{json}");
        for fault in decoded.faults() {
            assert_eq!(json.pointer(&fault.pointer), Some(&fault.value), "{fault}");
        }
        assert_eq!(Decoded::from_value(json.clone()).unwrap(), decoded);
        decoded.into_inner()
    }

    #[test]
    fn what_does_not_fit_is_cut_out() {
        check(&json!({"Id": "1", "Name": "n", "X": [1]}), &[]);
        let event = check(&json!({"Id": 1, "Name": "n"}), &["/Id"]);
        assert_eq!((event.id.is_absent(), event.name.as_deref()), (true, Some("n")));
        check(&json!({"Events": {}}), &["/Events"]);
        let event = check(
            &json!({"Events": [{"EventId": "a"}, 7, {"EventId": "b", "Context": 1}, "x", {"EventGroupId": "y"}]}),
            &["/Events/1", "/Events/2/Context", "/Events/3", "/Events/4/EventGroupId"],
        );
        assert_eq!(event.events.value().map(Vec::len), Some(3));
        check(
            &json!({"Events": [{"MessageArgs": ["a", 1, {}, "b"]}]}),
            &["/Events/0/MessageArgs/1", "/Events/0/MessageArgs/2"],
        );
    }

    #[test]
    fn a_document_of_another_kind_is_an_error() {
        for text in ["", "{", "[]", "null", "1", "\"x\"", r#"{"Id": }"#] {
            assert!(Decoded::<Event>::from_slice(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_member_that_is_there_twice_is_a_fault() {
        let decoded = Decoded::<Event>::from_slice(br#"{"Id": "1", "Id": "2"}"#).unwrap();
        assert_eq!((decoded.id.as_deref(), decoded.faults().len()), (Some("2"), 1));
        assert_eq!(decoded.faults()[0].pointer, "");
    }

    #[test]
    fn faults_are_bounded() {
        let records = |count: usize| json!({"Events": vec![7; count]}).to_string();
        let decoded = Decoded::<Event>::from_slice(records(100).as_bytes()).unwrap();
        assert_eq!(decoded.faults().len(), 100);
        assert_eq!(decoded.faults()[99].pointer, "/Events/99");
        assert!(Decoded::<Event>::from_slice(records(101).as_bytes()).is_err());
    }

    #[test]
    fn no_body_passes_for_a_wrapping() {
        let read = |body: &str| {
            serde_json::from_slice::<Decoded<Value>>(&envelope(
                Some("\"e\"".into()),
                body.as_bytes(),
            ))
        };
        assert_eq!(
            read(r#"{"etag":"x","body":1}"#).unwrap().into_inner(),
            json!({"etag": "x", "body": 1})
        );
        for body in [r#"{},"etag":"x""#, r#"{},"body":1"#, r#"{},"x":1"#, "{}}", "1 2", "]", "{"] {
            assert!(read(body).is_err(), "{body}");
        }
        assert_eq!(read("").unwrap().into_inner(), Value::Null);
        assert_eq!(read("{}").unwrap().etag.as_deref(), Some("\"e\""));
    }

    #[test]
    fn faults_do_not_show_values() {
        let decoded =
            Decoded::<Event>::from_value(json!({"Events": {"Password": "hunter2"}})).unwrap();
        assert!(!format!("{decoded:?}").contains("hunter2"));
    }
}

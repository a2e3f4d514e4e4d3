//! JSON as strict as RFC 8259 wishes and parsers rarely are.
//!
//! Of two members of one name most parsers take the last, others the first, and a check may see one
//! while the code behind it uses the other. So a repeated name is no JSON here. Depth is bounded as
//! well; size is bounded by who reads the body.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::{Error, Result};
use crate::messages;

/// Deeper than any body of the schema, and far from the end of any stack.
const MAX_DEPTH: usize = 32;

/// A body as an object; no bytes at all count as an empty one.
///
/// # Errors
/// `MalformedJSON` for what is no JSON, `UnrecognizedRequestBody` for JSON that is no object.
pub(crate) fn parse_object(body: &[u8]) -> Result<Map<String, Value>> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    let mut parser = serde_json::Deserializer::from_slice(body);
    let parsed = Strict(MAX_DEPTH).deserialize(&mut parser);
    match parsed.and_then(|value| parser.end().map(|()| value)) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => {
            let status = http::StatusCode::BAD_REQUEST;
            Err(Error::new(status, messages::unrecognized_request_body()))
        }
        Err(_) => Err(Error::malformed_json()),
    }
}

/// Reads a value that may nest so many levels more.
struct Strict(usize);

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self.below()?)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(self.below()?)?;
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a member stands there twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

impl Strict {
    fn below<E: serde::de::Error>(&self) -> Result<Self, E> {
        self.0.checked_sub(1).map(Self).ok_or_else(|| E::custom("too deep"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_objects() {
        let check = |body: &[u8], expect: Result<&str, &str>| {
            let text = |object: Map<String, Value>| Value::Object(object).to_string();
            let id = |error: Error| error.messages[0].message_id().unwrap_or_default().to_owned();
            let found = parse_object(body).map(text).map_err(id);
            let shown = String::from_utf8_lossy(body);
            assert_eq!(found.as_deref().map_err(String::as_str), expect, "{shown}");
        };
        const MALFORMED: Result<&str, &str> = Err("Base.1.22.MalformedJSON");
        const UNRECOGNIZED: Result<&str, &str> = Err("Base.1.22.UnrecognizedRequestBody");
        check(b"", Ok("{}"));
        check(b" {} ", Ok("{}"));
        check(br#"{"a": [1, 2.5, null, true, "x"]}"#, Ok(r#"{"a":[1,2.5,null,true,"x"]}"#));
        check(br#"{"a": 18446744073709551615}"#, Ok(r#"{"a":18446744073709551615}"#));
        check(b"[]", UNRECOGNIZED);
        check(b"null", UNRECOGNIZED);
        check(br#""x""#, UNRECOGNIZED);
        check(b"{", MALFORMED);
        check(b"{} {}", MALFORMED);
        check(br#"{"a": 1, "a": 1}"#, MALFORMED);
        check(br#"{"b": {"a": 1, "\u0061": 1}}"#, MALFORMED);
        check(br#"{"a": 1e999}"#, MALFORMED);
        check(b"{\"a\": \"\xff\"}", MALFORMED);
        check(b" ", MALFORMED);
        let nested =
            |depth: usize| format!(r#"{{"a": {}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert!(parse_object(nested(MAX_DEPTH - 1).as_bytes()).is_ok());
        check(nested(MAX_DEPTH + 1).as_bytes(), MALFORMED);
        check(nested(1_000_000).as_bytes(), MALFORMED);
    }
}

//! Entity tags: `"C.R"`, both in the header and in `@odata.etag`.
//!
//! C is over the members that a PATCH can change, R over the rest. Deployed clients PATCH with the tag
//! of an earlier read while the power state moved on: for them only C is compared, so that a change of
//! what they did not mean to overwrite does not stop them, and a lost update still does. Clocks are in
//! neither. A text that a service puts into `@odata.etag`, such as the revision of a record, goes
//! into C: it stands for what is not shown.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::{IF_MATCH, IF_NONE_MATCH};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::context::Profile;
use crate::metadata::{Access, Object, ValueType};

/// What goes by itself and is no change of the resource.
const CLOCKS: &[&str] = &["DateTime"];

/// The tag of a document, quotes included. `patch` is the type that a PATCH of it takes, if any.
pub(super) fn of(document: &Map<String, Value>, patch: Option<&'static Object>) -> String {
    let mut parts = Parts { changeable: Sha256::new(), rest: Sha256::new() };
    for (name, value) in document.iter().filter(|(name, _)| !CLOCKS.contains(&name.as_str())) {
        if name == "@odata.etag" {
            parts.add(true, name, value);
        } else {
            parts.member(patch, name, value);
        }
    }
    let short = |hash: Sha256| URL_SAFE_NO_PAD.encode(&hash.finalize()[..9]);
    format!("\"{}.{}\"", short(parts.changeable), short(parts.rest))
}

struct Parts {
    changeable: Sha256,
    rest: Sha256,
}

impl Parts {
    fn member(&mut self, ty: Option<&'static Object>, name: &str, value: &Value) {
        let property = ty.and_then(|object| object.property(name));
        match (property.map(|p| (p.access, p.value)), value) {
            (Some((Access::ReadWrite | Access::Write, _)), _) => self.add(true, name, value),
            (Some((Access::Inherited, ValueType::Object(object))), Value::Object(members)) => {
                // The name alone, so that members of different objects are told apart.
                self.rest.update(name);
                self.changeable.update(name);
                members.iter().for_each(|(name, value)| self.member(Some(object), name, value));
            }
            (Some((Access::Inherited, ValueType::Array { .. })), _) => self.add(true, name, value),
            _ => self.add(false, name, value),
        }
    }

    fn add(&mut self, changeable: bool, name: &str, value: &Value) {
        let hash = if changeable { &mut self.changeable } else { &mut self.rest };
        hash.update(name);
        hash.update([0]);
        hash.update(value.to_string());
        hash.update([0]);
    }
}

/// Whether the conditions of a write hold (RFC 9110, 13.1.1). A header that can't be read holds for
/// nothing.
pub(super) fn may_change(headers: &HeaderMap, tag: &str, profile: Profile) -> bool {
    if !headers.contains_key(IF_MATCH) {
        return true;
    }
    let same = |given: &Tag<'_>| match profile {
        Profile::Strict => !given.weak && given.text == tag,
        Profile::Clients => changeable(given.text) == changeable(tag),
    };
    tags(headers, IF_MATCH).is_some_and(|tags| match tags {
        Tags::Any => true,
        Tags::These(tags) => tags.iter().any(same),
    })
}

/// Whether the client has this already (RFC 9110, 13.1.2).
pub(super) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    tags(headers, IF_NONE_MATCH).is_some_and(|tags| match tags {
        Tags::Any => true,
        Tags::These(tags) => tags.iter().any(|given| given.text == tag),
    })
}

/// The part before the dot, with its quote.
fn changeable(tag: &str) -> &str {
    tag.split_once('.').map_or(tag, |(changeable, _)| changeable)
}

#[derive(Debug, PartialEq)]
enum Tags<'a> {
    Any,
    These(Vec<Tag<'a>>),
}

#[derive(Debug, PartialEq)]
struct Tag<'a> {
    weak: bool,
    /// With its quotes.
    text: &'a str,
}

/// The tags of a header, over all its lines; `None` when it is absent or malformed.
fn tags(headers: &HeaderMap, name: http::HeaderName) -> Option<Tags<'_>> {
    let mut found = Vec::new();
    for line in headers.get_all(name) {
        let mut rest = line.to_str().ok()?.trim();
        if rest == "*" {
            return Some(Tags::Any);
        }
        while !rest.is_empty() {
            let (weak, quoted) = match rest.strip_prefix("W/") {
                Some(quoted) => (true, quoted),
                None => (false, rest),
            };
            let length = quoted.strip_prefix('"')?.find('"')? + 2;
            let (text, after) = quoted.split_at(length);
            found.push(Tag { weak, text });
            let after = after.trim_start();
            rest = match after.strip_prefix(',') {
                Some(next) => next.trim_start(),
                None if after.is_empty() => after,
                None => return None,
            };
        }
    }
    (!found.is_empty()).then_some(Tags::These(found))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use serde_json::json;

    use super::*;
    use crate::operation::OPERATIONS;

    fn tag(document: &Value) -> String {
        let patch = OPERATIONS.iter().find(|operation| operation.id == "systems_patch");
        of(document.as_object().unwrap(), patch.and_then(|operation| operation.body))
    }

    #[test]
    fn changes_show_in_their_part() {
        let before = json!({
            "Id": "1", "PowerState": "Off", "AssetTag": null, "DateTime": "a",
            "Boot": {"BootSourceOverrideTarget": "None", "AliasBootOrder": ["Hdd"]},
        });
        // (changeable part differs, rest differs)
        let check = |pointer: &str, value: Value, expect: (bool, bool)| {
            let mut after = before.clone();
            *after.pointer_mut(pointer).unwrap() = value;
            let (one, other) = (tag(&before), tag(&after));
            let (one, other) = (one.split_once('.').unwrap(), other.split_once('.').unwrap());
            assert_eq!((one.0 != other.0, one.1 != other.1), expect, "{pointer}");
        };
        check("/PowerState", json!("On"), (false, true));
        check("/AssetTag", json!("x"), (true, false));
        check("/Boot/BootSourceOverrideTarget", json!("Pxe"), (true, false));
        check("/DateTime", json!("b"), (false, false));
        let mut salted = before.clone();
        salted["@odata.etag"] = json!("7");
        assert_ne!(changeable(&tag(&before)), changeable(&tag(&salted)));
    }

    #[test]
    fn conditions() {
        let check = |value: &str, profile, expect: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_MATCH, HeaderValue::from_str(value).unwrap());
            assert_eq!(may_change(&headers, "\"c.r\"", profile), expect, "{value} {profile:?}");
        };
        for profile in [Profile::Clients, Profile::Strict] {
            check("*", profile, true);
            check("\"c.r\"", profile, true);
            check("\"x\", \"c.r\"", profile, true);
            check("\"x.r\"", profile, false);
            check("\"c.r\"foobar", profile, false);
            check("c.r", profile, false);
            check("\"c.r", profile, false);
            check("", profile, false);
        }
        check("\"c.old\"", Profile::Clients, true);
        check("\"c.old\"", Profile::Strict, false);
        check("W/\"c.r\"", Profile::Clients, true);
        check("W/\"c.r\"", Profile::Strict, false);
        assert!(may_change(&HeaderMap::new(), "\"c.r\"", Profile::Strict));
    }

    #[test]
    fn what_is_known_is_not_sent_again() {
        let check = |value: &str, expect: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_str(value).unwrap());
            assert_eq!(is_known(&headers, "\"c.r\""), expect, "{value}");
        };
        check("\"c.r\"", true);
        check("W/\"c.r\"", true);
        check("*", true);
        check("\"a\",\"c.r\"", true);
        check("\"c.old\"", false);
        check("nonsense", false);
    }
}

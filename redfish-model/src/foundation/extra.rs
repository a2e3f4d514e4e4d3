//! Annotations, and members that the schema does not name.
//!
//! Annotations (`Members@odata.count`, `Image@Message.ExtendedInfo`) may stand at any member of any object, and
//! services add members of their own. Both are kept here as they came, so that nothing is lost between reading and
//! writing. An empty map takes no memory but its own three words.

use std::collections::{BTreeMap, btree_map};
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Member;
use crate::message::Message;
use crate::settings::Settings;

/// The members of an object that are not fields of its type, by name.
///
/// ```
/// use redfish_model::Extra;
/// use serde_json::json;
///
/// let mut extra = Extra::default();
/// extra.insert("ResetType@Redfish.AllowableValues", json!(["On", "ForceOff"]));
/// assert_eq!(extra.allowable_values("ResetType"), Some(vec!["On", "ForceOff"]));
/// assert_eq!(extra.allowable_values("BootSource"), None);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Extra(BTreeMap<String, Value>);

impl Extra {
    /// None.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many are there?
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The value of the member `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The value of the member `name`, for changing in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.get_mut(name)
    }

    /// Sets the member `name` and gives back what it was before.
    ///
    /// The name of a field of the object's type counts as long as the field is absent.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(name.into(), value.into())
    }

    /// Removes the member `name` and gives back what it was.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Value> {
        self.0.iter()
    }

    /// The annotations alone, those of the object and those of its members.
    pub fn annotations(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.iter()
            .filter(|(name, _)| name.contains('@'))
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The members alone that are no annotations: what the schema does not name.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.iter()
            .filter(|(name, _)| !name.contains('@'))
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The annotation `term` of the member `member`; of the object itself when `member` is empty.
    pub fn annotation(&self, member: &str, term: &str) -> Option<&Value> {
        self.get(&annotation_name(member, term))
    }

    /// Sets the annotation `term` of the member `member`; of the object itself when `member` is empty.
    pub fn annotate(&mut self, member: &str, term: &str, value: impl Into<Value>) -> Option<Value> {
        self.insert(annotation_name(member, term), value)
    }

    /// The member `name` as a type; the error says in what it differs from that type.
    pub fn decode<T: DeserializeOwned>(&self, name: &str) -> Option<Result<T, serde_json::Error>> {
        self.get(name).map(T::deserialize)
    }

    /// `@Redfish.AllowableValues`: the texts that the member or parameter accepts. Items that are no text are left out.
    pub fn allowable_values(&self, member: &str) -> Option<Vec<&str>> {
        let list = self.annotation(member, "Redfish.AllowableValues")?.as_array()?;
        Some(list.iter().filter_map(Value::as_str).collect())
    }

    /// `@Message.ExtendedInfo`: the messages about a member, or about the object itself when `member` is empty. Items
    /// that are no messages are left out.
    pub fn extended_info(&self, member: &str) -> Vec<Message> {
        let list = self.annotation(member, "Message.ExtendedInfo").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|item| Message::read(item).ok()).collect()
    }

    /// `@Redfish.Settings`: where changes for this resource are sent and when they apply.
    pub fn settings(&self) -> Option<Settings> {
        Settings::read(self.annotation("", "Redfish.Settings")?).ok()
    }

    /// `@Redfish.ActionInfo`: the URI of the resource that describes an action's parameters.
    pub fn action_info(&self) -> Option<&str> {
        self.annotation("", "Redfish.ActionInfo")?.as_str()
    }

    /// `@odata.count`: how many items the list `member` has on all pages together.
    pub fn count(&self, member: &str) -> Option<u64> {
        self.annotation(member, "odata.count")?.as_u64()
    }

    /// `@odata.nextLink`: the URI of the next page of the list `member`.
    pub fn next_link(&self, member: &str) -> Option<&str> {
        self.annotation(member, "odata.nextLink")?.as_str()
    }
}

fn annotation_name(member: &str, term: &str) -> String {
    format!("{member}@{term}")
}

/// Names only: what the schema does not name can be a secret all the same.
impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<'a> IntoIterator for &'a Extra {
    type Item = (&'a String, &'a Value);
    type IntoIter = btree_map::Iter<'a, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Extra {
    type Item = (String, Value);
    type IntoIter = btree_map::IntoIter<String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Extra {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Self {
        Self(items.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample() -> Extra {
        [
            ("@Redfish.ActionInfo", json!("/redfish/v1/Systems/a/ResetActionInfo")),
            ("@Redfish.Settings", json!({"SettingsObject": {"@odata.id": "/s"}})),
            ("@Message.ExtendedInfo", json!([{"MessageId": "Base.1.0.Success"}])),
            ("Image@Message.ExtendedInfo", json!([1, 2])),
            ("Members@odata.count", json!(u64::MAX)),
            ("Members@odata.nextLink", json!("/next")),
            ("Mode@Redfish.AllowableValues", json!(["a", 1, "b"])),
            ("Vendor", json!("x")),
        ]
        .into_iter()
        .collect()
    }

    #[test]
    fn annotations_are_found_by_member() {
        let extra = sample();
        assert_eq!(extra.action_info(), Some("/redfish/v1/Systems/a/ResetActionInfo"));
        let settings = extra.settings().and_then(|s| s.settings_object.into_value());
        assert_eq!(settings.as_ref().and_then(|link| link.odata_id()), Some("/s"));
        assert_eq!(extra.extended_info("").len(), 1);
        // What is no message is left out.
        assert!(extra.extended_info("Image").is_empty());
        assert!(extra.extended_info("Members").is_empty());
        assert_eq!(extra.count("Members"), Some(u64::MAX));
        assert_eq!(extra.count(""), None);
        assert_eq!(extra.next_link("Members"), Some("/next"));
        assert_eq!(extra.allowable_values("Mode"), Some(vec!["a", "b"]));
        assert_eq!(extra.unknown().collect::<Vec<_>>(), [("Vendor", &json!("x"))]);
        assert_eq!(extra.annotations().count(), 7);
    }

    #[test]
    fn members_decode_to_types() {
        let extra = sample();
        assert_eq!(extra.decode::<Vec<u8>>("Image@Message.ExtendedInfo").unwrap().unwrap(), [1, 2]);
        assert!(extra.decode::<u8>("Vendor").unwrap().is_err());
        assert!(extra.decode::<u8>("None").is_none());
    }

    #[test]
    fn members_are_set_and_removed() {
        let mut extra = Extra::default();
        assert_eq!(extra.annotate("", "odata.count", 1), None);
        assert_eq!(extra.insert("@odata.count", 2), Some(json!(1)));
        *extra.get_mut("@odata.count").unwrap() = json!(3);
        assert_eq!(extra.remove("@odata.count"), Some(json!(3)));
        assert!(extra.is_empty());
    }
}

//! The entries of a resource's `Actions` member.
//!
//! An entry says where an action is invoked and, in annotations, what its parameters accept. What the parameters are is
//! not part of it; the type parameter of [`Action`] ties the two together.

use std::marker::PhantomData;

use serde_json::Value;

use super::{Extra, Field, MemberSink, Object, object_traits, read_field};

/// An action that a resource offers (DSP0266, *Actions property*), with parameters of type `P`.
///
/// ```
/// use redfish_model::Action;
///
/// struct ResetParameters;
///
/// let reset: Action<ResetParameters> = serde_json::from_str(
///     r#"{"target": "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset",
///         "ResetType@Redfish.AllowableValues": ["On", "ForceOff"]}"#,
/// )?;
/// assert_eq!(reset.allowable_values("ResetType"), Some(vec!["On", "ForceOff"]));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Action<P> {
    /// `target`: the URI to which the parameters are posted.
    pub target: Field<String>,
    /// `title`: a name for people.
    pub title: Field<String>,
    /// Annotations, such as the values that parameters accept.
    pub extra: Extra,
    parameters: PhantomData<fn(P)>,
}

impl<P> Action<P> {
    /// An action that is invoked at this URI.
    pub fn at(target: impl Into<String>) -> Self {
        Self { target: Field::Value(target.into()), ..Self::default() }
    }

    /// `@Redfish.AllowableValues`: the texts that a parameter accepts.
    pub fn allowable_values(&self, parameter: &str) -> Option<Vec<&str>> {
        self.extra.allowable_values(parameter)
    }

    /// Sets the texts that a parameter accepts.
    pub fn allow(&mut self, parameter: &str, values: &[&str]) {
        self.extra.annotate(parameter, "Redfish.AllowableValues", values);
    }

    /// Names the resource that describes the parameters.
    pub fn set_action_info(&mut self, uri: impl Into<String>) {
        self.extra.annotate("", "Redfish.ActionInfo", uri.into());
    }

    /// `@Redfish.ActionInfo`: the URI of the resource that describes the parameters.
    pub fn action_info(&self) -> Option<&str> {
        self.extra.action_info()
    }
}

impl<P> Object for Action<P> {
    const NAME: &'static str = "Action";
    const MEMBERS: &'static [&'static str] = &["target", "title"];
    const REQUIRED: &'static [&'static str] = &["target"];
    const REQUIRED_NULLABLE: &'static [&'static str] = &[];

    fn extra(&self) -> &Extra {
        &self.extra
    }

    fn extra_mut(&mut self) -> &mut Extra {
        &mut self.extra
    }

    fn members<S: MemberSink>(&self, sink: &mut S) {
        sink.member("target", &self.target);
        sink.member("title", &self.title);
    }

    fn read_member(&mut self, name: &str, value: &Value) -> Result<bool, serde_json::Error> {
        match name {
            "target" => read_field(&mut self.target, value),
            "title" => read_field(&mut self.title, value),
            _ => Ok(false),
        }
    }
}

object_traits! { Action<P> }

// Not derived: the derives would ask for the same of `P`, of which there is no value here.
impl<P> Clone for Action<P> {
    fn clone(&self) -> Self {
        Self {
            target: self.target.clone(),
            title: self.title.clone(),
            extra: self.extra.clone(),
            parameters: PhantomData,
        }
    }
}

impl<P> Default for Action<P> {
    fn default() -> Self {
        Self {
            target: Field::Absent,
            title: Field::Absent,
            extra: Extra::default(),
            parameters: PhantomData,
        }
    }
}

impl<P> PartialEq for Action<P> {
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target && self.title == other.title && self.extra == other.extra
    }
}

impl<P> Eq for Action<P> {}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, to_string};

    use super::*;

    #[test]
    fn entries_survive() {
        fn check(text: &str, missing: usize) {
            let action: Action<()> = from_str(text).unwrap();
            assert_eq!(to_string(&action).unwrap(), text);
            assert_eq!(crate::missing_members(&action).len(), missing, "{text}");
        }
        check("{}", 1);
        check(r##"{"target":"/a","title":null,"#x":1,"@Redfish.ActionInfo":"/i"}"##, 0);
    }

    #[test]
    fn parameters_are_annotated() {
        let mut action = Action::<()>::at("/a");
        action.allow("ResetType", &["On"]);
        assert_eq!(action.allowable_values("ResetType"), Some(vec!["On"]));
        assert_eq!(
            to_string(&action).unwrap(),
            r#"{"target":"/a","ResetType@Redfish.AllowableValues":["On"]}"#
        );
        assert_eq!(action.action_info(), None);
        action.set_action_info("/i");
        assert_eq!(action.action_info(), Some("/i"));
    }
}

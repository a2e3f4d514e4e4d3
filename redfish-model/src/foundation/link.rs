//! Links between resources.
//!
//! A link in Redfish is an object with the one member `@odata.id`. With `$expand` a service puts the whole resource in
//! its place, and some services do so unasked. [`Ref`] reads both and loses nothing; its type parameter says what the
//! schema expects at the other end, so that a link to a chassis is not followed as a system by mistake.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    Extra, Field, LinkTarget, MemberSink, Object, Resource, Uri, object_traits, read_field,
};

/// The target of links that may lead to resources of several schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Any {}

impl LinkTarget for Any {
    const SCHEMA: &'static str = "Any";
}

/// Declares link targets for schemas that this crate has no types for: `unsupported! { Fabric, Zone }`.
macro_rules! unsupported {
    ($($name:ident),* $(,)?) => {
        $(
            #[doc = concat!("Target of links to `", stringify!($name), "`, a schema without types in this crate.")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $name {}

            impl $crate::LinkTarget for $name {
                const SCHEMA: &'static str = stringify!($name);
            }
        )*
    };
}

pub(crate) use unsupported;

/// A link (`odata-v4#/definitions/idRef`) to a resource of type `T`, perhaps with the resource in its place.
///
/// ```
/// use redfish_model::{Any, Ref};
///
/// let chassis: Ref<Any> = Ref::to("/redfish/v1/Chassis/1");
/// assert_eq!(chassis.odata_id(), Some("/redfish/v1/Chassis/1"));
/// assert_eq!(serde_json::to_string(&chassis)?, r#"{"@odata.id":"/redfish/v1/Chassis/1"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Ref<T> {
    odata_id: Field<String>,
    extra: Extra,
    target: PhantomData<fn() -> T>,
}

impl<T> Ref<T> {
    /// A link to this URI.
    pub fn to(uri: impl Into<String>) -> Self {
        Self { odata_id: Field::Value(uri.into()), ..Self::default() }
    }

    /// The URI of the target; `None` when the service gave none.
    pub fn odata_id(&self) -> Option<&str> {
        self.odata_id.as_deref()
    }

    /// Does the whole resource stand here, instead of its URI alone?
    pub fn is_expanded(&self) -> bool {
        self.extra.unknown().next().is_some()
    }

    /// The resource as JSON, when it stands here.
    pub fn expanded_value(&self) -> Option<Value> {
        if !self.is_expanded() {
            return None;
        }
        let mut members: serde_json::Map<_, _> = self.extra.clone().into_iter().collect();
        match &self.odata_id {
            Field::Absent => {}
            Field::Null => drop(members.insert("@odata.id".to_owned(), Value::Null)),
            Field::Value(uri) => drop(members.insert("@odata.id".to_owned(), uri.as_str().into())),
        }
        Some(Value::Object(members))
    }

    /// The resource, when it stands here; the error says in what it differs from `T`.
    pub fn expanded(&self) -> Option<Result<T, serde_json::Error>>
    where
        T: DeserializeOwned,
    {
        self.expanded_value().map(serde_json::from_value)
    }

    /// Puts a resource in the place of its URI.
    ///
    /// # Errors
    /// The resource cannot be expressed in JSON.
    pub fn expand(resource: &T) -> Result<Self, serde_json::Error>
    where
        T: Resource,
    {
        serde_json::from_value(serde_json::to_value(resource)?)
    }

    /// The same link with another target type, for links that the schema leaves open.
    pub fn cast<U>(self) -> Ref<U> {
        Ref { odata_id: self.odata_id, extra: self.extra, target: PhantomData }
    }

    /// Everything but `@odata.id`: annotations, and the members of the resource when it stands here.
    pub const fn extra(&self) -> &Extra {
        &self.extra
    }

    /// The same for changing.
    pub const fn extra_mut(&mut self) -> &mut Extra {
        &mut self.extra
    }
}

impl<T: LinkTarget> Ref<T> {
    /// The name of the schema that the link leads to.
    pub const fn schema(&self) -> &'static str {
        T::SCHEMA
    }
}

impl<T, U: Uri> From<&U> for Ref<T> {
    fn from(uri: &U) -> Self {
        Self::to(uri.to_string())
    }
}

impl<T> Object for Ref<T> {
    const NAME: &'static str = "Ref";
    const MEMBERS: &'static [&'static str] = &["@odata.id"];
    const REQUIRED: &'static [&'static str] = &["@odata.id"];
    const REQUIRED_NULLABLE: &'static [&'static str] = &[];

    fn extra(&self) -> &Extra {
        &self.extra
    }

    fn extra_mut(&mut self) -> &mut Extra {
        &mut self.extra
    }

    fn members<S: MemberSink>(&self, sink: &mut S) {
        sink.member("@odata.id", &self.odata_id);
    }

    fn read_member(&mut self, name: &str, value: &Value) -> Result<bool, serde_json::Error> {
        match name {
            "@odata.id" => read_field(&mut self.odata_id, value),
            _ => Ok(false),
        }
    }
}

object_traits! { Ref<T> }

// Not derived: the derives would ask for the same of `T`, of which there is no value here.
impl<T> Clone for Ref<T> {
    fn clone(&self) -> Self {
        Self { odata_id: self.odata_id.clone(), extra: self.extra.clone(), target: PhantomData }
    }
}

impl<T> Default for Ref<T> {
    fn default() -> Self {
        Self { odata_id: Field::Absent, extra: Extra::default(), target: PhantomData }
    }
}

impl<T> PartialEq for Ref<T> {
    fn eq(&self, other: &Self) -> bool {
        self.odata_id == other.odata_id && self.extra == other.extra
    }
}

impl<T> Eq for Ref<T> {}

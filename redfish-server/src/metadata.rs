//! What the service knows of each property when it judges a request body.
//!
//! A body is checked against these tables before it is decoded, so that all its faults are told at
//! once and each with its own message: unknown, not writable, wrong type, not in the list.

/// The members of an object type.
#[derive(Debug)]
pub struct Object {
    /// The schema and, for inner types, the name within: `ComputerSystem.Boot`.
    pub name: &'static str,
    /// The members, annotations aside.
    pub properties: &'static [Property],
}

impl Object {
    /// A member by its name on the wire.
    pub fn property(&self, name: &str) -> Option<&'static Property> {
        self.properties.iter().find(|property| property.name == name)
    }
}

/// One member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// The name on the wire.
    pub name: &'static str,
    /// The type of the value.
    pub value: ValueType,
    /// Whether `null` is a value.
    pub nullable: bool,
    /// Who may write it.
    pub access: Access,
    /// Whether it is always there; for a parameter, whether it must be given.
    pub required: bool,
    /// Whether it must be given when the resource is created.
    pub required_on_create: bool,
    /// Whether its value must never be shown.
    pub secret: bool,
    /// Whether the schema gave it up.
    pub deprecated: bool,
}

/// Who may write a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The service alone.
    Read,
    /// Clients too.
    ReadWrite,
    /// Clients, and it reads as `null`.
    Write,
    /// The members of the value decide.
    Inherited,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueType {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer {
        /// The least value.
        minimum: Option<i64>,
        /// The greatest value.
        maximum: Option<i64>,
    },
    /// Any number.
    Number {
        /// The least value.
        minimum: Option<f64>,
        /// The greatest value.
        maximum: Option<f64>,
    },
    /// A text.
    Text {
        /// `uri-reference` and the like.
        format: Option<&'static str>,
        /// A regular expression that it matches.
        pattern: Option<&'static str>,
    },
    /// A date with time and offset.
    DateTime,
    /// An ISO 8601 duration.
    Duration,
    /// One of the texts.
    Enum(&'static [&'static str]),
    /// An object.
    Object(&'static Object),
    /// A list.
    Array {
        /// The type of the items.
        items: &'static ValueType,
        /// Whether items may be `null`.
        nullable: bool,
    },
    /// A link to a resource of the named schema, or `Any`.
    Link(&'static str),
    /// An action.
    Action,
    /// Members with free names.
    Map(&'static ValueType),
    /// The `Oem` object.
    Oem,
    /// Anything.
    Json,
}

impl PartialEq for Object {
    /// Tables are statics, and each type has one.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Property {
    const fn new(name: &'static str, value: ValueType, access: Access) -> Self {
        Self {
            name,
            value,
            nullable: false,
            access,
            required: false,
            required_on_create: false,
            secret: false,
            deprecated: false,
        }
    }

    pub(crate) const fn read(name: &'static str, value: ValueType) -> Self {
        Self::new(name, value, Access::Read)
    }

    pub(crate) const fn read_write(name: &'static str, value: ValueType) -> Self {
        Self::new(name, value, Access::ReadWrite)
    }

    pub(crate) const fn write(name: &'static str, value: ValueType) -> Self {
        Self::new(name, value, Access::Write)
    }

    pub(crate) const fn inherited(name: &'static str, value: ValueType) -> Self {
        Self::new(name, value, Access::Inherited)
    }

    pub(crate) const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    pub(crate) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(crate) const fn required_on_create(self) -> Self {
        Self { required_on_create: true, ..self }
    }

    pub(crate) const fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    pub(crate) const fn deprecated(self) -> Self {
        Self { deprecated: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::metadata;

    #[test]
    fn facts_of_the_schema_arrive() {
        let check = |object: &Object, name: &str, expect: Option<(Access, bool, bool)>| {
            let found = object.property(name).map(|p| (p.access, p.nullable, p.secret));
            assert_eq!(found, expect, "{}.{name}", object.name);
        };
        check(&metadata::COMPUTER_SYSTEM, "AssetTag", Some((Access::ReadWrite, true, false)));
        check(&metadata::COMPUTER_SYSTEM, "PowerState", Some((Access::Read, true, false)));
        check(&metadata::COMPUTER_SYSTEM, "Boot", Some((Access::Inherited, false, false)));
        check(&metadata::COMPUTER_SYSTEM, "NoSuch", None);
        check(&metadata::MANAGER_ACCOUNT, "Password", Some((Access::Write, true, true)));
    }

    #[test]
    fn parameters_say_what_must_be_given() {
        let image = metadata::VIRTUAL_MEDIA_INSERT_MEDIA_REQUEST_BODY.property("Image");
        assert!(image.is_some_and(|p| p.required));
        let session = metadata::SESSION.property("UserName");
        assert!(session.is_some_and(|p| p.required_on_create && !p.required));
    }
}

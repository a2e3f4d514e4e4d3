//! The model that the emitters work on, read from the trimmed document alone.
//!
//! Plain data in sorted maps. A snapshot of three resources is part of the tests: what changes
//! there is what a change of the pipeline means.

pub(crate) mod derive;
mod read;

use std::collections::BTreeMap;

use serde::Serialize;

pub use read::read;

/// Everything the emitters need.
#[derive(Clone, Debug, Serialize)]
pub struct Model {
    /// The release of the schema.
    pub release: String,
    /// The types by component name, such as `VirtualMedia_EjectPolicy`.
    pub types: BTreeMap<String, Type>,
    /// The supported resources and collections by schema name.
    pub resources: BTreeMap<String, Resource>,
    /// The operations by id.
    pub operations: Vec<Operation>,
    /// The Base registry.
    pub messages: MessageRegistry,
    /// The privilege registry.
    pub privileges: PrivilegeRegistry,
}

/// A named type.
#[derive(Clone, Debug, Serialize)]
pub struct Type {
    /// The schema it belongs to, such as `VirtualMedia`.
    pub schema: String,
    /// Its name within the schema, such as `EjectPolicy`.
    pub name: String,
    /// The version of the schema, `v1_6_5`.
    pub version: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// When the schema gave it up.
    pub deprecated: Option<Deprecated>,
}

/// What a named type is.
#[derive(Clone, Debug, Serialize)]
pub enum Kind {
    /// An object with named members.
    Object(Vec<Property>),
    /// A set of texts.
    Enum(Vec<EnumValue>),
    /// Another name for a type without members of its own.
    Alias(Shape),
}

/// A value of an enum.
#[derive(Clone, Debug, Serialize)]
pub struct EnumValue {
    /// The text on the wire.
    pub wire: String,
    /// The version that brought it.
    pub added: Option<String>,
    /// The version that gave it up.
    pub deprecated: Option<String>,
}

/// A member of an object.
#[derive(Clone, Debug, Serialize)]
pub struct Property {
    /// Its name on the wire.
    pub wire: String,
    /// The type of its value.
    pub shape: Shape,
    /// Whether `null` is a value.
    pub nullable: bool,
    /// Who may write it.
    pub access: Access,
    /// Whether the schema says it is always there.
    pub required: bool,
    /// Whether it must be given when the resource is created.
    pub required_on_create: bool,
    /// Whether its text must never be shown.
    pub secret: bool,
    /// The unit of measure (UCUM).
    pub units: Option<String>,
    /// The version that brought it.
    pub added: Option<String>,
    /// When the schema gave it up.
    pub deprecated: Option<Deprecated>,
}

/// Since when something is deprecated; the version is not always told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Deprecated(pub Option<String>);

/// Who may write a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Access {
    /// The service alone.
    Read,
    /// Clients too.
    ReadWrite,
    /// Clients, and it reads as `null`.
    Write,
    /// The schema does not say; the members of the value do.
    Inherited,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Shape {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer(Range),
    /// Any number.
    Number(Range),
    /// A text; its `format` and `pattern`.
    Text {
        /// `uri-reference` and the like.
        format: Option<String>,
        /// A regular expression.
        pattern: Option<String>,
    },
    /// A date with time and offset.
    DateTime,
    /// An ISO 8601 duration.
    Duration,
    /// A named type, by component name.
    Named(String),
    /// A list.
    Array {
        /// The type of the items.
        items: Box<Shape>,
        /// Whether items may be `null`.
        nullable: bool,
    },
    /// A link to a resource of the named schema, or `Any`.
    Link(String),
    /// A link or a text (patch 0001).
    LinkOrText(String),
    /// An action's entry: the component of its parameters, if it has some.
    Action(Option<String>),
    /// Members with free names.
    Map(Box<Shape>),
    /// The `Oem` object.
    Oem,
    /// Anything.
    Json,
}

impl Shape {
    /// What a list or a map is of, looked through at any depth; otherwise the shape itself.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::Array { items, .. } | Self::Map(items) => items.innermost(),
            other => other,
        }
    }
}

/// The bounds of a number.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Range {
    /// The least value.
    pub minimum: Option<serde_json::Number>,
    /// The greatest value.
    pub maximum: Option<serde_json::Number>,
}

/// A supported resource.
#[derive(Clone, Debug, Serialize)]
pub struct Resource {
    /// The component of its type.
    pub component: String,
    /// The cargo feature that brings it; `None` for always.
    pub area: Option<String>,
    /// Where it is served.
    pub sites: Vec<Site>,
    /// The schema of its members, for a collection.
    pub member: Option<String>,
}

/// A URI template at which a resource is served.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Site {
    /// The template.
    pub template: String,
    /// Whether it is ours rather than the schema's.
    pub own: bool,
    /// Whether the schema gave it up.
    pub deprecated: bool,
}

/// An operation at one template.
#[derive(Clone, Debug, Serialize)]
pub struct Operation {
    /// Its id, unique.
    pub id: String,
    /// The template of the request, action targets included.
    pub template: String,
    /// The template of the resource.
    pub site: String,
    /// The resource.
    pub resource: String,
    /// What it does.
    pub kind: OperationKind,
    /// The component of the request body.
    pub request: Option<String>,
    /// The component of the answer.
    pub response: Option<String>,
    /// Whether it needs no credentials.
    pub public: bool,
    /// Whether the schema gave its URI up.
    pub deprecated: bool,
    /// The privileges: any of the outer, all of an inner list.
    pub privileges: Vec<Vec<String>>,
    /// Properties that need others.
    pub property_privileges: BTreeMap<String, Vec<Vec<String>>>,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum OperationKind {
    /// GET (and HEAD).
    Get,
    /// PATCH.
    Patch,
    /// POST to a collection.
    Create,
    /// DELETE.
    Delete,
    /// POST to an action's target; its name.
    Action(String),
}

impl OperationKind {
    /// The HTTP method.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Patch => "PATCH",
            Self::Create | Self::Action(_) => "POST",
            Self::Delete => "DELETE",
        }
    }
}

/// The Base message registry.
#[derive(Clone, Debug, Serialize)]
pub struct MessageRegistry {
    /// `Base`.
    pub prefix: String,
    /// `1.22.1`.
    pub version: String,
    /// The messages by id.
    pub messages: BTreeMap<String, Message>,
}

/// A message of the registry.
#[derive(Clone, Debug, Serialize)]
pub struct Message {
    /// The arguments in order.
    pub args: Vec<Argument>,
    /// Our wording, with `%1` and so on for the arguments.
    pub text: String,
    /// What to do about it.
    pub resolution: String,
    /// `OK`, `Warning` or `Critical`.
    pub severity: String,
    /// The registry version that brought it.
    pub added: Option<String>,
    /// The registry version that gave it up.
    pub deprecated: Option<String>,
}

/// An argument of a message.
#[derive(Clone, Debug, Serialize)]
pub struct Argument {
    /// Its name in Rust.
    pub name: String,
    /// Whether it is a number rather than a text.
    pub number: bool,
}

/// The privilege registry.
#[derive(Clone, Debug, Serialize)]
pub struct PrivilegeRegistry {
    /// Its id.
    pub id: String,
    /// The privileges it uses.
    pub privileges: Vec<String>,
    /// The mappings, one for each entity.
    pub mappings: Vec<Mapping>,
}

/// The privileges of one entity.
#[derive(Clone, Debug, Serialize)]
pub struct Mapping {
    /// The schema name.
    pub entity: String,
    /// By HTTP method.
    pub operations: OperationMap,
    /// Where the entity stands below others.
    pub subordinate_overrides: Vec<Override>,
    /// For single properties.
    pub property_overrides: Vec<Override>,
}

/// Privileges by HTTP method.
pub type OperationMap = BTreeMap<String, Vec<Vec<String>>>;

/// An exception of a mapping.
#[derive(Clone, Debug, Serialize)]
pub struct Override {
    /// Resources above, or properties.
    pub targets: Vec<String>,
    /// What applies instead.
    pub operations: OperationMap,
}

impl Model {
    /// The operations of a resource, in order.
    pub fn operations_of<'a>(&'a self, resource: &'a str) -> impl Iterator<Item = &'a Operation> {
        self.operations.iter().filter(move |operation| operation.resource == resource)
    }

    /// The properties of an object type; empty for other types.
    pub fn properties(&self, component: &str) -> &[Property] {
        match self.types.get(component).map(|t| &t.kind) {
            Some(Kind::Object(properties)) => properties,
            _ => &[],
        }
    }
}

//! Who asks, and what of the service they get to see: plain data, made once per request.
//!
//! No other code knows of tenants, views or profiles. A list, a link, an event, an ETag takes the
//! [`Scope`] and shows what is in it.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use crate::operation::{Operation, Privilege};

/// One request, apart from its method, URI and body.
#[derive(Clone, Debug)]
pub struct Context {
    /// Who asks; `None` where no credentials are needed and none were given.
    pub principal: Option<Principal>,
    /// What they get to see.
    pub scope: Scope,
    /// The client's address, as far as proxies that we trust tell it.
    pub client: Option<SocketAddr>,
    /// `http` or `https`, as the client used it.
    pub scheme: String,
    /// The host that the client asked for.
    pub host: String,
    /// The id under which this request stands in logs and in what backends record.
    pub request_id: String,
}

/// An authenticated account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The name of the account.
    pub account: String,
    /// The role that gives it its privileges (`Role.RoleId`).
    pub role: String,
    /// What the role assigns.
    pub privileges: BTreeSet<Privilege>,
    /// The session in use; `None` with HTTP Basic or a client certificate.
    pub session: Option<String>,
}

impl Principal {
    /// Whether the privileges suffice for an operation as a whole; single properties may need
    /// others, see [`Operation::property_privileges`].
    pub fn may(&self, operation: &Operation) -> bool {
        operation.is_public() || self.has_any(operation.privileges)
    }

    /// Whether the principal has all privileges of one of the lists.
    pub fn has_any(&self, any_of: &[&[Privilege]]) -> bool {
        any_of.iter().any(|all| all.iter().all(|privilege| self.privileges.contains(privilege)))
    }
}

/// What an endpoint shows, as far as the account may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The machines.
    pub machines: Machines,
    /// How they are called in URIs.
    pub naming: Naming,
    /// For which clients answers are shaped.
    pub profile: Profile,
    /// What `ComputerSystem.OperatingSystem` holds.
    pub operating_system: OperatingSystem,
    /// What a write to a second machine gets.
    pub guard: Guard,
}

impl Scope {
    /// Everything, under its own names.
    pub fn all() -> Self {
        Self {
            machines: Machines::All,
            naming: Naming::Ids,
            profile: Profile::default(),
            operating_system: OperatingSystem::default(),
            guard: Guard::default(),
        }
    }

    /// Whether a machine is in the scope.
    pub fn has(&self, machine: &str) -> bool {
        match &self.machines {
            Machines::All => true,
            Machines::Only(ids) => ids.contains(machine),
        }
    }

    /// Whether the scope is the whole service: the condition for service-wide powers.
    pub fn is_whole(&self) -> bool {
        self.machines == Machines::All
    }
}

/// A set of machines by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Machines {
    /// Whatever there is.
    All,
    /// Those named.
    Only(BTreeSet<String>),
}

/// How machines are called in URIs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// By their ids.
    #[default]
    Ids,
    /// A view of one machine, which is called `1`.
    View,
}

/// For which clients answers are shaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Keeps what deployed clients need, deprecated or not.
    #[default]
    Clients,
    /// Drops what the schema deprecates.
    Strict,
}

/// What `ComputerSystem.OperatingSystem` holds (patch 0001).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OperatingSystem {
    /// Nothing: no client and no validator minds.
    #[default]
    Omit,
    /// A text, for clients that expect one.
    String,
    /// A link, as in the schema.
    Link,
}

/// What a write to a second machine gets, on an endpoint that shows several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guard {
    /// One machine per session.
    #[default]
    Session,
    /// No writes at all.
    Deny,
    /// No guard.
    Off,
}

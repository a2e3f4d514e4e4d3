//! Who asks, and what of the service they get to see: plain data, made once per request.
//!
//! No other code knows of tenants, views or profiles. A list, a link, an event, an ETag takes the
//! [`Scope`] and shows what is in it.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use crate::operation::{Operation, Privilege};

/// One request, apart from its method, path and body.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// The query of the URI, undecoded.
    pub query: Option<String>,
    /// `If-Match`, as it came: whoever applies a change compares, in the same step.
    pub if_match: Option<String>,
    /// Whether the client would rather get a task than wait (`Prefer: respond-async`).
    pub respond_async: bool,
}

impl Context {
    /// A request by somebody who sees this scope; all else is absent or empty.
    pub fn new(principal: Option<Principal>, scope: Scope) -> Self {
        Self {
            principal,
            scope,
            client: None,
            scheme: "https".to_owned(),
            host: String::new(),
            request_id: String::new(),
            query: None,
            if_match: None,
            respond_async: false,
        }
    }

    /// With what the head of an HTTP request says.
    #[must_use]
    pub fn with_head(mut self, head: &http::request::Parts) -> Self {
        let header = |name: http::HeaderName| head.headers.get(name).and_then(|v| v.to_str().ok());
        self.query = head.uri.query().map(str::to_owned);
        self.if_match = header(http::header::IF_MATCH).map(str::to_owned);
        let prefer = header(http::HeaderName::from_static("prefer")).unwrap_or_default();
        self.respond_async =
            prefer.split(',').any(|wish| wish.trim().eq_ignore_ascii_case("respond-async"));
        self
    }
}

/// An authenticated account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// An account with a role and what that assigns.
    pub fn new(
        account: impl Into<String>,
        role: impl Into<String>,
        privileges: impl IntoIterator<Item = Privilege>,
    ) -> Self {
        Self {
            account: account.into(),
            role: role.into(),
            privileges: privileges.into_iter().collect(),
            session: None,
        }
    }

    /// Whether the privileges suffice for an operation as a whole; single properties may need
    /// others, see [`Operation::property_privileges`]. `own` says that the resource is the
    /// principal's own account or session.
    pub fn may(&self, operation: &Operation, own: bool) -> bool {
        self.has_any(operation.privileges, own)
    }

    /// Whether the principal has all privileges of one of the lists. `ConfigureSelf` is for
    /// what is one's own.
    pub fn has_any(&self, any_of: &[&[Privilege]], own: bool) -> bool {
        let has = |privilege: &Privilege| match privilege {
            Privilege::NoAuth => true,
            Privilege::ConfigureSelf => own && self.privileges.contains(privilege),
            _ => self.privileges.contains(privilege),
        };
        any_of.iter().any(|all| all.iter().all(has))
    }
}

/// What an endpoint shows, as far as the account may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

#[cfg(test)]
mod tests {
    use super::*;
    use Privilege::{ConfigureManager, ConfigureSelf, ConfigureUsers, Login};

    #[test]
    fn lists_of_privileges() {
        let check = |has: &[Privilege], any_of: &[&[Privilege]], own: bool, expect: bool| {
            let principal = Principal::new("a", "r", has.iter().copied());
            assert_eq!(principal.has_any(any_of, own), expect, "{has:?} {any_of:?} {own}");
        };
        check(&[Login], &[&[Login]], false, true);
        check(&[Login], &[&[Login, ConfigureUsers]], false, false);
        check(&[Login, ConfigureUsers], &[&[Login, ConfigureUsers]], false, true);
        check(&[Login], &[&[ConfigureManager], &[Login]], false, true);
        check(&[ConfigureSelf], &[&[ConfigureManager], &[ConfigureSelf]], false, false);
        check(&[ConfigureSelf], &[&[ConfigureManager], &[ConfigureSelf]], true, true);
        check(&[Login], &[&[ConfigureManager], &[ConfigureSelf]], true, false);
        check(&[], &[&[Privilege::NoAuth]], false, true);
        check(&[Login], &[], true, false);
    }

    #[test]
    fn heads_are_read() {
        let check = |name: &str, value: &str, expect: (Option<&str>, bool)| {
            let request = http::Request::get("/redfish/v1/?a=b").header(name, value).body(());
            let (head, ()) = request.unwrap().into_parts();
            let cx = Context::new(None, Scope::all()).with_head(&head);
            assert_eq!((cx.if_match.as_deref(), cx.respond_async), expect, "{name}: {value}");
            assert_eq!(cx.query.as_deref(), Some("a=b"));
        };
        check("if-match", "\"1.2\"", (Some("\"1.2\""), false));
        check("prefer", "wait=5, Respond-Async", (None, true));
        check("prefer", "respond-asyncly", (None, false));
    }
}

//! Who asks, and what of the service they get to see: plain data, made once per request.
//!
//! No other code knows of tenants, views or profiles. A list, a link, an event, an ETag takes the
//! [`Scope`] and shows what is in it.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;
use std::sync::Arc;

use redfish_backend::Caller;

use crate::operation::{Operation, Privilege};

/// One request, apart from its method, path and body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Context {
    /// Who asks; `None` where no credentials are needed and none were given.
    pub principal: Option<Arc<Principal>>,
    /// What they get to see.
    pub scope: Arc<Scope>,
    /// The client's address, as far as proxies that we trust tell it.
    pub client: Option<SocketAddr>,
    /// `http` or `https`, as the client used it.
    pub scheme: &'static str,
    /// The host that the client asked for; empty when it did not say.
    pub host: Box<str>,
    /// The id under which this request stands in logs and in what backends record.
    pub request_id: Arc<str>,
    /// The query of the URI, undecoded.
    pub query: Option<String>,
    /// Whether the client would rather get a task than wait (`Prefer: respond-async`).
    pub respond_async: bool,
}

impl Context {
    /// A request by somebody who sees this scope; all else is absent or empty.
    pub fn new(principal: Option<Arc<Principal>>, scope: impl Into<Arc<Scope>>) -> Self {
        Self {
            principal,
            scope: scope.into(),
            client: None,
            scheme: "https",
            host: Box::default(),
            request_id: Arc::default(),
            query: None,
            respond_async: false,
        }
    }

    /// With what the head of an HTTP request says.
    #[must_use]
    pub fn with_head(mut self, head: &http::request::Parts) -> Self {
        let header = |name: http::HeaderName| head.headers.get(name).and_then(|v| v.to_str().ok());
        self.query = head.uri.query().map(str::to_owned);
        let prefer = header(http::HeaderName::from_static("prefer")).unwrap_or_default();
        self.respond_async =
            prefer.split(',').any(|wish| wish.trim().eq_ignore_ascii_case("respond-async"));
        self
    }

    /// Who asks, as backends record it.
    pub fn caller(&self) -> Caller {
        let account = self.principal.as_ref().map_or("", |principal| &principal.user_name);
        Caller {
            account: account.into(),
            address: self.client.map(|client| client.ip()),
            request_id: self.request_id.as_ref().into(),
        }
    }
}

/// An authenticated account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Principal {
    /// The id of the account (`ManagerAccount.Id`), which stays when it is renamed.
    pub account: String,
    /// Its name.
    pub user_name: String,
    /// The role that gives it its privileges (`Role.RoleId`).
    pub role: String,
    /// What the role assigns.
    pub privileges: BTreeSet<Privilege>,
    /// The session in use; `None` with HTTP Basic or a client certificate.
    pub session: Option<String>,
    /// The machines that the account may see.
    pub machines: Machines,
    /// Whether the account sees its one machine as a view ([`Naming::View`]).
    pub view: bool,
    /// Whether the guard does not count for it.
    pub multi_machine: bool,
    /// Whether nothing but a change of the password is allowed (`PasswordChangeRequired`).
    pub must_change_password: bool,
}

impl Principal {
    /// An account with a role and what that assigns.
    pub fn new(
        account: impl Into<String>,
        role: impl Into<String>,
        privileges: impl IntoIterator<Item = Privilege>,
    ) -> Self {
        let account = account.into();
        Self {
            user_name: account.clone(),
            account,
            role: role.into(),
            privileges: privileges.into_iter().collect(),
            session: None,
            machines: Machines::All,
            view: false,
            multi_machine: false,
            must_change_password: false,
        }
    }

    /// Whether the account may see all there is: the condition for service-wide powers.
    pub fn is_unscoped(&self) -> bool {
        self.machines == Machines::All
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Scope {
    /// The machines.
    pub machines: Machines,
    /// How they are called in URIs.
    pub naming: Naming,
    /// The accounts and what belongs to them.
    pub people: People,
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
            people: People::All,
            profile: Profile::default(),
            operating_system: OperatingSystem::default(),
            guard: Guard::default(),
        }
    }

    /// Whether a machine is in the scope.
    pub fn has(&self, machine: &str) -> bool {
        self.machines.has(machine)
    }

    /// The id of the machine that a segment of a URI names, if it is in the scope. In a view that is
    /// `1`, and the id itself as well.
    pub fn machine<'a>(&'a self, segment: &'a str) -> Option<&'a str> {
        if self.naming == Naming::View
            && segment == VIEW
            && let Machines::Only(ids) = &self.machines
        {
            return ids.iter().next();
        }
        self.has(segment).then_some(segment)
    }

    /// How a machine is called in URIs.
    pub fn name<'a>(&self, machine: &'a str) -> &'a str {
        match self.naming {
            Naming::Ids => machine,
            Naming::View => VIEW,
        }
    }

    /// Whether an account, and what belongs to it, is in the scope.
    pub fn has_account(&self, account: &str) -> bool {
        match &self.people {
            People::All => true,
            People::Only(own) => own == account,
        }
    }
}

/// How the machine of a view is called.
const VIEW: &str = "1";

/// A set of machines by id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Machines {
    /// Whatever there is.
    All,
    /// Those named.
    Only(MachineSet),
}

impl Machines {
    /// Whether a machine is in the set.
    pub fn has(&self, machine: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(set) => set.contains(machine),
        }
    }

    /// The machines that are in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, set) | (set, Self::All) => set.clone(),
            (Self::Only(mine), Self::Only(theirs)) if mine == theirs => Self::Only(mine.clone()),
            (Self::Only(mine), Self::Only(theirs)) => {
                let both = mine.iter().filter(|id| theirs.contains(id)).map(str::to_owned);
                Self::Only(both.collect())
            }
        }
    }
}

/// Ids of machines; cheap to clone, compare and hash, as each request has one.
#[derive(Clone, PartialEq, Eq)]
pub struct MachineSet {
    ids: Arc<BTreeSet<String>>,
    hash: u64,
}

impl MachineSet {
    /// Whether the id is among them.
    pub fn contains(&self, machine: &str) -> bool {
        self.ids.contains(machine)
    }

    /// The ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(String::as_str)
    }
}

impl FromIterator<String> for MachineSet {
    fn from_iter<I: IntoIterator<Item = String>>(ids: I) -> Self {
        let ids: BTreeSet<String> = ids.into_iter().collect();
        let mut hasher = DefaultHasher::new();
        ids.hash(&mut hasher);
        Self { ids: ids.into(), hash: hasher.finish() }
    }
}

impl Hash for MachineSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl std::fmt::Debug for MachineSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.ids.fmt(f)
    }
}

/// A set of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum People {
    /// Whoever there is.
    All,
    /// The account of that id: one's own.
    Only(String),
}

/// How machines are called in URIs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Naming {
    /// By their ids.
    #[default]
    Ids,
    /// A view of one machine, which is called `1`.
    View,
}

/// For which clients answers are shaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Keeps what deployed clients need, deprecated or not.
    #[default]
    Clients,
    /// Drops what the schema deprecates.
    Strict,
}

/// What `ComputerSystem.OperatingSystem` holds (patch 0001).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    fn segments_name_machines() {
        let only = |ids: &[&str]| Machines::Only(ids.iter().map(|id| (*id).to_owned()).collect());
        let check = |machines: Machines, naming, segment: &str, expect: Option<&str>| {
            let scope = Scope { machines, naming, ..Scope::all() };
            assert_eq!(scope.machine(segment), expect, "{scope:?} {segment}");
        };
        check(Machines::All, Naming::Ids, "a", Some("a"));
        check(only(&["a"]), Naming::Ids, "a", Some("a"));
        check(only(&["a"]), Naming::Ids, "b", None);
        check(only(&["a"]), Naming::Ids, "1", None);
        check(only(&["a"]), Naming::View, "1", Some("a"));
        check(only(&["a"]), Naming::View, "a", Some("a"));
        check(only(&["a"]), Naming::View, "b", None);
        check(only(&[]), Naming::View, "1", None);
        assert_eq!(only(&["a", "b"]).and(&only(&["b", "c"])), only(&["b"]));
        assert_eq!(Machines::All.and(&only(&["b"])), only(&["b"]));
    }

    #[test]
    fn heads_are_read() {
        let check = |prefer: &str, expect: bool| {
            let request = http::Request::get("/redfish/v1/?a=b").header("prefer", prefer).body(());
            let (head, ()) = request.unwrap().into_parts();
            let cx = Context::new(None, Scope::all()).with_head(&head);
            assert_eq!(cx.respond_async, expect, "{prefer}");
            assert_eq!(cx.query.as_deref(), Some("a=b"));
        };
        check("wait=5, Respond-Async", true);
        check("respond-asyncly", false);
    }
}

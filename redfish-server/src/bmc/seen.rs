//! A machine as somebody sees it: under which names, and for which clients.

use redfish_backend::machine::Machine;
use redfish_model::Ref;

use super::Settings;
use crate::context::{Machines, Naming, Profile, Scope};

/// What the functions that make resources take.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Who looks.
    pub scope: &'a Scope,
    /// What the operator decided.
    pub settings: &'a Settings,
}

/// Where machines are below: the id of a machine is a plain segment, so URIs are put together from
/// texts.
pub(super) const SYSTEMS: &str = "/redfish/v1/Systems";
pub(super) const CHASSIS: &str = "/redfish/v1/Chassis";
pub(super) const MANAGERS: &str = "/redfish/v1/Managers";

impl<'a> Seen<'a> {
    /// The last segment of the URIs of its system, chassis and manager; their `Id`.
    pub fn id(&self) -> &'a str {
        self.scope.name(self.machine.id.as_str())
    }

    /// `Name` of its system: what its owner calls it, where nobody else in the scope can be called so.
    pub fn name(&self) -> &'a str {
        let name = self.machine.identity.name.as_str();
        let alone = matches!(&self.scope.machines, Machines::Only(ids) if ids.iter().count() == 1);
        let unique = alone || self.scope.naming == Naming::View || self.settings.unique_names;
        if unique && !name.is_empty() { name } else { self.machine.id.as_str() }
    }

    /// Whether deployed clients get what the schema gave up.
    pub fn for_clients(&self) -> bool {
        self.scope.profile == Profile::Clients
    }

    /// The URI of its ComputerSystem.
    pub fn system(&self) -> String {
        format!("{SYSTEMS}/{}", self.id())
    }

    /// The URI of its Chassis.
    pub fn chassis(&self) -> String {
        format!("{CHASSIS}/{}", self.id())
    }

    /// The URI of its Manager.
    pub fn manager(&self) -> String {
        format!("{MANAGERS}/{}", self.id())
    }

    /// The URI of something below its ComputerSystem.
    pub fn below_system(&self, tail: &str) -> String {
        format!("{SYSTEMS}/{}/{tail}", self.id())
    }

    /// A link to something below its ComputerSystem.
    pub(super) fn link<T>(&self, tail: &str) -> Ref<T> {
        Ref::to(self.below_system(tail))
    }
}

/// Links to the members of a collection.
pub(super) fn members<T, I: AsRef<str>>(
    collection: &str,
    ids: impl IntoIterator<Item = I>,
) -> Vec<Ref<T>> {
    ids.into_iter().map(|id| Ref::to(format!("{collection}/{}", id.as_ref()))).collect()
}

/// A number from an inventory, as large as the type of the property allows.
pub(super) fn number(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

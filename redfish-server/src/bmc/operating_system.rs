//! `OperatingSystem`: what an agent in the guest says of it.
//!
//! The resource exists only where `ComputerSystem.OperatingSystem` is a link
//! (`compat.operating_system`), and of machines whose guest tells.

use redfish_backend::machine::Machine;
use redfish_model::operating_system::{Kernel, OperatingSystemTypes};
use redfish_model::{Field, OperatingSystem, OperatingSystemUri};

use super::system::known;
use super::{Seen, VirtualBmc};
use crate::api::operating_system::OperatingSystemApi;
use crate::context::{Context, OperatingSystem as Shown, Scope};
use crate::error::Result;

/// Name and version in one text.
pub(super) fn title(machine: &Machine) -> Option<String> {
    let agent = machine.agent.as_ref()?;
    let name = known(agent.os_name.as_ref()).into_value()?;
    Some(match known(agent.os_version.as_ref()) {
        // Many agents say the version in the name already.
        Field::Value(version) if !name.contains(&version) => format!("{name} {version}"),
        _ => name,
    })
}

/// What the guest says.
fn operating_system(seen: &Seen<'_>) -> Option<OperatingSystem> {
    if seen.scope.operating_system != Shown::Link {
        return None;
    }
    let title = title(seen.machine)?;
    let kernel = seen.machine.agent.as_ref().and_then(|agent| agent.kernel.as_ref());
    let kernel =
        known(kernel).map(|release| Kernel { release: release.into(), ..Kernel::default() });
    let uri = seen.below_system("OperatingSystem");
    Some(OperatingSystem {
        type_: kind(&title).into(),
        kernel,
        ..OperatingSystem::new(uri, "OperatingSystem", title)
    })
}

/// The kind, as far as the name tells.
fn kind(title: &str) -> Option<OperatingSystemTypes> {
    let title = title.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| title.contains(word));
    if says(&["windows"]) {
        Some(OperatingSystemTypes::Windows)
    } else if says(&["freebsd", "openbsd", "netbsd"]) {
        Some(OperatingSystemTypes::BSD)
    } else if says(&["linux", "debian", "ubuntu", "fedora", "centos", "suse"]) {
        Some(OperatingSystemTypes::Linux)
    } else {
        None
    }
}

impl OperatingSystemApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &OperatingSystemUri) -> bool {
        let OperatingSystemUri::SystemsOperatingSystem { computer_system_id } = uri;
        scope.operating_system == Shown::Link
            && self.has(scope, computer_system_id, |machine| title(machine).is_some())
    }

    async fn get(&self, cx: &Context, uri: OperatingSystemUri) -> Result<OperatingSystem> {
        let OperatingSystemUri::SystemsOperatingSystem { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, operating_system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_kinds() {
        let check = |title: &str, expect: Option<OperatingSystemTypes>| {
            assert_eq!(kind(title), expect, "{title}");
        };
        check("Debian GNU/Linux 13", Some(OperatingSystemTypes::Linux));
        check("Microsoft Windows Server 2025", Some(OperatingSystemTypes::Windows));
        check("FreeBSD 15.0", Some(OperatingSystemTypes::BSD));
        check("Haiku", None);
    }
}

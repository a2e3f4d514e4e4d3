//! `BootOption`: what a machine can boot from.

use redfish_backend::machine::{BootOption as Choice, Machine};
use redfish_model::boot_option::{BootOptionCreate, BootOptionPatch};
use redfish_model::{
    BootOption, BootOptionCollection, BootOptionCollectionUri, BootOptionUri, Ref,
};

use super::seen::members;
use super::{Seen, VirtualBmc, boot};
use crate::api::boot_option::{BootOptionApi, BootOptionCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// One of the options.
fn boot_option(seen: &Seen<'_>, id: &str) -> Option<BootOption> {
    let option = find(seen.machine, id)?;
    let uri = seen.below_system(&format!("BootOptions/{id}"));
    let name = if option.name.is_empty() { id } else { option.name.as_str() };
    let related = part(seen, option).map(Ref::to);
    Some(BootOption {
        alias: option.target.map(boot::source).into(),
        display_name: name.into(),
        related_item_odata_count: related.as_ref().map(|_| 1).into(),
        related_item: related.map(|link| vec![link]).into(),
        ..BootOption::new(uri, id, name, id)
    })
}

/// The URI of what is behind an option: an interface or a media slot. Disks have none of their own.
fn part(seen: &Seen<'_>, option: &Choice) -> Option<String> {
    let part = option.part.as_ref()?;
    let (inventory, media) = (&seen.machine.inventory, &seen.machine.media);
    if inventory.interfaces.iter().any(|interface| interface.id == *part) {
        return Some(seen.below_system(&format!("EthernetInterfaces/{part}")));
    }
    let slot = media.iter().any(|slot| slot.id == *part);
    slot.then(|| seen.below_system(&format!("VirtualMedia/{part}")))
}

fn collection(seen: &Seen<'_>) -> Option<BootOptionCollection> {
    let options = &seen.machine.boot.options;
    if options.is_empty() {
        return None;
    }
    let uri = seen.below_system("BootOptions");
    let links = members(&uri, options.iter().map(|option| option.id.as_str()));
    Some(BootOptionCollection::new(uri, "Boot Options", links))
}

fn find<'a>(machine: &'a Machine, id: &str) -> Option<&'a Choice> {
    machine.boot.options.iter().find(|option| option.id.as_str() == id)
}

impl BootOptionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &BootOptionUri) -> bool {
        let BootOptionUri::SystemsBootOptions { computer_system_id, boot_option_id } = uri;
        self.has(scope, computer_system_id, |machine| find(machine, boot_option_id).is_some())
    }

    async fn get(&self, cx: &Context, uri: BootOptionUri) -> Result<BootOption> {
        let BootOptionUri::SystemsBootOptions { computer_system_id, boot_option_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| boot_option(seen, boot_option_id))
    }

    /// Not mounted: the options are what the machine has, and none can be switched off.
    async fn patch(
        &self,
        _: &Context,
        _: BootOptionUri,
        _: BootOptionPatch,
    ) -> Result<Reply<BootOption>> {
        Err(Error::method_not_allowed())
    }

    /// Not mounted.
    async fn delete(&self, _: &Context, _: BootOptionUri) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl BootOptionCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &BootOptionCollectionUri) -> bool {
        let BootOptionCollectionUri::SystemsBootOptions { computer_system_id } = uri;
        self.has(scope, computer_system_id, |machine| !machine.boot.options.is_empty())
    }

    async fn get(
        &self,
        cx: &Context,
        uri: BootOptionCollectionUri,
    ) -> Result<BootOptionCollection> {
        let BootOptionCollectionUri::SystemsBootOptions { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, collection)
    }

    /// Not mounted.
    async fn create(
        &self,
        _: &Context,
        _: BootOptionCollectionUri,
        _: BootOptionCreate,
    ) -> Result<Reply<BootOption>> {
        Err(Error::method_not_allowed())
    }
}

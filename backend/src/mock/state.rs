//! What of a pretended machine can change: what its hypervisor would keep.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::config::MachineConfig;
use super::journal::BootSource;
use crate::PartId;
use crate::intent::{MediaIntent, ObjectState};
use crate::machine::{
    Bios, BiosValues, BootMode, BootTarget, Machine, RaidType, SecureBootKeys, Volume,
};
use crate::media::FetchFailure;
use crate::outbound::ImageUrl;
use crate::power::PowerState;
use crate::text::Label;

/// All of it. With a folder to outlive the process in, this is what lies there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// Counts starts.
    pub(super) run: u64,
    /// Whether the next start goes on from saved memory.
    pub(super) saved: bool,
    /// In which order boot options are tried.
    pub(super) order: Vec<PartId>,
    /// Whether the firmware stops in its setup.
    pub(super) setup: bool,
    pub(super) mode: BootMode,
    pub(super) secure_boot: bool,
    /// Whether the present run has it.
    pub(super) secure_run: Option<bool>,
    pub(super) keys: SecureBootKeys,
    pub(super) bios: BiosValues,
    pub(super) bios_pending: BiosValues,
    pub(super) asset_tag: Option<Label>,
    pub(super) locating: bool,
    pub(super) volumes: Vec<Volume>,
    /// The objects that are media.
    pub(super) objects: BTreeMap<PartId, Object>,
    /// What somebody put into a slot by other ways than ours.
    pub(super) foreign: BTreeMap<PartId, Label>,
    /// The record that the backend keeps with the machine.
    pub(super) record: Option<String>,
    pub(super) record_version: u64,
}

/// Where a machine is between on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    Off,
    Starting,
    On,
    /// The guest was asked to restart.
    Restarting,
    /// The guest was asked to shut down.
    ShuttingDown,
    /// It is being stopped by force.
    Stopping,
    /// Its memory is being saved.
    Saving,
    Paused,
}

impl Phase {
    pub(super) const fn power(self) -> PowerState {
        match self {
            Self::Off => PowerState::Off,
            Self::Starting => PowerState::PoweringOn,
            Self::On | Self::Restarting => PowerState::On,
            Self::ShuttingDown | Self::Stopping | Self::Saving => PowerState::PoweringOff,
            Self::Paused => PowerState::Paused,
        }
    }
}

/// An object that is a medium.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Object {
    pub(super) slot: PartId,
    pub(super) image: ImageUrl,
    pub(super) write_protected: bool,
    pub(super) progress: Progress,
    /// When it was made, in seconds since 1970.
    pub(super) since: u64,
}

/// How far an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Progress {
    Importing(Option<u8>),
    Usable,
    Failed(FetchFailure),
    Leaving,
}

impl Object {
    pub(super) fn new(slot: PartId, medium: &MediaIntent, since: u64) -> Self {
        let (image, write_protected) = (medium.image.clone(), medium.write_protected);
        Self { slot, image, write_protected, progress: Progress::Importing(None), since }
    }

    pub(super) const fn observed(&self) -> ObjectState {
        match self.progress {
            Progress::Importing(_) => ObjectState::Importing,
            Progress::Usable => ObjectState::Usable,
            Progress::Failed(failure) => ObjectState::Failed(failure),
            Progress::Leaving => ObjectState::Leaving,
        }
    }
}

impl State {
    /// The machine as it is at first.
    pub(super) fn new(config: &MachineConfig, template: &Machine) -> Self {
        let volumes = match template.inventory.controllers.first() {
            Some(controller) => {
                let first = template.inventory.disks.first().zip(PartId::new("volume-1").ok());
                let volume = first.map(|(disk, id)| {
                    let bytes = disk.capacity.unwrap_or_default();
                    let mut volume = Volume::new(id, "System", bytes, RaidType::None);
                    volume.drives = controller.drives.first().cloned().into_iter().collect();
                    volume
                });
                volume.into_iter().collect()
            }
            None => Vec::new(),
        };
        Self {
            phase: Phase::Off,
            run: 0,
            saved: false,
            order: template.boot.order.clone(),
            setup: false,
            mode: config.firmware,
            secure_boot: config.secure_boot,
            secure_run: None,
            keys: SecureBootKeys::DEFAULT,
            bios: template.bios.as_ref().map(|bios| bios.current.clone()).unwrap_or_default(),
            bios_pending: BiosValues::new(),
            asset_tag: config.asset_tag.as_ref().and_then(Label::known),
            locating: false,
            volumes,
            objects: BTreeMap::new(),
            foreign: BTreeMap::new(),
            record: None,
            record_version: 0,
        }
    }

    /// Drops what no longer fits a machine whose configuration was changed meanwhile.
    pub(super) fn fit(&mut self, template: &Machine) {
        let known: BTreeSet<_> = template.boot.order.iter().collect();
        self.order.retain(|option| known.contains(option));
        for option in &template.boot.order {
            if !self.order.contains(option) {
                self.order.push(option.clone());
            }
        }
        let drives = template.inventory.controllers.first().map(|controller| &controller.drives);
        self.volumes.retain(|volume| {
            drives.is_some_and(|drives| volume.drives.iter().all(|drive| drives.contains(drive)))
        });
        let is_slot = |slot: &PartId| template.media.iter().any(|known| known.id == *slot);
        self.objects.retain(|_, object| is_slot(&object.slot));
        self.foreign.retain(|slot, _| is_slot(slot));
        let fits = |values: &mut BiosValues| match &template.bios {
            None => values.clear(),
            Some(bios) => values.retain(|name, value| {
                bios.attribute(name.as_str()).is_some_and(|known| known.check_kind(value).is_ok())
            }),
        };
        fits(&mut self.bios);
        fits(&mut self.bios_pending);
        if let Some(bios) = &template.bios {
            for (name, value) in &bios.current {
                self.bios.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }

    /// The name of the present or last run.
    pub(super) fn run_name(&self) -> Option<Label> {
        (self.run > 0).then(|| self.run.to_string().into())
    }

    /// The firmware's settings.
    pub(super) fn settings(&self, template: &Machine) -> Option<Bios> {
        let mut bios = template.bios.clone()?;
        bios.current.clone_from(&self.bios);
        bios.pending.clone_from(&self.bios_pending);
        Some(bios)
    }

    /// A new run: what was configured counts from here on.
    pub(super) fn begin_run(&mut self, template: &Machine) -> BootSource {
        self.run += 1;
        self.saved = false;
        self.bios.append(&mut self.bios_pending);
        self.secure_run = Some(self.secure_boot && self.keys.pk && self.mode == BootMode::Uefi);
        if self.setup {
            return BootSource::Setup;
        }
        let bootable = |id: &&PartId| {
            let Some(option) = template.boot.options.iter().find(|option| option.id == **id) else {
                return false;
            };
            match option.target {
                Some(BootTarget::UefiHttp) => self.mode == BootMode::Uefi,
                Some(BootTarget::Cd | BootTarget::Usb | BootTarget::Floppy) => {
                    option.part.as_ref().is_some_and(|slot| self.is_filled(slot))
                }
                _ => true,
            }
        };
        let first = self.order.iter().find(bootable).cloned();
        first.map_or(BootSource::Nothing, BootSource::Option)
    }

    /// Whether there is something usable in a slot.
    pub(super) fn is_filled(&self, slot: &PartId) -> bool {
        self.foreign.contains_key(slot)
            || self
                .objects
                .values()
                .any(|object| object.slot == *slot && object.progress == Progress::Usable)
    }
}

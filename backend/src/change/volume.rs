//! A new volume.

use crate::machine::{Machine, RaidType, StorageController, Volume};
use crate::text::Label;
use crate::{Error, PartId};

/// What a new volume is to be: a POST to `Volumes`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewVolume {
    /// How it is called, if that matters.
    pub name: Option<Label>,
    /// What it is.
    pub raid: RaidType,
    /// Its size in bytes; as much as there is, if not said.
    pub capacity: Option<u64>,
    /// On which drives; on those that are free, as many as it takes, if not said.
    pub drives: Option<Vec<PartId>>,
}

impl NewVolume {
    /// One of that type, as large as can be on whatever drives are free.
    pub const fn new(raid: RaidType) -> Self {
        Self { name: None, raid, capacity: None, drives: None }
    }

    /// The volume that results.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when no volumes can be made there, [`Error::Invalid`] for values that can never be,
    /// [`Error::Conflict`] when the drives are taken.
    pub fn resolve(&self, machine: &Machine, controller: &PartId) -> Result<Volume, Error> {
        let controller = machine.controller(controller)?;
        if !machine.capabilities.volumes {
            return Err(Error::unsupported("The volumes of this machine can only be read"));
        }
        if !controller.raid_types.contains(&self.raid) {
            let known: Vec<_> = controller.raid_types.iter().map(|raid| raid.as_str()).collect();
            return Err(Error::invalid(
                "RAIDType",
                format!("The controller can make {}", known.join(", ")),
            ));
        }
        let drives = self.pick(controller)?;
        let each = drives.iter().map(|id| capacity(machine, id)).min().unwrap_or_default();
        let count = u64::try_from(drives.len()).unwrap_or(u64::MAX);
        let most = self.raid.usable(count, each);
        let capacity = self.capacity.unwrap_or(most);
        if capacity == 0 || capacity > most {
            return Err(Error::invalid(
                "CapacityBytes",
                format!("On these drives a volume has 1 to {most} bytes"),
            ));
        }
        let id = free_id(controller)?;
        let name = self.name.clone().unwrap_or_else(|| id.as_str().into());
        Ok(Volume { id, name, capacity, raid: self.raid, drives })
    }

    fn pick(&self, controller: &StorageController) -> Result<Vec<PartId>, Error> {
        let taken =
            |id: &PartId| controller.volumes.iter().any(|volume| volume.drives.contains(id));
        let too_few = || format!("{} can't be made of so many drives", self.raid.as_str());
        let Some(named) = &self.drives else {
            let free: Vec<_> = controller.drives.iter().filter(|id| !taken(id)).cloned().collect();
            // The fewest that do: nobody wants all drives gone with the first volume.
            return (1..=free.len())
                .find(|count| self.raid.fits(*count))
                .map(|count| free[..count].to_vec())
                .ok_or_else(|| Error::conflict(format!("{}: too few drives are free", too_few())));
        };
        for (position, id) in named.iter().enumerate() {
            if named[..position].contains(id) || !controller.drives.contains(id) {
                let reason = format!("{id} is no drive of the controller, or named twice");
                return Err(Error::invalid("Drives", reason));
            }
            if taken(id) {
                return Err(Error::conflict(format!("Drive {id} belongs to another volume")));
            }
        }
        if self.raid.fits(named.len()) {
            Ok(named.clone())
        } else {
            Err(Error::invalid("Drives", too_few()))
        }
    }
}

fn capacity(machine: &Machine, drive: &PartId) -> u64 {
    let disk = machine.inventory.disks.iter().find(|disk| disk.id == *drive);
    disk.and_then(|disk| disk.capacity).unwrap_or_default()
}

/// The first id of the pattern that no volume has.
fn free_id(controller: &StorageController) -> Result<PartId, Error> {
    let mut number = 1;
    loop {
        let id = PartId::new(format!("volume-{number}"))?;
        if !controller.volumes.iter().any(|volume| volume.id == id) {
            return Ok(id);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MachineId;
    use crate::machine::{Disk, Revision};
    use crate::power::PowerState;

    fn part(id: &str) -> PartId {
        PartId::new(id).unwrap()
    }

    fn machine() -> Machine {
        let mut machine =
            Machine::new(MachineId::new("a").unwrap(), PowerState::Off, Revision::of(1));
        let mut controller = StorageController::new(part("raid0"), "RAID");
        for number in 1..=5 {
            let mut disk = Disk::new(part(&format!("d{number}")), "disk");
            disk.capacity = Some(if number == 5 { 50 } else { 100 });
            controller.drives.push(disk.id.clone());
            machine.inventory.disks.push(disk);
        }
        controller.raid_types = RaidType::ALL.into();
        controller.raid_types.retain(|raid| *raid != RaidType::Raid6);
        let mut taken = Volume::new(part("volume-1"), "system", 100, RaidType::None);
        taken.drives.push(part("d1"));
        controller.volumes.push(taken);
        machine.inventory.controllers.push(controller);
        machine.capabilities.volumes = true;
        machine
    }

    #[test]
    fn volumes_are_made_of_free_drives() {
        let new = |raid, capacity, drives: &[&str]| NewVolume {
            name: None,
            raid,
            capacity,
            drives: (!drives.is_empty()).then(|| drives.iter().map(|id| part(id)).collect()),
        };
        let check = |raid, capacity, drives: &[&str], expect: Result<(u64, &str), &str>| {
            let found = new(raid, capacity, drives).resolve(&machine(), &part("raid0"));
            let found = match &found {
                Ok(volume) => {
                    assert_eq!(volume.id, part("volume-2"));
                    let drives: Vec<_> = volume.drives.iter().map(PartId::as_str).collect();
                    Ok((volume.capacity, drives.join(" ")))
                }
                Err(Error::Invalid { field, .. }) => Err(field.as_str()),
                Err(Error::Conflict { .. }) => Err("conflict"),
                Err(other) => panic!("{other}"),
            };
            let expect = expect.map(|(bytes, drives)| (bytes, drives.to_owned()));
            assert_eq!(found, expect, "{raid:?} {capacity:?} {drives:?}");
        };
        check(RaidType::None, None, &[], Ok((100, "d2")));
        check(RaidType::Raid1, Some(60), &[], Ok((60, "d2 d3")));
        check(RaidType::Raid1, Some(101), &[], Err("CapacityBytes"));
        check(RaidType::Raid1, Some(0), &[], Err("CapacityBytes"));
        check(RaidType::Raid5, None, &[], Ok((200, "d2 d3 d4")));
        // The smallest drive counts.
        check(RaidType::Raid5, None, &["d5", "d3", "d4"], Ok((100, "d5 d3 d4")));
        check(RaidType::Raid10, None, &[], Ok((100, "d2 d3 d4 d5")));
        check(RaidType::Raid10, None, &["d2", "d3", "d4"], Err("Drives"));
        check(RaidType::Raid6, None, &[], Err("RAIDType"));
        check(RaidType::None, None, &["d1"], Err("conflict"));
        check(RaidType::Raid1, None, &["d2", "d2"], Err("Drives"));
        check(RaidType::Raid1, None, &["d2", "x"], Err("Drives"));
        let mut fixed = machine();
        fixed.capabilities.volumes = false;
        let refused = NewVolume::new(RaidType::None).resolve(&fixed, &part("raid0"));
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
        let none = NewVolume::new(RaidType::None).resolve(&machine(), &part("other"));
        assert!(matches!(none, Err(Error::NotFound { .. })));
    }
}

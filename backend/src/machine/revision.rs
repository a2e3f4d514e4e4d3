//! Which of two pictures of a machine is newer.
//!
//! A machine is often made from several objects of its hypervisor (a VM, its running instance, its media), each with a
//! version number of its own and a watch of its own. The watches are not in step: the instance's newest event can arrive
//! while the VM's is still on its way. With one number for the whole, such a picture would look newer than the result of
//! a write to the VM, and would undo it. So a revision has a number for each source, and is newer only when no source is
//! older.

use std::cmp::Ordering;

/// The numbers of the sources that a [`Machine`](super::Machine) was made from.
///
/// A source that vanishes keeps the number of its removal; numbers of one source never go back.
///
/// ```
/// use redfish_backend::machine::Revision;
///
/// let seen = Revision::of(7).and(1, 20);
/// let written = Revision::of(8).and(1, 20);
/// assert!(written > seen);
/// // The instance moved on, but this picture does not have the write yet: neither newer nor older.
/// let crossed = Revision::of(7).and(1, 21);
/// assert_eq!(crossed.partial_cmp(&written), None);
/// // Made again with the newest of both, it is newer than either.
/// assert!(crossed.join(written) > written);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Revision([u64; Revision::SOURCES]);

impl Revision {
    /// How many sources a machine can be made from.
    pub const SOURCES: usize = 4;

    /// The number of the first or only source.
    pub const fn of(number: u64) -> Self {
        let mut numbers = [0; Self::SOURCES];
        numbers[0] = number;
        Self(numbers)
    }

    /// Also the number of another source, counted from zero; beyond [`Self::SOURCES`] it counts as the last one's, where
    /// the highest number stands for all.
    #[must_use]
    pub const fn and(mut self, source: usize, number: u64) -> Self {
        let source = if source < Self::SOURCES { source } else { Self::SOURCES - 1 };
        if self.0[source] < number {
            self.0[source] = number;
        }
        self
    }

    /// The newest of both, source by source.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self(std::array::from_fn(|source| self.0[source].max(other.0[source])))
    }

    /// The number of a source.
    pub fn number(self, source: usize) -> u64 {
        self.0.get(source).copied().unwrap_or_default()
    }
}

impl PartialOrd for Revision {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let mut order = Ordering::Equal;
        for (mine, theirs) in self.0.iter().zip(&other.0) {
            match (order, mine.cmp(theirs)) {
                (_, Ordering::Equal) => {}
                (Ordering::Equal, found) => order = found,
                (known, found) if known == found => {}
                _ => return None,
            }
        }
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_every_source() {
        let check = |a: [u64; 2], b: [u64; 2], expect: Option<Ordering>| {
            let [a, b] = [a, b].map(|[vm, instance]| Revision::of(vm).and(1, instance));
            assert_eq!(a.partial_cmp(&b), expect);
            assert_eq!(b.partial_cmp(&a), expect.map(Ordering::reverse));
        };
        check([1, 1], [1, 1], Some(Ordering::Equal));
        check([2, 1], [1, 1], Some(Ordering::Greater));
        check([2, 2], [1, 1], Some(Ordering::Greater));
        check([1, 0], [1, 1], Some(Ordering::Less));
        check([2, 1], [1, 2], None);
    }

    #[test]
    fn sources_beyond_the_last_share_its_number() {
        assert_eq!(Revision::of(1).and(3, 5).and(9, 7).and(8, 6).number(3), 7);
    }
}

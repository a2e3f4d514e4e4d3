//! How many connections there are, in all and by address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Limits;
use crate::admin::Metrics;

/// Room for connections.
pub(super) struct Slots {
    all: AtomicUsize,
    by_address: Mutex<HashMap<IpAddr, usize>>,
    max: usize,
    max_by_address: usize,
}

/// Room for one connection, given back when dropped.
pub(super) struct Slot {
    slots: Arc<Slots>,
    address: Option<IpAddr>,
    metrics: Arc<Metrics>,
}

impl Slots {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            all: AtomicUsize::new(0),
            by_address: Mutex::default(),
            max: limits.connections,
            max_by_address: limits.connections_per_address,
        })
    }

    /// Room for one more, if there is. Who speaks for many has no address that could be counted.
    pub(super) fn take(
        self: &Arc<Self>,
        address: Option<IpAddr>,
        metrics: &Arc<Metrics>,
    ) -> Option<Slot> {
        let one_more = |open| (open < self.max).then_some(open + 1);
        if self.all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_err() {
            metrics.connection_refused();
            return None;
        }
        metrics.connection_opened();
        let mut slot = Slot { slots: self.clone(), address: None, metrics: metrics.clone() };
        match address {
            Some(address) if !slot.count(address) => None,
            _ => Some(slot),
        }
    }

    fn by_address(&self) -> std::sync::MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Counts the connection for an address; false when there are too many. For those whose address becomes
    /// known later.
    pub(super) fn count(&mut self, address: IpAddr) -> bool {
        if self.address.is_some() {
            return true;
        }
        let address = network(address);
        let mut by_address = self.slots.by_address();
        let open = by_address.entry(address).or_default();
        if *open >= self.slots.max_by_address {
            drop(by_address);
            self.metrics.connection_refused();
            return false;
        }
        *open += 1;
        self.address = Some(address);
        true
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.all.fetch_sub(1, Ordering::Relaxed);
        self.metrics.connection_closed();
        let Some(address) = self.address else { return };
        let mut by_address = self.slots.by_address();
        if let Some(open) = by_address.get_mut(&address) {
            *open -= 1;
            if *open == 0 {
                by_address.remove(&address);
            }
        }
    }
}

/// What is one party: an address, and in IPv6 the 64 bits that a single host may have for itself.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_by_address() {
        let limits = Limits { connections: 4, connections_per_address: 2, ..Limits::default() };
        let slots = Slots::new(&limits);
        let metrics = Arc::default();
        let take = |address: &str| slots.take(address.parse().ok(), &metrics);
        let first = take("192.0.2.1").unwrap();
        let second = take("::ffff:192.0.2.1").unwrap();
        assert!(take("192.0.2.1").is_none(), "two at most, however it is written");
        let third = take("2001:db8::1").unwrap();
        let fourth = take("2001:db8::2:1").unwrap();
        assert!(take("2001:db8:0:1::1").is_none(), "four in all");
        drop(first);
        assert!(take("2001:db8::3").is_none(), "one network");
        drop(take("2001:db8:0:1::1").unwrap());
        drop(take("192.0.2.1").unwrap());
        drop((second, third, fourth));
        assert!(slots.by_address().is_empty());
        assert_eq!(slots.all.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn an_address_that_becomes_known_later() {
        let limits = Limits { connections_per_address: 1, ..Limits::default() };
        let slots = Slots::new(&limits);
        let mut first = slots.take(None, &Arc::default()).unwrap();
        let mut second = slots.take(None, &Arc::default()).unwrap();
        let address = "192.0.2.1".parse().unwrap();
        assert!(first.count(address) && first.count(address));
        assert!(!second.count(address));
        drop(first);
        assert!(second.count(address));
    }
}

//! Machines of one's own behind the whole service: accounts, sessions, tasks, logs, registries.
//!
//! ```text
//! cargo run -p redfish-server --example own_backend
//! curl -s -u admin:Lamps-are-4-ever http://127.0.0.1:8000/redfish/v1/Systems/hall
//! curl -s -u admin:Lamps-are-4-ever http://127.0.0.1:8000/redfish/v1/Systems/hall/Actions/ComputerSystem.Reset \
//!     -d '{"ResetType": "On"}'
//! ```
//!
//! It serves plain HTTP on loopback and forgets its accounts with the process; `Builder` takes a store
//! that does not, and `listen` serves TLS.

use std::sync::Arc;

use redfish_backend::backend::{MachineBackend, Write};
use redfish_backend::machine::{Machine, Revision};
use redfish_backend::power::{Decision, PowerState, Reset, decide};
use redfish_backend::snapshot::{Feed, Snapshot};
use redfish_backend::{Caller, Error, MachineId};
use redfish_server::assembly::Builder;

/// Lamps, which can be switched on and off.
struct Lamps(Feed);

impl MachineBackend for Lamps {
    fn snapshot(&self) -> &Snapshot {
        self.0.snapshot()
    }

    fn reset<'a>(&'a self, id: &'a MachineId, reset: Reset, _: &'a Caller) -> Write<'a> {
        Box::pin(async move {
            let mut lamp = Machine::clone(&*self.0.snapshot().get(id)?);
            lamp.power = match decide(lamp.power, reset) {
                Decision::Do(_) if lamp.power == PowerState::Off => PowerState::On,
                Decision::Do(_) => PowerState::Off,
                Decision::Nothing | Decision::Queue(..) => return Ok(lamp.into()),
                Decision::Refuse => return Err(Error::conflict("The lamp is off")),
            };
            lamp.revision = Revision::of(lamp.revision.number(0) + 1);
            self.0.put(lamp).current(id)
        })
    }
}

impl Lamps {
    fn new(names: &[&str]) -> Result<Self, Error> {
        let lamp = |name: &&str| {
            let mut lamp = Machine::new(MachineId::new(*name)?, PowerState::Off, Revision::of(1));
            lamp.capabilities.resets = [Reset::On, Reset::ForceOff].into_iter().collect();
            lamp.identity.name = (*name).into();
            Ok(lamp)
        };
        let lamps = names.iter().map(lamp).collect::<Result<Vec<_>, Error>>()?;
        let feed = Feed::new();
        feed.sync(lamps, Revision::of(1));
        Ok(Self(feed))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lamps = Lamps::new(&["hall", "kitchen"])?;
    let bmc = Builder::new(Arc::new(lamps)).build().await?;
    bmc.accounts.bootstrap(Some("Lamps-are-4-ever".to_owned().into())).await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    println!("http://{}/redfish/v1/", listener.local_addr()?);
    axum::serve(listener, bmc.service.clone().into_axum()).await?;
    Ok(())
}

//! The machine seam of a Redfish virtual BMC.
//!
//! On one side the Redfish service, on the other whatever runs the machines. Backends know nothing of HTTP or Redfish, the
//! service nothing of hypervisors; what both know is in here.
//!
//! - [`backend`]: the trait that a hypervisor implements. [`machine`]: what is known about a machine. [`snapshot`]: where
//!   that is kept, so that reads never wait.
//! - [`power`] and [`media`]: what resets, inserts and ejects do, for every backend alike. [`change`]: checks of the other
//!   writes. [`lock`]: one write at a time.
//! - [`intent`] and [`reconcile`]: what was promised and is not done yet, and the loop that does it.
//! - [`outbound`]: where the service may connect on behalf of a caller.

pub mod backend;
mod caller;
pub mod change;
mod clock;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
mod id;
pub mod intent;
pub mod lock;
pub mod machine;
pub mod media;
#[cfg(feature = "mock")]
pub mod mock;
pub mod outbound;
pub mod power;
pub mod reconcile;
mod secret;
pub mod snapshot;
mod text;

pub use backend::MachineBackend;
pub use caller::Caller;
pub use clock::Clock;
pub use error::Error;
pub use id::{MachineId, PartId};
pub use machine::Machine;
pub use secret::{Credentials, Secret};
pub use text::{Label, Message, Text};

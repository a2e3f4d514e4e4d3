//! The machine seam of a Redfish virtual BMC.

pub mod backend;
mod caller;
pub mod change;
mod error;
mod id;
pub mod intent;
pub mod lock;
pub mod machine;
pub mod media;
pub mod outbound;
pub mod power;
pub mod reconcile;
mod secret;
pub mod snapshot;
mod text;

pub use backend::MachineBackend;
pub use caller::Caller;
pub use error::Error;
pub use id::{MachineId, PartId};
pub use machine::Machine;
pub use secret::{Credentials, Secret};
pub use text::{Label, Message, Text};

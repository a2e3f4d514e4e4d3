//! A typed, asynchronous client for Redfish services.
//!
//! The resources are those of [`redfish_model`]; each operation of the schema is a method, and every link can be
//! followed.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use redfish_client::Client;
//! use redfish_model::computer_system::ResetRequest;
//! use redfish_model::resource::ResetType;
//!
//! # async fn run() -> redfish_client::Result<()> {
//! let client = Client::builder("https://bmc.example").login("admin", "secret").await?;
//! let system = client.systems_get("1").await?;
//! println!("{:?} is {:?}", system.name, system.power_state);
//!
//! let request = ResetRequest { reset_type: ResetType::ForceRestart.into(), ..ResetRequest::default() };
//! let answer = client.systems_reset("1", &request).await?.into_inner();
//! answer.wait(&client, Duration::from_secs(60)).await?;
//! client.logout().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # What it takes off your hands
//!
//! - **Sessions.** [`Builder::login`] makes one, a session that ended is made again, [`Client::logout`] ends it.
//!   [`Builder::basic`] and [`Builder::build`] are for clients with Basic authentication or none.
//! - **Services that break the schema.** A member that does not fit its type is set aside and told by
//!   [`Decoded::faults`]; the rest of the resource is there.
//! - **Writes that go on.** An [`Answer`] is done or has a [`TaskMonitor`] that waits, polls and cancels.
//! - **Links.** [`Client::get`], [`Client::members`] (with `$expand` and pages), [`Client::patch`] with `If-Match`,
//!   [`Client::action`].
//! - **Events.** [`Client::events`] watches the event stream, and comes back to it when it breaks.
//! - **Busy services.** 503 with `Retry-After` is tried again within the bounds of a [`RetryPolicy`].
//!
//! # What it does not do
//!
//! Credentials go to the service's own scheme, host and port: links, redirections, task monitors and event streams that
//! lead elsewhere are refused with [`Error::OtherOrigin`]. Passwords and tokens are in no `Debug` output and no error.
//! An answer has a largest size ([`Builder::body_limit`]). A write is never sent twice, but after an answer that says
//! that nothing was done.

mod answer;
mod auth;
mod builder;
mod client;
mod decoded;
mod error;
mod events;
#[rustfmt::skip]
#[allow(
dead_code, // its own error type for parameters: ours are texts
missing_docs, // progenitor's own items have none
unreachable_pub, // it is made to be a crate of its own
unreachable_patterns, // it writes an arm for what is left of the statuses, and nothing is
clippy::unwrap_used, // in a constructor that this crate does not call
)]
mod generated;
mod hooks;
mod members;
mod query;
mod retry;
mod sse;
mod task;
mod tls;
mod transport;

pub use answer::{Answer, Done};
pub use builder::Builder;
pub use client::{Client, Link};
pub use decoded::Decoded;
pub use error::{Error, Result};
pub use events::EventOptions;
/// All operations of the schema as methods; [`Client`] dereferences to it.
pub use generated::Client as Api;
#[doc(hidden)]
pub use hooks::Inner;
pub use members::Items;
/// What the methods of [`Api`] return; [`Error`] can be made of the error.
pub use progenitor_client::{Error as ApiError, ResponseValue};
pub use query::{Expand, Query};
pub use retry::RetryPolicy;
pub use task::TaskMonitor;

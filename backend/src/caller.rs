//! Who asked for a write.
//!
//! The service has authenticated and authorised them; a backend decides nothing by this. It passes the three facts on to
//! where the owner of the machine looks: an Event on the VM, the hypervisor's log. So that whoever finds a machine off
//! can tell who did it, from where, and which request in the service's own log it was.

use std::net::IpAddr;

use crate::text::Label;

/// The author of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The account, or the name of a part of the service that acts by itself (`reconciler`).
    pub account: Label,
    /// Where the request came from; none when the service acts by itself.
    pub address: Option<IpAddr>,
    /// The id that the service's log has for the request.
    pub request_id: Label,
}

impl Caller {
    /// Somebody behind a request.
    pub fn new(account: impl Into<Label>, address: IpAddr, request_id: impl Into<Label>) -> Self {
        Self { account: account.into(), address: Some(address), request_id: request_id.into() }
    }

    /// A part of the service that acts by itself.
    pub fn internal(part: impl Into<Label>) -> Self {
        Self { account: part.into(), address: None, request_id: Label::default() }
    }
}

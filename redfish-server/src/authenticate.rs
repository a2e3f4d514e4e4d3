//! Who asks: an ordered chain of ways to tell.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use crate::context::Principal;
use crate::error::Result;

/// What an [`Authenticator`] finds: nothing that is for it, an account, or a refusal.
pub type Verdict<'a> = Pin<Box<dyn Future<Output = Option<Result<Arc<Principal>>>> + Send + 'a>>;

/// One way of authenticating: HTTP Basic, session tokens, client certificates.
///
/// The chain asks each in order; the first that finds credentials of its kind decides, right or
/// wrong, so that a bad token is never saved by a good password beside it.
pub trait Authenticator: Send + Sync + 'static {
    /// Looks at the head of a request; `client` is the address of who sent it.
    fn authenticate<'a>(
        &'a self,
        head: &'a http::request::Parts,
        client: Option<IpAddr>,
    ) -> Verdict<'a>;
}

//! What happens between a generated method and the network.
//!
//! progenitor decodes an answer from its body alone. The status and the headers matter as much in Redfish, so each
//! answer is put into a wrapping that [`Decoded`](crate::Decoded) and [`Answer`](crate::Answer) read; and what is no
//! Redfish error becomes one, since a method would lose the status of an answer that it cannot decode.

use std::sync::Arc;

use progenitor_client::{ClientHooks, OperationInfo};
use reqwest::{Body, Method, Request, Response};

use crate::answer::Parts;
use crate::error::Carrier;
use crate::transport::{As, Reply, Shared};
use crate::{Error, decoded};

/// What the generated methods share; there is nothing to do with it outside this crate.
#[derive(Clone, Debug)]
pub struct Inner(pub(crate) Arc<Shared>);

impl ClientHooks<Inner> for crate::generated::Client {
    async fn exec(&self, request: Request, _: &OperationInfo) -> reqwest::Result<Response> {
        let read = matches!(*request.method(), Method::GET | Method::HEAD);
        let shared = Arc::clone(&self.inner.0);
        match shared.exchange(request, As::User).await {
            Ok(reply) => Ok(wrap(reply, read)),
            Err(Error::Transport(error) | Error::Timeout(Some(error))) => Err(error),
            Err(error) => Ok(fail(error)),
        }
    }
}

fn wrap(reply: Reply, read: bool) -> Response {
    let body = if !reply.status.is_success() {
        match serde_json::to_vec(&reply.redfish_error()) {
            Ok(body) => body,
            Err(error) => return fail(Error::Encode(error)),
        }
    } else if read {
        decoded::envelope(reply.etag(), &reply.body)
    } else {
        Parts::of(&reply).envelope()
    };
    let mut response = http::Response::new(body);
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    response.into()
}

/// An answer that cannot be read; the error is taken out of it again when it is converted.
fn fail(error: Error) -> Response {
    let body = futures_util::stream::iter([Err::<Vec<u8>, _>(Carrier::new(error))]);
    http::Response::new(Body::wrap_stream(body)).into()
}

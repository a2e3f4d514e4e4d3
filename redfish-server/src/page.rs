//! What is served besides resources: documents of the protocol, task monitors, streams.
//!
//! The operation table has no rows for them, since the schema names no resource behind their URIs.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, header};

use crate::context::Context;
use crate::error::Result;

type Answer = Pin<Box<dyn Future<Output = Result<Response>> + Send>>;
type Handler = Box<dyn Fn(Context, Method, String) -> Answer + Send + Sync>;

/// Something at a URI template that is no resource.
pub struct Page {
    /// The template: `/redfish/v1/TaskService/TaskMonitors/{TaskId}`.
    pub(crate) template: &'static str,
    /// The methods that it answers, HEAD aside.
    pub(crate) methods: &'static [Method],
    /// Whether it needs no credentials.
    pub(crate) public: bool,
    /// Headers of its answers, beside those that the handler gives.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) handler: Handler,
}

impl Page {
    /// A page for any account. The handler gets the method and the path.
    pub fn new<F>(
        template: &'static str,
        methods: &'static [Method],
        handler: impl Fn(Context, Method, String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        let handler: Handler =
            Box::new(move |cx, method, path| Box::pin(handler(cx, method, path)));
        Self { template, methods, public: false, headers: Vec::new(), handler }
    }

    /// A document that never changes and needs no credentials.
    pub fn document(
        template: &'static str,
        content_type: &'static str,
        content: impl Into<Bytes>,
    ) -> Self {
        let content = content.into();
        let page = Self::new(template, &[Method::GET], move |_, _, _| {
            let mut response = Response::new(content.clone().into());
            let content_type = HeaderValue::from_static(content_type);
            response.headers_mut().insert(header::CONTENT_TYPE, content_type);
            async { Ok(response) }
        });
        Self { public: true, ..page }
    }

    /// A header of its own, in place of the one that all answers have.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("template", &self.template).finish_non_exhaustive()
    }
}

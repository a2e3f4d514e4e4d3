//! Reads: from what is kept, or made anew.

use std::sync::Arc;

use http::Method;
use serde_json::{Map, Value};

use super::cache::{Key, Rendered};
use super::query::Query;
use super::{Found, Router, collect, links, response};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::mount::Content;
use crate::operation::Operation;

impl Router {
    /// The resource as it is sent.
    pub(super) async fn read(
        &self,
        cx: &Context,
        operation: &'static Operation,
        found: &Found<'_>,
    ) -> Result<Arc<Rendered>> {
        let query = cx.query.as_deref().map_or_else(|| Ok(Query::default()), Query::parse)?;
        if !query.is_plain() {
            let document = self.document(cx, operation, found).await?;
            return collect::queried(self, cx, document, found, &query).await.map(Arc::new);
        }
        // The version is taken before the resource is read: a change in between makes what is kept one
        // version older than it is, which is seen with the next request.
        let mount = self.mounted(found.endpoint);
        let version = mount.and_then(|mount| mount.version(&cx.scope, found.uri));
        let kept = version.map(|version| (Key::new(cx, found.uri), version));
        if let Some((key, version)) = &kept
            && let Some(rendered) = self.cache.get(key, *version)
        {
            return Ok(rendered);
        }
        let document = self.document(cx, operation, found).await?;
        let rendered = Arc::new(self.render(cx, document, found)?);
        if let Some((key, version)) = kept {
            self.cache.put(key, version, Arc::clone(&rendered));
        }
        Ok(rendered)
    }

    /// The resource as its service gives it.
    pub(super) async fn document(
        &self,
        cx: &Context,
        operation: &'static Operation,
        found: &Found<'_>,
    ) -> Result<Map<String, Value>> {
        let mount = self.mounted(found.endpoint).ok_or_else(|| Error::not_found(found.uri))?;
        let outcome = mount.call(operation, cx.clone(), found.uri, Value::Null).await?;
        match outcome.content {
            Content::Document(Value::Object(document)) => Ok(document),
            _ => Err(Error::internal()),
        }
    }

    /// A document as the caller may see it.
    pub(super) fn render(
        &self,
        cx: &Context,
        mut document: Map<String, Value>,
        found: &Found<'_>,
    ) -> Result<Rendered> {
        links::prune(&mut document, &|uri| self.shows(cx, uri));
        let tag = response::tag(&mut document, found.endpoint.patch());
        response::render(&document, tag)
    }

    /// Whether a GET of the URI would succeed for the caller. Without credentials, whether it would
    /// with some: the service root shows the way to those who have yet to log in.
    pub(super) fn shows(&self, cx: &Context, uri: &str) -> bool {
        let uri = if uri == "/redfish/v1" { "/redfish/v1/" } else { uri };
        let Some(found) = self.find(uri, &Method::GET) else { return false };
        let Some(mount) = self.mounted(found.endpoint) else {
            // A page, which is there for everybody.
            return found.endpoint.operations.is_empty();
        };
        let Some(operation) = found.endpoint.operation(&Method::GET) else { return false };
        let may = cx.principal.as_deref().is_none_or(|principal| {
            operation.public || self.rights(principal, operation, &found).any()
        });
        may && mount.exists(&cx.scope, uri)
    }
}

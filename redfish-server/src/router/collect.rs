//! Answers that are put together of several resources, by query parameters.
//!
//! The parts are read like any other GET of the caller, so nobody gets to see more this way. How many
//! there are is bounded: a collection is sent in pages, and links beyond the bound stay links.

use std::future::Future;
use std::pin::Pin;

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::cache::Rendered;
use super::query::{Expand, Query};
use super::{Found, Router, links, response};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::messages;

/// How many resources are put into one answer.
const MOST: usize = 1_000;

/// A resource as it is sent to who asks with a query.
pub(super) async fn queried(
    router: &Router,
    cx: &Context,
    mut document: Map<String, Value>,
    found: &Found<'_>,
    query: &Query,
) -> Result<Rendered> {
    links::prune(&mut document, &|uri| router.shows(cx, uri));
    let mut tag = response::tag(&mut document, found.endpoint.patch());
    let is_collection = matches!(document.get("Members"), Some(Value::Array(_)));
    if query.is_about_members() && !is_collection {
        let message = messages::query_not_supported_on_resource();
        return Err(Error::new(StatusCode::BAD_REQUEST, message));
    }
    let mut parts = Parts { router, cx, left: MOST };
    if query.only {
        let uri = match document.get("Members").and_then(Value::as_array).map(Vec::as_slice) {
            Some([member]) => target(member).map(str::to_owned),
            _ => None,
        };
        if let Some(uri) = uri {
            (document, tag) = parts.read(&uri).await?;
        }
    }
    if is_collection && !query.only {
        parts.choose(&mut document, query).await?;
    }
    if let Some(expand) = query.expand {
        if is_collection {
            page(&mut document, found.uri, cx.query.as_deref().unwrap_or_default(), query);
        }
        parts.expand(&mut document, expand, false).await?;
    }
    if let Some(select) = &query.select {
        match document.get_mut("Members") {
            // Of a collection whose members are here, it is the members that are meant.
            Some(Value::Array(members)) if query.expand.is_some() => {
                members.iter_mut().filter_map(Value::as_object_mut).for_each(|m| select.apply(m));
            }
            _ => select.apply(&mut document),
        }
    }
    response::render(&document, tag)
}

/// Leaves one page of the members, and says where the next one is: the same query, further on.
fn page(document: &mut Map<String, Value>, uri: &str, asked: &str, query: &Query) {
    let Some(Value::Array(members)) = document.get_mut("Members") else { return };
    if members.len() <= MOST {
        return;
    }
    let left = members.len() - MOST;
    members.truncate(MOST);
    let place = |pair: &&str| !["$skip", "%24skip", "$top", "%24top"].contains(&name(pair));
    let mut next: Vec<_> = asked.split('&').filter(place).map(str::to_owned).collect();
    next.push(format!("$skip={}", query.skip + MOST));
    if query.top.is_some() {
        next.push(format!("$top={left}"));
    }
    let next = format!("{uri}?{}", next.join("&"));
    document.insert("Members@odata.nextLink".to_owned(), next.into());
}

fn name<'a>(pair: &&'a str) -> &'a str {
    pair.split('=').next().unwrap_or_default()
}

/// What reads the parts of one answer.
struct Parts<'a> {
    router: &'a Router,
    cx: &'a Context,
    /// How many more may be read.
    left: usize,
}

type Expanding<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

impl Parts<'_> {
    /// A resource with its tag.
    async fn read(&self, uri: &str) -> Result<(Map<String, Value>, Option<String>)> {
        let router = self.router;
        let found = router.find(uri, &Method::GET).ok_or_else(|| Error::not_found(uri))?;
        let get = found.endpoint.operation(&Method::GET).ok_or_else(|| Error::not_found(uri))?;
        let mut document = router.document(self.cx, get, &found).await?;
        links::prune(&mut document, &|uri| router.shows(self.cx, uri));
        let tag = response::tag(&mut document, found.endpoint.patch());
        Ok((document, tag))
    }

    /// `$filter`, `$skip` and `$top`, in this order. The count is that of all that fulfil the condition.
    async fn choose(&self, document: &mut Map<String, Value>, query: &Query) -> Result<()> {
        let Some(Value::Array(members)) = document.get_mut("Members") else { return Ok(()) };
        if let Some(filter) = &query.filter {
            let mut chosen = Vec::new();
            for member in std::mem::take(members) {
                let holds = match (&member, target(&member)) {
                    (_, Some(uri)) => match self.read(uri).await {
                        Ok((document, _)) => filter.holds(&document),
                        // Gone since the list was made.
                        Err(_) => false,
                    },
                    (Value::Object(document), None) => filter.holds(document),
                    _ => false,
                };
                if holds {
                    chosen.push(member);
                }
            }
            *members = chosen;
        }
        let count = members.len();
        members.drain(..query.skip.min(count));
        members.truncate(query.top.unwrap_or(usize::MAX));
        document.insert("Members@odata.count".to_owned(), json!(count));
        Ok(())
    }

    /// Replaces links by what they lead to.
    fn expand<'b>(
        &'b mut self,
        document: &'b mut Map<String, Value>,
        expand: Expand,
        related: bool,
    ) -> Expanding<'b> {
        Box::pin(async move {
            for (name, value) in document.iter_mut() {
                if name == "Actions" {
                    continue;
                }
                self.expand_value(value, expand, related || name == "Links").await?;
            }
            Ok(())
        })
    }

    fn expand_value<'b>(
        &'b mut self,
        value: &'b mut Value,
        expand: Expand,
        related: bool,
    ) -> Expanding<'b> {
        Box::pin(async move {
            if let Some(uri) = target(value).map(str::to_owned) {
                if !expand.links.takes(related) || self.left == 0 {
                    return Ok(());
                }
                self.left -= 1;
                let Ok((mut document, _)) = self.read(&uri).await else { return Ok(()) };
                if expand.levels > 1 {
                    let deeper = Expand { levels: expand.levels - 1, ..expand };
                    self.expand(&mut document, deeper, false).await?;
                }
                *value = Value::Object(document);
                return Ok(());
            }
            match value {
                Value::Object(members) => self.expand(members, expand, related).await,
                Value::Array(items) => {
                    for item in items {
                        self.expand_value(item, expand, related).await?;
                    }
                    Ok(())
                }
                _ => Ok(()),
            }
        })
    }
}

/// The target of a link to a whole resource.
fn target(value: &Value) -> Option<&str> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    let uri = members.get("@odata.id")?.as_str()?;
    (uri.starts_with("/redfish/v1/") && !uri.contains('#')).then_some(uri)
}

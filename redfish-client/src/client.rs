//! The client: operations by name, which are generated, and operations by link, which are here.
//!
//! Redfish is hypermedia: a program should go from the service root by links instead of putting paths together. The
//! methods here take what the resources contain, a [`Ref`], the target of an [`Action`] or a plain URI, and refuse to
//! leave the service.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use redfish_model::service_root::ServiceRoot;
use redfish_model::{Action, Ref};
use reqwest::header::{HeaderValue, IF_MATCH};
use reqwest::{Method, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::transport::{As, Shared};
use crate::{Answer, Api, Builder, Decoded, Error, Query, Result};

/// A client of one Redfish service. Clones share connections and session.
///
/// The methods of [`Api`] can be called on it directly: `client.systems_list()`.
#[derive(Clone, Debug)]
pub struct Client {
    api: Api,
}

/// Something that leads to a resource.
pub trait Link {
    /// The URI; `None` when the service gave none.
    fn uri(&self) -> Option<Cow<'_, str>>;

    /// The resource, when it stands in the link's place.
    fn in_place(&self) -> Option<Value> {
        None
    }
}

impl Link for str {
    fn uri(&self) -> Option<Cow<'_, str>> {
        Some(self.into())
    }
}

impl Link for String {
    fn uri(&self) -> Option<Cow<'_, str>> {
        Some(self.into())
    }
}

impl<T> Link for Ref<T> {
    fn uri(&self) -> Option<Cow<'_, str>> {
        self.odata_id().map(Into::into)
    }

    fn in_place(&self) -> Option<Value> {
        self.expanded_value()
    }
}

impl Client {
    /// Starts with the address of a service, such as `https://bmc.example`. With `http` everybody on the way can read
    /// the password.
    pub fn builder(url: &str) -> Builder {
        Builder::new(url)
    }

    pub(crate) const fn new(api: Api) -> Self {
        Self { api }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.api.inner.0
    }

    /// The address of the service.
    pub fn url(&self) -> &str {
        self.shared().base.as_str()
    }

    /// The URI of the client's session, when there is one.
    pub fn session(&self) -> Option<String> {
        self.shared().session()
    }

    /// Ends the session, for all clones; what is sent afterwards is sent without credentials. Does nothing for a client
    /// without session.
    ///
    /// # Errors
    /// The service refuses, or cannot be reached.
    pub async fn logout(&self) -> Result<()> {
        self.shared().logout().await
    }

    /// The service root, where all links start.
    ///
    /// # Errors
    /// Those of [`get_uri`](Self::get_uri).
    pub async fn root(&self) -> Result<Decoded<ServiceRoot>> {
        self.get_uri("/redfish/v1/", &Query::new()).await
    }

    /// The resource that a link leads to. One that stands in the link's place is read without a request.
    ///
    /// # Errors
    /// Those of [`get_uri`](Self::get_uri).
    pub async fn get<T: DeserializeOwned>(&self, link: &Ref<T>) -> Result<Decoded<T>> {
        if let Some(value) = link.in_place() {
            let uri = || link.odata_id().unwrap_or_default().to_owned();
            return Decoded::from_value(value)
                .map_err(|source| Error::Decode { uri: uri(), source });
        }
        self.get_uri(required(link)?.as_ref(), &Query::new()).await
    }

    /// The resource at a URI. A fragment (`/redfish/v1/Chassis/1/Power#/PowerSupplies/0`) is a part of it.
    ///
    /// # Errors
    /// The URI leads to another server; the service refuses or cannot be reached; the answer is no `T`.
    pub async fn get_uri<T: DeserializeOwned>(
        &self,
        uri: &str,
        query: &Query,
    ) -> Result<Decoded<T>> {
        let mut url = self.shared().resolve(uri)?;
        let fragment = url.fragment().filter(|fragment| !fragment.is_empty()).map(str::to_owned);
        url.set_fragment(None);
        query.apply(&mut url);
        let reply =
            self.shared().exchange(self.shared().request(Method::GET, url), As::User).await?;
        let Some(pointer) = fragment else { return reply.decode() };
        let document = reply.decode::<Value>()?.into_inner();
        let part = document.pointer(&pointer).ok_or_else(|| Error::Uri(uri.to_owned()))?;
        Decoded::from_value(part.clone()).map_err(|source| reply.unreadable(source))
    }

    /// Changes a resource. With `if_match`, only when it has not changed since it had this tag: see [`Decoded::etag`].
    ///
    /// # Errors
    /// Those of [`get_uri`](Self::get_uri); a resource that has changed is [`Error::Service`] with status 412.
    pub async fn patch<T: DeserializeOwned>(
        &self,
        link: &(impl Link + ?Sized),
        body: &impl Serialize,
        if_match: Option<&str>,
    ) -> Result<Answer<T>> {
        let url = self.shared().resolve(&required(link)?)?;
        self.write(self.shared().request_with(Method::PATCH, url, body)?, if_match).await
    }

    /// Adds a resource to a collection, or invokes an action.
    ///
    /// # Errors
    /// Those of [`get_uri`](Self::get_uri).
    pub async fn post<T: DeserializeOwned>(
        &self,
        link: &(impl Link + ?Sized),
        body: &impl Serialize,
    ) -> Result<Answer<T>> {
        let url = self.shared().resolve(&required(link)?)?;
        self.write(self.shared().request_with(Method::POST, url, body)?, None).await
    }

    /// Deletes a resource; `if_match` as for [`patch`](Self::patch).
    ///
    /// # Errors
    /// Those of [`patch`](Self::patch).
    pub async fn delete<T: DeserializeOwned>(
        &self,
        link: &(impl Link + ?Sized),
        if_match: Option<&str>,
    ) -> Result<Answer<T>> {
        let url = self.shared().resolve(&required(link)?)?;
        self.write(self.shared().request(Method::DELETE, url), if_match).await
    }

    /// Invokes an action that a resource offers. [`post`](Self::post) to its target is the same for an action that
    /// answers with a resource.
    ///
    /// # Errors
    /// Those of [`get_uri`](Self::get_uri).
    pub async fn action<P: Serialize>(
        &self,
        action: &Action<P>,
        parameters: &P,
    ) -> Result<Answer<()>> {
        let target = action.target.as_deref();
        self.post(target.ok_or_else(|| Error::Uri(String::new()))?, parameters).await
    }

    async fn write<T: DeserializeOwned>(
        &self,
        mut request: Request,
        if_match: Option<&str>,
    ) -> Result<Answer<T>> {
        if let Some(tag) = if_match {
            let tag = HeaderValue::from_str(tag).map_err(|_| Error::Header("the tag"))?;
            request.headers_mut().insert(IF_MATCH, tag);
        }
        let reply = self.shared().exchange(request, As::User).await?;
        if reply.status.is_success() {
            Ok(Answer::from_reply(&reply))
        } else {
            Err(reply.refused())
        }
    }
}

impl Deref for Client {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

pub(crate) fn required(link: &(impl Link + ?Sized)) -> Result<Cow<'_, str>> {
    link.uri().ok_or_else(|| Error::Uri(String::new()))
}

//! The members of a collection, one after the other, whatever it takes to get them.
//!
//! A service may send a collection in pages (`Members@odata.nextLink`), and may put the members themselves into it when
//! asked (`$expand`). Which of the two happens is hidden here: the caller sees resources.

use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::stream::{StreamExt as _, unfold};
use redfish_model::{Any, Ref};
use reqwest::StatusCode;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::client::required;
use crate::{Client, Decoded, Error, Expand, Link, Query, Result};

/// Resources that come one after the other: a stream, which can also be read without any further crate.
pub struct Items<T> {
    stream: Pin<Box<dyn Stream<Item = Result<Decoded<T>>> + Send>>,
}

impl<T> Items<T> {
    pub(crate) fn new(stream: impl Stream<Item = Result<Decoded<T>>> + Send + 'static) -> Self {
        Self { stream: Box::pin(stream.fuse()) }
    }

    /// The next one; `None` when there are no more.
    pub async fn next(&mut self) -> Option<Result<Decoded<T>>> {
        poll_fn(|cx| self.stream.as_mut().poll_next(cx)).await
    }

    /// All of them.
    ///
    /// # Errors
    /// The first one that is an error.
    pub async fn all(mut self) -> Result<Vec<Decoded<T>>> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await {
            all.push(item?);
        }
        Ok(all)
    }
}

impl<T> Stream for Items<T> {
    type Item = Result<Decoded<T>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.stream.as_mut().poll_next(cx)
    }
}

impl<T> std::fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}

/// What all collections have in common. Members are not read yet: one that cannot be must not cost the others.
struct Page {
    members: Vec<Value>,
    next: Option<String>,
}

impl<'de> Deserialize<'de> for Page {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut page = Value::deserialize(deserializer)?;
        let Some(Value::Array(members)) = page.get_mut("Members").map(Value::take) else {
            return Err(D::Error::custom("a collection without Members"));
        };
        let next = page.get("Members@odata.nextLink").and_then(Value::as_str);
        Ok(Self { members, next: next.map(str::to_owned) })
    }
}

/// Where the walk through a collection is.
struct Walk {
    client: Client,
    /// The next page; `Err` at the start, for a link that leads nowhere.
    next: Option<Result<String>>,
    query: Query,
    members: VecDeque<Value>,
    seen: HashSet<String>,
}

impl Client {
    /// The members of a collection. The requests are made as the members are asked for; with `$expand`, where the
    /// service offers it, there is one for each page, else one for each member. A member that cannot be had is an error
    /// among the others; a page that cannot be had is the last error.
    ///
    /// ```no_run
    /// # async fn f(client: redfish_client::Client) -> redfish_client::Result<()> {
    /// use redfish_model::computer_system::ComputerSystem;
    ///
    /// let mut systems = client.members::<ComputerSystem>("/redfish/v1/Systems");
    /// while let Some(system) = systems.next().await {
    ///     println!("{:?}", system?.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn members<T>(&self, collection: &(impl Link + ?Sized)) -> Items<T>
    where
        T: DeserializeOwned + Send + 'static,
    {
        self.members_with(collection, Query::new())
    }

    /// The same with parameters such as `$filter` for the collection.
    pub fn members_with<T>(&self, collection: &(impl Link + ?Sized), query: Query) -> Items<T>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let mut walk = Walk {
            client: self.clone(),
            next: Some(required(collection).map(String::from)),
            query,
            members: VecDeque::new(),
            seen: HashSet::new(),
        };
        if let Some(Ok(page)) = collection.in_place().map(Decoded::<Page>::from_value) {
            walk.take(page.into_inner());
        }
        Items::new(unfold(walk, async |mut walk| Some((walk.step().await?, walk))))
    }

    /// What `$expand` to use for the members of collections; `None` when the service does not offer it.
    async fn expand(&self) -> Option<Query> {
        let look = async || {
            let root = self.root().await?;
            let features = root.protocol_features_supported.value();
            let expand = features.and_then(|features| features.expand_query.value());
            let has = |field: &redfish_model::Field<bool>| field.copied() == Some(true);
            Ok::<_, Error>(expand.and_then(|expand| {
                // The collection's links are its members.
                let all = || has(&expand.expand_all).then_some(Expand::All);
                let what = has(&expand.no_links).then_some(Expand::Subordinate).or_else(all)?;
                Some(Query::new().expand(what))
            }))
        };
        self.shared().expand.get_or_try_init(look).await.ok()?.clone()
    }
}

impl Walk {
    async fn step<T: DeserializeOwned>(&mut self) -> Option<Result<Decoded<T>>> {
        loop {
            if let Some(member) = self.members.pop_front() {
                return Some(self.member(member).await);
            }
            if let Err(error) = self.page().await? {
                (self.next, self.members) = (None, VecDeque::new());
                return Some(Err(error));
            }
        }
    }

    async fn member<T: DeserializeOwned>(&self, member: Value) -> Result<Decoded<T>> {
        let unreadable =
            |source| Error::Decode { uri: "a member of the collection".to_owned(), source };
        let link = Ref::<Any>::deserialize(&member).map_err(unreadable)?;
        if link.is_expanded() {
            return Decoded::from_value(member).map_err(unreadable);
        }
        self.client.get_uri(&required(&link)?, &Query::new()).await
    }

    /// Reads the next page; `None` when there is none.
    async fn page(&mut self) -> Option<Result<()>> {
        let uri = match self.next.take()? {
            Ok(uri) => uri,
            Err(error) => return Some(Err(error)),
        };
        Some(self.read_page(uri).await)
    }

    async fn read_page(&mut self, uri: String) -> Result<()> {
        let first = self.seen.is_empty();
        if !self.seen.insert(uri.clone()) {
            return Err(Error::PageLoop(uri));
        }
        // The links to further pages have the parameters already.
        let query = if first { std::mem::take(&mut self.query) } else { Query::new() };
        let expand = if first { self.client.expand().await } else { None };
        let page: Decoded<Page> = match expand {
            None => self.client.get_uri(&uri, &query).await?,
            Some(expand) => match self.client.get_uri(&uri, &query.clone().and(&expand)).await {
                // Some services say that they expand, and then do not for every collection.
                Err(Error::Service { status, .. }) if cannot_expand(status) => {
                    self.client.get_uri(&uri, &query).await?
                }
                page => page?,
            },
        };
        self.take(page.into_inner());
        Ok(())
    }

    fn take(&mut self, page: Page) {
        self.members = page.members.into();
        self.next = page.next.map(Ok);
    }
}

const fn cannot_expand(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST | StatusCode::INTERNAL_SERVER_ERROR | StatusCode::NOT_IMPLEMENTED
    )
}

//! A whole service: who asks, what they see, and then the router.
//!
//! ```
//! use redfish_server::{Router, Service};
//!
//! // Without an authenticator nobody has credentials: only what is public answers.
//! let service = std::sync::Arc::new(Service::new(Router::new()));
//! let app: axum::Router = service.into_axum();
//! ```

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};

use crate::authenticate::Authenticator;
use crate::context::{Context, Naming, People, Principal, Scope};
use crate::error::{Error, Result};
use crate::messages;
use crate::operation::Operation;
use crate::router::{Answered, Router, refusal};

/// Where a request came from and what it was sent to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Origin {
    /// The client's address, as far as proxies that we trust tell it.
    pub client: Option<SocketAddr>,
    /// `http` or `https`, as the client used it.
    pub scheme: &'static str,
    /// The host that the client asked for; empty when it did not say.
    pub host: Box<str>,
    /// What the endpoint shows.
    pub scope: Arc<Scope>,
}

impl Origin {
    /// An endpoint that shows this much.
    pub fn new(scope: impl Into<Arc<Scope>>) -> Self {
        Self { client: None, scheme: "https", host: Box::default(), scope: scope.into() }
    }
}

/// Is told of each request when it is answered: for logs, metrics and audit.
pub trait Observer: Send + Sync + 'static {
    /// A request was answered. This must not wait for anything.
    fn answered(&self, request: &Finished<'_>);
}

/// A request that was answered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path; without the query, which may hold secrets.
    pub path: &'a str,
    /// The operation, where the request got as far as to one.
    pub operation: Option<&'static Operation>,
    /// Who asked, if that is known.
    pub principal: Option<&'a Principal>,
    /// From where.
    pub client: Option<SocketAddr>,
    /// The id of the request.
    pub request_id: &'a str,
    /// The status of the answer.
    pub status: StatusCode,
    /// How long it took.
    pub took: Duration,
}

/// A router behind a chain of authenticators.
pub struct Service {
    router: Arc<Router>,
    chain: Vec<Arc<dyn Authenticator>>,
    observers: Vec<Arc<dyn Observer>>,
    ids: RequestIds,
}

impl Service {
    /// A service that nobody can log in to yet.
    pub fn new(router: impl Into<Arc<Router>>) -> Self {
        Self {
            router: router.into(),
            chain: Vec::new(),
            observers: Vec::new(),
            ids: RequestIds::new(),
        }
    }

    /// Adds a way of authenticating, which is asked after those before it.
    #[must_use]
    pub fn authenticator(mut self, authenticator: Arc<dyn Authenticator>) -> Self {
        self.chain.push(authenticator);
        self
    }

    /// Adds somebody who is told of each request.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Answers a request.
    pub async fn call(&self, origin: Origin, request: Request<Body>) -> Response {
        let started = Instant::now();
        let (head, body) = request.into_parts();
        let secure = origin.scheme == "https";
        let mut cx = Context::new(None, Arc::clone(&origin.scope));
        cx.client = origin.client;
        cx.scheme = origin.scheme;
        cx.host = origin.host;
        cx.request_id = self.ids.next();
        let identified = match self.admit(&head, &cx).await {
            Ok(principal) => {
                cx.scope = narrowed(&cx.scope, principal.as_deref());
                cx.principal = principal;
                Ok(())
            }
            Err(error) => Err(error),
        };
        let asked = cx.clone();
        let mut response = match identified {
            Ok(()) => self.router.call(cx, &head, body).await,
            Err(error) => refusal(error),
        };
        secure_headers(response.headers_mut(), secure);
        if let Ok(id) = HeaderValue::try_from(asked.request_id.as_ref()) {
            response.headers_mut().insert(HeaderName::from_static("x-request-id"), id);
        }
        let finished = Finished {
            method: &head.method,
            path: head.uri.path(),
            operation: response.extensions().get::<Answered>().map(|answered| answered.0),
            principal: asked.principal.as_deref(),
            client: asked.client,
            request_id: &asked.request_id,
            status: response.status(),
            took: started.elapsed(),
        };
        self.observers.iter().for_each(|observer| observer.answered(&finished));
        response
    }

    /// Who asks; refuses what nobody needs to ask about.
    async fn admit(&self, head: &Parts, cx: &Context) -> Result<Option<Arc<Principal>>> {
        let path = head.uri.path();
        if !self.router.serves(path) {
            return Err(Error::not_found(path));
        }
        if is_foreign(head, &cx.host) {
            return Err(Error::new(StatusCode::FORBIDDEN, messages::access_forbidden()));
        }
        for authenticator in &self.chain {
            let client = cx.client.map(|client| client.ip());
            if let Some(verdict) = authenticator.authenticate(head, client).await {
                return verdict.map(Some);
            }
        }
        Ok(None)
    }

    /// As an axum service, for who has a listener: it shows everything and knows no addresses.
    pub fn into_axum(self: Arc<Self>) -> axum::Router {
        let scope = Arc::new(Scope::all());
        axum::Router::new().fallback(move |request: Request<Body>| {
            let (service, origin) = (Arc::clone(&self), Origin::new(Arc::clone(&scope)));
            async move { service.call(origin, request).await }
        })
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("router", &self.router).finish_non_exhaustive()
    }
}

/// What an endpoint shows, as far as the account may see it.
fn narrowed(shown: &Arc<Scope>, principal: Option<&Principal>) -> Arc<Scope> {
    let Some(principal) = principal.filter(|p| !p.is_unscoped() || p.view) else {
        return Arc::clone(shown);
    };
    let mut scope = Scope::clone(shown);
    scope.machines = shown.machines.and(&principal.machines);
    if principal.view {
        scope.naming = Naming::View;
    }
    if !principal.is_unscoped() {
        scope.people = People::Only(principal.account.clone());
    }
    scope.into()
}

/// Whether a page of somebody else's site makes the browser send a write.
fn is_foreign(head: &Parts, host: &str) -> bool {
    if matches!(head.method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return false;
    }
    let header = |name: HeaderName| head.headers.get(name).map(|value| value.to_str());
    let cross_site = header(HeaderName::from_static("sec-fetch-site"))
        .is_some_and(|site| site.is_ok_and(|site| site == "cross-site"));
    let foreign = header(header::ORIGIN).is_some_and(|origin| {
        let origin = origin.ok().and_then(|origin| origin.split_once("://"));
        origin.is_none_or(|(_, origin)| !origin.eq_ignore_ascii_case(host))
    });
    cross_site || foreign
}

/// Headers for browsers, on every answer.
fn secure_headers(headers: &mut HeaderMap, secure: bool) {
    let mut add = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    add(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    add(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'");
    if secure {
        add(header::STRICT_TRANSPORT_SECURITY, "max-age=63072000");
    }
}

/// Ids of requests: which process, and which of its requests.
struct RequestIds {
    process: u32,
    count: AtomicU64,
}

impl RequestIds {
    fn new() -> Self {
        // Without randomness the ids of two processes may meet, which nothing depends on.
        let process = getrandom::u32().unwrap_or_else(|_| std::process::id());
        Self { process, count: AtomicU64::new(0) }
    }

    fn next(&self) -> Arc<str> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}-{count:x}", self.process).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Machines;

    #[test]
    fn accounts_narrow_what_is_shown() {
        let only = |ids: &[&str]| Machines::Only(ids.iter().map(|id| (*id).to_owned()).collect());
        let mut principal = Principal::new("a", "Operator", []);
        let whole = Arc::new(Scope::all());
        assert!(Arc::ptr_eq(&narrowed(&whole, Some(&principal)), &whole));
        principal.machines = only(&["x"]);
        principal.view = true;
        let scope = narrowed(&whole, Some(&principal));
        assert_eq!((scope.machine("1"), scope.machine("y")), (Some("x"), None));
        assert!(scope.has_account("a") && !scope.has_account("b"));
        let view = Arc::new(Scope { machines: only(&["y"]), ..Scope::all() });
        assert_eq!(narrowed(&view, Some(&principal)).machines, only(&[]));
    }

    #[test]
    fn writes_by_other_sites() {
        let check = |method: &str, headers: &[(&str, &str)], expect: bool| {
            let mut request = Request::builder().method(method).uri("/redfish/v1/");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let (head, ()) = request.body(()).unwrap().into_parts();
            assert_eq!(is_foreign(&head, "bmc:8443"), expect, "{method} {headers:?}");
        };
        check("POST", &[], false);
        check("POST", &[("origin", "https://bmc:8443")], false);
        check("POST", &[("origin", "https://BMC:8443")], false);
        check("POST", &[("origin", "https://evil")], true);
        check("POST", &[("origin", "https://bmc")], true);
        check("POST", &[("origin", "null")], true);
        check("DELETE", &[("sec-fetch-site", "cross-site")], true);
        check("DELETE", &[("sec-fetch-site", "same-origin")], false);
        check("GET", &[("origin", "https://evil")], false);
    }

    #[test]
    fn ids_differ() {
        let ids = RequestIds::new();
        assert_ne!(ids.next(), ids.next());
        assert_eq!(ids.next().split_once('-').map(|(process, _)| process.len()), Some(8));
    }
}

//! The way of every request to the service and of every answer back: the generated methods, the links and the event
//! stream all pass here.
//!
//! So there is one place for what must hold for each of them: credentials go to the service's own origin only, an
//! answer has a largest size, a busy service is asked again, an ended session is made again.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use redfish_model::RedfishError;
use reqwest::header::{ACCEPT, ETAG, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Request, Response, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::auth::Auth;
use crate::retry::{Attempts, RetryPolicy, retry_after};
use crate::{Decoded, Error, Result};

/// How many redirections in a row are followed.
const REDIRECTIONS: u32 = 5;
/// How much of an answer that is no Redfish error is quoted.
const EXCERPT: usize = 200;

/// What all clones of a client share.
pub(crate) struct Shared {
    pub(crate) base: Url,
    pub(crate) http: reqwest::Client,
    pub(crate) auth: Auth,
    pub(crate) timeout: Duration,
    pub(crate) retry: RetryPolicy,
    pub(crate) body_limit: u64,
    /// What `$expand` to use for the members of a collection; found out when first needed.
    pub(crate) expand: tokio::sync::OnceCell<Option<crate::Query>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base", &self.base.as_str())
            .field("auth", &self.auth)
            .finish_non_exhaustive()
    }
}

/// In whose name a request is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// The user's; a session that has ended is made again.
    User,
    /// The user's, in the present session.
    Present,
    /// Nobody's.
    Nobody,
}

/// An answer with its whole body.
pub(crate) struct Reply {
    pub(crate) url: Url,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// What to do with an answer.
enum Next {
    Return,
    Login(u64),
    Wait(Duration),
    Redirect(Url),
}

impl Shared {
    /// The URL of a URI that the service or the caller gave.
    pub(crate) fn resolve(&self, uri: &str) -> Result<Url> {
        self.resolve_from(&self.base, uri)
    }

    fn resolve_from(&self, base: &Url, uri: &str) -> Result<Url> {
        let url = base.join(uri).map_err(|_| Error::Uri(uri.to_owned()))?;
        self.check_origin(&url)?;
        Ok(url)
    }

    fn check_origin(&self, url: &Url) -> Result<()> {
        let user = !url.username().is_empty() || url.password().is_some();
        if url.origin() != self.base.origin() || user {
            let mut shown = url.clone();
            // Fails for URLs without a host, which have no user either.
            let _ = (shown.set_username(""), shown.set_password(None));
            return Err(Error::OtherOrigin(shown.into()));
        }
        Ok(())
    }

    pub(crate) fn request(&self, method: Method, url: Url) -> Request {
        let mut request = Request::new(method, url);
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        request
    }

    pub(crate) fn request_with(
        &self,
        method: Method,
        url: Url,
        body: &impl Serialize,
    ) -> Result<Request> {
        let mut request = self.request(method, url);
        let body = serde_json::to_vec(body).map_err(Error::Encode)?;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(reqwest::header::CONTENT_TYPE, json);
        *request.body_mut() = Some(body.into());
        Ok(request)
    }

    /// Sends a request and reads the whole answer, whatever its status.
    pub(crate) async fn exchange(&self, mut request: Request, name: As) -> Result<Reply> {
        *request.timeout_mut() = Some(self.timeout);
        let mut response = self.send(request, name).await?;
        let limit = self.body_limit;
        if response.content_length().is_some_and(|length| length > limit) {
            return Err(Error::TooLarge { limit });
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(Error::transport)? {
            if (body.len() as u64).saturating_add(chunk.len() as u64) > limit {
                return Err(Error::TooLarge { limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Reply {
            url: response.url().clone(),
            status: response.status(),
            headers: hide_token(std::mem::take(response.headers_mut())),
            body: body.freeze(),
        })
    }

    /// Sends a request whose answer is read as it comes. The time is bounded until the answer starts.
    pub(crate) async fn open(&self, request: Request) -> Result<Response> {
        let answer = tokio::time::timeout(self.timeout, self.send(request, As::User)).await;
        answer.map_err(|_| Error::Timeout(None))?
    }

    async fn send(&self, mut request: Request, name: As) -> Result<Response> {
        let headers = request.headers_mut();
        headers.insert(HeaderName::from_static("odata-version"), HeaderValue::from_static("4.0"));
        // The generated methods say there which schema release they are of; it means nothing to a service.
        headers.remove("api-version");
        let mut attempts = Attempts::new(self.retry);
        let mut may_login = name == As::User;
        let mut redirections = 0;
        loop {
            self.check_origin(request.url())?;
            // The clone has no credentials yet.
            let again = request.try_clone();
            let method = request.method().clone();
            let session = match name {
                As::Nobody => None,
                As::User | As::Present => self.auth.apply(request.headers_mut()),
            };
            let response = match self.http.execute(request).await {
                Ok(response) => response,
                Err(error) => match (again, attempts.after_failure(&method, &error)) {
                    (Some(again), Some(wait)) => {
                        tokio::time::sleep(wait).await;
                        request = again;
                        continue;
                    }
                    _ => return Err(Error::transport(error)),
                },
            };
            let next = match session {
                Some(session) if may_login && response.status() == StatusCode::UNAUTHORIZED => {
                    Next::Login(session)
                }
                _ => match attempts.after_answer(response.status(), response.headers()) {
                    Some(wait) => Next::Wait(wait),
                    None => {
                        self.redirection(&method, &response)?.map_or(Next::Return, Next::Redirect)
                    }
                },
            };
            let Some(mut again) = again else { return Ok(response) };
            match next {
                Next::Return => return Ok(response),
                Next::Login(session) => {
                    may_login = false;
                    self.login_again(session).await?;
                }
                Next::Wait(wait) => tokio::time::sleep(wait).await,
                Next::Redirect(_) if redirections == REDIRECTIONS => {
                    return Err(redirected(&response));
                }
                Next::Redirect(url) => {
                    redirections += 1;
                    *again.url_mut() = url;
                }
            }
            request = again;
        }
    }

    /// Where a redirection leads that may be followed. 301 to 303 turn a write into a GET, whose success would be taken
    /// for that of the write.
    fn redirection(&self, method: &Method, response: &Response) -> Result<Option<Url>> {
        let read = matches!(*method, Method::GET | Method::HEAD);
        match response.status().as_u16() {
            307 | 308 => {}
            301..=303 if read => {}
            300..=399 => return Err(redirected(response)),
            _ => return Ok(None),
        }
        self.resolve_from(response.url(), &location(response.headers())).map(Some)
    }

    /// A login needs requests itself, so that the compiler has to be told where the types end.
    fn login_again(&self, session: u64) -> Pin<Box<dyn Future<Output = Result<()>> + Send + '_>> {
        Box::pin(self.login(Some(session)))
    }
}

impl Reply {
    /// The resource; an error when the service refused.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Result<Decoded<T>> {
        if !self.status.is_success() {
            return Err(self.refused());
        }
        let decoded =
            Decoded::<T>::from_slice(&self.body).map_err(|source| self.unreadable(source))?;
        Ok(decoded.with_etag(self.etag()))
    }

    pub(crate) fn unreadable(&self, source: serde_json::Error) -> Error {
        Error::Decode { uri: self.url.path().to_owned(), source }
    }

    pub(crate) fn etag(&self) -> Option<String> {
        self.headers.get(ETAG)?.to_str().ok().map(str::to_owned)
    }

    /// The error that the service answered.
    pub(crate) fn refused(&self) -> Error {
        Error::Service {
            status: self.status,
            error: Box::new(self.redfish_error()),
            retry_after: retry_after(&self.headers),
        }
    }

    /// The error body; of an answer that is none, such as that of a proxy, what it says.
    pub(crate) fn redfish_error(&self) -> RedfishError {
        match Decoded::<RedfishError>::from_slice(&self.body) {
            Ok(error) if error.error.is_value() => error.into_inner(),
            _ => {
                let text = String::from_utf8_lossy(&self.body);
                let text: String = text.trim().chars().take(EXCERPT).collect();
                let text: String = text.chars().flat_map(char::escape_default).collect();
                let mut error = RedfishError::default();
                let detail = error.error.get_or_insert_default();
                detail.message = match text.is_empty() {
                    true => self.status.canonical_reason().unwrap_or("no reason given").into(),
                    false => text.into(),
                };
                error
            }
        }
    }
}

/// Keeps the token of a new session out of debug output.
fn hide_token(mut headers: HeaderMap) -> HeaderMap {
    if let Some(token) = headers.get_mut("x-auth-token") {
        token.set_sensitive(true);
    }
    headers
}

fn location(headers: &HeaderMap) -> String {
    let location = headers.get(LOCATION).map(HeaderValue::as_bytes).unwrap_or_default();
    String::from_utf8_lossy(location).into_owned()
}

fn redirected(response: &Response) -> Error {
    Error::Redirected { status: response.status(), location: location(response.headers()) }
}

//! Who the client is: nobody, a user with every request, or a session.
//!
//! A session (DSP0266, *Redfish session login authentication*) is made once by a POST to the collection that the
//! service root names, and then shown by a token. It may end at any time: by age, by a restart of the service, by an
//! administrator. A request that finds it ended makes the next one, and however many requests find that at the same
//! time, only one login is made.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use redfish_model::Secret;
use redfish_model::service_root::ServiceRoot;
use redfish_model::session::{Session as SessionResource, SessionCreate};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, StatusCode};

use crate::transport::{As, Reply, Shared};
use crate::{Error, Result};

const TOKEN: HeaderName = HeaderName::from_static("x-auth-token");
/// Where sessions are made when the service root does not say it.
const SESSIONS: &str = "/redfish/v1/SessionService/Sessions";

/// How requests are authenticated.
pub(crate) enum Auth {
    Nobody,
    /// The value of `Authorization`.
    Basic(HeaderValue),
    Session(Session),
}

/// A session and what is needed to make the next one.
pub(crate) struct Session {
    user: String,
    password: Secret<String>,
    present: RwLock<Present>,
    /// Held during a login.
    login: tokio::sync::Mutex<()>,
}

/// The session as it is at present.
#[derive(Clone, Default)]
struct Present {
    /// Counts the logins.
    generation: u64,
    token: Option<HeaderValue>,
    uri: Option<String>,
}

impl Auth {
    pub(crate) fn basic(user: &str, password: &Secret<String>) -> Result<Self> {
        // A colon ends the user name (RFC 7617, 2).
        if user.contains(':') {
            return Err(Error::Header("a user name with a colon"));
        }
        let text = STANDARD.encode(format!("{user}:{}", password.expose()));
        Ok(Self::Basic(sensitive(&format!("Basic {text}"), "the password")?))
    }

    pub(crate) fn session(user: String, password: Secret<String>) -> Self {
        let (present, login) = (RwLock::default(), tokio::sync::Mutex::default());
        Self::Session(Session { user, password, present, login })
    }

    /// Puts the credentials into the headers of a request; which session they are of, if of one.
    pub(crate) fn apply(&self, headers: &mut HeaderMap) -> Option<u64> {
        headers.remove(AUTHORIZATION);
        headers.remove(TOKEN);
        match self {
            Self::Nobody => None,
            Self::Basic(value) => {
                headers.insert(AUTHORIZATION, value.clone());
                None
            }
            Self::Session(session) => {
                let present = session.present();
                headers.insert(TOKEN, present.token?);
                Some(present.generation)
            }
        }
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody => f.write_str("Nobody"),
            Self::Basic(_) => f.write_str("Basic"),
            Self::Session(session) => {
                f.debug_struct("Session").field("user", &session.user).finish_non_exhaustive()
            }
        }
    }
}

impl Session {
    fn present(&self) -> Present {
        self.present.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, token: Option<HeaderValue>, uri: Option<String>) {
        let mut present = self.present.write().unwrap_or_else(PoisonError::into_inner);
        *present = Present { generation: present.generation + 1, token, uri };
    }
}

impl Shared {
    /// Logs in, unless somebody did since the session with the number `expired`.
    pub(crate) async fn login(&self, expired: Option<u64>) -> Result<()> {
        let Auth::Session(session) = &self.auth else { return Ok(()) };
        let _one_at_a_time = session.login.lock().await;
        if expired.is_some_and(|expired| session.present().generation != expired) {
            return Ok(());
        }
        let (token, uri) =
            self.new_session(session).await.map_err(|error| Error::Login(Box::new(error)))?;
        session.set(Some(token), uri);
        Ok(())
    }

    /// Makes a session; its token and its URI.
    async fn new_session(&self, session: &Session) -> Result<(HeaderValue, Option<String>)> {
        let root = self.request(Method::GET, self.resolve("/redfish/v1/")?);
        let root = self.exchange(root, As::Nobody).await?.decode::<ServiceRoot>()?;
        let sessions = root.links.value().and_then(|links| links.sessions.value()?.odata_id());
        let url = self.resolve(sessions.unwrap_or(SESSIONS))?;
        let body = SessionCreate::new(session.password.clone(), session.user.as_str());
        let request = self.request_with(Method::POST, url, &body)?;
        let reply = self.exchange(request, As::Nobody).await?;
        if !reply.status.is_success() {
            return Err(reply.refused());
        }
        let token = reply.headers.get(TOKEN).and_then(|value| value.to_str().ok());
        let token =
            token.ok_or_else(|| Error::Request("the service gave no session token".to_owned()))?;
        Ok((sensitive(token, "the session token")?, self.session_uri(&reply)))
    }

    /// Services behind an address translation tell the address that they know in `Location`.
    fn session_uri(&self, reply: &Reply) -> Option<String> {
        let own = |uri: &str| self.resolve(uri).ok().map(String::from);
        let location = reply.headers.get(LOCATION).and_then(|value| value.to_str().ok());
        location.and_then(own).or_else(|| {
            let body = reply.decode::<SessionResource>().ok()?;
            own(body.odata_id.as_deref()?)
        })
    }

    /// Ends the session, if there is one.
    pub(crate) async fn logout(&self) -> Result<()> {
        let Auth::Session(session) = &self.auth else { return Ok(()) };
        let _one_at_a_time = session.login.lock().await;
        let present = session.present();
        if present.token.is_none() {
            return Ok(());
        }
        let uri = present.uri.ok_or_else(|| Error::Uri("the URI of the session".to_owned()))?;
        let request = self.request(Method::DELETE, self.resolve(&uri)?);
        let reply = self.exchange(request, As::Present).await?;
        // A session that is not there has ended, too.
        let gone = matches!(reply.status, StatusCode::UNAUTHORIZED | StatusCode::NOT_FOUND);
        if !reply.status.is_success() && !gone {
            return Err(reply.refused());
        }
        session.set(None, None);
        Ok(())
    }

    /// The URI of the session, if there is one.
    pub(crate) fn session(&self) -> Option<String> {
        match &self.auth {
            Auth::Session(session) => session.present().uri,
            Auth::Nobody | Auth::Basic(_) => None,
        }
    }
}

/// A header value that no debug output shows.
fn sensitive(text: &str, what: &'static str) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(text).map_err(|_| Error::Header(what))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_do_not_show_credentials() {
        let auth = Auth::basic("admin", &"hunter2".into()).unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(auth.apply(&mut headers), None);
        assert_eq!(format!("{headers:?}"), r#"{"authorization": Sensitive}"#);
    }
}

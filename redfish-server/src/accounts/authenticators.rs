//! HTTP Basic and session tokens (DSP0266, "Authentication").
//!
//! A header that is of one's kind and makes no sense is a refusal, never "no credentials": a broken
//! client must not be served as nobody.

use std::future::ready;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, HeaderName};
use redfish_model::manager_account::AccountTypes;

use super::Accounts;
use crate::authenticate::{Authenticator, Verdict};
use crate::context::Principal;
use crate::error::{Error, Result};

/// The header of session tokens.
pub(super) const X_AUTH_TOKEN: HeaderName = HeaderName::from_static("x-auth-token");

/// HTTP Basic.
#[derive(Clone, Debug)]
pub struct Basic(Arc<Accounts>);

/// Session tokens, in `X-Auth-Token` or as `Authorization: Bearer`.
#[derive(Clone, Debug)]
pub struct SessionToken(Arc<Accounts>);

impl Basic {
    /// For these accounts.
    pub fn new(accounts: Arc<Accounts>) -> Self {
        Self(accounts)
    }

    async fn decide(&self, encoded: &[u8], client: Option<IpAddr>) -> Result<Arc<Principal>> {
        if !self.0.rules().http_basic_auth {
            return Err(Error::unauthorized());
        }
        let (user_name, password) = decode(encoded).ok_or_else(Error::unauthorized)?;
        let identity = self.0.verify(&user_name, &password, client).await?;
        match identity.account.value.account_types.contains(&AccountTypes::Redfish) {
            true => Ok(identity.principal),
            false => Err(Error::unauthorized()),
        }
    }
}

impl Authenticator for Basic {
    fn authenticate<'a>(&'a self, head: &'a Parts, client: Option<IpAddr>) -> Verdict<'a> {
        Box::pin(async move {
            match credentials(&head.headers, "basic") {
                Found::Nothing => None,
                Found::Nonsense => Some(Err(Error::unauthorized())),
                Found::Credentials(encoded) => Some(self.decide(encoded, client).await),
            }
        })
    }
}

impl SessionToken {
    /// For the sessions of these accounts.
    pub fn new(accounts: Arc<Accounts>) -> Self {
        Self(accounts)
    }
}

impl Authenticator for SessionToken {
    fn authenticate<'a>(&'a self, head: &'a Parts, _: Option<IpAddr>) -> Verdict<'a> {
        let token = match (only(&head.headers, &X_AUTH_TOKEN), credentials(&head.headers, "bearer"))
        {
            (Found::Nothing, other) => other,
            (token, _) => token,
        };
        Box::pin(ready(match token {
            Found::Nothing => None,
            Found::Nonsense => Some(Err(Error::unauthorized())),
            Found::Credentials(token) => Some(match std::str::from_utf8(token) {
                Ok(token) => self.0.principal_of_token(token),
                Err(_) => Err(Error::unauthorized()),
            }),
        }))
    }
}

/// What a header holds.
enum Found<'a> {
    Nothing,
    Nonsense,
    Credentials(&'a [u8]),
}

/// The value of a header that may be there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Found<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Found::Nothing,
        (Some(value), None) => Found::Credentials(value.as_bytes().trim_ascii()),
        (Some(_), Some(_)) => Found::Nonsense,
    }
}

/// What `Authorization` says by a scheme.
fn credentials<'a>(headers: &'a HeaderMap, scheme: &str) -> Found<'a> {
    let value = match only(headers, &AUTHORIZATION) {
        Found::Credentials(value) => value,
        other => return other,
    };
    let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
    let (found, rest) = value.split_at(end);
    match found.eq_ignore_ascii_case(scheme.as_bytes()) {
        true => Found::Credentials(rest.trim_ascii()),
        false => Found::Nothing,
    }
}

/// Name and password of HTTP Basic, which are UTF-8 (RFC 7617).
fn decode(encoded: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (user_name, password) = text.split_once(':')?;
    Some((user_name.to_owned(), password.to_owned()))
}

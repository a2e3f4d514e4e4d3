//! `Session` and its collection: logging in and out.

use http::HeaderValue;
use redfish_model::session::{SessionCreate, SessionTypes};
use redfish_model::{
    DateTimeOffset, Field, Ref, Secret, Session, SessionCollection, SessionCollectionUri,
    SessionUri,
};

use super::super::account::uri_of as account_uri;
use super::super::authenticators::X_AUTH_TOKEN;
use super::super::change::{about, refuse};
use super::super::session::{self as record, uri_of};
use crate::accounts::Accounts;
use crate::api::session::{SessionApi, SessionCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::messages;
use crate::mount::Reply;
use crate::store::Entry;

impl Accounts {
    fn show_session(&self, session: &Entry<record::Session>) -> Session {
        let Entry { id, value, .. } = session;
        let account = self.account(&value.account);
        let account = account.as_ref().map(|account| &account.value);
        let rules = self.rules();
        let ends = value.created + i64::from(rules.absolute_session_timeout);
        let ends = rules.absolute_session_timeout_enabled.then_some(ends);
        Session {
            user_name: account.map(|account| account.user_name.clone()).into(),
            roles: account.map(|account| vec![Some(account.role.clone())]).into(),
            // Reads as null, like that of an account.
            password: Field::Null,
            session_type: Field::Value(SessionTypes::Redfish),
            client_origin_ip_address: value.client.map(|client| client.to_string()).into(),
            created_time: DateTimeOffset::from_unix_seconds(value.created).into(),
            expiration_time: ends.and_then(DateTimeOffset::from_unix_seconds).into(),
            ..Session::new(&uri_of(id), id, "Session")
        }
    }
}

impl SessionApi for Accounts {
    fn exists(&self, scope: &Scope, uri: &SessionUri) -> bool {
        let SessionUri::SessionServiceSessions { session_id } = uri;
        self.session(session_id).is_some_and(|session| scope.has_account(&session.value.account))
    }

    async fn get(&self, _: &Context, uri: SessionUri) -> Result<Session> {
        let SessionUri::SessionServiceSessions { session_id } = &uri;
        let session = self.session(session_id);
        let session = session.ok_or_else(|| Error::not_found(&uri.to_string()))?;
        Ok(self.show_session(&session))
    }

    async fn delete(&self, _: &Context, uri: SessionUri) -> Result<Reply<()>> {
        let SessionUri::SessionServiceSessions { session_id } = &uri;
        self.log_out(session_id).await?;
        Ok(Reply::done(()))
    }
}

impl SessionCollectionApi for Accounts {
    fn exists(&self, _: &Scope, _: &SessionCollectionUri) -> bool {
        true
    }

    async fn get(&self, cx: &Context, uri: SessionCollectionUri) -> Result<SessionCollection> {
        let sessions = self.sessions();
        let visible = sessions.iter().filter(|s| cx.scope.has_account(&s.value.account));
        let members = visible.map(|session| Ref::from(&uri_of(&session.id))).collect();
        Ok(SessionCollection::new(&uri, "Sessions", members))
    }

    async fn create(
        &self,
        cx: &Context,
        _: SessionCollectionUri,
        body: SessionCreate,
    ) -> Result<Reply<Session>> {
        let mut faults = Vec::new();
        for (name, given) in
            [("UserName", body.user_name.is_value()), ("Password", body.password.is_value())]
        {
            if !given {
                faults.push(about(name, messages::property_missing(name)));
            }
        }
        refuse(faults)?;
        let user_name: String = body.user_name.value_or_default();
        let password: Secret<String> = body.password.value_or_default();
        let client = cx.client.map(|client| client.ip());
        let opened = self.log_in(&user_name, &password, client).await?;
        let token = HeaderValue::try_from(opened.token.expose().as_str());
        let mut token = token.map_err(|_| Error::internal())?;
        token.set_sensitive(true);
        let reply =
            Reply::done(self.show_session(&opened.session)).with_header(X_AUTH_TOKEN, token);
        Ok(match opened.account.value.password_change_required {
            true => {
                let account = account_uri(&opened.account.id).to_string();
                reply.with_message(messages::password_change_required(account))
            }
            false => reply,
        })
    }
}

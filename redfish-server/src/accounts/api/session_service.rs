//! `SessionService`.

use redfish_model::{
    Field, Ref, SessionCollectionUri, SessionService, SessionServiceUri,
    session_service::SessionServicePatch,
};

use super::{SettingsPatch, running};
use crate::accounts::Accounts;
use crate::api::session_service::SessionServiceApi;
use crate::context::{Context, Scope};
use crate::error::Result;
use crate::mount::Reply;

impl SessionServiceApi for Accounts {
    fn exists(&self, _: &Scope, _: &SessionServiceUri) -> bool {
        true
    }

    async fn get(&self, _: &Context, uri: SessionServiceUri) -> Result<SessionService> {
        let rules = self.rules();
        Ok(SessionService {
            session_timeout: Field::Value(rules.session_timeout.into()),
            absolute_session_timeout: Field::Value(rules.absolute_session_timeout.into()),
            absolute_session_timeout_enabled: Field::Value(rules.absolute_session_timeout_enabled),
            sessions: Field::Value(Ref::from(&SessionCollectionUri::SessionServiceSessions)),
            status: running(),
            ..SessionService::new(&uri, "SessionService", "Session Service")
        })
    }

    async fn patch(
        &self,
        cx: &Context,
        uri: SessionServiceUri,
        body: SessionServicePatch,
    ) -> Result<Reply<SessionService>> {
        let changing = self.changing.lock().await;
        let mut patch = SettingsPatch::new(self);
        patch.number("SessionTimeout", &body.session_timeout, |options| {
            &mut options.session_timeout
        });
        patch.number("AbsoluteSessionTimeout", &body.absolute_session_timeout, |options| {
            &mut options.absolute_session_timeout
        });
        if !body.absolute_session_timeout_enabled.is_absent() {
            let enabled = body.absolute_session_timeout_enabled.into_value();
            patch.set("AbsoluteSessionTimeoutEnabled", enabled, |options| {
                &mut options.absolute_session_timeout_enabled
            });
        }
        let messages = patch.apply(self).await?;
        drop(changing);
        let service = SessionServiceApi::get(self, cx, uri).await?;
        Ok(messages.into_iter().fold(Reply::done(service), Reply::with_message))
    }
}

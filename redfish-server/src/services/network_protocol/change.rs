//! PATCH of `ManagerNetworkProtocol`: which members can be written, and by whom.

use http::StatusCode;
use redfish_model::Field;
use redfish_model::manager_network_protocol::ManagerNetworkProtocolPatch;
use serde_json::Value;

use super::settings::Settings;
use crate::message::Message;
use crate::{Error, Result, messages};

/// Keeps what can be written; gives the messages about what can't, unless that is all there is.
pub(super) async fn apply(
    settings: Option<&Settings>,
    mut body: ManagerNetworkProtocolPatch,
) -> Result<Vec<Message>> {
    let mut changed = false;
    if let Some(settings) = settings {
        let _changing = settings.changing.lock().await;
        let mut options = settings.kept();
        if let Field::Value(ssdp) = &mut body.ssdp
            && settings.configured().ssdp.is_none()
            && !ssdp.protocol_enabled.is_absent()
        {
            // Null gives the setting its default back.
            options.ssdp = std::mem::take(&mut ssdp.protocol_enabled).into_value();
            changed = true;
        }
        if changed {
            settings.keep(options).await?;
        }
    }
    // What is left was not taken.
    let rest = serde_json::to_value(&body).map_err(|_| Error::internal())?;
    let refused = leaves(&rest, "").into_iter().map(|path| Message {
        related_properties: vec![format!("#/{path}")].into(),
        ..messages::property_not_writable(path)
    });
    let refused: Vec<_> = refused.collect();
    if changed || refused.is_empty() {
        return Ok(refused);
    }
    Err(Error::with_messages(StatusCode::BAD_REQUEST, refused))
}

/// The JSON pointers of the values in a body, without the first slash, as the other faults of bodies have
/// them.
fn leaves(value: &Value, path: &str) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let below = |(name, value): (&String, &Value)| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                leaves(value, &path)
            };
            members.iter().flat_map(below).collect()
        }
        _ => vec![path.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::settings::Options;
    use super::*;

    #[tokio::test]
    async fn changes_are_taken_or_refused_one_by_one() {
        // What the configuration decides, the body, the names that are refused, what holds then.
        let check = async |ours: Option<bool>, body: Value, expect: &[&str], ssdp: Option<bool>| {
            let settings = Settings::forgetful(Options { ssdp: ours }).await.unwrap();
            let patch = serde_json::from_value(body).unwrap();
            let messages = match apply(Some(&settings), patch).await {
                Ok(messages) => messages,
                Err(error) => {
                    assert_eq!(error.status, StatusCode::BAD_REQUEST);
                    assert!(settings.kept().ssdp.is_none());
                    error.messages
                }
            };
            let args = messages.iter().map(|m| m.message_args.value().unwrap()[0].clone());
            assert_eq!(args.collect::<Vec<_>>(), expect);
            assert_eq!(settings.now().ssdp, ssdp);
        };
        let on = || json!({"SSDP": {"ProtocolEnabled": true}});
        check(None, json!({}), &[], None).await;
        check(None, json!({"HTTPS": {}}), &[], None).await;
        check(None, on(), &[], Some(true)).await;
        check(None, json!({"SSDP": {"ProtocolEnabled": null}}), &[], None).await;
        check(Some(false), on(), &["SSDP/ProtocolEnabled"], Some(false)).await;
        let both = json!({"SSDP": {"ProtocolEnabled": true, "Port": 7}, "HTTPS": {"Port": 1}});
        check(None, both, &["HTTPS/Port", "SSDP/Port"], Some(true)).await;
        check(
            None,
            json!({"HTTP": {"ProtocolEnabled": true}, "HTTPS": {"Port": 1, "ProtocolEnabled": null}}),
            &["HTTP/ProtocolEnabled", "HTTPS/Port", "HTTPS/ProtocolEnabled"],
            None,
        )
        .await;
        let patch = serde_json::from_value(on()).unwrap();
        assert!(apply(None, patch).await.is_err());
    }

    #[test]
    fn faults_name_their_properties() {
        let value = json!({"A": {"B": 1, "C": {"D": null}}, "E": [1]});
        assert_eq!(leaves(&value, ""), ["A/B", "A/C/D", "E"]);
    }
}

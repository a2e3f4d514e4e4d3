//! What becomes of a write: done, or accepted and going on.
//!
//! DSP0266 lets a service answer any write with 200 or 201 and a body, with 204 and none, or with 202 and the address
//! of a task monitor. Which of these is the service's choice, so the type of each write has room for all.

use std::collections::BTreeMap;
use std::time::Duration;

use redfish_model::message::Message;
use redfish_model::task::Task;
use reqwest::StatusCode;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::retry::retry_after;
use crate::transport::Reply;
use crate::{Client, Decoded, Result, TaskMonitor};

/// The answer to a write.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<T> {
    /// It is done.
    Done(Done<T>),
    /// It goes on: status 202, or a task as the answer.
    Accepted(TaskMonitor<T>),
}

/// What a service says when it has done a write.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Done<T> {
    /// The resource as it is now, when the service sent it.
    pub resource: Option<Decoded<T>>,
    /// `Location`: the URI of what was created.
    pub location: Option<String>,
    /// `@Message.ExtendedInfo`: what the service has to say, such as a member that it did not change.
    pub messages: Vec<Message>,
    /// A body that is no `T`; as a text, when it is no JSON either. The write is done all the same.
    pub unreadable: Option<Value>,
}

impl<T> Answer<T> {
    /// What there is, when it is done.
    pub fn done(self) -> Option<Done<T>> {
        match self {
            Self::Done(done) => Some(done),
            Self::Accepted(_) => None,
        }
    }

    /// The task monitor, when it goes on.
    pub fn accepted(self) -> Option<TaskMonitor<T>> {
        match self {
            Self::Done(_) => None,
            Self::Accepted(monitor) => Some(monitor),
        }
    }
}

impl<T: DeserializeOwned> Answer<T> {
    /// Waits until it is done, if it goes on.
    ///
    /// # Errors
    /// Those of [`TaskMonitor::wait`].
    pub async fn wait(self, client: &Client, timeout: Duration) -> Result<Done<T>> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Accepted(mut monitor) => monitor.wait(client, timeout).await,
        }
    }

    pub(crate) fn from_reply(reply: &Reply) -> Self {
        Parts::of(reply).answer()
    }
}

/// What of an answer matters.
pub(crate) struct Parts {
    status: u16,
    location: Option<String>,
    retry_after: Option<Duration>,
    etag: Option<String>,
    /// `None` when there is none.
    body: Option<String>,
}

impl Parts {
    pub(crate) fn of(reply: &Reply) -> Self {
        let location = reply.headers.get(reqwest::header::LOCATION);
        let body = String::from_utf8_lossy(&reply.body);
        Self {
            status: reply.status.as_u16(),
            location: location.and_then(|value| value.to_str().ok()).map(str::to_owned),
            retry_after: retry_after(&reply.headers),
            etag: reply.etag(),
            body: (!body.trim().is_empty()).then(|| body.into_owned()),
        }
    }

    /// The body that [`Answer`] reads in the generated methods. Every answer is wrapped, so none is taken for a
    /// wrapping; the service's text stays a text.
    pub(crate) fn envelope(&self) -> Vec<u8> {
        json!({
            "status": self.status,
            "location": self.location,
            "retry_after": self.retry_after.map(|wait| wait.as_secs()),
            "etag": self.etag,
            "body": self.body,
        })
        .to_string()
        .into_bytes()
    }

    pub(crate) fn answer<T: DeserializeOwned>(self) -> Answer<T> {
        let task = self.task();
        if task.is_some() || self.status == StatusCode::ACCEPTED {
            return Answer::Accepted(TaskMonitor::new(self.location, self.retry_after, task));
        }
        Answer::Done(self.done())
    }

    /// The body, when it is a task.
    pub(crate) fn task(&self) -> Option<Decoded<Task>> {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(rename = "@odata.type")]
            odata_type: String,
        }
        let body = self.body.as_deref()?;
        let kind: Kind = serde_json::from_str(body).ok()?;
        if !kind.odata_type.trim_start_matches('#').starts_with("Task.") {
            return None;
        }
        Decoded::from_slice(body.as_bytes()).ok()
    }

    pub(crate) fn done<T: DeserializeOwned>(self) -> Done<T> {
        let mut done = Done {
            resource: None,
            location: self.location,
            messages: Vec::new(),
            unreadable: None,
        };
        let Some(body) = self.body.as_deref() else { return done };
        done.messages = messages(body);
        // Types such as `()` have no members, so there is nothing that a body could be missing.
        let none_expected = serde_json::from_str::<T>("null").is_ok();
        match Decoded::<T>::from_slice(body.as_bytes()) {
            Ok(_) if only_messages(body) => {}
            Ok(resource) => done.resource = Some(resource.with_etag(self.etag)),
            Err(_) if none_expected => {}
            Err(_) => {
                let text = || Value::from(body);
                done.unreadable = Some(serde_json::from_str(body).unwrap_or_else(|_| text()));
            }
        }
        done
    }
}

/// The messages in the body of a success; services write them as in an error, or beside the members of the resource.
fn messages(body: &str) -> Vec<Message> {
    let Ok(Value::Object(mut members)) = serde_json::from_str(body) else { return Vec::new() };
    let own = members.remove("@Message.ExtendedInfo");
    let error = || members.get_mut("error")?.get_mut("@Message.ExtendedInfo").map(Value::take);
    let Some(Value::Array(list)) = own.or_else(error) else { return Vec::new() };
    let list = list.into_iter().filter_map(|message| Decoded::from_value(message).ok());
    list.map(Decoded::into_inner).collect()
}

fn only_messages(body: &str) -> bool {
    let Ok(members) = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(body) else {
        return false;
    };
    !members.is_empty()
        && members.keys().all(|name| matches!(name.as_str(), "error" | "@Message.ExtendedInfo"))
}

#[derive(Deserialize)]
struct Envelope {
    status: u16,
    location: Option<String>,
    retry_after: Option<u64>,
    etag: Option<String>,
    body: Option<String>,
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Answer<T> {
    /// Reads the wrapping that this crate puts around answers, and nothing else.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Envelope { status, location, retry_after, etag, body } =
            Envelope::deserialize(deserializer)?;
        let retry_after = retry_after.map(Duration::from_secs);
        Ok(Parts { status, location, retry_after, etag, body }.answer())
    }
}

#[cfg(test)]
mod tests {
    use redfish_model::role::Role;

    use super::*;

    fn answer<T: DeserializeOwned>(status: u16, body: &str) -> Answer<T> {
        let body = (!body.is_empty()).then(|| body.to_owned());
        let parts =
            Parts { status, location: None, retry_after: None, etag: Some("\"1\"".into()), body };
        serde_json::from_slice(&parts.envelope()).unwrap()
    }

    #[test]
    fn bodies_are_resources_messages_or_nothing() {
        fn check<T: DeserializeOwned>(
            body: &str,
            resource: bool,
            messages: usize,
            unreadable: bool,
        ) {
            let done = answer::<T>(200, body).done().unwrap();
            let found = (done.resource.is_some(), done.messages.len(), done.unreadable.is_some());
            assert_eq!(found, (resource, messages, unreadable), "{body}");
        }
        check::<Role>("", false, 0, false);
        check::<Role>("{}", true, 0, false);
        check::<Role>(r#"{"Id": "1"}"#, true, 0, false);
        check::<Role>(
            r#"{"Id": "1", "@Message.ExtendedInfo": [{"MessageId": "a"}, 1]}"#,
            true,
            1,
            false,
        );
        check::<Role>(r#"{"@Message.ExtendedInfo": [{"MessageId": "a"}]}"#, false, 1, false);
        check::<Role>(
            r#"{"error": {"@Message.ExtendedInfo": [{"MessageId": 1}]}}"#,
            false,
            1,
            false,
        );
        check::<Role>("OK", false, 0, true);
        check::<Role>("[]", false, 0, true);
        check::<()>(r#"{"error": {"@Message.ExtendedInfo": [{}]}}"#, false, 1, false);
        check::<()>("OK", false, 0, false);
    }

    #[test]
    fn no_body_passes_for_a_wrapping() {
        let body =
            r#"{"status": 202, "location": "/x", "retry_after": 1, "etag": null, "body": null}"#;
        let done = answer::<Value>(200, body).done().unwrap();
        assert_eq!(
            done.resource.unwrap().into_inner(),
            serde_json::from_str::<Value>(body).unwrap()
        );
        assert!(serde_json::from_str::<Answer<Value>>("{}").is_err());
    }

    #[test]
    fn tasks_go_on() {
        let task =
            r##"{"@odata.type": "#Task.v1_7_4.Task", "@odata.id": "/t", "TaskState": "Running"}"##;
        assert_eq!(answer::<Role>(200, task).accepted().unwrap().uri(), Some("/t"));
        assert_eq!(answer::<Role>(202, "").accepted().unwrap().uri(), None);
        assert!(
            answer::<Role>(200, r##"{"@odata.type": "#TaskService.v1_0_0.TaskService"}"##)
                .done()
                .is_some()
        );
    }

    #[test]
    fn resources_keep_the_tag_of_the_answer() {
        let done = answer::<Role>(200, "{}").done().unwrap();
        assert_eq!(done.resource.unwrap().etag().as_deref(), Some("\"1\""));
    }
}

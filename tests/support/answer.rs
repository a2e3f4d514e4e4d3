//! An answer, and what every answer of the service must look like.

use serde_json::Value;

/// What a request got.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether the connection ends with this answer.
    pub closed: bool,
}

impl Answer {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(have, _)| have == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All headers of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    /// Whether the body says that it is JSON.
    pub fn is_json(&self) -> bool {
        let media_type = self.header("content-type").unwrap_or_default();
        media_type.split(';').next().is_some_and(|t| t.trim() == "application/json")
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!(self.is_json(), "no JSON: {}", self.summary());
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {}", self.summary()))
    }

    /// The answer itself, when it has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.summary());
        self
    }

    /// The ids of the messages in an error, or in the annotations of a success: without registry name and
    /// version, in order.
    #[track_caller]
    pub fn message_ids(&self) -> Vec<String> {
        let body = self.json();
        let error = &body["error"]["@Message.ExtendedInfo"];
        let list = if error.is_null() { &body["@Message.ExtendedInfo"] } else { error };
        let ids = list.as_array().into_iter().flatten().filter_map(|m| m["MessageId"].as_str());
        ids.map(|id| id.rsplit('.').next().unwrap_or(id).to_owned()).collect()
    }

    /// What is wrong with this answer by itself, whatever was asked (`head`: by HEAD): no answer is a 500,
    /// what says it is JSON is JSON, and every error carries a Redfish error body. Only what is refused
    /// before it is a request, with the connection closed, may have none.
    pub fn fault(&self, head: bool) -> Option<String> {
        let wrong = |what: &str| Some(format!("{what}: {}", self.summary()));
        if self.status == 500 {
            return wrong("an internal error");
        }
        if self.body.is_empty() {
            let no_request =
                self.closed && matches!(self.status, 400 | 408 | 413 | 414 | 431 | 505);
            let bare = self.status >= 400 && !head && !no_request;
            return if bare { wrong("an error without a body") } else { None };
        }
        let body = self.is_json().then(|| serde_json::from_slice::<Value>(&self.body));
        if let Some(Err(error)) = &body {
            return wrong(&format!("broken JSON ({error})"));
        }
        if self.status < 400 {
            return None;
        }
        let Some(Ok(body)) = body else { return wrong("an error that is not JSON") };
        let error = &body["error"];
        let messages = error["@Message.ExtendedInfo"].as_array();
        let complete = error["code"].is_string()
            && error["message"].is_string()
            && messages.is_some_and(|list| {
                !list.is_empty() && list.iter().all(|m| m["MessageId"].is_string())
            });
        if complete { None } else { wrong("an error without code, message and ExtendedInfo") }
    }

    /// Status, type and the start of the body, for a failure.
    pub fn summary(&self) -> String {
        let shown = &self.body[..self.body.len().min(2000)];
        let media_type = self.header("content-type").unwrap_or("no type");
        format!("{} {media_type} {}", self.status, String::from_utf8_lossy(shown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_answers() {
        #[track_caller]
        fn check(status: u16, media_type: &str, body: &str, expect: Option<&str>) {
            let headers = vec![("content-type".to_owned(), media_type.to_owned())];
            let answer = Answer { status, headers, body: body.into(), closed: status == 400 };
            let fault = answer.fault(status == 405);
            let start = fault.as_deref().map(|text| text.split(':').next().unwrap_or_default());
            assert_eq!(start, expect, "{fault:?}");
        }
        let json = "application/json; charset=utf-8";
        let good = r#"{"error":{"code":"Base.1.22.GeneralError","message":"m","@Message.ExtendedInfo":[{"MessageId":"x"}]}}"#;
        check(200, json, "{}", None);
        check(200, "text/html", "<p>", None);
        check(204, "", "", None);
        check(404, json, good, None);
        check(405, "", "", None);
        check(400, "", "", None);
        check(404, "", "", Some("an error without a body"));
        check(500, json, good, Some("an internal error"));
        check(200, json, "{", Some("broken JSON (EOF while parsing an object at line 1 column 1)"));
        check(404, "text/plain", "no", Some("an error that is not JSON"));
        check(404, json, "{}", Some("an error without code, message and ExtendedInfo"));
        check(
            404,
            json,
            &good.replace("MessageId", "Id"),
            Some("an error without code, message and ExtendedInfo"),
        );
    }
}

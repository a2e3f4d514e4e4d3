//! A client for tests: keeps one connection, sends one account's credentials, speaks JSON.

use std::cell::RefCell;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::connection::{Connection, Endpoint};

/// Who asks.
#[derive(Clone, Debug)]
pub enum Auth {
    /// Nobody.
    None,
    /// HTTP Basic: the value of `Authorization`.
    Basic(String),
    /// A session: its token and its URI.
    Session {
        /// The value of `X-Auth-Token`.
        token: String,
        /// Where the session is.
        uri: String,
    },
}

impl Auth {
    /// HTTP Basic.
    pub fn basic(user: &str, password: &str) -> Self {
        Self::Basic(format!("Basic {}", BASE64.encode(format!("{user}:{password}"))))
    }
}

/// The client.
pub struct Client {
    /// Where it sends to.
    pub endpoint: Endpoint,
    /// Who asks.
    pub auth: Auth,
    connection: RefCell<Option<Connection>>,
}

impl Client {
    /// A client that has not connected yet.
    pub fn new(endpoint: Endpoint, auth: Auth) -> Self {
        Self { endpoint, auth, connection: RefCell::default() }
    }

    /// The same endpoint for somebody else.
    pub fn with(&self, auth: Auth) -> Self {
        Self::new(self.endpoint.clone(), auth)
    }

    /// Makes a session and gives a client that uses it.
    #[track_caller]
    pub fn login(&self, user: &str, password: &str) -> Self {
        let body = json!({ "UserName": user, "Password": password });
        let answer =
            self.with(Auth::None).post("/redfish/v1/SessionService/Sessions", &body).expect(201);
        let header = |name| answer.header(name).unwrap_or_else(|| panic!("no {name} at login"));
        let (token, uri) = (header("x-auth-token").to_owned(), header("location").to_owned());
        self.with(Auth::Session { token, uri })
    }

    /// Ends the session, if there is one.
    pub fn logout(self) {
        if let Auth::Session { uri, .. } = &self.auth {
            self.delete(uri).expect(204);
        }
    }

    /// GET.
    #[track_caller]
    pub fn get(&self, uri: &str) -> Answer {
        self.request("GET", uri, &[], None)
    }

    /// GET of what must be there.
    #[track_caller]
    pub fn read(&self, uri: &str) -> Value {
        self.get(uri).expect(200).json()
    }

    /// PATCH.
    #[track_caller]
    pub fn patch(&self, uri: &str, body: &Value) -> Answer {
        self.request("PATCH", uri, &[], Some(body.to_string().as_bytes()))
    }

    /// POST.
    #[track_caller]
    pub fn post(&self, uri: &str, body: &Value) -> Answer {
        self.request("POST", uri, &[], Some(body.to_string().as_bytes()))
    }

    /// DELETE.
    #[track_caller]
    pub fn delete(&self, uri: &str) -> Answer {
        self.request("DELETE", uri, &[], None)
    }

    /// The URIs of a collection's members.
    #[track_caller]
    pub fn members(&self, uri: &str) -> Vec<String> {
        let collection = self.read(uri);
        let members = collection["Members"].as_array().unwrap_or_else(|| panic!("{collection}"));
        let uri = |member: &Value| member["@odata.id"].as_str().map(str::to_owned);
        members.iter().map(|member| uri(member).unwrap_or_else(|| panic!("{member}"))).collect()
    }

    /// Any request, the body sent as JSON unless a header says otherwise.
    #[track_caller]
    pub fn request(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Answer {
        self.try_request(method, uri, headers, body)
            .unwrap_or_else(|error| panic!("{method} {uri}: {error}"))
    }

    /// Any request, which may fail, as it does when the server goes away.
    pub fn try_request(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> io::Result<Answer> {
        let request = self.bytes(method, uri, headers, body);
        self.exchange(&request, method == "HEAD")
    }

    /// Sends a request as it is. A kept connection that the server closed meanwhile is replaced once; one
    /// that breaks within an answer is an error.
    pub fn exchange(&self, request: &[u8], head: bool) -> io::Result<Answer> {
        let kept = self.connection.borrow_mut().take();
        if let Some(connection) = kept {
            match self.on(connection, request, head) {
                Err(error) if went_away(&error) => {}
                other => return other,
            }
        }
        self.on(self.endpoint.connect()?, request, head)
    }

    fn on(&self, mut connection: Connection, request: &[u8], head: bool) -> io::Result<Answer> {
        connection.send(request)?;
        let answer = connection.receive(head)?;
        if !answer.closed {
            *self.connection.borrow_mut() = Some(connection);
        }
        Ok(answer)
    }

    /// The bytes of a request.
    pub fn bytes(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Vec<u8> {
        let mut lines = format!("{method} {uri} HTTP/1.1\r\nHost: {}\r\n", self.endpoint.host);
        let mut line = |name: &str, value: &str| lines.push_str(&format!("{name}: {value}\r\n"));
        match &self.auth {
            Auth::None => {}
            Auth::Basic(value) => line("Authorization", value),
            Auth::Session { token, .. } => line("X-Auth-Token", token),
        }
        for (name, value) in headers {
            line(name, value);
        }
        let given = |name: &str| headers.iter().any(|(have, _)| have.eq_ignore_ascii_case(name));
        if let Some(body) = body {
            if !given("content-type") {
                line("Content-Type", "application/json");
            }
            if !given("content-length") && !given("transfer-encoding") {
                line("Content-Length", &body.len().to_string());
            }
        }
        lines.push_str("\r\n");
        let mut bytes = lines.into_bytes();
        bytes.extend_from_slice(body.unwrap_or_default());
        bytes
    }
}

/// Whether the other side closed before it answered.
pub(crate) fn went_away(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected)
}

//! A server with somebody of each kind: what one may see or do is told by comparing them.

use redfish_tests::client::{Auth, Client};
use redfish_tests::mock::MACHINES;
use redfish_tests::server::{PASSWORD, Server, Setup, USER};
use serde_json::json;

/// A caller.
pub(crate) struct Actor {
    /// For messages.
    pub(crate) name: &'static str,
    /// The role; empty for nobody.
    pub(crate) role: &'static str,
    /// The machines that it may see; `None` for all.
    pub(crate) machines: Option<&'static [&'static str]>,
    /// With a session, but for nobody.
    pub(crate) client: Client,
}

/// The server and all callers.
pub(crate) struct Cast {
    pub(crate) server: Server,
    pub(crate) actors: Vec<Actor>,
}

/// Accounts of the configuration file: name, role, machines, whether they see theirs as a view.
type Account = (&'static str, &'static str, Option<&'static [&'static str]>, bool);

const ACCOUNTS: [Account; 7] = [
    (USER, "Administrator", None, false),
    ("operator", "Operator", None, false),
    ("reader", "ReadOnly", None, false),
    ("tenant-one", "Administrator", Some(&[MACHINES[0]]), false),
    ("tenant-two", "Administrator", Some(&[MACHINES[1]]), false),
    ("scoped-reader", "ReadOnly", Some(&[MACHINES[0]]), false),
    ("view", "Operator", Some(&[MACHINES[2]]), true),
];

/// An account that is nobody's of the cast.
const MADE: &str = "made";

/// How it is set up; `more` is further configuration.
pub(crate) fn setup(more: &str) -> Setup {
    let mut setup = Setup::plain().config(more);
    for (name, role, machines, view) in ACCOUNTS {
        let machines = machines.map_or(String::new(), |ids| format!("machines = {ids:?}\n"));
        let view = if view { "view = true\n" } else { "" };
        setup = setup.config(&format!(
            "[[account]]\nname = {name:?}\nrole = {role:?}\npassword_file = \"{{folder}}/password\"\n{machines}{view}"
        ));
    }
    setup.files.push(("password", format!("{PASSWORD}\n")));
    setup
}

impl Cast {
    /// Starts the server and logs everybody in.
    #[track_caller]
    pub(crate) fn start() -> Self {
        // The guard between machines has tests of its own.
        let server = setup("[compat]\nguard = \"off\"\n").start();
        let nobody = server.anonymous();
        let actor = |name, role, machines| Actor {
            name,
            role,
            machines,
            client: nobody.login(name, PASSWORD),
        };
        // An account that the configuration does not own, with a session.
        let body = json!({ "UserName": MADE, "Password": PASSWORD, "RoleId": "ReadOnly" });
        let admin = nobody.login(USER, PASSWORD);
        admin.post("/redfish/v1/AccountService/Accounts", &body).expect(201);
        admin.logout();
        let _session = nobody.login(MADE, PASSWORD);
        let mut actors: Vec<_> = ACCOUNTS
            .into_iter()
            .map(|(name, role, machines, _)| actor(name, role, machines))
            .collect();
        actors.push(Actor { name: "nobody", role: "", machines: None, client: nobody });
        Self { server, actors }
    }

    /// The actor of that name.
    pub(crate) fn actor(&self, name: &str) -> &Actor {
        self.actors.iter().find(|actor| actor.name == name).unwrap()
    }

    /// The administrator.
    pub(crate) fn admin(&self) -> &Client {
        &self.actor(USER).client
    }

    /// The credentials of everybody.
    pub(crate) fn credentials(&self) -> Vec<Auth> {
        self.actors.iter().map(|actor| actor.client.auth.clone()).collect()
    }
}

//! Who may do what: every operation of the table that the service has, tried by everybody.
//!
//! What should come out is worked out here from the table's privileges and the roles of DSP0266, not by
//! the code that the service asks. Writes are sent so that they fail after the question who asks: with a
//! body that is no JSON, or a condition that never holds. So all that is tried leaves no trace.

use std::collections::BTreeMap;

use redfish_server::operation::{Kind, OPERATIONS, Operation, Privilege};
use redfish_tests::answer::Answer;
use redfish_tests::crawl::{ROOT, crawl};
use redfish_tests::mock::MACHINES;
use serde_json::{Value, json};

use crate::cast::{Actor, Cast};

/// What the predefined roles assign (DSP0266, "Roles").
fn privileges(role: &str) -> &'static [Privilege] {
    use Privilege::{ConfigureComponents, ConfigureManager, ConfigureSelf, ConfigureUsers, Login};
    match role {
        "Administrator" => {
            &[Login, ConfigureManager, ConfigureUsers, ConfigureComponents, ConfigureSelf]
        }
        "Operator" => &[Login, ConfigureComponents, ConfigureSelf],
        "ReadOnly" => &[Login, ConfigureSelf],
        _ => &[],
    }
}

/// What must come out.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 404.
    Absent,
    /// 403 or 404: whether others' accounts exist is nobody's business.
    Hidden,
    /// Not refused for who asks.
    Allowed,
    /// Not refused for who asks, but it may look absent.
    AllowedOrAbsent,
}

impl Expect {
    fn holds(self, answer: &Answer) -> bool {
        let refused = [401, 403, 404, 405, 500].contains(&answer.status);
        match self {
            Self::Unauthorized => answer.status == 401,
            Self::Forbidden => answer.status == 403,
            Self::Absent => answer.status == 404,
            Self::Hidden => [403, 404].contains(&answer.status),
            Self::Allowed => !refused,
            Self::AllowedOrAbsent => !refused || answer.status == 404,
        }
    }
}

/// One operation at one place.
struct Try {
    operation: &'static Operation,
    uri: String,
    /// The machine that the place belongs to.
    machine: Option<String>,
}

/// Whether a role's privileges suffice; the places that are tried are nobody's own.
fn suffices(role: &str, operation: &Operation) -> bool {
    let has = privileges(role);
    operation.privileges.iter().any(|all| {
        all.iter().all(|one| {
            *one == Privilege::NoAuth || (*one != Privilege::ConfigureSelf && has.contains(one))
        })
    })
}

fn expect(actor: &Actor, attempt: &Try) -> Expect {
    let Try { operation, machine, .. } = attempt;
    if actor.role.is_empty() {
        return if operation.public { Expect::Allowed } else { Expect::Unauthorized };
    }
    let allowed = operation.public || suffices(actor.role, operation);
    let write = operation.kind != Kind::Get;
    match (actor.machines, machine) {
        (None, _) if allowed => Expect::Allowed,
        (None, _) => Expect::Forbidden,
        (Some(own), Some(machine)) if !own.contains(&machine.as_str()) => Expect::Absent,
        // Services that are shown by a machine's manager are everybody's.
        (Some(_), Some(_)) if write && operation.site.contains("/NetworkProtocol") => {
            Expect::Hidden
        }
        (Some(_), Some(_)) if allowed => Expect::Allowed,
        (Some(_), Some(_)) => Expect::Forbidden,
        // What concerns everybody is written by those who see everything.
        (Some(_), None) if operation.public => Expect::Allowed,
        (Some(_), None) if write || !allowed => Expect::Hidden,
        (Some(_), None) => Expect::AllowedOrAbsent,
    }
}

/// A resource for each template: its URI and what it says, of the machine that two tenants differ by.
fn places(cast: &Cast) -> BTreeMap<&'static str, (String, Value)> {
    let admin = cast.admin();
    let own: Vec<_> = cast.actors.iter().filter_map(|actor| session(actor)).collect();
    let mut places = BTreeMap::new();
    for (uri, document) in crawl(admin, ROOT).documents {
        let foreign = MACHINES[1..].iter().any(|id| uri.split('/').any(|segment| segment == *id));
        let account = cast.actors.iter().any(|actor| document["UserName"] == actor.name);
        if foreign || account || own.contains(&uri.as_str()) {
            continue;
        }
        let fits =
            OPERATIONS.iter().map(|operation| operation.site).filter(|site| fits(site, &uri));
        if let Some(site) = fits.min_by_key(|site| site.matches('{').count()) {
            places.entry(site).or_insert((uri, document));
        }
    }
    places
}

fn session(actor: &Actor) -> Option<&str> {
    match &actor.client.auth {
        redfish_tests::client::Auth::Session { uri, .. } => Some(uri),
        _ => None,
    }
}

fn fits(template: &str, uri: &str) -> bool {
    let (template, uri) = (template.trim_end_matches('/'), uri.trim_end_matches('/'));
    template.split('/').count() == uri.split('/').count()
        && template.split('/').zip(uri.split('/')).all(|(t, u)| t.starts_with('{') || t == u)
}

/// The machine that a URI lies below.
fn machine(uri: &str) -> Option<String> {
    let rest = ["Systems", "Managers", "Chassis"].iter().find_map(|collection| {
        uri.strip_prefix("/redfish/v1/")?.strip_prefix(collection)?.strip_prefix('/')
    })?;
    rest.split('/').next().map(str::to_owned)
}

/// All operations that the service says it has at those places.
fn tries(cast: &Cast) -> Vec<Try> {
    let places = places(cast);
    let mut tries = Vec::new();
    for operation in OPERATIONS {
        let Some((site, document)) = places.get(operation.site) else { continue };
        let uri = match operation.kind {
            Kind::Action(name) => {
                let target = action_target(document, name);
                let Some(target) = target else { continue };
                target
            }
            _ => {
                let answer = cast.admin().get(site);
                let allow = answer.header("allow").unwrap_or_default();
                if !allow.split(',').any(|method| method.trim() == operation.method().as_str()) {
                    continue;
                }
                site.clone()
            }
        };
        tries.push(Try { operation, machine: machine(site), uri });
    }
    tries
}

/// The target of an action that a resource prints.
fn action_target(document: &Value, name: &str) -> Option<String> {
    let actions = document["Actions"].as_object()?;
    let (_, action) = actions.iter().find(|(key, _)| key.rsplit('.').next() == Some(name))?;
    action["target"].as_str().map(str::to_owned)
}

fn attempt(actor: &Actor, attempt: &Try, may: bool) -> Option<Answer> {
    let method = attempt.operation.method().as_str();
    let never = [("If-Match", "\"never\"")];
    let request = |body: Option<&[u8]>| actor.client.request(method, &attempt.uri, &never, body);
    match attempt.operation.kind {
        Kind::Get => Some(actor.client.get(&attempt.uri)),
        Kind::Delete => Some(request(None)),
        // Nothing stops an action without parameters: who may is not asked to.
        Kind::Action(_) if attempt.operation.body.is_none() && may => None,
        _ => Some(request(Some(b"{ no JSON"))),
    }
}

#[test]
fn every_operation_is_for_those_who_may() {
    let cast = Cast::start();
    let tries = tries(&cast);
    let mut faults = Vec::new();
    let mut number = 0;
    for one in &tries {
        for actor in &cast.actors {
            let expect = expect(actor, one);
            let may = matches!(expect, Expect::Allowed | Expect::AllowedOrAbsent);
            // A view calls its machine otherwise; that it sees no other is a test of its own.
            if actor.name == "view" {
                continue;
            }
            let Some(answer) = attempt(actor, one, may) else { continue };
            number += 1;
            if !expect.holds(&answer) {
                let (id, uri) = (one.operation.id, &one.uri);
                faults.push(format!(
                    "{id} {uri} by {}: {expect:?} but {}",
                    actor.name,
                    answer.summary().chars().take(200).collect::<String>()
                ));
            }
        }
    }
    println!("{} operations, {number} attempts", tries.len());
    assert!(faults.is_empty(), "{} of {number}:\n{}", faults.len(), faults.join("\n"));
    // The table has several hundred; a service of machines has most of the common ones.
    assert!(tries.len() > 80, "only {} operations were there to try", tries.len());
    let kinds = |wanted: fn(&Kind) -> bool| tries.iter().any(|one| wanted(&one.operation.kind));
    assert!(kinds(|kind| *kind == Kind::Delete) && kinds(|kind| *kind == Kind::Create));
    assert!(kinds(|kind| matches!(kind, Kind::Action(_))) && kinds(|kind| *kind == Kind::Patch));
}

/// The guard: who may write to several machines does so one machine a session, unless told otherwise.
#[test]
fn a_session_writes_to_one_machine() {
    let server = crate::cast::setup("").start();
    let tag = |id: &str| (format!("/redfish/v1/Systems/{id}"), json!({ "AssetTag": "mine" }));
    let first = server.login();
    let (uri, body) = tag(MACHINES[0]);
    first.patch(&uri, &body).expect(200);
    let (other, body) = tag(MACHINES[1]);
    let refused = first.patch(&other, &body).expect(403);
    assert_eq!(refused.fault(false), None);
    first.patch(&uri, &json!({ "AssetTag": "still mine" })).expect(200);
    // Reads are free, and another session is another matter.
    first.read(&other);
    server.login().patch(&other, &body).expect(200);
}

#[test]
fn expectations_are_those_of_the_roles() {
    #[track_caller]
    fn check(
        id: &str,
        role: &'static str,
        machines: Option<&'static [&'static str]>,
        outcome: Expect,
    ) {
        let operation = OPERATIONS.iter().find(|operation| operation.id == id).unwrap();
        let endpoint =
            redfish_tests::connection::Endpoint::new("http://127.0.0.1:9", None).unwrap();
        let client =
            redfish_tests::client::Client::new(endpoint, redfish_tests::client::Auth::None);
        let actor = Actor { name: "x", role, machines, client };
        let uri = operation.site.replace("{ComputerSystemId}", "vm-1");
        let one = Try { operation, machine: machine(&uri), uri };
        assert_eq!(expect(&actor, &one), outcome, "{id} {role} {machines:?}");
    }
    check("systems_get", "", None, Expect::Unauthorized);
    check("service_root_get", "", None, Expect::Allowed);
    check("systems_get", "ReadOnly", None, Expect::Allowed);
    check("systems_reset", "ReadOnly", None, Expect::Forbidden);
    check("systems_reset", "Operator", None, Expect::Allowed);
    check("systems_reset", "Operator", Some(&["vm-1"]), Expect::Allowed);
    check("systems_reset", "Administrator", Some(&["vm-2"]), Expect::Absent);
    check("account_service_accounts_create", "Operator", None, Expect::Forbidden);
    check("account_service_accounts_create", "Administrator", Some(&["vm-1"]), Expect::Hidden);
    check("account_service_get", "ReadOnly", Some(&["vm-1"]), Expect::AllowedOrAbsent);
}

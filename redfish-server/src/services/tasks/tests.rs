//! The life of tasks: who sees them, how they end, what a restart makes of them.

use axum::body::to_bytes;
use http::{Method, header};
use redfish_model::{Object as _, OpenEnum as _, TaskCollectionUri, TaskUri, to_value_strict};
use serde_json::json;

use super::*;
use crate::api::task::{TaskApi, TaskCollectionApi};
use crate::api::task_service::TaskServiceApi;
use crate::context::{Machines, People};
use crate::operation::Privilege;
use crate::services::journal::testing::{Notebook, Time};
use crate::{Principal, State};

fn caller(account: &str, people: People, machines: Machines) -> Context {
    let principal = Principal::new(account, "Operator", [Privilege::Login]);
    Context::new(Some(principal.into()), Scope { people, machines, ..Scope::all() })
}

/// Who may configure the manager, and began nothing.
fn operator() -> Context {
    let privileges = [Privilege::Login, Privilege::ConfigureManager];
    let principal = Principal::new("somebody", "Administrator", privileges);
    Context::new(Some(principal.into()), Scope::all())
}

fn admin() -> Context {
    caller("admin", People::All, Machines::All)
}

struct Lab {
    tasks: Arc<Tasks>,
    time: Time,
    notebook: Notebook,
}

fn lab(limits: Limits) -> Lab {
    let (time, notebook) = (Time::default(), Notebook::default());
    let tasks = Tasks::with_journal(limits, notebook.clone(), time.clock(), []);
    Lab { tasks, time, notebook }
}

impl Lab {
    fn create(&self, name: &str) -> String {
        self.tasks.create(&admin(), name, None, None).unwrap()
    }

    fn restart(self) -> Self {
        let kept = self.notebook.records();
        let tasks = Tasks::with_journal(
            self.tasks.limits,
            self.notebook.clone(),
            self.time.clock(),
            kept.into_iter().chain([json!({"no": "task"})]),
        );
        Self { tasks, ..self }
    }

    fn task(&self, id: &str) -> Option<Value> {
        let record = self.tasks.find(&Scope::all(), id)?;
        Some(to_value_strict(&record.resource()).unwrap())
    }

    async fn monitor_by(&self, method: Method, cx: Context, id: &str) -> u16 {
        let page = pages(&self.tasks).remove(0);
        let answer = (page.handler)(cx, method, format!("{}{id}", monitor::FOLDER)).await;
        answer.map_or_else(|error| error.status, |response| response.status()).as_u16()
    }

    async fn monitor(&self, cx: Context, id: &str) -> (u16, Option<String>, Value) {
        let page = pages(&self.tasks).remove(0);
        let path = format!("{}{id}", monitor::FOLDER);
        let response = match (page.handler)(cx, Method::GET, path).await {
            Ok(response) => response,
            Err(error) => return (error.status.as_u16(), None, Value::Null),
        };
        let location = response.headers().get(header::LOCATION);
        let location = location.map(|value| value.to_str().unwrap().to_owned());
        let retry = response.headers().contains_key(header::RETRY_AFTER);
        assert_eq!(retry, response.status() == 202);
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        (status, location, serde_json::from_slice(&body).unwrap_or_default())
    }
}

#[tokio::test]
async fn a_task_runs_and_ends() {
    let lab = lab(Limits::default());
    let body = json!({"Image": "http://a/b", "Password": "hunter2"});
    let payload = Payload::new(&Method::POST, "/u", &body);
    let id = lab.tasks.create(&admin(), "Insert", None, Some(payload)).unwrap();
    lab.time.pass(5);
    lab.tasks.progress(&id, 40);
    let running = lab.task(&id).unwrap();
    assert_eq!((&running["TaskState"], &running["TaskStatus"]), (&"Running".into(), &"OK".into()));
    assert_eq!(running["PercentComplete"], 40);
    assert_eq!(running["StartTime"], "1970-01-01T00:00:00Z");
    assert!(running.get("EndTime").is_none() && !running.to_string().contains("hunter2"));
    let monitor = running["TaskMonitor"].as_str().unwrap();
    let (status, location, task) = lab.monitor(admin(), &id).await;
    assert_eq!((status, location.as_deref()), (202, Some(monitor)));
    assert_eq!(task["@odata.id"], running["@odata.id"]);
    lab.tasks.complete(&id, Answer::created("/new", json!({"Id": "new"})));
    let done = lab.task(&id).unwrap();
    assert_eq!((&done["TaskState"], &done["PercentComplete"]), (&"Completed".into(), &100.into()));
    assert_eq!(done["EndTime"], "1970-01-01T00:00:05Z");
    let expect = (201, Some("/new".to_owned()), json!({"Id": "new"}));
    assert_eq!(lab.monitor(admin(), &id).await, expect);
    // It ended; nothing changes it any more.
    lab.tasks.fail(&id, &Error::internal());
    lab.tasks.progress(&id, 3);
    assert_eq!(lab.task(&id).unwrap(), done);
}

#[tokio::test]
async fn the_monitor_answers_as_the_operation_would() {
    let lab = lab(Limits::default());
    let check = async |end: &dyn Fn(&str), status: u16, body: bool| {
        let id = lab.create("x");
        end(&id);
        let (found, _, answer) = lab.monitor(admin(), &id).await;
        assert_eq!((found, !answer.is_null()), (status, body));
    };
    check(&|_| {}, 202, true).await;
    check(&|id| lab.tasks.complete(id, Answer::nothing()), 204, false).await;
    check(&|id| lab.tasks.complete(id, Answer::document(json!({}))), 200, true).await;
    check(&|id| lab.tasks.fail(id, &Error::not_found("/x")), 404, true).await;
    assert_eq!(lab.monitor(admin(), "unknown").await.0, 404);
    let failed = lab.create("x");
    lab.tasks.fail(&failed, &Error::not_found("/x"));
    let task = lab.task(&failed).unwrap();
    assert_eq!(
        (&task["TaskState"], &task["TaskStatus"]),
        (&"Exception".into(), &"Critical".into())
    );
    assert_eq!(task["Messages"][0]["MessageId"], "Base.1.22.ResourceMissingAtURI");
}

#[test]
fn the_answer_to_what_goes_on_names_the_monitor() {
    let lab = lab(Limits::default());
    let id = lab.create("x");
    let reply: Reply<()> = lab.tasks.accepted(&admin(), &id).unwrap();
    let State::Accepted(accepted) = reply.state else { panic!() };
    assert_eq!(accepted.monitor, record::monitor(&id));
    assert_eq!(accepted.retry_after, Some(crate::mount::RETRY_AFTER));
    assert!(lab.tasks.accepted::<()>(&admin(), "unknown").is_err());
}

#[tokio::test]
async fn tasks_survive_and_are_told_interrupted() {
    let lab = lab(Limits::default());
    let (done, taken_up, lost) = (lab.create("a"), lab.create("b"), lab.create("c"));
    lab.tasks.complete(&done, Answer::nothing());
    let lab = lab.restart();
    let state = |lab: &Lab, id: &str| lab.task(id).unwrap()["TaskState"].clone();
    assert_eq!(lab.tasks.list(&Scope::all()), [done.clone(), taken_up.clone(), lost.clone()]);
    assert_eq!(state(&lab, &done), "Completed");
    assert_eq!(
        (state(&lab, &taken_up), state(&lab, &lost)),
        ("Interrupted".into(), "Interrupted".into())
    );
    assert_eq!(lab.monitor(admin(), &lost).await.0, 202);
    lab.tasks.resume(&taken_up);
    assert_eq!(state(&lab, &taken_up), "Running");
    lab.time.pass(i64::from(lab.tasks.limits.grace));
    assert_eq!(
        (state(&lab, &taken_up), state(&lab, &lost)),
        ("Running".into(), "Exception".into())
    );
    assert_eq!(lab.monitor(admin(), &lost).await.0, 500);
    lab.tasks.complete(&taken_up, Answer::nothing());
    let lab = lab.restart();
    assert_eq!(
        (state(&lab, &taken_up), state(&lab, &lost)),
        ("Completed".into(), "Exception".into())
    );
    // New ones come after those of before.
    let new = lab.create("d");
    assert_eq!(lab.tasks.list(&Scope::all()).last(), Some(&new));
}

#[test]
fn finished_tasks_go_after_a_while() {
    let lab = lab(Limits { minutes: 1, ..Limits::default() });
    let (done, running) = (lab.create("a"), lab.create("b"));
    lab.tasks.complete(&done, Answer::nothing());
    lab.time.pass(59);
    assert!(lab.task(&done).is_some());
    lab.time.pass(1);
    assert!(lab.task(&done).is_none() && lab.task(&running).is_some());
    assert_eq!(lab.notebook.records().len(), 1);
}

#[test]
fn there_is_a_bound_to_tasks_and_messages() {
    let lab = lab(Limits { tasks: 2, messages: 2, ..Limits::default() });
    let (a, b) = (lab.create("a"), lab.create("b"));
    let full = lab.tasks.create(&admin(), "c", None, None).unwrap_err();
    assert_eq!((full.status.as_u16(), full.retry_after.is_some()), (503, true));
    lab.tasks.complete(&b, Answer::nothing());
    let c = lab.create("c");
    assert_eq!(lab.tasks.list(&Scope::all()), [a.clone(), c]);
    for id in [messages::created(), messages::success(), messages::general_error()] {
        lab.tasks.message(&a, id);
    }
    let task = lab.task(&a).unwrap();
    let ids: Vec<_> = task["Messages"].as_array().unwrap().iter().collect();
    let ids: Vec<_> = ids.iter().map(|message| message["MessageId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["Base.1.22.Success", "Base.1.22.GeneralError"]);
}

#[tokio::test]
async fn scopes_show_what_is_theirs() {
    let lab = lab(Limits::default());
    let only = |machine: &str| Machines::Only([machine.to_owned()].into_iter().collect());
    let own = |account: &str| People::Only(account.to_owned());
    let on_a = lab.tasks.create(&caller("u", own("u"), only("a")), "x", Some("a"), None).unwrap();
    let service = lab.create("y");
    let check = async |cx: Context, expect: &[&String]| {
        assert_eq!(lab.tasks.list(&cx.scope).iter().collect::<Vec<_>>(), expect, "{cx:?}");
        for id in [&on_a, &service] {
            let there = expect.contains(&id);
            let uri = TaskUri::TaskServiceTasks { task_id: id.clone() };
            assert_eq!(TaskApi::exists(&*lab.tasks, &cx.scope, &uri), there, "{cx:?}");
            assert_eq!(lab.monitor(cx.clone(), id).await.0, if there { 202 } else { 404 });
        }
    };
    check(admin(), &[&on_a, &service]).await;
    check(caller("u", own("u"), only("a")), &[&on_a]).await;
    check(caller("v", own("v"), only("a")), &[]).await;
    check(caller("u", own("u"), only("b")), &[]).await;
    check(caller("admin", People::All, only("a")), &[&on_a, &service]).await;
}

#[tokio::test]
async fn work_that_can_be_stopped_is_cancelled() {
    let lab = lab(Limits::default());
    let stopped = || Cancel::new(async || Ok(()));
    let goes_on = || Cancel::new(async || Err(Error::unavailable(std::time::Duration::ZERO)));
    let state = |id: &str| lab.task(id).map(|task| task["TaskState"].as_str().unwrap().to_owned());
    let check = async |cancel: Option<Cancel>, status: u16, expect: &str, after: u16| {
        let id = lab.create("x");
        if let Some(cancel) = cancel {
            lab.tasks.cancellable(&id, cancel);
        }
        assert_eq!(lab.monitor_by(Method::DELETE, operator(), &id).await, status);
        assert_eq!(state(&id).as_deref(), Some(expect));
        assert_eq!(lab.monitor(admin(), &id).await.0, after);
        // Late news change nothing.
        lab.tasks.fail(&id, &Error::internal());
        id
    };
    let id = check(Some(stopped()), 204, "Cancelled", 404).await;
    assert_eq!(state(&id).as_deref(), Some("Cancelled"));
    assert!(lab.task(&id).unwrap().get("TaskMonitor").is_none());
    assert_eq!(lab.monitor_by(Method::DELETE, operator(), &id).await, 404);
    check(Some(goes_on()), 503, "Running", 202).await;
    check(None, 409, "Running", 202).await;
    // Work that fails because it is stopped was cancelled.
    let id = lab.create("x");
    let (tasks, of) = (Arc::downgrade(&lab.tasks), id.clone());
    lab.tasks.cancellable(
        &id,
        Cancel::new(move || {
            tasks.upgrade().unwrap().fail(&of, &Error::internal());
            async { Ok(()) }
        }),
    );
    let other = caller("other", People::All, Machines::All);
    assert_eq!(lab.monitor_by(Method::DELETE, other, &id).await, 403);
    assert_eq!(lab.monitor_by(Method::DELETE, operator(), &id).await, 204);
    assert_eq!(state(&id).as_deref(), Some("Cancelled"));
    // A DELETE of the Task takes it away as well.
    let id = lab.create("x");
    lab.tasks.cancellable(&id, stopped());
    let uri = TaskUri::TaskServiceTasks { task_id: id.clone() };
    assert!(TaskApi::delete(&*lab.tasks, &admin(), uri).await.is_ok());
    assert_eq!(state(&id), None);
}

#[test]
fn one_account_leaves_room_for_others() {
    let lab = lab(Limits { tasks_per_account: 1, ..Limits::default() });
    let other = caller("other", People::All, Machines::All);
    let id = lab.create("a");
    assert!(lab.tasks.create(&admin(), "b", None, None).is_err());
    assert!(lab.tasks.create(&other, "b", None, None).is_ok());
    lab.tasks.complete(&id, Answer::nothing());
    assert!(lab.tasks.create(&admin(), "b", None, None).is_ok());
}

#[tokio::test]
async fn only_finished_tasks_can_be_deleted() {
    let lab = lab(Limits::default());
    let id = lab.create("x");
    let uri = || TaskUri::TaskServiceTasks { task_id: id.clone() };
    let running = TaskApi::delete(&*lab.tasks, &admin(), uri()).await.unwrap_err();
    assert_eq!(running.status.as_u16(), 409);
    lab.tasks.complete(&id, Answer::nothing());
    assert!(TaskApi::delete(&*lab.tasks, &admin(), uri()).await.is_ok());
    assert!(lab.task(&id).is_none() && lab.notebook.records().is_empty());
    let gone = TaskApi::delete(&*lab.tasks, &admin(), uri()).await.unwrap_err();
    assert_eq!(gone.status.as_u16(), 404);
}

#[tokio::test]
async fn the_service_tells_its_rules() {
    let lab = lab(Limits::default());
    lab.create("x");
    let uri = redfish_model::TaskServiceUri::TaskService;
    let service = TaskServiceApi::get(&*lab.tasks, &admin(), uri).await.unwrap();
    let service = to_value_strict(&service).unwrap();
    assert_eq!(service["TaskAutoDeleteTimeoutMinutes"], 60);
    assert_eq!(service["Tasks"]["@odata.id"], "/redfish/v1/TaskService/Tasks");
    let uri = TaskCollectionUri::TaskServiceTasks;
    let list = TaskCollectionApi::get(&*lab.tasks, &admin(), uri).await.unwrap();
    assert!(list.extra().is_empty());
    assert_eq!(to_value_strict(&list).unwrap()["Members@odata.count"], 1);
    assert!(redfish_model::task::TaskState::Interrupted.is_known());
    let allowed: Vec<_> = mounts(&lab.tasks).iter().map(|m| m.operations.len()).collect();
    assert_eq!(allowed, [1, 1, 2]);
}

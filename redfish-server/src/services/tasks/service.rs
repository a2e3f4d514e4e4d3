//! `TaskService`, its collection and the Task resources.

use std::sync::Arc;

use redfish_model::resource::{Health, State, Status};
use redfish_model::task_service::{OverWritePolicy, TaskServicePatch};
use redfish_model::{
    DateTimeOffset, Field, Ref, Task, TaskCollection, TaskCollectionUri, TaskService,
    TaskServiceUri, TaskUri,
};

use super::Tasks;
use super::record;
use crate::api::task::{TaskApi, TaskCollectionApi, mount_task, mount_task_collection};
use crate::api::task_service::{TaskServiceApi, mount_task_service};
use crate::operation::Kind;
use crate::{Context, Error, Mount, Reply, Result, Scope};

/// Mounts the service, the collection and the tasks. There are no subtasks, and no settings that
/// clients could change.
pub fn mounts(tasks: &Arc<Tasks>) -> Vec<Mount> {
    vec![
        mount_task_service(Arc::clone(tasks)).without(&[Kind::Patch]),
        mount_task_collection(Arc::clone(tasks)).at(&["/redfish/v1/TaskService/Tasks"]),
        mount_task(Arc::clone(tasks)).at(&["/redfish/v1/TaskService/Tasks/{TaskId}"]),
    ]
}

impl TaskServiceApi for Tasks {
    fn exists(&self, _: &Scope, _: &TaskServiceUri) -> bool {
        true
    }

    async fn get(&self, _: &Context, uri: TaskServiceUri) -> Result<TaskService> {
        let status =
            Status { state: State::Enabled.into(), health: Health::OK.into(), ..Status::default() };
        let now = DateTimeOffset::from_unix_seconds((self.clock)());
        Ok(TaskService {
            date_time: now.into(),
            service_enabled: true.into(),
            status: status.into(),
            completed_task_over_write_policy: OverWritePolicy::Oldest.into(),
            life_cycle_event_on_task_state_change: false.into(),
            task_auto_delete_timeout_minutes: i64::from(self.limits.minutes).into(),
            tasks: Field::Value(Ref::from(&TaskCollectionUri::TaskServiceTasks)),
            ..TaskService::new(&uri, "TaskService", "Task Service")
        })
    }

    async fn patch(
        &self,
        _: &Context,
        _: TaskServiceUri,
        _: TaskServicePatch,
    ) -> Result<Reply<TaskService>> {
        Err(Error::method_not_allowed())
    }
}

impl TaskCollectionApi for Tasks {
    fn exists(&self, _: &Scope, uri: &TaskCollectionUri) -> bool {
        *uri == TaskCollectionUri::TaskServiceTasks
    }

    async fn get(&self, cx: &Context, uri: TaskCollectionUri) -> Result<TaskCollection> {
        let members = self.list(&cx.scope).iter().map(|id| Ref::to(record::uri(id))).collect();
        Ok(TaskCollection::new(&uri, "Tasks", members))
    }
}

/// The id in the URI of a task.
fn id(uri: &TaskUri) -> Option<&str> {
    match uri {
        TaskUri::TaskServiceTasks { task_id } => Some(task_id),
        TaskUri::TaskServiceTasksSubTasks { .. } => None,
    }
}

impl TaskApi for Tasks {
    fn exists(&self, scope: &Scope, uri: &TaskUri) -> bool {
        id(uri).is_some_and(|id| self.find(scope, id).is_some())
    }

    async fn get(&self, cx: &Context, uri: TaskUri) -> Result<Task> {
        let found = id(&uri).and_then(|id| self.find(&cx.scope, id));
        found.map(|record| record.resource()).ok_or_else(|| Error::not_found(&uri.to_string()))
    }

    async fn delete(&self, cx: &Context, uri: TaskUri) -> Result<Reply<()>> {
        let id = id(&uri).ok_or_else(|| Error::not_found(&uri.to_string()))?;
        self.delete(&cx.scope, id).await.map(Reply::done)
    }
}

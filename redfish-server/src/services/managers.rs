//! What services of the whole, shown below each manager, need to know of managers.

use std::fmt;
use std::sync::Arc;

use crate::Scope;

type List = dyn Fn(&Scope) -> Vec<String> + Send + Sync;
type Exists = dyn Fn(&Scope, &str) -> bool + Send + Sync;

/// The managers, one for each machine, by the segments that name them in URIs.
#[derive(Clone)]
pub struct Managers {
    exists: Arc<Exists>,
    list: Arc<List>,
}

impl Managers {
    /// `exists` says whether a segment names a manager of the scope; `list` gives the segments of all.
    pub fn new(
        exists: impl Fn(&Scope, &str) -> bool + Send + Sync + 'static,
        list: impl Fn(&Scope) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        Self { exists: Arc::new(exists), list: Arc::new(list) }
    }

    /// Whether the segment names a manager of the scope.
    pub fn exists(&self, scope: &Scope, segment: &str) -> bool {
        (self.exists)(scope, segment)
    }

    /// The segments of the managers of the scope.
    pub fn list(&self, scope: &Scope) -> Vec<String> {
        (self.list)(scope)
    }
}

impl fmt::Debug for Managers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Managers").finish_non_exhaustive()
    }
}

/// How the scope calls the machine that a segment names, where it names one: a view accepts the id, and
/// answers with the name of the view.
pub(super) fn canonical<'a>(scope: &'a Scope, segment: &'a str) -> &'a str {
    scope.machine(segment).map_or(segment, |id| scope.name(id))
}

/// Two machines, for tests.
#[cfg(test)]
pub(super) fn two() -> Managers {
    let all = ["a", "b"];
    Managers::new(
        move |scope, segment| scope.machine(segment).is_some_and(|id| all.contains(&id)),
        move |scope| {
            let visible = all.into_iter().filter(|id| scope.has(id));
            visible.map(|id| scope.name(id).to_owned()).collect()
        },
    )
}

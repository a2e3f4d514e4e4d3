//! What `--only` and `--skip` leave of a task's table, alike for suites and checks.

use clap::builder::PossibleValuesParser;

/// A choice among the named rows of a table; nothing asked for means all of them.
#[derive(Default)]
pub(crate) struct Selection {
    only: Vec<String>,
    skip: Vec<String>,
}

impl Selection {
    /// The choice that a command line states.
    pub(crate) fn new(only: &[String], skip: &[String]) -> Self {
        Self { only: only.to_vec(), skip: skip.to_vec() }
    }

    /// Whether a row is to run. A row may have several names (its own and its group's): any of them
    /// selects it, any of them leaves it out, and leaving out wins.
    pub(crate) fn takes(&self, names: &[&str]) -> bool {
        let in_list = |list: &[String]| list.iter().any(|entry| names.contains(&entry.as_str()));
        (self.only.is_empty() || in_list(&self.only)) && !in_list(&self.skip)
    }
}

/// Accepts the names of a table and lists them, with exit code 2, when another one is given.
pub(crate) fn one_of(names: impl IntoIterator<Item = &'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_and_skip_leave_the_rows_that_were_meant() {
        #[track_caller]
        fn check(only: &[&str], skip: &[&str], expect: &[&str]) {
            let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
            let selection = Selection::new(&owned(only), &owned(skip));
            let rows: [(&str, &[&str]); 4] = [
                ("fmt", &["fmt"]),
                ("deny", &["deny"]),
                ("unit", &["unit", "test"]),
                ("schema", &["schema", "test"]),
            ];
            let taken: Vec<_> = rows
                .iter()
                .filter(|(_, names)| selection.takes(names))
                .map(|(name, _)| *name)
                .collect();
            assert_eq!(taken, expect, "--only {only:?} --skip {skip:?}");
        }
        check(&[], &[], &["fmt", "deny", "unit", "schema"]);
        check(&["deny"], &[], &["deny"]);
        check(&["deny", "fmt"], &[], &["fmt", "deny"]);
        check(&["test"], &[], &["unit", "schema"]);
        check(&[], &["test"], &["fmt", "deny"]);
        check(&["test"], &["schema"], &["unit"]);
        check(&["unit"], &["unit"], &[]);
        check(&["unit"], &["test"], &[]);
        check(&[], &["fmt", "schema"], &["deny", "unit"]);
    }
}

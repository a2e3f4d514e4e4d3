//! The reports of the DMTF's tools, which are made alike.
//!
//! Their exit codes say only whether something failed. Warnings, and whether they looked at anything at all,
//! are in the reports: the Excel one has a row for each check, which `rows.py` prints as JSON. The totals
//! that a tool prints itself must be the sums of the rows.

use std::path::Path;
use std::time::Duration;

use redfish_tests::{root, tools};
use serde_json::Value;

/// Reading thousands of rows takes seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// The rows of the one report below a folder, by the headings of their columns.
#[track_caller]
pub(crate) fn read(run: &tools::Run, folder: &Path) -> Vec<Value> {
    let totals = totals(&run.out);
    let totals =
        totals.unwrap_or_else(|| panic!("no totals ({:?}): {}{}", run.code, run.out, run.err));
    let rows = rows(folder);
    let count = |result: &str| rows.iter().filter(|row| row["Result"] == result).count();
    let counted = [count("PASS"), count("WARN"), count("FAIL")];
    assert_eq!(counted, totals[..3], "rows and totals differ");
    assert_eq!(run.code, Some(i32::from(totals[2] > 0)));
    rows
}

/// How many rows have a result.
pub(crate) fn count(rows: &[Value], result: &str) -> usize {
    rows.iter().filter(|row| row["Result"] == result).count()
}

/// What failed and what a tool warns of, a line each.
pub(crate) fn findings(rows: &[Value]) -> Vec<String> {
    let bad = |row: &&Value| row["Result"] == "FAIL" || row["Result"] == "WARN";
    rows.iter().filter(bad).map(ToString::to_string).collect()
}

/// PASS, WARN, FAIL and NOT TESTED of the closing table.
fn totals(output: &str) -> Option<[usize; 4]> {
    let numbers = |line: &str| {
        let cells: Vec<_> = line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
        let cells: Result<Vec<usize>, _> = cells.iter().map(|cell| plain(cell).parse()).collect();
        cells.ok()?.try_into().ok()
    };
    output.lines().rev().find_map(numbers)
}

/// Without spaces and colours.
fn plain(cell: &str) -> String {
    let mut parts = cell.split('\u{1b}');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    text.trim().to_owned()
}

/// The rows of the one report below the folder.
#[track_caller]
fn rows(folder: &Path) -> Vec<Value> {
    let mut reports = Vec::new();
    for run in std::fs::read_dir(folder).unwrap() {
        let files = std::fs::read_dir(run.unwrap().path()).unwrap();
        let files = files.map(|file| file.unwrap().path());
        reports.extend(files.filter(|path| path.extension() == Some("xlsx".as_ref())));
    }
    let [report] = reports.as_slice() else { panic!("{} reports", reports.len()) };
    let mut command = tools::python("python");
    command.arg(root().join("tests/conformance/rows.py")).arg(report);
    let run = tools::run(&mut command, LIMIT);
    assert_eq!(run.code, Some(0), "{}", run.err);
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn totals_are_read_with_and_without_colours() {
        #[track_caller]
        fn check(output: &str, expect: Option<[usize; 4]>) {
            assert_eq!(totals(output), expect);
        }
        let table =
            "+--+\n| PASS | WARN | FAIL | NOT TESTED |\n+--+\n|  555  |  16 |  34  | 450 |\n+--+\n";
        check(table, Some([555, 16, 34, 450]));
        check("| \u{1b}[32m 5 \u{1b}[0m |  \u{1b}[33m1\u{1b}[0m | 0 | 4 |\n", Some([5, 1, 0, 4]));
        check("| PASS | WARN |\n", None);
        check("", None);
    }

    #[test]
    fn warnings_are_findings_too() {
        let row = |result: &str| json!({ "Result": result });
        let rows = [row("PASS"), row("WARN"), row("FAIL"), row("SKIP")];
        assert_eq!((count(&rows, "PASS"), findings(&rows).len()), (1, 2));
    }
}

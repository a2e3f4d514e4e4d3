//! How a task tells its end: a table of rows, what the failed rows need, and one plain line of counts.
//!
//! The last line, `N passed, N failed` alone on it, is what a CI reads to know that tests did run.

use std::time::{Duration, Instant};

use crate::libtest::Counts;

/// How a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All of it is well.
    Ok,
    /// Something is wrong; the task fails.
    Failed,
    /// Left out by the command line.
    Skipped,
    /// Could not be done here and does not count as a failure; the note says why.
    NotRun,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
            Self::NotRun => "not run",
        }
    }
}

/// One suite or check.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) status: Status,
    /// Tests counted; checks have none.
    pub(crate) counts: Option<Counts>,
    pub(crate) took: Option<Duration>,
    /// What the reader has to know or do.
    pub(crate) note: Option<String>,
}

impl Row {
    /// A row that was left out.
    pub(crate) fn skipped(name: &'static str) -> Self {
        Self { name, status: Status::Skipped, counts: None, took: None, note: None }
    }
}

/// The rows of a task in the order in which they ran.
pub(crate) struct Report {
    started: Instant,
    rows: Vec<Row>,
}

impl Report {
    /// Starts the clock of the `total` line.
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), rows: Vec::new() }
    }

    /// Adds the next row.
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Whether the task failed.
    pub(crate) fn failed(&self) -> bool {
        self.rows.iter().any(|row| row.status == Status::Failed)
    }

    /// Whether every row was left out: nothing was asked for.
    pub(crate) fn idle(&self) -> bool {
        self.rows.iter().all(|row| row.status == Status::Skipped)
    }

    /// Prints the table, the notes and, where tests were asked for, the closing line.
    pub(crate) fn print(&self) {
        println!("\n{}", self.table(self.started.elapsed()));
        for row in &self.rows {
            if let Some(note) = &row.note {
                println!("{}: {note}\n", row.name);
            }
        }
        if let Some(line) = self.closing() {
            println!("{line}");
        }
    }

    /// The sum over all rows that count tests; `None` when there is none.
    fn counts(&self) -> Option<Counts> {
        self.rows.iter().filter_map(|row| row.counts).reduce(|mut sum, more| {
            sum += more;
            sum
        })
    }

    fn closing(&self) -> Option<String> {
        let Counts { passed, failed, ignored } = self.counts()?;
        let skipped = if ignored > 0 { format!(", {ignored} skipped") } else { String::new() };
        Some(format!("{passed} passed, {failed} failed{skipped}"))
    }

    fn table(&self, took: Duration) -> String {
        let mut lines =
            vec![["", "status", "passed", "failed", "ignored", "seconds"].map(String::from)];
        for row in &self.rows {
            lines.push(cells(row.name, row.status.word(), row.counts, row.took));
        }
        let status = if self.failed() { Status::Failed } else { Status::Ok };
        lines.push(cells("total", status.word(), self.counts(), Some(took)));
        aligned(&lines)
    }
}

fn cells(name: &str, status: &str, counts: Option<Counts>, took: Option<Duration>) -> [String; 6] {
    let number =
        |pick: fn(Counts) -> u64| counts.map_or_else(|| "-".to_owned(), |c| pick(c).to_string());
    [
        name.to_owned(),
        status.to_owned(),
        number(|c| c.passed),
        number(|c| c.failed),
        number(|c| c.ignored),
        took.map_or_else(|| "-".to_owned(), |took| format!("{:.1}", took.as_secs_f64())),
    ]
}

/// Words to the left, numbers to the right.
fn aligned(lines: &[[String; 6]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<_> = (0..6).map(width).collect();
    let mut table = String::new();
    for line in lines {
        let mut text = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 | 1 => text.push_str(&format!("{cell:<width$}  ")),
                _ => text.push_str(&format!("{cell:>width$}  ")),
            }
        }
        table.push_str(text.trim_end());
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, status: Status, counts: Option<(u64, u64, u64)>) -> Row {
        let counts = counts.map(|(passed, failed, ignored)| Counts { passed, failed, ignored });
        Row { name, status, counts, took: Some(Duration::from_millis(1240)), note: None }
    }

    fn report(rows: Vec<Row>) -> Report {
        Report { started: Instant::now(), rows }
    }

    #[test]
    fn the_table_is_aligned() {
        let report = report(vec![
            row("advisories", Status::NotRun, None),
            row("unit", Status::Failed, Some((1234, 5, 0))),
            Row::skipped("schema"),
        ]);
        let expect = "            status   passed  failed  ignored  seconds\n\
                      advisories  not run       -       -        -      1.2\n\
                      unit        FAILED     1234       5        0      1.2\n\
                      schema      skipped       -       -        -        -\n\
                      total       FAILED     1234       5        0     61.0\n";
        assert_eq!(report.table(Duration::from_secs(61)), expect);
    }

    #[test]
    fn the_closing_line_counts_tests_only() {
        #[track_caller]
        fn check(rows: Vec<Row>, expect: Option<&str>, failed: bool) {
            let report = report(rows);
            assert_eq!(report.closing().as_deref(), expect);
            assert_eq!(report.failed(), failed);
        }
        check(vec![row("fmt", Status::Ok, None)], None, false);
        check(vec![row("fmt", Status::Failed, None)], None, true);
        check(vec![row("advisories", Status::NotRun, None)], None, false);
        check(
            vec![row("fmt", Status::Failed, None), row("unit", Status::Ok, Some((3, 0, 0)))],
            Some("3 passed, 0 failed"),
            true,
        );
        check(
            vec![
                row("unit", Status::Ok, Some((3, 0, 2))),
                row("schema", Status::Failed, Some((4, 1, 0))),
            ],
            Some("7 passed, 1 failed, 2 skipped"),
            true,
        );
        check(
            vec![row("unit", Status::Ok, Some((3, 0, 0))), Row::skipped("schema")],
            Some("3 passed, 0 failed"),
            false,
        );
    }

    #[test]
    fn a_report_of_skipped_rows_is_idle() {
        assert!(report(vec![Row::skipped("unit")]).idle());
        assert!(!report(vec![Row::skipped("unit"), row("fmt", Status::Ok, None)]).idle());
    }
}

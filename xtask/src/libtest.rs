//! Runs a test command, shows its output as it comes, and counts what its test programs report.
//!
//! The counts are read from the lines that every libtest program closes with, doc tests included; the
//! machine-readable output of libtest is not stable, and its summary line has not changed in years.

use std::io::{BufRead as _, BufReader, Write};
use std::ops::AddAssign;
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::workspace::spelled;

/// How many tests ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

/// Reads the closing line of a libtest program; `None` for every other line.
fn parse(line: &str) -> Option<Counts> {
    let (_, fields) = line.trim_end().strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = Counts::default();
    let mut seen = 0;
    for field in fields.split("; ") {
        let Some((number, kind)) = field.split_once(' ') else {
            continue;
        };
        let slot = match kind {
            "passed" => &mut counts.passed,
            "failed" => &mut counts.failed,
            "ignored" => &mut counts.ignored,
            _ => continue,
        };
        *slot = number.parse().ok()?;
        seen += 1;
    }
    (seen == 3).then_some(counts)
}

/// Runs the command to its end; whether it succeeded, and the sum of what its test programs counted.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<(bool, Counts)> {
    run_into(command, &mut std::io::stdout())
}

fn run_into(command: &mut Command, sink: &mut impl Write) -> anyhow::Result<(bool, Counts)> {
    let name = spelled(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("Cannot run `{name}`"))?;
    let mut output = BufReader::new(child.stdout.take().context("The output was not piped")?);
    let mut counts = Counts::default();
    let mut line = Vec::new();
    // Bytes, not text: a test may print anything.
    while output.read_until(b'\n', &mut line)? > 0 {
        sink.write_all(&line)?;
        if let Some(more) = parse(&String::from_utf8_lossy(&line)) {
            counts += more;
        }
        line.clear();
    }
    Ok((child.wait()?.success(), counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_told_from_everything_else() {
        #[track_caller]
        fn check(line: &str, expect: Option<(u64, u64, u64)>) {
            let expect = expect.map(|(passed, failed, ignored)| Counts { passed, failed, ignored });
            assert_eq!(parse(line), expect, "{line}");
        }
        check(
            "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.41s\n",
            Some((12, 0, 3)),
        );
        check(
            "test result: FAILED. 7 passed; 2 failed; 0 ignored; 0 measured; 5 filtered out; finished in 1.00s",
            Some((7, 2, 0)),
        );
        check(
            "test result: \u{1b}[32mok\u{1b}[m. 1 passed; 0 failed; 0 ignored; 0 measured",
            Some((1, 0, 0)),
        );
        check("test result: ok. 1 passed; 0 failed", None);
        check("test result: ok. many passed; 0 failed; 0 ignored", None);
        check("test result_parses ... ok", None);
        check("  test result: ok. 1 passed; 0 failed; 0 ignored", None);
        check("running 4 tests", None);
        check("", None);
    }

    #[test]
    fn counts_of_several_programs_add_up_and_all_output_is_shown() -> anyhow::Result<()> {
        let line = "test result: ok. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out";
        let mut shown = Vec::new();
        let mut command = Command::new("printf");
        // Into a buffer: on the real output, the run that this test is part of would count these lines.
        let (success, counts) =
            run_into(command.arg(format!("{line}\nnoise \\377\n{line}")), &mut shown)?;
        assert!(success);
        assert_eq!(counts, Counts { passed: 4, failed: 2, ignored: 2 });
        assert_eq!(shown, [line.as_bytes(), b"\nnoise \xff\n", line.as_bytes()].concat());
        assert!(!run_into(&mut Command::new("false"), &mut shown)?.0);
        Ok(())
    }
}

//! Counts outcomes per type and tells what went wrong.

use std::collections::BTreeMap;
use std::fmt;
use std::process::ExitCode;

use crate::check::Outcome;

/// How many of the faults of one kind are listed.
const LISTED: usize = 50;

/// What became of all documents.
#[derive(Debug, Default)]
pub(crate) struct Report {
    types: BTreeMap<String, Counts>,
    unsupported: BTreeMap<String, usize>,
    no_resource: usize,
    faults: Vec<String>,
    misfits: Vec<String>,
    missing: BTreeMap<String, usize>,
}

#[derive(Debug, Default)]
struct Counts {
    documents: usize,
    identical: usize,
    different: usize,
    unparsed: usize,
    incomplete: usize,
    misfitting: usize,
}

impl Report {
    /// Adds a document.
    pub(crate) fn add(&mut self, name: &str, (schema, outcome): (String, Outcome)) {
        match outcome {
            Outcome::Unsupported => return *self.unsupported.entry(schema).or_default() += 1,
            Outcome::NoResource(why) => {
                self.no_resource += 1;
                if why != "no @odata.type" {
                    self.faults.push(format!("{name}: {why}"));
                }
                return;
            }
            _ => {}
        }
        let counts = self.types.entry(schema.clone()).or_default();
        counts.documents += 1;
        match outcome {
            Outcome::Identical { missing, misfits } => {
                counts.identical += 1;
                counts.incomplete += usize::from(!missing.is_empty());
                counts.misfitting += usize::from(!misfits.is_empty());
                self.misfits.extend(misfits.iter().map(|misfit| format!("{name}: {misfit}")));
                for pointer in missing {
                    *self.missing.entry(format!("{schema}{}", anonymous(&pointer))).or_default() +=
                        1;
                }
            }
            Outcome::Different(differences) => {
                counts.different += 1;
                self.faults.extend(differences.iter().map(|d| format!("{name}: {d}")));
            }
            Outcome::Unparsed(reason) => {
                counts.unparsed += 1;
                self.faults.push(format!("{name}: {reason}"));
            }
            Outcome::Unsupported | Outcome::NoResource(_) => {}
        }
    }

    /// 2 if there was nothing to check, 1 if something went wrong.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.types.is_empty() && self.unsupported.is_empty() {
            eprintln!("no Redfish document found");
            return ExitCode::from(2);
        }
        if self.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// `/Members/12/Id` -> `/Members/*/Id`: one line for all items of an array.
fn anonymous(pointer: &str) -> String {
    let parts = pointer.split('/').map(|part| match part.parse::<usize>() {
        Ok(_) => "*",
        Err(_) => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:36} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10}",
            "type", "documents", "identical", "different", "unparsed", "incomplete", "misfitting"
        )?;
        let mut total = Counts::default();
        for (name, counts) in &self.types {
            line(f, name, counts)?;
            total.documents += counts.documents;
            total.identical += counts.identical;
            total.different += counts.different;
            total.unparsed += counts.unparsed;
            total.incomplete += counts.incomplete;
            total.misfitting += counts.misfitting;
        }
        line(f, "total", &total)?;
        section(f, "\nnot supported by this crate", &self.unsupported)?;
        if self.no_resource > 0 {
            writeln!(f, "\nwithout @odata.type, or no JSON: {}", self.no_resource)?;
        }
        section(f, "\nrequired members missing", &self.missing)?;
        list(f, "\nvalues that do not fit their members, kept as they are", &self.misfits)?;
        list(f, "\nfaults", &self.faults)
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, counts: &Counts) -> fmt::Result {
    let Counts { documents, identical, different, unparsed, incomplete, misfitting } = counts;
    writeln!(
        f,
        "{name:36} {documents:>9} {identical:>9} {different:>9} {unparsed:>9} {incomplete:>10} {misfitting:>10}"
    )
}

fn section(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    counts: &BTreeMap<String, usize>,
) -> fmt::Result {
    if counts.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}: {}", counts.values().sum::<usize>())?;
    for (name, count) in counts {
        writeln!(f, "  {name}: {count}")?;
    }
    Ok(())
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}: {}", lines.len())?;
    for line in lines.iter().take(LISTED) {
        writeln!(f, "  {line}")?;
    }
    if lines.len() > LISTED {
        writeln!(f, "  and {} more", lines.len() - LISTED)?;
    }
    Ok(())
}

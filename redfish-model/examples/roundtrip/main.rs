//! Reads documents into their types, writes them back and compares.
//!
//! ```text
//! cargo run -p redfish-model --features all,catalog --example roundtrip -- PATH...
//! ```
//!
//! A path is a JSON file, a folder or a zip; a dump of a real BMC is as good as a published mockup.
//! Documents are compared as JSON values: order and white space apart, `1.0` is not `1`, and
//! integers are exact. Prints a table per type, then whatever differs or does not parse; exits
//! with 1 if there is any of that, with 2 if nothing could be read.

mod check;
mod report;
mod source;

use std::process::ExitCode;

const USAGE: &str = "usage: roundtrip PATH...

Reads Redfish documents (JSON files, folders or zips of them) into their typed
resources, writes them back and compares the JSON values.

exit codes: 0 all identical; 1 something differs or does not parse; 2 nothing to read";

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.iter().any(|path| path == "-h" || path == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    if paths.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let mut report = report::Report::default();
    for path in &paths {
        let read = source::each_document(path.as_ref(), &mut |name, text| {
            report.add(name, check::check(text));
        });
        if let Err(error) = read {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    }
    print!("{report}");
    report.exit_code()
}

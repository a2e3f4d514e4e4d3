//! Every rule of `tidy`, broken and kept. Paths are put together here, else this file would be a finding.

use super::*;

#[track_caller]
fn check(path: &str, text: &str, expect: &[&str]) {
    let findings: Vec<_> = check_file(path, text.as_bytes())
        .into_iter()
        .map(|(line, what)| format!("{line}: {what}"))
        .collect();
    assert_eq!(findings, expect, "{path}: {text:?}");
}

#[test]
fn paths_of_one_machine() {
    #[track_caller]
    fn check(line: &str, expect: Option<&str>) {
        assert_eq!(
            machine_path(&line.replace('%', "/")).as_deref(),
            expect.map(|e| e.replace('%', "/")).as_deref()
        );
    }
    check("cd %work%main", Some("%work%"));
    check("\"%root%.cache\"", Some("%root%"));
    check("(see %home%jo%notes)", Some("%home%"));
    check("%home%", Some("%home%"));
    check("file:%%%work%x", Some("%work%"));
    check("~%.cache, $HOME%work%x", None);
    check("..%work%x and .%root%y", None);
    check("http:%%host.example%home%page", None);
    check("%redfish%v1%Systems%1", None);
    check("%workspace%x", None);
    check("\"%rootfs\"", None);
}

#[test]
fn lines() {
    check("a.rs", "//! A.\n", &[]);
    check("a.rs", "//! A.\n\tx\n", &["2: a tab"]);
    check("a.json", "{\n\t\"a\": 1 \n}\n", &[]);
    check(
        "a.md",
        "one \ntwo\t\n",
        &["1: white space at the end of the line", "2: white space at the end of the line"],
    );
    check("a.md", "one\r\n", &["1: a carriage return"]);
    check("a.snap", "one \n", &[]);
    check("x/src/generated/a.rs", "one \n", &[]);
    check(".ci/run", "one \n", &["1: white space at the end of the line"]);
    check("a.md", "text\n<<<<<<< ours\n=======\n", &["2: a conflict that was not resolved"]);
}

#[test]
fn files() {
    check("a.md", "", &[]);
    check("a.md", "one\ntwo", &["2: no newline at the end of the file"]);
    check(
        "a.rs",
        "fn main() {}\n",
        &["1: no module documentation: the first line says what this is for"],
    );
    check("x/src/generated/a.rs", "fn main() {}\n", &[]);
    check(
        "data/DSP8010.zip",
        "PK",
        &["1: an archive; DMTF files and other data stay outside the repository"],
    );
    assert_eq!(check_file("logo.png", b"\0 \t\xff"), []);
    assert_eq!(check_file("a.txt", b"\xff\n"), [(1, "not UTF-8".to_owned())]);

    let long = |lines: usize| format!("//! Long.\n{}", "\n".repeat(lines - 1));
    check("a.rs", &long(500), &[]);
    check("a.rs", &long(501), &["501: more than 500 lines: split it by subject"]);
    check("x/src/generated/a.rs", &long(501), &[]);
    check("x/src/generated.rs", &long(501), &[]);
    check("a.md", &long(501), &[]);
}

#[test]
fn manifests() {
    #[track_caller]
    fn check(path: &str, text: &str, expect: &[&str]) {
        assert_eq!(check_manifest(path, text), expect, "{text}");
    }
    let member = "package.name = \"a\"\npackage.license.workspace = true\nlints.workspace = true\n";
    check("a/Cargo.toml", member, &[]);
    check(
        "a/Cargo.toml",
        "package.name = \"a\"\npackage.license = \"MIT\"",
        &["`package.license.workspace = true` is missing", "`lints.workspace = true` is missing"],
    );
    check("a/Cargo.toml", &format!("{member}dependencies.serde.workspace = true"), &[]);
    check(
        "a/Cargo.toml",
        &format!("{member}dependencies.serde = \"1\"\ndev-dependencies.b.path = \"../b\""),
        &[
            "dependencies.serde states its own version: `workspace = true`",
            "dev-dependencies.b states its own version: `workspace = true`",
        ],
    );
    check(
        "a/Cargo.toml",
        &format!("{member}target.'cfg(unix)'.dependencies.libc = \"1\""),
        &["dependencies.libc states its own version: `workspace = true`"],
    );
    check("Cargo.toml", "workspace.package.license = \"Apache-2.0\"", &[]);
    check(
        "Cargo.toml",
        "workspace.members = []",
        &["workspace.package.license is not \"Apache-2.0\""],
    );
    assert_eq!(check_manifest("a/Cargo.toml", "=").len(), 1);
}

//! What a release bump changed, for the person who reviews it.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde_json::Value;

use crate::error::Error;
use crate::json::ValueExt;
use crate::trim::Trimmed;

/// The report of `cargo xtask regen --relock`.
#[derive(Debug, Default)]
pub struct Report {
    sections: Vec<(String, Vec<String>)>,
}

impl Report {
    /// Compares the committed document with the new one; `dead` are patches that do not fit.
    pub fn new(old: Option<&Value>, trimmed: &Trimmed) -> Self {
        let mut report = Self::default();
        let patches = trimmed.dead.iter().map(Error::to_string).collect();
        report.section("Patches that died (remove or review them)", patches);
        let cut =
            trimmed.cut.iter().map(|(place, target)| format!("{place} -> {target}")).collect();
        report.section("References cut (outside the bundle)", cut);
        let Some(old) = old else { return report };
        for (what, list) in [
            ("Types", types as fn(&Value) -> BTreeSet<String>),
            ("Properties", properties),
            ("Enum values", enum_values),
            ("Operations", operations),
            ("Messages", messages),
        ] {
            let (before, after) = (list(old), list(&trimmed.document));
            report.section(format!("{what} added"), after.difference(&before).cloned().collect());
            report.section(format!("{what} removed"), before.difference(&after).cloned().collect());
        }
        report
    }

    fn section(&mut self, title: impl Into<String>, lines: Vec<String>) {
        self.sections.push((title.into(), lines));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, lines) in &self.sections {
            writeln!(f, "{title}: {}", lines.len())?;
            for line in lines {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

fn schemas(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    document.get("components").into_iter().flat_map(|c| c.members("schemas"))
}

fn types(document: &Value) -> BTreeSet<String> {
    schemas(document).map(|(name, _)| name.clone()).collect()
}

fn properties(document: &Value) -> BTreeSet<String> {
    schemas(document)
        .flat_map(|(name, value)| {
            value.members("properties").map(move |(p, _)| format!("{name}.{p}"))
        })
        .collect()
}

fn enum_values(document: &Value) -> BTreeSet<String> {
    schemas(document)
        .flat_map(|(name, value)| {
            value.texts("enum").into_iter().map(move |v| format!("{name}: {v}"))
        })
        .collect()
}

fn operations(document: &Value) -> BTreeSet<String> {
    document
        .members("paths")
        .flat_map(|(path, item)| {
            let operations = item.as_object().into_iter().flatten();
            let operations = operations.filter(|(_, o)| o.get("operationId").is_some());
            operations.map(move |(verb, _)| format!("{} {path}", verb.to_uppercase()))
        })
        .collect()
}

fn messages(document: &Value) -> BTreeSet<String> {
    let registry = document.get("x-messages").into_iter();
    registry.flat_map(|r| r.members("messages")).map(|(id, _)| id.clone()).collect()
}

/// A one-line summary of what the document holds.
pub fn summary(document: &Value) -> String {
    let mut text = String::new();
    _ = write!(
        text,
        "{} types, {} properties, {} operations at {} paths",
        types(document).len(),
        properties(document).len(),
        operations(document).len(),
        document.members("paths").count()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_bump_lists_what_came_and_went() {
        let document = |property: &str| json!({"components": {"schemas": {"A_A": {"properties": {property: {}}}}}, "paths": {}});
        let trimmed = Trimmed {
            document: document("New"),
            cut: vec![("A_A.X".into(), "Gone".into())],
            dead: vec![Error::Patch { file: "0001-a.toml".into(), message: "dead: gone".into() }],
        };
        let text = Report::new(Some(&document("Old")), &trimmed).to_string();
        for line in [
            "Patches that died (remove or review them): 1\n  schema/patches/0001-a.toml: dead: gone\n",
            "References cut (outside the bundle): 1\n  A_A.X -> Gone\n",
            "Properties added: 1\n  A_A.New\n",
            "Properties removed: 1\n  A_A.Old\n",
            "Operations added: 0\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }
}

//! Changes to the trimmed document that are ours, as data.
//!
//! A patch is a TOML file that says what is changed, why, and until when. It must find exactly
//! what it expects: a schema bump that fixes the problem, or moves it, shows up as an error.

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, Result};

/// One `schema/patches/NNNN-*.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// The number in the file's name.
    pub id: String,
    /// One line on what changes.
    pub title: String,
    /// The reason.
    pub why: String,
    /// The upstream issue or change, where there is one.
    pub upstream: Option<String>,
    /// When the patch can go.
    pub until: String,
    /// A JSON pointer into the trimmed document.
    pub target: String,
    /// The value that stands there; absent if nothing does.
    pub expect: Option<Value>,
    /// The value that shall stand there; absent to remove it.
    pub set: Option<Value>,
    /// The file's name, for messages.
    #[serde(skip)]
    pub file: String,
}

impl Patch {
    /// Parses a patch file.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let patch: Self = toml::from_str(text)
            .map_err(|e| Error::syntax(&format!("schema/patches/{file}"), e))?;
        let patch = Self { file: file.into(), ..patch };
        if !file.starts_with(&format!("{}-", patch.id)) {
            return Err(
                patch.error(format!("the file's name must begin with its id, `{}-`", patch.id))
            );
        }
        if patch.expect == patch.set {
            return Err(patch.error("`expect` equals `set`: it changes nothing"));
        }
        Ok(patch)
    }

    /// Applies the patch, or says why it does not fit.
    pub fn apply(&self, document: &mut Value) -> Result<()> {
        let (parent, name) = self
            .target
            .rsplit_once('/')
            .ok_or_else(|| self.error("`target` is no JSON pointer"))?;
        let name = name.replace("~1", "/").replace("~0", "~");
        let parent = document.pointer_mut(parent).and_then(Value::as_object_mut);
        let Some(parent) = parent else {
            return Err(self.error(format!("dead: {} no longer exists", self.target)));
        };
        let found = parent.get(&name);
        if found == self.set.as_ref() {
            return Err(
                self.error("dead: the document already says what it sets; remove the patch")
            );
        }
        if found != self.expect.as_ref() {
            return Err(self.error(format!(
                "expects {} at {}, but finds {}; review it",
                show(self.expect.as_ref()),
                self.target,
                show(found)
            )));
        }
        match &self.set {
            Some(value) => parent.insert(name, value.clone()),
            None => parent.remove(&name),
        };
        Ok(())
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::Patch { file: self.file.clone(), message: message.into() }
    }
}

fn show(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".into(), Value::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = r#"
        id = "0001"
        title = "t"
        why = "w"
        until = "u"
        target = "/schemas/A~1B/x"
        expect = 1
        set = 2
    "#;

    #[test]
    fn a_patch_fits_or_says_why_not() {
        let patch = Patch::parse("0001-a.toml", TEXT).unwrap();
        let check = |mut document: Value, expect: Result<Value, &str>| match (
            patch.apply(&mut document),
            expect,
        ) {
            (Ok(()), Ok(expect)) => assert_eq!(document, expect),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (result, expect) => panic!("{result:?} instead of {expect:?}"),
        };
        check(json!({"schemas": {"A/B": {"x": 1}}}), Ok(json!({"schemas": {"A/B": {"x": 2}}})));
        check(json!({"schemas": {"A/B": {"x": 2}}}), Err("dead: the document already says"));
        check(
            json!({"schemas": {"A/B": {"x": 3}}}),
            Err("expects 1 at /schemas/A~1B/x, but finds 3"),
        );
        check(json!({"schemas": {"A/B": {}}}), Err("but finds nothing"));
        check(json!({"schemas": {}}), Err("dead: /schemas/A~1B/x no longer exists"));
    }

    #[test]
    fn a_patch_can_add_and_remove() {
        let apply = |from: &str, to: &str, mut document: Value| {
            let patch = Patch::parse("0001-a.toml", &TEXT.replace(from, to)).unwrap();
            patch.apply(&mut document).unwrap();
            document
        };
        let add = apply("expect = 1", "", json!({"schemas": {"A/B": {}}}));
        assert_eq!(add, json!({"schemas": {"A/B": {"x": 2}}}));
        let remove = apply("set = 2", "", json!({"schemas": {"A/B": {"x": 1}}}));
        assert_eq!(remove, json!({"schemas": {"A/B": {}}}));
    }

    #[test]
    fn a_patch_that_changes_nothing_is_refused() {
        let error = Patch::parse("0001-a.toml", &TEXT.replace("set = 2", "set = 1")).unwrap_err();
        assert!(error.to_string().contains("changes nothing"), "{error}");
        let error = Patch::parse("0002-a.toml", TEXT).unwrap_err();
        assert!(error.to_string().contains("must begin with its id"), "{error}");
    }
}

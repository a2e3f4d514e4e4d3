//! What can go wrong between the bundle and the generated files.
//!
//! Every variant names the file and the place, and says what to do about it: the reader is
//! somebody who bumps the schema twice a year.

/// An error of the schema pipeline.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A source given with `--bundle` is not there.
    #[error(
        "{path}: no such file or folder; name the DMTF bundle (a zip or a folder) with --bundle or $REDFISH_BUNDLE"
    )]
    NoSource {
        /// The path as it was given.
        path: String,
    },
    /// A file or archive could not be read.
    #[error("{place}: cannot be read; it may be truncated or damaged: fetch it again")]
    Unreadable {
        /// The file, or archive and member.
        place: String,
        /// What the reader said.
        #[source]
        source: std::io::Error,
    },
    /// The bundle lacks a file that the pipeline needs.
    #[error(
        "{file}: not in the bundle ({sources}); it has to hold openapi/, json-schema/ and registries/ of one release"
    )]
    NoFile {
        /// The file's name within the bundle.
        file: String,
        /// The sources that were searched.
        sources: String,
    },
    /// A file of the bundle, or one of ours, does not parse.
    #[error("{file}: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// What is wrong, and where.
        message: String,
    },
    /// The bundle is not the one that `schema/release.toml` pins.
    #[error(
        "the bundle is not release {release} as pinned in schema/release.toml:\n{differences}\nuse the pinned bundle, or accept this one with --relock"
    )]
    Release {
        /// The pinned release.
        release: String,
        /// One line for each file that differs.
        differences: String,
    },
    /// A table of `schema/resources.toml` asks for what the schema does not have.
    #[error("schema/resources.toml: [{resource}]: {message}")]
    Resource {
        /// The table's name.
        resource: String,
        /// What is wrong and what is allowed.
        message: String,
    },
    /// A patch does not fit the document.
    #[error("schema/patches/{file}: {message}")]
    Patch {
        /// The patch file's name.
        file: String,
        /// What it found and what to do.
        message: String,
    },
    /// The bundle holds something that the passes do not know.
    #[error("{place}: {message}")]
    Schema {
        /// Component and property.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// Two things would get the same name in Rust.
    #[error(
        "{first} and {second} would both be named `{name}`; rename one in codegen/src/naming.rs"
    )]
    Collision {
        /// The name.
        name: String,
        /// What took it first.
        first: String,
        /// What wants it too.
        second: String,
    },
}

impl Error {
    pub(crate) fn schema(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Schema { place: place.into(), message: message.into() }
    }

    pub(crate) fn resource(resource: &str, message: impl Into<String>) -> Self {
        Self::Resource { resource: resource.into(), message: message.into() }
    }

    pub(crate) fn syntax(file: &str, message: impl std::fmt::Display) -> Self {
        Self::Syntax { file: file.into(), message: message.to_string() }
    }
}

/// The result of a step of the pipeline.
pub type Result<T, E = Error> = std::result::Result<T, E>;

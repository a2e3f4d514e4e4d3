//! What the service itself must remember: accounts, roles, sessions, subscriptions, tasks, logs,
//! certificates and settings.
//!
//! A [`Store`] keeps records of bytes by kind and id, and knows three things about them: an
//! acknowledged write survives, a write can be made to depend on what it replaces, and other
//! replicas may write too. Everything else (types, reads that never wait, caches) is in [`Table`],
//! which is why a store is small enough to be written for a file and for Kubernetes alike.
//!
//! [`Redb`] is the embedded store, one file in a [`Folder`]; [`Memory`] forgets.

mod dump;
mod folder;
mod memory;
mod redb;
mod table;

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use futures_util::stream::{BoxStream, StreamExt, empty};

pub use dump::Dump;
pub use folder::Folder;
pub use memory::Memory;
pub use redb::Redb;
pub use table::{Entry, Table};

/// What a store operation gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a store gives when it has done what it was asked.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A keeper of records.
///
/// Revisions grow with every write of a store, so that a record that was deleted and made anew
/// never has a revision twice. A write that was acknowledged survives the process.
pub trait Store: Send + Sync + 'static {
    /// All records of a kind, by id.
    fn load(&self, kind: Kind) -> Pending<'_, Vec<Record>>;

    /// Writes a record if what is there is as expected; gives its new revision.
    fn put<'a>(
        &'a self,
        kind: Kind,
        id: &'a str,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Pending<'a, u64>;

    /// Removes a record if it is as expected; gives the revision of the removal. Nothing to remove
    /// is no error where [`Expect::Any`] is.
    fn delete<'a>(&'a self, kind: Kind, id: &'a str, expect: Expect) -> Pending<'a, u64>;

    /// The changes that other replicas make. An embedded store has none: its stream ends at once.
    fn watch(&self) -> BoxStream<'static, Change> {
        empty().boxed()
    }

    /// All records as they are at one moment.
    fn export(&self) -> Pending<'_, Dump>;

    /// Puts all records in place of what is there, or nothing of it.
    fn import(&self, dump: Dump) -> Pending<'_, ()>;

    /// Looks whether everything can be read and is whole.
    fn check(&self) -> Pending<'_, ()>;
}

/// Defines [`Kind`] with its names.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What a record is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name),*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name under which stores keep them.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text),*
                }
            }

            /// The kind of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
            }
        }
    };
}

kinds! {
    /// `ManagerAccount`.
    Account = "account",
    /// `Role`.
    Role = "role",
    /// `Session`.
    Session = "session",
    /// `EventDestination`.
    Subscription = "subscription",
    /// `Task`.
    Task = "task",
    /// `LogEntry`.
    Log = "log",
    /// `Certificate`.
    Certificate = "certificate",
    /// What clients may set in services.
    Setting = "setting",
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A record as it is kept. Its bytes may hold secrets: `Debug` does not show them.
#[derive(Clone, PartialEq, Eq)]
pub struct Record {
    /// The id, unique within the kind.
    pub id: String,
    /// The revision that the last write gave it.
    pub revision: u64,
    /// The content.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("id", &self.id)
            .field("revision", &self.revision)
            .field("length", &self.bytes.len())
            .finish()
    }
}

/// What a write relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// There is no such record.
    Absent,
    /// The record has this revision.
    Revision(u64),
    /// Nothing.
    Any,
}

impl Expect {
    /// Whether a record with this revision, or none, is what was expected.
    pub fn holds(self, found: Option<u64>) -> bool {
        match self {
            Self::Absent => found.is_none(),
            Self::Revision(revision) => found == Some(revision),
            Self::Any => true,
        }
    }
}

/// What another replica did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It wrote a record.
    Put(Kind, Record),
    /// It removed a record.
    Deleted {
        /// The kind of the record.
        kind: Kind,
        /// Its id.
        id: String,
        /// The revision of the removal.
        revision: u64,
    },
}

/// Why a store did not do what it was asked. No message holds what records hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another process has it.
    #[error(
        "The state in {} is in use by another process; stop that one, or choose another folder",
        path.display()
    )]
    Locked {
        /// The state folder.
        path: PathBuf,
    },
    /// Others than the owner may read or write it.
    #[error("{} has mode {mode:04o}, so others can get at it; make it {allowed:04o}", path.display())]
    Exposed {
        /// The file or folder.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// What it should be.
        allowed: u32,
    },
    /// It is not whole.
    #[error("The state in {what} is damaged: {reason}; restore it from an export or a backup")]
    Damaged {
        /// The file or record.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer program wrote it.
    #[error("The state has schema version {found}, this program knows {known}; use the newer one")]
    Newer {
        /// The version that is there.
        found: u64,
        /// The version that this program writes.
        known: u64,
    },
    /// A write relied on something that is not so.
    #[error("The {kind} record is not as the write expected")]
    Conflict {
        /// The kind of the record.
        kind: Kind,
        /// Its revision; `None` when there is none.
        found: Option<u64>,
    },
    /// The disk or the other side failed.
    #[error("The state in {what} can't be used")]
    Io {
        /// The file or folder.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// The store failed in a way of its own.
    #[error("The state can't be used: {0}")]
    Failed(String),
}

impl Error {
    /// Whether the write could succeed after another look at what is there.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }
}

impl From<Error> for crate::Error {
    /// A lost race is for the client to repeat; why anything else failed is for the operator, whose
    /// log gets it.
    fn from(error: Error) -> Self {
        if error.is_conflict() {
            return Self::unavailable(std::time::Duration::from_secs(1));
        }
        tracing::error!(error = &error as &dyn std::error::Error, "state can't be written");
        Self::internal()
    }
}

#[cfg(test)]
mod contract;
#[cfg(test)]
mod crash;

//! What inserting and ejecting do to a slot, for every backend alike.
//!
//! Clients insert without ejecting, insert the same image again after a timeout, and eject slots that are empty, and
//! expect success each time. An import takes minutes, in which they start the machine. So the rules are pure functions
//! over what a slot holds, as with [`power`](crate::power):
//!
//! - From the moment an insert is accepted the slot shows the medium; from the moment an eject is, it no longer does.
//! - The same image again is success and changes nothing, also while it is on its way. Another image replaces it.
//! - Ejecting nothing is success.
//! - A start while an import runs waits for its end ([`holds_start`]). If it fails, the medium vanishes, the start goes
//!   on without it, and [`MediaSlot::failure`] says why.

use serde::{Deserialize, Serialize};

use crate::machine::{MediaSlot, MediumPhase};
use crate::outbound::{ImageSource, ImageUrl};

/// What a slot holds, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held<'a> {
    /// Nothing, or something whose removal was accepted.
    Empty,
    /// An image that was inserted by us.
    Image {
        /// Its URL.
        url: &'a ImageUrl,
        /// Whether the guest can't write to it.
        write_protected: bool,
        /// How it is being fetched, while it is and as long as that is known: after a restart of ours it is not.
        fetching: Option<&'a ImageSource>,
    },
    /// Something that others attached.
    Foreign,
}

impl<'a> Held<'a> {
    /// What a slot of a snapshot holds.
    pub fn in_slot(slot: &'a MediaSlot, fetching: Option<&'a ImageSource>) -> Self {
        match &slot.medium {
            None => Self::Empty,
            Some(medium) => match &medium.image {
                None => Self::Foreign,
                Some(url) => {
                    let importing = matches!(medium.phase, MediumPhase::Importing { .. });
                    let fetching = fetching.filter(|_| importing);
                    Self::Image { url, write_protected: medium.write_protected, fetching }
                }
            },
        }
    }
}

/// What an insert does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insert {
    /// It is there, or on its way as it was asked for: success.
    Nothing,
    /// The slot is free: fetch and attach.
    Fill,
    /// Something else is there: take it out, then fetch and attach.
    Replace,
}

/// What an insert does to a slot.
///
/// A medium that others attached is replaced as well: a tray has one disc, and whoever may insert may change it. An
/// image on its way with other credentials or another trust is replaced, since that fetch is about to fail; once it is
/// there, they no longer matter.
pub fn insert(held: &Held<'_>, wanted: &ImageSource) -> Insert {
    match held {
        Held::Empty => Insert::Fill,
        Held::Foreign => Insert::Replace,
        Held::Image { url, write_protected, fetching } => {
            let same = *url == wanted.url() && *write_protected == wanted.write_protected();
            if same && fetching.is_none_or(|source| source == wanted) {
                Insert::Nothing
            } else {
                Insert::Replace
            }
        }
    }
}

/// What an eject does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eject {
    /// The slot is empty: success.
    Nothing,
    /// Take it out, and end the fetch if one runs.
    Remove,
}

/// What an eject does to a slot.
pub const fn eject(held: &Held<'_>) -> Eject {
    match held {
        Held::Empty => Eject::Nothing,
        Held::Image { .. } | Held::Foreign => Eject::Remove,
    }
}

/// Whether a start has to wait: an image is on its way into one of the slots.
pub fn holds_start(slots: &[MediaSlot]) -> bool {
    slots
        .iter()
        .filter_map(|slot| slot.medium.as_ref())
        .any(|medium| matches!(medium.phase, MediumPhase::Importing { .. }))
}

/// Why a fetch failed, as a client may know it. Nothing of the answer's bytes, and no difference between a port that is
/// closed, a host that is silent and a destination that the policy refused on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
pub enum FetchFailure {
    /// No connection, or one that broke.
    #[error("The image can't be reached")]
    Unreachable,
    /// The server's certificate is not trusted.
    #[error("The certificate of the image's server is not trusted")]
    Certificate,
    /// The server wants other credentials.
    #[error("The image's server refuses the credentials")]
    Credentials,
    /// The server has no such image, or another status than success.
    #[error("The image's server answers with status {0}")]
    Status(u16),
    /// More bytes than allowed, or than announced.
    #[error("The image is larger than allowed")]
    TooLarge,
    /// Fewer bytes than announced.
    #[error("The image ended before its announced length")]
    Incomplete,
    /// It took too long.
    #[error("Fetching the image took too long")]
    TooSlow,
    /// It hashes to something else.
    #[error("The image does not have the given checksum")]
    Checksum,
    /// There is no room for it.
    #[error("There is no space for the image")]
    NoSpace,
    /// The hypervisor could not attach it.
    #[error("The image could not be attached")]
    Attach,
    /// Somebody ejected or replaced it, or the machine is gone.
    #[error("The medium was removed before it could be used")]
    Removed,
    /// The service lost what it needs to go on, such as the credentials, and it has to be inserted again.
    #[error("The import was interrupted; insert the image again")]
    Interrupted,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PartId;
    use crate::machine::{MediaKind, Medium};
    use crate::outbound::{ImageOptions, OutboundPolicy, OutboundSettings};
    use crate::secret::Credentials;

    fn source(url: &str, password: &str, write_protected: bool) -> ImageSource {
        let credentials = (!password.is_empty()).then(|| Credentials::new("user", password));
        let options = ImageOptions { credentials, write_protected, ..ImageOptions::default() };
        OutboundPolicy::new(OutboundSettings::default()).image(url, options).unwrap()
    }

    fn slot(image: Option<&ImageSource>, phase: MediumPhase) -> MediaSlot {
        let medium = Medium {
            insertion: 1,
            image: image.map(|image| image.url().clone()),
            name: None,
            write_protected: image.is_none_or(ImageSource::write_protected),
            phase,
            since: None,
        };
        MediaSlot {
            id: PartId::new("cd0").unwrap(),
            name: "cd0".into(),
            kind: MediaKind::Cd,
            medium: Some(medium),
            failure: None,
        }
    }

    const IMPORTING: MediumPhase = MediumPhase::Importing { percent: None };

    #[test]
    fn inserting_and_ejecting_follow_the_rules() {
        let a = source("http://images.example/a.iso", "", true);
        let with_password = source("http://images.example/a.iso", "one", true);
        let other_password = source("http://images.example/a.iso", "two", true);
        let writable = source("http://images.example/a.iso", "", false);
        let b = source("http://images.example/b.iso", "", true);

        let check = |there: Option<&ImageSource>, phase, fetching, wanted, expect| {
            let slot = slot(there, phase);
            let held = Held::in_slot(&slot, fetching);
            assert_eq!(insert(&held, wanted), expect, "{held:?} {wanted:?}");
            assert_eq!(eject(&held), Eject::Remove);
        };
        let usable = MediumPhase::Usable;
        // Same image again, in any phase.
        check(Some(&a), usable, None, &a, Insert::Nothing);
        check(Some(&a), MediumPhase::Staged, None, &a, Insert::Nothing);
        check(Some(&a), IMPORTING, Some(&a), &a, Insert::Nothing);
        // After a restart nobody knows how it was being fetched.
        check(Some(&with_password), IMPORTING, None, &with_password, Insert::Nothing);
        // Credentials matter while it is being fetched.
        check(
            Some(&with_password),
            IMPORTING,
            Some(&with_password),
            &other_password,
            Insert::Replace,
        );
        check(Some(&with_password), usable, Some(&with_password), &other_password, Insert::Nothing);
        // Another image, or another way of attaching it.
        check(Some(&a), usable, None, &b, Insert::Replace);
        check(Some(&a), IMPORTING, Some(&a), &b, Insert::Replace);
        check(Some(&a), usable, None, &writable, Insert::Replace);
        // Somebody else's disc.
        check(None, usable, None, &a, Insert::Replace);

        assert_eq!(insert(&Held::Empty, &a), Insert::Fill);
        assert_eq!(eject(&Held::Empty), Eject::Nothing);
    }

    #[test]
    fn a_start_waits_for_what_is_on_its_way() {
        let a = source("http://images.example/a.iso", "", true);
        let check =
            |phase, expect| assert_eq!(holds_start(&[slot(Some(&a), phase)]), expect, "{phase:?}");
        check(IMPORTING, true);
        check(MediumPhase::Usable, false);
        check(MediumPhase::Staged, false);
        assert!(!holds_start(&[]));
    }
}

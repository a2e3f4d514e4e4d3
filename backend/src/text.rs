//! Text that others wrote.
//!
//! Names, serial numbers, agent data and error messages come from VM objects, guests and hypervisors: whoever writes
//! them may be the tenant that the service guards against. They end up in JSON, logs, terminals and web pages. So no
//! such text enters the domain types as a `String`: [`Text`] is bounded and free of control characters because nothing
//! else can be constructed.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text of at most `MAX` bytes in which control characters are written as escapes.
///
/// ```
/// use redfish_backend::Text;
///
/// let text: Text<16> = Text::new("one\ntwo");
/// assert_eq!(text.as_str(), "one\\u{a}two");
/// let text: Text<16> = Text::new("a name that is far too long");
/// assert_eq!(text.as_str(), "a name that i…");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text<const MAX: usize>(Box<str>);

/// A name, a serial number, a version: what fits on a line.
pub type Label = Text<256>;

/// A reason or remedy: a sentence or two.
pub type Message = Text<1024>;

impl<const MAX: usize> Text<MAX> {
    /// Takes any text, escapes what could act, and cuts what is too long (an ellipsis shows where).
    pub fn new(untrusted: impl AsRef<str>) -> Self {
        let untrusted = untrusted.as_ref();
        let mut text = String::with_capacity(untrusted.len().min(MAX));
        // Where to cut so that the ellipsis still fits: never inside a character or an escape.
        let mut cut = 0;
        for character in untrusted.chars() {
            if acts(character) {
                text.extend(character.escape_unicode());
            } else {
                text.push(character);
            }
            if text.len() > MAX {
                text.truncate(cut);
                text.push_str(ellipsis(MAX));
                break;
            }
            if text.len() + ELLIPSIS.len() <= MAX {
                cut = text.len();
            }
        }
        Self(text.into_boxed_str())
    }

    /// The same, `None` when there is nothing to say: many sources write an empty string for "unknown".
    pub fn known(untrusted: impl AsRef<str>) -> Option<Self> {
        let trimmed = untrusted.as_ref().trim();
        (!trimmed.is_empty()).then(|| Self::new(trimmed))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

const ELLIPSIS: &str = "…";

/// The mark of a cut, where there is room for one.
fn ellipsis(max: usize) -> &'static str {
    if ELLIPSIS.len() <= max { ELLIPSIS } else { "" }
}

/// Whether a character does something instead of showing something: controls, line and paragraph separators, and the
/// marks that reverse the direction of what follows (a log line that reads other than it is).
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Maps keyed by texts are asked with plain text.
impl<const MAX: usize> std::borrow::Borrow<str> for Text<MAX> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<const MAX: usize> fmt::Debug for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<const MAX: usize> From<&str> for Text<MAX> {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl<const MAX: usize> From<String> for Text<MAX> {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl<const MAX: usize> Serialize for Text<MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A stored record is as untrusted as anything else that lies on a VM object.
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_acts_is_escaped() {
        let check =
            |input: &str, expect: &str| assert_eq!(Label::new(input).as_str(), expect, "{input:?}");
        check("web-1", "web-1");
        check("Grüße 東京", "Grüße 東京");
        check("a\r\nb", "a\\u{d}\\u{a}b");
        check("\u{1b}[31m", "\\u{1b}[31m");
        check("\u{9b}2J", "\\u{9b}2J");
        check("a\u{202e}b", "a\\u{202e}b");
        check("a\u{2028}b", "a\\u{2028}b");
        check("a\u{200b}b", "a\\u{200b}b");
        check("\0", "\\u{0}");
    }

    #[test]
    fn whatever_is_too_long_is_cut_between_characters_and_escapes() {
        let check = |input: &str, expect: &str| {
            assert_eq!(Text::<8>::new(input).as_str(), expect, "{input:?}");
        };
        check("12345678", "12345678");
        check("123456789", "12345…");
        check("1234éé", "1234éé");
        check("1234ééx", "1234…");
        check("123\n", "123\\u{a}");
        check("1234\n", "1234…");
        assert_eq!(Text::<2>::new("abc").as_str(), "");
        for length in 0..40 {
            assert!(Text::<16>::new("é\n".repeat(length)).as_str().len() <= 16);
        }
    }

    #[test]
    fn text_survives_its_own_form() {
        let once = Label::new("a\nb");
        assert_eq!(Label::new(once.as_str()), once);
    }

    #[test]
    fn nothing_to_say_is_none() {
        assert_eq!(Label::known("  "), None);
        assert_eq!(Label::known(" x "), Some(Label::new("x")));
    }
}

//! URIs of resources, with the ids in them.
//!
//! The schema gives each resource a list of URI templates. An enum per resource, one variant per template, makes URIs
//! that cannot be misspelt and takes apart those that a service or client sends. Ids are arbitrary text: whatever has a
//! meaning in a URI (RFC 3986) is percent-encoded on the way out and decoded on the way in.

use std::fmt;
use std::str::FromStr;

/// The URIs of a resource; implemented by the enums that are generated for it.
pub trait Uri: fmt::Display + FromStr<Err = InvalidUri> {
    /// The templates of all variants, in order.
    const TEMPLATES: &'static [&'static str];

    /// The template of this variant, such as `/redfish/v1/Systems/{ComputerSystemId}`.
    fn template(&self) -> &'static str;

    /// The ids in this URI, in order.
    fn ids(&self) -> Vec<&str>;
}

/// A text is none of the URIs that were expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidUri {
    templates: &'static [&'static str],
}

impl InvalidUri {
    pub(crate) const fn new(templates: &'static [&'static str]) -> Self {
        Self { templates }
    }

    /// What was expected.
    pub const fn templates(&self) -> &'static [&'static str] {
        self.templates
    }
}

impl fmt::Display for InvalidUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a URI of the form ")?;
        for (index, template) in self.templates.iter().enumerate() {
            write!(f, "{}{template}", if index == 0 { "" } else { " or " })?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidUri {}

/// Writes a template with its ids filled in.
pub(crate) fn write_uri(f: &mut fmt::Formatter<'_>, template: &str, ids: &[&str]) -> fmt::Result {
    let mut ids = ids.iter();
    for segment in template.split('/').skip(1) {
        f.write_str("/")?;
        match ids.as_slice().first() {
            Some(id) if is_placeholder(segment) => {
                write_id(f, id)?;
                ids.next();
            }
            _ => f.write_str(segment)?,
        }
    }
    Ok(())
}

/// Writes an id as one path segment.
fn write_id(f: &mut fmt::Formatter<'_>, id: &str) -> fmt::Result {
    for byte in id.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => write!(f, "{}", char::from(byte))?,
            // The rest of `pchar` (RFC 3986, 3.3).
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+'
            | b',' | b';' | b'=' | b':' | b'@' => write!(f, "{}", char::from(byte))?,
            _ => write!(f, "%{byte:02X}")?,
        }
    }
    Ok(())
}

/// The ids in `uri` when it has the form of `template`. One slash at the end is accepted (DSP0266 allows both forms).
pub(crate) fn read_uri(template: &str, uri: &str) -> Option<std::vec::IntoIter<String>> {
    let mut ids = Vec::new();
    let mut segments = uri.strip_suffix('/').unwrap_or(uri).split('/');
    for expected in template.strip_suffix('/').unwrap_or(template).split('/') {
        let segment = segments.next()?;
        if is_placeholder(expected) {
            ids.push(read_id(segment)?);
        } else if segment != expected {
            return None;
        }
    }
    segments.next().is_none().then(|| ids.into_iter())
}

/// The id in a path segment; `None` when it is empty, a dot segment, wrongly encoded, or has control characters.
fn read_id(segment: &str) -> Option<String> {
    let mut bytes = segment.bytes();
    let mut id = Vec::with_capacity(segment.len());
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => id.push(hex(bytes.next()?)? << 4 | hex(bytes.next()?)?),
            // Query and fragment end a path; controls have no place in a URI at all.
            b'?' | b'#' | 0..=0x1F | 0x7F => return None,
            // Other characters that should have been encoded do no harm, and services leave spaces as they are.
            _ => id.push(byte),
        }
    }
    // Encoded or not, dot segments are removed on the way (RFC 3986, 5.2.4; WHATWG URL), and a control character in a
    // name is somebody's attack on a log or a path.
    String::from_utf8(id).ok().filter(|id| is_id(id))
}

/// Whether a text can be an id in a URI.
fn is_id(id: &str) -> bool {
    !matches!(id, "" | "." | "..") && !id.chars().any(char::is_control)
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

fn is_placeholder(segment: &str) -> bool {
    segment.starts_with('{') && segment.ends_with('}')
}

/// How many ids a template has; `uris!` compares it with the fields of the variant at compile time.
pub(crate) const fn placeholders(template: &str) -> usize {
    let bytes = template.as_bytes();
    let (mut index, mut count) = (0, 0);
    while index < bytes.len() {
        if bytes[index] == b'{' {
            count += 1;
        }
        index += 1;
    }
    count
}

/// Declares the URIs of a resource. The fields of a variant are the placeholders of its template, in order.
///
/// ```text
/// uris! {
///     /// The URIs of `Task`.
///     pub enum TaskUri {
///         TaskServiceTasks { task_id } = "/redfish/v1/TaskService/Tasks/{TaskId}",
///     }
/// }
/// ```
macro_rules! uris {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident $({ $($id:ident),* $(,)? })? = $template:literal),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $(
                #[doc = concat!("`", $template, "`")]
                #[doc = ""]
                $(#[$variant_meta])*
                $variant $({
                    $(#[doc = "The id at this place of the URI, not encoded."] $id: String,)*
                })?,
            )*
        }

        impl $crate::Uri for $name {
            const TEMPLATES: &'static [&'static str] = &[$($template),*];

            #[inline]
            fn template(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $template,)*
                }
            }

            #[inline]
            fn ids(&self) -> Vec<&str> {
                match self {
                    $(Self::$variant $({ $($id),* })? => vec![$($($id),*)?],)*
                }
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::InvalidUri;

            #[inline]
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $(
                    const {
                        let ids: &[&str] = &[$($(stringify!($id)),*)?];
                        assert!($crate::foundation::placeholders($template) == ids.len());
                    }
                    if let Some(mut _ids) = $crate::foundation::read_uri($template, text) {
                        return Ok(Self::$variant $({ $($id: _ids.next().unwrap_or_default()),* })?);
                    }
                )*
                Err($crate::InvalidUri::new(<Self as $crate::Uri>::TEMPLATES))
            }
        }

        impl ::std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::foundation::write_uri(f, $crate::Uri::template(self), &$crate::Uri::ids(self))
            }
        }

        impl From<&$name> for String {
            #[inline]
            fn from(uri: &$name) -> Self {
                uri.to_string()
            }
        }
    };
}

pub(crate) use uris;

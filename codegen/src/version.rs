//! Schema and registry versions.

use std::fmt;

/// A version such as `v1_6_5` (schemas) or `1.8.0` (registries).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u16, pub u16, pub u16);

impl Version {
    /// Parses `v1_6_5`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::split(text.strip_prefix('v')?, '_')
    }

    /// Parses `1.8.0`.
    pub fn parse_dotted(text: &str) -> Option<Self> {
        Self::split(text, '.')
    }

    fn split(text: &str, by: char) -> Option<Self> {
        let mut parts = text.split(by).map(|part| part.parse::<u16>().ok());
        let version = Self(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }

    /// The dotted form, `1.6.5`.
    pub fn dotted(&self) -> String {
        format!("{}.{}.{}", self.0, self.1, self.2)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}_{}_{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn parse_and_order() {
        let check = |text, expect| assert_eq!(Version::parse(text), expect, "{text}");
        check("v1_6_5", Some(Version(1, 6, 5)));
        check("1_6_5", None);
        check("v1_6", None);
        check("v1_6_5_2", None);
        check("v1_6_x", None);
        assert!(Version::parse("v1_10_0") > Version::parse("v1_9_9"));
        assert_eq!(Version(1, 10, 2).to_string(), "v1_10_2");
    }
}

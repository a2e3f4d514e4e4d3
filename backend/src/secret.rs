//! Values that must not show up in logs.

use std::fmt;

/// Text that `Debug` does not show, that has no `Display`, and that can't be serialised: whoever needs it says
/// [`Secret::expose`], which a reader can search for.
///
/// Its sibling in the model crate can be serialised, since there the value travels in JSON. Here it never may: records
/// lie on VM objects.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Takes a value.
    pub fn new(value: impl Into<Box<str>>) -> Self {
        Self(value.into())
    }

    /// The value, for the place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// User name and password for an image source.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The user name: hidden as well, since for object stores it is half of the key.
    pub user: Secret,
    /// The password.
    pub password: Secret,
}

impl Credentials {
    /// A user name and password.
    pub fn new(user: impl Into<Box<str>>, password: impl Into<Box<str>>) -> Self {
        Self { user: Secret::new(user), password: Secret::new(password) }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides() {
        let text = format!(
            "{:?} {:#?}",
            Credentials::new("user", "hunter2"),
            Some(Secret::new("hunter2"))
        );
        assert!(!text.contains("hunter2") && !text.contains("user"), "{text}");
    }
}

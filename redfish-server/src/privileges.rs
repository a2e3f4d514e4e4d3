//! The privilege registry as data (DSP0266, "Privilege model"); the service serves it whole.

use crate::operation::Privilege;

pub use crate::generated::privileges::{ID, MAPPINGS};

/// Privileges by HTTP method: any of the outer, all of an inner list.
pub type OperationMap = &'static [(&'static str, &'static [&'static [Privilege]])];

/// The privileges of one entity (`PrivilegeRegistry.Mappings`).
#[derive(Debug)]
pub struct Mapping {
    /// The schema name.
    pub entity: &'static str,
    /// `OperationMap`.
    pub operations: OperationMap,
    /// `SubordinateOverrides`.
    pub subordinate_overrides: &'static [Override],
    /// `PropertyOverrides`.
    pub property_overrides: &'static [Override],
}

/// An exception of a mapping.
#[derive(Debug)]
pub struct Override {
    /// `Targets`: the resources above, or the properties.
    pub targets: &'static [&'static str],
    /// `OperationMap`.
    pub operations: OperationMap,
}

/// Defines [`Privilege`] from the registry's `PrivilegesUsed`.
macro_rules! privileges {
    ($($name:ident),*) => {
        /// A privilege of the Redfish privilege model.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Privilege {
            $(
                #[doc = concat!("`", stringify!($name), "`.")]
                $name
            ),*
        }

        impl Privilege {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name)),*
                }
            }
        }
    };
}
pub(crate) use privileges;

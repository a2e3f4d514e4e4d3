//! What the accessors of required members call.
//!
//! Generic functions instead of code in the macro, since there is one accessor for each required member.

use std::ops::Deref;

use super::{Field, Missing, Object};

/// The value by reference.
pub(crate) fn whole<'a, O: Object, T>(
    field: &'a Field<T>,
    name: &'static str,
) -> Result<&'a T, Missing> {
    field.require(name).map_err(|missing| missing.of(O::NAME))
}

/// The value as what it dereferences to.
pub(crate) fn deref<'a, O: Object, T: Deref>(
    field: &'a Field<T>,
    name: &'static str,
) -> Result<&'a T::Target, Missing> {
    whole::<O, T>(field, name).map(Deref::deref)
}

/// The value by copy.
pub(crate) fn copy<O: Object, T: Copy>(field: &Field<T>, name: &'static str) -> Result<T, Missing> {
    whole::<O, T>(field, name).copied()
}

/// Accepts `null`, for members that the schema requires to be there and allows to be null.
pub(crate) fn nullable<T>(value: Result<T, Missing>) -> Result<Option<T>, Missing> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(Missing { null: true, .. }) => Ok(None),
        Err(missing) => Err(missing),
    }
}

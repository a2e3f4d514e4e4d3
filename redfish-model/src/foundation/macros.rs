//! The macro that turns a generated struct into an [`Object`](super::Object).
//!
//! Generated code is a struct and one `object!` below it. What the macro expands to is kept to a few lines for each
//! type and one line for each member, since compile time grows with it: everything else is generic code in `object`.

/// Implements [`Object`](super::Object), [`Member`](super::Member), `Debug`, `Serialize` and `Deserialize` for a struct
/// of [`Field`](super::Field)s and a member `extra`, and an accessor for each required member.
///
/// ```text
/// object! {
///     Task {
///         id = "Id",
///         end_time = "EndTime",
///     }
///     required {
///         id: String = "Id",
///     }
///     required_nullable {
///         end_time: DateTimeOffset = "EndTime",
///     }
/// }
/// ```
///
/// Both `required` blocks may be left out. The types in them are those inside the `Field`; members in the second one
/// may be `null`.
macro_rules! object {
    (
        $name:ident { $($field:ident = $wire:literal),* $(,)? }
        $(required { $($required:tt)* })?
        $(required_nullable { $($nullable:tt)* })?
    ) => {
        impl $crate::Object for $name {
            const NAME: &'static str = stringify!($name);
            const MEMBERS: &'static [&'static str] = &[$($wire),*];
            const REQUIRED: &'static [&'static str] = $crate::foundation::wire_names!($($($required)*)?);
            const REQUIRED_NULLABLE: &'static [&'static str] = $crate::foundation::wire_names!($($($nullable)*)?);

            #[inline]
            fn extra(&self) -> &$crate::Extra {
                &self.extra
            }

            #[inline]
            fn extra_mut(&mut self) -> &mut $crate::Extra {
                &mut self.extra
            }

            fn members<S: $crate::MemberSink>(&self, _sink: &mut S) {
                $(_sink.member($wire, &self.$field);)*
            }

            fn read_member(
                &mut self,
                name: &str,
                _value: &::serde_json::Value,
            ) -> Result<bool, ::serde_json::Error> {
                match name {
                    $($wire => $crate::foundation::read_field(&mut self.$field, _value),)*
                    _ => Ok(false),
                }
            }
        }

        impl Default for $name {
            #[inline]
            fn default() -> Self {
                Self { $($field: $crate::Field::Absent,)* extra: $crate::Extra::new() }
            }
        }

        $crate::foundation::object_traits! { $name }

        impl $name {
            $($crate::foundation::accessors! { required $($required)* })?
            $($crate::foundation::accessors! { nullable $($nullable)* })?
        }
    };
}

/// What follows from being an [`Object`](super::Object): `Member`, `Debug`, `Serialize` and `Deserialize`. The hand-written
/// generic ones name their parameter: `object_traits! { Ref<T> }`.
macro_rules! object_traits {
    ($name:ident $(<$parameter:ident>)?) => {
        impl$(<$parameter>)? $crate::Member for $name$(<$parameter>)? {
            fn read(value: &::serde_json::Value) -> Result<Self, ::serde_json::Error> {
                $crate::foundation::read_object(value)
            }

            fn inspect(&self, inspection: &mut $crate::Inspection) {
                inspection.object(self);
            }
        }

        impl$(<$parameter>)? ::std::fmt::Debug for $name$(<$parameter>)? {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::foundation::debug_object(self, f)
            }
        }

        impl$(<$parameter>)? ::serde::Serialize for $name$(<$parameter>)? {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::foundation::write_object(self, serializer)
            }
        }

        impl<'de, $($parameter)?> ::serde::Deserialize<'de> for $name$(<$parameter>)? {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::foundation::deserialize_object(deserializer)
            }
        }
    };
}

/// The JSON names in a `required` block.
macro_rules! wire_names {
    ($($field:ident: $ty:ty = $wire:literal),* $(,)?) => { &[$($wire),*] };
}

/// The accessors of a `required` block, one member a step: strings and lists are given as slices, booleans and integers
/// by value, all else by reference.
macro_rules! accessors {
    ($kind:ident) => {};
    ($kind:ident $field:ident: String = $wire:literal $(, $($rest:tt)*)?) => {
        $crate::foundation::accessor! { $kind deref $field $wire, &str }
        $crate::foundation::accessors! { $kind $($($rest)*)? }
    };
    ($kind:ident $field:ident: Vec<$item:ty> = $wire:literal $(, $($rest:tt)*)?) => {
        $crate::foundation::accessor! { $kind deref $field $wire, &[$item] }
        $crate::foundation::accessors! { $kind $($($rest)*)? }
    };
    ($kind:ident $field:ident: bool = $wire:literal $(, $($rest:tt)*)?) => {
        $crate::foundation::accessor! { $kind copy $field $wire, bool }
        $crate::foundation::accessors! { $kind $($($rest)*)? }
    };
    ($kind:ident $field:ident: i64 = $wire:literal $(, $($rest:tt)*)?) => {
        $crate::foundation::accessor! { $kind copy $field $wire, i64 }
        $crate::foundation::accessors! { $kind $($($rest)*)? }
    };
    ($kind:ident $field:ident: $ty:ty = $wire:literal $(, $($rest:tt)*)?) => {
        $crate::foundation::accessor! { $kind whole $field $wire, &$ty }
        $crate::foundation::accessors! { $kind $($($rest)*)? }
    };
}

/// One accessor. `deref`, `copy` and `whole` are functions of `required`.
macro_rules! accessor {
    (required $view:ident $field:ident $wire:literal, $out:ty) => {
        #[doc = concat!("The required member `", $wire, "`.\n\n# Errors\nIt is missing or null.")]
        #[inline]
        pub fn $field(&self) -> Result<$out, $crate::Missing> {
            $crate::foundation::required::$view::<Self, _>(&self.$field, $wire)
        }
    };
    (nullable $view:ident $field:ident $wire:literal, $out:ty) => {
        #[doc = concat!("The required member `", $wire, "`; `None` when it is null.\n\n# Errors\nIt is missing.")]
        #[inline]
        pub fn $field(&self) -> Result<Option<$out>, $crate::Missing> {
            $crate::foundation::required::nullable($crate::foundation::required::$view::<Self, _>(&self.$field, $wire))
        }
    };
}

pub(crate) use {accessor, accessors, object, object_traits, wire_names};

//! Doc comments, made of facts: the schema's names, versions, units, bounds and permissions.

use crate::ir::{Access, Deprecated, EnumValue, Property, Range, Shape, Type};

/// The comment of a type.
pub(super) fn of_type(ty: &Type, what: &str) -> String {
    let version = ty.version.as_deref().map(|v| format!(" {}", dotted(v))).unwrap_or_default();
    let mut text = format!("{what} of the `{}` schema{version}.", ty.schema);
    if let Some(deprecated) = &ty.deprecated {
        text.push_str(&deprecation(deprecated));
    }
    text
}

/// The comment of a property.
pub(super) fn of_property(property: &Property) -> String {
    let mut facts = Vec::new();
    facts.push(match property.access {
        Access::Read => "read-only",
        Access::ReadWrite => "read-write",
        Access::Write => "write-only, reads as null",
        Access::Inherited => "",
    });
    if property.nullable {
        facts.push("nullable");
    }
    if property.required {
        facts.push("required");
    }
    if property.required_on_create && !property.required {
        facts.push("required when created");
    }
    let mut facts: Vec<String> =
        facts.into_iter().filter(|f| !f.is_empty()).map(str::to_owned).collect();
    facts.extend(of_shape(&property.shape));
    if let Some(units) = &property.units {
        facts.push(format!("in `{units}`"));
    }
    let facts = if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) };
    let mut text = format!("`{}`{facts}.", property.wire);
    if let Some(added) = &property.added {
        text.push_str(&format!(" Since {}.", dotted(added)));
    }
    if let Some(deprecated) = &property.deprecated {
        text.push_str(&deprecation(deprecated));
    }
    text
}

/// What there is to say of an enum value besides its text, which the macro says.
pub(super) fn of_value(value: &EnumValue) -> String {
    let mut text = String::new();
    if let Some(added) = &value.added {
        text.push_str(&format!(" Since {}.", dotted(added)));
    }
    if let Some(version) = &value.deprecated {
        text.push_str(&deprecation(&Deprecated(Some(version.clone()))));
    }
    text
}

fn of_shape(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Integer(range) | Shape::Number(range) => of_range(range),
        Shape::Text { format, pattern } => {
            let format = format.as_ref().map(|f| format!("format `{f}`"));
            let pattern = pattern.as_ref().map(|p| format!("pattern `{p}`"));
            let parts: Vec<_> = format.into_iter().chain(pattern).collect();
            (!parts.is_empty()).then(|| parts.join(", "))
        }
        Shape::Array { items, .. } => of_shape(items),
        Shape::Link(target) | Shape::LinkOrText(target) => Some(format!("link to `{target}`")),
        _ => None,
    }
}

fn of_range(range: &Range) -> Option<String> {
    match (&range.minimum, &range.maximum) {
        (Some(min), Some(max)) => Some(format!("from {min} to {max}")),
        (Some(min), None) => Some(format!("at least {min}")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    }
}

fn deprecation(deprecated: &Deprecated) -> String {
    match &deprecated.0 {
        Some(version) => format!(" Deprecated since {}.", dotted(version)),
        None => " Deprecated.".into(),
    }
}

/// `v1_6_5` -> `1.6.5`.
fn dotted(version: &str) -> String {
    version.trim_start_matches('v').replace('_', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_state_facts() {
        let property = Property {
            wire: "EjectTimeout".into(),
            shape: Shape::Integer(Range { minimum: Some(1.into()), maximum: None }),
            nullable: true,
            access: Access::ReadWrite,
            required: false,
            required_on_create: true,
            secret: false,
            units: Some("s".into()),
            added: Some("v1_6_0".into()),
            deprecated: Some(Deprecated(None)),
        };
        assert_eq!(
            of_property(&property),
            "`EjectTimeout`: read-write, nullable, required when created, at least 1, in `s`. \
             Since 1.6.0. Deprecated."
        );
    }
}

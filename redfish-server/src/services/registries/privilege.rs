//! `PrivilegeRegistry`, whole: what each operation needs, for clients that ask before they try.

use redfish_model::privilege_registry::{
    Mapping, OperationMap, OperationPrivilege, TargetPrivilegeMap,
};
use redfish_model::privileges::PrivilegeType;
use redfish_model::{Field, OpenEnum as _, PrivilegeRegistry};

use crate::operation::Privilege;
use crate::privileges::{self, ID, MAPPINGS, Override};

/// The registry that the router goes by.
pub(super) fn registry() -> PrivilegeRegistry {
    // `NoAuth` says that none is needed, and is none itself.
    let used = Privilege::ALL.iter().filter(|privilege| **privilege != Privilege::NoAuth);
    PrivilegeRegistry {
        privileges_used: Field::Value(used.map(|p| PrivilegeType::from_text(p.as_str())).collect()),
        oem_privileges_used: Field::Value(Vec::new()),
        mappings: Field::Value(MAPPINGS.iter().map(mapping).collect()),
        ..PrivilegeRegistry::new(ID, "Privilege Registry")
    }
}

fn mapping(mapping: &privileges::Mapping) -> Mapping {
    Mapping {
        entity: mapping.entity.into(),
        operation_map: Field::Value(operations(mapping.operations)),
        subordinate_overrides: overrides(mapping.subordinate_overrides),
        property_overrides: overrides(mapping.property_overrides),
        ..Mapping::default()
    }
}

fn overrides(list: &[Override]) -> Field<Vec<TargetPrivilegeMap>> {
    let list = list.iter().map(|exception| TargetPrivilegeMap {
        targets: Field::Value(exception.targets.iter().map(|t| Some((*t).to_owned())).collect()),
        operation_map: Field::Value(operations(exception.operations)),
        ..TargetPrivilegeMap::default()
    });
    let list: Vec<_> = list.collect();
    Field::from((!list.is_empty()).then_some(list))
}

fn operations(map: privileges::OperationMap) -> OperationMap {
    let method = |method: &str| {
        let (_, any_of) = map.iter().find(|(name, _)| *name == method)?;
        let all = |all: &&[Privilege]| OperationPrivilege {
            privilege: Field::Value(all.iter().map(|p| p.as_str().to_owned()).collect()),
            ..OperationPrivilege::default()
        };
        Some(any_of.iter().map(all).collect::<Vec<_>>())
    };
    OperationMap {
        get: method("GET").into(),
        head: method("HEAD").into(),
        patch: method("PATCH").into(),
        post: method("POST").into(),
        put: method("PUT").into(),
        delete: method("DELETE").into(),
        ..OperationMap::default()
    }
}

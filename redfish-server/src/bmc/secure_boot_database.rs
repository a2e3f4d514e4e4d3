//! `SecureBootDatabase`: the key databases of UEFI, by their well-known names.
//!
//! What a backend knows of one is whether anything is in it, which the description says; single keys
//! are nothing that it could show.

use redfish_backend::machine::{Machine, SecureBootKeys};
use redfish_model::secure_boot_database::ResetKeysRequest;
use redfish_model::{
    SecureBootDatabase, SecureBootDatabaseCollection, SecureBootDatabaseCollectionUri,
    SecureBootDatabaseUri,
};

use super::seen::members;
use super::{Seen, VirtualBmc};
use crate::api::secure_boot_database::{SecureBootDatabaseApi, SecureBootDatabaseCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// The databases: id, name, whether there is anything in it.
const fn databases(keys: SecureBootKeys) -> [(&'static str, &'static str, bool); 4] {
    [
        ("PK", "Platform Key", keys.pk),
        ("KEK", "Key Exchange Keys", keys.kek),
        ("db", "Allowed Signatures", keys.db),
        ("dbx", "Forbidden Signatures", keys.dbx),
    ]
}

/// The keys of a machine with secure boot.
pub(super) fn keys(machine: &Machine) -> Option<SecureBootKeys> {
    machine.boot.secure_boot.and(machine.boot.secure_boot_keys)
}

fn database(seen: &Seen<'_>, id: &str) -> Option<SecureBootDatabase> {
    let all = databases(keys(seen.machine)?);
    let (id, name, filled) = all.into_iter().find(|(known, ..)| *known == id)?;
    let uri = seen.below_system(&format!("SecureBoot/SecureBootDatabases/{id}"));
    let description = if filled { "Holds keys" } else { "Empty" };
    Some(SecureBootDatabase {
        database_id: id.into(),
        description: description.into(),
        ..SecureBootDatabase::new(uri, id, name)
    })
}

fn collection(seen: &Seen<'_>) -> Option<SecureBootDatabaseCollection> {
    let all = databases(keys(seen.machine)?);
    let uri = seen.below_system("SecureBoot/SecureBootDatabases");
    let links = members(&uri, all.map(|(id, ..)| id));
    Some(SecureBootDatabaseCollection::new(uri, "Secure Boot Databases", links))
}

impl SecureBootDatabaseApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &SecureBootDatabaseUri) -> bool {
        let SecureBootDatabaseUri::SystemsSecureBootSecureBootDatabases {
            computer_system_id,
            database_id,
        } = uri;
        databases(SecureBootKeys::NONE).iter().any(|(id, ..)| id == database_id)
            && self.has(scope, computer_system_id, |machine| keys(machine).is_some())
    }

    async fn get(&self, cx: &Context, uri: SecureBootDatabaseUri) -> Result<SecureBootDatabase> {
        let SecureBootDatabaseUri::SystemsSecureBootSecureBootDatabases {
            computer_system_id,
            database_id,
        } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| database(seen, database_id))
    }

    /// Not mounted: keys are reset all together.
    async fn reset_keys(
        &self,
        _: &Context,
        _: SecureBootDatabaseUri,
        _: ResetKeysRequest,
    ) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl SecureBootDatabaseCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &SecureBootDatabaseCollectionUri) -> bool {
        let SecureBootDatabaseCollectionUri::SystemsSecureBootSecureBootDatabases {
            computer_system_id,
        } = uri;
        self.has(scope, computer_system_id, |machine| keys(machine).is_some())
    }

    async fn get(
        &self,
        cx: &Context,
        uri: SecureBootDatabaseCollectionUri,
    ) -> Result<SecureBootDatabaseCollection> {
        let SecureBootDatabaseCollectionUri::SystemsSecureBootSecureBootDatabases {
            computer_system_id,
        } = &uri;
        self.look(cx, computer_system_id, &uri, collection)
    }
}

//! `CertificateService`, and the certificate of the HTTPS listeners.
//!
//! It is one certificate of the service; each manager shows it below its network protocol, where
//! clients look for it. Nothing here changes it yet, so nothing says that it could be changed.

use std::fmt;
use std::sync::Arc;

use redfish_model::certificate::{
    CertificateCreate, CertificatePatch, CertificateType, CertificateUsageType, Identifier,
};
use redfish_model::certificate_locations::Links;
use redfish_model::certificate_service::{
    CertificateServicePatch, GenerateCSRRequest, GenerateCSRResponse, ReplaceCertificateRequest,
};
use redfish_model::{
    Certificate, CertificateCollection, CertificateCollectionUri, CertificateLocations,
    CertificateLocationsUri, CertificateService, CertificateServiceUri, CertificateUri,
    DateTimeOffset, Field, Ref,
};

use super::managers::{Managers, canonical};
use crate::api::certificate::{
    CertificateApi, CertificateCollectionApi, mount_certificate, mount_certificate_collection,
};
use crate::api::certificate_locations::{CertificateLocationsApi, mount_certificate_locations};
use crate::api::certificate_service::{CertificateServiceApi, mount_certificate_service};
use crate::operation::Kind;
use crate::tls::{CertificateDetails, DistinguishedName};
use crate::{Context, Error, Mount, Reply, Result, Scope};

/// The id of the certificate in its collection.
const ID: &str = "1";

/// Gives the certificate that the listeners present now; none without TLS.
pub type Current = Arc<dyn Fn() -> Option<Arc<CertificateDetails>> + Send + Sync>;

/// Mounts the service, the locations, and the HTTPS certificate below each manager.
pub fn mounts(current: Current, managers: Managers) -> Vec<Mount> {
    let service = Arc::new(Certificates { current, managers });
    let folder = "/redfish/v1/Managers/{ManagerId}/NetworkProtocol/HTTPS/Certificates";
    let generate = Kind::Action("GenerateCSR");
    let replace = Kind::Action("ReplaceCertificate");
    vec![
        mount_certificate_service(service.clone()).without(&[Kind::Patch, generate, replace]),
        mount_certificate_locations(service.clone()),
        mount_certificate_collection(service.clone()).at(&[folder]).without(&[Kind::Create]),
        mount_certificate(service).at(&[&format!("{folder}/{{CertificateId}}")]).without(&[
            Kind::Patch,
            Kind::Delete,
            Kind::Action("Rekey"),
            Kind::Action("Renew"),
        ]),
    ]
}

struct Certificates {
    current: Current,
    managers: Managers,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificates").finish_non_exhaustive()
    }
}

/// The URI of the collection below a manager.
pub(super) fn folder(manager: &str) -> String {
    let manager_id = manager.to_owned();
    CertificateCollectionUri::ManagersNetworkProtocolHTTPSCertificates { manager_id }.to_string()
}

impl CertificateServiceApi for Certificates {
    fn exists(&self, _: &Scope, _: &CertificateServiceUri) -> bool {
        true
    }

    async fn get(&self, _: &Context, uri: CertificateServiceUri) -> Result<CertificateService> {
        let locations = CertificateLocationsUri::CertificateServiceCertificateLocations;
        Ok(CertificateService {
            certificate_locations: Field::Value(Ref::from(&locations)),
            ..CertificateService::new(&uri, "CertificateService", "Certificate Service")
        })
    }

    async fn patch(
        &self,
        _: &Context,
        _: CertificateServiceUri,
        _: CertificateServicePatch,
    ) -> Result<Reply<CertificateService>> {
        Err(Error::method_not_allowed())
    }

    async fn generate_csr(
        &self,
        _: &Context,
        uri: CertificateServiceUri,
        _: GenerateCSRRequest,
    ) -> Result<Reply<GenerateCSRResponse>> {
        Err(Error::not_found(&uri.to_string()))
    }

    async fn replace_certificate(
        &self,
        _: &Context,
        uri: CertificateServiceUri,
        _: ReplaceCertificateRequest,
    ) -> Result<Reply<()>> {
        Err(Error::not_found(&uri.to_string()))
    }
}

impl CertificateLocationsApi for Certificates {
    fn exists(&self, _: &Scope, _: &CertificateLocationsUri) -> bool {
        true
    }

    async fn get(
        &self,
        cx: &Context,
        uri: CertificateLocationsUri,
    ) -> Result<CertificateLocations> {
        let managers = match (self.current)() {
            Some(_) => self.managers.list(&cx.scope),
            None => Vec::new(),
        };
        let certificate = |manager: &String| Ref::to(format!("{}/{ID}", folder(manager)));
        let certificates: Vec<_> = managers.iter().map(certificate).collect();
        let links = Links {
            certificates_odata_count: i64::try_from(certificates.len()).ok().into(),
            certificates: certificates.into(),
            ..Links::default()
        };
        Ok(CertificateLocations {
            links: links.into(),
            ..CertificateLocations::new(&uri, "CertificateLocations", "Certificate Locations")
        })
    }
}

impl Certificates {
    /// The certificate and the manager that shows it, if the scope has that.
    fn at(&self, scope: &Scope, manager: &str) -> Option<Arc<CertificateDetails>> {
        if !self.managers.exists(scope, manager) {
            return None;
        }
        (self.current)()
    }
}

impl CertificateCollectionApi for Certificates {
    fn exists(&self, scope: &Scope, uri: &CertificateCollectionUri) -> bool {
        use CertificateCollectionUri::ManagersNetworkProtocolHTTPSCertificates as Https;
        matches!(uri, Https { manager_id } if self.at(scope, manager_id).is_some())
    }

    async fn get(
        &self,
        cx: &Context,
        uri: CertificateCollectionUri,
    ) -> Result<CertificateCollection> {
        use CertificateCollectionUri::ManagersNetworkProtocolHTTPSCertificates as Https;
        let Https { manager_id } = &uri else { return Err(Error::not_found(&uri.to_string())) };
        let here = folder(canonical(&cx.scope, manager_id));
        let members = vec![Ref::to(format!("{here}/{ID}"))];
        Ok(CertificateCollection::new(here, "HTTPS Certificates", members))
    }

    async fn create(
        &self,
        _: &Context,
        _: CertificateCollectionUri,
        _: CertificateCreate,
    ) -> Result<Reply<Certificate>> {
        Err(Error::method_not_allowed())
    }
}

fn identifier(name: &DistinguishedName) -> Identifier {
    let text = |text: &Option<String>| Field::from(text.clone());
    Identifier {
        common_name: text(&name.common_name),
        organization: text(&name.organization),
        organizational_unit: text(&name.organizational_unit),
        city: text(&name.city),
        state: text(&name.state),
        country: text(&name.country),
        email: text(&name.email),
        ..Identifier::default()
    }
}

impl CertificateApi for Certificates {
    fn exists(&self, scope: &Scope, uri: &CertificateUri) -> bool {
        use CertificateUri::ManagersNetworkProtocolHTTPSCertificates as Https;
        matches!(uri, Https { manager_id, certificate_id }
            if certificate_id == ID && self.at(scope, manager_id).is_some())
    }

    async fn get(&self, cx: &Context, uri: CertificateUri) -> Result<Certificate> {
        use CertificateUri::ManagersNetworkProtocolHTTPSCertificates as Https;
        let missing = || Error::not_found(&uri.to_string());
        let Https { manager_id, .. } = &uri else { return Err(missing()) };
        let facts = self.at(&cx.scope, manager_id).ok_or_else(missing)?;
        let time = |time: jiff::Timestamp| {
            Field::from(DateTimeOffset::from_unix_seconds(time.as_second()))
        };
        let here = format!("{}/{ID}", folder(canonical(&cx.scope, manager_id)));
        let mut subject = identifier(&facts.subject);
        if !facts.alternative_names.is_empty() {
            let names = facts.alternative_names.iter().cloned().map(Some);
            subject.alternative_names = Field::Value(names.collect());
        }
        Ok(Certificate {
            // What every client of the listener is shown anyway.
            certificate_string: facts.pem.as_str().into(),
            certificate_type: CertificateType::PEM.into(),
            certificate_usage_types: vec![Some(CertificateUsageType::Web)].into(),
            fingerprint: facts.fingerprint.as_str().into(),
            fingerprint_hash_algorithm: CertificateDetails::FINGERPRINT_HASH_ALGORITHM.into(),
            issuer: identifier(&facts.issuer).into(),
            subject: subject.into(),
            key_usage: facts.key_usage.iter().cloned().map(Some).collect::<Vec<_>>().into(),
            serial_number: facts.serial_number.as_str().into(),
            signature_algorithm: facts.signature_algorithm.clone().into(),
            valid_not_before: time(facts.not_before),
            valid_not_after: time(facts.not_after),
            ..Certificate::new(here, ID, "HTTPS Certificate")
        })
    }

    async fn patch(
        &self,
        _: &Context,
        _: CertificateUri,
        _: CertificatePatch,
    ) -> Result<Reply<Certificate>> {
        Err(Error::method_not_allowed())
    }

    async fn delete(&self, _: &Context, _: CertificateUri) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }

    async fn rekey(
        &self,
        _: &Context,
        uri: CertificateUri,
        _: redfish_model::certificate::RekeyRequest,
    ) -> Result<Reply<redfish_model::certificate::RekeyResponse>> {
        Err(Error::not_found(&uri.to_string()))
    }

    async fn renew(
        &self,
        _: &Context,
        uri: CertificateUri,
        _: redfish_model::certificate::RenewRequest,
    ) -> Result<Reply<redfish_model::certificate::RenewResponse>> {
        Err(Error::not_found(&uri.to_string()))
    }
}

#[cfg(test)]
mod tests;

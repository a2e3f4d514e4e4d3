//! The documents of the protocol, which need no credentials: `/redfish`, the OData service document,
//! `$metadata` and `openapi.yaml`.
//!
//! They tell what this service has, so they are made from the operations that are mounted.

mod metadata;
mod odata;
mod openapi;
#[cfg(feature = "swagger-ui")]
mod swagger_ui;

use std::sync::{Arc, OnceLock};

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, Method, header};

pub use metadata::{Reference, metadata};
pub use odata::odata;
pub use openapi::openapi;
#[cfg(feature = "swagger-ui")]
pub use swagger_ui::swagger_ui;

use crate::operation::Operation;
use crate::page::Page;

/// The pages. `references` are schemas of our own, which `$metadata` names beside the published ones.
pub fn pages(operations: Vec<&'static Operation>, references: &[Reference]) -> Vec<Page> {
    let json = "application/json; charset=utf-8";
    vec![
        Page::document("/redfish", json, r#"{"v1":"/redfish/v1/"}"#),
        Page::document("/redfish/v1/odata", json, odata(&operations).to_string()),
        Page::document(
            "/redfish/v1/$metadata",
            "application/xml; charset=utf-8",
            metadata(&operations, references),
        ),
        description(operations),
    ]
}

/// `openapi.yaml`, which is large and seldom asked for: made on the first request.
fn description(operations: Vec<&'static Operation>) -> Page {
    let made = Arc::new(OnceLock::<Bytes>::new());
    let page = Page::new("/redfish/v1/openapi.yaml", &[Method::GET], move |_, _, _| {
        let content = made.get_or_init(|| openapi(&operations).into()).clone();
        let mut response = Response::new(content.into());
        let content_type = HeaderValue::from_static("application/yaml");
        response.headers_mut().insert(header::CONTENT_TYPE, content_type);
        async { Ok(response) }
    });
    Page { public: true, ..page }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;
    use crate::operation::OPERATIONS;
    use crate::{Context, Scope};

    #[tokio::test]
    async fn pages_have_their_types() {
        for (page, (template, content_type)) in
            pages(OPERATIONS.iter().collect(), &[]).into_iter().zip([
                ("/redfish", "application/json; charset=utf-8"),
                ("/redfish/v1/odata", "application/json; charset=utf-8"),
                ("/redfish/v1/$metadata", "application/xml; charset=utf-8"),
                ("/redfish/v1/openapi.yaml", "application/yaml"),
            ])
        {
            assert_eq!(page.template, template);
            assert!(page.public, "{template}");
            let cx = Context::new(None, Scope::all());
            let response = (page.handler)(cx, Method::GET, template.to_owned()).await.unwrap();
            assert_eq!(response.headers()[header::CONTENT_TYPE], content_type);
            let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
            if template == "/redfish" {
                assert_eq!(body, r#"{"v1":"/redfish/v1/"}"#);
            }
            assert!(!body.is_empty(), "{template}");
        }
    }
}

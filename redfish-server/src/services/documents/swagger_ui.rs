//! Swagger UI over `openapi.yaml`: the operations of this service in a browser, to read and to try out.
//!
//! It costs 2 MB in the program and in memory, so it is behind the cargo feature `swagger-ui`. Its files
//! come with a crate: building it and using it need no network. The pages need no credentials, as the
//! document that they show needs none; what is tried out does.

use std::io::{Cursor, Read, Seek};

use bytes::Bytes;
use http::{HeaderValue, header};
use zip::ZipArchive;
use zip::result::{ZipError, ZipResult};

use crate::page::Page;

/// The page. Its links are absolute since a path means the same here with a slash at its end.
const INDEX: &str = concat!(
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Redfish API</title>\n",
    "<link rel=\"stylesheet\" href=\"/swagger-ui/swagger-ui.css\">\n",
    "<link rel=\"icon\" href=\"/swagger-ui/favicon-32x32.png\">\n",
    "</head>\n<body>\n<div id=\"ui\"></div>\n",
    "<script src=\"/swagger-ui/swagger-ui-bundle.js\"></script>\n",
    "<script src=\"/swagger-ui/start.js\"></script>\n</body>\n</html>\n",
);

/// The document is large: operations are listed folded, and models only where an operation has them.
const START: &str = "SwaggerUIBundle({
  url: \"/redfish/v1/openapi.yaml\",
  dom_id: \"#ui\",
  deepLinking: true,
  docExpansion: \"none\",
  defaultModelsExpandDepth: -1,
  filter: true,
});
";

/// Swagger UI writes styles into its elements and has its icons in `data:` URLs; nothing comes from
/// elsewhere.
const POLICY: HeaderValue = HeaderValue::from_static(concat!(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ",
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
));

/// The files of the archive that the page uses, and their types.
const FILES: [(&str, &str, &str); 3] = [
    ("swagger-ui.css", "/swagger-ui/swagger-ui.css", "text/css; charset=utf-8"),
    ("swagger-ui-bundle.js", "/swagger-ui/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ("favicon-32x32.png", "/swagger-ui/favicon-32x32.png", "image/png"),
];

/// The pages, at `/swagger-ui`.
///
/// # Errors
/// When the archive that was built in lacks one of the files.
pub fn swagger_ui() -> ZipResult<Vec<Page>> {
    let script = "text/javascript; charset=utf-8";
    let mut pages = vec![
        Page::document("/swagger-ui", "text/html; charset=utf-8", INDEX)
            .header(header::CONTENT_SECURITY_POLICY, POLICY),
        Page::document("/swagger-ui/start.js", script, START),
    ];
    let archive = utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
    let mut archive = ZipArchive::new(Cursor::new(archive))?;
    let folder = folder(&archive).ok_or(ZipError::FileNotFound)?;
    for (name, template, content_type) in FILES {
        let mut content = Vec::new();
        archive.by_name(&format!("{folder}/dist/{name}"))?.read_to_end(&mut content)?;
        pages.push(Page::document(template, content_type, Bytes::from(content)));
    }
    Ok(pages)
}

/// The folder of the release, whose name has a version in it.
fn folder<R: Read + Seek>(archive: &ZipArchive<R>) -> Option<String> {
    let mut names = archive.file_names().flatten();
    names.find_map(|name| Some(name.strip_suffix("/dist/index.html")?.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::{Body, to_bytes};
    use http::{Request, StatusCode};

    use super::*;
    use crate::router::Router;
    use crate::service::Origin;
    use crate::{Scope, Service};

    #[tokio::test]
    async fn every_file_that_the_page_names_is_served() {
        let router = swagger_ui().unwrap().into_iter().fold(Router::new(), Router::page);
        let service = Service::new(router);
        let get = async |path: &str| {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = service.call(Origin::new(Arc::new(Scope::all())), request).await;
            let (head, body) = response.into_parts();
            assert_eq!(head.status, StatusCode::OK, "{path}");
            let body = to_bytes(body, usize::MAX).await.unwrap();
            (head, String::from_utf8_lossy(&body).into_owned())
        };
        let (head, page) = get("/swagger-ui/").await;
        assert_eq!(head.headers[header::CONTENT_SECURITY_POLICY], POLICY);
        let links: Vec<_> =
            page.split('"').filter(|part| part.starts_with("/swagger-ui/")).collect();
        assert_eq!(links.len(), 4);
        for link in links {
            let (head, body) = get(link).await;
            assert!(!body.is_empty(), "{link}");
            let expected = match link.rsplit('.').next() {
                Some("css") => "text/css; charset=utf-8",
                Some("png") => "image/png",
                _ => "text/javascript; charset=utf-8",
            };
            assert_eq!(head.headers[header::CONTENT_TYPE], expected, "{link}");
        }
        let beside = Request::get("/swagger-ui/else").body(Body::empty()).unwrap();
        let beside = service.call(Origin::new(Arc::new(Scope::all())), beside).await;
        assert_eq!(beside.status(), StatusCode::NOT_FOUND);
    }
}

//! The paths of the trimmed document: what `schema/resources.toml` asks for, checked against
//! what the schema allows.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::closure::local;
use super::privileges::{self, Places};
use crate::error::{Error, Result};
use crate::json::ValueExt;
use crate::naming;
use crate::resources::{Resource, Resources, Verb, collection_of};

/// URIs and capabilities of each supported resource, as in [`super::links::JsonSchemas::resource_facts`].
pub type ResourceFacts = BTreeMap<String, Value>;

/// Builds `paths`; `document` already holds the components and registries, patched.
pub fn paths(resources: &Resources, facts: &ResourceFacts, document: &Value) -> Result<Value> {
    let mut sites = sites(resources, facts)?;
    sites.extend(action_infos(resources, &sites, document));
    let places: Places =
        sites.iter().map(|site| (site.template.clone(), site.schema.clone())).collect();
    ids_have_owners(&places)?;
    let mut paths = Map::new();
    for site in &sites {
        let builder =
            Builder { document, site, ancestors: privileges::ancestors(&site.template, &places) };
        let mut item = builder.item();
        for verb in &site.verbs {
            item[verb.key()] = builder.operation(*verb, facts)?;
        }
        insert(&mut paths, &site.template, item)?;
        for action in &site.actions {
            let template =
                format!("{}/Actions/{}.{action}", site.template.trim_end_matches('/'), site.schema);
            let mut item = builder.item();
            item["post"] = builder.action(action)?;
            insert(&mut paths, &template, item)?;
        }
    }
    make_public(&mut paths, &resources.public)?;
    Ok(paths.into())
}

/// Says of the listed operations that they need no credentials.
fn make_public(paths: &mut Map<String, Value>, ids: &[String]) -> Result<()> {
    for id in ids {
        let operations = paths.values_mut().flat_map(|item| item.as_object_mut()).flatten();
        let mut found = operations.map(|(_, o)| o).filter(|o| o.text("operationId") == Some(id));
        let operation = found.next().ok_or_else(|| Error::Syntax {
            file: "schema/resources.toml".into(),
            message: format!("public: there is no operation `{id}`"),
        })?;
        operation["security"] = json!([]);
    }
    Ok(())
}

/// Each action that takes parameters has an ActionInfo beside it that describes them (DSP0266
/// leaves the URI open).
fn action_infos(resources: &Resources, sites: &[Site], document: &Value) -> Vec<Site> {
    const ACTION_INFO: &str = "ActionInfo";
    let Some(action_info) = resources.resource.get(ACTION_INFO) else { return Vec::new() };
    let components = &document["components"]["schemas"];
    let takes_parameters = |schema: &str, action: &str| {
        components[format!("{schema}_{action}RequestBody")].get("properties").is_some()
    };
    let actions = sites.iter().flat_map(|s| s.actions.iter().map(move |action| (s, action)));
    actions
        .filter(|(site, action)| takes_parameters(&site.schema, action))
        .map(|(site, action)| Site {
            schema: ACTION_INFO.into(),
            template: format!("{}/{action}ActionInfo", site.template),
            own: true,
            deprecated: site.deprecated,
            verbs: action_info.operations.clone(),
            actions: Vec::new(),
        })
        .collect()
}

/// A served URI.
struct Site {
    schema: String,
    template: String,
    own: bool,
    deprecated: bool,
    verbs: Vec<Verb>,
    actions: Vec<String>,
}

fn sites(resources: &Resources, facts: &ResourceFacts) -> Result<Vec<Site>> {
    let mut sites = Vec::new();
    for (schema, resource) in &resources.resource {
        let [uris, deprecated] = uris(facts, schema);
        for uri in &resource.uris {
            let template = uri.template();
            if uri.own() == uris.iter().any(|u| u == template) {
                let message = if uri.own() {
                    format!("{template} is a URI of the schema; drop `own`")
                } else {
                    format!(
                        "{template} is not a URI of the schema, which has:\n  {}\nif it is ours, say `own = true`",
                        uris.join("\n  ")
                    )
                };
                return Err(Error::resource(schema, message));
            }
            sites.push(Site {
                schema: schema.clone(),
                template: template.into(),
                own: uri.own(),
                deprecated: deprecated.iter().any(|u| u == template),
                verbs: resource.operations.clone(),
                // A settings object has no actions; those of the resource are not its own.
                actions: if uri.own() { Vec::new() } else { resource.actions.clone() },
            });
        }
        sites.extend(collection_sites(schema, resource, facts)?);
    }
    Ok(sites)
}

/// The URIs that a schema has, and those of them that it gave up.
fn uris(facts: &ResourceFacts, schema: &str) -> [Vec<String>; 2] {
    let of = |key| facts.get(schema).map(|facts| facts.texts(key)).unwrap_or_default();
    [of("uris"), of("urisDeprecated")]
}

/// The collection of a resource stands at the parents of its URIs, where the schema has it there.
fn collection_sites(schema: &str, resource: &Resource, facts: &ResourceFacts) -> Result<Vec<Site>> {
    if resource.collection.is_empty() {
        return Ok(Vec::new());
    }
    let name = collection_of(schema);
    let [uris, deprecated] = uris(facts, &name);
    let parents = resource.uris.iter().filter_map(|uri| Some(uri.template().rsplit_once('/')?.0));
    let sites: Vec<_> = parents
        .filter(|parent| uris.iter().any(|u| u == parent))
        .map(|parent| Site {
            schema: name.clone(),
            template: parent.into(),
            own: false,
            deprecated: deprecated.iter().any(|u| u == parent),
            verbs: resource.collection.clone(),
            actions: Vec::new(),
        })
        .collect();
    if sites.is_empty() {
        return Err(Error::resource(
            schema,
            format!("no URI of it lies in a {name}; drop `collection`"),
        ));
    }
    Ok(sites)
}

/// Each id in a template must be some resource's: otherwise nobody could answer for it.
fn ids_have_owners(places: &Places) -> Result<()> {
    for (template, schema) in places {
        for (at, _) in template.match_indices('}') {
            let prefix = &template[..=at];
            if !places.contains_key(prefix) {
                return Err(Error::resource(
                    schema,
                    format!(
                        "{template} lies below {prefix}, which no resource serves; add that URI first"
                    ),
                ));
            }
        }
    }
    Ok(())
}

fn insert(paths: &mut Map<String, Value>, template: &str, item: Value) -> Result<()> {
    let schema = item.text("x-resource").unwrap_or_default().to_owned();
    match paths.insert(template.into(), item) {
        None => Ok(()),
        Some(other) => {
            let other = other.text("x-resource").unwrap_or_default();
            let message =
                format!("{template} is served by [resource.{other}] too; drop one of the two");
            Err(Error::resource(&schema, message))
        }
    }
}

/// Builds the operations of one site.
struct Builder<'a> {
    document: &'a Value,
    site: &'a Site,
    ancestors: Vec<String>,
}

impl Builder<'_> {
    fn item(&self) -> Value {
        let mut item = json!({ "x-resource": self.site.schema });
        let parameters: Vec<_> = naming::parameters(&self.site.template)
            .into_iter()
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        if !parameters.is_empty() {
            item["parameters"] = parameters.into();
        }
        if self.site.own {
            item["x-own"] = true.into();
        }
        if self.site.deprecated {
            item["x-uriDeprecated"] = true.into();
        }
        item
    }

    fn operation(&self, verb: Verb, facts: &ResourceFacts) -> Result<Value> {
        let schema = &self.site.schema;
        let allowed = facts.get(schema).is_some_and(|facts| match verb {
            Verb::Get => true,
            Verb::Patch => facts.flag("updatable"),
            Verb::Post => facts.flag("insertable"),
            Verb::Delete => facts.flag("deletable"),
        });
        if !allowed {
            return Err(Error::resource(
                schema,
                format!("the schema does not allow `{}`", verb.key()),
            ));
        }
        let body = main(schema);
        let member = schema.strip_suffix("Collection");
        let (name, request, success) = match (verb, member) {
            (Verb::Get, Some(_)) => ("list", None, ("200", Some(body))),
            (Verb::Get, None) => ("get", None, ("200", Some(body))),
            (Verb::Patch, _) => ("patch", Some(body.clone()), ("200", Some(body))),
            (Verb::Delete, _) => ("delete", None, ("204", None)),
            (Verb::Post, Some(member)) => {
                ("create", Some(main(member)), ("201", Some(main(member))))
            }
            (Verb::Post, None) => {
                return Err(Error::resource(
                    schema,
                    "`post` is for collections; list actions under `actions`",
                ));
            }
        };
        let mut operation = self.frame(name, verb, success, request)?;
        let overrides =
            privileges::property_overrides(&self.document["x-privileges"], schema, verb.method())?;
        if !overrides.is_empty() {
            operation["x-propertyPrivileges"] = json!(overrides);
        }
        Ok(operation)
    }

    fn action(&self, action: &str) -> Result<Value> {
        let schema = &self.site.schema;
        let components = &self.document["components"]["schemas"];
        let actions = &components[format!("{schema}_Actions")];
        let known: Vec<_> = actions
            .members("properties")
            .filter_map(|(name, _)| name.strip_prefix(&format!("#{schema}.")))
            .collect();
        if !known.contains(&action) {
            return Err(Error::resource(
                schema,
                format!("unknown action `{action}`; the schema has: {}", known.join(", ")),
            ));
        }
        let part = |suffix: &str| {
            let name = format!("{schema}_{action}{suffix}");
            components.get(&name).is_some().then_some(name)
        };
        let success = match part("Response") {
            Some(response) => ("200", Some(response)),
            None => ("204", None),
        };
        let mut operation = self.frame(action, Verb::Post, success, part("RequestBody"))?;
        operation["x-action"] = action.into();
        Ok(operation)
    }

    fn frame(
        &self,
        name: &str,
        verb: Verb,
        (status, response): (&str, Option<String>),
        request: Option<String>,
    ) -> Result<Value> {
        let schema = &self.site.schema;
        let registry = &self.document["x-privileges"];
        let mut responses = json!({
            status: answer("Done", response),
            "default": answer("Error", Some("RedfishError".into())),
        });
        if verb != Verb::Get {
            responses["202"] = answer("Accepted; the task tells the rest", Some(main("Task")));
        }
        let mut operation = json!({
            "operationId": naming::operation(&self.site.template, name),
            "responses": responses,
            "tags": [schema],
            "x-privileges": privileges::needed(registry, schema, &self.ancestors, verb.method())?,
        });
        if let Some(request) = request {
            operation["requestBody"] = json!({"content": content(&request), "required": true});
        }
        Ok(operation)
    }
}

/// The component of a schema's main type.
pub fn main(schema: &str) -> String {
    format!("{schema}_{schema}")
}

fn content(component: &str) -> Value {
    json!({"application/json": {"schema": local(component)}})
}

fn answer(description: &str, component: Option<String>) -> Value {
    match component {
        Some(component) => json!({"description": description, "content": content(&component)}),
        None => json!({"description": description}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(toml: &str) -> Result<Value> {
        let resources = Resources::parse(toml).unwrap();
        let resource = |uri: &str| json!({"uris": [uri], "urisDeprecated": [], "updatable": true, "insertable": false, "deletable": false});
        let facts = [
            ("ServiceRoot", resource("/redfish/v1/")),
            ("Thing", resource("/redfish/v1/Things/{ThingId}")),
            ("ThingCollection", resource("/redfish/v1/Things")),
        ]
        .map(|(name, facts)| (name.to_owned(), facts));
        let login = |entity: &str| json!({"entity": entity, "operations": {"GET": [["Login"]], "PATCH": [["A"]], "POST": [["A"]]}});
        let document = json!({
            "components": {"schemas": {
                "Thing_Actions": {"properties": {"#Thing.Reset": {}}},
                "Thing_ResetRequestBody": {},
            }},
            "x-privileges": {"mappings": [login("ServiceRoot"), login("Thing"), login("ThingCollection")]},
        });
        paths(&resources, &facts.into(), &document)
    }

    const THING: &str =
        "secrets = []\n[resource.Thing]\nuris = [\"/redfish/v1/Things/{ThingId}\"]\n";

    #[test]
    fn a_table_becomes_paths() {
        let paths = build(&format!(
            "{THING}operations = ['get', 'patch']\nactions = ['Reset']\ncollection = ['get']"
        ))
        .unwrap();
        let found: Vec<_> = paths
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(template, item)| {
                let operations = item.as_object().unwrap().values();
                operations
                    .filter_map(move |o| Some((template.as_str(), o.get("operationId")?.as_str()?)))
            })
            .collect();
        assert_eq!(
            found,
            [
                ("/redfish/v1/Things", "things_list"),
                ("/redfish/v1/Things/{ThingId}", "things_get"),
                ("/redfish/v1/Things/{ThingId}", "things_patch"),
                ("/redfish/v1/Things/{ThingId}/Actions/Thing.Reset", "things_reset"),
            ]
        );
    }

    #[test]
    fn what_the_schema_does_not_have_is_refused() {
        let check = |toml: &str, expect: &str| {
            let error = build(toml).unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        };
        check(&format!("{THING}operations = ['delete']"), "does not allow `delete`");
        check(&format!("{THING}actions = ['Fly']"), "unknown action `Fly`; the schema has: Reset");
        check(&THING.replace("Things/", "Stuff/"), "is not a URI of the schema, which has:");
        check(
            "secrets = []\n[resource.Thing]\nuris = [{ uri = \"/redfish/v1/Things/{ThingId}\", own = true }]",
            "drop `own`",
        );
        check(
            "secrets = []\n[resource.Thing]\nuris = [{ uri = \"/redfish/v1/A/{AId}/Thing\", own = true }]",
            "lies below /redfish/v1/A/{AId}, which no resource serves",
        );
    }
}

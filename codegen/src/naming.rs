//! Names in Rust for names on the wire.
//!
//! Types and enum values keep the schema's spelling where it is an identifier; members, modules
//! and operations become snake case. The field's own capitalisation (`IPv4`, `PCIe`, `OAuth`)
//! is told to the word splitter, which would take it apart.

use heck::ToSnakeCase;

/// Spellings that are one word, and how to write them so that the splitter sees that.
const WORDS: [(&str, &str); 24] = [
    ("CACertificates", "CaCertificates"),
    ("CPUs", "Cpus"),
    ("CXL", "Cxl"),
    ("DHCPv4", "Dhcpv4"),
    ("DHCPv6", "Dhcpv6"),
    ("FCoE", "Fcoe"),
    ("FQDNs", "Fqdns"),
    ("GUIDs", "Guids"),
    ("IDs", "Ids"),
    ("IPv4", "Ipv4"),
    ("IPv6", "Ipv6"),
    ("LEDs", "Leds"),
    ("MACs", "Macs"),
    ("NVMe", "Nvme"),
    ("OAuth2", "Oauth2"),
    ("OAuth", "Oauth"),
    ("OpenID", "OpenId"),
    ("PCIe", "Pcie"),
    ("SecurID", "SecurId"),
    ("SLAs", "Slas"),
    ("URIs", "Uris"),
    ("VLANs", "Vlans"),
    ("VLan", "Vlan"),
    ("iSCSI", "Iscsi"),
];

/// Rust keywords that occur as member names.
const KEYWORDS: [&str; 12] = [
    "abstract", "as", "default", "enum", "final", "in", "loop", "match", "ref", "static", "type",
    "use",
];

/// `IPv4Addresses` -> `ipv4_addresses`, `@odata.id` -> `odata_id`,
/// `Members@odata.count` -> `members_odata_count`.
pub fn snake(name: &str) -> String {
    let mut words = name.to_owned();
    for (from, to) in WORDS {
        words = words.replace(from, to);
    }
    words.to_snake_case()
}

/// The name of a struct field.
pub fn field(name: &str) -> String {
    let mut name = snake(name);
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The name of an enum variant: the schema's text where it is an identifier, else with what
/// does not fit turned into word breaks, and a leading digit led by `N`.
pub fn variant(text: &str) -> String {
    let mut name = String::new();
    for (at, part) in
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).enumerate()
    {
        let digits = |s: &str, end: bool| {
            let c = if end { s.chars().last() } else { s.chars().next() };
            c.is_some_and(|c| c.is_ascii_digit())
        };
        if at > 0 && digits(&name, true) && digits(part, false) {
            name.push('_');
        }
        let mut chars = part.chars();
        name.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        name.push_str(chars.as_str());
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'N');
    }
    match name.as_str() {
        "" => "Empty".into(),
        // Rust's own, and the catch-all of every open enum.
        "Self" => "SelfValue".into(),
        "Unknown" => "SchemaUnknown".into(),
        _ => name,
    }
}

/// The id of the operation at a template: its static segments and the verb.
///
/// `/redfish/v1/Systems/{ComputerSystemId}` and `get` -> `systems_get`.
pub fn operation(template: &str, verb: &str) -> String {
    let place = place(template);
    let words = place.iter().map(|segment| snake(segment)).chain([snake(verb)]);
    words.collect::<Vec<_>>().join("_")
}

/// The static segments of a template below the root, or `ServiceRoot` for the root itself.
pub fn place(template: &str) -> Vec<&str> {
    let segments = template.split('/').skip(3);
    let mut place: Vec<_> = segments.filter(|s| !s.is_empty() && !s.starts_with('{')).collect();
    if place.is_empty() {
        place.push("ServiceRoot");
    }
    place
}

/// The ids of a template: `ComputerSystemId`, …
pub fn parameters(template: &str) -> Vec<&str> {
    let segments = template.split('/');
    segments.filter_map(|s| s.strip_prefix('{')?.strip_suffix('}')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let check = |wire, expect| assert_eq!(field(wire), expect);
        check("IPv4Addresses", "ipv4_addresses");
        check("PCIeDevices", "pcie_devices");
        check("@odata.id", "odata_id");
        check("Members@odata.count", "members_odata_count");
        check("UUID", "uuid");
        check("MACAddress", "mac_address");
        check("Type", "type_");
        check("HostingComputerSystems", "hosting_computer_systems");
        check("OAuth2", "oauth2");
        check("VLANs", "vlans");
        check("RelatedURIs", "related_uris");
    }

    #[test]
    fn variants() {
        let check = |text, expect| assert_eq!(variant(text), expect);
        check("On", "On");
        check("OK", "OK");
        check("x86-64", "X86_64");
        check("802_1x", "N802_1x");
        check("Unknown", "SchemaUnknown");
        check("TPM1_2", "TPM1_2");
        check("", "Empty");
        check("LPDDR5_SDRAM", "LPDDR5SDRAM");
        check("#Service.Data", "ServiceData");
    }

    #[test]
    fn operations() {
        let check = |template, verb, expect| assert_eq!(operation(template, verb), expect);
        check("/redfish/v1/", "get", "service_root_get");
        check("/redfish/v1/Systems", "list", "systems_list");
        check("/redfish/v1/Systems/{ComputerSystemId}", "Reset", "systems_reset");
        check(
            "/redfish/v1/Systems/{ComputerSystemId}/VirtualMedia/{VirtualMediaId}",
            "InsertMedia",
            "systems_virtual_media_insert_media",
        );
    }
}

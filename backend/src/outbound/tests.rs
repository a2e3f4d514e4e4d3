//! Tables: URL or address in, verdict out.

use std::net::{IpAddr, SocketAddr};

use super::*;

fn rules(texts: &[&str]) -> Vec<Rule> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn policy(allow: &[&str], deny: &[&str], only_allowed: bool) -> OutboundPolicy {
    let guard = rules(&["10.96.0.0/12", "*.svc", "*.cluster.local"]);
    OutboundPolicy::new(OutboundSettings {
        allow: rules(allow),
        deny: rules(deny),
        guard,
        only_allowed,
        nat64: vec!["2001:db8:64::/96".parse().unwrap()],
        ..OutboundSettings::default()
    })
}

/// The verdict on a URL: the host that would be connected to.
fn verdict(policy: &OutboundPolicy, url: &str) -> Result<String, Refusal> {
    policy
        .destination(url)
        .map(|destination| format!("{}:{}", destination.host(), destination.port()))
}

#[test]
fn every_way_of_writing_a_guarded_address_is_guarded() {
    let policy = policy(&[], &[], false);
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[2001:0:808:808::80ff:fffe]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[::ffff:0:127.0.0.1]",
        "[2001:db8::5efe:7f00:1]",
        "[2001:db8::200:5efe:7f00:1]",
        "[2001:db8:64::7f00:1]",
        "169.254.169.254",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::169.254.169.254]",
        "2852039166",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "[fd00:ec2::254]",
        "[fd20:ce::254]",
        "[fd00:42::42]",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "loc%61lhost",
        "metadata.google.internal",
        "metadata.google.internal.",
        "10.96.0.1",
        "[::ffff:10.96.0.1]",
        "kubernetes.default.svc",
        "x.y.svc.cluster.local",
    ] {
        assert_eq!(verdict(&policy, &format!("http://{host}/x")), Err(Refusal::Guarded), "{host}");
    }
}

#[test]
fn every_guarded_range_is_guarded_from_end_to_end() {
    let policy = policy(&[], &[], false);
    let destination = policy.destination("http://images.example/x").unwrap();
    for rule in ranges::guarded().filter(Rule::is_network) {
        let text = format!("{rule:?}");
        let network: ipnet::IpNet =
            text.split(['(', ')']).find_map(|part| part.parse().ok()).unwrap();
        for address in [network.network(), network.broadcast()] {
            let refused = policy.connectable(&destination, [SocketAddr::new(address, 80)]);
            assert_eq!(refused, Err(Refusal::Guarded), "{address}");
        }
    }
}

#[test]
fn ordinary_destinations_pass() {
    let policy = policy(&[], &[], false);
    let check =
        |url: &str, expect: &str| assert_eq!(verdict(&policy, url), Ok(expect.to_owned()), "{url}");
    check("http://images.example/a.iso", "images.example:80");
    check("https://Images.Example./a.iso", "images.example:443");
    check("http://192.168.0.1:8080/a.iso", "192.168.0.1:8080");
    check("http://10.0.0.1/", "10.0.0.1:80");
    check("http://[2001:db8::1]:81/", "2001:db8::1:81");
    check("http://[::ffff:192.168.0.1]/", "::ffff:192.168.0.1:80");
    check("http://svc/", "svc:80");
    check("http://notlocalhost/", "notlocalhost:80");
}

#[test]
fn what_is_no_url_of_ours_is_refused() {
    let policy = policy(&[], &[], false);
    let long = format!("http://a/{}", "x".repeat(2048));
    for url in [
        "",
        "a.iso",
        "//a/b",
        "http://",
        "http:///",
        "http://a:0/",
        "http://a:99999/",
        "http://a b/",
        "http://a/\tb",
        " http://a/",
        "http://a/\n",
        "http:\\\\a\\b",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://256.1.1.1/",
        "http://user:pass@a/",
        "http://a..\u{0}/",
        &long,
    ] {
        assert!(
            matches!(verdict(&policy, url), Err(Refusal::Malformed(_))),
            "{url:?} {:?}",
            verdict(&policy, url)
        );
    }
    for url in [
        "ftp://a/",
        "file:///etc/passwd",
        "gopher://a/",
        "data:,x",
        "javascript:x",
        "nfs://a/b",
        "HTTPX://a/",
    ] {
        assert_eq!(verdict(&policy, url), Err(Refusal::Scheme), "{url}");
    }
    let settings = OutboundSettings { http: false, ..OutboundSettings::default() };
    assert_eq!(verdict(&OutboundPolicy::new(settings), "http://a/"), Err(Refusal::Scheme));
}

#[test]
fn deny_is_final_and_an_address_rule_lifts_a_guard() {
    let policy = policy(
        &["10.96.5.0/24", "10.2.0.0/16", "evil.example", "*.svc"],
        &["10.2.3.0/24", "*.bad.example"],
        false,
    );
    let check = |host: &str, address: &str, expect: Result<(), Refusal>| {
        let url = format!("http://{host}/");
        let address: IpAddr = address.parse().unwrap();
        let found = policy
            .destination(&url)
            .and_then(|d| policy.connectable(&d, [SocketAddr::new(address, 80)]));
        assert_eq!(found.map(drop), expect, "{host} {address}");
    };
    check("10.96.5.1", "10.96.5.1", Ok(()));
    check("10.96.6.1", "10.96.6.1", Err(Refusal::Guarded));
    check("10.2.4.1", "10.2.4.1", Ok(()));
    check("10.2.3.1", "10.2.3.1", Err(Refusal::Denied));
    check("[::ffff:10.2.3.1]", "::ffff:10.2.3.1", Err(Refusal::Denied));
    check("x.bad.example", "192.0.2.1", Err(Refusal::Denied));
    check("images.example", "10.2.3.1", Err(Refusal::Denied));
    // The name is allowed, but its owner chose a guarded address.
    check("evil.example", "127.0.0.1", Err(Refusal::Guarded));
    check("evil.example", "64:ff9b::7f00:1", Err(Refusal::Guarded));
    // A guarded name that is allowed still needs an address that passes.
    check("a.b.svc", "10.96.6.1", Err(Refusal::Guarded));
    check("a.b.svc", "10.96.5.1", Ok(()));
}

#[test]
fn only_what_is_allowed_passes_when_so_configured() {
    let policy = policy(&["images.example", "192.0.2.0/24"], &[], true);
    let check = |host: &str, address: &str, expect: bool| {
        let address: IpAddr = address.parse().unwrap();
        let found = policy
            .destination(&format!("http://{host}/"))
            .and_then(|d| policy.connectable(&d, [SocketAddr::new(address, 80)]));
        assert_eq!(found.is_ok(), expect, "{host} {address} {found:?}");
    };
    check("images.example", "198.51.100.1", true);
    check("images.example", "127.0.0.1", false);
    check("other.example", "198.51.100.1", false);
    check("other.example", "192.0.2.1", true);
    check("192.0.2.1", "192.0.2.1", true);
    check("198.51.100.1", "198.51.100.1", false);
}

#[test]
fn addresses_that_do_not_pass_are_left_out() {
    let policy = policy(&[], &[], false);
    let destination = policy.destination("http://images.example/").unwrap();
    let [good, bad] = ["192.0.2.1:80", "127.0.0.1:80"].map(|text| text.parse().unwrap());
    assert_eq!(policy.connectable(&destination, [bad, good]), Ok(vec![good]));
    assert_eq!(policy.connectable(&destination, [bad]), Err(Refusal::Guarded));
    assert_eq!(policy.connectable(&destination, []), Err(Refusal::NoAddress));
}

#[test]
fn each_redirect_is_asked_again() {
    let policy = policy(&[], &[], false);
    let from = policy.destination("https://images.example/a/b.iso?x").unwrap();
    let to = |location: &str, hops| {
        policy.redirect(&from, location, hops).map(|d| d.url().as_str().to_owned())
    };
    assert_eq!(to("c.iso", 0), Ok("https://images.example/a/c.iso".into()));
    assert_eq!(to("//other.example/c", 4), Ok("https://other.example/c".into()));
    assert_eq!(to("c.iso", 5), Err(Refusal::TooManyRedirects));
    assert_eq!(to("http://images.example/", 0), Err(Refusal::Downgrade));
    assert_eq!(to("https://169.254.169.254/latest", 0), Err(Refusal::Guarded));
    assert_eq!(to("https://0x7f000001/", 0), Err(Refusal::Guarded));
    assert_eq!(to("file:///etc/passwd", 0), Err(Refusal::Scheme));
    assert!(matches!(to("https://u:p@other.example/", 0), Err(Refusal::Malformed(_))));
    assert!(matches!(to("https://a b/", 0), Err(Refusal::Malformed(_))));
    let other = policy.redirect(&from, "https://images.example:8443/", 0).unwrap();
    assert!(!from.same_origin(&other) && from.same_origin(&from));
}

#[test]
fn credentials_are_taken_out_of_the_url_and_hidden() {
    let policy = policy(&[], &[], false);
    let url = "https://user:p%40ss%zz@images.example/a.iso?sig=s3cret#part";
    let image = policy.image(url, ImageOptions::default()).unwrap();
    assert_eq!(image.url().as_str(), "https://images.example/a.iso?sig=s3cret");
    assert_eq!(image.url().for_log(), "https://images.example/a.iso");
    assert_eq!(image.url().file_name(), Some("a.iso"));
    let credentials = image.credentials().unwrap();
    assert_eq!((credentials.user.expose(), credentials.password.expose()), ("user", "p@ss%zz"));
    let debug = format!("{image:?}");
    assert!(
        !debug.contains("user") && !debug.contains("ss%") && !debug.contains("s3cret"),
        "{debug}"
    );

    let both =
        ImageOptions { credentials: Some(Credentials::new("a", "b")), ..ImageOptions::default() };
    assert!(matches!(policy.image(url, both), Err(Refusal::Malformed(_))));
}

#[test]
fn a_kept_url_is_read_like_a_new_one() {
    let check = |text: &str, expect: bool| {
        assert_eq!(serde_json::from_value::<ImageUrl>(text.into()).is_ok(), expect, "{text}");
    };
    check("https://images.example/a.iso?x", true);
    check("https://u:p@images.example/a.iso", false);
    check("file:///etc/passwd", false);
    check("x", false);
}

#[test]
fn clients_can_not_tell_one_rule_from_another() {
    let text = |refusal: Refusal| Error::from(refusal).to_string();
    for refusal in
        [Refusal::Guarded, Refusal::NotAllowed, Refusal::NoAddress, Refusal::TooManyRedirects]
    {
        assert_eq!(text(refusal), text(Refusal::Denied));
    }
}

#[test]
fn loopback_can_be_allowed_for_the_mock() {
    let policy = OutboundPolicy::new(OutboundSettings::default().with_loopback());
    for url in ["http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost/"] {
        assert!(verdict(&policy, url).is_ok(), "{url}");
    }
    assert_eq!(verdict(&policy, "http://169.254.169.254/"), Err(Refusal::Guarded));
}

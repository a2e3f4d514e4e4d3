//! What holds for every query, condition, tag and path that a client may send.

use http::HeaderValue;
use http::header::{IF_MATCH, IF_NONE_MATCH};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::super::query::{Expand, Filter, Query, Select};
use super::super::{etag, path};
use super::*;
use crate::context::Profile;

/// A condition as text, and whether it holds for `{"A": 1, "B": "x"}`.
fn condition() -> impl Strategy<Value = (String, bool)> {
    let leaf = prop_oneof![
        (0..3_i64).prop_map(|n| (format!("A eq {n}"), n == 1)),
        (0..3_i64).prop_map(|n| (format!("A lt {n}"), 1 < n)),
        "[x-z]".prop_map(|text| (format!("B ne '{text}'"), text != "x")),
        Just(("C eq null".to_owned(), true)),
    ];
    leaf.prop_recursive(4, 32, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone())
                .prop_map(|((a, x), (b, y))| (format!("({a}) and ({b})"), x && y)),
            (inner.clone(), inner.clone())
                .prop_map(|((a, x), (b, y))| (format!("({a}) or ({b})"), x || y)),
            inner.prop_map(|(a, x)| (format!("not ({a})"), !x)),
        ]
    })
}

/// Text that is near to what parsers take.
fn near() -> impl Strategy<Value = String> {
    let words = proptest::sample::select(vec![
        "$expand", "$filter", "$select", "$top", "$skip", "only", "=", "&", "%", "%2", "%00", "'",
        "(", ")", ".", "~", "*", "$levels=", " eq ", " and ", "not ", "1", "-1", "A", "/", ",",
        "W/", "\"", "..", "é",
    ]);
    let words = proptest::collection::vec(words, 0..12).prop_map(|words| words.concat());
    prop_oneof![words, "\\PC{0,24}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conditions_hold_as_logic_has_it((text, expect) in condition()) {
        let document: Map<String, Value> =
            [("A".to_owned(), 1.into()), ("B".to_owned(), "x".into())].into_iter().collect();
        let filter = Filter::parse(&text);
        prop_assert_eq!(filter.map(|filter| filter.holds(&document)), Some(expect), "{}", text);
    }

    #[test]
    fn queries_are_obeyed_or_refused(text in near()) {
        if let Err(error) = Query::parse(&text) {
            prop_assert!(matches!(error.status.as_u16(), 400 | 501), "{text}");
            for message in &error.messages {
                prop_assert!(message.resolution.is_value() && message.message.is_value());
            }
        }
        if let Ok(expand) = Expand::parse(&text) {
            prop_assert!((1..=6).contains(&expand.levels));
        }
        let _ = Filter::parse(&text);
        if let Some(select) = Select::parse(&text) {
            let mut document: Map<String, Value> =
                [("@odata.id".to_owned(), "/x".into()), ("A".to_owned(), 1.into())]
                    .into_iter()
                    .collect();
            select.apply(&mut document);
            prop_assert!(document.contains_key("@odata.id"));
        }
    }

    /// One spelling is one spelling: what is normal stays as it is.
    #[test]
    fn paths_have_one_spelling(text in near()) {
        let text = format!("/{text}");
        if let Some(normal) = path::normal(&text) {
            let again = path::normal(&normal);
            prop_assert_eq!(again.as_deref(), Some(normal.as_ref()));
        }
    }

    /// Only `*` and the tag itself let a strict write pass.
    #[test]
    fn tags_match_what_they_are(text in near()) {
        let Ok(value) = HeaderValue::from_str(&text) else { return Ok(()) };
        let mut headers = HeaderMap::new();
        headers.insert(IF_MATCH, value.clone());
        headers.insert(IF_NONE_MATCH, value);
        let expect = text.trim() == "*";
        prop_assert_eq!(etag::may_change(&headers, "\"c.r\"", Profile::Strict), expect);
        prop_assert_eq!(etag::is_known(&headers, "\"c.r\""), expect);
    }
}

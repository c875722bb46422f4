//! What a re-serialised retry may change, and what it may not.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn digest(text: &str) -> Digest {
    digest_arguments(Some(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn same(texts: &[&str]) {
    for text in texts {
        assert_eq!(
            digest(text),
            digest(texts[0]),
            "{text} means the same as {}",
            texts[0]
        );
    }
}

#[track_caller]
fn all_different(texts: &[&str]) {
    for (at, text) in texts.iter().enumerate() {
        for other in &texts[..at] {
            assert_ne!(digest(text), digest(other), "{text} is not {other}");
        }
    }
}

/// B56, the first group.
#[test]
fn a_retry_may_be_serialised_anew() {
    same(&[
        r#"{"a":1,"b":{"c":2,"d":3}}"#,
        r#"{"b":{"d":3,"c":2},"a":1}"#,
        " {\r\n\t\"b\" : {\"d\":3 ,\"c\": 2},\"a\":1 } ",
    ]);
    same(&[r#"{"n":"é"}"#, r#"{"n":"\u00e9"}"#, r#"{"n":"\u00E9"}"#]);
    same(&[r#"{"\u00e9":1}"#, r#"{"é":1}"#]);
    same(&[
        r#"{"n":"😀/\"\\"}"#,
        r#"{"n":"\ud83d\uDE00\/\u0022\u005c"}"#,
    ]);
    same(&[
        "{\"n\":\"\\b\\f\\n\\r\\t\"}",
        "{\"n\":\"\\u0008\\u000c\\u000a\\u000d\\u0009\"}",
    ]);
    same(&["{}", r#"{"note":null}"#, "null"]);
    same(&[
        r#"{"a":1}"#,
        r#"{"a":1,"note":null}"#,
        r#"{"a_note":null,"a":1}"#,
    ]);
    assert_eq!(digest_arguments(None).unwrap(), digest("{}"));
    assert_eq!(digest_arguments(None).unwrap(), digest(" { } "));
}

/// B56, the second group.
#[test]
fn a_retry_may_not_mean_something_else() {
    all_different(&[
        r#"{"a":1}"#,
        r#"{"a":2}"#,
        r#"{"a":"1"}"#,
        r#"{"a":true}"#,
        r#"{"a":[1]}"#,
        r#"{"a":{}}"#,
        r#"{"a":[]}"#,
        r#"{"a":""}"#,
        r#"{"b":1}"#,
        r#"{"a":1,"b":1}"#,
        "{}",
    ]);
    all_different(&[
        r#"{"a":[1,2]}"#,
        r#"{"a":[2,1]}"#,
        r#"{"a":[1,2,null]}"#,
        r#"{"a":[12]}"#,
        r#"{"a":[[1],2]}"#,
    ]);
    all_different(&[r#"{"a":"é"}"#, r#"{"a":"e\u0301"}"#, r#"{"a":"É"}"#]);
    // Only an argument of its own may be absent: deeper down, `null` is a value.
    all_different(&[
        r#"{"a":{"b":null}}"#,
        r#"{"a":{}}"#,
        r#"{"a":[null]}"#,
        r#"{"a":[]}"#,
    ]);
}

/// What looks like the canonical form of something else is only a string.
#[test]
fn strings_do_not_imitate_structure() {
    all_different(&[
        r#"{"a":"b","c":"d"}"#,
        r#"{"a":"bs1:cs1:d"}"#,
        r#"{"as1:b":"c"}"#,
        r#"{"a":"n1e0;"}"#,
        r#"{"a":1}"#,
    ]);
    all_different(&[
        r#"{"a":"z"}"#,
        r#"{"a":[null]}"#,
        r#"{"a":"t"}"#,
        r#"{"a":true}"#,
    ]);
}

#[test]
fn whole_numbers_are_exact_however_they_are_written() {
    same(&[
        r#"{"n":1}"#,
        r#"{"n":1.0}"#,
        r#"{"n":1e0}"#,
        r#"{"n":100e-2}"#,
        r#"{"n":1E+0}"#,
        r#"{"n":0.1e1}"#,
        r#"{"n":1.000}"#,
    ]);
    let thirty = format!(r#"{{"n":1{}}}"#, "0".repeat(30));
    same(&[r#"{"n":1e30}"#, &thirty, r#"{"n":10.0e29}"#]);
    same(&[
        r#"{"n":0}"#,
        r#"{"n":-0}"#,
        r#"{"n":0.0}"#,
        r#"{"n":-0.0}"#,
        r#"{"n":0e99999999999999999999}"#,
        r#"{"n":0e-99999999999999999999}"#,
    ]);
    same(&[r#"{"n":-120}"#, r#"{"n":-1.2e2}"#, r#"{"n":-120.0}"#]);
    // Past what a double holds.
    all_different(&[
        r#"{"n":9007199254740992}"#,
        r#"{"n":9007199254740993}"#,
        r#"{"n":9007199254740994}"#,
        r#"{"n":-9007199254740993}"#,
    ]);
    all_different(&[
        r#"{"n":18446744073709551616}"#,
        r#"{"n":18446744073709551617}"#,
        r#"{"n":1e400}"#,
        r#"{"n":1e401}"#,
    ]);
    let long = "1".repeat(500);
    all_different(&[
        &format!(r#"{{"n":{long}}}"#),
        &format!(r#"{{"n":{long}1}}"#),
        &format!(r#"{{"n":{long}.5}}"#),
    ]);
}

#[test]
fn other_numbers_are_the_double_that_they_round_to() {
    same(&[
        r#"{"n":0.1}"#,
        r#"{"n":0.10}"#,
        r#"{"n":1e-1}"#,
        r#"{"n":0.1000000000000000055511151231257827}"#,
    ]);
    same(&[r#"{"n":1.5}"#, r#"{"n":15e-1}"#, r#"{"n":0.00015E4}"#]);
    same(&[r#"{"n":1}"#, r#"{"n":1.00000000000000000000001}"#]);
    same(&[r#"{"n":5e-324}"#, r#"{"n":4.9406564584124654e-324}"#]);
    same(&[
        r#"{"n":0}"#,
        r#"{"n":1e-400}"#,
        r#"{"n":-1.5e-99999999999999999999}"#,
    ]);
    all_different(&[
        r#"{"n":0.1}"#,
        r#"{"n":0.10000000000000002}"#,
        r#"{"n":0.2}"#,
        r#"{"n":-0.1}"#,
        r#"{"n":0.01}"#,
        r#"{"n":1.5}"#,
        r#"{"n":15}"#,
    ]);
}

#[test]
fn duplicate_keys_are_refused() {
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"b":2,"a":3}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"x":[{"a":1,"a":2}]}"#,
        r#"{"a":null,"a":1}"#,
        r#"{"a":1,"a":null}"#,
    ] {
        assert_eq!(
            digest_arguments(Some(text)),
            Err(DigestError::DuplicateKey),
            "{text}"
        );
    }
}

#[test]
fn arguments_are_an_object() {
    for text in [
        "[]",
        "1",
        "\"a\"",
        "true",
        "false",
        "[{}]",
        "",
        "  ",
        "\u{feff}{}",
    ] {
        assert_eq!(
            digest_arguments(Some(text)),
            Err(DigestError::NotAnObject),
            "{text:?}"
        );
    }
}

#[test]
fn what_is_no_json_is_refused() {
    let texts = [
        "{",
        "{}{}",
        "{} x",
        "{,}",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{"a":1 "b":2}"#,
        r#"{a:1}"#,
        "nul",
        "nullx",
        r#"{"a":[1,]}"#,
        r#"{"a":[,1]}"#,
        r#"{"a":[1 2]}"#,
        r#"{"a":tru}"#,
        r#"{"a":NaN}"#,
        r#"{"a":1]"#,
        r#"{"a":01}"#,
        r#"{"a":-}"#,
        r#"{"a":1.}"#,
        r#"{"a":.5}"#,
        r#"{"a":1e}"#,
        r#"{"a":1e+}"#,
        r#"{"a":+1}"#,
        r#"{"a":1-1}"#,
        r#"{"a":1.2.3}"#,
        r#"{"a":--1}"#,
        r#"{"a":1e5e5}"#,
        r#"{"a":1e99999999999999999999}"#,
        r#"{"a":"#,
        r#"{"a":""#,
        r#"{"a":"\"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12"}"#,
        r#"{"a":"\u12é4"}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00"}"#,
        r#"{"a":"\ud800\u0041"}"#,
        r#"{"a":"\ud800x"}"#,
        r#"{"a":"\é"}"#,
        "{\"a\":\"\n\"}",
        "{\"a\":\u{a0}1}",
    ];
    for text in texts {
        assert_eq!(
            digest_arguments(Some(text)),
            Err(DigestError::NotJson),
            "{text:?}"
        );
        assert!(
            serde_json::from_str::<serde_json::Map<String, Value>>(text).is_err(),
            "{text:?}"
        );
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    assert!(digest_arguments(Some(&nested(127))).is_ok());
    assert_eq!(
        digest_arguments(Some(&nested(128))),
        Err(DigestError::TooDeep)
    );
    assert_eq!(
        digest_arguments(Some(&nested(100_000))),
        Err(DigestError::TooDeep)
    );
    let objects = r#"{"a":"#.repeat(100_000);
    assert_eq!(digest_arguments(Some(&objects)), Err(DigestError::TooDeep));
    assert!(DigestError::TooDeep.to_string().contains("128"));
}

#[test]
fn parts_have_ends() {
    let digests = [
        Digest::of_parts("l", &[&b"ab"[..], b"c"]),
        Digest::of_parts("l", &[&b"a"[..], b"bc"]),
        Digest::of_parts("l", &[&b"abc"[..]]),
        Digest::of_parts("l", &[&b"ab"[..], b"c", b""]),
        Digest::of_parts("la", &[&b"b"[..], b"c"]),
    ];
    for (at, digest) in digests.iter().enumerate() {
        assert!(!digests[..at].contains(digest));
    }
}

/// JSON whose numbers are integers, so that serde_json keeps them.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-dé\"\\\\]{0,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Writes JSON in another way: members in reverse, every character of a string escaped, spaces, integers as `n.0`.
fn rewrite(value: &Value) -> String {
    let string = |text: &str| {
        let units: String = text
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04X}"))
            .collect();
        format!("\"{units}\"")
    };
    match value {
        Value::Number(number) => format!("{number}.0"),
        Value::String(text) => string(text),
        Value::Array(items) => format!(
            "[ {} ]",
            items.iter().map(rewrite).collect::<Vec<_>>().join(" , ")
        ),
        Value::Object(members) => {
            let members = members
                .iter()
                .rev()
                .map(|(key, value)| format!("{} : {}", string(key), rewrite(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join("\n,"))
        }
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn rewriting_changes_nothing(value in any_json()) {
        let text = format!(r#"{{"v":{value}}}"#);
        let again = format!(r#"{{"v":{}}}"#, rewrite(&value));
        prop_assert_eq!(digest(&text), digest(&again));
    }

    #[test]
    fn different_values_differ(one in any_json(), two in any_json()) {
        let (a, b) = (format!(r#"{{"v":[{one}]}}"#), format!(r#"{{"v":[{two}]}}"#));
        prop_assert_eq!(one == two, digest(&a) == digest(&b));
    }

    #[test]
    fn doubles_survive_a_round_trip(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
        let forms = [format!(r#"{{"n":{number}}}"#), format!(r#"{{"n":{number:e}}}"#), format!(r#"{{"n":{number:?}}}"#)];
        for form in &forms {
            prop_assert_eq!(digest(form), digest(&forms[0]), "{}", form);
        }
    }

    #[test]
    fn nothing_panics(text in r#"[ \{\}\[\]:,"\\u0-9a-fA-Ftrulnse.+\-é]{0,40}"#) {
        let _ = digest_arguments(Some(&text));
        let inside = format!("{{\"a\":{text}}}");
        let ours = digest_arguments(Some(&inside));
        // Whatever serde_json takes as an object is taken, unless it has a key twice.
        if serde_json::from_str::<serde_json::Map<String, Value>>(&inside).is_ok() {
            prop_assert!(matches!(ours, Ok(_) | Err(DigestError::DuplicateKey)), "{}: {:?}", inside, ours);
        }
    }
}

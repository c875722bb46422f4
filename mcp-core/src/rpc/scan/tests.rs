#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::*;

fn is_json(text: &str) -> bool {
    let mut scan = Scan::new(text);
    scan.skip().and_then(|()| scan.finish()).is_ok()
}

/// What the reference says.
fn is_json_to_serde(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[test]
fn values_of_every_kind_are_passed_over() {
    for text in [
        "0",
        "-0",
        "-12.50e+07",
        "1E9",
        "1e-9",
        "true",
        "false",
        "null",
        r#""""#,
        r#""a\"\\\/\b\f\n\r\t\u00e9\ud800""#,
        "[]",
        "[ ]",
        "{ }",
        r#" { "a" : [ 1 , { "b" : null } , "]}" ] , "" : { } } "#,
    ] {
        assert!(is_json(text), "{text}");
        assert!(is_json_to_serde(text), "{text}");
    }
}

#[test]
fn what_is_no_json_is_refused() {
    for text in [
        "",
        " ",
        "-",
        "01",
        "-01",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "1.e1",
        "0x1",
        "1 2",
        "tru",
        "truE",
        "nul",
        "nulll",
        "True",
        "NaN",
        "'a'",
        "\"",
        "\"\\",
        r#""\x""#,
        r#""\u12g4""#,
        r#""\u123"#,
        "\"a\nb\"",
        "\"\u{1f}\"",
        "\"\0\"",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{",
        "}",
        "{]",
        "{,}",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{"a":1"#,
        r#"{"a" 1}"#,
        "{a:1}",
        "{1:1}",
        r#"{"a":1]"#,
        r#"{"a":1 "b":2}"#,
        "{}{}",
        "[][]",
        "\u{feff}1",
        "\u{a0}1",
        "1\u{b}",
        "/**/1",
    ] {
        assert!(!is_json(text), "{text:?}");
        assert!(!is_json_to_serde(text), "{text:?}");
    }
}

#[test]
fn brackets_of_any_depth_are_matched() {
    for depth in [1, 2, 63, 64, 65, 127, 128, 129, 192, 100_000] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"a":"#, "}]")] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            assert!(is_json(&text), "{depth} of {open}");
            assert!(!is_json(&text[..text.len() - 1]), "{depth} of {open}");
            assert!(!is_json(&format!("{text}]")), "{depth} of {open}");
            let crossed = format!("{}1]{}", "[".repeat(depth), "}".repeat(depth));
            assert!(!is_json(&crossed), "{depth}");
        }
    }
}

#[test]
fn strings_are_copied_only_where_they_have_escapes() {
    let text = |json| Scan::new(json).string();
    assert!(matches!(
        text(r#" "plain é""#),
        Ok(Cow::Borrowed("plain é"))
    ));
    assert!(matches!(text(r#""a\\b\u00e9""#), Ok(Cow::Owned(owned)) if owned == "a\\bé"));
    // JSON, but no text.
    assert_eq!(text(r#""\ud800""#), Err(Malformed));
    assert_eq!(text("1"), Err(Malformed));
}

#[test]
fn members_are_given_once_each_and_null_is_none() {
    let read = |json| {
        let (mut name, mut limit) = (None, None);
        let mut scan = Scan::new(json);
        scan.object(|scan, key| match key {
            "name" => scan.fill(&mut name, |scan| scan.optional(Scan::string)),
            "limit" => scan.fill(&mut limit, Scan::raw),
            _ => scan.skip(),
        })?;
        scan.finish()?;
        Ok((name, limit))
    };
    let name = |name: &'static str| Some(Some(Cow::Borrowed(name)));
    assert_eq!(read("{}"), Ok((None, None)));
    assert_eq!(
        read(r#"{"limit": [1, 2] ,"x":{"name":1},"name":"a"}"#),
        Ok((name("a"), Some("[1, 2]")))
    );
    // A key is the same key however it is spelt.
    assert_eq!(
        read(r#"{"n\u0061me":"a","x":1,"x":2}"#),
        Ok((name("a"), None))
    );
    assert_eq!(read(r#"{"name":null}"#), Ok((Some(None), None)));
    for json in [
        r#"{"name":"a","name":"a"}"#,
        r#"{"name":null,"n\u0061me":"a"}"#,
        r#"{"name":1}"#,
        r#"["a"]"#,
        "null",
        r#"{"limit":}"#,
        r#"{"limit":1,}"#,
        r#"{"limit":1}}"#,
    ] {
        assert_eq!(read(json), Err(Malformed), "{json}");
    }
}

/// Text that is nearly JSON: pieces of it in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\\", "\\u00e9", "\\ud83d", "\\\"", "0", "1",
        "-", ".", "e", "+", "true", "null", "fals", " ", "\n", "\t", "é", "🎉", "\u{7f}", "\u{1}",
        "\u{2028}", "{\"a\":", "[1,", "abcdefgh",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        "(\\PC|[\\x00-\\x20\"\\\\]){0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("\\PC{0,9}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn it_accepts_what_serde_json_accepts(text in pieces()) {
        prop_assert_eq!(is_json(&text), is_json_to_serde(&text), "{:?}", text);
    }

    #[test]
    fn it_accepts_json_with_one_byte_changed_as_serde_json_does(
        value in value(),
        pretty: bool,
        place: prop::sample::Index,
        byte in 0_u8..0x80,
    ) {
        let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let json = json.unwrap();
        prop_assert!(is_json(&json));
        let mut bytes = json.into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        if let Ok(text) = String::from_utf8(bytes) {
            prop_assert_eq!(is_json(&text), is_json_to_serde(&text), "{:?}", text);
        }
    }

    #[test]
    fn strings_are_read_as_serde_json_reads_them(text in pieces()) {
        let json = format!("\"{text}\"");
        let read = |json| {
            let mut scan = Scan::new(json);
            let string = scan.string()?;
            scan.finish().map(|()| string.into_owned())
        };
        prop_assert_eq!(read(&json).ok(), serde_json::from_str::<String>(&json).ok());
    }

    #[test]
    fn raw_values_are_the_text_between_blanks(value in value(), before in "[ \n\t\r]{0,3}") {
        let json = value.to_string();
        let text = format!("{before}{json} ,");
        prop_assert_eq!(Scan::new(&text).raw(), Ok(&*json));
    }
}

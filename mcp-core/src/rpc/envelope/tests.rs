#![allow(clippy::unwrap_used)]

use super::*;
use crate::rpc::code;

fn fault(line: &str) -> (Option<String>, i32) {
    match parse(line, Scan::raw_value) {
        Err(Fault::Message { id, error }) => (id.map(|id| id.as_json().to_owned()), error.code),
        other => panic!("{other:?}"),
    }
}

/// Reads `params` that have a name.
fn name<'a>(scan: &mut Scan<'a>) -> Result<Cow<'a, str>, Malformed> {
    let mut name = None;
    scan.object(|scan, key| match key {
        "name" => scan.fill(&mut name, Scan::string),
        _ => scan.skip(),
    })?;
    name.ok_or(Malformed)
}

#[test]
fn ids_keep_type_and_value() {
    for id in [
        "0",
        "-1",
        "9007199254740993",
        r#""7""#,
        "7",
        r#""""#,
        r#""é""#,
        r#""\u00e9""#,
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        let Ok(Message::Request { id: found, .. }) = parse(&line, Scan::raw_value) else {
            panic!("{id}")
        };
        assert_eq!(found.as_json(), id);
    }
    let (a, b) = (RawId("7"), RawId(r#""7""#));
    assert_ne!(a.to_id(), b.to_id());
    let huge = "9".repeat(38);
    assert_eq!(RawId(&huge).to_id().to_string(), huge);
    assert_eq!(RawId(r#""é""#).to_id(), RawId(r#""\u00e9""#).to_id());
}

#[test]
fn an_id_has_no_blanks_around_it() {
    for id in ["7", "-7", r#""a""#, r#"" ""#, r#""\"""#] {
        assert_eq!(RawId::new(id).map(RawId::as_json), Some(id));
        for blank in [" ", "\n", "\t", "\r\n"] {
            for text in [format!("{blank}{id}"), format!("{id}{blank}")] {
                assert_eq!(RawId::new(&text), None, "{text:?}");
            }
        }
    }
    for text in ["\"", "\"\"\"", r#""\""#, r#""a" "b""#] {
        assert_eq!(RawId::new(text), None, "{text:?}");
    }
}

#[test]
fn other_ids_are_invalid_requests_without_an_id() {
    for id in [
        "null",
        "1.5",
        "1e3",
        "true",
        "[1]",
        "{}",
        "-",
        // Escapes that JSON allows, of what is no character.
        r#""\ud800""#,
        r#""a\udc00b""#,
        r#""\ud800\ud800""#,
        "1".repeat(39).as_str(),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        let expected = if id == "-" {
            code::PARSE_ERROR
        } else {
            code::INVALID_REQUEST
        };
        assert_eq!(fault(&line), (None, expected), "{id}");
    }
}

#[test]
fn batches_and_scalars_are_invalid_requests() {
    for line in [
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
        " [1]",
        "1",
        r#""x""#,
        "null",
    ] {
        assert_eq!(fault(line), (None, code::INVALID_REQUEST), "{line}");
    }
}

#[test]
fn members_by_position_are_no_message() {
    let line = r#"["2.0",1,"m",{"name":"a"},null,null]"#;
    assert_eq!(fault(line), (None, code::INVALID_REQUEST));
    assert_eq!(fault(&format!(" {line}")), (None, code::INVALID_REQUEST));
    let line = r#"{"jsonrpc":"2.0","id":3,"method":"m","params":["a"]}"#;
    let parsed = parse(line, name);
    assert!(matches!(parsed, Err(Fault::Params { .. })), "{parsed:?}");
}

#[test]
fn no_json_is_a_parse_error_without_an_id() {
    for line in ["oops", "{", "{\"id\":1", "{}{}", ""] {
        assert_eq!(fault(line), (None, code::PARSE_ERROR), "{line:?}");
    }
}

#[test]
fn a_readable_id_is_kept_when_the_rest_is_off() {
    assert_eq!(
        fault(r#"{"jsonrpc":"2.0","id":7,"method":5}"#),
        (Some("7".into()), code::INVALID_REQUEST)
    );
    assert_eq!(
        fault(r#"{"id":"a","method":"tools/list"}"#),
        (Some(r#""a""#.into()), code::INVALID_REQUEST)
    );
    assert_eq!(
        fault(r#"{"jsonrpc":"1.0","id":8,"method":"m"}"#),
        (Some("8".into()), code::INVALID_REQUEST)
    );
    assert_eq!(
        fault(r#"{"jsonrpc":"2.0","id":8}"#),
        (Some("8".into()), code::INVALID_REQUEST)
    );
}

#[test]
fn params_of_the_wrong_form_keep_id_and_method() {
    match parse(
        r#"{"jsonrpc":"2.0","id":3,"method":"m","params":{"name":5}}"#,
        name,
    ) {
        Err(Fault::Params { id, method, params }) => {
            assert_eq!(id.unwrap().as_json(), "3");
            assert_eq!((&*method, params.get()), ("m", r#"{"name":5}"#));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn escaped_method_names_and_late_ids_are_read() {
    let line = r#"{"params":{},"method":"tools\/call","id":1,"jsonrpc":"2.0"}"#;
    let Ok(Message::Request { method, .. }) = parse(line, Scan::raw_value) else {
        panic!()
    };
    assert_eq!(method, "tools/call");
}

#[test]
fn responses_are_told_from_requests() {
    let line = r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#;
    let Ok(Message::Response {
        id: Some(id),
        outcome: Ok(result),
    }) = parse(line, Scan::raw_value)
    else {
        panic!()
    };
    assert_eq!((id.as_json(), result.get()), ("1", r#"{"a":1}"#));
    for line in [
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
    ] {
        assert!(matches!(
            parse(line, Scan::raw_value),
            Ok(Message::Response {
                id: None,
                outcome: Err(_)
            })
        ));
    }
    assert_eq!(
        fault(r#"{"jsonrpc":"2.0","result":{}}"#),
        (None, code::INVALID_REQUEST)
    );
}

#[test]
fn deep_nesting_costs_no_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{deep}}}}}"#);
    assert!(parse(&line, Scan::raw_value).is_ok());
    assert_eq!(fault(&deep), (None, code::INVALID_REQUEST));
    assert_eq!(fault(&"[".repeat(100_000)), (None, code::PARSE_ERROR));
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    assert_eq!(
        fault(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#),
        (None, code::INVALID_REQUEST)
    );
}

//! The body's form, pinned, and that nothing else decodes.

#![allow(clippy::unwrap_used)]

use super::super::digest::digest_arguments;
use super::super::{Binding, Key, KeyRing, SealedCodec, SignedCodec, StateCodec};
use super::*;

/// Made by an independent implementation of the format in Python, with `cryptography` for AES, from the specification of
/// the cipher and the documentation of this module.
const BODY: &str = r#"{"v":1,"i":1000,"e":1600,"m":"tools/call","t":"delete_note","d":"Y9ot4ZG9n0gzC2TbG_kgFYjBo7-kxjNolA_6oWoab_4","a":"notes","p":{"c":{"i":"https://login.example","s":"alice","c":null}},"x":"AAECAwQFBgcICQoLDA0ODw","r":1,"c":{"a":{"answer":{"q":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","v":{"action":"accept","content":{"n":9007199254740993}}}},"q":{},"f":{"signin":"flow-1"},"m":{},"h":null}}"#;
const SEALED: &str = "v1.rpdLrUBBQkNERUZHSElKS0xNTk9QUVJTVFVWV2imySf1o8CTP6Kk8MvlvriN0Y4kQffQT-a4EKkUzjpVQrlkX\
     ycL9jTrQpl-sRlhko4aWMs2I9fH_y3LoplCXtxPWcBFKSIg2LpausNB9sIUXw6KLWBIxDm3F0P5Hr4gsErrB61WwyCN6KAu4HtETQDtqJ\
     brLXSmwH5J8UVfBS-qTDLmpGVjjxvZH7_S2NZ_l9grtfQlSiS1s9h-uZqmyv9K2Sy6P4txRs2lZJxUuKSEHp2KqQrSvPk0V-QBQ_IRvdC\
     O7axNFEuJNMKFPOqANZVnQ3v6SfSSxLmNXJQXflYwRYhldPwl7WIudkrwFlMuTfgP0GAD0jIyNi7nqhM-AU_12HzIfREdc6GxkxXICwhF\
     1Ribt8ebfxKKP4z5BVJATU6HGj5GycZLK48Mu7AAVObj709xhCYj2lcCiS_Mg63Tz-ybbLzrVQcQv1rqW0KKVEPE4tJX2Jw-PGd8QuXPQ\
     dcmOdLmcyx7DqzzlHLvleRhD49Jvqy4_Zk34o_aYu6ZEot_ic8arSdCAB6HBoI9cKDZlsVB5KeTndSDPQ";
const SIGNED: &str = "h1.xYR8Ig.eyJ2IjoxLCJpIjoxMDAwLCJlIjoxNjAwLCJtIjoidG9vbHMvY2FsbCIsInQiOiJkZWxldGVfbm90ZS\
     IsImQiOiJZOW90NFpHOW4wZ3pDMlRiR19rZ0ZZakJvNy1reGpOb2xBXzZvV29hYl80IiwiYSI6Im5vdGVzIiwicCI6eyJjIjp7ImkiOiJ\
     odHRwczovL2xvZ2luLmV4YW1wbGUiLCJzIjoiYWxpY2UiLCJjIjpudWxsfX0sIngiOiJBQUVDQXdRRkJnY0lDUW9MREEwT0R3IiwiciI6\
     MSwiYyI6eyJhIjp7ImFuc3dlciI6eyJxIjoiQUFFQ0F3UUZCZ2NJQ1FvTERBME9EeEFSRWhNVUZSWVhHQmthR3h3ZEhoOCIsInYiOnsiY\
     WN0aW9uIjoiYWNjZXB0IiwiY29udGVudCI6eyJuIjo5MDA3MTk5MjU0NzQwOTkzfX19fSwicSI6e30sImYiOnsic2lnbmluIjoiZmxvdy\
     0xIn0sIm0iOnt9LCJoIjpudWxsfX0.QOinQHFJIztBhh1f5l7VSkdtkddioZys9_GRhvIJjoM";

/// Made by `postcard` 1.2, whose format this is, from structs with the same fields.
const COMPACT: &str = "AegHwAwKdG9vbHMvY2FsbAtkZWxldGVfbm90ZSBj2i3hkb2fSDMLZNsb-SAViMGjv6TGM2iUD_qhahpv_gVub3R\
     lcwIVaHR0cHM6Ly9sb2dpbi5leGFtcGxlBWFsaWNlABAAAQIDBAUGBwgJCgsMDQ4PAQEGYW5zd2VyIAABAgMEBQYHCAkKCwwNDg8QERIT\
     FBUWFxgZGhscHR4fNHsiYWN0aW9uIjoiYWNjZXB0IiwiY29udGVudCI6eyJuIjo5MDA3MTk5MjU0NzQwOTkzfX0AAQZzaWduaW4GZmxvd\
     y0xAAA";

/// The content that the pinned texts have.
fn content() -> Content<'static> {
    let principal = Principal::caller("https://login.example", "alice", None);
    let binding = Binding {
        method: "tools/call",
        target: "delete_note",
        arguments: digest_arguments(Some(r#"{"id": 7}"#)).unwrap(),
        audience: "notes",
        principal: &principal,
    };
    let exchange = ExchangeId(std::array::from_fn(|at| at as u8));
    let mut stamp = Stamp::new(binding.arguments, exchange);
    (stamp.issued_at, stamp.expires_at, stamp.round) = (1_000, 1_600, 1);
    let mut payload = Payload::default();
    let answer = Answer {
        question: Digest(std::array::from_fn(|at| at as u8)),
        value: r#"{"action":"accept","content":{"n":9007199254740993}}"#.to_owned(),
    };
    payload.answers.insert("answer".into(), answer);
    payload.flows.insert("signin".into(), "flow-1".into());
    Content::kept(StateBody { stamp, payload }, &binding)
}

fn written(content: &Content<'_>, form: Form) -> Vec<u8> {
    let binding = Binding {
        method: &content.method,
        target: &content.target,
        arguments: content.body.stamp.arguments,
        audience: &content.audience,
        principal: &content.principal,
    };
    encode(&content.body.stamp, &content.body.payload, &binding, form)
}

fn body() -> StateBody {
    content().body
}

#[test]
fn the_form_is_pinned() {
    assert_eq!(
        String::from_utf8(written(&content(), Form::Readable)).unwrap(),
        BODY
    );
    assert!(decode(BODY.as_bytes(), Form::Readable).unwrap() == content());
}

#[test]
fn the_compact_form_is_pinned() {
    let compact = written(&content(), Form::Compact);
    assert_eq!(base64url::encode(&compact), COMPACT);
    assert!(decode(&compact, Form::Compact).unwrap() == content());
}

/// A state sealed by an earlier release opens.
#[test]
fn pinned_tokens_open() {
    let ring = KeyRing::new([Key::from_hex(
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )
    .unwrap()])
    .unwrap();
    let sealed = SealedCodec::new(&ring).unwrap();
    assert_eq!(
        String::from_utf8(sealed.open(SEALED).unwrap()).unwrap(),
        BODY
    );
    let signed = SignedCodec::new(&ring).unwrap();
    assert_eq!(
        String::from_utf8(signed.open(SIGNED).unwrap()).unwrap(),
        BODY
    );
    // Without a nonce the signed form is determined both ways.
    assert_eq!(signed.seal(BODY.as_bytes()).unwrap(), SIGNED);
}

#[test]
fn integers_of_answers_are_kept() {
    let content = decode(BODY.as_bytes(), Form::Readable).unwrap();
    let answer = content.body.payload.answers.get("answer").unwrap();
    assert_eq!(
        answer.value,
        r#"{"action":"accept","content":{"n":9007199254740993}}"#
    );
}

#[test]
fn every_kind_of_content_survives() {
    let mut content = content();
    let body = &mut content.body;
    body.payload.by_hand = Some("R-0111 \"\u{2028}😀".into());
    body.payload
        .memos
        .insert("quote".into(), "[1, 2.50]".into());
    let asked = Asked {
        question: body.stamp.arguments,
        depends: body.stamp.arguments,
        times: 3,
        changes: 1,
    };
    body.payload.asked.insert("ask".into(), asked.clone());
    body.payload.asked.insert("a \"second\"".into(), asked);
    let stamp = &mut body.stamp;
    (stamp.issued_at, stamp.expires_at, stamp.round) = (127, u64::MAX, u32::MAX);
    for form in [Form::Compact, Form::Readable] {
        for principal in [
            Principal::Local,
            Principal::Anonymous,
            Principal::caller("", "\n", Some("desk")),
        ] {
            content.principal = principal;
            let bytes = written(&content, form);
            let decoded = decode(&bytes, form).unwrap();
            assert!(decoded == content);
            let memo = decoded.body.payload.memos.get("quote").unwrap();
            assert_eq!(memo, "[1, 2.50]");
        }
    }
}

/// The compact form has one reading: cut short, followed by more, or of another version it is nothing.
#[test]
fn the_compact_form_is_read_whole_or_not_at_all() {
    let bytes = written(&content(), Form::Compact);
    let is_malformed =
        |bytes: &[u8]| decode(bytes, Form::Compact).err() == Some(StateError::Malformed);
    assert!(decode(&bytes, Form::Compact).unwrap() == content());
    assert!(bytes.len() < BODY.len() * 2 / 3, "{} bytes", bytes.len());
    for end in 0..bytes.len() {
        assert!(is_malformed(&bytes[..end]), "{end}");
    }
    assert!(is_malformed(&[&bytes[..], &[0]].concat()));
    assert!(is_malformed(&[&[2], &bytes[1..]].concat()));
    // A number that is longer than it must be, or longer than a number can be; a text that is none.
    assert!(is_malformed(&[&[0x81, 0], &bytes[1..]].concat()));
    assert!(is_malformed(&[&[0xff; 10], &bytes[1..]].concat()));
    let text = bytes
        .windows(5)
        .position(|window| window == b"tools")
        .unwrap();
    let mut other = bytes.clone();
    other[text] = 0xff;
    assert!(is_malformed(&other));
    // A memo or answer that is no JSON.
    let answer = bytes
        .windows(9)
        .position(|window| window == br#"{"action""#)
        .unwrap();
    let mut other = bytes;
    other[answer] = b'[';
    assert!(is_malformed(&other));
}

/// The same bytes with a part of them replaced, which is there once.
#[track_caller]
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let found = |at: &usize| bytes[*at..].starts_with(from);
    let places: Vec<usize> = (0..bytes.len()).filter(found).collect();
    assert_eq!(places.len(), 1, "{from:?} in {bytes:?}");
    let (before, after) = bytes.split_at(places[0]);
    [before, to, &after[from.len()..]].concat()
}

/// Each value has one way to be written in the compact form, and a range: what is next to it is malformed.
#[test]
fn the_compact_form_takes_nothing_odd() {
    const ZERO: [u8; 32] = [0; 32];
    let bytes = written(&content(), Form::Compact);
    let digest: [u8; 32] = std::array::from_fn(|at| at as u8);
    let question = &[&[32], &digest[..]].concat()[..];
    let exchange = &[&[16], &digest[..16]].concat()[..];
    let round = b"\x0e\x0f\x01\x01";
    let signin = b"\x01\x06signin\x06flow-1";
    type Change<'a> = (&'a [u8], &'a [u8]);
    let fine: [Change<'_>; 6] = [
        // The time of its issue is that of its end; the last round; a client without a name.
        (b"\xe8\x07\xc0\x0c", b"\xc0\x0c\xc0\x0c"),
        (round, b"\x0e\x0f\xff\xff\xff\xff\x0f\x01"),
        (b"alice\0", b"alice\x01\0"),
        (question, b"\0"),
        (signin, b"\x02\x03pay\0\x06signin\x06flow-1"),
        (b"\x34{\"action\"", b"\x34{\"actiom\""),
    ];
    for (from, to) in fine {
        let changed = replaced(&bytes, from, to);
        let decoded = decode(&changed, Form::Compact).unwrap();
        assert!(written(&decoded, Form::Compact) == changed, "{to:?}");
    }
    let odd: [Change<'_>; 19] = [
        // The time of its issue is after that of its end; no round, and one past 32 bits.
        (b"\xe8\x07\xc0\x0c", b"\xc1\x0c\xc0\x0c"),
        (round, b"\x0e\x0f\0\x01"),
        (round, b"\x0e\x0f\x80\x80\x80\x80\x10\x01"),
        // A principal of no kind, also where the number's last 32 bits are those of one.
        (b"\x02\x15https", b"\x03\x15https"),
        (b"\x02\x15https", b"\x82\x80\x80\x80\x10\x15https"),
        // Neither none nor some.
        (b"alice\0", b"alice\x02"),
        (b"alice\0", b"alice\x02\0"),
        // Too short, too long, and nothing at length.
        (question, &[&[31], &digest[..31]].concat()),
        (question, &[&[33], &digest[..], &[32]].concat()),
        (question, &[&[32], &ZERO[..]].concat()),
        (exchange, b"\0"),
        (exchange, &[&[15], &digest[..15]].concat()),
        (exchange, question),
        // Names twice and out of order.
        (signin, b"\x02\x06signin\x06flow-1\x06signin\x06flow-2"),
        (signin, b"\x02\x06signin\x06flow-1\x03pay\0"),
        // More entries than there are.
        (signin, b"\x03\x06signin\x06flow-1"),
        // Blanks around JSON, and nothing in its place.
        (b"\x34{\"action\"", b"\x35 {\"action\""),
        (b"\x34{\"action\"", b"\x35\n{\"action\""),
        (b"\x34{\"action\"", b"\0\x33\"action\""),
    ];
    for (from, to) in odd {
        let changed = replaced(&bytes, from, to);
        let error = decode(&changed, Form::Compact).err();
        assert_eq!(error, Some(StateError::Malformed), "{from:?} {to:?}");
    }
    let longer = replaced(&bytes, b"\x34{\"action\"", b"\x35{\"action\"");
    let blank_after = replaced(&longer, b"740993}}", b"740993}} ");
    assert!(decode(&blank_after, Form::Compact).is_err());
}

/// Every member is required, wherever it is.
#[test]
fn anything_missing_is_malformed() {
    let members = [
        r#""v":1,"#,
        r#""i":1000,"#,
        r#","e":1600"#,
        r#","m":"tools/call""#,
        r#","t":"delete_note""#,
        r#","d":"Y9ot4ZG9n0gzC2TbG_kgFYjBo7-kxjNolA_6oWoab_4""#,
        r#","a":"notes""#,
        r#","p":{"c":{"i":"https://login.example","s":"alice","c":null}}"#,
        r#""i":"https://login.example","#,
        r#","s":"alice""#,
        r#","c":null"#,
        r#","x":"AAECAwQFBgcICQoLDA0ODw""#,
        r#","r":1"#,
        r#""q":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","#,
        r#","v":{"action":"accept","content":{"n":9007199254740993}}"#,
        r#","q":{}"#,
        r#","f":{"signin":"flow-1"}"#,
        r#","m":{}"#,
        r#","h":null"#,
    ];
    for member in members {
        assert_eq!(BODY.matches(member).count(), 1, "{member}");
        assert_malformed(&BODY.replace(member, ""));
    }
    let (start, payload) = BODY.split_once(r#","c":{"a""#).unwrap();
    assert_malformed(&format!("{start}}}"));
    let rest = payload.split_once(r#","q":{}"#).unwrap().1;
    assert_malformed(&format!(r#"{start},"c":{{"q":{{}}{rest}"#));
}

#[test]
fn anything_unknown_is_malformed() {
    // An answer is whatever the client sent.
    let answer = content()
        .body
        .payload
        .answers
        .get("answer")
        .unwrap()
        .clone();
    let start = BODY.find(&answer.value).unwrap();
    let own = start + 1..start + answer.value.len();
    // Something in each map; a memo may be anything, so those come last.
    let body = BODY
        .replacen(
            r#""q":{}"#,
            &format!(
                r#""q":{{"ask":{{"q":"{0}","d":"{0}","n":1,"c":0}}}}"#,
                answer.question.encode()
            ),
            1,
        )
        .replacen(r#""m":{}"#, r#""m":{"quote":1}"#, 1);
    assert!(decode(body.as_bytes(), Form::Readable).is_ok());
    let start = body.find(r#"{"quote""#).unwrap();
    let memos = start + 1..start + r#"{"quote":1}"#.len();
    for (at, bracket) in body.match_indices(['{', '}']) {
        let (at, member) = match bracket {
            "{" => (at + 1, r#""z":1,"#),
            _ => (at, r#","z":1"#),
        };
        if !own.contains(&at) && !memos.contains(&at) {
            let mut unknown = body.clone();
            unknown.insert_str(at, member);
            assert_malformed(&unknown);
        }
    }
}

#[test]
fn anything_odd_is_malformed() {
    let changes = [
        (r#""v":1"#, r#""v":0"#),
        (r#""v":1"#, r#""v":2"#),
        (r#""v":1"#, r#""v":"1""#),
        (r#""v":1"#, r#""v":1,"v":1"#),
        (r#""i":1000"#, r#""i":-1"#),
        (r#""i":1000"#, r#""i":1000.0"#),
        (r#""i":1000"#, r#""i":1601"#),
        (r#""e":1600"#, r#""e":18446744073709551616"#),
        (r#""e":1600"#, r#""e":null"#),
        (r#""r":1"#, r#""r":0"#),
        (r#""r":1"#, r#""r":4294967296"#),
        (r#""x":"A"#, r#""x":""#),
        (r#""x":"A"#, r#""x":"AA"#),
        (r#""d":"Y"#, r#""d":"="#),
        (r#""p":{"c""#, r#""p":{"x""#),
        (
            r#""signin":"flow-1""#,
            r#""signin":"flow-1","signin":"flow-2""#,
        ),
        (r#""signin":"flow-1""#, r#""signin":1"#),
        (r#""m":{}"#, r#""m":[]"#),
        (r#""m":{}"#, r#""m":null"#),
        (r#""h":null"#, r#""h":{}"#),
        // What nobody writes: another order, also of a map's names, white space, other escapes, a name for a kind.
        (r#""v":1,"i":1000"#, r#""i":1000,"v":1"#),
        (
            r#""signin":"flow-1""#,
            r#""signin":"flow-1","pay":"flow-2""#,
        ),
        (r#""v":1"#, r#""v": 1"#),
        (r#""m":{}"#, r#""m":{"quote": 1}"#),
        (r#""m":{}"#, r#""m":{"quote":1 }"#),
        (r#""m":"tools/call""#, r#""m":"tools\/call""#),
        (r#""m":"tools/call""#, r#""m":"\u0074ools/call""#),
        (r#"{"signin""#, r#"{"sign\u0069n""#),
        (r#""h":null"#, r#""h":"\u00e4""#),
        (r#""e":1600"#, r#""e":01600"#),
        (r#""e":1600"#, r#""e":+1600"#),
        (
            r#"{"c":{"i":"https://login.example","s":"alice","c":null}}"#,
            r#"{"l":null}"#,
        ),
    ];
    for (from, to) in changes {
        assert!(BODY.contains(from), "{from}");
        assert_malformed(&BODY.replacen(from, to, 1));
    }
    for text in [
        "",
        "{}",
        "null",
        "[]",
        "{",
        &format!("{BODY}{BODY}"),
        &format!("{BODY}x"),
    ] {
        assert_malformed(text);
    }
    assert_eq!(
        decode(b"\xff", Form::Readable).err(),
        Some(StateError::Malformed)
    );
    let deep = "[".repeat(30_000);
    assert_malformed(&BODY.replacen(r#""h":null"#, &format!(r#""h":{deep}"#), 1));
}

#[track_caller]
fn assert_malformed(text: &str) {
    assert_eq!(
        decode(text.as_bytes(), Form::Readable).err(),
        Some(StateError::Malformed),
        "{text}"
    );
}

#[test]
fn claims_outlive_the_state() {
    let mut stamp = body().stamp;
    assert_eq!(stamp.claim_until(), UNIX_EPOCH + Duration::from_secs(1_660));
    stamp.expires_at = u64::MAX;
    assert!(stamp.claim_until() > UNIX_EPOCH + Duration::from_secs(1_000_000_000));
}

#[test]
fn debug_tells_no_content() {
    let shown = format!("{:?} {:?}", body(), body().stamp);
    assert_eq!(shown, "StateBody { round: 1, .. } Stamp { round: 1, .. }");
}

#[test]
fn random_ids_differ() {
    let (one, two) = (random_id().unwrap(), random_id().unwrap());
    assert_ne!(one, two);
    assert_eq!(one.len(), 22);
}

/// A question that depends on nothing takes the 32 bytes of a digest less in the compact form.
#[test]
fn nothing_takes_no_room() {
    let sized = |depends| {
        let mut content = content();
        let question = content.body.stamp.arguments;
        content.body.payload.asked.insert(
            "ask".into(),
            Asked {
                question,
                depends,
                times: 1,
                changes: 0,
            },
        );
        let bytes = written(&content, Form::Compact);
        assert!(decode(&bytes, Form::Compact).unwrap() == content);
        bytes.len()
    };
    let something = sized(body().stamp.arguments);
    assert_eq!(sized(Digest::NOTHING), something - 32);
}

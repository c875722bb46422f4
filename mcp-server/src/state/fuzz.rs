//! Entry points for the fuzz targets, which see no private item. Each panics on a broken promise.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, UNIX_EPOCH};

use super::digest::{Digest, digest_arguments};
use super::envelope::{decode, encode};
use super::key::Key;
use super::principal::Principal;
use super::record::Form;
use super::ring::KeyRing;
use super::sealing::{RequestStates, Sealing};
use super::verify::Binding;
use super::{SealError, StateCodec, StateError};

/// Opens any text with both codecs, and decodes any bytes as a body. Nothing may open, since nothing was sealed.
pub fn open_state(bytes: &[u8]) {
    static STATES: LazyLock<[RequestStates; 3]> = LazyLock::new(|| {
        [
            Sealing::encrypted(ring()),
            Sealing::signed(ring()),
            Sealing::codec(Bare),
        ]
        .map(|sealing| {
            let clock = Arc::new(|| UNIX_EPOCH + Duration::from_secs(1_000));
            RequestStates::with_clock(sealing, Duration::from_secs(600), clock)
                .expect("the ring is sound")
        })
    });

    let principal = Principal::Local;
    let arguments = Digest::of_parts("fuzz", &[]);
    let binding = Binding {
        method: "tools/call",
        target: "t",
        arguments,
        audience: "fuzz",
        principal: &principal,
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let [encrypted, signed, bare] = &*STATES;
    for prefix in ["", "v1."] {
        assert!(
            encrypted
                .open(&format!("{prefix}{text}"), &binding)
                .is_err()
        );
    }
    for prefix in ["", "h1."] {
        assert!(signed.open(&format!("{prefix}{text}"), &binding).is_err());
    }
    // Without protection the body's decoder sees the text; what it takes, it writes again.
    let _ = bare.open(text, &binding);
    for form in [Form::Compact, Form::Readable] {
        if let Ok(content) = decode(bytes, form) {
            let own = Binding {
                method: &content.method,
                target: &content.target,
                arguments: content.body.stamp.arguments,
                audience: &content.audience,
                principal: &content.principal,
            };
            let again = encode(&content.body.stamp, &content.body.payload, &own, form);
            assert!(again == bytes, "only what is written decodes");
        }
    }
}

/// Takes the digest of any text: it must agree with serde_json about what is an object, and with itself about what that
/// object is when serde_json has written it anew.
pub fn digest_of_arguments(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(digest) = digest_arguments(Some(text)) else {
        return;
    };
    let padded = format!(" {text}\n");
    assert_eq!(
        digest_arguments(Some(&padded)),
        Ok(digest),
        "white space around"
    );
    // Numbers out of a double's range are digested and not parsed: those texts are left at that.
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else {
        return;
    };
    assert!(value.is_object() || value.is_null());
    if value_is_exact(&value) {
        assert_eq!(
            digest_arguments(Some(&value.to_string())),
            Ok(digest),
            "written anew"
        );
    }
}

/// Whether serde_json keeps every number: it may be off by the last bit of a double.
fn value_is_exact(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Number(number) => !number.is_f64(),
        serde_json::Value::Array(items) => items.iter().all(value_is_exact),
        serde_json::Value::Object(members) => members.values().all(value_is_exact),
        _ => true,
    }
}

fn ring() -> KeyRing {
    let key = Key::from_bytes(b"a fixed secret, for fuzzing only").expect("it has 32 bytes");
    KeyRing::new([key]).expect("one key makes a ring")
}

/// No protection at all, to let the fuzzer through to what comes after.
struct Bare;

impl StateCodec for Bare {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        Ok(String::from_utf8_lossy(payload).into_owned())
    }

    fn open(&self, sealed: &str) -> Result<Vec<u8>, StateError> {
        Ok(sealed.as_bytes().to_vec())
    }
}

//! The cipher against its published vectors, the token against an independent implementation of its format, rotation.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::super::testing::{Shake128, hex, key};
use super::*;

fn codec(keys: &[u64]) -> SealedCodec {
    SealedCodec::new(&KeyRing::new(keys.iter().map(|&n| key(n))).unwrap()).unwrap()
}

/// What the codec's own cipher functions make of a vector's input: ciphertext and tag.
fn seal_vector(key: [u8; 32], nonce: [u8; NONCE], plaintext: &[u8], associated: &[u8]) -> Vec<u8> {
    let cipher = Xaes256Gcm::new(&key.into());
    let mut content = plaintext.to_vec();
    let tag = encrypt(&cipher, &nonce, associated, &mut content).unwrap();
    let sealed = [&content[..], &tag].concat();
    decrypt(&cipher, &nonce, associated, &mut content, &tag).unwrap();
    assert_eq!(content, plaintext);
    sealed
}

/// <https://c2sp.org/XAES-256-GCM>, the two single vectors.
#[test]
fn xaes_published_vectors() {
    let nonce = *b"ABCDEFGHIJKLMNOPQRSTUVWX";
    let sealed = seal_vector([1; 32], nonce, b"XAES-256-GCM", b"");
    assert_eq!(
        sealed,
        hex("ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271")
    );
    let sealed = seal_vector([3; 32], nonce, b"XAES-256-GCM", b"c2sp.org/XAES-256-GCM");
    assert_eq!(
        sealed,
        hex("986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d")
    );
}

/// <https://c2sp.org/XAES-256-GCM>, the accumulated vector of 10,000 random inputs.
#[test]
fn xaes_accumulated_vector() {
    let mut random = Shake128::new(b"");
    let mut all = Vec::new();
    for _ in 0..10_000 {
        let (key, nonce) = (random.array(), random.array());
        let plaintext = random.short_vector();
        let associated = random.short_vector();
        all.extend(seal_vector(key, nonce, &plaintext, &associated));
    }
    let hash: [u8; 32] = Shake128::new(&all).array();
    assert_eq!(
        hash[..],
        hex("e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939")
    );
}

#[test]
fn the_form_is_the_documented_one() {
    let sealed = codec(&[1]).seal(b"payload").unwrap();
    let bytes = base64url::decode(sealed.strip_prefix("v1.").unwrap()).unwrap();
    assert_eq!(bytes.len(), 4 + 24 + 7 + 16);
    let (id, _) = codec(&[1]).ring.active().clone();
    assert_eq!(bytes[..4], id.0);
    // A random nonce each time.
    assert_ne!(codec(&[1]).seal(b"payload").unwrap(), sealed);
    // One allocation of the right size.
    assert_eq!(sealed.capacity(), sealed.len());
}

#[test]
fn sizes_up_to_the_limit() {
    let codec = codec(&[1]);
    for length in [0, 1, 2, 3, 4, 1_000, MAX_PAYLOAD] {
        let payload = vec![b'x'; length];
        let sealed = codec.seal(&payload).unwrap();
        assert!(sealed.len() <= MAX_SEALED);
        assert_eq!(codec.open(&sealed).unwrap(), payload);
    }
    let error = codec.seal(&[0; MAX_PAYLOAD + 1]).unwrap_err();
    assert_eq!(
        error,
        SealError::TooLarge {
            found: MAX_PAYLOAD + 1,
            limit: MAX_PAYLOAD
        }
    );
    for length in [MAX_PAYLOAD + OVERHEAD + 1, MAX_SEALED, 10_000_000] {
        let text = format!("v1.{}", "A".repeat(base64url::encoded_len(length)));
        assert_eq!(codec.open(&text), Err(StateError::Malformed));
    }
}

#[test]
fn every_changed_character_is_refused() {
    let codec = codec(&[1]);
    let sealed = codec.seal(b"{\"v\":1}").unwrap();
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/. \n";
    for at in 0..sealed.len() {
        for &with in alphabet {
            let mut changed = sealed.clone().into_bytes();
            if changed[at] == with {
                continue;
            }
            changed[at] = with;
            let changed = String::from_utf8(changed).unwrap();
            assert!(codec.open(&changed).is_err(), "{changed:?}");
        }
    }
}

#[test]
fn truncated_and_extended_texts_are_refused() {
    let codec = codec(&[1]);
    let sealed = codec.seal(b"{\"v\":1}").unwrap();
    for end in 0..sealed.len() {
        assert!(codec.open(&sealed[..end]).is_err());
        assert!(codec.open(&sealed[end + 1..]).is_err());
    }
    for more in ["A", "AA", "AAAA", "=", "==", "\n", " ", ".", "\0", "é"] {
        assert!(codec.open(&format!("{sealed}{more}")).is_err());
        assert!(codec.open(&format!("{more}{sealed}")).is_err());
    }
    for other in ["V1.", "v2.", "v1", "v1..", "h1.", ""] {
        assert_eq!(
            codec.open(&sealed.replacen("v1.", other, 1)),
            Err(StateError::Malformed),
            "{other}"
        );
    }
}

/// The last character of the text carries bits that belong to no byte: each of its spellings but one is refused.
#[test]
fn stray_bits_are_refused() {
    let codec = codec(&[1]);
    // 44 + 1 bytes are a multiple of three, so these two leave four and two stray bits.
    for payload in [&b"ab"[..], b"abc"] {
        let sealed = codec.seal(payload).unwrap();
        let (stem, last) = sealed.split_at(sealed.len() - 1);
        let opening = (b'!'..=b'~')
            .filter(|&byte| codec.open(&format!("{stem}{}", char::from(byte))).is_ok());
        assert_eq!(opening.collect::<Vec<_>>(), last.as_bytes());
    }
}

/// `[old, new]`, then `[new, old]`, then `[new]`: each step may meet states of the steps beside it.
#[test]
fn keys_rotate_in_three_steps() {
    let (old, new) = (1, 2);
    let steps = [
        codec(&[old]),
        codec(&[old, new]),
        codec(&[new, old]),
        codec(&[new]),
    ];
    for pair in steps.windows(2) {
        let (before, after) = (pair[0].seal(b"x").unwrap(), pair[1].seal(b"x").unwrap());
        assert_eq!(pair[0].open(&before).unwrap(), b"x");
        assert_eq!(
            pair[0].open(&after).unwrap(),
            b"x",
            "replicas do not switch at the same instant"
        );
        if pair[1].ring.find(pair[0].ring.active().0).is_some() {
            assert_eq!(pair[1].open(&before).unwrap(), b"x");
        }
    }
    let oldest = steps[1].seal(b"x").unwrap();
    assert_eq!(steps[2].open(&oldest).unwrap(), b"x");
    assert_eq!(
        steps[3].open(&oldest),
        Err(StateError::UnknownKey),
        "the old key is retired"
    );
}

/// B53: the id of one key on the seal of another, and ids that no key has.
#[test]
fn key_ids_are_authenticated() {
    let both = codec(&[1, 2]);
    let mut bytes = base64url::decode(&codec(&[2]).seal(b"x").unwrap()[3..]).unwrap();
    bytes[..4].copy_from_slice(&codec(&[1]).ring.active().0.0);
    assert_eq!(
        both.open(&format!("v1.{}", base64url::encode(&bytes))),
        Err(StateError::Seal)
    );
    bytes[..4].copy_from_slice(&[0; 4]);
    assert_eq!(
        both.open(&format!("v1.{}", base64url::encode(&bytes))),
        Err(StateError::UnknownKey)
    );
}

/// B53: two keys with one id. This pair was found by trying 50,000 keys.
#[test]
fn two_keys_with_one_id_are_refused() {
    let ring = KeyRing::new([key(1), key(30_999), key(50_193)]).unwrap();
    let error = SealedCodec::new(&ring).err().unwrap();
    assert_eq!(
        error,
        KeyError::SameId {
            first: 2,
            second: 3
        }
    );
    assert_eq!(codec(&[30_999]).ring.active().0.0[..], hex("14d499bb"));
}

/// The prefix and the key id are associated data: the same bytes sealed without them do not open.
#[test]
fn prefix_and_key_id_are_associated_data() {
    let codec = codec(&[1]);
    let (id, cipher) = codec.ring.active();
    let nonce = [7; NONCE];
    let token = |associated: &[u8]| {
        let mut content = b"x".to_vec();
        let tag = encrypt(cipher, &nonce, associated, &mut content).unwrap();
        format!(
            "v1.{}",
            base64url::encode(&[&id.0[..], &nonce, &content, &tag].concat())
        )
    };
    assert_eq!(
        codec.open(&token(&[b"v1.", &id.0[..]].concat())).unwrap(),
        b"x"
    );
    assert_eq!(codec.open(&token(b"v1.")), Err(StateError::Seal));
    assert_eq!(codec.open(&token(&id.0)), Err(StateError::Seal));
    assert_eq!(codec.open(&token(b"")), Err(StateError::Seal));
}

proptest! {
    #[test]
    fn opens_what_it_sealed(payload in proptest::collection::vec(any::<u8>(), 0..600)) {
        let codec = codec(&[1, 2]);
        let sealed = codec.seal(&payload).unwrap();
        prop_assert_eq!(codec.open(&sealed).unwrap(), payload);
    }

    #[test]
    fn no_text_panics_and_none_opens(text in "(v1\\.|h1\\.)?[A-Za-z0-9_-]{0,200}.{0,3}", any in ".{0,80}") {
        let codec = codec(&[1]);
        prop_assert!(codec.open(&text).is_err());
        prop_assert!(codec.open(&any).is_err());
    }

    /// Any bytes behind a known key id reach the cipher, and fail there.
    #[test]
    fn no_bytes_open(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let codec = codec(&[1]);
        let bytes = [&codec.ring.active().0.0[..], &bytes].concat();
        let opened = codec.open(&format!("v1.{}", base64url::encode(&bytes)));
        let expected = if bytes.len() < OVERHEAD { StateError::Malformed } else { StateError::Seal };
        prop_assert_eq!(opened, Err(expected));
    }
}

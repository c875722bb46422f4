//! The readable codec: `h1.`, signed but not encrypted, for deployments that want to look into states in flight.

use ::hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::base64url;
use super::codec::{MAX_PAYLOAD, MAX_SEALED, StateCodec};
use super::error::{SealError, StateError};
use super::key::KeyError;
use super::ring::{DerivedRing, KeyId, KeyRing};

const PREFIX: &str = "h1.";
const LABEL: &[u8] = b"requestState h1 HMAC-SHA256";

const KEY_ID: usize = base64url::encoded_len(4);
const TAG_BYTES: usize = 32;
const TAG: usize = base64url::encoded_len(TAG_BYTES);

/// Signs the state with HMAC-SHA256 and leaves it readable.
///
/// `h1.`, then the key id, the payload and the signature, each in base64url without padding, with dots between. The
/// signature covers all before its dot. Anyone on the way, the client included, can read the recorded answers and the
/// caller's identity: take it only where that is meant.
///
/// ```
/// use mcp_server::state::{Key, KeyRing, SignedCodec, StateCodec};
///
/// let codec = SignedCodec::new(&KeyRing::new([Key::generate()?])?)?;
/// let signed = codec.seal(b"remember me")?;
/// assert!(signed.starts_with("h1."));
/// assert!(signed.contains(".cmVtZW1iZXIgbWU."));
/// assert_eq!(codec.open(&signed)?, b"remember me");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SignedCodec {
    ring: DerivedRing<Hmac<Sha256>>,
}

impl SignedCodec {
    /// Prepares the ring's keys.
    ///
    /// # Errors
    /// [`KeyError::SameId`] when two keys happen to have one key id.
    pub fn new(ring: &KeyRing) -> Result<Self, KeyError> {
        Ok(Self {
            ring: ring.derive(LABEL, |key| mac(key))?,
        })
    }
}

impl StateCodec for SignedCodec {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        if payload.len() > MAX_PAYLOAD {
            return Err(SealError::TooLarge {
                found: payload.len(),
                limit: MAX_PAYLOAD,
            });
        }
        let (id, mac) = self.ring.active();
        let length = PREFIX.len() + KEY_ID + 1 + base64url::encoded_len(payload.len()) + 1 + TAG;
        let mut text = String::with_capacity(length);
        text.push_str(PREFIX);
        base64url::append(&mut text, &id.0);
        text.push('.');
        base64url::append(&mut text, payload);
        let tag = mac.clone().chain_update(&text).finalize().into_bytes();
        text.push('.');
        base64url::append(&mut text, &tag);
        Ok(text)
    }

    fn open(&self, sealed: &str) -> Result<Vec<u8>, StateError> {
        if sealed.len() > MAX_SEALED {
            return Err(StateError::Malformed);
        }
        let (signed, tag) = sealed.rsplit_once('.').ok_or(StateError::Malformed)?;
        let (id, payload) = signed
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split_once('.'))
            .ok_or(StateError::Malformed)?;
        if base64url::decoded_len(payload.len()) > MAX_PAYLOAD {
            return Err(StateError::Malformed);
        }
        let id = base64url::decode_array(id)
            .map(KeyId)
            .ok_or(StateError::Malformed)?;
        let tag = base64url::decode_array::<TAG_BYTES>(tag).ok_or(StateError::Malformed)?;
        let mac = self.ring.find(id).ok_or(StateError::UnknownKey)?;
        // Constant time: `verify` is the crate's own comparison.
        mac.clone()
            .chain_update(signed)
            .verify(&tag.into())
            .map_err(|_| StateError::Seal)?;
        base64url::decode(payload).ok_or(StateError::Malformed)
    }

    fn is_readable(&self) -> bool {
        true
    }
}

fn mac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::testing::{hex, key};
    use super::*;

    fn codec(keys: &[u64]) -> SignedCodec {
        SignedCodec::new(&KeyRing::new(keys.iter().map(|&n| key(n))).unwrap()).unwrap()
    }

    /// RFC 4231, test cases 1, 2 and 6 (a key longer than a block), through the function that the codec uses.
    #[test]
    fn hmac_published_vectors() {
        let long: &[u8] = &[0xaa; 131];
        let cases: [(&[u8], &[u8], &str); 3] = [
            (
                &[0x0b; 20],
                b"Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                long,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, data, expected) in cases {
            assert_eq!(
                mac(key).chain_update(data).finalize().into_bytes()[..],
                hex(expected)
            );
        }
    }

    #[test]
    fn opens_what_it_sealed_and_stays_readable() {
        let codec = codec(&[1]);
        for payload in [
            &b""[..],
            b"{}",
            "{\"answer\":\"é\"}".as_bytes(),
            &[7; MAX_PAYLOAD],
        ] {
            let signed = codec.seal(payload).unwrap();
            assert_eq!(codec.open(&signed).unwrap(), payload);
            let middle = signed.split('.').nth(2).unwrap();
            assert_eq!(base64url::decode(middle).unwrap(), payload);
        }
        let error = codec.seal(&[0; MAX_PAYLOAD + 1]).unwrap_err();
        assert_eq!(
            error,
            SealError::TooLarge {
                found: MAX_PAYLOAD + 1,
                limit: MAX_PAYLOAD
            }
        );
    }

    #[test]
    fn every_changed_character_is_refused() {
        let codec = codec(&[1]);
        let signed = codec.seal(b"{\"v\":1}").unwrap();
        for at in 0..signed.len() {
            for with in *b"Aa0-_.=" {
                let mut changed = signed.clone().into_bytes();
                if changed[at] == with {
                    continue;
                }
                changed[at] = with;
                let changed = String::from_utf8(changed).unwrap();
                assert!(codec.open(&changed).is_err(), "{changed}");
            }
        }
        for end in 0..signed.len() {
            assert!(codec.open(&signed[..end]).is_err());
        }
        assert_eq!(
            codec.open(&format!("{signed}A")),
            Err(StateError::Malformed)
        );
    }

    #[test]
    fn keys_are_found_by_id() {
        let signed = codec(&[1]).seal(b"x").unwrap();
        assert_eq!(codec(&[2, 1]).open(&signed).unwrap(), b"x");
        assert_eq!(codec(&[2]).open(&signed), Err(StateError::UnknownKey));
        // The id of a known key, the signature of another.
        let other = codec(&[2]).seal(b"x").unwrap();
        let forged = format!(
            "{}{}",
            &other[..PREFIX.len() + KEY_ID],
            &signed[PREFIX.len() + KEY_ID..]
        );
        assert_eq!(codec(&[1, 2]).open(&forged), Err(StateError::Seal));
    }

    #[test]
    fn the_two_codecs_share_no_key() {
        let ring = KeyRing::new([key(1)]).unwrap();
        let sealed = super::super::SealedCodec::new(&ring).unwrap();
        let signed = codec(&[1]).seal(b"x").unwrap();
        assert_eq!(sealed.open(&signed), Err(StateError::Malformed));
        let id = base64url::decode_array::<4>(&signed[3..9]).unwrap();
        let own = sealed.seal(b"x").unwrap();
        assert_ne!(base64url::decode(&own[3..]).unwrap()[..4], id);
    }
}

//! The default codec: `v1.`, encrypted and authenticated, so that a client learns nothing from the state.

use aes_gcm::aead::{AeadInOut as _, KeyInit as _};
use xaes_256_gcm::{Nonce, Tag, Xaes256Gcm};

use super::base64url;
use super::codec::{MAX_PAYLOAD, MAX_SEALED, StateCodec};
use super::error::{SealError, StateError};
use super::key::KeyError;
use super::ring::{DerivedRing, KeyId, KeyRing};

const PREFIX: &str = "v1.";
const LABEL: &[u8] = b"requestState v1 XAES-256-GCM";

const KEY_ID: usize = 4;
const NONCE: usize = 24;
const TAG: usize = 16;
const OVERHEAD: usize = KEY_ID + NONCE + TAG;

/// Encrypts and authenticates the state: the default.
///
/// `v1.`, then base64url without padding of `key id (4) | nonce (24) | ciphertext | tag (16)`. The cipher is
/// [XAES-256-GCM](https://c2sp.org/XAES-256-GCM): AES-256-GCM under a key derived for each state from a nonce long
/// enough to be random, so that no number of states wears a key out. The prefix and the key id are associated data.
pub struct SealedCodec {
    /// The key schedule and the derivation's constant are computed once.
    ring: DerivedRing<Xaes256Gcm>,
}

impl SealedCodec {
    /// Prepares the ring's keys.
    ///
    /// # Errors
    /// [`KeyError::SameId`] when two keys happen to have one key id.
    pub fn new(ring: &KeyRing) -> Result<Self, KeyError> {
        let ring = ring.derive(LABEL, |key| Xaes256Gcm::new(key.into()))?;
        Ok(Self { ring })
    }
}

impl StateCodec for SealedCodec {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| SealError::Random)?;
        let (id, cipher) = self.ring.active();
        seal_with(cipher, *id, nonce, payload)
    }

    fn open(&self, sealed: &str) -> Result<Vec<u8>, StateError> {
        let text = sealed.strip_prefix(PREFIX).ok_or(StateError::Malformed)?;
        let length = base64url::decoded_len(text.len());
        if sealed.len() > MAX_SEALED || !(OVERHEAD..=MAX_PAYLOAD + OVERHEAD).contains(&length) {
            return Err(StateError::Malformed);
        }
        let mut bytes = base64url::decode(text).ok_or(StateError::Malformed)?;
        let (id, rest) = bytes
            .split_first_chunk_mut::<KEY_ID>()
            .ok_or(StateError::Malformed)?;
        let (nonce, rest) = rest
            .split_first_chunk_mut::<NONCE>()
            .ok_or(StateError::Malformed)?;
        let (content, tag) = rest
            .split_last_chunk_mut::<TAG>()
            .ok_or(StateError::Malformed)?;
        let id = KeyId(*id);
        let cipher = self.ring.find(id).ok_or(StateError::UnknownKey)?;
        decrypt(cipher, nonce, &associated_data(id), content, tag)?;
        // The payload moves to the front of the same allocation.
        let end = bytes.len() - TAG;
        bytes.truncate(end);
        bytes.drain(..KEY_ID + NONCE);
        Ok(bytes)
    }
}

fn seal_with(
    cipher: &Xaes256Gcm,
    id: KeyId,
    nonce: [u8; NONCE],
    payload: &[u8],
) -> Result<String, SealError> {
    if payload.len() > MAX_PAYLOAD {
        return Err(SealError::TooLarge {
            found: payload.len(),
            limit: MAX_PAYLOAD,
        });
    }
    let mut bytes = Vec::with_capacity(payload.len() + OVERHEAD);
    bytes.extend_from_slice(&id.0);
    bytes.extend_from_slice(&nonce);
    let content = bytes.len();
    bytes.extend_from_slice(payload);
    let tag = encrypt(cipher, &nonce, &associated_data(id), &mut bytes[content..])
        .map_err(|()| SealError::Codec("the cipher refused the payload's length".into()))?;
    bytes.extend_from_slice(&tag);
    let mut text = String::with_capacity(PREFIX.len() + base64url::encoded_len(bytes.len()));
    text.push_str(PREFIX);
    base64url::append(&mut text, &bytes);
    Ok(text)
}

fn associated_data(id: KeyId) -> [u8; PREFIX.len() + KEY_ID] {
    let mut data = [0; PREFIX.len() + KEY_ID];
    data[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
    data[PREFIX.len()..].copy_from_slice(&id.0);
    data
}

fn encrypt(
    cipher: &Xaes256Gcm,
    nonce: &[u8; NONCE],
    associated: &[u8],
    content: &mut [u8],
) -> Result<[u8; TAG], ()> {
    let nonce: &Nonce = nonce.into();
    cipher
        .encrypt_inout_detached(nonce, associated, content.into())
        .map(Into::into)
        .map_err(|_| ())
}

/// The cipher compares the tag in constant time and leaves the content alone unless it fits.
fn decrypt(
    cipher: &Xaes256Gcm,
    nonce: &[u8; NONCE],
    associated: &[u8],
    content: &mut [u8],
    tag: &[u8; TAG],
) -> Result<(), StateError> {
    let (nonce, tag): (&Nonce, &Tag) = (nonce.into(), tag.into());
    cipher
        .decrypt_inout_detached(nonce, associated, content.into(), tag)
        .map_err(|_| StateError::Seal)
}

#[cfg(test)]
mod tests;

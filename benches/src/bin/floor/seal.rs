//! The state of a confirmation, sealed with AES-256-GCM.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// How long a question may stay open, in seconds.
const LIFETIME: u64 = 300;

const NONCE: usize = 12;

/// What the server must know again when the answer comes.
#[derive(Serialize, Deserialize)]
pub(crate) struct State<'a> {
    #[serde(borrow)]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    note_id: Cow<'a, str>,
    #[serde(borrow)]
    asked: Cow<'a, str>,
    expires: u64,
}

/// Seals and opens states; the key schedule is made once.
pub(crate) struct Sealer {
    cipher: Aes256Gcm,
}

impl Sealer {
    pub(crate) fn new() -> Self {
        // No secret: the floor serves nothing but the benchmark.
        let key = *b"the floor's key, known to anyone";
        Self {
            cipher: Aes256Gcm::new(&key.into()),
        }
    }

    /// The text that carries the question about this note; none if the system has no random bytes.
    pub(crate) fn seal(&self, note_id: &str, asked: &str) -> Option<String> {
        let state = State {
            tool: "confirm_delete".into(),
            note_id: note_id.into(),
            asked: asked.into(),
            expires: now() + LIFETIME,
        };
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).ok()?;
        let payload = Payload {
            msg: &serde_json::to_vec(&state).ok()?,
            aad: &bound_to(note_id),
        };
        let sealed = self.cipher.encrypt(&Nonce::from(nonce), payload).ok()?;
        Some(URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat()))
    }

    /// Whether the text carries a question about this note that is still open.
    pub(crate) fn opens(&self, note_id: &str, text: &str) -> bool {
        let opened = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
            let payload = Payload {
                msg: sealed,
                aad: &bound_to(note_id),
            };
            self.cipher.decrypt(&Nonce::from(*nonce), payload).ok()
        };
        let Some(plain) = opened() else {
            return false;
        };
        serde_json::from_slice::<State<'_>>(&plain).is_ok_and(|state| {
            state.tool == "confirm_delete" && state.note_id == note_id && state.expires >= now()
        })
    }
}

/// What else the seal covers: the method, the tool and its argument.
fn bound_to(note_id: &str) -> Vec<u8> {
    [b"tools/call confirm_delete ", note_id.as_bytes()].concat()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_secs())
}

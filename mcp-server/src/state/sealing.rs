//! What the server's builder is told about `requestState`, and what the server holds of it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::codec::{MAX_PAYLOAD, MAX_SEALED, StateCodec};
use super::envelope::{Content, Payload, Stamp, StateBody, decode, encode};
use super::error::{SealError, StateError, StateFailures};
use super::hmac::SignedCodec;
use super::key::{Key, KeyError};
use super::record::Form;
use super::reload::{MakeCodec, ReloadingCodec};
use super::ring::KeyRing;
use super::sealed::SealedCodec;
use super::source::Keys;
use super::verify::{Binding, verify};

/// How long a state is good for unless the builder says otherwise.
pub(crate) const DEFAULT_LIFETIME: Duration = Duration::from_secs(600);

/// How `requestState` is protected.
///
/// ```
/// use mcp_server::state::{Key, KeyRing, Sealing};
///
/// let ring = KeyRing::new([Key::generate()?])?;
/// let encrypted = Sealing::encrypted(ring.clone()); // the default codec
/// let readable = Sealing::signed(ring);             // signed only: clients can read it
/// # Ok::<(), mcp_server::state::KeyError>(())
/// ```
#[derive(Clone)]
pub struct Sealing(Kind);

#[derive(Clone)]
enum Kind {
    Generated,
    Keys(Keys, MakeCodec),
    Codec(Arc<dyn StateCodec>),
}

impl Sealing {
    /// Encrypts with [`SealedCodec`] under a key made when the server is built: the default, for one process whose paused
    /// calls need not survive a restart.
    #[must_use]
    pub fn generated() -> Self {
        Self(Kind::Generated)
    }

    /// Encrypts with [`SealedCodec`] under these keys.
    #[must_use]
    pub fn encrypted(keys: impl Into<Keys>) -> Self {
        Self(Kind::Keys(keys.into(), sealed_codec))
    }

    /// Signs with [`SignedCodec`] under these keys: whoever sees the state can read it.
    #[must_use]
    pub fn signed(keys: impl Into<Keys>) -> Self {
        Self(Kind::Keys(keys.into(), |ring| {
            Ok(Arc::new(SignedCodec::new(ring)?))
        }))
    }

    /// Protects it with a codec of the application's own.
    #[must_use]
    pub fn codec(codec: impl StateCodec + 'static) -> Self {
        Self(Kind::Codec(Arc::new(codec)))
    }

    /// Whether another process may open what this one seals: all but a generated key can be shared.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        !matches!(self.0, Kind::Generated)
    }
}

impl Default for Sealing {
    fn default() -> Self {
        Self::generated()
    }
}

impl fmt::Debug for Sealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Generated => f.write_str("Sealing::generated"),
            Kind::Keys(keys, _) => f.debug_tuple("Sealing").field(keys).finish(),
            Kind::Codec(_) => f.write_str("Sealing::codec"),
        }
    }
}

fn sealed_codec(ring: &KeyRing) -> Result<Arc<dyn StateCodec>, KeyError> {
    Ok(Arc::new(SealedCodec::new(ring)?))
}

/// Tells the time; tests tell their own.
pub(crate) type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// Seals and opens the states of one server.
pub(crate) struct RequestStates {
    codec: Codec,
    lifetime: Duration,
    clock: Clock,
    failures: StateFailures,
}

enum Codec {
    Fixed(Arc<dyn StateCodec>),
    Reloading(ReloadingCodec),
}

/// A codec while it is used: one that may be replaced meanwhile is held on to.
enum InUse<'a> {
    Fixed(&'a dyn StateCodec),
    Loaded(Arc<dyn StateCodec>),
}

impl<'a> Deref for InUse<'a> {
    type Target = dyn StateCodec + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Fixed(codec) => *codec,
            Self::Loaded(codec) => &**codec,
        }
    }
}

impl RequestStates {
    pub(crate) fn new(sealing: Sealing, lifetime: Duration) -> Result<Self, KeyError> {
        Self::with_clock(sealing, lifetime, Arc::new(SystemTime::now))
    }

    pub(crate) fn with_clock(
        sealing: Sealing,
        lifetime: Duration,
        clock: Clock,
    ) -> Result<Self, KeyError> {
        let codec = match sealing.0 {
            Kind::Codec(codec) => Codec::Fixed(codec),
            Kind::Keys(Keys { ring, source: None }, make) => Codec::Fixed(make(&ring)?),
            Kind::Keys(
                Keys {
                    ring,
                    source: Some(source),
                },
                make,
            ) => Codec::Reloading(ReloadingCodec::new(ring, source, make, clock())?),
            Kind::Generated => {
                let codec = sealed_codec(&KeyRing::new([Key::generate()?])?)?;
                tracing::info!(
                    target: "mcp_server::request_state",
                    "no requestState key is configured, so one was made for this process: calls that wait for an answer \
                     cannot go on after a restart or on another replica; where there is either, give the server a key \
                     with `Builder::request_state`"
                );
                Codec::Fixed(codec)
            }
        };
        Ok(Self {
            codec,
            lifetime,
            clock,
            failures: StateFailures::default(),
        })
    }

    /// Looks for new keys where they can change, at most as often as their source allows. To be called before a request
    /// opens or seals a state; without a source it does nothing.
    pub(crate) async fn refresh(&self) {
        if let Codec::Reloading(codec) = &self.codec {
            codec.refresh((self.clock)()).await;
        }
    }

    /// Whether there is anything to refresh.
    pub(crate) fn reloads(&self) -> bool {
        matches!(self.codec, Codec::Reloading(_))
    }

    /// Whether what was kept here is for this request, now.
    pub(crate) fn is_for(&self, content: &Content<'_>, binding: &Binding<'_>) -> bool {
        verify(content, binding, self.now()).is_ok()
    }

    /// Opens a state that came with a request, and counts and logs it if it is refused.
    pub(crate) fn open(
        &self,
        sealed: &str,
        binding: &Binding<'_>,
    ) -> Result<StateBody, StateError> {
        let now = self.now();
        self.try_open(sealed, binding, now)
            .inspect_err(|error| self.failures.record(*error, binding.method, now))
    }

    /// Makes the stamp one for the next round, from now on for one lifetime.
    pub(crate) fn prepare(&self, stamp: &mut Stamp) {
        stamp.issued_at = self.now();
        stamp.expires_at = stamp.issued_at.saturating_add(self.lifetime.as_secs());
        stamp.round = stamp.round.saturating_add(1);
    }

    /// Seals what a call has learned for its next round.
    pub(crate) fn seal(
        &self,
        mut stamp: Stamp,
        payload: &Payload,
        binding: &Binding<'_>,
    ) -> Result<String, SealError> {
        self.prepare(&mut stamp);
        let codec = self.codec();
        let content = encode(&stamp, payload, binding, form_of(&*codec));
        check_size(content.len(), MAX_PAYLOAD)?;
        let sealed = codec.seal(&content)?;
        check_size(sealed.len(), MAX_SEALED)?;
        Ok(sealed)
    }

    /// How many states were refused, by reason.
    pub(crate) fn failures(&self) -> &StateFailures {
        &self.failures
    }

    pub(crate) fn lifetime(&self) -> Duration {
        self.lifetime
    }

    fn try_open(
        &self,
        sealed: &str,
        binding: &Binding<'_>,
        now: u64,
    ) -> Result<StateBody, StateError> {
        // The codecs that ship check both; one of the application's own need not.
        if sealed.len() > MAX_SEALED {
            return Err(StateError::Malformed);
        }
        let codec = self.codec();
        let payload = codec.open(sealed)?;
        if payload.len() > MAX_PAYLOAD {
            return Err(StateError::Malformed);
        }
        let content = decode(&payload, form_of(&*codec))?;
        verify(&content, binding, now)?;
        Ok(content.body)
    }

    fn codec(&self) -> InUse<'_> {
        match &self.codec {
            Codec::Fixed(codec) => InUse::Fixed(&**codec),
            Codec::Reloading(codec) => InUse::Loaded(codec.codec()),
        }
    }

    /// Seconds since 1970.
    fn now(&self) -> u64 {
        (self.clock)()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }
}

fn form_of(codec: &dyn StateCodec) -> Form {
    if codec.is_readable() {
        Form::Readable
    } else {
        Form::Compact
    }
}

fn check_size(found: usize, limit: usize) -> Result<(), SealError> {
    if found > limit {
        Err(SealError::TooLarge { found, limit })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

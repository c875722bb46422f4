//! Where keys come from: code, an environment variable, a file that is read again, or a source of the application's own.

use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::key::{Key, KeyError, parse_list};
use super::ring::KeyRing;

/// A boxed future, so that traits with it can be made into objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Loads keys, and loads them again when they change: from a secret manager, say.
///
/// The server asks no more often than [`refresh_every`](KeySource::refresh_every), and only while calls that use state come
/// in. When loading fails it keeps the keys it has and logs the error.
///
/// ```
/// use std::time::Duration;
/// use mcp_server::state::{BoxFuture, Key, KeyError, KeySource, Keys};
///
/// struct Vault;
///
/// impl KeySource for Vault {
///     fn load(&self) -> BoxFuture<'_, Result<Vec<Key>, KeyError>> {
///         Box::pin(async { Ok(vec![fetch_from_vault().await?]) })
///     }
///
///     fn refresh_every(&self) -> Option<Duration> {
///         Some(Duration::from_secs(60))
///     }
/// }
///
/// # async fn fetch_from_vault() -> Result<Key, KeyError> { Key::generate() }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let keys = Keys::load(Vault).await?;
/// # Ok::<(), KeyError>(()) }).unwrap();
/// ```
pub trait KeySource: Send + Sync {
    /// Loads all keys, the one that seals first.
    ///
    /// # Errors
    /// [`KeyError::Source`] with the reason, or any other fault of the keys.
    fn load(&self) -> BoxFuture<'_, Result<Vec<Key>, KeyError>>;

    /// Whether there may be something new since the last `load`: a cheap check before a costly one.
    fn changed(&self) -> bool {
        true
    }

    /// The least time between two looks. `None`, the default, is never: the keys are loaded once.
    fn refresh_every(&self) -> Option<Duration> {
        None
    }
}

/// A key ring and, where it can change while the server runs, its source.
///
/// ```no_run
/// use mcp_server::state::{Keys, KeyError};
///
/// let from_variable = Keys::env("NOTES_STATE_KEYS")?;
/// let from_file = Keys::file("/run/secrets/state-keys")?;
/// # Ok::<(), KeyError>(())
/// ```
#[derive(Clone)]
pub struct Keys {
    pub(crate) ring: KeyRing,
    pub(crate) source: Option<Arc<dyn KeySource>>,
}

impl Keys {
    /// Reads keys from an environment variable: hexadecimal digits or base64, separated by commas or line ends.
    ///
    /// # Errors
    /// [`KeyError::Variable`] when it is not set, and those of [`KeyRing::parse`].
    pub fn env(name: impl Into<String>) -> Result<Self, KeyError> {
        let name = name.into();
        let text = std::env::var(&name).map_err(|_| KeyError::Variable { name })?;
        KeyRing::parse(&zeroize::Zeroizing::new(text)).map(Self::from)
    }

    /// Reads keys from a file, in the notation of [`KeyRing::parse`], and again whenever it changes.
    ///
    /// While state is in use, the file's time and length are looked at once a second at most. A change that cannot be
    /// read or used is logged, and the last good keys stay.
    ///
    /// # Errors
    /// [`KeyError::File`] when it cannot be read, and those of [`KeyRing::parse`].
    pub fn file(path: impl Into<PathBuf>) -> Result<Self, KeyError> {
        let file = FileKeys::new(path);
        let ring = KeyRing::new(file.read()?)?;
        Ok(Self {
            ring,
            source: Some(Arc::new(file)),
        })
    }

    /// Loads keys from a source of the application's own.
    ///
    /// # Errors
    /// Those of the source and of [`KeyRing::new`].
    pub async fn load(source: impl KeySource + 'static) -> Result<Self, KeyError> {
        let ring = KeyRing::new(source.load().await?)?;
        Ok(Self {
            ring,
            source: Some(Arc::new(source)),
        })
    }
}

impl From<KeyRing> for Keys {
    fn from(ring: KeyRing) -> Self {
        Self { ring, source: None }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys")
            .field("ring", &self.ring)
            .field("reloads", &self.source.is_some())
            .finish()
    }
}

/// A key file.
struct FileKeys {
    path: PathBuf,
    /// What the file looked like before it was last read.
    seen: Mutex<Stamp>,
}

/// Time of change and length of a file, or `None` for one that is not there.
type Stamp = Option<(SystemTime, u64)>;

impl FileKeys {
    fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            seen: Mutex::new(None),
        }
    }

    fn read(&self) -> Result<Vec<Key>, KeyError> {
        // Before reading: what is written meanwhile changes the stamp, and is read at the next look.
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = stamp(&self.path);
        let text = std::fs::read_to_string(&self.path).map_err(|error| KeyError::File {
            path: self.path.display().to_string(),
            error: error.to_string(),
        })?;
        parse_list(&zeroize::Zeroizing::new(text))
    }
}

impl KeySource for FileKeys {
    fn load(&self) -> BoxFuture<'_, Result<Vec<Key>, KeyError>> {
        // A small local file: handing it to another thread would cost more than reading it.
        Box::pin(std::future::ready(self.read()))
    }

    fn changed(&self) -> bool {
        stamp(&self.path) != *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refresh_every(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

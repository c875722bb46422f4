//! [`SafePath`]: a path from a client that stays below the directory it is joined to.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, de};

/// The value of a `{+name}` variable: a relative path that leads nowhere but down.
///
/// It is never empty and has no empty segment, no `.` or `..`, no backslash, no NUL and no drive
/// letter; a client that sends another is refused before the function runs.
///
/// ```
/// use mcp_server::SafePath;
///
/// let path: SafePath = "guide/first.md".parse()?;
/// assert_eq!(path.under("/srv/docs"), std::path::Path::new("/srv/docs/guide/first.md"));
/// assert!("../etc/passwd".parse::<SafePath>().is_err());
/// # Ok::<(), mcp_server::UnsafePath>(())
/// ```
///
/// A symbolic link below the directory is followed by the operating system; see to it that there is
/// none, or compare canonical paths.
///
/// Specification: server/resources, Security Considerations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SafePath(String);

/// A path that leads elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsafePath(());

impl fmt::Display for UnsafePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a relative path without `.`, `..`, empty segments, backslashes and drive letters is expected")
    }
}

impl std::error::Error for UnsafePath {}

impl SafePath {
    /// The path as it came, with slashes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path below a directory.
    pub fn under(&self, directory: impl AsRef<Path>) -> PathBuf {
        directory.as_ref().join(&self.0)
    }
}

impl std::str::FromStr for SafePath {
    type Err = UnsafePath;

    fn from_str(path: &str) -> Result<Self, UnsafePath> {
        let is_safe = |segment: &str| !matches!(segment, "" | "." | "..");
        let has_drive = matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
        if has_drive || path.contains(['\\', '\0']) || !path.split('/').all(is_safe) {
            return Err(UnsafePath(()));
        }
        Ok(Self(path.to_owned()))
    }
}

impl fmt::Display for SafePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<Path> for SafePath {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

/// What a parameter for `{+name}` must be.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` may lead out of its folder",
    label = "not a safe path",
    note = "the variable `{{+name}}` has slashes: take it as `mcp_server::SafePath`"
)]
pub trait PathVariable {}

impl PathVariable for SafePath {}

impl<'de> Deserialize<'de> for SafePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl schemars::JsonSchema for SafePath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SafePath".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

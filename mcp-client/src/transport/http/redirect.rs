//! Which redirects are followed.
//!
//! A request with a body, credentials and perhaps a person's answers goes nowhere else than to the
//! origin that the host named, and stays a POST: only 307 and 308 promise that.

use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{StatusCode, Url};

/// How many redirects one request follows.
pub(super) const MAX_HOPS: u32 = 5;

/// Where to send a request that was answered with a redirect; the error names the target.
pub(super) fn target(from: &Url, status: StatusCode, headers: &HeaderMap) -> Result<Url, String> {
    let Some(location) = headers.get(LOCATION) else {
        return Err(format!("the server answered {status} without a target"));
    };
    let location = String::from_utf8_lossy(location.as_bytes());
    let Ok(mut to) = from.join(&location) else {
        return Err(format!(
            "the server redirects to {location:?}, which is no URL"
        ));
    };
    // Credentials are headers, and never those of the target.
    let _ = to.set_username("");
    let _ = to.set_password(None);
    to.set_fragment(None);
    if !matches!(status.as_u16(), 307 | 308) {
        return Err(format!(
            "the server redirects to {to} with status {}, which would lose the message; use that URL if it is right",
            status.as_u16()
        ));
    }
    if to.origin() != from.origin() {
        return Err(format!(
            "the server redirects to {to}, which is another origin; use that URL if it is right"
        ));
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reqwest::header::HeaderValue;

    use super::*;

    fn redirect(status: u16, location: &str) -> Result<String, String> {
        let from = Url::parse("https://host.example/mcp").unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_str(location).unwrap());
        target(&from, StatusCode::from_u16(status).unwrap(), &headers).map(String::from)
    }

    #[test]
    fn only_redirects_that_keep_the_message_within_the_origin_are_followed() {
        for status in [307, 308] {
            for (location, expected) in [
                ("/mcp/", "https://host.example/mcp/"),
                ("https://a:b@host.example/mcp/", "https://host.example/mcp/"),
                ("other?x=1#f", "https://host.example/other?x=1"),
                ("https://host.example:443/mcp/", "https://host.example/mcp/"),
            ] {
                assert_eq!(redirect(status, location).unwrap(), expected);
            }
            for elsewhere in [
                "http://host.example/mcp",
                "https://host.example:8443/mcp",
                "https://other.example/mcp",
                "//other.example/mcp",
            ] {
                let error = redirect(status, elsewhere).unwrap_err();
                assert!(error.contains("another origin"), "{error}");
                assert!(error.contains(elsewhere.trim_start_matches('/')), "{error}");
            }
        }
        for status in [300, 301, 302, 303] {
            let error = redirect(status, "/mcp/").unwrap_err();
            assert!(error.contains("https://host.example/mcp/"), "{error}");
        }
    }
}

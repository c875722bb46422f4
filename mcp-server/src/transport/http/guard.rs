//! Which hosts are served, and which pages may call: against pages that have their own name
//! resolve to this machine.
//!
//! Specification: basic/transports/streamable-http, Security & Endpoint.

use std::{
    borrow::Cow,
    net::{Ipv4Addr, Ipv6Addr},
};

use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};

use super::refusal::Refusal;

/// Compares the hosts and origins of requests with what is allowed.
#[derive(Debug, Clone, Default)]
pub(super) struct Guard {
    hosts: Vec<Host>,
    any_host: bool,
    origins: Vec<String>,
    any_origin: bool,
    /// Whether loopback names are served; where it was not said, unless hosts are listed.
    loopback: Option<bool>,
}

/// The name of a host that is served.
#[derive(Debug, Clone)]
struct Host {
    name: String,
    /// None for any.
    port: Option<u16>,
}

/// The page that a request comes from, if it comes from one.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    None,
    /// An allowed one, or `*` for each.
    Allowed(HeaderValue),
}

impl Guard {
    /// Allows a host, with its port or with any; `*` for each host.
    pub(super) fn allow_host(&mut self, host: &str) {
        if host == "*" {
            self.any_host = true;
            return;
        }
        match split(host) {
            Some((name, port)) => self.hosts.push(Host {
                name: name.to_owned(),
                port,
            }),
            None => tracing::error!(
                host,
                "an allowed host is left out: it must be a name with or without a port, such as \
                 `mcp.example.com`"
            ),
        }
    }

    /// Allows an origin; `*` for each.
    pub(super) fn allow_origin(&mut self, origin: &str) {
        let origin = origin.strip_suffix('/').unwrap_or(origin);
        if origin == "*" {
            self.any_origin = true;
        } else if origin == "null" || origin.contains("://") {
            self.origins.push(without_default_port(origin).to_owned());
        } else {
            tracing::error!(
                origin,
                "an allowed origin is left out: it must have a scheme, such as \
                 `https://app.example.com`"
            );
        }
    }

    /// Says whether the address that is listened on is a loopback one.
    pub(super) fn listens_on_loopback(&mut self, loopback: bool) {
        self.loopback = Some(loopback);
    }

    fn serves_loopback(&self) -> bool {
        self.loopback.unwrap_or(self.hosts.is_empty())
    }

    /// What is allowed, for the log.
    pub(super) fn hosts(&self) -> String {
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        if self.any_host {
            names.push("any".into());
        }
        if self.serves_loopback() {
            names.push("loopback names".into());
        }
        names.extend(self.hosts.iter().map(|host| match host.port {
            Some(port) => Cow::Owned(format!("{}:{port}", host.name)),
            None => Cow::Borrowed(host.name.as_str()),
        }));
        if names.is_empty() {
            return "none".to_owned();
        }
        names.join(", ")
    }

    /// Checks where a request is sent to and where it comes from.
    ///
    /// # Errors
    ///
    /// 403 for a host that is not served, or a page that may not call.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<Origin, Refusal> {
        if !self.any_host {
            let mut named = headers.get_all(header::HOST).iter();
            let host = named.next();
            if named.next().is_some() {
                return Err(forbidden("the header `Host` stands twice"));
            }
            // HTTP/2 and requests by way of a proxy name the host in the target.
            let authority = uri.authority().map(http::uri::Authority::as_str);
            if host.is_none() && authority.is_none() {
                return Err(forbidden("the request names no host"));
            }
            for host in [host.map(text), authority.map(Some)].into_iter().flatten() {
                self.check_host(host.unwrap_or_default())?;
            }
        }
        let mut named = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = named.next() else {
            return Ok(Origin::None);
        };
        if named.next().is_some() {
            return Err(forbidden("the header `Origin` stands twice"));
        }
        self.check_origin(origin)
    }

    fn check_host(&self, host: &str) -> Result<(), Refusal> {
        let allowed = split(host).is_some_and(|(name, port)| {
            self.serves_loopback() && is_loopback(name)
                || self.hosts.iter().any(|host| {
                    host.name.eq_ignore_ascii_case(name)
                        && host.port.is_none_or(|allowed| port == Some(allowed))
                })
        });
        if allowed {
            return Ok(());
        }
        let served = if self.serves_loopback() {
            "loopback names such as `localhost`, and "
        } else {
            ""
        };
        Err(forbidden(format!(
            "the host `{}` is not served; served are {served}the hosts of `allowed_hosts`",
            short(host)
        )))
    }

    fn check_origin(&self, origin: &HeaderValue) -> Result<Origin, Refusal> {
        let text = text(origin).unwrap_or_default();
        let normal = without_default_port(text);
        if self
            .origins
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(normal))
            || self.serves_loopback() && is_loopback_origin(text)
        {
            return Ok(Origin::Allowed(origin.clone()));
        }
        if self.any_origin && text != "null" {
            return Ok(Origin::Allowed(HeaderValue::from_static("*")));
        }
        let allowed = if self.serves_loopback() {
            "loopback origins such as `http://localhost:3000`, and "
        } else {
            ""
        };
        Err(forbidden(format!(
            "the origin `{}` may not call; allowed are {allowed}the origins of `allowed_origins`",
            short(text)
        )))
    }
}

fn forbidden(text: impl Into<Cow<'static, str>>) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, text)
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

/// A host's name, without brackets, and its port.
fn split(host: &str) -> Option<(&str, Option<u16>)> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']')?;
            address.parse::<Ipv6Addr>().ok()?;
            (address, port)
        }
        None => match host.find(':') {
            Some(at) => host.split_at(at),
            None => (host, ""),
        },
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_name) {
        return None;
    }
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => None,
        None => return None,
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(digits.parse().ok()?)
        }
        Some(_) => return None,
    };
    Some((name, port))
}

/// `localhost` in any case, 127.0.0.0/8, `::1`.
fn is_loopback(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
        || name
            .parse::<Ipv6Addr>()
            .is_ok_and(|address| address.is_loopback())
}

fn is_loopback_origin(origin: &str) -> bool {
    let host = ["http://", "https://"].iter().find_map(|scheme| {
        let (start, host) = origin.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(host)
    });
    host.and_then(split)
        .is_some_and(|(name, _)| is_loopback(name))
}

/// An origin in the form in which browsers write it.
fn without_default_port(origin: &str) -> &str {
    let default = if origin.starts_with("https:") {
        ":443"
    } else if origin.starts_with("http:") {
        ":80"
    } else {
        return origin;
    };
    origin.strip_suffix(default).unwrap_or(origin)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn check(guard: &Guard, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        guard.check(&Uri::from_static("/mcp"), &headers).is_ok()
    }

    #[test]
    fn loopback_names_are_served_with_any_port_and_nothing_that_looks_like_them() {
        let guard = Guard::default();
        for host in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:9",
            "127.8.7.6",
            "[::1]:8080",
            "[::1]",
        ] {
            assert!(check(&guard, host, None), "{host}");
        }
        for host in [
            "evil.test",
            "localhost.evil.test",
            "evil.test:80",
            "mcp.example.com",
            "localhost:80:80",
            "localhost:x",
            "127.0.0.1.evil.test",
            "128.0.0.1",
            "::1",
            "[::2]",
            "[::1",
            "user@localhost",
            "",
        ] {
            assert!(!check(&guard, host, None), "{host}");
        }
    }

    #[test]
    fn loopback_pages_may_call_and_others_must_be_listed() {
        let mut guard = Guard::default();
        for (origin, allowed) in [
            ("http://localhost:3000", true),
            ("http://LOCALHOST", true),
            ("https://127.0.0.1", true),
            ("http://[::1]:5173", true),
            ("http://localhost.evil.test", false),
            ("http://evil.test", false),
            ("http://evil.test/localhost", false),
            ("http://localhost/path", false),
            ("file://localhost", false),
            ("null", false),
            ("", false),
            ("https://app.example.com", false),
        ] {
            assert_eq!(
                check(&guard, "localhost", Some(origin)),
                allowed,
                "{origin}"
            );
        }
        guard.allow_origin("https://app.example.com:443/");
        guard.allow_origin("null");
        guard.allow_origin("app.example.org");
        for (origin, allowed) in [
            ("https://app.example.com", true),
            ("https://app.example.com:443", true),
            ("http://app.example.com", false),
            ("https://app.example.com:8443", false),
            ("https://app.example.com.evil.test", false),
            ("null", true),
            ("https://app.example.org", false),
        ] {
            assert_eq!(
                check(&guard, "localhost", Some(origin)),
                allowed,
                "{origin}"
            );
        }
    }

    #[test]
    fn a_list_of_hosts_replaces_loopback_names_unless_they_are_listened_on() {
        let mut guard = Guard::default();
        guard.allow_host("mcp.example.com");
        guard.allow_host("api.example.com:8443");
        for (host, allowed) in [
            ("mcp.example.com", true),
            ("MCP.example.com:443", true),
            ("api.example.com:8443", true),
            ("api.example.com", false),
            ("localhost", false),
            ("evil.test", false),
        ] {
            assert_eq!(check(&guard, host, None), allowed, "{host}");
        }
        // A page on the caller's machine is not ours.
        assert!(!check(
            &guard,
            "mcp.example.com",
            Some("http://localhost:3000")
        ));
        assert_eq!(guard.hosts(), "mcp.example.com, api.example.com:8443");
        guard.listens_on_loopback(true);
        assert!(check(&guard, "localhost", None));
        assert!(check(&guard, "mcp.example.com", None));
        guard.listens_on_loopback(false);
        assert!(!check(&guard, "localhost", None));
        guard.allow_host("*");
        assert!(check(&guard, "anything.test", None));
        assert!(!check(
            &guard,
            "anything.test",
            Some("https://anything.test")
        ));
        guard.allow_origin("*");
        assert!(check(
            &guard,
            "anything.test",
            Some("https://anything.test")
        ));
        assert!(!check(&guard, "anything.test", Some("null")));
    }

    #[test]
    fn without_a_list_nothing_is_served_on_other_addresses() {
        let mut guard = Guard::default();
        guard.listens_on_loopback(false);
        assert!(!check(&guard, "localhost", None));
        assert!(!check(&guard, "mcp.example.com", None));
        assert_eq!(guard.hosts(), "none");
    }

    #[test]
    fn each_place_that_names_the_host_is_looked_at() {
        let guard = Guard::default();
        let mut headers = HeaderMap::new();
        let http2 = Uri::from_static("http://localhost:1/mcp");
        assert!(guard.check(&http2, &headers).is_ok());
        assert!(guard.check(&Uri::from_static("/mcp"), &headers).is_err());
        headers.insert(header::HOST, HeaderValue::from_static("evil.test"));
        assert!(guard.check(&http2, &headers).is_err());
        headers.insert(header::HOST, HeaderValue::from_static("localhost"));
        let evil = Uri::from_static("http://evil.test/mcp");
        assert!(guard.check(&evil, &headers).is_err());
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(guard.check(&http2, &headers).is_err());
    }
}

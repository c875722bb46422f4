//! Which pages a user may be asked to open.

/// Says why a URL is refused, if it is: it must be absolute, `https` or on this machine, without
/// user information.
///
/// Specification: client/elicitation, Safe URL Handling.
pub(crate) fn fault(url: &str) -> Option<&'static str> {
    if url.len() > 4096 {
        return Some("is longer than 4096 bytes");
    }
    if !url.is_ascii()
        || url.bytes().any(|b| {
            b.is_ascii_control()
                || matches!(
                    b,
                    b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
                )
        })
    {
        return Some("has characters that must be percent-encoded");
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        return Some("must be absolute, such as https://shop.example/pay");
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("must not hold user information");
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, port)) if port.is_empty() || is_port(port) => host,
            _ => return Some("has no valid host"),
        },
        None => match authority.split_once(':') {
            Some((host, port)) if is_digits(port) => host,
            Some(_) => return Some("has no valid port"),
            None => authority,
        },
    };
    if host.is_empty() {
        return Some("has no host");
    }
    if scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let loopback = host.eq_ignore_ascii_case("localhost")
        || host == "::1"
        || host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback());
    if scheme.eq_ignore_ascii_case("http") && loopback {
        return None;
    }
    Some("must be https, or http on this machine")
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(is_digits)
}

fn is_digits(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn https_and_this_machine_are_allowed() {
        for url in [
            "https://shop.example/pay?flow=1#top",
            "HTTPS://shop.example:8443",
            "http://127.0.0.1:9/connect",
            "http://localhost/x",
            "http://[::1]:8080/",
        ] {
            assert_eq!(fault(url), None, "{url}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for url in [
            "",
            "/pay",
            "shop.example/pay",
            "http://shop.example/",
            "http://localhost.evil.example/",
            "http://127.0.0.1.evil.example/",
            "https://user:secret@shop.example/",
            "https://127.0.0.1@evil.example/",
            "https:///pay",
            "https://shop.example:port/",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "ftp://localhost/",
            "https://shop.example/a b",
            "https://shop.example/\u{202e}",
            "https://shop.example/\n",
            "https://evil.example\\@shop.example/",
        ] {
            assert!(fault(url).is_some(), "{url}");
        }
    }
}

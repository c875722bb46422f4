//! The four text formats of forms: e-mail addresses, URIs, dates, points in time.

use super::field::StringFormat;

/// Whether the text has the format.
pub(super) fn fits(format: StringFormat, text: &str) -> bool {
    match format {
        StringFormat::Email => email(text),
        StringFormat::Uri => uri(text),
        StringFormat::Date => date(text),
        StringFormat::DateTime => date_time(text),
    }
}

/// What a text of this format must be.
pub(super) fn constraint(format: StringFormat) -> &'static str {
    match format {
        StringFormat::Email => "must be an e-mail address such as name@example.com",
        StringFormat::Uri => "must be an absolute URI such as https://example.com/page",
        StringFormat::Date => "must be a date such as 2026-02-28",
        StringFormat::DateTime => {
            "must be a date and time with offset such as 2026-02-28T13:45:00Z"
        }
    }
}

/// A dot-atom and a host name, which is what people type (RFC 5321, without quoted names and address literals);
/// letters beyond ASCII are let through, since such mailboxes exist (RFC 6531).
fn email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let atom = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| {
                c.is_alphanumeric()
                    || u8::try_from(c).is_ok_and(|byte| b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
            })
    };
    let label = |part: &str| {
        !part.is_empty()
            && part.len() <= 63
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    local.len() <= 64
        && domain.len() <= 255
        && local.split('.').all(atom)
        && domain.split('.').all(label)
}

/// A URI with a scheme (RFC 3986, section 4.3 plus a fragment), and with a host where the scheme needs one.
fn uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let scheme_fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if !scheme_fits || rest.is_empty() || !uri_characters(rest) {
        return false;
    }
    let web = ["http", "https", "ws", "wss", "ftp"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    !web || rest
        .strip_prefix("//")
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':']))
}

fn uri_characters(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(i, byte)| match byte {
        b'%' => bytes
            .get(i + 1..i + 3)
            .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
        byte => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte),
    })
}

/// A full-date of RFC 3339 that the Gregorian calendar has.
fn date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (
        digits(&bytes[..4]),
        digits(&bytes[5..7]),
        digits(&bytes[8..]),
    ) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// A date-time of RFC 3339; a leap second only where one can be, at the end of a UTC day.
fn date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((day, rest)) = bytes.split_at_checked(10) else {
        return false;
    };
    let Some((clock, rest)) = rest.split_at_checked(9) else {
        return false;
    };
    if !std::str::from_utf8(day).is_ok_and(date)
        || !matches!(clock[0], b'T' | b't')
        || clock[3] != b':'
        || clock[6] != b':'
    {
        return false;
    }
    let (Some(hour), Some(minute), Some(second)) = (
        digits(&clock[1..3]),
        digits(&clock[4..6]),
        digits(&clock[7..]),
    ) else {
        return false;
    };
    let Some(offset) = fraction(rest).and_then(offset_minutes) else {
        return false;
    };
    if hour > 23 || minute > 59 {
        return false;
    }
    let utc_minute = (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60);
    second <= 59 || (second == 60 && utc_minute == 24 * 60 - 1)
}

/// What follows the optional fraction of a second; `None` for a point without digits.
fn fraction(rest: &[u8]) -> Option<&[u8]> {
    let Some(digits) = rest.strip_prefix(b".") else {
        return Some(rest);
    };
    let count = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    (count > 0).then(|| &digits[count..])
}

fn offset_minutes(text: &[u8]) -> Option<i64> {
    match text {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            let total = i64::from(hours * 60 + minutes);
            (hours <= 23 && minutes <= 59).then_some(if *sign == b'-' { -total } else { total })
        }
        _ => None,
    }
}

fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + u32::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::field::StringFormat;
    use super::fits;

    fn check(format: StringFormat, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(fits(format, text), "{text:?} is a good {}", format.as_str());
        }
        for text in bad {
            assert!(!fits(format, text), "{text:?} is a bad {}", format.as_str());
        }
    }

    #[test]
    fn email_addresses() {
        check(
            StringFormat::Email,
            &[
                "octocat@github.com",
                "a.b+c@x-y.example",
                "ann@localhost",
                "jörg@exämple.de",
            ],
            &[
                "",
                "octocat",
                "@github.com",
                "a@",
                "a b@x.de",
                "a@b@c.de",
                "a..b@x.de",
                "a@x..de",
                "a@-x.de",
                "a@x.de ",
            ],
        );
    }

    #[test]
    fn absolute_uris() {
        check(
            StringFormat::Uri,
            &[
                "https://example.com",
                "http://[::1]:80/a?b#c",
                "mailto:a@b.de",
                "urn:isbn:1",
                "file:///a%20b",
            ],
            &[
                "",
                "example.com",
                "/a",
                "https://",
                "https:example.com",
                "http:///x",
                "1a:b",
                "https://a b",
                "https://a/%2",
                "https://a/%zz",
                "x:",
            ],
        );
    }

    #[test]
    fn dates_of_a_real_calendar() {
        check(
            StringFormat::Date,
            &[
                "2026-02-28",
                "2024-02-29",
                "2000-02-29",
                "0001-01-01",
                "2026-12-31",
            ],
            &[
                "2026-02-29",
                "1900-02-29",
                "2026-04-31",
                "2026-13-01",
                "2026-00-10",
                "2026-01-00",
                "26-01-01",
                "2026-1-1",
                "2026-01-01T",
                "2026/01/01",
                "２０２６-01",
            ],
        );
    }

    #[test]
    fn points_in_time() {
        check(
            StringFormat::DateTime,
            &[
                "2026-02-28T13:45:00Z",
                "2026-02-28t13:45:00.25+02:00",
                "1990-12-31T23:59:60Z",
                "1990-12-31T15:59:60-08:00",
            ],
            &[
                "2026-02-28",
                "2026-02-28T13:45:00",
                "2026-02-28T24:00:00Z",
                "2026-02-28T13:60:00Z",
                "2026-02-28T13:45:61Z",
                "2026-02-28T13:45:60Z",
                "2026-02-30T13:45:00Z",
                "2026-02-28T13:45:00.Z",
                "2026-02-28T13:45:00+2:00",
                "2026-02-28 13:45:00Z",
                "2026-02-28T13:45:00+24:00",
            ],
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            for format in [StringFormat::Email, StringFormat::Uri, StringFormat::Date, StringFormat::DateTime] {
                let _ = fits(format, &text);
            }
        }

        #[test]
        fn every_day_up_to_the_28th_exists(year in 0u32..=9999, month in 1u32..=12, day in 1u32..=28) {
            let text = format!("{year:04}-{month:02}-{day:02}");
            prop_assert!(fits(StringFormat::Date, &text));
        }
    }
}

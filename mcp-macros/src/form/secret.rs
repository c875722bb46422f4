//! Names that say a field is a secret. Forms pass through the client in clear text, so a secret must not.
//!
//! Specification: client/elicitation, form mode must not ask for sensitive information.

/// Words that make a name secret wherever they stand in it.
const WORDS: [&str; 22] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "token",
    "credential",
    "credentials",
    "apikey",
    "cvv",
    "cvc",
    "pin",
    "ssn",
    "iban",
    "otp",
    "totp",
    "mfa",
    "passwords",
    "cardnumber",
    "privatekey",
];

/// Words that make one together.
const PAIRS: [[&str; 2]; 9] = [
    ["api", "key"],
    ["access", "key"],
    ["private", "key"],
    ["secret", "key"],
    ["encryption", "key"],
    ["card", "number"],
    ["account", "number"],
    ["security", "code"],
    ["pass", "word"],
];

/// Whether a name, in snake or camel case, says so by whole words: `tokens_used` and `pinned` do not.
pub(super) fn is_secret(name: &str) -> bool {
    let snake = super::case::snake(name).replace('-', "_");
    let words: Vec<&str> = snake.split('_').filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| WORDS.contains(word))
        || words
            .windows(2)
            .any(|pair| PAIRS.iter().any(|known| known == pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_count() {
        for name in [
            "password",
            "new_password",
            "api_key",
            "apiKey",
            "card_number",
            "access_token",
            "pin",
            "pin_code",
            "ssn",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "tokens_used",
            "pinned",
            "spin",
            "keyboard",
            "key",
            "card",
            "number",
            "compass",
            "opinion",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}

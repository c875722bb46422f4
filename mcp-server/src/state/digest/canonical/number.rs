//! Numbers by value: a literal becomes its sign, its significant digits and a power of ten.

use super::DigestError;

/// Writes the canonical form of a JSON number: `0`, or sign, digits without a zero at either end, `e`, exponent.
///
/// What is a whole number in the literal stays exact at any size, however it is written. The rest is compared as the
/// double that it rounds to, since that is all that a client's own parse and print keep of it.
pub(super) fn write(literal: &str, out: &mut Vec<u8>) -> Result<(), DigestError> {
    let mut number = Decimal::parse(literal)?;
    if number.has_fraction() {
        let rounded: f64 = literal.parse().map_err(|_| DigestError::NotJson)?;
        // Past the range of a double nothing rounds it: it stays as written.
        if rounded.is_finite() {
            number = Decimal::parse(&format!("{rounded:e}"))?;
        }
    }
    number.write(out)
}

/// `digits * 10^exponent`, with no zero at either end of the digits; zero has none.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: Exponent,
}

/// The exponent of a JSON number has any number of digits.
enum Exponent {
    Fits(i64),
    BeyondAbove,
    BeyondBelow,
}

impl Decimal {
    fn parse(literal: &str) -> Result<Self, DigestError> {
        let (negative, rest) = match literal.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, literal),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (rest, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if leading_zero || !is_digits(whole) || !fraction.is_none_or(is_digits) {
            return Err(DigestError::NotJson);
        }
        let mut digits: Vec<u8> = [whole, fraction.unwrap_or("")].concat().into_bytes();
        let mut shift = -len(fraction.unwrap_or(""));
        while digits.last() == Some(&b'0') {
            digits.pop();
            shift += 1;
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        Ok(Self {
            negative,
            digits,
            exponent: Exponent::parse(exponent, shift)?,
        })
    }

    fn has_fraction(&self) -> bool {
        !self.digits.is_empty()
            && matches!(self.exponent, Exponent::Fits(..0) | Exponent::BeyondBelow)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), DigestError> {
        if self.digits.is_empty() {
            // -0 is 0, and so is 0e9.
            out.push(b'0');
            return Ok(());
        }
        // Nothing decodes a number with an exponent of nineteen digits, so nothing is lost by refusing it.
        let Exponent::Fits(exponent) = self.exponent else {
            return Err(DigestError::NotJson);
        };
        if self.negative {
            out.push(b'-');
        }
        out.extend_from_slice(&self.digits);
        out.push(b'e');
        out.extend_from_slice(exponent.to_string().as_bytes());
        Ok(())
    }
}

impl Exponent {
    /// The exponent as written, moved by the digits dropped and the fraction taken in.
    fn parse(written: Option<&str>, shift: i64) -> Result<Self, DigestError> {
        let Some(written) = written else {
            return Ok(Self::Fits(shift));
        };
        let (negative, digits) = match written.as_bytes().first() {
            Some(b'-') => (true, &written[1..]),
            Some(b'+') => (false, &written[1..]),
            _ => (false, written),
        };
        if !is_digits(digits) {
            return Err(DigestError::NotJson);
        }
        // All digits: the only way to fail is to be too large.
        let size: Option<i64> = digits.parse().ok();
        let exponent = size.and_then(|size| {
            if negative {
                (-size).checked_add(shift)
            } else {
                size.checked_add(shift)
            }
        });
        Ok(match exponent {
            Some(exponent) => Self::Fits(exponent),
            None if negative => Self::BeyondBelow,
            None => Self::BeyondAbove,
        })
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The length of a text in memory, which always fits.
fn len(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

//! Exact arithmetic on JSON numbers: 64-bit integers never pass through a float.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::object;

/// Below this a float holds every integer; from here on, its text may have been rounded by the
/// reader, for the next integer up becomes this very float.
const EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// The integer that this number is, where it is one: `5` and `5.0`, at most 64 bits wide.
///
/// A JSON integer beyond 64 bits arrives as a float, and so does `1e300`: both are no integer here,
/// because what the peer wrote can no longer be told.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    // The cast is exact: the value is integral and below 2^53.
    (value.fract() == 0.0 && value.abs() < EXACT_FLOAT).then_some(value as i128)
}

/// A whole float as the integer that it is, such as `5` for `5.0`: what serde reads into an integer.
///
/// None for integers, fractions, and floats from 2^53 on, whose text may have been another number.
///
/// ```
/// use mcp_core::schema::integral;
/// use serde_json::Number;
///
/// assert_eq!(Number::from_f64(5.0).as_ref().and_then(integral), Some(5.into()));
/// assert_eq!(Number::from_f64(5.5).as_ref().and_then(integral), None);
/// ```
#[must_use]
pub fn integral(number: &Number) -> Option<Number> {
    if number.is_f64() {
        self::integer(number).and_then(self::number)
    } else {
        None
    }
}

/// Compares two numbers without rounding either: by value for integers of any spelling, else as floats.
pub(crate) fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        // One side is a fraction or larger than 2^53: there a float decides, save for the whole part,
        // which decides first where both have one.
        (Some(left), None) => compare_integer(left, right.as_f64()?),
        (None, Some(right)) => compare_integer(right, left.as_f64()?).map(Ordering::reverse),
        (None, None) => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// `left` against a float that is a fraction, or beyond what a float holds exactly.
fn compare_integer(left: i128, right: f64) -> Option<Ordering> {
    if right.is_nan() {
        return None;
    }
    // Casts of floats saturate, so an enormous `right` still lands on the right side.
    let whole = right.floor() as i128;
    Some(match left.cmp(&whole) {
        Ordering::Equal if right > right.floor() => Ordering::Less,
        order => order,
    })
}

/// An integer of at most 64 bits as a JSON number.
pub(crate) fn number(value: i128) -> Option<Number> {
    i64::try_from(value)
        .map(Number::from)
        .or_else(|_| u64::try_from(value).map(Number::from))
        .ok()
}

/// The bounds of a Rust integer type, by the `format` that a derived schema gives it.
///
/// Types of 64 bits and more get none but the zero of the unsigned ones: a number beyond 64 bits is
/// no integer to this crate anyway, and a bound at the edge of 64 bits wraps in hosts that keep
/// bounds in a signed 64-bit field.
pub(crate) fn format_bounds(format: &str) -> Option<(Option<i128>, Option<i128>)> {
    Some(match format {
        "int8" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "int16" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "int64" | "int128" | "int" => (None, None),
        "uint8" => (Some(0), Some(u8::MAX.into())),
        "uint16" => (Some(0), Some(u16::MAX.into())),
        "uint32" => (Some(0), Some(u32::MAX.into())),
        "uint64" | "uint128" | "uint" => (Some(0), None),
        _ => return None,
    })
}

/// The inclusive bounds of an integer schema: its own keywords, tightened by those of its Rust type.
///
/// # Errors
///
/// The problem, as the continuation of a sentence about the schema.
pub(crate) fn integer_bounds(
    schema: &Map<String, Value>,
) -> Result<(Option<i128>, Option<i128>), &'static str> {
    let above = bound(schema, "exclusiveMinimum", f64::floor)?;
    let below = bound(schema, "exclusiveMaximum", f64::ceil)?;
    let (least, most) = object::text(schema, "format")
        .and_then(format_bounds)
        .unwrap_or_default();
    let lower = [
        least,
        bound(schema, "minimum", f64::ceil)?,
        above.map(|value| value.saturating_add(1)),
    ];
    let upper = [
        most,
        bound(schema, "maximum", f64::floor)?,
        below.map(|value| value.saturating_sub(1)),
    ];
    // The tightest of those that there are.
    Ok((
        lower.into_iter().flatten().max(),
        upper.into_iter().flatten().min(),
    ))
}

fn bound(
    schema: &Map<String, Value>,
    keyword: &str,
    round: fn(f64) -> f64,
) -> Result<Option<i128>, &'static str> {
    match schema.get(keyword) {
        None => Ok(None),
        Some(Value::Number(number)) => match (integer(number), number.as_f64()) {
            (Some(value), _) => Ok(Some(value)),
            // A float bound between two integers means the next one inside; casts saturate.
            (None, Some(value)) => Ok(Some(round(value) as i128)),
            (None, None) => Err("has a bound beyond 64 bits"),
        },
        Some(_) => Err("has a bound that is no number"),
    }
}

/// Whether a Rust integer type has exactly these bounds, as [`format_bounds`] tells them.
pub(crate) fn are_bounds_of_a_type(least: Option<i128>, most: Option<i128>) -> bool {
    let formats = [
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    ];
    formats
        .iter()
        .any(|format| format_bounds(format) == Some((least, most)))
}

/// Whether a number is a multiple of another: exactly for integers, to the precision of floats otherwise.
pub(crate) fn is_multiple(number: &Number, step: &Number) -> bool {
    if let (Some(number), Some(step)) = (integer(number), integer(step)) {
        return step != 0 && number % step == 0;
    }
    let (Some(number), Some(step)) = (number.as_f64(), step.as_f64()) else {
        return false;
    };
    let quotient = number / step;
    (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::cmp::Ordering;

    use proptest::prelude::*;
    use serde_json::{Number, Value};

    use super::{compare, integer};

    fn parse(text: &str) -> Number {
        match serde_json::from_str(text).unwrap() {
            Value::Number(number) => number,
            other => panic!("{other} is no number"),
        }
    }

    #[test]
    fn integers_are_exact_up_to_64_bits() {
        assert_eq!(
            integer(&parse("9007199254740993")),
            Some(9_007_199_254_740_993)
        );
        assert_eq!(
            integer(&parse("18446744073709551615")),
            Some(u64::MAX.into())
        );
        assert_eq!(
            integer(&parse("-9223372036854775808")),
            Some(i64::MIN.into())
        );
        assert_eq!(integer(&parse("18446744073709551616")), None);
        assert_eq!(integer(&parse("5.0")), Some(5));
        assert_eq!(integer(&parse("-0.0")), Some(0));
        assert_eq!(integer(&parse("5.5")), None);
        assert_eq!(integer(&parse("1e300")), None);
        assert_eq!(
            integer(&parse("9007199254740991.0")),
            Some(9_007_199_254_740_991)
        );
        // A reader may have rounded these already.
        assert_eq!(integer(&parse("9007199254740992.0")), None);
        assert_eq!(integer(&parse("9007199254740994.0")), None);
    }

    #[test]
    fn order_is_exact_where_floats_would_round() {
        let cases = [
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            (
                "18446744073709551615",
                "18446744073709551616",
                Ordering::Less,
            ),
            ("1e300", "18446744073709551615", Ordering::Greater),
            ("-1e300", "-9223372036854775808", Ordering::Less),
            ("2", "1.5", Ordering::Greater),
            ("-2", "-1.5", Ordering::Less),
            ("1.5", "2", Ordering::Less),
            ("5.0", "5", Ordering::Equal),
            ("0.5", "0.25", Ordering::Greater),
        ];
        for (left, right, expected) in cases {
            assert_eq!(
                compare(&parse(left), &parse(right)),
                Some(expected),
                "{left} {right}"
            );
        }
    }

    proptest! {
        #[test]
        fn integers_compare_as_integers(left: i64, right: i64) {
            prop_assert_eq!(compare(&left.into(), &right.into()), Some(left.cmp(&right)));
        }

        #[test]
        fn small_integers_survive_as_floats(value in -1_000_000i64..1_000_000) {
            let float = Number::from_f64(value as f64).unwrap();
            prop_assert_eq!(integer(&float), Some(value.into()));
        }
    }
}

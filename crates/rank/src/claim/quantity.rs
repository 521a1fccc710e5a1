//! Numbers with their units, and versions: `at least 1,000 requests per minute`, `500ms`, `v1.2.3`.
//!
//! A digit within a name (`S3`, `UTF-8`, `HTTP/2`) is no number.

use super::scan::Token;
use super::value::{Kind, Value, version};

/// What was read: the value and how many tokens it took.
pub(super) struct Read {
    pub(super) value: Value,
    pub(super) tokens: usize,
    /// Whether the number stands alone behind a word and may be its name (`worker 3`).
    pub(super) bare: bool,
}

/// The side on which a range is open.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Just the number.
    Exact,
    /// The number or more.
    Least,
    /// The number or less.
    Most,
    /// The number, more or less.
    About,
}

/// What stands in front of a number and makes it a range.
const SIDES: [(&[&str], Side); 35] = [
    (&["no", "longer", "than"], Side::Most),
    (&["no", "more", "than"], Side::Most),
    (&["not", "more", "than"], Side::Most),
    (&["no", "less", "than"], Side::Least),
    (&["no", "fewer", "than"], Side::Least),
    (&["not", "less", "than"], Side::Least),
    (&["a", "maximum", "of"], Side::Most),
    (&["a", "minimum", "of"], Side::Least),
    (&["at", "least"], Side::Least),
    (&["at", "most"], Side::Most),
    (&["up", "to"], Side::Most),
    (&["more", "than"], Side::Least),
    (&["greater", "than"], Side::Least),
    (&["longer", "than"], Side::Least),
    (&["less", "than"], Side::Most),
    (&["fewer", "than"], Side::Most),
    (&["not", "over"], Side::Most),
    (&["under"], Side::Most),
    (&["below"], Side::Most),
    (&["within"], Side::Most),
    (&["over"], Side::Least),
    (&["above"], Side::Least),
    (&["exceeding"], Side::Least),
    (&[">="], Side::Least),
    (&["≥"], Side::Least),
    (&[">"], Side::Least),
    (&["<="], Side::Most),
    (&["≤"], Side::Most),
    (&["<"], Side::Most),
    (&["about"], Side::About),
    (&["around"], Side::About),
    (&["approximately"], Side::About),
    (&["roughly"], Side::About),
    (&["nearly"], Side::About),
    (&["~"], Side::About),
];

/// The quantity that begins at `tokens[at]`, if one does.
pub(super) fn read(tokens: &[Token<'_>], at: usize) -> Option<Read> {
    let (mut side, skipped) = side(&tokens[at..]);
    let mut next = at + skipped;
    let between = matches!(word(tokens, next), "between" | "from");
    next += usize::from(between);
    let money = currency(word(tokens, next));
    next += usize::from(money.is_some());
    let first_at = next;
    let first = number(tokens.get(next)?)?;
    next += 1;
    let mut high = first.high;
    let joined =
        matches!(word(tokens, next), "to" | "-" | "–") || (between && word(tokens, next) == "and");
    let second = if joined { tokens.get(next + 1).and_then(number) } else { None };
    if between && second.is_none() {
        return None;
    }
    let mut unit = first.unit.clone();
    if let Some(second) = second.filter(|second| second.high > first.low && !first.version) {
        high = second.high;
        unit = second.unit.or(unit);
        next += 2;
    }
    if first.more {
        side = Side::Least;
    }
    if first.version {
        next += open_end(&tokens[next..], &mut side);
        return Some(finish(
            Value::between(Kind::Version, first.low, high),
            side,
            next - at,
            false,
        ));
    }
    let named = unit.is_some();
    let unit_word = unit.as_deref().unwrap_or_else(|| word(tokens, next));
    let mut measure = unit_of(unit_word);
    next += usize::from(measure.is_some() && !named);
    if let Some(sign) = money {
        measure = Some((Kind::Money(sign), 1.0));
    }
    next += open_end(&tokens[next..], &mut side);
    let (mut kind, mut scale) = measure.unwrap_or((Kind::Number, 1.0));
    if let Some((per, taken)) = per_time(&tokens[next..], kind) {
        (kind, scale) = (if kind == Kind::Bytes { Kind::Speed } else { Kind::Rate }, scale / per);
        next += taken;
    }
    let mut value = Value::between(kind, first.low * scale, high * scale);
    value.scale = scale;
    if kind == Kind::Number && first.low == high {
        value.version = parts(&tokens[first_at].word);
    }
    let bare = kind == Kind::Number && side == Side::Exact && skipped == 0;
    Some(finish(value, side, next - at, bare))
}

/// Opens the range on its side.
fn finish(mut value: Value, side: Side, tokens: usize, bare: bool) -> Read {
    match side {
        Side::Exact => {}
        Side::Least => {
            value.high = f64::INFINITY;
            value.version = value.version.map(|(low, _)| (low, f64::INFINITY));
        }
        Side::Most => {
            value.low = f64::NEG_INFINITY;
            value.version = value.version.map(|(_, high)| (f64::NEG_INFINITY, high));
        }
        Side::About if value.kind == Kind::Version => {}
        Side::About => (value.low, value.high) = (value.low * 0.85, value.high * 1.15),
    }
    Read { value, tokens, bare }
}

fn word<'a>(tokens: &'a [Token<'_>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.word.as_str())
}

fn side(tokens: &[Token<'_>]) -> (Side, usize) {
    let starts = |words: &[&str]| {
        tokens.len() >= words.len()
            && words.iter().zip(tokens).all(|(word, token)| *word == token.word)
    };
    let found = SIDES.iter().find(|(words, _)| starts(words));
    found.map_or((Side::Exact, 0), |(words, side)| (*side, words.len()))
}

/// `or more` behind a number; how many tokens that is.
fn open_end(tokens: &[Token<'_>], side: &mut Side) -> usize {
    let first = word(tokens, 0);
    let found = match (first, word(tokens, 1)) {
        (
            "or" | "and",
            "more" | "higher" | "later" | "newer" | "above" | "greater" | "up" | "longer",
        ) => Side::Least,
        ("or" | "and", "less" | "fewer" | "lower" | "older" | "earlier" | "below") => Side::Most,
        _ => return 0,
    };
    *side = found;
    2
}

fn currency(sign: &str) -> Option<char> {
    sign.chars().next().filter(|c| "$€£¥".contains(*c))
}

/// A number as it is written.
struct Number {
    low: f64,
    high: f64,
    /// The unit that is written in one with it.
    unit: Option<String>,
    version: bool,
    /// Whether a plus follows it.
    more: bool,
}

impl Number {
    fn exactly(number: f64) -> Number {
        Number { low: number, high: number, unit: None, version: false, more: false }
    }
}

fn number(token: &Token<'_>) -> Option<Number> {
    let word = token.word.as_str();
    if let Some(number) = spelled(word) {
        return Some(Number::exactly(number));
    }
    if let Some(rest) =
        word.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return of_version(rest);
    }
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some((first, second)) = word.split_once(['-', '–']) {
        return joined(first, second);
    }
    if word.matches('.').count() > 1 {
        return of_version(word);
    }
    let (digits, unit) = digits(word)?;
    let mut number = Number::exactly(digits);
    match unit {
        "" => {}
        "+" => number.more = true,
        "k" => number = Number::exactly(digits * 1e3),
        "m" => number.unit = Some("min".to_owned()),
        unit if unit_of(unit).is_some() => number.unit = Some(unit.to_owned()),
        _ => return None,
    }
    Some(number)
}

/// `5-10` is a range, `5-minute` a number and its unit.
fn joined(first: &str, second: &str) -> Option<Number> {
    let (low, unit) = digits(first)?;
    if !unit.is_empty() && unit_of(unit).is_none() {
        return None;
    }
    if unit_of(second).is_some() {
        return unit
            .is_empty()
            .then(|| Number { unit: Some(second.to_owned()), ..Number::exactly(low) });
    }
    let (high, unit) = digits(second)?;
    let unit = (!unit.is_empty()).then(|| unit.to_owned());
    let known = unit.as_deref().is_none_or(|unit| unit_of(unit).is_some());
    (known && low < high).then_some(Number { high, unit, ..Number::exactly(low) })
}

fn of_version(word: &str) -> Option<Number> {
    let (word, more) = word.strip_suffix('+').map_or((word, false), |word| (word, true));
    let word = word.strip_suffix(".x").unwrap_or(word);
    let (low, high) = parts(word)?;
    Some(Number { low, high, unit: None, version: true, more })
}

/// The range of the version that `word` is the number of.
fn parts(word: &str) -> Option<(f64, f64)> {
    let word = word.strip_suffix('+').unwrap_or(word);
    let parts: Option<Vec<u32>> = word.split('.').map(|part| part.parse().ok()).collect();
    version(&parts?)
}

/// The number at the beginning of `word`, thousands with or without commas, and what follows it.
fn digits(word: &str) -> Option<(f64, &str)> {
    let end =
        word.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.').unwrap_or(word.len());
    let (digits, unit) = word.split_at(end);
    let whole = digits.split('.').next()?;
    let mut groups = whole.split(',').skip(1);
    if !groups.all(|group| group.len() == 3) {
        return None;
    }
    Some((digits.replace(',', "").parse().ok()?, unit))
}

fn spelled(word: &str) -> Option<f64> {
    const SMALL: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let large = match word {
        "thirty" => 30,
        "forty" => 40,
        "fifty" => 50,
        "sixty" => 60,
        "ninety" => 90,
        "hundred" => 100,
        "thousand" => 1000,
        "dozen" => 12,
        _ => SMALL.iter().position(|small| *small == word)?,
    };
    Some(large as f64)
}

/// The kind of a unit, and what one of it is in the kind's own.
pub(super) fn unit_of(unit: &str) -> Option<(Kind, f64)> {
    const DAY: f64 = 86_400.0;
    if let Some((of, per)) = unit.split_once('/') {
        return rate(of, per);
    }
    let (kind, scale) = match unit {
        "ns" | "nanosecond" | "nanoseconds" => (Kind::Time, 1e-9),
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => (Kind::Time, 1e-6),
        "ms" | "msec" | "millisecond" | "milliseconds" => (Kind::Time, 1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" => (Kind::Time, 1.0),
        "min" | "mins" | "minute" | "minutes" => (Kind::Time, 60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => (Kind::Time, 3600.0),
        "d" | "day" | "days" => (Kind::Time, DAY),
        "week" | "weeks" => (Kind::Time, 7.0 * DAY),
        "month" | "months" => (Kind::Time, 365.25 / 12.0 * DAY),
        "year" | "years" => (Kind::Time, 365.25 * DAY),
        "byte" | "bytes" => (Kind::Bytes, 1.0),
        "kb" | "kilobyte" | "kilobytes" => (Kind::Bytes, 1e3),
        "mb" | "megabyte" | "megabytes" => (Kind::Bytes, 1e6),
        "gb" | "gigabyte" | "gigabytes" => (Kind::Bytes, 1e9),
        "tb" | "terabyte" | "terabytes" => (Kind::Bytes, 1e12),
        "kib" => (Kind::Bytes, 1024.0),
        "mib" => (Kind::Bytes, 1024.0 * 1024.0),
        "gib" => (Kind::Bytes, 1024.0 * 1024.0 * 1024.0),
        "mbps" => (Kind::Speed, 1e6 / 8.0),
        "gbps" => (Kind::Speed, 1e9 / 8.0),
        "%" | "percent" | "pct" => (Kind::Percent, 1.0),
        "$" | "usd" | "dollar" | "dollars" => (Kind::Money('$'), 1.0),
        "€" | "eur" | "euro" | "euros" => (Kind::Money('€'), 1.0),
        "£" | "gbp" | "pounds" => (Kind::Money('£'), 1.0),
        "mm" => (Kind::Length, 1e-3),
        "cm" => (Kind::Length, 1e-2),
        "meter" | "meters" | "metre" | "metres" => (Kind::Length, 1.0),
        "km" | "kilometers" | "kilometres" => (Kind::Length, 1e3),
        "mile" | "miles" => (Kind::Length, 1609.344),
        "g" | "grams" => (Kind::Mass, 1.0),
        "kg" | "kilograms" => (Kind::Mass, 1e3),
        "rps" | "qps" | "tps" => (Kind::Rate, 1.0),
        "rpm" => (Kind::Rate, 1.0 / 60.0),
        _ => return None,
    };
    Some((kind, scale))
}

/// `req/min`, `MB/s`.
fn rate(of: &str, per: &str) -> Option<(Kind, f64)> {
    let (Kind::Time, seconds) = unit_of(per)? else { return None };
    match unit_of(of) {
        Some((Kind::Bytes, scale)) => Some((Kind::Speed, scale / seconds)),
        None if matches!(of, "req" | "reqs" | "request" | "requests" | "calls" | "ops" | "r") => {
            Some((Kind::Rate, 1.0 / seconds))
        }
        _ => None,
    }
}

/// `requests per minute` behind a number: the seconds, and how many tokens that took.
fn per_time(tokens: &[Token<'_>], kind: Kind) -> Option<(f64, usize)> {
    let nouns = match kind {
        Kind::Number => 0..3,
        Kind::Bytes => 0..1,
        _ => return None,
    };
    for noun in nouns {
        let each = word(tokens, noun);
        if let (Some((Kind::Rate, scale)), 0..) = (unit_of(each), noun) {
            return Some((1.0 / scale, noun + 1));
        }
        if !matches!(each, "per" | "a" | "an" | "each" | "every" | "/") {
            continue;
        }
        let (Kind::Time, seconds) = unit_of(word(tokens, noun + 1))? else { return None };
        return Some((seconds, noun + 2));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::scan::sentences;

    fn quantity(text: &str) -> Option<(Kind, f64, f64)> {
        let sentences = sentences(text);
        read(&sentences[0], 0).map(|read| (read.value.kind, read.value.low, read.value.high))
    }

    #[test]
    fn equal_values_are_equal_however_they_are_written() {
        for (one, other) in [
            ("1,000", "1k"),
            ("0.5 s", "500ms"),
            ("60 seconds", "1 min"),
            ("60 requests per minute", "1 request/s"),
            ("a maximum of 5", "up to five"),
            ("5-10 minutes", "between 5 and 10 mins"),
            ("v2+", "v2 or later"),
        ] {
            assert_eq!(quantity(one), quantity(other), "{one} {other}");
            assert!(quantity(one).is_some(), "{one}");
        }
    }

    #[test]
    fn a_digit_in_a_name_is_no_number() {
        for name in ["HTTP/2", "S3", "UTF-8", "3rd", "4xx", "127.0.0.1:80"] {
            assert_eq!(quantity(name), None, "{name}");
        }
    }
}

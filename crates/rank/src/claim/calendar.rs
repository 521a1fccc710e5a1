//! Dates, days of the week and times of day: `2026-01-05`, `Jan 5`, `Tuesdays`, `9:30`, `5 pm`.

use super::scan::Token;
use super::value::{Kind, Value};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The time that begins at `tokens[at]`, if one does, and how many tokens it took.
pub(super) fn read(tokens: &[Token<'_>], at: usize) -> Option<(Value, usize)> {
    let token = tokens.get(at)?;
    let first = token.word.as_bytes().first()?;
    if first.is_ascii_digit() {
        numeric(tokens, at)
    } else {
        weekdays(tokens, at).or_else(|| month_first(tokens, at)).or_else(|| named_time(token))
    }
}

fn word<'a>(tokens: &'a [Token<'_>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.word.as_str())
}

fn named_time(token: &Token<'_>) -> Option<(Value, usize)> {
    let minutes = match token.word.as_str() {
        "noon" => 720.0,
        "midnight" => 0.0,
        _ => return None,
    };
    Some((Value::exactly(Kind::Clock, minutes), 1))
}

/// What begins with a digit: a date of numbers, a time, a day before its month, a year.
fn numeric(tokens: &[Token<'_>], at: usize) -> Option<(Value, usize)> {
    let first = word(tokens, at);
    if let Some(value) = of_numbers(first) {
        return Some((value, 1));
    }
    if let Some((from, to)) = first.split_once(['-', '–'])
        && let (Some(from), Some(to)) = (clock(from, ""), clock(to, ""))
    {
        return Some((Value::between(Kind::Clock, from, to), 1));
    }
    let next = word(tokens, at + 1);
    let half = matches!(next, "am" | "pm" | "a.m" | "p.m");
    if let Some(minutes) = clock(first, if half { next } else { "" }) {
        return Some((Value::exactly(Kind::Clock, minutes), 1 + usize::from(half)));
    }
    let of = usize::from(next == "of");
    if let Some(day) = day(first)
        && let Some(month) = month(tokens.get(at + 1 + of), true)
    {
        let (year, taken) = year_at(tokens, at + 2 + of);
        return Some((date(year, month, Some(day))?, 2 + of + taken));
    }
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    let dated = matches!(
        before,
        "in" | "since"
            | "until"
            | "till"
            | "by"
            | "before"
            | "after"
            | "from"
            | "during"
            | "early"
            | "late"
    );
    let year = year(first).filter(|_| dated)?;
    Some((Value::between(Kind::Day, day_number(year, 1, 1), day_number(year, 12, 31)), 1))
}

/// `2026-01-05`, `2026/01/05`, `2026-01`.
fn of_numbers(word: &str) -> Option<Value> {
    let mut parts = word.split(['-', '/']);
    let year = year(parts.next()?)?;
    let month = parts.next().filter(|part| part.len() == 2)?.parse().ok()?;
    let day = match parts.next() {
        Some(day) => Some(day.split('t').next()?.parse().ok()?),
        None => None,
    };
    date(Some(year), month, day)
}

/// `January 5, 2026`, `Jan 5`, `January 2026`, `March`.
fn month_first(tokens: &[Token<'_>], at: usize) -> Option<(Value, usize)> {
    if let Some(quarter) = word(tokens, at).strip_prefix('q').and_then(|q| q.parse::<u32>().ok()) {
        let year = year(word(tokens, at + 1)).filter(|_| (1..=4).contains(&quarter))?;
        let (first, last) = (quarter * 3 - 2, quarter * 3);
        let value =
            Value::between(Kind::Day, day_number(year, first, 1), day_number(year, last, 31));
        return Some((value, 2));
    }
    let follows = word(tokens, at + 1).starts_with(|c: char| c.is_ascii_digit());
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    let placed =
        follows || matches!(before, "in" | "on" | "until" | "since" | "by" | "of" | "is" | "from");
    let month = month(tokens.get(at), placed)?;
    let day = day(word(tokens, at + 1));
    let after_day = at + 1 + usize::from(day.is_some());
    let (year, taken) = year_at(tokens, after_day);
    Some((date(year, month, day)?, after_day - at + taken))
}

/// The year at `at`, a comma before it allowed; and how many tokens that is.
fn year_at(tokens: &[Token<'_>], at: usize) -> (Option<i32>, usize) {
    let comma = usize::from(word(tokens, at) == ",");
    match year(word(tokens, at + comma)) {
        Some(year) => (Some(year), 1 + comma),
        None => (None, 0),
    }
}

fn year(word: &str) -> Option<i32> {
    word.parse().ok().filter(|year| word.len() == 4 && (1900..2200).contains(year))
}

fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let ending = &word[digits.len()..];
    let fits = matches!(ending, "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| fits && (1..=31).contains(day))
}

/// The month that a word names. Written small, or ambiguous, only where a date can be.
fn month(token: Option<&Token<'_>>, placed: bool) -> Option<u32> {
    let token = token?;
    let word = token.word.as_str();
    let capital = token.text.starts_with(|c: char| c.is_uppercase());
    let ambiguous = matches!(word, "may" | "march" | "mar" | "dec" | "sep");
    let short = word.len() >= 3 && (word.len() == 3 || word == "sept");
    let is = |month: &str| month == word || (short && month.starts_with(word));
    let index = MONTHS.iter().position(|month| is(month))?;
    (capital && (placed || !ambiguous)).then_some(index as u32 + 1)
}

/// A date, as the days that it can mean.
fn date(year: Option<i32>, month: u32, day: Option<u32>) -> Option<Value> {
    if !(1..=12).contains(&month) || day.is_some_and(|day| !(1..=31).contains(&day)) {
        return None;
    }
    let (first, last) = (day.unwrap_or(1), day.unwrap_or(31));
    Some(match year {
        Some(year) => {
            Value::between(Kind::Day, day_number(year, month, first), day_number(year, month, last))
        }
        None => {
            Value::between(Kind::YearDay, day_number(0, month, first), day_number(0, month, last))
        }
    })
}

/// A number that orders days; months are taken to have 31 of them, which is all an order needs.
fn day_number(year: i32, month: u32, day: u32) -> f64 {
    f64::from(year) * 372.0 + f64::from((month - 1) * 31 + day - 1)
}

/// Minutes since midnight.
fn clock(word: &str, half: &str) -> Option<f64> {
    let (digits, glued) =
        word.split_at(word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len()));
    let half = if glued.is_empty() { half } else { glued };
    let (hour, minute) = match digits.split_once(':') {
        Some((hour, minute)) => (hour, minute.get(..2)?.parse().ok()?),
        None if half.is_empty() => return None,
        None => (digits, 0),
    };
    let hour: u32 = hour.parse().ok()?;
    let hour = match half {
        "am" | "a.m" => hour % 12,
        "pm" | "p.m" => hour % 12 + 12,
        "" => hour,
        _ => return None,
    };
    (hour < 24 && minute < 60).then(|| f64::from(hour * 60 + minute))
}

/// A day of the week, several of them, or a range.
fn weekdays(tokens: &[Token<'_>], at: usize) -> Option<(Value, usize)> {
    let (mut set, mut last) = one_weekday(tokens.get(at)?)?;
    let mut next = at + 1;
    loop {
        let comma = usize::from(word(tokens, next) == "," && word(tokens, next + 1) == "and");
        let joint = word(tokens, next + comma);
        let Some((other, day)) = tokens.get(next + comma + 1).and_then(one_weekday) else { break };
        match joint {
            "and" | "or" | "," | "/" | "&" => set |= other,
            "to" | "through" | "-" | "–" => set |= days_between(last, day),
            _ => break,
        }
        last = day;
        next += comma + 2;
    }
    Some((Value::among(Kind::Weekday, set), next - at))
}

/// The days from one to another, over the end of the week if need be.
fn days_between(from: usize, to: usize) -> u64 {
    let mut set = 1 << to;
    let mut day = from;
    while day != to {
        set |= 1 << day;
        day = (day + 1) % 7;
    }
    set
}

/// The set and the last of its days.
fn one_weekday(token: &Token<'_>) -> Option<(u64, usize)> {
    let word = token.word.as_str();
    match word {
        "weekday" | "weekdays" => return Some((0b001_1111, 4)),
        "weekend" | "weekends" => return Some((0b110_0000, 6)),
        _ => {}
    }
    if let Some((from, to)) = word.split_once(['-', '–'])
        && let (Some(from), Some(to)) = (weekday(from, true), weekday(to, true))
    {
        return Some((days_between(from, to), to));
    }
    let day = weekday(word, token.text.starts_with(|c: char| c.is_uppercase()))?;
    Some((1 << day, day))
}

fn weekday(word: &str, capital: bool) -> Option<usize> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    let short = |day: &str| {
        capital
            && matches!(word, "mon" | "tue" | "tues" | "wed" | "thu" | "thurs" | "fri")
            && day.starts_with(word)
    };
    WEEKDAYS.iter().position(|day| *day == word || *day == singular || short(day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::scan::sentences;

    fn time(text: &str) -> Option<(Kind, f64, f64, u64)> {
        let sentences = sentences(text);
        let (value, _) = read(&sentences[0], 0)?;
        Some((value.kind, value.low, value.high, value.set))
    }

    #[test]
    fn equal_times_are_equal_however_they_are_written() {
        for (one, other) in [
            ("2026-01-05", "January 5, 2026"),
            ("Jan 5 2026", "5th of January 2026"),
            ("2026-03", "March 2026"),
            ("9:30", "9:30 am"),
            ("5pm", "17:00"),
            ("Mon-Fri", "weekdays"),
            ("Monday to Wednesday", "Mon, Tue and Wed"),
        ] {
            assert_eq!(time(one), time(other), "{one} {other}");
            assert!(time(one).is_some(), "{one}");
        }
    }

    #[test]
    fn words_that_only_look_like_times_are_none() {
        for text in ["may be", "march on", "sun", "8080", "2026-99-05", "25:00", "sat down"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}

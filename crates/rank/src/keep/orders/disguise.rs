//! A text as it stands, and as it may be meant: without what cannot be seen, with look-alikes as the
//! letters they imitate, with spelled-out and encoded words.

use unicode_normalization::UnicodeNormalization;

use crate::keep::seen::{is_blank, is_hidden};

/// So many characters in a row, as base64 has them, may be an encoded sentence.
const ENCODED_MIN: usize = 24;

/// So many single letters in a row are a word that is spelled out.
const SPELLED_MIN: usize = 5;

/// The ways to read a text, the plainest first, none twice.
pub(super) fn readings(text: &str) -> Vec<String> {
    let spaced = text.nfkc().map(|c| if is_blank(c) { ' ' } else { c });
    let whole: String = spaced.filter(|c| !is_hidden(*c) && !is_struck(*c)).collect();
    let visible = joined(&whole);
    let mut found = vec![whole];
    let mut add = |reading: String| {
        if !reading.is_empty() && !found.contains(&reading) {
            found.push(reading);
        }
    };
    add(visible.clone());
    add(tagged(text));
    if !visible.is_ascii() {
        add(visible.nfkd().filter(|c| !is_struck(*c)).collect());
    }
    add(unescaped(&visible));
    add(parted(&visible));
    if BACKWARDS.iter().any(|word| visible.contains(word)) {
        add(visible.chars().rev().collect());
    }
    if visible.chars().any(|c| look_alike(c).is_some()) {
        add(visible.chars().map(|c| look_alike(c).unwrap_or(c)).collect());
    }
    add(spelled(&visible));
    add(without_digits(&visible));
    add(rotated(&visible));
    decoded(&found[0]).into_iter().chain(decoded(&unbroken(&found[0]))).for_each(|text| {
        if !found.contains(&text) {
            found.push(text);
        }
    });
    found
}

/// Words that no text has but one that is written backwards.
const BACKWARDS: [&str; 3] = ["erongi", "snoitcurtsni", "dragersid"];

/// So many words before it make the item of a list a sentence of its own.
const ITEM_WORDS: usize = 4;

/// A text as it is told: on one line. Only the items of a list stay apart, unless they are as short as
/// no item is.
fn joined(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut words = 0;
    for next in text.lines() {
        let is_item = next.trim_start().starts_with(['-', '*', '+', '#', '|', '>'])
            || next.trim_start().starts_with(|c: char| c.is_ascii_digit());
        if !line.is_empty() {
            line.push(if is_item && words >= ITEM_WORDS { '\n' } else { ' ' });
        }
        line.push_str(next.trim());
        words = next.split_whitespace().count();
    }
    line
}

/// A text with encoded lines as one; nothing if it has one line.
fn unbroken(text: &str) -> String {
    if text.contains('\n') { text.replace(['\n', '\r'], "") } else { String::new() }
}

/// Whether a mark stands over, under or through a letter that needs none.
fn is_struck(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// A text with what addresses and HTML write in numbers as what it stands for; nothing if it has none.
fn unescaped(text: &str) -> String {
    let (mut plain, mut rest, mut any) = (String::new(), text, false);
    while let Some(at) = rest.find(['%', '&']) {
        plain.push_str(&rest[..at]);
        let (c, length) = escape(&rest[at..]).unwrap_or((char::from(rest.as_bytes()[at]), 1));
        any |= length > 1;
        plain.push(c);
        rest = &rest[at + length..];
    }
    if any { plain + rest } else { String::new() }
}

/// The character that is written in numbers at the beginning of a text, and how long that is.
fn escape(text: &str) -> Option<(char, usize)> {
    if let Some(hex) = text.strip_prefix('%') {
        let byte = u8::from_str_radix(hex.get(..2)?, 16).ok()?;
        return matches!(byte, b' '..=b'~').then_some((char::from(byte), 3));
    }
    let end = text.bytes().take(10).position(|b| b == b';')?;
    let name = text.get(1..end)?;
    let number = name.strip_prefix('#').map(|number| match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    });
    let c = match (number, name) {
        (Some(number), _) => char::from_u32(number.ok()?)?,
        (None, "nbsp") => ' ',
        (None, "lt") => '<',
        (None, "gt") => '>',
        (None, "amp") => '&',
        (None, "quot") => '"',
        _ => return None,
    };
    Some((c, end + 1))
}

/// So many words joined by signs are a sentence.
const JOINED_MIN: usize = 4;

/// A text whose words are joined by signs (`ignore_all_previous_instructions`), with spaces in their
/// place; nothing if there are none.
fn parted(text: &str) -> String {
    let is_sign = |c: char| matches!(c, '_' | '-' | '+');
    let mut any = false;
    let words = text.split(' ').map(|word| {
        let parts = word.split(is_sign).filter(|part| part.len() > 1).count();
        let is_sentence = parts >= JOINED_MIN && !word.contains("://");
        any |= is_sentence;
        if is_sentence { word.replace(is_sign, " ") } else { word.to_owned() }
    });
    let words: Vec<String> = words.collect();
    if any { words.join(" ") } else { String::new() }
}

/// What is spelled in the characters that tag flags, and are seen by nobody.
fn tagged(text: &str) -> String {
    let ascii = |c: char| u8::try_from(u32::from(c).checked_sub(0xe0000)?).ok().map(char::from);
    text.chars().filter_map(ascii).filter(|c| c.is_ascii_graphic() || *c == ' ').collect()
}

/// The Latin letter that a letter of another script looks like.
fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'А' | 'Α' | 'ᴀ' => 'a',
        'е' | 'ε' | 'Е' | 'Ε' | 'є' | 'ᴇ' => 'e',
        'о' | 'ο' | 'О' | 'Ο' | 'ө' | 'ᴏ' => 'o',
        'р' | 'ρ' | 'Р' | 'Ρ' | 'ᴘ' => 'p',
        'с' | 'С' | 'ϲ' | 'ᴄ' => 'c',
        'у' | 'υ' | 'У' | 'Υ' | 'ʏ' => 'y',
        'х' | 'χ' | 'Х' | 'Χ' => 'x',
        'і' | 'ι' | 'І' | 'Ι' | 'ı' | 'ɪ' => 'i',
        'ѕ' | 'Ѕ' | 'ꜱ' => 's',
        'ј' | 'Ј' | 'ᴊ' => 'j',
        'ԁ' | 'ᴅ' => 'd',
        'ɡ' | 'ɢ' => 'g',
        'һ' | 'Н' | 'Η' | 'ʜ' => 'h',
        'м' | 'М' | 'Μ' | 'ᴍ' => 'm',
        'т' | 'Т' | 'τ' | 'Τ' | 'ᴛ' => 't',
        'в' | 'В' | 'β' | 'Β' | 'ʙ' => 'b',
        'к' | 'К' | 'κ' | 'Κ' | 'ᴋ' => 'k',
        'ɴ' => 'n',
        'ʀ' => 'r',
        'ʟ' => 'l',
        'ꜰ' => 'f',
        'ᴜ' => 'u',
        'ᴠ' => 'v',
        'ᴡ' => 'w',
        'ᴢ' => 'z',
        'н' => 'h',
        'г' => 'r',
        'п' | 'η' => 'n',
        'ν' | 'ѵ' => 'v',
        'ѡ' | 'ω' => 'w',
        'ⅼ' | 'ӏ' | 'Ӏ' => 'l',
        _ => return None,
    })
}

/// A text whose words are spelled out (`i g n o r e`, `i-g-n-o-r-e`) with the words joined; nothing if
/// there are none.
fn spelled(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut any = false;
    for line in text.lines() {
        // Words that are spelled out are parted by more than their letters are.
        for group in line.split("  ") {
            let parts: Vec<&str> = group.split([' ', '-', '.', '_', '*', '·']).collect();
            let singles = parts.iter().filter(|part| part.chars().count() == 1).count();
            if singles >= SPELLED_MIN && singles * 5 >= parts.len() * 4 {
                any = true;
                joined.push_str(&parts.concat());
            } else {
                joined.push_str(&dashed(group, &mut any));
            }
            joined.push(' ');
        }
        joined.push('\n');
    }
    if any { joined } else { String::new() }
}

/// The same where each word is spelled by itself.
fn dashed(group: &str, any: &mut bool) -> String {
    let joined = group.split(' ').map(|word| {
        let parts: Vec<&str> = word.split(['-', '.', '_', '*', '·']).collect();
        let is_spelled =
            parts.len() >= SPELLED_MIN && parts.iter().all(|part| part.chars().count() <= 1);
        *any |= is_spelled;
        if is_spelled { parts.concat() } else { word.to_owned() }
    });
    let words: Vec<String> = joined.collect();
    in_runs(&words, any)
}

/// The words with runs of single letters among them joined: `i g n o r e all of it`.
fn in_runs(words: &[String], any: &mut bool) -> String {
    let is_letter = |word: &String| word.chars().count() == 1;
    let runs = words.chunk_by(|one, next| is_letter(one) && is_letter(next));
    let joined = runs.map(|run| {
        let is_spelled = run.len() >= SPELLED_MIN;
        *any |= is_spelled;
        if is_spelled { run.concat() } else { run.join(" ") }
    });
    joined.collect::<Vec<_>>().join(" ")
}

/// A text with digits in words as the letters they stand for; nothing if it has none.
fn without_digits(text: &str) -> String {
    let mut any = false;
    let words = text.split(' ').map(|word| {
        let letters = word.chars().filter(|c| c.is_ascii_alphabetic()).count();
        let digits = word.chars().filter(|c| "013457@$!".contains(*c)).count();
        if letters < 2 || digits == 0 {
            return word.to_owned();
        }
        any = true;
        word.chars()
            .map(|c| match c {
                '0' => 'o',
                '1' | '!' => 'i',
                '3' => 'e',
                '4' | '@' => 'a',
                '5' | '$' => 's',
                '7' => 't',
                other => other,
            })
            .collect()
    });
    let words: Vec<String> = words.collect();
    if any { words.join(" ") } else { String::new() }
}

/// A text with its letters moved on by half the alphabet.
fn rotated(text: &str) -> String {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    let rotate = |c: char| match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        other => other,
    };
    text.chars().map(rotate).collect()
}

/// What is encoded in a text, if it is text.
fn decoded(text: &str) -> Vec<String> {
    let is_code = |c: char| c.is_ascii_alphanumeric() || "+/-_=".contains(c);
    let runs = text.split(|c: char| !is_code(c)).filter(|run| run.len() >= ENCODED_MIN);
    let texts = runs.flat_map(|run| [of_base64(run), of_hex(run)]).flatten();
    let is_text = |bytes: &Vec<u8>| {
        let readable = bytes.iter().filter(|b| b.is_ascii_graphic() || b" \n".contains(b)).count();
        readable * 10 >= bytes.len() * 9
    };
    texts.filter(is_text).filter_map(|bytes| String::from_utf8(bytes).ok()).take(8).collect()
}

fn of_base64(run: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    let (mut held, mut bits) = (0u32, 0);
    for b in run.trim_end_matches('=').bytes() {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    Some(bytes)
}

fn of_hex(run: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(run.get(at..at + 2)?, 16).ok();
    (0..run.len() / 2).map(|at| pair(at * 2)).collect()
}

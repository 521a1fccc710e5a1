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
    let visible: String = spaced.filter(|c| !is_hidden(*c)).collect();
    let mut found = vec![visible.clone()];
    let mut add = |reading: String| {
        if !reading.is_empty() && !found.contains(&reading) {
            found.push(reading);
        }
    };
    add(tagged(text));
    if visible.chars().any(|c| look_alike(c).is_some()) {
        add(visible.chars().map(|c| look_alike(c).unwrap_or(c)).collect());
    }
    add(spelled(&visible));
    add(without_digits(&visible));
    add(rotated(&visible));
    decoded(&visible).into_iter().for_each(&mut add);
    found
}

/// What is spelled in the characters that tag flags, and are seen by nobody.
fn tagged(text: &str) -> String {
    let ascii = |c: char| u8::try_from(u32::from(c).checked_sub(0xe0000)?).ok().map(char::from);
    text.chars().filter_map(ascii).filter(|c| c.is_ascii_graphic() || *c == ' ').collect()
}

/// The Latin letter that a letter of another script looks like.
fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'А' | 'Α' => 'a',
        'е' | 'ε' | 'Е' | 'Ε' | 'є' => 'e',
        'о' | 'ο' | 'О' | 'Ο' | 'ө' => 'o',
        'р' | 'ρ' | 'Р' | 'Ρ' => 'p',
        'с' | 'С' | 'ϲ' => 'c',
        'у' | 'υ' | 'У' | 'Υ' => 'y',
        'х' | 'χ' | 'Х' | 'Χ' => 'x',
        'і' | 'ι' | 'І' | 'Ι' | 'ı' => 'i',
        'ѕ' | 'Ѕ' => 's',
        'ј' | 'Ј' => 'j',
        'ԁ' => 'd',
        'ɡ' => 'g',
        'һ' | 'Н' | 'Η' => 'h',
        'м' | 'М' | 'Μ' => 'm',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'в' | 'В' | 'β' | 'Β' => 'b',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
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

//! What is seen of a text: which of its characters show nothing or turn the direction of others, and
//! where a language, a script or a picture needs one of them all the same.
//!
//! Everything that shows a text ([`visible`](super::visible), [`harmless`](super::harmless),
//! [`escaped`](super::escaped)) and the rules that look for hidden orders rest on this.

/// What becomes of a character where it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// It is seen, or belongs to what is seen.
    Seen,
    /// It is a control character, or ends a line in a way that few programs know.
    Control,
    /// It shows nothing, or turns what stands around it, and nothing needs it there.
    Hidden,
}

/// Whether a character shows nothing, or changes the direction of others: what Unicode says may be
/// ignored, and blanks that are no white space.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    ) || is_blank(c)
}

/// Whether a character is a blank that no program takes for one.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

/// Whether a character turns the direction of those behind it.
pub(super) fn is_turn(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character tags a flag, and else shows nothing.
pub(super) fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// The characters of a text, each with what is seen of it.
pub(super) fn sights(text: &str) -> impl Iterator<Item = (char, Sight)> {
    let chars: Vec<char> = text.chars().collect();
    let mut needed = vec![false; chars.len()];
    for line in lines(&chars) {
        needs(&chars[line.clone()], &mut needed[line]);
    }
    let next_is_end: Vec<bool> = chars.iter().skip(1).map(|c| *c == '\n').chain([false]).collect();
    let sight = move |at: usize, c: char| match c {
        '\n' | '\t' => Sight::Seen,
        // The end of a line that ends with two characters.
        '\r' if next_is_end[at] => Sight::Seen,
        '\u{2028}' | '\u{2029}' => Sight::Control,
        _ if c.is_control() => Sight::Control,
        _ if is_hidden(c) && !needed[at] => Sight::Hidden,
        _ => Sight::Seen,
    };
    chars.into_iter().enumerate().map(move |(at, c)| (c, sight(at, c)))
}

/// The lines of a text, as the ranges of their characters.
fn lines(chars: &[char]) -> Vec<std::ops::Range<usize>> {
    let ends = chars.iter().enumerate().filter(|(_, c)| **c == '\n').map(|(at, _)| at);
    let mut from = 0;
    let mut lines = Vec::new();
    for end in ends.chain([chars.len()]) {
        lines.push(from..end);
        from = end + 1;
    }
    lines
}

/// Marks the hidden characters of a line that what stands around them needs.
fn needs(line: &[char], needed: &mut [bool]) {
    let has_right_to_left = line.iter().any(|c| is_right_to_left(*c));
    let mut at = 0;
    while at < line.len() {
        let before = at.checked_sub(1).map_or(' ', |at| line[at]);
        let after = line.get(at + 1).copied().unwrap_or(' ');
        let run = match line[at] {
            FLAG => flag(&line[at + 1..]),
            '\u{2066}'..='\u{2068}' if has_right_to_left => isolate(&line[at..]),
            _ => 0,
        };
        if line[at] == FLAG {
            needed[at + 1..at + 1 + run].fill(true);
        } else if run > 0 {
            // What stands between the two is looked at for itself.
            needed[at] = true;
            needed[at + run] = true;
        }
        needed[at] |= is_needed(before, line[at], after, has_right_to_left);
        at += 1;
    }
}

/// The picture that tags turn into the flag of a region.
const FLAG: char = '\u{1f3f4}';

/// A region is named by so many letters and digits.
const REGION: std::ops::RangeInclusive<usize> = 4..=6;

/// How many characters behind a black flag name the region whose flag it is: its letters, and the end.
fn flag(behind: &[char]) -> usize {
    let is_letter =
        |c: &&char| matches!(**c, '\u{e0061}'..='\u{e007a}' | '\u{e0030}'..='\u{e0039}');
    let letters = behind.iter().take_while(is_letter).count();
    let ends = behind.get(letters) == Some(&'\u{e007f}');
    if ends && REGION.contains(&letters) { letters + 1 } else { 0 }
}

/// Words that keep their own direction are no longer than this.
const ISOLATE_CHARS_MAX: usize = 48;

/// How far behind its beginning a few words end that keep their own direction: nothing else that turns
/// or hides stands between. 0 if they are none.
fn isolate(from: &[char]) -> usize {
    let inner = from.iter().skip(1).take(ISOLATE_CHARS_MAX + 1);
    let is_plain = |c: &&char| !is_turn(**c) && !c.is_control();
    let length = inner.take_while(is_plain).count();
    let ends = from.get(length + 1) == Some(&'\u{2069}');
    if ends && (1..=ISOLATE_CHARS_MAX).contains(&length) { length + 1 } else { 0 }
}

/// Whether the one character that stands between these is needed there.
fn is_needed(before: char, c: char, after: char, has_right_to_left: bool) -> bool {
    match c {
        '\u{200c}' | '\u{200d}' => {
            is_virama(before)
                || is_joined(before) && is_joined(after)
                || c == '\u{200d}' && is_picture_end(before) && is_picture(after)
        }
        // It shows where a word may be parted.
        '\u{ad}' => before.is_alphabetic() && after.is_alphabetic(),
        '\u{200b}' => is_unparted(before) && is_unparted(after),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => has_right_to_left && !is_hidden(before),
        '\u{fe0e}' | '\u{fe0f}' if before.is_ascii_digit() || matches!(before, '#' | '*') => true,
        '\u{fe00}'..='\u{fe0f}' => is_picture(before) || is_ideograph(before) || is_joined(before),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        '\u{115f}' | '\u{1160}' => is_jamo(before) || is_jamo(after),
        '\u{2800}' => is_braille(before) || is_braille(after),
        '\u{34f}' => matches!(before, '\u{591}'..='\u{5c7}'),
        _ => false,
    }
}

/// Scripts whose letters are joined, or kept from that, by marks: Arabic and its neighbours, the
/// scripts of India, Mongolian.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}'
        | '\u{1780}'..='\u{18aa}' | '\u{1b00}'..='\u{1c4f}' | '\u{a840}'..='\u{a8ff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
        && !is_hidden(c)
}

/// Signs that take the vowel from a letter; a mark behind them says how that looks.
fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
            | '\u{1039}'
            | '\u{17d2}'
    )
}

/// Scripts that do not part their words.
fn is_unparted(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}'
        | '\u{17b6}'..='\u{17ff}' | '\u{1980}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{5ff}' | '\u{600}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        && c != '\u{61c}'
}

/// Whether a character is a picture, or a sign that has a picture's form.
fn is_picture(c: char) -> bool {
    matches!(c, '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}'
        | '〰' | '〽' | '㊗' | '㊙' | '\u{1f000}'..='\u{1fbff}')
}

/// Whether a picture may end with it: its form, or its colour.
fn is_picture_end(c: char) -> bool {
    is_picture(c) || c == '\u{fe0f}'
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97c}' | '\u{d7b0}'..='\u{d7fb}')
        && !is_blank(c)
}

fn is_braille(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}')
}

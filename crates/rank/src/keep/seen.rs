//! What is seen of a text: which of its characters show nothing or turn the direction of others, and
//! where a language, a script or a picture needs one of them all the same.
//!
//! Everything that shows a text ([`visible`](super::visible), [`harmless`](super::harmless),
//! [`escaped`](super::escaped)) and the rules that look for hidden orders rest on this. What a character
//! is comes from the properties of Unicode 18 (`icu_properties`), so that nothing hides in a block that
//! nobody thought of.

use icu_properties::props::{
    DefaultIgnorableCodePoint, GeneralCategory as Category, NoncharacterCodePoint,
    PrependedConcatenationMark,
};
use icu_properties::{CodePointMapData, CodePointSetData};

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

/// Whether a character shows nothing, changes the direction of others, or means nothing that readers
/// agree on: all that formats, is private or not assigned, what Unicode says may be ignored, and blanks
/// that are no white space.
#[inline]
pub(super) fn is_hidden(c: char) -> bool {
    !c.is_ascii() && is_hidden_beyond_ascii(c)
}

fn is_hidden_beyond_ascii(c: char) -> bool {
    match category(c) {
        Category::Format | Category::PrivateUse | Category::Unassigned => true,
        Category::NonspacingMark | Category::OtherLetter | Category::OtherSymbol => {
            is_blank(c) || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        }
        _ => false,
    }
}

fn category(c: char) -> Category {
    CodePointMapData::<Category>::new().get(c)
}

/// Whether a character is a blank that no program takes for one. Unicode has no property for it: these
/// are letters, marks and symbols whose form is empty.
pub(super) fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{fffc}' | '\u{13441}'
            ..='\u{13442}' | '\u{16fe4}' | '\u{1d159}'
    )
}

/// Whether a character is white space as wide as none of ASCII: which of them stands there can spell
/// something.
pub(super) fn is_odd_space(c: char) -> bool {
    !c.is_ascii() && c.is_whitespace() && category(c) == Category::SpaceSeparator
}

/// How far a hidden character goes towards a hidden text of [`WEIGHT_MAX`].
///
/// Editors, keyboards and web pages leave some behind, and so they do icons of private fonts and
/// pictures newer than our table. Nobody writes any other but to hide something.
pub(super) fn weight(c: char) -> usize {
    match c {
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{2800}' => 1,
        '\u{fe0e}' | '\u{fe0f}' | '\u{feff}' | '\u{fffc}' => 1,
        _ if is_odd_space(c) => 1,
        // Four of them could spell ten letters.
        _ if is_unknown(c) => WEIGHT_MAX / 4,
        _ => WEIGHT_MAX,
    }
}

/// Hidden characters of this weight spell something.
pub(super) const WEIGHT_MAX: usize = 8;

/// Whether a character is private, or may be assigned one day.
fn is_unknown(c: char) -> bool {
    let is_never = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || CodePointSetData::new::<NoncharacterCodePoint>().contains(c);
    matches!(category(c), Category::PrivateUse | Category::Unassigned) && !is_never
}

/// The characters of a text, each with what is seen of it.
pub(super) fn sights(text: &str) -> impl Iterator<Item = (char, Sight)> {
    let chars: Vec<char> = text.chars().collect();
    let mut sights: Vec<Sight> = chars.iter().map(|c| alone(*c)).collect();
    let mut from = 0;
    for line in chars.split_inclusive(|c| *c == '\n') {
        let sights = &mut sights[from..from + line.len()];
        from += line.len();
        // The end of a line that ends with two characters.
        if let [.., '\r', '\n'] = line {
            sights[line.len() - 2] = Sight::Seen;
        }
        if sights.contains(&Sight::Hidden) {
            needs(line, sights);
        }
        if line.iter().any(|c| is_odd_space(*c)) {
            spells(line, sights);
        }
    }
    chars.into_iter().zip(sights)
}

/// What is seen of a character wherever it stands.
fn alone(c: char) -> Sight {
    match c {
        '\n' | '\t' | ' '..='~' => Sight::Seen,
        '\u{2028}' | '\u{2029}' => Sight::Control,
        _ if c.is_control() => Sight::Control,
        _ if is_hidden(c) => Sight::Hidden,
        _ => Sight::Seen,
    }
}

/// More blanks than this in a row, of which some are those of ASCII, can spell something.
const MIXED_BLANKS_MAX: usize = 4;

/// Marks the blanks of a line as hidden that stand in a row and can spell something: of several kinds,
/// or mixed with those of ASCII. A single one cannot, nor can an indentation by one kind.
fn spells(line: &[char], sights: &mut [Sight]) {
    let is_space = |c: &char| matches!(c, ' ' | '\t') || is_odd_space(*c);
    let mut from = 0;
    for run in line.chunk_by(|one, next| is_space(one) == is_space(next)) {
        let sights = &mut sights[from..from + run.len()];
        from += run.len();
        let odd: Vec<char> = run.iter().copied().filter(|c| is_odd_space(*c)).collect();
        let [first, rest @ ..] = &odd[..] else { continue };
        let is_mixed = odd.len() < run.len() && run.len() > MIXED_BLANKS_MAX;
        if rest.iter().any(|c| c != first) || !rest.is_empty() && is_mixed {
            let odd = sights.iter_mut().zip(run).filter(|(_, c)| is_odd_space(**c));
            odd.for_each(|(sight, _)| *sight = Sight::Hidden);
        }
    }
}

/// Marks the hidden characters of a line as seen that what stands around them needs.
fn needs(line: &[char], sights: &mut [Sight]) {
    let has_right_to_left = line.iter().any(|c| is_right_to_left(*c));
    for at in 0..line.len() {
        if line[at] == FLAG {
            let run = flag(&line[at + 1..]);
            sights[at + 1..at + 1 + run].fill(Sight::Seen);
        }
        if sights[at] == Sight::Hidden {
            let before = at.checked_sub(1).map_or(' ', |at| stands(line[at], sights[at]));
            let after = line.get(at + 1).map_or(' ', |c| stands(*c, sights[at + 1]));
            if is_needed(before, line[at], after, has_right_to_left) {
                sights[at] = Sight::Seen;
            }
        }
    }
    for at in 0..line.len() {
        if has_right_to_left && matches!(line[at], '\u{2066}'..='\u{2068}') {
            let run = isolate(&line[at..], &sights[at..]);
            if run > 0 {
                sights[at] = Sight::Seen;
                sights[at + run] = Sight::Seen;
            }
        }
    }
}

/// A character as a neighbour: a hidden one holds up no other, but the form of a picture does.
fn stands(c: char, sight: Sight) -> char {
    if is_hidden(c) && !(c == '\u{fe0f}' && sight == Sight::Seen) { NOTHING } else { c }
}

/// What stands for a hidden character where another one's neighbours are looked at.
const NOTHING: char = '\0';

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

/// How far behind its beginning a few words end that keep their own direction: all that stands between
/// is seen. 0 if they are none.
fn isolate(from: &[char], sights: &[Sight]) -> usize {
    let inner = from.iter().zip(sights).skip(1).take(ISOLATE_CHARS_MAX + 1);
    let is_plain = |(c, sight): &(&char, &Sight)| **sight == Sight::Seen && !c.is_control();
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
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            has_right_to_left && before != NOTHING && !is_hidden(before)
        }
        '\u{fe0e}' | '\u{fe0f}' if before.is_ascii_digit() || matches!(before, '#' | '*') => true,
        '\u{fe00}'..='\u{fe0f}' => is_picture(before) || is_ideograph(before) || is_joined(before),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        '\u{115f}' | '\u{1160}' => is_jamo(before) || is_jamo(after),
        '\u{2800}' => is_braille(before) || is_braille(after),
        '\u{34f}' => matches!(before, '\u{591}'..='\u{5c7}'),
        // Signs that are seen, over or before the digits and letters of their scripts.
        _ if CodePointSetData::new::<PrependedConcatenationMark>().contains(c) => {
            before != NOTHING && (has_right_to_left || is_joined(before) || is_joined(after))
        }
        _ => false,
    }
}

/// Scripts whose letters are joined, or kept from that, by marks: Arabic and its neighbours, the
/// scripts of India, Mongolian.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}'
        | '\u{1780}'..='\u{18aa}' | '\u{1b00}'..='\u{1c4f}' | '\u{a840}'..='\u{a8ff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
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
        && !is_hidden(c)
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
}

fn is_braille(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}')
}

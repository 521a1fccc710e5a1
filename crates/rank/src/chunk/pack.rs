//! Text into parts that are as large as they may be and end where it matters least.
//!
//! One pass over the atoms of the text. Between two of them stands a gap, and a gap has a [`Level`]:
//! how much belongs together what it parts. When an atom no longer fits, the part ends at the
//! strongest gap that leaves it a fair size. What is measured is never measured again.
//!
//! Formats are not known here: what they know of the structure comes as [`Mark`]s.

use std::ops::Range;

use super::atom::{Words, skip_spaces};
use super::{CHUNK_CHARS_MAX, CHUNK_TOKENS_MAX};

/// A part ends at a gap only if it has one of this many shares of the most it may have; otherwise a
/// weaker gap is taken.
const FAIR_SHARE: usize = 4;

/// What may stand behind the end of a sentence and belongs to it.
pub(super) const CLOSING: &str = "\"')]”’»*_」』）";

/// No more of it is passed.
pub(super) const CLOSING_MAX: usize = 5;

/// How much a gap parts; less is stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(u8);

impl Level {
    /// Between paragraphs, and between the outermost parts of a program.
    pub(super) const BLOCK: Level = Level(0);
    /// Between the entries of a file that is indented.
    const ENTRY: Level = Level(1);
    /// Between items of a list, statements.
    pub(super) const ITEM: Level = Level(22);
    const SENTENCE: Level = Level(23);
    /// At an empty line that parts no paragraphs.
    const BLANK: Level = Level(24);
    const LINE: Level = Level(25);
    const WORD: Level = Level(26);
    /// Before or behind a sign in a word.
    const SIGN: Level = Level(27);
    const COUNT: usize = 28;

    /// Before a part of a program that lies this deep in it.
    pub(super) fn at_depth(depth: usize, is_behind_blank_line: bool) -> Level {
        let deepest = usize::from(Self::ITEM.0) / 2 - 1;
        Level(2 * depth.min(deepest) as u8 + u8::from(!is_behind_blank_line))
    }
}

/// What lines and empty lines mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Empty lines part paragraphs, and these consist of sentences.
    Prose,
    /// Lines are what counts.
    Lines,
}

/// What is known of a place in the text: it holds for what stands there or behind it first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) at: usize,
    pub(super) level: Level,
    /// From here on.
    pub(super) style: Style,
}

/// A stretch of text that is packed by itself.
#[derive(Debug)]
pub(super) struct Stretch<'a> {
    pub(super) range: Range<usize>,
    /// Where its heading ends: that does not stand alone.
    pub(super) heading_end: usize,
    pub(super) style: Style,
    /// In order.
    pub(super) marks: &'a [Mark],
    /// What is not parted if it fits into a part: a function, a class. In the order of their starts.
    pub(super) units: &'a [Range<usize>],
}

/// A place in the text, and what was counted up to there.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    at: usize,
    chars: usize,
    tokens: usize,
}

/// Hands out the parts of a stretch, in order: where each starts and ends, without spaces around it
/// but with the spaces before its first line.
pub(super) fn pack(
    text: &str,
    stretch: &Stretch,
    words: &mut Words,
    out: &mut impl FnMut(Range<usize>),
) {
    let mut packer = Packer {
        text,
        words,
        start: Place::default(),
        start_level: Level::BLOCK,
        here: Place { at: stretch.range.start, chars: 0, tokens: 0 },
        latest: [Place::default(); Level::COUNT],
        units: stretch.units,
        whole_end: stretch.range.start,
        out,
    };
    let mut gaps = Gaps { stretch, style: stretch.style, marks: stretch.marks, indent: 0 };
    let (at, _) = skip_spaces(text, stretch.range.start);
    gaps.open(text, at);
    packer.here.at = at;
    packer.start = packer.here;
    while packer.here.at < stretch.range.end {
        packer.take_atom();
        let behind = packer.here.at;
        let (at, spaces) = skip_spaces(text, behind);
        packer.here = Place { at, chars: packer.here.chars + spaces, ..packer.here };
        if at < stretch.range.end {
            let level = gaps.level(text, behind..at);
            if at >= packer.whole_end {
                packer.pass_gap(level);
            }
        }
    }
    packer.emit(Place { at: stretch.range.end, ..packer.here });
}

struct Packer<'a, F> {
    text: &'a str,
    words: &'a mut Words,
    start: Place,
    /// Of the gap where the part starts.
    start_level: Level,
    here: Place,
    /// The last gap of each level; those up to the start are past.
    latest: [Place; Level::COUNT],
    /// Those that are still ahead.
    units: &'a [Range<usize>],
    /// Where the last unit ends that is not parted.
    whole_end: usize,
    out: &'a mut F,
}

impl<F: FnMut(Range<usize>)> Packer<'_, F> {
    /// Takes in the next atom, behind a cut or several if it does not fit.
    fn take_atom(&mut self) {
        self.start_units();
        let atom = self.words.atom(self.text, self.here.at);
        let behind = Place {
            at: atom.end,
            chars: self.here.chars + atom.chars,
            tokens: self.here.tokens + atom.tokens,
        };
        while self.start.at < self.here.at && !self.fits(behind) {
            self.cut();
        }
        self.here = behind;
    }

    /// Passes the units that start here; the outermost that fits is not parted.
    fn start_units(&mut self) {
        while let Some((unit, rest)) = self.units.split_first()
            && unit.start <= self.here.at
        {
            self.units = rest;
            if unit.start == self.here.at && unit.end > self.whole_end && self.fits_alone(unit) {
                self.whole_end = unit.end;
            }
        }
    }

    /// Whether a unit fits into a part of its own.
    fn fits_alone(&mut self, unit: &Range<usize>) -> bool {
        let (mut at, mut chars, mut tokens) = (unit.start, 0, 0);
        while at < unit.end && chars <= CHUNK_CHARS_MAX && tokens <= CHUNK_TOKENS_MAX {
            let atom = self.words.atom(self.text, at);
            let (next, spaces) = skip_spaces(self.text, atom.end);
            (chars, tokens) = (chars + atom.chars, tokens + atom.tokens);
            if next < unit.end {
                chars += spaces;
            }
            at = next;
        }
        chars <= CHUNK_CHARS_MAX && tokens <= CHUNK_TOKENS_MAX
    }

    fn fits(&self, end: Place) -> bool {
        end.chars - self.start.chars <= CHUNK_CHARS_MAX
            && end.tokens - self.start.tokens <= CHUNK_TOKENS_MAX
    }

    fn is_fair(&self, end: Place) -> bool {
        FAIR_SHARE * (end.chars - self.start.chars) >= CHUNK_CHARS_MAX
            || FAIR_SHARE * (end.tokens - self.start.tokens) >= CHUNK_TOKENS_MAX
    }

    /// Notes a gap. Who came in the middle of something ends with it, so that the end of one
    /// function is not put together with the next.
    fn pass_gap(&mut self, level: Level) {
        self.latest[usize::from(level.0)] = self.here;
        if level < Level::WORD {
            self.latest[usize::from(Level::WORD.0)] = self.here;
        }
        if level < self.start_level && level <= Level::ITEM && self.is_fair(self.here) {
            self.cut_at(self.here, level);
        }
    }

    /// Ends the part at the best of the gaps in it. There is one: at least where it ends.
    fn cut(&mut self) {
        for level in (0..Level::COUNT as u8).map(Level) {
            let place = self.latest[usize::from(level.0)];
            if place.at > self.start.at && (level >= Level::WORD || self.is_fair(place)) {
                return self.cut_at(place, level);
            }
        }
        self.cut_at(self.here, Level::SIGN);
    }

    fn cut_at(&mut self, place: Place, level: Level) {
        let is_here = |level: &Level| self.latest[usize::from(level.0)].at == place.at;
        let level = (0..level.0).map(Level).find(is_here).unwrap_or(level);
        self.emit(place);
        (self.start, self.start_level) = (place, level);
    }

    /// Hands out what stands between the start and this place.
    fn emit(&mut self, end: Place) {
        let inner = self.text[self.start.at.min(end.at)..end.at].trim_start();
        let start = end.at - inner.len();
        let stop = start + inner.trim_end().len();
        if start < stop {
            let room = (CHUNK_CHARS_MAX + self.start.chars).saturating_sub(end.chars);
            (self.out)(start - indent(self.text, start, room)..stop);
        }
    }
}

/// How many spaces a line has before what starts here; none if there are more than `max`, or if it
/// starts in the middle of the line.
fn indent(text: &str, start: usize, max: usize) -> usize {
    let before = &text.as_bytes()[start.saturating_sub(max + 1)..start];
    let indent = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_whole = indent == start || before.iter().rev().nth(indent) == Some(&b'\n');
    if is_whole && indent <= max { indent } else { 0 }
}

/// Tells the gaps of a stretch from each other.
struct Gaps<'a> {
    stretch: &'a Stretch<'a>,
    style: Style,
    /// Those that are still ahead.
    marks: &'a [Mark],
    /// How many spaces the line has in front.
    indent: usize,
}

impl Gaps<'_> {
    /// Passes what stands before the first atom.
    fn open(&mut self, text: &str, at: usize) {
        self.pass_marks(at);
        self.indent = at - text[..at].rfind('\n').map_or(0, |end| end + 1);
    }

    fn pass_marks(&mut self, at: usize) -> Option<Level> {
        let mut level = None;
        while let Some((mark, rest)) = self.marks.split_first()
            && mark.at <= at
        {
            level = level.into_iter().chain([mark.level]).min();
            (self.style, self.marks) = (mark.style, rest);
        }
        level
    }

    /// The level of a gap between two atoms.
    fn level(&mut self, text: &str, gap: Range<usize>) -> Level {
        // A word is not parted, whatever is known of its inside.
        let marked = self.pass_marks(gap.end).filter(|_| !gap.is_empty());
        let spaces = &text.as_bytes()[gap.clone()];
        let newlines = spaces.iter().filter(|byte| **byte == b'\n').count();
        let found = match (newlines, self.style) {
            (0, Style::Prose) if ends_sentence(text, &gap) => Level::SENTENCE,
            // Behind "。" or "。」" a word starts without a space.
            (0, _) if gap.is_empty() && !ends_sentence(text, &gap) => Level::SIGN,
            (0, _) => Level::WORD,
            (1, style) => self.line_level(text, &gap, style),
            (_, Style::Prose) => Level::BLOCK,
            (_, Style::Lines) => Level::BLANK,
        };
        if newlines > 0 {
            self.indent = spaces.iter().rev().take_while(|byte| **byte != b'\n').count();
        }
        let level = marked.map_or(found, |marked| marked.min(found));
        if gap.start <= self.stretch.heading_end { level.max(Level::WORD) } else { level }
    }

    /// The level of the end of a line.
    fn line_level(&self, text: &str, gap: &Range<usize>, style: Style) -> Level {
        if style == Style::Lines {
            return Level::LINE;
        }
        let is_outdented = self.indent > 0 && text.as_bytes()[gap.end - 1] == b'\n';
        let ends_statement = text.as_bytes()[..gap.start].last() == Some(&b';');
        if is_outdented {
            Level::ENTRY
        } else if ends_statement || starts_item(&text[gap.end..]) {
            Level::ITEM
        } else if ends_sentence(text, gap) {
            Level::SENTENCE
        } else {
            Level::LINE
        }
    }
}

/// Whether a line is an item of a list: "- ", "* ", "+ " or a number.
fn starts_item(line: &str) -> bool {
    let bytes = line.as_bytes();
    let digits = bytes.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    let sign = bytes.get(digits).copied().unwrap_or_default();
    let is_sign = if digits == 0 { b"-*+".contains(&sign) } else { b".)".contains(&sign) };
    is_sign && bytes.get(digits + 1) == Some(&b' ')
}

/// Whether a sentence ends before the gap and another starts behind it.
fn ends_sentence(text: &str, gap: &Range<usize>) -> bool {
    let before = &text[..gap.start];
    if before.as_bytes().last().is_none_or(u8::is_ascii_alphanumeric) {
        return false;
    }
    let next = text[gap.end..].chars().next();
    if gap.is_empty() && next.is_some_and(|c| CLOSING.contains(c)) {
        return false;
    }
    let last = before.chars().rev().take(CLOSING_MAX).find(|c| !CLOSING.contains(*c));
    match last {
        Some('。' | '！' | '？') => true,
        Some('.' | '!' | '?' | '…') => !gap.is_empty() && !next.is_some_and(char::is_lowercase),
        _ => false,
    }
}

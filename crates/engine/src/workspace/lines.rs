//! The lines of a file that need not fit into memory: how many there are, where they begin, and
//! what the beginning of each says.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::{memchr, memchr_iter};

use super::grouped;
use crate::ports::Stamp;

/// So much is read at once.
const BLOCK_BYTES: usize = 256 << 10;

/// The beginning of a line is noted whenever so many lines have passed.
const SPACING_LINES: u64 = 10_000;

/// So many beginnings are noted; if there are more, every second goes.
const MARKS_MAX: usize = 4_096;

/// So many characters of a line are shown.
pub(super) const SHOWN_CHARS_MAX: usize = 2_000;

/// So many bytes of a line are kept to show them: no character has more than four.
const KEPT_BYTES_MAX: usize = 4 * SHOWN_CHARS_MAX;

/// The lines of so many files are remembered.
const FILES_MAX: usize = 64;

/// Smaller files are counted in no time.
const REMEMBERED_BYTES_MIN: u64 = 1 << 20;

/// How many lines a file has, and where some of them begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Index {
    /// How many lines there are.
    pub(super) total: u64,
    /// Line numbers from 0 and where they begin; the first line is always there.
    marks: Vec<(u64, u64)>,
}

impl Index {
    /// Counts the lines from `start` on, where the first begins.
    pub(super) fn count(bytes: &mut (impl Read + Seek), start: u64) -> std::io::Result<Self> {
        bytes.seek(SeekFrom::Start(start))?;
        let mut block = vec![0; BLOCK_BYTES];
        let (mut marks, mut spacing) = (vec![(0, start)], SPACING_LINES);
        let (mut ends, mut at, mut last) = (0, start, b'\n');
        loop {
            let length = fill(bytes, &mut block)?;
            let part = &block[..length];
            let Some(end) = part.last() else { break };
            last = *end;
            let noted = marks.last().map_or(0, |(line, _)| *line);
            if ends + 1 >= noted + spacing
                && let Some(first) = memchr(b'\n', part)
            {
                marks.push((ends + 1, at + first as u64 + 1));
            }
            if marks.len() > MARKS_MAX {
                let mut keeps = false;
                marks.retain(|_| {
                    keeps = !keeps;
                    keeps
                });
                spacing *= 2;
            }
            ends += memchr_iter(b'\n', part).count() as u64;
            at += length as u64;
        }
        Ok(Self { total: ends + u64::from(last != b'\n'), marks })
    }

    /// The last line that is known to begin at or before `line`, and where.
    fn before(&self, line: u64) -> (u64, u64) {
        let behind = self.marks.partition_point(|(known, _)| *known <= line);
        self.marks.get(behind.saturating_sub(1)).copied().unwrap_or_default()
    }
}

/// Reads until the block is full or there is nothing more; how much was read.
fn fill(bytes: &mut impl Read, block: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < block.len() {
        match bytes.read(&mut block[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(length)
}

/// The lines of files that were counted, by their state.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<Vec<(Stamp, Arc<Index>)>>);

impl Counts {
    /// The lines of a file in this state, counted if they are not known.
    pub(super) fn index(
        &self,
        stamp: Stamp,
        count: impl FnOnce() -> std::io::Result<Index>,
    ) -> std::io::Result<Arc<Index>> {
        let known = self.lock().iter().find(|(known, _)| *known == stamp).map(|(_, i)| i.clone());
        if let Some(index) = known {
            return Ok(index);
        }
        let index = Arc::new(count()?);
        if stamp.size >= REMEMBERED_BYTES_MIN {
            let mut all = self.lock();
            // An older state of the same file is of no use any more.
            all.retain(|(known, _)| known.file != stamp.file);
            if all.len() >= FILES_MAX {
                all.remove(0);
            }
            all.push((stamp, Arc::clone(&index)));
        }
        Ok(index)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(Stamp, Arc<Index>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines one after the other, each as far as it is shown.
pub(super) struct Lines<T> {
    bytes: BufReader<T>,
}

impl<T: Read + Seek> Lines<T> {
    /// The lines from `line` on, which is counted from 0.
    pub(super) fn from(bytes: T, index: &Index, line: u64) -> std::io::Result<Self> {
        let mut lines = Self { bytes: BufReader::with_capacity(BLOCK_BYTES, bytes) };
        let (known, at) = index.before(line);
        lines.bytes.seek(SeekFrom::Start(at))?;
        for _ in known..line {
            if !lines.skip()? {
                break;
            }
        }
        Ok(lines)
    }

    /// Leaves out a line; whether there was one.
    fn skip(&mut self) -> std::io::Result<bool> {
        let mut is_there = false;
        loop {
            let block = self.bytes.fill_buf()?;
            let (length, is_end) = (block.len(), memchr(b'\n', block));
            is_there |= length > 0;
            self.bytes.consume(is_end.map_or(length, |end| end + 1));
            if is_end.is_some() || length == 0 {
                return Ok(is_there);
            }
        }
    }

    /// The next line, as far as it is shown.
    pub(super) fn next(&mut self) -> std::io::Result<Option<String>> {
        let mut line = Line::default();
        loop {
            let block = self.bytes.fill_buf()?;
            if block.is_empty() {
                return Ok((line.bytes > 0).then(|| line.shown()));
            }
            let end = memchr(b'\n', block);
            line.add(&block[..end.unwrap_or(block.len())]);
            let length = end.map_or(block.len(), |end| end + 1);
            self.bytes.consume(length);
            if end.is_some() {
                line.end();
                return Ok(Some(line.shown()));
            }
        }
    }
}

/// A line that is being read.
#[derive(Default)]
struct Line {
    kept: Vec<u8>,
    bytes: u64,
    chars: u64,
    last: u8,
}

impl Line {
    fn add(&mut self, part: &[u8]) {
        let room = KEPT_BYTES_MAX - self.kept.len();
        self.kept.extend_from_slice(&part[..part.len().min(room)]);
        self.bytes += part.len() as u64;
        // Every character has one byte that does not go on with another.
        self.chars += part.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
        self.last = part.last().copied().unwrap_or(self.last);
    }

    /// It ends with a line feed: a carriage return before it belongs to the end.
    fn end(&mut self) {
        if self.last != b'\r' {
            return;
        }
        if self.bytes == self.kept.len() as u64 {
            self.kept.pop();
        }
        self.bytes -= 1;
        self.chars -= 1;
    }

    fn shown(&self) -> String {
        let is_whole = self.bytes == self.kept.len() as u64;
        let text = String::from_utf8_lossy(&self.kept);
        if is_whole && self.chars <= SHOWN_CHARS_MAX as u64 {
            return text.into_owned();
        }
        let shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
        let cut = self.chars.saturating_sub(SHOWN_CHARS_MAX as u64);
        format!("{shown}… [cut: {} characters]", grouped(cut))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn shown(bytes: &[u8], from: u64) -> Vec<String> {
        let index = Index::count(&mut Cursor::new(bytes), 0).unwrap();
        let mut lines = Lines::from(Cursor::new(bytes), &index, from).unwrap();
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn a_line_ends_with_a_line_feed_a_carriage_return_before_it_or_the_file() {
        let table: [(&[u8], &[&str]); 9] = [
            (b"", &[]),
            (b"\n", &[""]),
            (b"a", &["a"]),
            (b"a\n", &["a"]),
            (b"a\nb", &["a", "b"]),
            (b"a\r\nb\r\n", &["a", "b"]),
            (b"a\rb\n", &["a\rb"]),
            (b"a\r\r\n\r\n", &["a\r", ""]),
            (b"a\r", &["a\r"]),
        ];
        for (bytes, lines) in table {
            assert_eq!(shown(bytes, 0), lines, "{bytes:?}");
            let total = Index::count(&mut Cursor::new(bytes), 0).unwrap().total;
            assert_eq!(total, lines.len() as u64, "{bytes:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_by_characters_and_says_so() {
        let max = SHOWN_CHARS_MAX;
        let whole = "ä".repeat(max);
        assert_eq!(shown(format!("{whole}\r\n").as_bytes(), 0), [whole.as_str()]);
        for more in [1, 5_321, 300_000] {
            let line = format!("{}\r\nnext", "😀".repeat(max + more));
            let expected =
                format!("{}… [cut: {} characters]", "😀".repeat(max), grouped(more as u64));
            assert_eq!(shown(line.as_bytes(), 0), [expected.as_str(), "next"]);
        }
        let stray = shown(&vec![0x80; 3 * KEPT_BYTES_MAX], 0);
        assert!(stray[0].ends_with("… [cut: 0 characters]"), "it is bounded, too");
    }

    #[test]
    fn what_is_no_utf_8_shows_as_such() {
        assert_eq!(shown(b"caf\xe9\nok\n", 0), ["caf\u{fffd}", "ok"]);
    }

    #[test]
    fn every_line_is_found_again_through_the_index() {
        let text: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
        let index = Index::count(&mut Cursor::new(&text), 0).unwrap();
        assert_eq!(index.total, 200_000);
        assert!(index.marks.len() > 5, "{}", index.marks.len());
        for line in [0, 1, 9_999, 10_000, 10_001, 77_777, 199_999] {
            let mut lines = Lines::from(Cursor::new(&text), &index, line).unwrap();
            assert_eq!(lines.next().unwrap(), Some(format!("line {line}")));
        }
        let mut behind = Lines::from(Cursor::new(&text), &index, 200_000).unwrap();
        assert_eq!(behind.next().unwrap(), None);
    }

    #[test]
    fn the_index_stays_small_whatever_the_file() {
        /// Line feeds without end, up to a length.
        struct Feeds(u64);
        impl Read for Feeds {
            fn read(&mut self, block: &mut [u8]) -> std::io::Result<usize> {
                let length = block.len().min(usize::try_from(self.0).unwrap_or(usize::MAX));
                block[..length].fill(b'\n');
                self.0 -= length as u64;
                Ok(length)
            }
        }
        impl Seek for Feeds {
            fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
                Ok(0)
            }
        }
        let blocks = 3 * MARKS_MAX as u64;
        let index = Index::count(&mut Feeds(blocks * BLOCK_BYTES as u64), 0).unwrap();
        assert_eq!(index.total, blocks * BLOCK_BYTES as u64);
        assert!(index.marks.len() <= MARKS_MAX, "{}", index.marks.len());
        assert!(index.marks.iter().all(|(line, at)| line == at));
    }

    #[test]
    fn a_file_is_counted_once_while_it_stays_as_it_is() {
        let counts = Counts::default();
        let index = || Ok(Index { total: 7, marks: vec![(0, 0)] });
        let none = || -> std::io::Result<Index> { panic!("counted again") };
        let stamp = |file, size| Stamp { file: (1, file), size, changed: 3 };
        let large = REMEMBERED_BYTES_MIN;
        counts.index(stamp(1, large), index).unwrap();
        assert_eq!(counts.index(stamp(1, large), none).unwrap().total, 7);
        counts.index(stamp(1, large + 1), index).unwrap();
        assert_eq!(counts.lock().len(), 1, "the state before goes");
        counts.index(stamp(2, 10), index).unwrap();
        assert_eq!(counts.lock().len(), 1, "small files are not kept");
        for file in 3..3 + 2 * FILES_MAX as u64 {
            counts.index(stamp(file, large), index).unwrap();
        }
        assert_eq!(counts.lock().len(), FILES_MAX);
    }
}

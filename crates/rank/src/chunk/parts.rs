//! The parts of a file as a reader process answers them: where each lies, without its text.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Chunk;

/// No file has more chunks. A file of the largest size that is read has about 100,000 if it is prose
/// in English, and its chunks with their vectors take about 150 MB of memory.
pub const CHUNKS_MAX: usize = 1 << 17;

/// No more is kept of the headings that the chunks of one file stand under, all together.
pub const PATH_BYTES_MAX: usize = 32 << 20;

/// A part of a file that becomes a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    text: PartText,
    start_line: u32,
    end_line: u32,
    header_path: Option<String>,
}

/// The text of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum PartText {
    /// It stands there in the source.
    At(Range<usize>),
    /// It was made from the source.
    Made(String),
}

impl Part {
    /// The chunk that this part of `source` is; none if `source` has no such part.
    pub fn chunk(self, source: &str) -> Option<Chunk> {
        let Part { text, start_line, end_line, header_path } = self;
        let text = match text {
            PartText::At(range) => source.get(range)?.to_owned(),
            PartText::Made(text) => text,
        };
        Some(Chunk { text, start_line, end_line, page: None, header_path })
    }
}

/// A file has more than is kept of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooMany {
    /// So many chunks.
    Chunks(usize),
    /// So many bytes of headings.
    PathBytes(usize),
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooMany::Chunks(count) => {
                write!(f, "it has {count} chunks, and of one file at most {CHUNKS_MAX} are indexed")
            }
            TooMany::PathBytes(bytes) => write!(
                f,
                "the headings over its chunks have {bytes} bytes together, and at most \
                 {PATH_BYTES_MAX} of one file are indexed"
            ),
        }?;
        write!(f, "; split it into smaller files")
    }
}

impl std::error::Error for TooMany {}

/// Gathers the parts of a file. Beyond its bounds they are counted and not kept.
#[derive(Debug)]
pub(super) struct Parts {
    list: Vec<Part>,
    count: usize,
    path_bytes: usize,
    count_max: usize,
    path_bytes_max: usize,
}

impl Parts {
    /// As many as may be of one file.
    pub(super) fn bounded() -> Self {
        Self::up_to(CHUNKS_MAX, PATH_BYTES_MAX)
    }

    pub(super) fn unbounded() -> Self {
        Self::up_to(usize::MAX, usize::MAX)
    }

    fn up_to(count_max: usize, path_bytes_max: usize) -> Self {
        Parts { list: Vec::new(), count: 0, path_bytes: 0, count_max, path_bytes_max }
    }

    /// Adds a part of the source.
    pub(super) fn push_at(
        &mut self,
        range: Range<usize>,
        lines: (u32, u32),
        header_path: Option<&str>,
    ) {
        self.push(|| PartText::At(range), lines, header_path);
    }

    /// Adds a part that is made from the source.
    pub(super) fn push_made(&mut self, text: &str, lines: (u32, u32), header_path: Option<&str>) {
        self.push(|| PartText::Made(text.to_owned()), lines, header_path);
    }

    fn push(
        &mut self,
        text: impl FnOnce() -> PartText,
        (start_line, end_line): (u32, u32),
        header_path: Option<&str>,
    ) {
        self.count += 1;
        self.path_bytes += header_path.map_or(0, str::len);
        if self.is_over().is_none() {
            let header_path = header_path.map(str::to_owned);
            self.list.push(Part { text: text(), start_line, end_line, header_path });
        }
    }

    fn is_over(&self) -> Option<TooMany> {
        if self.count > self.count_max {
            return Some(TooMany::Chunks(self.count));
        }
        (self.path_bytes > self.path_bytes_max).then_some(TooMany::PathBytes(self.path_bytes))
    }

    /// All of them, in order.
    pub(super) fn finish(self) -> Result<Vec<Part>, TooMany> {
        self.is_over().map_or(Ok(self.list), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_counted_to_the_end() {
        let mut parts = Parts::up_to(2, 10);
        for at in 0..5 {
            parts.push_at(at..at + 1, (1, 1), None);
        }
        assert_eq!(parts.list.len(), 2);
        let said = parts.finish().unwrap_err().to_string();
        assert!(said.starts_with("it has 5 chunks, and of one file at most 131072 "), "{said}");
        let mut parts = Parts::up_to(9, 10);
        for at in 0..3 {
            parts.push_at(at..at + 1, (1, 1), Some("a > b"));
        }
        assert_eq!(parts.finish(), Err(TooMany::PathBytes(15)));
    }

    #[test]
    fn a_part_that_is_not_in_the_source_is_no_chunk() {
        let part = |range| Part {
            text: PartText::At(range),
            start_line: 1,
            end_line: 1,
            header_path: None,
        };
        assert_eq!(part(0..2).chunk("éa").map(|chunk| chunk.text).as_deref(), Some("é"));
        for range in [0..1, 0..9, Range { start: 2, end: 1 }] {
            assert_eq!(part(range).chunk("éa"), None);
        }
    }
}

//! A page of a file.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use model::Caller;

use super::kind::{self, Kind};
use super::lines::{Index, Lines};
use super::{all_bytes, grouped, roots, unread, workspace};
use crate::ports::{Bytes, Opened};
use crate::{Engine, Error, ErrorKind, Result};

/// A page has no more bytes than this, even if the whole file is asked for.
const PAGE_BYTES_MAX: usize = 10 << 20;

/// What is read at once, and not by page, has no more bytes than this.
const WHOLE_BYTES_MAX: u64 = 10 << 20;

/// Which lines of a file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// How many lines to leave out.
    pub offset: u64,
    /// How many lines to read; all that follow if none.
    pub limit: Option<u64>,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The absolute path, with links resolved.
    pub path: PathBuf,
    /// The lines, each behind its number in the file, from 1, and a tab.
    pub text: String,
    /// How many lines the file has.
    pub total_lines: u64,
    /// How many of them are here.
    pub read_lines: u64,
    /// How many were left out before them.
    pub offset: u64,
    /// Whether lines follow.
    pub has_more: bool,
    /// What is no text, as it is.
    pub attached: Option<Attached>,
}

/// An image or a PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// What it is.
    pub mime_type: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Reads lines of a file; an image or a PDF as a whole. It takes little memory, however large the
/// file is: a page ends after 10 MB, and long lines are cut.
pub fn read(engine: &Engine, caller: &Caller, path: &str, span: Span) -> Result<Page> {
    let mut opened = workspace(engine)?.open(roots(caller)?, path)?;
    let head = head(&mut opened)?;
    match kind::of(&head) {
        Kind::Text(mark) => text(engine, opened, mark as u64, span),
        Kind::Utf16 => {
            let bytes = whole(&mut opened, "UTF-16")?;
            let text = rank::chunk::utf16_lossy(&bytes).unwrap_or_default();
            let index = Index::count(&mut Cursor::new(&text), 0);
            let index = index.map_err(|why| unread(&opened, &why))?;
            page(opened.path, Cursor::new(text), &index, span)
        }
        Kind::Media(mime_type) => attached(opened, mime_type),
        Kind::Binary => {
            let (path, size) = (opened.path.display(), grouped(opened.size));
            let only = "only text, images and PDF are read";
            let message = format!("{path} is a binary file ({size} bytes); {only}");
            Err(Error::new(ErrorKind::InvalidValue, message))
        }
    }
}

/// The first bytes of a file.
fn head(opened: &mut Opened) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    let bytes = opened.bytes.as_mut();
    let read = bytes.take(kind::HEAD_BYTES as u64).read_to_end(&mut head);
    let back = read.and_then(|_| opened.bytes.seek(SeekFrom::Start(0)));
    back.map_err(|why| unread(opened, &why))?;
    Ok(head)
}

fn whole(opened: &mut Opened, what: &str) -> Result<Vec<u8>> {
    all_bytes(opened, WHOLE_BYTES_MAX)?.ok_or_else(|| {
        let (path, size, max) =
            (opened.path.display(), grouped(opened.size), WHOLE_BYTES_MAX >> 20);
        let message = format!("{path} is {what} of {size} bytes; at most {max} MB of it are read");
        Error::new(ErrorKind::Limit, message)
    })
}

fn attached(mut opened: Opened, mime_type: &'static str) -> Result<Page> {
    let bytes = whole(&mut opened, mime_type)?;
    Ok(Page {
        path: opened.path,
        text: format!("{mime_type}, {} bytes, attached", grouped(bytes.len() as u64)),
        total_lines: 0,
        read_lines: 0,
        offset: 0,
        has_more: false,
        attached: Some(Attached { mime_type, bytes }),
    })
}

fn text(engine: &Engine, opened: Opened, start: u64, span: Span) -> Result<Page> {
    let Opened { path, stamp, mut bytes, .. } = opened;
    let count = || Index::count(&mut bytes, start);
    let index: Arc<Index> =
        engine.counts.index(stamp, count).map_err(|why| unreadable(&path, &why))?;
    page(path, bytes, &index, span)
}

fn page(path: PathBuf, bytes: impl Bytes, index: &Index, span: Span) -> Result<Page> {
    let (rows, read_lines) = rows(bytes, index, span).map_err(|why| unreadable(&path, &why))?;
    Ok(Page {
        path,
        text: rows,
        total_lines: index.total,
        read_lines,
        offset: span.offset,
        has_more: span.offset.saturating_add(read_lines) < index.total,
        attached: None,
    })
}

/// The lines of a page behind their numbers, and how many they are.
fn rows(bytes: impl Bytes, index: &Index, span: Span) -> std::io::Result<(String, u64)> {
    let (mut rows, mut count) = (String::new(), 0);
    if span.offset >= index.total {
        return Ok((rows, count));
    }
    let mut lines = Lines::from(bytes, index, span.offset)?;
    while span.limit.is_none_or(|limit| count < limit)
        && let Some(line) = lines.next()?
    {
        let row = format!("{}\t{line}", span.offset + count + 1);
        if rows.len() + row.len() >= PAGE_BYTES_MAX {
            break;
        }
        if count > 0 {
            rows.push('\n');
        }
        rows.push_str(&row);
        count += 1;
    }
    Ok((rows, count))
}

fn unreadable(path: &std::path::Path, why: &std::io::Error) -> Error {
    Error::new(ErrorKind::Outside, format!("{}: {why}", path.display()))
}

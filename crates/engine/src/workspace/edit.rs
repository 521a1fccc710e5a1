//! A text in a file, replaced by another.

use std::path::PathBuf;

use model::Caller;

use super::kind::{self, Kind, MARK};
use super::{WRITTEN_BYTES_MAX, all_bytes, roots, too_large, writable};
use crate::{Engine, Error, ErrorKind, Result};

/// The lines of so many occurrences are told.
const LINES_TOLD_MAX: usize = 5;

/// What to replace in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is there.
    pub old_string: String,
    /// What should be there.
    pub new_string: String,
    /// Whether every occurrence is meant; else there must be one alone.
    pub replace_all: bool,
}

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The absolute path, with links resolved.
    pub path: PathBuf,
    /// How many occurrences were replaced.
    pub replacements: u64,
    /// How many bytes the file has now.
    pub bytes: u64,
}

/// Replaces a text in a file. If somebody changes the file meanwhile, it stays as they left it.
pub fn edit(engine: &Engine, caller: &Caller, path: &str, edit: &Edit) -> Result<Edited> {
    let workspace = writable(engine)?;
    edit.check()?;
    let mut opened = workspace.open(roots(caller)?, path)?;
    let shown = opened.path.display().to_string();
    let bytes = all_bytes(&mut opened, WRITTEN_BYTES_MAX)?;
    let bytes = bytes.ok_or_else(|| too_large(&shown, opened.size))?;
    let text =
        match (kind::of(&bytes[..bytes.len().min(kind::HEAD_BYTES)]), String::from_utf8(bytes)) {
            (Kind::Text(_), Ok(text)) => text,
            _ => return Err(invalid(format!("{shown} is no UTF-8 text; only that is edited"))),
        };
    let (mark, body) =
        text.split_at(if text.as_bytes().starts_with(MARK) { MARK.len() } else { 0 });
    let edit = edit.fitting(body);
    let replacements = edit.count(body, &shown)?;
    // The result may be a million times as large as the file: its size is known before it is built.
    let bytes = edit.size_after(text.len(), replacements);
    if bytes > WRITTEN_BYTES_MAX {
        return Err(too_large("the edited file", bytes));
    }
    let new = format!("{mark}{}", body.replace(&edit.old_string, &edit.new_string));
    let path = engine.noted(&format!("edit {shown}"), || {
        workspace.replace(roots(caller)?, path, new.as_bytes(), Some(opened.stamp))
    })?;
    Ok(Edited { path, replacements, bytes })
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidValue, message)
}

impl Edit {
    fn check(&self) -> Result<()> {
        if self.old_string.is_empty() {
            return Err(invalid("old_string is empty; it takes the text to replace".to_owned()));
        }
        if self.old_string == self.new_string {
            let why = "old_string and new_string are the same; nothing would change";
            return Err(invalid(why.to_owned()));
        }
        Ok(())
    }

    /// The same with the line ends of a file all of whose lines end with CR LF, if it knows of none.
    fn fitting(&self, body: &str) -> Self {
        let knows = self.old_string.contains('\r') || self.new_string.contains('\r');
        if knows || !has_crlf_alone(body) {
            return self.clone();
        }
        Self {
            old_string: self.old_string.replace('\n', "\r\n"),
            new_string: self.new_string.replace('\n', "\r\n"),
            replace_all: self.replace_all,
        }
    }

    /// How many occurrences are to be replaced.
    fn count(&self, body: &str, path: &str) -> Result<u64> {
        match body.matches(&self.old_string).count() {
            0 => Err(Error::new(ErrorKind::InvalidValue, self.absent(body, path))),
            count if count == 1 || self.replace_all => Ok(count as u64),
            count => Err(Error::new(ErrorKind::InvalidValue, self.ambiguous(body, path, count))),
        }
    }

    /// How many bytes a text of `size` has after so many replacements.
    fn size_after(&self, size: usize, count: u64) -> u64 {
        let (old, new) = (self.old_string.len() as u64, self.new_string.len() as u64);
        (size as u64 - count * old).saturating_add(count.saturating_mul(new))
    }

    fn absent(&self, body: &str, path: &str) -> String {
        let similar = similar(body, &self.old_string).map(|line| {
            format!("; a similar text is at line {line}; whitespace or line ends differ")
        });
        let hint = similar.unwrap_or_else(|| "; read the file again".to_owned());
        format!("old_string is not in {path}{hint}")
    }

    fn ambiguous(&self, body: &str, path: &str, count: usize) -> String {
        let mut places = body.match_indices(&self.old_string);
        let lines: Vec<String> = places
            .by_ref()
            .take(LINES_TOLD_MAX)
            .map(|(at, _)| line_of(body, at).to_string())
            .collect();
        let more = if places.next().is_some() { ", …" } else { "" };
        format!(
            "old_string occurs {count} times in {path}, at lines {}{more}; give more of the text \
             around the one that is meant, or set replace_all",
            lines.join(", ")
        )
    }
}

/// Whether there are line ends and all of them are CR LF.
fn has_crlf_alone(text: &str) -> bool {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes());
    let mut feeds = feeds.peekable();
    feeds.peek().is_some() && feeds.all(|at| at > 0 && text.as_bytes()[at - 1] == b'\r')
}

/// The number of the line at `at`, from 1.
fn line_of(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1
}

/// The line where `wanted` begins if white space does not count.
fn similar(text: &str, wanted: &str) -> Option<usize> {
    let squeezed = |text: &str| -> String { text.split_whitespace().collect() };
    let wanted = squeezed(wanted);
    if wanted.is_empty() {
        return None;
    }
    let mut left = squeezed(text).find(&wanted)?;
    for (at, char) in text.char_indices().filter(|(_, char)| !char.is_whitespace()) {
        if left == 0 {
            return Some(line_of(text, at));
        }
        left -= char.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str, replace_all: bool) -> Edit {
        Edit { old_string: old.to_owned(), new_string: new.to_owned(), replace_all }
    }

    fn applied(body: &str, edit: &Edit) -> Result<(String, u64), String> {
        let edited = || -> super::Result<(String, u64)> {
            edit.check()?;
            let edit = edit.fitting(body);
            let count = edit.count(body, "f")?;
            let new = body.replace(&edit.old_string, &edit.new_string);
            assert_eq!(edit.size_after(body.len(), count), new.len() as u64, "{body:?}");
            Ok((new, count))
        };
        edited().map_err(|why| why.message)
    }

    #[test]
    fn the_size_after_an_edit_is_known_without_building_it() {
        let huge = edit("a", &"b".repeat(1 << 20), true);
        let body = "a".repeat(1 << 16);
        let count = huge.count(&body, "f").unwrap();
        assert_eq!(huge.size_after(body.len(), count), 1 << 36);
    }

    #[test]
    fn what_is_there_once_or_meant_everywhere_is_replaced() {
        let table = [
            ("a b c", "b", "x", false, "a x c", 1),
            ("a a a", "a", "bb", true, "bb bb bb", 3),
            ("a", "a", "", false, "", 1),
            ("no end", "end", "end\n", false, "no end\n", 1),
            ("one\r\ntwo\r\n", "one\ntwo", "1\n2\n3", false, "1\r\n2\r\n3\r\n", 1),
            ("one\r\ntwo\r\n", "two", "2\n3", false, "one\r\n2\r\n3\r\n", 1),
            ("one\r\ntwo\nthree", "two", "2\n3", false, "one\r\n2\n3\nthree", 1),
            ("one\r\ntwo\r\n", "one\r\n", "1\n", false, "1\ntwo\r\n", 1),
            ("no line end", "no", "a\nb", false, "a\nb line end", 1),
        ];
        for (body, old, new, all, expected, count) in table {
            let done = applied(body, &edit(old, new, all));
            assert_eq!(done, Ok((expected.to_owned(), count)), "{body:?} {old:?} {new:?}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_what_would_help() {
        let refused =
            |body: &str, old: &str, new: &str| applied(body, &edit(old, new, false)).unwrap_err();
        assert_eq!(refused("a", "", "b"), "old_string is empty; it takes the text to replace");
        assert!(refused("a", "a", "a").ends_with("the same; nothing would change"));
        assert_eq!(refused("a", "b", "c"), "old_string is not in f; read the file again");
        assert_eq!(
            refused("ä\n\n\tfn  main ()\n{}", "fn main() {}", "x"),
            "old_string is not in f; a similar text is at line 3; whitespace or line ends differ"
        );
        assert_eq!(
            refused("x\ny\nx\n", "x", "z"),
            "old_string occurs 2 times in f, at lines 1, 3; give more of the text around the one \
             that is meant, or set replace_all"
        );
        let many = refused(&"x\n".repeat(7), "x", "z");
        assert!(many.contains("7 times in f, at lines 1, 2, 3, 4, 5, …; give"), "{many}");
        assert_eq!(refused("a", " \n", "c"), "old_string is not in f; read the file again");
    }
}

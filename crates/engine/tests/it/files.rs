//! Files of a workspace that the tests decide on: one file, in memory.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use engine::ports::{Opened, Stamp, Workspace};
use engine::testing::{everybody, setup};
use engine::workspace::{Edit, Span, edit, read, write};
use engine::{Engine, Error, ErrorKind, Meaning, Outside, Result, Setup};

use crate::open;

/// One file, and how many bytes of it were read.
#[derive(Clone, Default)]
struct OneFile {
    content: Arc<Mutex<Vec<u8>>>,
    changes: Arc<AtomicU64>,
    bytes_read: Arc<AtomicU64>,
}

struct Counting(Cursor<Vec<u8>>, Arc<AtomicU64>);

impl Read for Counting {
    fn read(&mut self, block: &mut [u8]) -> std::io::Result<usize> {
        let length = self.0.read(block)?;
        self.1.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

impl OneFile {
    fn of(text: &str) -> Self {
        let one = Self::default();
        text.as_bytes().clone_into(&mut one.content.lock().unwrap());
        one
    }

    fn text(&self) -> String {
        String::from_utf8(self.content.lock().unwrap().clone()).unwrap()
    }

    fn stamp(&self) -> Stamp {
        let size = self.content.lock().unwrap().len() as u64;
        Stamp { file: (1, 1), size, changed: self.changes.load(Ordering::Relaxed).into() }
    }

    /// An engine on a store of its own that reaches it.
    fn engine(&self, dir: &tempfile::TempDir, read_only: bool) -> Engine {
        let outside = Outside { workspace: Some(Box::new(self.clone())), ..Outside::default() };
        let setup = Setup { outside, read_only, ..setup(Meaning::BuiltIn) };
        Engine::open(dir.path(), setup).unwrap()
    }
}

impl Workspace for OneFile {
    fn roots(&self) -> Vec<PathBuf> {
        vec!["/".into()]
    }

    fn open(&self, _: &[PathBuf], path: &str) -> Result<Opened> {
        let stamp = self.stamp();
        let content = self.content.lock().unwrap().clone();
        let bytes = Counting(Cursor::new(content), Arc::clone(&self.bytes_read));
        Ok(Opened { path: path.into(), size: stamp.size, stamp, bytes: Box::new(bytes) })
    }

    fn replace(
        &self,
        _: &[PathBuf],
        path: &str,
        content: &[u8],
        still: Option<Stamp>,
    ) -> Result<PathBuf> {
        if still.is_some_and(|still| still != self.stamp()) {
            return Err(Error::new(ErrorKind::Conflict, "changed meanwhile"));
        }
        content.clone_into(&mut self.content.lock().unwrap());
        self.changes.fetch_add(1, Ordering::Relaxed);
        Ok(path.into())
    }
}

fn span(offset: u64) -> Span {
    Span { offset, limit: Some(2) }
}

fn change() -> Edit {
    Edit { old_string: "a".into(), new_string: "b".into(), replace_all: true }
}

#[test]
fn files_that_are_not_offered_are_refused_with_how_to_get_them() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, me) = (open(&dir, Meaning::BuiltIn), everybody());
    let refused = [
        read(&engine, &me, "x", span(0)).unwrap_err(),
        write(&engine, &me, "x", "").unwrap_err(),
        edit(&engine, &me, "x", &change()).unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.kind, ErrorKind::Forbidden);
        assert!(error.message.ends_with("start the server with --toolsets files"), "{error}");
    }
}

#[test]
fn who_reads_alone_changes_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let (file, me) = (OneFile::of("a\n"), everybody());
    drop(open(&dir, Meaning::BuiltIn));
    let engine = file.engine(&dir, true);
    assert_eq!(read(&engine, &me, "x", span(0)).unwrap().text, "1\ta");
    for error in
        [write(&engine, &me, "x", "").unwrap_err(), edit(&engine, &me, "x", &change()).unwrap_err()]
    {
        assert_eq!(error.kind, ErrorKind::Forbidden);
        assert!(error.message.contains("read-only"), "{error}");
    }
    assert_eq!(file.text(), "a\n");
}

#[test]
fn a_large_file_is_counted_once_and_its_pages_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let text: String = (1..=500_000).map(|n| format!("line {n}\n")).collect();
    let (file, me) = (OneFile::of(&text), everybody());
    let engine = file.engine(&dir, false);
    let first = read(&engine, &me, "x", span(0)).unwrap();
    assert_eq!((first.text.as_str(), first.total_lines), ("1\tline 1\n2\tline 2", 500_000));
    for offset in [100_000, 250_000, 499_998] {
        file.bytes_read.store(0, Ordering::Relaxed);
        let page = read(&engine, &me, "x", span(offset)).unwrap();
        let (one, two) = (offset + 1, offset + 2);
        assert_eq!(page.text, format!("{one}\tline {one}\n{two}\tline {two}"));
        assert_eq!(page.has_more, two < 500_000);
        let bytes = file.bytes_read.load(Ordering::Relaxed);
        assert!(bytes < text.len() as u64 / 4, "{bytes} bytes were read again");
    }
    write(&engine, &me, "x", "new\n").unwrap();
    assert_eq!(read(&engine, &me, "x", span(0)).unwrap().total_lines, 1);
}

#[test]
fn an_edit_of_what_others_changed_meanwhile_is_refused() {
    /// Somebody writes while the file is read.
    struct Meddled(OneFile);
    impl Workspace for Meddled {
        fn roots(&self) -> Vec<PathBuf> {
            self.0.roots()
        }
        fn open(&self, roots: &[PathBuf], path: &str) -> Result<Opened> {
            let opened = self.0.open(roots, path);
            self.0.replace(roots, path, b"theirs", None)?;
            opened
        }
        fn replace(
            &self,
            roots: &[PathBuf],
            path: &str,
            content: &[u8],
            still: Option<Stamp>,
        ) -> Result<PathBuf> {
            self.0.replace(roots, path, content, still)
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let file = OneFile::of("a");
    let workspace: Box<dyn Workspace> = Box::new(Meddled(file.clone()));
    let outside = Outside { workspace: Some(workspace), ..Outside::default() };
    let engine = Engine::open(dir.path(), Setup { outside, ..setup(Meaning::BuiltIn) }).unwrap();
    let error = edit(&engine, &everybody(), "x", &change()).unwrap_err();
    assert_eq!((error.kind, file.text().as_str()), (ErrorKind::Conflict, "theirs"));
}

//! The constraints of many items against a project.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::time::Date;
use model::{Flawed, Item};

use crate::book::Book;
use crate::conclude::Conclusion;
use crate::imports;
use crate::look::{Look, Reader, Watch};
use crate::parallel;
use crate::report::{Extent, Listed, Report, SourceFile};
use crate::seen::Seen;

/// A second thread is worth it for so many bytes.
const BYTES_OF_THREAD: usize = 256 * 1024;

/// The constraints of many items, ready to be checked.
#[derive(Debug)]
pub struct RuleSet {
    items: Vec<Arc<Item>>,
    book: Book,
    pub(crate) read: Reader,
}

impl RuleSet {
    /// Takes all constraints of these items. One that cannot be followed becomes a finding.
    pub fn compile(items: Vec<Arc<Item>>) -> Self {
        let book = Book::new(&items.iter().map(Arc::as_ref).collect::<Vec<_>>());
        Self { items, book, read: imports::read }
    }

    /// The items, in the order they came.
    pub fn items(&self) -> &[Arc<Item>] {
        &self.items
    }

    /// The constraints that ask for opposite things of the same, the one that asks
    /// for something first; each by the numbers of its item and of the constraint.
    pub fn contradictions(&self) -> Vec<[(usize, usize); 2]> {
        let checks = &self.book.checks;
        let asking = checks.iter().filter(|check| check.operator.asks_for());
        let mut found = Vec::new();
        for check in asking {
            let others = check.opposing.iter().flat_map(|at| &checks[*at].owners);
            for (one, other) in
                others.flat_map(|other| check.owners.iter().map(move |one| (one, other)))
            {
                found.push([(one.item, one.constraint), (other.item, other.constraint)]);
            }
        }
        found
    }

    /// Looks at one file; false if `stop` said so.
    pub fn look(&self, seen: &mut Seen, path: &str, text: &str, watch: Watch<'_>) -> bool {
        Look::at(&self.book, seen, (path, text), self.read, watch)
    }

    /// Looks at the path of a file whose text says nothing: an image, or one that is too large.
    pub fn look_path(&self, seen: &mut Seen, path: &str) {
        Look::at_path(&self.book, seen, path);
    }

    /// What follows from all that was looked at. Without `dependencies` nothing was said of them, and
    /// no rule about them can be broken.
    pub fn conclude(
        &self,
        seen: Vec<Seen>,
        dependencies: Option<&[Listed]>,
        extent: Extent<'_>,
        today: Date,
    ) -> Report {
        let (items, book) = (&self.items, &self.book);
        Conclusion { items, book, extent, today }.report(seen, dependencies)
    }

    /// Looks at all files and concludes; none if `stop` said so.
    pub fn check(
        &self,
        files: &[SourceFile<'_>],
        dependencies: Option<&[Listed]>,
        extent: Extent<'_>,
        today: Date,
        watch: Watch<'_>,
    ) -> Option<Report> {
        let bytes: usize = files.iter().map(|file| file.text.len()).sum();
        let threads = parallel::threads(bytes, BYTES_OF_THREAD).min(files.len().max(1));
        let is_stopped = AtomicBool::new(false);
        let seen = parallel::run(threads, files.len(), |next| {
            let mut seen = Seen::default();
            while let Some(at) = next() {
                let SourceFile { path, text } = files[at];
                if is_stopped.load(Ordering::Relaxed) || !self.look(&mut seen, path, text, watch) {
                    is_stopped.store(true, Ordering::Relaxed);
                    break;
                }
            }
            seen
        });
        if is_stopped.into_inner() {
            return None;
        }
        Some(self.conclude(seen, dependencies, extent, today))
    }
}

/// What of an item cannot be followed, by line: what its file says wrong, patterns and globs that are
/// none, and operators that do not go with their target.
pub fn flaws(item: &Item) -> Vec<Flawed> {
    let mut flaws: Vec<Flawed> =
        Book::broken(&[item]).into_iter().map(|broken| broken.flawed).collect();
    flaws.sort_by_key(|flawed| flawed.line);
    flaws
}

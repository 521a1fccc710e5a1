//! When files came and what became of them.

use std::collections::HashMap;
use std::path::Path;

use model::Timestamp;

use super::{Plain, fields, literal, text_of};
use crate::error::{LedgerError, Result};
use crate::message::Entry;

/// What stands before the time of a commit in the list of its files.
const MARK: u8 = 1;

impl Plain {
    /// The commits that changed a file, newest first, at most `max`, following renames.
    pub fn log(&self, file: &Path, max: usize) -> Result<Vec<Entry>> {
        if self.head()?.is_none() {
            return Ok(Vec::new());
        }
        let path = literal(&self.relative(file)?);
        let max = format!("--max-count={max}");
        let format = "--format=tformat:%H%x00%an%x00%at%x00%B%x00";
        let args =
            ["log", "--follow", "--no-color", "--no-notes", "--encoding=UTF-8", "--no-patch"];
        let said = self.ask(args.into_iter().chain([format, &max, "--", &path]))?;
        let parts: Vec<String> = fields(&said).map(text_of).collect();
        parts.chunks_exact(4).map(|commit| self.entry(commit)).collect()
    }

    fn entry(&self, commit: &[String]) -> Result<Entry> {
        let id = commit[0].trim_start();
        let strange = |_| {
            let why = format!("its commits have ids such as {id:?}, which we do not read");
            LedgerError::Foreign { path: self.top.clone(), why }
        };
        let (subject, body) = commit[3].split_once('\n').unwrap_or((&commit[3], ""));
        Ok(Entry {
            id: id.parse().map_err(strange)?,
            author: commit[1].clone(),
            at: time(&commit[2]).unwrap_or_default(),
            subject: subject.to_owned(),
            body: body.trim().to_owned(),
            episode: None,
        })
    }

    /// When each file below `dir` that was committed came, and when it was changed last, by one
    /// pass; paths are below `dir`, with `/`. A file that was renamed came when its first form did.
    pub fn times(&self, dir: &Path) -> Result<HashMap<String, (Timestamp, Timestamp)>> {
        if self.head()?.is_none() {
            return Ok(HashMap::new());
        }
        let below = match self.relative(dir) {
            Ok(path) => format!("{path}/"),
            Err(_) if is_same(dir, &self.top) => String::new(),
            Err(error) => return Err(error),
        };
        let args = ["log", "--no-color", "--name-status", "-z", "-M", "--no-relative"];
        let format = "--format=tformat:%x01%at";
        let paths = if below.is_empty() { ".".to_owned() } else { literal(&below) };
        let said = self.ask(args.into_iter().chain([format, "--", &paths]))?;
        let mut times = Times::default();
        let mut fields = fields(&said);
        while let Some(field) = fields.next() {
            let field = field.strip_prefix(b"\n").unwrap_or(field);
            let names = match field.first() {
                None => continue,
                Some(&MARK) => {
                    times.now = time(&text_of(&field[1..])).unwrap_or_default();
                    continue;
                }
                Some(b'R' | b'C') => [fields.next(), fields.next()],
                Some(_) => [None, fields.next()],
            };
            times.take(field[0], names.map(|name| name.and_then(|n| std::str::from_utf8(n).ok())));
        }
        let below =
            |(path, times): (String, _)| Some((path.strip_prefix(&below)?.to_owned(), times));
        Ok(times.found.into_iter().filter_map(below).collect())
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| one == other)
}

fn time(seconds: &str) -> Option<Timestamp> {
    Timestamp::from_second(seconds.trim().parse().ok()?).ok()
}

/// Gathers times from the newest commit to the oldest.
#[derive(Default)]
struct Times {
    now: Timestamp,
    found: HashMap<String, (Timestamp, Timestamp)>,
    /// What files that were renamed later are called today; none if they are not there any more.
    names: HashMap<String, Option<String>>,
}

impl Times {
    /// Takes what happened to a file: its name before if that was another, and its name.
    fn take(&mut self, what: u8, [old, name]: [Option<&str>; 2]) {
        let Some(name) = name else { return };
        let today = match self.names.get(name) {
            Some(today) => today.clone(),
            None if what == b'D' => None,
            None => Some(name.to_owned()),
        };
        let Some(today) = today else {
            // Of what was before a file of that name was removed nothing counts.
            self.names.insert(name.to_owned(), None);
            return;
        };
        if what == b'D' {
            // It came again later.
            self.names.insert(name.to_owned(), None);
            return;
        }
        let times = self.found.entry(today.clone()).or_insert((self.now, self.now));
        *times = (times.0.min(self.now), times.1.max(self.now));
        match (what, old) {
            (b'R', Some(old)) => {
                self.names.insert(old.to_owned(), Some(today));
                self.names.insert(name.to_owned(), None);
            }
            (b'A' | b'C', _) => {
                self.names.insert(name.to_owned(), None);
            }
            _ => {}
        }
    }
}

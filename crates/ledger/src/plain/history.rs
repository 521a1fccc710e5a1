//! When files came and what became of them.

use std::path::Path;

use model::Timestamp;

use super::{Plain, fields, literal, text_of};
use crate::error::{LedgerError, Result};
use crate::message::Entry;

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
}

fn time(seconds: &str) -> Option<Timestamp> {
    Timestamp::from_second(seconds.trim().parse().ok()?).ok()
}

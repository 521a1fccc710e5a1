//! What installing and uninstalling make of a file, worked out from its text alone.

use std::path::PathBuf;

use super::client::ClientFile;
use super::edit::Refusal;
use super::part::Wish;

/// What becomes of the copy of a file as it was before us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backup {
    /// It is made, unless there is one.
    Make,
    /// It has done its work and goes.
    Drop,
    /// It stays as it is.
    Leave,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub path: PathBuf,
    /// What it says; none if it is not there.
    pub before: Option<String>,
    /// What it will say; none if it goes.
    pub after: Option<String>,
    /// What becomes of its copy.
    pub backup: Backup,
    /// Whether something of ours is there already, and is brought up to date.
    pub is_update: bool,
}

impl Edit {
    /// Whether anything changes.
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }
}

impl ClientFile {
    /// Whether a text has the entry of the server.
    pub fn has_server(&self, text: &str) -> bool {
        let servers = self.parts.iter().filter(|part| part.is_server());
        let mut taken = servers.map(|part| part.take(text, Some(text)));
        taken.any(|taken| taken.is_ok_and(|left| left != text))
    }

    /// What installing makes of the file.
    pub fn install(&self, before: Option<String>, wish: &Wish) -> Result<Edit, Refusal> {
        let text = before.as_deref().unwrap_or_default();
        let after = self.with(text, wish)?;
        let left = self.without(text, Some(text)).unwrap_or_default();
        let had_ours = before.is_some() && left != text;
        // A file that is ours as a whole was not there before us.
        let is_made_by_us = had_ours && self.round(None) == self.without(text, None).ok();
        let is_copied = before.is_some() && !is_made_by_us;
        let backup = if is_copied { Backup::Make } else { Backup::Leave };
        Ok(Edit {
            path: self.path.clone(),
            before,
            after: Some(after),
            backup,
            is_update: had_ours,
        })
    }

    /// What uninstalling makes of the file; `copy` is how it was before us, if there was one.
    ///
    /// Where only we changed it, it becomes what it was, byte for byte.
    pub fn uninstall(&self, before: Option<String>, copy: Option<&str>) -> Result<Edit, Refusal> {
        let (after, backup) = match before.as_deref() {
            // What does not name us has nothing of ours, and may be as broken as it likes.
            Some(text) if text.contains(super::NAME) => self.restored(text, copy)?,
            other => (other.map(str::to_owned), Backup::Leave),
        };
        Ok(Edit { path: self.path.clone(), before, after, backup, is_update: false })
    }

    fn restored(
        &self,
        text: &str,
        copy: Option<&str>,
    ) -> Result<(Option<String>, Backup), Refusal> {
        let left = self.without(text, copy)?;
        if left == text {
            return Ok((Some(left), Backup::Leave));
        }
        let is_clean = |copy: &str| self.without(copy, Some(copy)).is_ok_and(|same| same == copy);
        let is_same = self.round(copy).as_ref() == Some(&left);
        Ok(match copy {
            Some(copy) if is_same && is_clean(copy) => (Some(copy.to_owned()), Backup::Drop),
            None if is_same => (None, Backup::Leave),
            _ => (Some(left), Backup::Leave),
        })
    }

    /// A text put through both: what would be left if nobody else changed it.
    fn round(&self, copy: Option<&str>) -> Option<String> {
        let wish = Wish { program: super::NAME.to_owned(), force: false };
        self.without(&self.with(copy.unwrap_or_default(), &wish).ok()?, copy).ok()
    }

    fn with(&self, text: &str, wish: &Wish) -> Result<String, Refusal> {
        self.parts.iter().try_fold(text.to_owned(), |text, part| part.put(&text, wish))
    }

    fn without(&self, text: &str, origin: Option<&str>) -> Result<String, Refusal> {
        self.parts.iter().try_fold(text.to_owned(), |text, part| part.take(&text, origin))
    }
}

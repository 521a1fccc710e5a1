//! Filters are programs that git runs over the files which it compares. Those of the person's own
//! configuration (Git LFS) run as ever; those that the repository's own configuration defines do not:
//! whoever made the repository chose them.

use super::{Plain, fields, text_of};
use crate::error::{LedgerError, Result};

/// Scopes of git's configuration that lie in the repository.
const OF_REPOSITORY: [&str; 2] = ["local", "worktree"];

/// What a filter is made of, with the value that makes it do nothing.
const PARTS: [&str; 4] = ["clean=", "smudge=", "process=", "required=false"];

/// The options by which git runs none of the filters that the repository defines.
pub(super) fn switched_off(plain: &Plain) -> Result<Vec<String>> {
    let args = ["config", "--show-scope", "--name-only", "-z", "--get-regexp", "^filter\\."];
    let Some(said) = plain.ask_whether(args)? else { return Ok(Vec::new()) };
    let words: Vec<String> = fields(&said).map(text_of).collect();
    let mut names: Vec<&str> = Vec::new();
    for pair in words.chunks_exact(2) {
        let name = pair[1].strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
        if let Some((name, _)) = name.filter(|_| OF_REPOSITORY.contains(&&*pair[0])) {
            names.push(name);
        }
    }
    names.sort_unstable();
    names.dedup();
    let off = |name: &str| PARTS.map(|part| ["-c".to_owned(), format!("filter.{name}.{part}")]);
    match names.iter().find(|name| name.contains(['=', '\u{fffd}'])) {
        // An option could not name it.
        Some(name) => Err(LedgerError::Git(format!(
            "its configuration defines the filter {name:?}, a program that cannot be switched off by \
             that name; rename it, or remove it: git config --remove-section 'filter.{name}'"
        ))),
        None => Ok(names.into_iter().flat_map(off).flatten().collect()),
    }
}

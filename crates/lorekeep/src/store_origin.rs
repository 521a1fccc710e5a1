//! Where a store comes from. One that a repository brought along, or that belongs to another user, may
//! say of any text that a person wrote or approved it, and have tokens of whoever made it. Unless the
//! person trusts it (`lorekeep trust DIR`), nothing in it is believed above the level of an agent, and
//! its tokens let nobody in.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use model::TrustLevel;
use serve::http::private::other_owner;
use serve::http::tokens::Tokens;

use crate::settings::{self, Settings};
use crate::trusted::{Trusted, TrustedFolder};
use crate::wiring;

/// The names by which version control marks the root of a work tree.
const WORK_TREES: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// Where a store comes from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StoreOrigin {
    /// It is this user's, as far as its place says.
    Own,
    /// Nothing is there yet, in a work tree: whoever creates it here may say that it is theirs.
    NewInWorkTree,
    /// It may be anybody's; why.
    Foreign(String),
}

impl StoreOrigin {
    /// Where the store in this folder comes from.
    pub(crate) fn of(dir: &Path) -> Self {
        let owner = other_owner(dir).or_else(|| other_owner(&dir.join(store::FILE_NAME)));
        if let Some(owner) = owner {
            let why = format!("belongs to the user {owner}");
            return Self::unless_trusted(dir, why);
        }
        let Some(root) = work_tree(dir) else { return Self::Own };
        if is_empty(dir) {
            return Self::NewInWorkTree;
        }
        Self::unless_trusted(dir, format!("lies in the work tree {}", root.display()))
    }

    fn unless_trusted(dir: &Path, why: String) -> Self {
        let is_trusted = || -> Result<bool> {
            let Some(id) = store::id(dir)? else { return Ok(false) };
            Ok(Trusted::load()?.trusts_store(dir, &id))
        };
        match is_trusted() {
            Ok(true) => Self::Own,
            Ok(false) => Self::Foreign(why),
            Err(error) => Self::Foreign(format!("{why} ({error:#})")),
        }
    }

    /// The highest level that is believed of what the store says.
    pub(crate) fn trust_max(&self) -> TrustLevel {
        match self {
            Self::Own | Self::NewInWorkTree => TrustLevel::Person,
            Self::Foreign(_) => TrustLevel::Agent,
        }
    }
}

/// Records that the store in this folder was created here, and keeps it out of the work tree's commits.
pub(crate) fn claim(dir: &Path) -> Result<()> {
    let Some(id) = store::id(dir)? else { return Ok(()) };
    fs::write(dir.join(".gitignore"), "*\n")?;
    Trusted::load()?.add(TrustedFolder::at(dir)?.with_store(id))
}

/// The tokens of a store. Those of one that may be anybody's are refused: each of them lets somebody in.
pub(crate) fn tokens(settings: &Settings) -> Result<Tokens> {
    let dir = &settings.data_dir;
    match StoreOrigin::of(dir) {
        StoreOrigin::Own => {}
        // The store is created before anything else is in its folder.
        StoreOrigin::NewInWorkTree => drop(wiring::open_once(settings)?),
        StoreOrigin::Foreign(why) => {
            bail!("the tokens in {} let nobody in: {}", dir.display(), explained(dir, &why))
        }
    }
    Ok(Tokens::at(dir))
}

/// Why a store is not believed, and what to do if it is one's own.
pub(crate) fn explained(dir: &Path, why: &str) -> String {
    let shown = dir.display();
    format!("the store {why}, and may be anybody's; if it is yours: lorekeep trust '{shown}'")
}

/// The work tree that a folder lies in. The user's own data directory is none of it: a home directory may
/// be under version control.
fn work_tree(dir: &Path) -> Option<PathBuf> {
    let dir = std::path::absolute(dir).ok()?;
    let there = dir.ancestors().find(|dir| dir.exists())?;
    let real = there.canonicalize().ok()?;
    let usual = settings::default_data_dir().ok();
    if usual
        .is_some_and(|usual| usual == dir || usual.canonicalize().is_ok_and(|usual| usual == real))
    {
        return None;
    }
    let is_marked = |dir: &&Path| WORK_TREES.iter().any(|name| dir.join(name).exists());
    real.ancestors().find(is_marked).map(Path::to_owned)
}

/// Whether nothing is in a folder, or there is none.
fn is_empty(dir: &Path) -> bool {
    match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !dir.exists(),
    }
}

//! The folders that a person trusts: the stores in them, and the settings of projects.
//!
//! The list is the user's own file beside their configuration, and no project can bring it along. An
//! entry names a folder and what was trusted there: a store by its id, settings by the hash of their
//! file. Another store or another file at the same path is not trusted.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use engine::Clock;
use etcetera::BaseStrategy;
use model::{hex, time};
use providers::SystemClock;
use serde::{Deserialize, Serialize};
use serve::http::private;
use sha2::{Digest, Sha256};

use crate::settings;

/// The file's name in the user's configuration folder.
const FILE_NAME: &str = "trusted.toml";

/// Held by whoever changes the file.
const LOCK_NAME: &str = "trusted.lock";

/// What the file begins with.
const HEAD: &str = "# Folders that you trust. `lorekeep trust` writes this file.\n\n";

/// A folder, and what is trusted in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustedFolder {
    /// Where it is, absolute and without links.
    pub path: String,
    /// The SHA-256 of its `lorekeep.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// The id of the store in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// When a person said so.
    pub when: String,
}

impl TrustedFolder {
    /// This folder with the settings and the store that are in it now.
    pub(crate) fn now(dir: &Path) -> Result<Self> {
        let file = dir.join(settings::FILE_NAME);
        let settings = match fs::read(&file) {
            Err(why) if why.kind() == ErrorKind::NotFound => None,
            bytes => Some(hash_of(&bytes.with_context(|| file.display().to_string())?)),
        };
        let store = store::id(dir)?;
        Ok(Self { settings, store, ..Self::at(dir)? })
    }

    /// This folder with nothing in it trusted yet.
    pub(crate) fn at(dir: &Path) -> Result<Self> {
        let path = dir.canonicalize().with_context(|| dir.display().to_string())?;
        let path = path.into_os_string().into_string();
        let path = path.map_err(|path| anyhow!("{} is not UTF-8", path.display()))?;
        let when = time::rfc3339(SystemClock.now());
        Ok(Self { path, settings: None, store: None, when })
    }

    /// The same with the store of this id trusted.
    pub(crate) fn with_store(self, id: String) -> Self {
        Self { store: Some(id), ..self }
    }
}

/// The file as it is written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default)]
    folder: Vec<TrustedFolder>,
}

/// The list of trusted folders.
#[derive(Debug, Default)]
pub(crate) struct Trusted {
    file: PathBuf,
    folders: Vec<TrustedFolder>,
}

impl Trusted {
    /// The user's list; an empty one if nothing was ever trusted.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or somebody else could have written it.
    pub(crate) fn load() -> Result<Self> {
        let base = etcetera::choose_base_strategy()?;
        Self::load_from(&base.config_dir().join("lorekeep").join(FILE_NAME))
    }

    fn load_from(file: &Path) -> Result<Self> {
        let read = || -> Result<Vec<TrustedFolder>> {
            let text = match fs::read_to_string(file) {
                Err(why) if why.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
                text => text?,
            };
            private::refuse_foreign(file)?;
            Ok(toml::from_str::<Contents>(&text)?.folder)
        };
        let folders = read().with_context(|| format!("nothing is trusted: {}", file.display()))?;
        Ok(Self { file: file.to_owned(), folders })
    }

    /// Whether a person trusts the settings in this folder, which have this hash.
    pub(crate) fn trusts_settings(&self, dir: &Path, hash: &str) -> bool {
        self.find(dir).is_some_and(|folder| folder.settings.as_deref() == Some(hash))
    }

    /// Whether a person trusts the store in this folder, which has this id.
    pub(crate) fn trusts_store(&self, dir: &Path, id: &str) -> bool {
        self.find(dir).is_some_and(|folder| folder.store.as_deref() == Some(id))
    }

    /// Trusts what is named of a folder; what was trusted there and is not named stays.
    pub(crate) fn add(&mut self, new: TrustedFolder) -> Result<()> {
        self.change(|folders| {
            let known = folders.iter().position(|folder| folder.path == new.path);
            let old = known.map(|at| folders.remove(at));
            let (settings, store) = old.map_or((None, None), |old| (old.settings, old.store));
            let (settings, store) = (new.settings.or(settings), new.store.or(store));
            folders.push(TrustedFolder { settings, store, ..new });
        })
    }

    /// Trusts nothing in this folder any more, which need not be there. Whether anything was.
    pub(crate) fn remove(&mut self, dir: &Path) -> Result<bool> {
        let path = dir.canonicalize().or_else(|_| std::path::absolute(dir))?;
        self.change(|folders| {
            let before = folders.len();
            folders.retain(|folder| Path::new(&folder.path) != path);
            folders.len() < before
        })
    }

    /// All trusted folders, in the order in which they were added.
    pub(crate) fn list(&self) -> &[TrustedFolder] {
        &self.folders
    }

    fn find(&self, dir: &Path) -> Option<&TrustedFolder> {
        let dir = dir.canonicalize().ok()?;
        self.folders.iter().find(|folder| Path::new(&folder.path) == dir)
    }

    /// Changes the list that is on disk now, which another process may have changed.
    fn change<T>(&mut self, change: impl FnOnce(&mut Vec<TrustedFolder>) -> T) -> Result<T> {
        let dir = self.file.parent().unwrap_or(Path::new("."));
        engine::make_private_dir(dir)?;
        let lock = File::create(dir.join(LOCK_NAME)).context(LOCK_NAME)?;
        lock.lock()?;
        let mut now = Self::load_from(&self.file)?;
        let answer = change(&mut now.folders);
        let text = toml::to_string(&Contents { folder: now.folders.clone() })?;
        private::replace(&self.file, format!("{HEAD}{text}").as_bytes())
            .with_context(|| self.file.display().to_string())?;
        *self = now;
        Ok(answer)
    }
}

/// The hash by which a settings file is trusted: of its bytes, not of what they mean.
pub(crate) fn hash_of(settings: &[u8]) -> String {
    hex(&Sha256::digest(settings))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn list(dir: &Path) -> Result<Trusted> {
        Trusted::load_from(&dir.join("config").join(FILE_NAME))
    }

    #[test]
    fn a_folder_is_trusted_as_it_was_and_until_it_is_taken_out() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        fs::create_dir(&project).unwrap();
        fs::write(project.join(settings::FILE_NAME), "role = \"admin\"").unwrap();
        let hash = hash_of(b"role = \"admin\"");
        let mut trusted = list(dir.path()).unwrap();
        assert!(!trusted.trusts_settings(&project, &hash));
        trusted.add(TrustedFolder::now(&project).unwrap()).unwrap();
        trusted.add(TrustedFolder::at(&project).unwrap().with_store("5t0".into())).unwrap();
        let again = list(dir.path()).unwrap();
        for trusted in [&trusted, &again] {
            assert!(trusted.trusts_settings(&project, &hash) && trusted.list().len() == 1);
            assert!(!trusted.trusts_settings(&project, &hash_of(b"role = \"user\"")));
            assert!(!trusted.trusts_settings(dir.path(), &hash));
            assert!(trusted.trusts_store(&project, "5t0") && !trusted.trusts_store(&project, ""));
        }
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&project, &link).unwrap();
        assert!(again.trusts_settings(&link, &hash), "the folder counts, not its name");
        fs::remove_dir_all(&project).unwrap();
        assert!(trusted.remove(&project).unwrap() && !trusted.remove(&project).unwrap());
        assert!(list(dir.path()).unwrap().list().is_empty());
    }

    #[test]
    fn two_processes_add_a_folder_each() {
        let dir = tempfile::tempdir().unwrap();
        let (mut one, mut other) = (list(dir.path()).unwrap(), list(dir.path()).unwrap());
        for (trusted, name) in [(&mut one, "a"), (&mut other, "b")] {
            fs::create_dir(dir.path().join(name)).unwrap();
            trusted.add(TrustedFolder::at(&dir.path().join(name)).unwrap()).unwrap();
        }
        assert_eq!(other.list().len(), 2);
    }

    #[test]
    fn a_list_that_others_can_write_or_nobody_can_read_trusts_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config").join(FILE_NAME);
        list(dir.path()).unwrap().add(TrustedFolder::at(dir.path()).unwrap()).unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        let why = format!("{:#}", list(dir.path()).unwrap_err());
        assert!(why.contains("nothing is trusted") && why.contains("chmod go-w"), "{why}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "[[folder]]\npath = 7").unwrap();
        let why = format!("{:#}", list(dir.path()).unwrap_err());
        assert!(why.contains("trusted.toml") && why.contains("line 2"), "{why}");
    }
}

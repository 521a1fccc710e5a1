//! The files of the clients on the disk: read whole, written at once, followed through links.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::edit::Refusal;
use super::folders::Folders;
use super::plan::{Backup, Edit};

/// So many links are followed from one file.
const LINKS_MAX: usize = 40;

/// What a copy is called: the file's name and this.
const COPY: &str = ".lorekeep-backup";

/// Where edits are made, or only thought of.
#[derive(Debug)]
pub struct Desk {
    folders: Folders,
    /// What files would say, if edits are only thought of.
    thoughts: Option<BTreeMap<PathBuf, Option<String>>>,
}

impl Desk {
    /// A desk that remembers in `state` which folders it made; with `dry` it changes nothing.
    pub fn new(state: &Path, dry: bool) -> Self {
        Self { folders: Folders::open(state), thoughts: dry.then(BTreeMap::new) }
    }

    /// What a file says; none if it is not there.
    pub fn read(&self, path: &Path) -> Result<Option<String>, Refusal> {
        let target = target(path)?;
        let thought = self.thoughts.as_ref().and_then(|thoughts| thoughts.get(&target));
        thought.map_or_else(|| text_of(&target), |text| Ok(text.clone()))
    }

    /// What a file said before us, if that was kept.
    pub fn copy(&self, path: &Path) -> Option<String> {
        text_of(&copy_of(path)).ok().flatten()
    }

    /// Makes an edit.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), Refusal> {
        if !edit.is_change() {
            return Ok(());
        }
        let target = target(&edit.path)?;
        if self.read(&edit.path)? != edit.before {
            return Err(Refusal::new("it was changed at the same time: try again"));
        }
        refuse_read_only(&target)?;
        if let Some(thoughts) = &mut self.thoughts {
            thoughts.insert(target, edit.after.clone());
            return Ok(());
        }
        let failed = |what: &str| {
            let what = what.to_owned();
            move |error: std::io::Error| Refusal::new(format!("{what}: {error}"))
        };
        let Some(after) = &edit.after else {
            fs::remove_file(&target).map_err(failed("it cannot be removed"))?;
            return self.folders.unmake(&target).map_err(failed("its folder cannot be removed"));
        };
        self.folders.make(&target).map_err(failed("its folder cannot be made"))?;
        let copy = copy_of(&edit.path);
        if edit.backup == Backup::Make && fs::symlink_metadata(&copy).is_err() {
            fs::copy(&target, &copy).map_err(failed("no copy of it can be made"))?;
        }
        write(&target, after).map_err(failed("it cannot be written"))?;
        if edit.backup == Backup::Drop {
            fs::remove_file(&copy).map_err(failed("its copy cannot be removed"))?;
        }
        Ok(())
    }
}

/// Where the copy of a file is: beside its name, even if that is a link.
fn copy_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(COPY);
    name.into()
}

/// The file that a path leads to, through all links; it need not be there.
fn target(path: &Path) -> Result<PathBuf, Refusal> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    Err(Refusal::new("its links lead in a circle"))
}

fn text_of(path: &Path) -> Result<Option<String>, Refusal> {
    let unreadable = |error: std::io::Error| Refusal::new(format!("it cannot be read: {error}"));
    let data = match fs::metadata(path) {
        Ok(data) => data,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !data.is_file() {
        return Err(Refusal::new("it is no file"));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..at]);
        Refusal::at(&before, at, "it is not in UTF-8")
    })
}

/// Refuses what its owner made read-only, which a rename would pass over.
fn refuse_read_only(path: &Path) -> Result<(), Refusal> {
    let is_read_only = |data: Metadata| data.permissions().readonly();
    if fs::metadata(path).is_ok_and(is_read_only) {
        return Err(Refusal::new("it is read-only: change it where it is made, or `chmod u+w` it"));
    }
    let folder = path.ancestors().skip(1).find(|folder| folder.exists());
    let folder = folder.filter(|folder| fs::metadata(folder).is_ok_and(is_read_only));
    folder.map_or(Ok(()), |folder| {
        let folder = folder.display();
        Err(Refusal::new(format!("the folder {folder} is read-only: `chmod u+w` it")))
    })
}

/// Writes a file at once: who reads it sees the old text or the new one.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let old = fs::metadata(path).ok();
    let mut builder = tempfile::Builder::new();
    builder.prefix(".lorekeep-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A new file has what the person's mask lets through.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(old) = &old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, chown};
            let new = file.as_file().metadata()?;
            if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
                chown(file.path(), Some(old.uid()), Some(old.gid()))?;
            }
        }
        fs::set_permissions(file.path(), old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn edit(path: &Path, before: Option<&str>, after: Option<&str>, backup: Backup) -> Edit {
        Edit {
            path: path.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            backup,
            is_update: false,
        }
    }

    fn desk(dir: &Path) -> Desk {
        Desk::new(&dir.join("state"), false)
    }

    #[test]
    fn a_file_is_written_through_its_link_with_its_mode_and_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let (link, real) = (dir.path().join("config"), dir.path().join("dotfiles/config"));
        fs::create_dir(dir.path().join("dotfiles")).unwrap();
        fs::write(&real, "one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("dotfiles/config", &link).unwrap();
        let mut desk = desk(dir.path());
        desk.apply(&edit(&link, Some("one"), Some("two"), Backup::Make)).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "two");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(desk.copy(&link).as_deref(), Some("one"));
        desk.apply(&edit(&link, Some("two"), Some("three"), Backup::Make)).unwrap();
        assert_eq!(desk.copy(&link).as_deref(), Some("one"), "the copy is made once");
        desk.apply(&edit(&link, Some("three"), Some("one"), Backup::Drop)).unwrap();
        assert_eq!(desk.copy(&link), None);
        assert_eq!(fs::read_dir(dir.path().join("dotfiles")).unwrap().count(), 1);
    }

    #[test]
    fn folders_that_were_made_go_again_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let ours = dir.path().join("a/b/file");
        let theirs = dir.path().join("empty/file");
        fs::create_dir(dir.path().join("empty")).unwrap();
        for path in [&ours, &theirs] {
            desk(dir.path()).apply(&edit(path, None, Some("x"), Backup::Leave)).unwrap();
            desk(dir.path()).apply(&edit(path, Some("x"), None, Backup::Leave)).unwrap();
        }
        assert!(!dir.path().join("a").exists() && dir.path().join("empty").exists());
        assert!(!dir.path().join("state").exists(), "nothing is left to remember");
        desk(dir.path()).apply(&edit(&ours, None, Some("x"), Backup::Leave)).unwrap();
        fs::write(dir.path().join("a/other"), "").unwrap();
        desk(dir.path()).apply(&edit(&ours, Some("x"), None, Backup::Leave)).unwrap();
        assert!(!dir.path().join("a/b").exists() && dir.path().join("a/other").exists());
    }

    #[test]
    fn what_cannot_be_changed_safely_is_refused_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let refused = |edit: &Edit| desk(dir.path()).apply(edit).unwrap_err().to_string();
        fs::write(at("locked"), "one").unwrap();
        fs::set_permissions(at("locked"), fs::Permissions::from_mode(0o444)).unwrap();
        let locked = edit(&at("locked"), Some("one"), Some("two"), Backup::Make);
        assert!(refused(&locked).contains("it is read-only"));
        assert_eq!(fs::read_to_string(at("locked")).unwrap(), "one");
        assert!(!at("locked.lorekeep-backup").exists());

        fs::create_dir(at("closed")).unwrap();
        fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o555)).unwrap();
        let inside = edit(&at("closed/file"), None, Some("x"), Backup::Leave);
        assert!(refused(&inside).contains("is read-only"));
        fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o755)).unwrap();

        symlink(at("loop"), at("loop")).unwrap();
        assert!(desk(dir.path()).read(&at("loop")).unwrap_err().why.contains("circle"));
        fs::create_dir(at("folder")).unwrap();
        assert!(desk(dir.path()).read(&at("folder")).unwrap_err().why.contains("no file"));
        fs::write(at("latin"), b"one\ntw\xf6").unwrap();
        let why = desk(dir.path()).read(&at("latin")).unwrap_err().to_string();
        assert_eq!(why, "line 2, column 3: it is not in UTF-8");
        fs::write(at("busy"), "new").unwrap();
        let busy = edit(&at("busy"), Some("old"), Some("x"), Backup::Make);
        assert!(refused(&busy).contains("changed at the same time"));
    }

    #[test]
    fn a_link_to_nothing_leads_to_a_new_file() {
        let dir = tempfile::tempdir().unwrap();
        symlink("there/file", dir.path().join("link")).unwrap();
        let link = dir.path().join("link");
        desk(dir.path()).apply(&edit(&link, None, Some("x"), Backup::Leave)).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("there/file")).unwrap(), "x");
        desk(dir.path()).apply(&edit(&link, Some("x"), None, Backup::Leave)).unwrap();
        assert!(fs::symlink_metadata(&link).is_ok() && !dir.path().join("there").exists());
    }

    #[test]
    fn a_thought_changes_nothing_but_the_next_thought() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("new/file");
        let mut desk = Desk::new(&dir.path().join("state"), true);
        desk.apply(&edit(&file, None, Some("x"), Backup::Leave)).unwrap();
        assert_eq!(desk.read(&file).unwrap().as_deref(), Some("x"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

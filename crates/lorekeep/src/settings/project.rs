//! The `lorekeep.toml` of a project. It comes with a repository, so it may only restrict what the person
//! at this machine allows: fewer tools, a lower role, stricter rules. Everything else in it is refused
//! with the key, the file and the place where it belongs, until a person trusts the folder
//! (`lorekeep trust`).

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use super::file::{self, Entry};
use super::kind::Value;
use super::table::{SetBy, Setting};
use super::{FILE_NAME, Layered, Settings, Source, Sourced, build};
use crate::trusted::{Trusted, hash_of};

/// A project's configuration file.
pub(crate) struct ProjectFile {
    pub path: PathBuf,
    /// The project's root: the file lies in it or below.
    pub root: PathBuf,
    pub entries: Vec<Entry>,
    /// Whether a person trusted this folder with exactly this file.
    pub is_trusted: bool,
}

/// The nearest `lorekeep.toml` from the working directory up to the project's root, unless it is the
/// user's own.
pub(crate) fn find(user_file: &Path) -> Result<Option<ProjectFile>> {
    let Ok(here) = std::env::current_dir() else { return Ok(None) };
    let root = crate::identity::git_root(&here).unwrap_or_else(|| here.clone());
    let within = here.ancestors().take_while(|dir| dir.starts_with(&root));
    let mut paths = within.map(|dir| dir.join(FILE_NAME));
    match paths.find(|path| path.symlink_metadata().is_ok()) {
        Some(path) if !same_file(&path, user_file) => open(path, root).map(Some),
        _ => Ok(None),
    }
}

/// The file of the project with this root.
pub(crate) fn open(path: PathBuf, root: PathBuf) -> Result<ProjectFile> {
    let text = read(&path, &root)?;
    let entries = file::parse(&text, &path)?;
    let dir = path.parent().unwrap_or(&root);
    let is_trusted = Trusted::load()?.trusts_settings(dir, &hash_of(text.as_bytes()));
    Ok(ProjectFile { path, root, entries, is_trusted })
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The text of a project's file: a regular file of the project, and not a link to another one.
pub(crate) fn read(path: &Path, root: &Path) -> Result<String> {
    let shown = path.display();
    let real = path.canonicalize().with_context(|| format!("cannot read {shown}"))?;
    let root = root.canonicalize().with_context(|| format!("cannot read {}", root.display()))?;
    if !real.starts_with(&root) {
        bail!(
            "{shown} is a link to a file outside the project, so it was not read; \
             a project's settings are a regular file of the project"
        );
    }
    file::read(&real)
}

impl ProjectFile {
    /// Its values, as they stand in the file.
    pub(crate) fn values(&self) -> Layered {
        self.entries.iter().map(|entry| self.sourced(entry, entry.value.clone())).collect()
    }

    fn sourced(&self, entry: &Entry, value: Value) -> (&'static Setting, Sourced) {
        (entry.setting, Sourced { value, source: Source::File(self.path.clone()) })
    }

    /// The values that an untrusted project may set. An error if one of them would loosen something.
    pub(crate) fn restricted(
        &self,
        person: &Settings,
        of_user: &Layered,
        nearer: &Layered,
        user_file: &Path,
    ) -> Result<Layered> {
        let accept = |entry| {
            let accepted = self.accept(entry, person, of_user, nearer)?;
            accepted.map_err(|reason| self.refusal(entry, &reason, user_file))
        };
        self.entries.iter().map(accept).collect()
    }

    /// The entries that need trust, given these settings of the person.
    pub(crate) fn needing_trust(&self, of_user: &Layered) -> Result<Vec<&Entry>> {
        let person = build([of_user])?;
        let mut found = Vec::new();
        for entry in &self.entries {
            if self.accept(entry, &person, of_user, &Layered::new())?.is_err() {
                found.push(entry);
            }
        }
        Ok(found)
    }

    /// The value that a project's entry gets, or why it may not set it.
    fn accept(
        &self,
        entry: &Entry,
        person: &Settings,
        of_user: &Layered,
        nearer: &Layered,
    ) -> Result<std::result::Result<(&'static Setting, Sourced), String>> {
        let mut value = entry.value.clone();
        match entry.setting.set_by {
            SetBy::Project => {}
            SetBy::User(reason) => return Ok(Err(reason.to_owned())),
            SetBy::Environment => return Ok(Err("no file may".to_owned())),
            SetBy::ProjectAdds => value = joined(entry.setting, of_user, &value),
            SetBy::ProjectBelow => {
                if !is_below(&value.path(), &self.root) {
                    return Ok(Err("a project may only name a folder below itself".to_owned()));
                }
            }
            SetBy::ProjectRestricts(accepts, is_within) => {
                let tried = Layered::from([self.sourced(entry, value.clone())]);
                if !is_within(person, &build([of_user, &tried, nearer])?) {
                    let held = held(person, entry.setting);
                    return Ok(Err(format!("a project may only set {accepts}; yours is {held}")));
                }
            }
        }
        Ok(Ok(self.sourced(entry, value)))
    }

    fn refusal(&self, entry: &Entry, reason: &str, user_file: &Path) -> anyhow::Error {
        let dir = self.path.parent().unwrap_or(&self.root);
        anyhow!(
            "{}:{}: a project's file may not set {} = {}: {reason}. It belongs in {}; \
             to trust this folder with what its file says: lorekeep trust {}",
            self.path.display(),
            entry.line,
            entry.setting.key,
            entry.value.shown(),
            user_file.display(),
            dir.display()
        )
    }
}

/// The value that holds without the project, for a message.
fn held(person: &Settings, setting: &Setting) -> String {
    let set = person.sources.iter().find(|(key, _)| *key == setting.key);
    set.map_or_else(|| format!("{} (the default)", setting.default), |(_, s)| s.value.shown())
}

/// The person's names and the project's.
fn joined(setting: &Setting, of_user: &Layered, value: &Value) -> Value {
    let of_setting = of_user.iter().filter(|(row, _)| row.key == setting.key);
    let mut names: Vec<String> = of_setting.flat_map(|(_, sourced)| sourced.value.list()).collect();
    names.extend(value.list());
    Value::List(names)
}

/// Whether a folder, there or not, lies below the root and no link on the way leads out.
fn is_below(dir: &Path, root: &Path) -> bool {
    let Ok(root) = root.canonicalize() else { return false };
    if dir.components().any(|part| part == Component::ParentDir) {
        return false;
    }
    let existing = dir.ancestors().find_map(|dir| dir.canonicalize().ok());
    existing.is_some_and(|real| real.starts_with(&root))
}

/// Panics unless `settings` allow nothing that `person` does not: written without the table, so that a
/// wrong row in it is found.
#[cfg(any(test, fuzzing))]
pub(crate) fn assert_within(person: &Settings, settings: &Settings, root: &Path) {
    use model::Layer;
    let tools = |settings: &Settings| -> std::collections::BTreeSet<String> {
        let catalogue = tools::Catalogue::new(settings.selection.clone());
        catalogue.list(settings.role).map(|tool| tool.spec.name.to_owned()).collect()
    };
    assert!(tools(settings).is_subset(&tools(person)), "more tools");
    assert!(settings.role <= person.role, "a higher role");
    assert!(settings.selection.read_only || !person.selection.read_only, "writable");
    assert!(settings.inject >= person.inject, "injects more");
    assert!(settings.trust == person.trust || settings.trust == model::Trust::HumanOnly);
    let strictness = super::checks::strictness;
    assert!(strictness(settings.secrets) >= strictness(person.secrets), "keeps secrets");
    assert!(!settings.keep_queries || person.keep_queries, "keeps queries");
    for layer in Layer::ALL.into_iter().filter(|layer| *layer != Layer::Project) {
        assert_eq!(settings.identity.id(layer), person.identity.id(layer), "another {layer:?}");
    }
    let own = settings.knowledge_dir == person.knowledge_dir;
    let is_inside = settings.knowledge_dir.as_ref().is_some_and(|dir| dir.starts_with(root));
    assert!(own || is_inside, "knowledge from elsewhere");
    assert_eq!(settings.data_dir, person.data_dir);
    assert_eq!(settings.limits, person.limits);
    assert_eq!(settings.http, person.http);
    assert_eq!(settings.embedder, person.embedder);
    assert_eq!(settings.audit_reads, person.audit_reads);
    assert_eq!(settings.outside, person.outside);
    assert_eq!(settings.backups, person.backups);
    assert_eq!(settings.traces, person.traces);
}

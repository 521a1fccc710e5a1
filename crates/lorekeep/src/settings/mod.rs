//! The settings in effect for a command line: from options, `LOREKEEP_*` variables, the
//! project's `lorekeep.toml` and the user's, the nearest first, key by key. [`table`] says what there is.
//!
//! A project's file comes with a repository, so nobody at this machine wrote it: [`project`] says what it
//! may do.

mod checks;
mod draft;
pub(crate) mod file;
pub(crate) mod http;
mod kind;
mod oauth;
pub(crate) mod options;
pub(crate) mod outside;
pub(crate) mod project;
pub(crate) mod reference;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use engine::Limits;
use engine::secrets::Policy;
use etcetera::BaseStrategy;
use model::{Identity, Role, Trust, TrustLevel};
use tools::Selection;

use self::draft::Draft;
use self::kind::pairs;
pub(crate) use self::kind::{Value, shown};
use self::project::ProjectFile;
use self::table::{Flag, Setting, Variable};
use crate::{embedder, traces};

/// The name of a configuration file, of a project and of a user.
pub(crate) const FILE_NAME: &str = "lorekeep.toml";

/// The settings in effect.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub data_dir: PathBuf,
    /// None for the folder in the store's.
    pub knowledge_dir: Option<PathBuf>,
    /// Which tools are offered.
    pub selection: Selection,
    pub role: Role,
    /// The caller's ids that were set; the rest have defaults.
    pub identity: Identity,
    pub limits: Limits,
    pub http: http::HttpSettings,
    pub embedder: embedder::Setting,
    /// Whether queries are kept, so that other models can be tried on them.
    pub keep_queries: bool,
    /// Whether the audit log records calls that only read, too.
    pub audit_reads: bool,
    /// The least trust that a text needs to be given to agents without being asked for.
    pub inject: TrustLevel,
    /// Whether tools or people alone may change records.
    pub trust: Trust,
    /// Limits on reaching beyond the store.
    pub outside: outside::OutsideSettings,
    pub backups: store::Rhythm,
    pub secrets: Policy,
    pub traces: traces::Setting,
    /// The configuration files that were read.
    pub files: Vec<PathBuf>,
    /// Every value that somebody set, and where.
    pub sources: Vec<(&'static str, Sourced)>,
}

/// A value with the place that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sourced {
    pub value: Value,
    pub source: Source,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// This option.
    Flag(&'static str),
    /// This variable.
    Variable(&'static str),
    /// This file, the project's or the user's.
    File(PathBuf),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "--{name}"),
            Self::Variable(name) => f.write_str(name),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Values in the order in which they are applied: what comes later is nearer, and holds.
pub(crate) type Layered = Vec<(&'static Setting, Sourced)>;

/// Loads the settings in effect for these options.
pub(crate) fn load<'a>(given: impl IntoIterator<Item = &'a Layered>) -> Result<Settings> {
    let options: Layered = given.into_iter().flatten().cloned().collect();
    let variables = of_variables(&variable)?;
    let user = user_file()?;
    let of_user = of_user(&user)?;
    let nearer: Layered = variables.into_iter().chain(options).collect();
    let project = project::find(&user)?;
    let settings = settle(&of_user, project.as_ref(), &nearer, &user)?;
    let files =
        project.map(|project| project.path).into_iter().chain(user.is_file().then_some(user));
    Ok(Settings { files: files.collect(), ..settings })
}

/// The settings of the user's file, the project's, and what is nearer than both.
pub(crate) fn settle(
    of_user: &Layered,
    project: Option<&ProjectFile>,
    nearer: &Layered,
    user_file: &Path,
) -> Result<Settings> {
    let person = build([of_user, nearer])?;
    refuse_needless(&person)?;
    let Some(project) = project else { return Ok(person) };
    if project.is_trusted {
        return build([of_user, &project.values(), nearer]);
    }
    let accepted = project.restricted(&person, of_user, nearer, user_file)?;
    let settings = build([of_user, &accepted, nearer])?;
    // A project chooses among the person's tools; how much may be kept does not follow from that.
    Ok(Settings { limits: person.limits, ..settings })
}

/// The settings that these values make, applied in this order.
pub(crate) fn build<'a>(layers: impl IntoIterator<Item = &'a Layered>) -> Result<Settings> {
    let mut draft = Draft::new();
    let mut sources: Vec<(&'static str, Sourced)> = Vec::new();
    for (setting, sourced) in layers.into_iter().flatten() {
        (setting.apply)(&mut draft, &sourced.value);
        sources.retain(|(key, _)| *key != setting.key);
        sources.push((setting.key, sourced.clone()));
    }
    Ok(Settings { sources, ..draft.finish()? })
}

/// An option that is for another one says nothing without it.
fn refuse_needless(settings: &Settings) -> Result<()> {
    let is_set = |key: &str| settings.sources.iter().any(|(name, _)| *name == key);
    for (key, sourced) in &settings.sources {
        let (Source::Flag(flag), Some(needs)) = (&sourced.source, needs_of(key)) else { continue };
        if !is_set(needs) {
            bail!("--{flag} is for HTTP; add --http ADDR, e.g. --http 127.0.0.1:7420");
        }
    }
    Ok(())
}

fn needs_of(key: &str) -> Option<&'static str> {
    table::find(key)?.needs
}

/// The user's own configuration file, there or not.
pub(crate) fn user_file() -> Result<PathBuf> {
    let base = etcetera::choose_base_strategy()?;
    Ok(base.config_dir().join("lorekeep").join(FILE_NAME))
}

/// Reads the user's file; no values if it does not exist.
pub(crate) fn of_user(path: &Path) -> Result<Layered> {
    if !path.is_file() {
        return Ok(Layered::new());
    }
    let entries = file::parse(&file::read(path)?, path)?;
    let sourced = |value| Sourced { value, source: Source::File(path.to_owned()) };
    Ok(entries.into_iter().map(|entry| (entry.setting, sourced(entry.value))).collect())
}

/// Reads the variables. An empty variable counts as unset.
fn of_variables(get: &checks::Lookup<'_>) -> Result<Layered> {
    let mut found = Layered::new();
    for setting in table::all() {
        let (name, parsed) = match setting.variable {
            Variable::None => continue,
            Variable::Named(names) => {
                let Some(name) = names.iter().find(|name| get(name).is_some()) else { continue };
                (*name, get(name).map(|text| setting.kind.parse(&text)).transpose())
            }
            Variable::Pair(family, key) => {
                let texts = get(family.variable).map(|text| paired(family, &text)).transpose();
                let text = texts.map(|texts| texts.and_then(|mut texts| texts.remove(key)));
                let parse =
                    |text: String| setting.kind.parse(&text).map_err(|why| format!("{key} {why}"));
                (family.variable, text.and_then(|text| text.map(parse).transpose()))
            }
            Variable::Read(names, read) => (names[0], read(get)),
        };
        let Some(value) = parsed.map_err(|why| anyhow!("{name} {why}"))? else { continue };
        let here = std::env::current_dir().unwrap_or_default();
        let value = setting.kind.anchored(value, &here);
        found.push((setting, Sourced { value, source: Source::Variable(name) }));
    }
    Ok(found)
}

/// The pairs of a family's variable; an unknown name is an error.
fn paired(
    family: &'static table::Family,
    text: &str,
) -> Result<std::collections::BTreeMap<String, String>, String> {
    let words: Vec<String> = text.split(',').map(|word| word.trim().to_owned()).collect();
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let found = pairs(&words)?;
    match found.keys().find(|name| !names_of(family).contains(&name.as_str())) {
        Some(name) => Err(unknown_name(family, name)),
        None => Ok(found),
    }
}

/// The names that a family of settings knows.
fn names_of(family: &'static table::Family) -> Vec<&'static str> {
    let name = |setting: &Setting| match (setting.flag, setting.variable) {
        (Flag::Pair(of, name), _) | (_, Variable::Pair(of, name)) => {
            std::ptr::eq(of, family).then_some(name)
        }
        _ => None,
    };
    table::all().filter_map(name).collect()
}

fn unknown_name(family: &'static table::Family, name: &str) -> String {
    format!("must be {} (got {name:?})", kind::alternatives(&names_of(family)))
}

/// A variable of the environment that says something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The directory of the store where nobody set another.
pub(crate) fn default_data_dir() -> Result<PathBuf> {
    Ok(etcetera::choose_base_strategy()?.data_dir().join("lorekeep"))
}

/// Settings for a scratch store in `dir`, whatever else is configured.
pub(crate) fn scratch(dir: &Path) -> Result<Settings> {
    let settings = Draft { data_dir: Some(dir.to_owned()), keep_queries: false, ..Draft::new() };
    settings.finish()
}

/// Any bytes as a project's file: what it changes only restricts, or it is refused. For those who try what
/// it accepts.
#[cfg(any(test, fuzzing))]
#[allow(unreachable_pub, reason = "who tries it includes the binary as a library")]
pub fn fuzz_config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let path = Path::new("/project/lorekeep.toml");
    let Ok(entries) = file::parse(&text, path) else { return };
    let file =
        ProjectFile { path: path.to_owned(), root: "/project".into(), entries, is_trusted: false };
    let nothing = Layered::new();
    let Ok(person) = build([&nothing]) else { return };
    let user = Path::new("/user/lorekeep.toml");
    if let Ok(settings) = settle(&nothing, Some(&file), &nothing, user) {
        project::assert_within(&person, &settings, &file.root);
    }
    // Trusted, it may be anything that is consistent.
    let _ = settle(&nothing, Some(&ProjectFile { is_trusted: true, ..file }), &nothing, user);
}

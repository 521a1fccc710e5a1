//! Every setting, once. Options, variables, the keys of `lorekeep.toml`, their help, the reference page,
//! `lorekeep config list` and what a project's file may say are all made from this table.
//!
//! A new setting is a row here and the field that its `apply` fills.

mod http;
mod outside;
mod store;
mod upkeep;

use super::Settings;
use super::checks;
use super::draft::Draft;
use super::kind::{Kind, Value};

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.key)
    }
}

/// One setting.
pub(crate) struct Setting {
    /// Its key in `lorekeep.toml`, and its name everywhere else.
    pub key: &'static str,
    pub flag: Flag,
    pub variable: Variable,
    pub kind: Kind,
    pub set_by: SetBy,
    /// The option that this one is for: it is refused without it.
    pub needs: Option<&'static str>,
    /// The default, in words.
    pub default: &'static str,
    pub help: &'static str,
    pub apply: fn(&mut Draft, &Value),
}

/// The option of the command line.
#[derive(Clone, Copy)]
pub(crate) enum Flag {
    None,
    /// `--NAME VALUE`: the group, the name, and how help names the value.
    Value(u8, &'static str, &'static str),
    /// `--NAME` sets this.
    Switch(u8, &'static str, bool),
    /// `--NAME KEY=VALUE`, shared by a family.
    Pair(&'static Family, &'static str),
}

/// The variable of the environment.
#[derive(Clone, Copy)]
pub(crate) enum Variable {
    None,
    /// The first of these that is set.
    Named(&'static [&'static str]),
    /// `VARIABLE=KEY=VALUE,…`, shared by a family.
    Pair(&'static Family, &'static str),
    /// Variables that this function reads.
    Read(&'static [&'static str], fn(&checks::Lookup<'_>) -> Result<Option<Value>, String>),
}

/// One option and one variable for several settings.
pub(crate) struct Family {
    pub group: u8,
    /// None for a family without an option.
    pub flag: Option<&'static str>,
    pub variable: &'static str,
    pub value: &'static str,
    pub help: &'static str,
}

/// Who may set it. A person may set everything: by option, variable and the user's own file. This is
/// about the `lorekeep.toml` of a project that nobody has trusted.
#[derive(Clone, Copy)]
pub(crate) enum SetBy {
    /// Nothing, for this reason.
    User(&'static str),
    /// Nothing, and no file says it: a secret.
    Environment,
    /// Anything.
    Project,
    /// Names on top of those that the person set.
    ProjectAdds,
    /// A folder below the project.
    ProjectBelow,
    /// Values with which the second settings allow no more than the first; the text names them.
    ProjectRestricts(&'static str, fn(&Settings, &Settings) -> bool),
}

/// Groups of options that commands take together.
pub(crate) const STORE: u8 = 0;
pub(crate) const OFFER: u8 = 1;
pub(crate) const LIMITS: u8 = 2;
pub(crate) const OUTSIDE: u8 = 3;
pub(crate) const HTTP: u8 = 4;
pub(crate) const QUERIES: u8 = 5;

/// Why no project chooses a model.
const MODEL_REASON: &str = "it decides who receives your texts";

/// The defaults of a row.
const ROW: Setting = Setting {
    key: "",
    flag: Flag::None,
    variable: Variable::None,
    kind: Kind::Text,
    set_by: SetBy::User(""),
    needs: None,
    default: "none",
    help: "",
    apply: |_, _| {},
};

/// All settings, in the order of the reference.
pub(crate) fn all() -> impl Iterator<Item = &'static Setting> {
    [store::ROWS, outside::ROWS, http::ROWS, upkeep::ROWS].into_iter().flatten()
}

/// The setting of this key.
pub(crate) fn find(key: &str) -> Option<&'static Setting> {
    all().find(|setting| setting.key == key)
}

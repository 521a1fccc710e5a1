//! A row of the table in words: for the reference page and `lorekeep config`.

use super::kind::Kind;
use super::table::{Flag, SetBy, Setting, Variable};

/// The help text, with the accepted names.
pub(crate) fn help(setting: &Setting) -> String {
    match setting.kind {
        Kind::OneOf(names) if names().iter().any(|name| !setting.help.contains(name)) => {
            format!("{}: {}", setting.help, setting.kind.accepts())
        }
        _ => setting.help.to_owned(),
    }
}

/// The values that a project's file may set, in a few words.
pub(crate) fn in_projects(setting: &Setting) -> String {
    match setting.set_by {
        SetBy::User(reason) => format!("no: {reason}"),
        SetBy::Environment => "no".to_owned(),
        SetBy::Project => "yes".to_owned(),
        SetBy::ProjectAdds => "on top of yours".to_owned(),
        SetBy::ProjectBelow => "a folder of the project".to_owned(),
        SetBy::ProjectRestricts(accepts, _) => accepts.to_owned(),
    }
}

/// The option, as it is typed.
pub(crate) fn flag(setting: &Setting) -> Option<String> {
    match setting.flag {
        Flag::None => None,
        Flag::Value(_, name, value) => Some(format!("--{name} {value}")),
        Flag::Switch(_, name, _) => Some(format!("--{name}")),
        Flag::Pair(family, name) => Some(format!("--{} {name}=…", family.flag?)),
    }
}

/// The variable, as it is set.
pub(crate) fn variable(setting: &Setting) -> Option<String> {
    match setting.variable {
        Variable::None => None,
        Variable::Named(names) | Variable::Read(names, _) => Some(names.join(" or ")),
        Variable::Pair(family, name) => Some(format!("{}={name}=…", family.variable)),
    }
}

/// Whether a configuration file may have it.
pub(crate) fn is_in_files(setting: &Setting) -> bool {
    !matches!(setting.set_by, SetBy::Environment)
}

//! The options of the command line that the table has, as groups for clap.

use std::ops::Deref;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, ValueHint};

use super::kind::{Kind, Value};
use super::table::{self, Family, Flag, Setting, Variable};
use super::{Layered, Source, Sourced, reference, unknown_name};

/// The options of one group of settings, as they were given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options<const GROUP: u8>(Layered);

/// The store and the caller.
pub(crate) type StoreArgs = Options<{ table::STORE }>;
/// The offered tools.
pub(crate) type OfferArgs = Options<{ table::OFFER }>;
/// Limits on what is stored.
pub(crate) type LimitArgs = Options<{ table::LIMITS }>;
/// Access beyond the store.
pub(crate) type OutsideArgs = Options<{ table::OUTSIDE }>;
/// Serving HTTP.
pub(crate) type HttpArgs = Options<{ table::HTTP }>;
/// Keeping queries.
pub(crate) type QueryArgs = Options<{ table::QUERIES }>;

impl<const GROUP: u8> Deref for Options<GROUP> {
    type Target = Layered;

    fn deref(&self) -> &Layered {
        &self.0
    }
}

impl<const GROUP: u8> Options<GROUP> {
    /// The same without these keys.
    pub(crate) fn without(&self, keys: &[&str]) -> Self {
        Self(self.0.iter().filter(|(setting, _)| !keys.contains(&setting.key)).cloned().collect())
    }
}

impl StoreArgs {
    /// The store in this directory, if one is named.
    pub(crate) fn at(dir: Option<&Path>) -> Self {
        let row = || table::find("data-dir");
        let given = |dir: &Path| {
            let value = Value::Text(dir.to_string_lossy().into_owned());
            Some((row()?, sourced(row()?, value, "data-dir")))
        };
        Self(dir.and_then(given).into_iter().collect())
    }
}

fn sourced(setting: &Setting, value: Value, flag: &'static str) -> Sourced {
    let here = std::env::current_dir().unwrap_or_default();
    Sourced { value: setting.kind.anchored(value, &here), source: Source::Flag(flag) }
}

impl<const GROUP: u8> Args for Options<GROUP> {
    fn augment_args(command: Command) -> Command {
        let mut args: Vec<Arg> = Vec::new();
        for setting in table::all() {
            let arg = match setting.flag {
                Flag::Value(of, name, value) if of == GROUP => value_arg(setting, name, value),
                Flag::Switch(of, name, _) if of == GROUP => {
                    let help = match name.strip_prefix("no-") {
                        Some(_) => format!("Do not {}", lower_first(setting.help)),
                        None => setting.help.to_owned(),
                    };
                    Arg::new(name)
                        .long(name)
                        .action(ArgAction::SetTrue)
                        .help(help + &places(setting))
                }
                Flag::Pair(family, _) if family.group == GROUP => match family_arg(family) {
                    Some(arg) if args.iter().all(|known| known.get_id() != arg.get_id()) => arg,
                    _ => continue,
                },
                _ => continue,
            };
            args.push(arg);
        }
        command.args(args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const GROUP: u8> FromArgMatches for Options<GROUP> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut given = Layered::new();
        for setting in table::all() {
            let (name, value) = match setting.flag {
                Flag::Value(of, name, _) if of == GROUP => (name, joined(matches, name)),
                Flag::Switch(of, name, value) if of == GROUP => {
                    (name, matches.get_flag(name).then_some(Value::Bool(value)))
                }
                Flag::Pair(family, key) if family.group == GROUP => {
                    let Some(name) = family.flag else { continue };
                    let mut pairs =
                        matches.get_many::<(&'static str, Value)>(name).into_iter().flatten();
                    (name, pairs.rfind(|(of, _)| *of == key).map(|(_, value)| value.clone()))
                }
                _ => continue,
            };
            given.extend(value.map(|value| (setting, sourced(setting, value, name))));
        }
        Ok(Self(given))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The value of an option; one that takes a list may be given several times.
fn joined(matches: &ArgMatches, name: &str) -> Option<Value> {
    let values: Vec<&Value> = matches.get_many::<Value>(name)?.collect();
    match values.as_slice() {
        [.., Value::List(_)] => {
            Some(Value::List(values.iter().flat_map(|value| value.list()).collect()))
        }
        [.., last] => Some((*last).clone()),
        [] => None,
    }
}

fn value_arg(setting: &'static Setting, name: &'static str, value: &'static str) -> Arg {
    let arg = Arg::new(name).long(name).value_name(value);
    let arg = arg.help(reference::help(setting) + &places(setting));
    let arg = match (setting.kind, value) {
        (Kind::List(_) | Kind::Paths, "DIR") => {
            arg.action(ArgAction::Append).value_hint(ValueHint::DirPath)
        }
        (Kind::List(_), _) => arg.action(ArgAction::Append),
        (_, "FILE") => arg.value_hint(ValueHint::FilePath),
        (_, "DIR") => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    };
    arg.value_parser(move |text: &str| match setting.kind {
        // An option names one folder; only a variable separates several.
        Kind::Paths => Ok(Value::List(vec![text.to_owned()])),
        kind => kind.parse(text),
    })
}

/// The option of a family; its pairs are checked as they are read.
fn family_arg(family: &'static Family) -> Option<Arg> {
    let name = family.flag?;
    let prefix = table::all().find_map(|setting| match setting.flag {
        Flag::Pair(of, key) if std::ptr::eq(of, family) => setting.key.strip_suffix(key),
        _ => None,
    });
    let table = prefix.unwrap_or_default().trim_end_matches('.');
    let arg = Arg::new(name).long(name).value_name(family.value).action(ArgAction::Append);
    let arg = arg.help(format!("{} [{}, {table}]", family.help, family.variable));
    Some(arg.value_parser(move |text: &str| pair(family, text)))
}

fn pair(family: &'static Family, text: &str) -> Result<(&'static str, Value), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(format!("must be {}", family.value));
    };
    let find = |setting: &&Setting| matches!(setting.flag, Flag::Pair(of, key) if std::ptr::eq(of, family) && key == name);
    match table::all().find(find) {
        Some(Setting { flag: Flag::Pair(_, key), kind, .. }) => {
            let value = kind.parse(value).map_err(|why| format!("{key} {why}"))?;
            Ok((key, value))
        }
        _ => Err(unknown_name(family, name)),
    }
}

/// The variable and the key, for help: ` [LOREKEEP_ROLE, role]`.
fn places(setting: &Setting) -> String {
    match setting.variable {
        Variable::Named([name, ..]) => format!(" [{name}, {}]", setting.key),
        _ => format!(" [{}]", setting.key),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

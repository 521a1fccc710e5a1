//! `lorekeep config`: the settings that hold here, and where they come from.

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use serde::Serialize;

use crate::cli::{ConfigArgs, ConfigWhat, GetConfigArgs, ListConfigArgs};
use crate::output;
use crate::settings::table::{self, Setting};
use crate::settings::{self, Settings, Sourced, reference};

/// One setting, as `--json` prints it.
#[derive(Serialize)]
struct ShownSetting {
    key: &'static str,
    value: String,
    /// `default` where nobody set it.
    source: String,
    option: Option<String>,
    variable: Option<String>,
    in_project_file: String,
}

pub(crate) fn run(args: &ConfigArgs) -> Result<ExitCode> {
    match &args.what {
        ConfigWhat::List(args) => list(args)?,
        ConfigWhat::Get(args) => get(args)?,
        ConfigWhat::Path => output::line(settings::user_file()?.display()),
    }
    Ok(ExitCode::SUCCESS)
}

fn list(args: &ListConfigArgs) -> Result<()> {
    let settings = super::settings(&args.store)?;
    let is_wanted = |setting: &&Setting| {
        reference::is_in_files(setting) && (!args.set || set(&settings, setting).is_some())
    };
    let shown: Vec<_> =
        table::all().filter(is_wanted).map(|setting| show(&settings, setting)).collect();
    if args.json {
        return output::json(&serde_json::to_value(shown)?);
    }
    let rows: Vec<[String; 3]> =
        shown.into_iter().map(|row| [row.key.to_owned(), row.value, row.source]).collect();
    output::table(["key", "value", "from"], &rows);
    Ok(())
}

fn get(args: &GetConfigArgs) -> Result<()> {
    let find = |setting: &&Setting| setting.key == args.key && reference::is_in_files(setting);
    let setting = table::all().find(find);
    let setting = setting.ok_or_else(|| anyhow!(settings::file::unknown(&args.key)))?;
    let shown = show(&super::settings(&args.store)?, setting);
    output::line(shown.value);
    Ok(())
}

fn set<'s>(settings: &'s Settings, setting: &Setting) -> Option<&'s Sourced> {
    let found = settings.sources.iter().find(|(key, _)| *key == setting.key);
    found.map(|(_, sourced)| sourced)
}

fn show(settings: &Settings, setting: &Setting) -> ShownSetting {
    let sourced = set(settings, setting);
    let value = match (setting.key, sourced) {
        (_, Some(sourced)) => sourced.value.shown(),
        ("data-dir", None) => format!("{:?}", settings.data_dir),
        (_, None) => setting.default.replace('`', ""),
    };
    ShownSetting {
        key: setting.key,
        value,
        source: sourced.map_or_else(|| "default".to_owned(), |s| s.source.to_string()),
        option: reference::flag(setting),
        variable: reference::variable(setting),
        in_project_file: reference::in_projects(setting),
    }
}

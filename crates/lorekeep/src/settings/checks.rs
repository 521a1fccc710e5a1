//! Checks of the settings table: names, addresses, and whether a project's settings only restrict.

use std::collections::BTreeMap;

use engine::secrets::Policy;
use model::scope::OwnerId;
use serve::http::check_sites;
use tools::{Profile, Selection, Toolset};

use super::Settings;
use super::kind::{Kind, Value};

/// Reads a variable of the environment.
pub(crate) type Lookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

pub(crate) fn toolset(word: &str) -> Result<(), String> {
    word.parse::<Profile>().map(drop)
}

pub(crate) fn tool(name: &str) -> Result<(), String> {
    let one = Selection { tools: vec![name.to_owned()], ..Selection::default() };
    match one.unknown_tool() {
        Some(_) => Err(format!(
            "must be names of tools (got {name:?}); `lorekeep tools --toolsets all` lists them"
        )),
        None => Ok(()),
    }
}

pub(crate) fn host(name: &str) -> Result<(), String> {
    check_sites(&[name.to_owned()], &[])
}

pub(crate) fn origin(site: &str) -> Result<(), String> {
    check_sites(&[], &[site.to_owned()])
}

/// The id of an owner. What looks like a secret is refused and not repeated.
pub(crate) fn owner(id: &str) -> Result<(), String> {
    engine::secrets::admit_name(Policy::Refuse, "it", id).map_err(|error| error.to_string())?;
    id.parse::<OwnerId>().map(drop)
}

pub(crate) fn address(text: &str) -> Result<(), String> {
    match text.starts_with("http://") || text.starts_with("https://") {
        true => Ok(()),
        false => Err(format!("must be an address such as http://127.0.0.1:4318 (got {text:?})")),
    }
}

/// `LOREKEEP_TRACES` is true, false or an address; `OTEL_SDK_DISABLED` switches traces off.
pub(crate) fn traces_enabled(get: &Lookup<'_>) -> Result<Option<Value>, String> {
    if get("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
        return Ok(Some(Value::Bool(false)));
    }
    let Some(text) = get("LOREKEEP_TRACES") else { return Ok(None) };
    if address(&text).is_ok() {
        return Ok(Some(Value::Bool(true)));
    }
    let wrong = |_| format!("must be true, false or an address (got {text:?})");
    Kind::Bool.parse(&text).map(Some).map_err(wrong)
}

/// The address in `LOREKEEP_TRACES`, if it is one.
pub(crate) fn traces_endpoint(get: &Lookup<'_>) -> Result<Option<Value>, String> {
    Ok(get("LOREKEEP_TRACES").filter(|text| address(text).is_ok()).map(Value::Text))
}

/// Whether every tool that `project` offers is one that `person` offers.
pub(crate) fn offers_no_more(person: &Settings, project: &Settings) -> bool {
    Toolset::ALL.into_iter().all(|toolset| {
        toolset.tools().iter().all(|spec| {
            !project.selection.offers(toolset, spec) || person.selection.offers(toolset, spec)
        })
    })
}

/// Orders policies: a higher number lets less through.
pub(crate) fn strictness(policy: Policy) -> u8 {
    match policy {
        Policy::Keep => 0,
        Policy::Redact => 1,
        Policy::Refuse => 2,
    }
}

pub(crate) fn size(value: &Value) -> usize {
    usize::try_from(value.number()).unwrap_or(usize::MAX)
}

pub(crate) fn small(value: &Value) -> u32 {
    u32::try_from(value.number()).unwrap_or(u32::MAX)
}

/// The roles of scopes, by name.
pub(crate) fn scopes(
    named: BTreeMap<String, String>,
) -> Result<BTreeMap<String, model::Role>, String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"\\".contains(c);
    let read = |(scope, role): (String, String)| {
        if scope.is_empty() || !scope.chars().all(is_plain) {
            return Err(format!(
                "{scope:?} is not a scope: letters, digits and signs are accepted"
            ));
        }
        Ok((scope, role.parse()?))
    };
    let scopes: BTreeMap<_, _> = named.into_iter().map(read).collect::<Result<_, _>>()?;
    match scopes.is_empty() {
        true => Err("it is empty, so that no token would give any right".to_owned()),
        false => Ok(scopes),
    }
}

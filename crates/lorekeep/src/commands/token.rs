//! `lorekeep token`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use engine::Clock;
use model::scope::OwnerId;
use model::time::Timestamp;
use model::{Layer, Ledgers, Namespace, Role};
use providers::SystemClock;
use serde_json::{Value, json};
use serve::http::tokens::{NewToken, Token, Tokens};

use crate::cli::{ListTokensArgs, NewTokenArgs, RevokeTokenArgs, StoreArgs, TokenArgs, TokenWhat};
use crate::settings::Settings;
use crate::{output, store_origin};

/// The word for all namespaces of the ledger.
const ALL: &str = "all";

pub(crate) fn run(args: &TokenArgs) -> Result<ExitCode> {
    match &args.what {
        TokenWhat::New(args) => make(args)?,
        TokenWhat::List(args) => list(args)?,
        TokenWhat::Revoke(args) => revoke(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings of the store that is set up, and its tokens.
fn tokens(data_dir: Option<&Path>) -> Result<(Settings, Tokens)> {
    let settings = super::settings(&StoreArgs::at(data_dir))?;
    let tokens = store_origin::tokens(&settings)?;
    Ok((settings, tokens))
}

/// The same of a store that is there: who mistypes its directory gets no new one.
fn tokens_there(data_dir: Option<&Path>) -> Result<(Settings, Tokens)> {
    let settings = super::settings(&StoreArgs::at(data_dir))?;
    let dir = &settings.data_dir;
    if !dir.is_dir() {
        bail!("there is no directory {}, and no token in it", dir.display());
    }
    tokens(data_dir)
}

fn make(args: &NewTokenArgs) -> Result<()> {
    let now = SystemClock.now();
    let role: Role = args.role.parse().map_err(|why: String| anyhow!("--role: {why}"))?;
    let expires = args.expires.as_deref().map(|time| after(now, time)).transpose()?;
    let new = NewToken {
        name: args.name.clone(),
        role: Some(role),
        identity: identity(args)?,
        all_projects: args.all_projects,
        toolsets: args.toolsets.clone(),
        read_only: args.read_only,
        roots: args.roots.clone(),
        ledgers: ledgers(&args.namespaces)?,
        expires,
    };
    let (settings, tokens) = tokens(args.data_dir.as_deref())?;
    let (token, secret) = tokens.add(new)?;
    // Nobody has it before it is shown, and it is not shown before it is in the audit log.
    if let Err(why) = super::note(&settings, &format!("make {}", in_words(&token))) {
        tokens.revoke(&token.id)?;
        return Err(why.context("no token was made, for it could not be noted in the audit log"));
    }
    if args.json {
        let mut described = describe(&token, now);
        described["token"] = secret.into();
        return output::json(&described);
    }
    output::note(format!("{}; it is shown this once:", in_words(&token)));
    output::line(secret);
    Ok(())
}

/// What a token gives, in words: all that says what its bearer can do.
pub(super) fn in_words(token: &Token) -> String {
    let Token { id, name, role, expires, .. } = token;
    let end = expires.as_ref().map_or("until it is revoked".into(), |end| format!("until {end}"));
    let (tools, ledger) = (open_tools(token), open_ledgers(token));
    let folders = match token.roots[..] {
        [] if token.own => "those of the server".to_owned(),
        [] => "none".to_owned(),
        _ => {
            token.roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
        }
    };
    format!(
        "token {id} ({name}) for {}, role {role}, {end}; tools: {tools}; ledger: {ledger}; \
         folders: {folders}",
        whose(token)
    )
}

/// Which tools it opens, in words.
fn open_tools(token: &Token) -> String {
    let tools = token.toolsets.as_ref().map_or_else(|| "all".to_owned(), |words| words.join(","));
    format!("{tools}{}", if token.read_only { ", read-only" } else { "" })
}

/// The ids that were said.
fn identity(args: &NewTokenArgs) -> Result<BTreeMap<Layer, OwnerId>> {
    let said = |layer| match layer {
        Layer::Agent => &args.agent,
        Layer::User => &args.user,
        Layer::Session => &args.session,
        Layer::Project => &args.project,
        Layer::Team => &args.team,
        Layer::Org => &args.org,
        Layer::Company => &args.company,
    };
    if args.user.is_none() && (args.agent.is_some() || args.session.is_some()) {
        bail!("--agent and --session are a user's; they need --user");
    }
    let ids = Layer::ALL.into_iter().filter_map(|layer| Some((layer, said(layer).as_ref()?)));
    ids.map(|(layer, id)| {
        let id = id.parse().map_err(|why: String| anyhow!("--{}: {why}", layer.name()))?;
        Ok((layer, id))
    })
    .collect()
}

/// The namespaces of the ledger that were said; `all` alone means all.
fn ledgers(said: &[String]) -> Result<Option<Ledgers>> {
    match said {
        [] => Ok(None),
        [all] if all == ALL => Ok(Some(Ledgers::All)),
        names if names.iter().any(|name| name == ALL) => {
            bail!("--namespaces: {ALL} stands alone, for every namespace is among them")
        }
        names => {
            let read = |name: &String| {
                let wrong = |why: String| anyhow!("--namespaces {name:?}: it {why}");
                name.parse().map_err(wrong)
            };
            Ok(Some(Ledgers::Only(names.iter().map(read).collect::<Result<_>>()?)))
        }
    }
}

/// The time so much after now.
fn after(now: Timestamp, time: &str) -> Result<Timestamp> {
    let takes = || anyhow!("--expires {time:?}: it takes a number and m, h, d, w or y, e.g. 30d");
    let (number, unit) = time.split_at_checked(time.len().saturating_sub(1)).ok_or_else(takes)?;
    let seconds = match unit {
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        "y" => 365 * 86_400,
        _ => return Err(takes()),
    };
    let number: u64 = number.parse().map_err(|_| takes())?;
    let length = number.checked_mul(seconds).filter(|length| *length > 0).ok_or_else(takes)?;
    let far =
        || format!("--expires {time:?}: it is too far ahead; without it a token never runs out");
    now.checked_add(Duration::from_secs(length)).with_context(far)
}

fn list(args: &ListTokensArgs) -> Result<()> {
    let now = SystemClock.now();
    let tokens = tokens_there(args.data_dir.as_deref())?.1.list()?;
    if args.json {
        let rows: Vec<Value> = tokens.iter().map(|token| describe(token, now)).collect();
        return output::json(&json!({"tokens": rows}));
    }
    let rows: Vec<[String; 8]> = tokens.iter().map(|token| row(token, now)).collect();
    output::table(["id", "name", "role", "for", "tools", "ledger", "created", "state"], &rows);
    Ok(())
}

fn row(token: &Token, now: Timestamp) -> [String; 8] {
    let files = if token.own || !token.roots.is_empty() { ", files" } else { "" };
    let good = || token.expires.as_ref().map_or("good".into(), |end| format!("good until {end}"));
    [
        token.id.clone(),
        token.name.clone(),
        token.role.clone(),
        whose(token),
        format!("{}{files}", open_tools(token)),
        open_ledgers(token),
        token.created.clone(),
        token.is_over(now).unwrap_or_else(good),
    ]
}

/// Which namespaces of the ledger it opens, in words.
fn open_ledgers(token: &Token) -> String {
    match (&token.namespaces, token.identity.get(Layer::Project.name())) {
        _ if token.all_namespaces => "all".to_owned(),
        (Some(names), _) => names.join(","),
        (None, _) if token.own => "all".to_owned(),
        (None, Some(project)) if is_ledger(project) => project.clone(),
        (None, _) => "none".to_owned(),
    }
}

/// Whether a project has a namespace of its own, which is called like it.
fn is_ledger(project: &str) -> bool {
    project.parse::<Namespace>().is_ok_and(|namespace| namespace != Namespace::default())
}

/// Whose it is, in words.
fn whose(token: &Token) -> String {
    if token.own {
        return "who runs the server".to_owned();
    }
    let ids = token.identity.iter().map(|(layer, id)| format!("{layer}={id}"));
    let all = token.all_projects.then(|| "all projects".to_owned());
    ids.chain(all).collect::<Vec<_>>().join(" ")
}

fn describe(token: &Token, now: Timestamp) -> Value {
    json!({
        "id": token.id,
        "name": token.name,
        "role": token.role,
        "own": token.own,
        "identity": token.identity,
        "all_projects": token.all_projects,
        "toolsets": token.toolsets,
        "read_only": token.read_only,
        "files": token.own || !token.roots.is_empty(),
        "roots": token.roots,
        "namespaces": open_ledgers(token),
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
        "good": token.is_over(now).is_none(),
    })
}

fn revoke(args: &RevokeTokenArgs) -> Result<()> {
    let (settings, tokens) = tokens_there(args.data_dir.as_deref())?;
    let token = tokens.revoke(&args.which)?;
    super::try_note(&settings, &format!("revoke {}", in_words(&token)));
    output::note(format!("token {} ({}) lets nobody in any more", token.id, token.name));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let later = |time| after(now, time).map(|time| time.to_string());
        assert_eq!(later("90m").unwrap(), "2026-01-01T01:30:00Z");
        assert_eq!(later("30d").unwrap(), "2026-01-31T00:00:00Z");
        for wrong in ["", "d", "30", "-1d", "0d", "1é", "99999999999999999y", "999999999y"] {
            assert!(later(wrong).is_err(), "{wrong:?}");
        }
        let far = later("9000y").unwrap_err().to_string();
        assert!(far.contains("\"9000y\": it is too far ahead"), "{far}");
    }

    #[test]
    fn all_namespaces_are_said_alone() {
        let said = |words: &[&str]| {
            ledgers(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(said(&["all"]).unwrap(), Some(Ledgers::All));
        assert!(said(&["web", "all"]).unwrap_err().to_string().contains("stands alone"));
        assert!(matches!(said(&["web"]).unwrap(), Some(Ledgers::Only(names)) if names.len() == 1));
    }
}

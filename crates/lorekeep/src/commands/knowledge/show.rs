//! `lorekeep knowledge show`.

use std::process::ExitCode;

use anyhow::Result;
use engine::Clock;
use engine::knowledge::{self, Shown, Trusted};
use model::time::{self, Date, rfc3339};
use model::{Constraint, Item, Waiver};
use providers::SystemClock;
use serde_json::{Value, json};

use crate::cli::ShowArgs;
use crate::output::{self, STRONG, WARN, one_line, styled};
use crate::wiring;

pub(super) fn run(args: &ShowArgs) -> Result<ExitCode> {
    let settings = super::super::settings(&args.store)?;
    let caller = wiring::caller(&settings);
    let engine = wiring::open_to_read(&settings)?;
    let shown = knowledge::show(&engine, &caller, &args.id, args.history)?;
    let caution = Trusted::look(&engine, &caller).caution_of_all(&shown.item).told();
    if args.json {
        let mut described = describe(&shown, args.history);
        described["caution"] = json!(caution);
        output::json(&described)?;
    } else {
        tell(&shown, caution.as_deref(), args.history);
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(shown: &Shown, with_history: bool) -> Value {
    let item = &shown.item;
    let constraint = |one: &Constraint| {
        json!({"operator": one.operator.name(), "target": one.target.name(),
               "pattern": one.pattern, "appliesTo": one.applies_to,
               "severity": item.severity_of(one).name(), "message": one.message})
    };
    let waiver = |one: &Waiver| {
        json!({"paths": one.paths, "dependency": one.dependency, "pattern": one.pattern,
               "reason": one.reason, "until": one.until.to_string()})
    };
    let mut described = json!({
        "id": item.id, "type": item.kind.name(), "layer": item.layer.name(), "owner": item.owner,
        "title": item.title, "summary": item.summary, "status": item.status.name(),
        "severity": item.severity.name(), "tags": item.tags, "metadata": item.metadata,
        "createdAt": rfc3339(shown.created_at), "updatedAt": rfc3339(shown.updated_at),
        "supersedes": item.supersedes, "supersededBy": item.superseded_by,
        "constraints": item.constraints.iter().map(constraint).collect::<Vec<_>>(),
        "waivers": item.waivers.iter().map(waiver).collect::<Vec<_>>(),
        "content": item.content, "file": shown.file,
    });
    if with_history {
        let commits = shown.history.iter().map(|one| {
            json!({"commit": one.version, "at": rfc3339(one.at), "author": one.author,
                   "subject": one.message})
        });
        described["history"] = commits.collect();
    }
    described
}

fn tell(shown: &Shown, caution: Option<&str>, with_history: bool) {
    let item = &shown.item;
    output::line(format!("{} {}", styled(STRONG, &item.id), one_line(&item.title)));
    let owner = item.owner.as_deref().map(|owner| format!(" {owner}")).unwrap_or_default();
    let (kind, layer, status) = (item.kind.name(), item.layer.name(), item.status.name());
    output::line(format!("  {status} {kind} of {layer}{owner}"));
    let day = |at| time::day(at).to_string();
    let (made, changed) = (day(shown.created_at), day(shown.updated_at));
    output::line(format!("  made {made}, changed {changed}, {}", shown.file.display()));
    for (what, words) in [
        ("caution", caution.unwrap_or_default().to_owned()),
        ("tags", item.tags.join(", ")),
        ("supersedes", item.supersedes.clone().unwrap_or_default()),
        ("superseded by", item.superseded_by.join(", ")),
    ] {
        if !words.is_empty() {
            output::line(format!("  {what}: {}", one_line(&words)));
        }
    }
    output::line(format!("\n{}", output::lines(&item.content)));
    tell_rules(item);
    if with_history {
        tell_history(shown);
    }
}

fn tell_rules(item: &Item) {
    if !item.constraints.is_empty() {
        output::line(format!("\n{}", styled(STRONG, "Constraints")));
    }
    for one in &item.constraints {
        let (operator, target) = (one.operator.name(), one.target.name());
        let severity = item.severity_of(one).name();
        let mut words = format!("- {operator} {target} {} ({severity})", one_line(&one.pattern));
        if !one.applies_to.is_empty() {
            words.push_str(&format!(" in {}", one_line(&one.applies_to.join(", "))));
        }
        if let Some(message) = &one.message {
            words.push_str(&format!(": {}", one_line(message)));
        }
        output::line(words);
    }
    if !item.waivers.is_empty() {
        output::line(format!("\n{}", styled(STRONG, "Waivers")));
    }
    let today = time::day(SystemClock.now());
    for waiver in &item.waivers {
        output::line(format!("- {}", waived(waiver, today)));
    }
}

/// A waiver in words: for what, how long, and why.
fn waived(waiver: &Waiver, today: Date) -> String {
    let mut from: Vec<String> = Vec::new();
    from.extend(waiver.pattern.as_ref().map(|pattern| format!("from {pattern}")));
    from.extend(waiver.dependency.as_ref().map(|name| format!("for dependency {name}")));
    from.extend((!waiver.paths.is_empty()).then(|| format!("in {}", waiver.paths.join(", "))));
    let from = if from.is_empty() { "from all of it".to_owned() } else { from.join(" ") };
    let until = waiver.until;
    let left = knowledge::days(today, until);
    let holds = match left {
        ..0 => styled(WARN, format!("ran out on {until}")),
        0 => styled(WARN, format!("until {until}, today is its last day")),
        1 => format!("until {until}, 1 day left"),
        _ => format!("until {until}, {left} days left"),
    };
    format!("{}: {holds} ({})", one_line(&from), one_line(&waiver.reason))
}

fn tell_history(shown: &Shown) {
    output::line(format!("\n{}", styled(STRONG, "Commits")));
    if shown.history.is_empty() {
        output::line("none: git does not know this file");
    }
    for one in &shown.history {
        let id: String = one.version.chars().take(10).collect();
        let at = one.at.strftime("%Y-%m-%d %H:%M");
        let (author, subject) = (one_line(&one.author), one_line(&one.message));
        output::line(format!("{} {at} {author}: {subject}", styled(WARN, id)));
    }
}

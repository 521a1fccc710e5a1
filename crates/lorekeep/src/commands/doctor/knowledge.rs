//! What the doctor says of the knowledge.

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::Engine;
use engine::knowledge::{self, Catalogue, Contradiction, Lapse};
use model::Caller;

use super::{Finding, State, finding};
use crate::output::one_line;
use crate::settings::Settings;
use crate::wiring;

/// A waiver that runs out within so many days is worth a word.
const SOON_DAYS: i32 = 14;

/// Looks at the knowledge of these settings. A file that cannot be read is wrong, because its rules do
/// not bind; all else is worth a word.
pub(super) fn look(settings: &Settings) -> Vec<Finding> {
    let caller = wiring::caller(settings);
    let home = home(settings);
    let own = caller.here.as_ref().map(|here| here.join(knowledge::PROJECT_FOLDER));
    if !home.is_dir() && !own.is_some_and(|own| own.is_dir()) {
        let text =
            format!("none yet at {}; `lorekeep knowledge new` makes the first", home.display());
        return vec![finding("knowledge", State::Good, text)];
    }
    match wiring::open_once(settings).and_then(|engine| looked_at(&engine, &caller)) {
        Ok(findings) => findings,
        Err(error) => vec![finding("knowledge", State::Wrong, error.to_string())],
    }
}

fn home(settings: &Settings) -> PathBuf {
    let dir = settings.knowledge_dir.clone();
    dir.unwrap_or_else(|| settings.data_dir.join(knowledge::FOLDER))
}

fn looked_at(engine: &Engine, caller: &Caller) -> engine::Result<Vec<Finding>> {
    let catalogue = knowledge::listed(engine, caller);
    let mut findings = folders(&catalogue, caller);
    findings.extend(failures(&catalogue, caller));
    findings.extend(altered(engine, caller));
    findings.extend(knowledge::vanished(engine, caller)?.iter().map(vanished));
    findings.extend(knowledge::lapses(engine, caller, SOON_DAYS).iter().map(lapse));
    findings.extend(knowledge::contradictions(engine, caller)?.iter().map(contradiction));
    findings.push(last_sync(engine, caller)?);
    Ok(findings)
}

/// Accepted decisions that were edited. What git refuses to tell must not hide the rest.
fn altered(engine: &Engine, caller: &Caller) -> Vec<Finding> {
    let altered = match knowledge::altered(engine, caller) {
        Ok(altered) => altered,
        Err(error) => return vec![finding("knowledge", State::Wrong, error.to_string())],
    };
    let told = altered.iter().map(|(id, file)| {
        format!(
            "{id} is accepted, and its text was changed since: {}; mend: restore the text, and \
             supersede it with a new one",
            file.display()
        )
    });
    told.map(worth).collect()
}

/// An item that is gone, on purpose or not: only a person knows.
fn vanished((id, file): &(String, PathBuf)) -> Finding {
    let how = if file.exists() { "is no item any more" } else { "is gone" };
    worth(format!(
        "{id} was synced, and {} {how}; mend: put it back, or forget it: lorekeep call sync_now",
        file.display()
    ))
}

fn worth(text: String) -> Finding {
    finding("knowledge", State::Worth, text)
}

/// The folders, with how many items each has.
fn folders(catalogue: &Catalogue, caller: &Caller) -> Vec<Finding> {
    let mut counts = vec![0usize; catalogue.roots.len()];
    catalogue.open(caller).for_each(|(_, entry)| counts[entry.root] += 1);
    let folders = catalogue.roots.iter().zip(counts);
    let told = folders.map(|(root, count)| {
        let items = if count == 1 { "item" } else { "items" };
        format!("{} with {count} {items}", root.dir.display())
    });
    told.map(|text| finding("knowledge", State::Good, text)).collect()
}

/// The files that cannot be read, or not be followed.
fn failures(catalogue: &Catalogue, caller: &Caller) -> Vec<Finding> {
    let mut by_file: BTreeMap<PathBuf, Vec<&str>> = BTreeMap::new();
    for failure in catalogue.failed(caller) {
        let file = catalogue.roots[failure.root].dir.join(&failure.path);
        by_file.entry(file).or_default().push(&failure.why);
    }
    let told = by_file.iter().map(|(file, why)| format!("{}, {}", file.display(), why.join("; ")));
    told.map(|text| finding("knowledge", State::Wrong, text)).collect()
}

fn lapse(lapse: &Lapse) -> Finding {
    let Lapse { item, waiver, days_left } = lapse;
    let until = waiver.until;
    let when = match days_left {
        ..0 => format!("ran out on {until}"),
        0 => format!("runs out today, {until}"),
        1 => format!("runs out tomorrow, {until}"),
        days => format!("runs out in {days} days, on {until}"),
    };
    worth(format!("a waiver of {} {when}: {}", item.id, one_line(&waiver.reason)))
}

fn contradiction(found: &Contradiction) -> Finding {
    let sides = found.sides.each_ref().map(|(item, one)| {
        let (layer, operator, target) = (item.layer.name(), one.operator.name(), one.target.name());
        format!("{} ({layer}) asks {operator} {target} {}", item.id, one_line(&one.pattern))
    });
    worth(format!("contradiction: {}", sides.join(", ")))
}

fn last_sync(engine: &Engine, caller: &Caller) -> engine::Result<Finding> {
    let stats = knowledge::status(engine, caller)?.stats;
    Ok(match stats.last_at {
        None => worth(
            "never synced: memory_search does not know it; mend: lorekeep call sync_now".into(),
        ),
        Some(at) => {
            let at = at.strftime("%Y-%m-%d %H:%M:%S");
            let (state, how) = match stats.succeeded {
                true => (State::Good, ""),
                false => (State::Worth, " and failed; mend: lorekeep call sync_now"),
            };
            finding("knowledge", state, format!("last sync at {at} UTC{how}"))
        }
    })
}

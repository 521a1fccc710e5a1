//! The audit log: who wrote what by which tool, and who was refused.

use engine::audit::{self, AuditFilter};
use model::Role;
use model::audit::{Deed, Entry};
use serde_json::json;
use tools::{Catalogue, Selection};

use super::furniture::{furnish, usual};
use super::people::People;
use super::world::{Call, World};

/// Words of what was stored; none of them is in the log.
const STORED: [&str; 10] = [
    "Staging",
    "Database of",
    "Because",
    "Tabs",
    "Coffee",
    "Thing of",
    "tag-ada",
    "Done by",
    "Changed",
    "production",
];

/// Tools that write only when there is something to be taken in.
const QUIET: [&str; 3] = ["sync_git", "memory_check_supersedes", "memory_detect_contradictions"];

fn entries(world: &World) -> Vec<Entry> {
    let filter = AuditFilter { limit: 10_000, ..AuditFilter::default() };
    audit::entries(&world.engine, &filter).expect("entries")
}

#[test]
fn every_tool_that_writes_leaves_an_entry_with_who_and_what_and_no_text() {
    let people = People::two();
    let mut findings = Vec::new();
    for (_, tool) in
        Catalogue::new(Selection::all()).all().filter(|(_, tool)| !tool.spec.effect.read_only)
    {
        let name = tool.spec.name;
        let world = World::open(&people, |_| true);
        // What there is to sync, to begin with, is left to the tool.
        let has = furnish(&world, 100, 0, &people.all[0]);
        let arguments = if name == "sync_now" { json!({"force": true}) } else { usual(name, &has) };
        let before = entries(&world).len();
        let answer = world.call(1_000, 0, &Call::Tool(name, arguments));
        assert!(!answer.is_error, "{name}: {}", answer.value);
        let all = entries(&world);
        let new = &all[..all.len() - before];
        let is_right = |entry: &Entry| {
            let actor = &entry.noted.actor;
            (actor.who.as_str(), actor.client.as_deref()) == ("ada", Some("test 1.0"))
                && actor.tool.as_deref() == Some(name)
                && entry.noted.deed == Deed::Written
        };
        if !QUIET.contains(&name) && (new.is_empty() || !new.iter().all(is_right)) {
            findings.push(format!("{name}: {new:?}"));
        }
        let told = |entry: &&Entry| STORED.iter().any(|word| entry.noted.what.contains(word));
        findings.extend(all.iter().filter(told).map(|entry| format!("{name} tells {entry:?}")));
        assert_eq!(
            audit::verify(&world.engine, &audit::Beside::default()).expect("a look").fault,
            None
        );
    }
    crate::none(&findings);
}

#[test]
fn who_is_refused_is_noted_once_and_who_reads_is_not() {
    let mut people = People::two();
    people.all[0].role = Role::Guest;
    let world = World::open(&people, |_| true);
    let mut refused = 0;
    for (_, tool) in Catalogue::new(Selection::all()).all() {
        let call = Call::Tool(tool.spec.name, json!({"confirm": true}));
        let answer = world.call(1, 0, &call);
        if tool.spec.role > Role::Guest {
            assert!(answer.is_error, "{}", tool.spec.name);
            refused += 1;
            let newest = entries(&world).remove(0);
            assert_eq!(newest.noted.actor.tool.as_deref(), Some(tool.spec.name));
            assert_eq!((newest.noted.deed, newest.noted.actor.who.as_str()), (Deed::Denied, "ada"));
        }
    }
    assert_eq!(entries(&world).len(), refused);
}

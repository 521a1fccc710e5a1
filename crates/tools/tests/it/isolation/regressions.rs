//! What was found once, by name.

use std::fs;

use serde_json::{Value, json};

use super::furniture::{Things, furnish};
use super::people::People;
use super::world::{Answer, Call, DIR, World};

/// Two people, each with one of everything.
fn furnished() -> (World, [Things; 2]) {
    let people = People::two();
    let world = World::open(&people, |_| true);
    let has = [0, 1].map(|who| furnish(&world, 100 * (who as u64 + 1), who, &people.all[who]));
    (world, has)
}

fn ask(world: &World, step: u64, who: usize, tool: &'static str, arguments: Value) -> Answer {
    world.call(step, who, &Call::Tool(tool, arguments))
}

#[test]
fn an_id_that_another_owner_uses_hides_no_item_and_is_not_told() {
    let (world, _) = furnished();
    for (who, word) in [(0, "qitemorgsacmenorthz"), (1, "qitemorgsglobexwestz")] {
        let shown = ask(&world, 1_000, who, "knowledge_show", json!({"id": "adr-001-style"}));
        assert!(shown.text().contains(word), "{}", shown.text());
        // Both synced, and neither sync took the other's pointer away.
        let found = ask(
            &world,
            1_001,
            who,
            "memory_search",
            json!({"query": "database style", "limit": 50, "threshold": 0, "layers": ["org"]}),
        );
        assert!(found.text().contains("adr-001-style"), "{}", found.text());
        let again =
            ask(&world, 1_010 + who as u64, who, "sync_now", json!({})).value["result"].clone();
        assert_eq!(
            (&again["added"], &again["updated"], &again["deleted"]),
            (&json!(0), &json!(0), &json!(0))
        );
    }
}

#[test]
fn a_clash_of_ids_is_told_to_who_sees_both() {
    let (world, _) = furnished();
    let synced = ask(&world, 1_000, 0, "sync_now", json!({}));
    // The organisation's has the id, and the team's of the same name is in its way for who sees both.
    assert_eq!(synced.value["result"]["failures"], 1, "{}", synced.text());
    assert!(!synced.text().contains("globex"), "{}", synced.text());
}

#[test]
fn a_record_that_was_edited_by_hand_is_left_by_who_names_another_namespace() {
    let (world, [ada, bob]) = furnished();
    let folder = world.folder("data/ledger").join(&ada.ledger);
    let file = walk(&folder)
        .into_iter()
        .find(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(&ada.decision)));
    fs::write(file.expect("a file"), "---\nthis is: [no record\n").expect("an edit");
    let arguments = |fid: &str| json!({"fid": fid, "confidence": 0.9, "namespace": bob.ledger});
    let foreign = ask(&world, 1_000, 1, "update_decision", arguments(&ada.decision)).text();
    let unknown = ask(&world, 1_000, 1, "update_decision", arguments("0123456789ab")).text();
    assert_eq!(foreign.replace(&ada.decision, "ID"), unknown.replace("0123456789ab", "ID"));
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn files_of_another_and_of_the_store_are_not_indexed_for_who_is_confined() {
    let (world, _) = furnished();
    for path in
        ["work/ada/notes.md", "data/lorekeep.db", "work/ada/none.md", "work/bob/../ada/notes.md"]
    {
        let arguments = json!({"file_path": format!("{DIR}/{path}")});
        let answer = ask(&world, 1_000, 1, "index_file", arguments).value["error"].clone();
        let told =
            format!("{DIR}/{path} is outside the folders whose files are open to this caller");
        assert_eq!(answer, json!(told));
    }
    let everything =
        ask(&world, 1_000, 1, "index_directory", json!({"dir_path": format!("{DIR}/work")}));
    assert!(everything.is_error, "{}", everything.text());
}

#[test]
fn a_text_that_another_keeps_is_not_known() {
    let (world, _) = furnished();
    for who in [0, 1] {
        let text = json!({"content": "We use tabs", "namespace": "default"});
        let stored = ask(&world, 1_000 + who as u64, who, "memory_store", text).value;
        assert_eq!(stored["data"]["duplicate"], false);
        let added =
            ask(&world, 1_010 + who as u64, who, "memory_add", json!({"content": "We use tabs"}));
        assert!(!added.text().contains("already"), "{}", added.text());
    }
}

/// On purpose: see the oracle.
#[test]
fn a_namespace_of_the_ledger_is_open_to_whoever_names_it() {
    let (world, [ada, _]) = furnished();
    let seen = ask(&world, 1_000, 1, "get_decisions", json!({"namespace": ada.ledger}));
    assert!(seen.text().contains("Tabs of ada"), "{}", seen.text());
}

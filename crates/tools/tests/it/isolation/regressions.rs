//! What was found once, by name.

use std::fs;

use engine::audit::{self, AuditFilter};
use model::audit::Deed;
use model::{Identity, Layer};
use serde_json::{Value, json};

use super::furniture::{Things, furnish, usual};
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
fn a_namespace_of_the_same_name_is_another_for_each_user() {
    let (world, _) = furnished();
    let kept = |who: usize| {
        let content = format!("The staging database of {who}");
        let file = format!("{DIR}/work/{}/notes.md", ["ada", "bob"][who]);
        let calls = [
            ("memory_store", json!({"content": content, "namespace": "docs"})),
            ("index_file", json!({"file_path": file, "namespace": "docs"})),
        ];
        for (step, (tool, arguments)) in (900 + 10 * who as u64..).zip(calls) {
            let answer = ask(&world, step, who, tool, arguments);
            assert!(!answer.is_error, "{}", answer.text());
        }
    };
    let looks = [
        ("memory_list", json!({"namespace": "docs"})),
        ("memory_count", json!({"namespace": "docs"})),
        ("memory_recall", json!({"query": "staging database", "namespace": "docs"})),
        ("memory_context", json!({"query": "staging database", "namespace": "docs"})),
        ("memory_analyze_health", json!({"namespace": "docs"})),
        (
            "search_with_filters",
            json!({"query": "staging database", "filters": {"namespace": "docs"}}),
        ),
        ("get_index_stats", json!({})),
        ("memory_search", json!({"query": "staging database", "threshold": 0})),
        ("query_memories", json!({"search": "staging"})),
        ("search", json!({"query": "staging database", "n_results": 50})),
    ];
    let see = |who: usize| {
        let look = |(tool, arguments): &(&'static str, Value)| {
            ask(&world, 1_000, who, tool, arguments.clone()).text()
        };
        looks.iter().map(look).collect::<Vec<_>>()
    };
    kept(1);
    let alone = see(1);
    assert!(!see(0)[..6].concat().contains("of 1"), "{:?}", see(0));
    kept(0);
    let told = see(0);
    assert!(told[1].contains("\"count\":1") && told[2].contains("of 0"), "{told:?}");
    // What is read counts as read, and so shows in the second look; nothing of the other does.
    let both = see(1);
    for (one, other) in alone.iter().zip(&both).skip(1).filter(|(one, _)| !one.contains("access")) {
        assert_eq!(one, other);
    }
    assert!(!both.concat().contains("of 0"), "{both:?}");
    let uri = Call::Resource("memory://namespace/docs".to_owned());
    assert!(world.call(1_000, 0, &uri).text().contains("of 0"));
    let complete = Call::Complete("namespace", "d".to_owned());
    assert_eq!(world.call(1_000, 0, &complete).value, json!(["default", "docs"]));
    ask(&world, 1_001, 0, "memory_forget", json!({"query": "staging", "namespace": "docs"}));
    ask(&world, 1_002, 0, "clear_index", json!({"confirm": true}));
    assert!(see(0)[1].contains("\"count\":0"), "{:?}", see(0));
    assert_eq!(see(1)[1], both[1]);
    assert_eq!(see(1)[5], both[5]);
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
    // Besides, some cannot be followed: one of each that are shared, and one of each of its own.
    assert_eq!(synced.value["result"]["failures"], 5, "{}", synced.text());
    assert!(!synced.text().contains("globex"), "{}", synced.text());
}

#[test]
fn what_is_wrong_with_an_item_is_told_to_who_sees_that_item_and_not_another_of_its_id() {
    let (world, _) = furnished();
    for (who, own, other) in
        [(0, "qitemorgsacmenorthz", "globex"), (1, "qitemorgsglobexwestz", "acme")]
    {
        let synced = ask(&world, 1_000 + who as u64, who, "sync_now", json!({})).text();
        assert!(synced.contains(own) && !synced.contains(other), "{synced}");
    }
}

#[test]
fn a_file_outside_the_folders_counts_for_who_may_see_what_it_says() {
    let mut people = People::two();
    let user = people.all[1].identity.id(Layer::User).expect("a user").clone();
    people.all[1].identity = Identity::default().with(Layer::User, user);
    let world = World::open(&people, |_| true);
    let status = |who: usize| {
        ask(&world, 1_000, who, "sync_now", json!({}));
        ask(&world, 1_001, who, "sync_status", json!({})).value["failedItems"].clone()
    };
    let before = [status(0), status(1)];
    assert_eq!(before[1], 0);
    let flawed = "---\nlayer: org\nstatus: accepted\nconstraints:\n  \
        - {operator: must_not_use, target: dependency, pattern: '('}\n---\n# Style\n\nUse.\n";
    let folder = world.folder("data/knowledge/misc/adrs");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("flawed.md"), flawed).expect("an item");
    fs::write(folder.join("broken.md"), "---\nstatus: [\n---\n").expect("a file");
    let all = before[0].as_u64().expect("a number") + 2;
    assert_eq!([status(0), status(1)], [json!(all), json!(0)]);
}

#[test]
fn what_lies_beyond_a_callers_folders_is_not_looked_at() {
    let (world, _) = furnished();
    let bob = world.folder("work/bob");
    std::os::unix::fs::symlink("/etc/passwd", bob.join("out.md")).expect("a link");
    std::os::unix::fs::symlink("/etc/no-such-file", bob.join("nowhere.md")).expect("a link");
    for (path, is_link) in [
        ("work/bob/out.md", true),
        ("work/bob/nowhere.md", true),
        ("work/bob/link.md", true),
        ("work/ada/notes.md", false),
        ("work/ada/link.md", false),
        ("work/ada/../bob/notes.md", false),
        ("work/none/../bob/notes.md", false),
    ] {
        let path = format!("{DIR}/{path}");
        let gone = ask(&world, 1_000, 1, "delete_file", json!({"source_file": path}));
        assert_eq!(gone.value["data"], json!({"source_file": path, "deleted_count": 0}));
        let indexed = ask(&world, 1_000, 1, "index_file", json!({"file_path": path}));
        let told = match is_link {
            true => format!("File not found: {path}"),
            false => format!("{path} is outside the folders whose files are open to this caller"),
        };
        assert_eq!(indexed.value["error"], json!(told));
    }
    let relative = ask(&world, 1_000, 1, "delete_file", json!({"source_file": "Cargo.toml"}));
    assert_eq!(relative.value["data"]["source_file"], "Cargo.toml");
    let own = json!({"source_file": format!("{DIR}/work/bob/docs/../notes.md")});
    let own = ask(&world, 1_000, 1, "delete_file", own);
    assert_eq!(own.value["data"]["source_file"], json!(format!("{DIR}/work/bob/notes.md")));
    assert_eq!(own.value["data"]["deleted_count"], 1);
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

#[test]
fn a_closed_namespace_of_the_ledger_reads_like_an_empty_one() {
    let (world, [ada, _]) = furnished();
    for tool in ["get_decisions", "get_recent_events"] {
        let seen = ask(&world, 1_000, 1, tool, json!({"namespace": ada.ledger}));
        assert_eq!((seen.value["total"].clone(), seen.is_error), (json!(0), false), "{tool}");
        let own = ask(&world, 1_000, 0, tool, json!({})).value["total"].clone();
        assert_ne!(own, json!(0), "the first that is open is meant where none is named");
    }
    let prompt = json!({"prompt": "Tabs of ada", "namespace": ada.ledger, "mode": "fuzzy"});
    let told = |who| ask(&world, 1_001, who, "get_context_for_prompt", prompt.clone()).text();
    assert!(told(0).contains("Tabs of ada") && !told(1).contains(&ada.decision), "{}", told(1));
}

#[test]
fn a_write_into_a_closed_namespace_is_refused_and_noted_whether_or_not_anything_is_there() {
    let (world, [ada, bob]) = furnished();
    let writes = ["record_decision", "forget", "link_evidence", "bridge-record", "sync_git"];
    for tool in writes {
        for (name, has) in [(ada.ledger.as_str(), &ada), ("nobody", &bob)] {
            let mut arguments = usual(tool, has);
            arguments["namespace"] = json!(name);
            let answer = ask(&world, 1_000, 1, tool, arguments);
            let told = &answer.value["error"];
            assert_eq!(told["code"], "FORBIDDEN", "{tool} {name}: {}", answer.text());
            let message = told["message"].as_str().expect("a message");
            assert!(message.contains(&format!("--namespaces {name}")), "{message}");
            let filter = AuditFilter { limit: 1, ..AuditFilter::default() };
            let noted = audit::entries(&world.engine, &filter).expect("entries").remove(0).noted;
            assert_eq!((noted.deed, noted.actor.tool.as_deref()), (Deed::Denied, Some(tool)));
        }
    }
    let left = ask(&world, 2_000, 0, "get_decisions", json!({"fid": ada.decision}));
    assert!(!left.is_error, "{}", left.text());
}

#[test]
fn when_others_wrote_to_the_ledger_is_not_told() {
    let (world, [_, bob]) = furnished();
    let newest = |who: usize| {
        let synced = ask(&world, 1_000, who, "sync_git", json!({})).value;
        synced["commit_hash"].as_str().expect("a commit").to_owned()
    };
    let (before, own) = (newest(0), newest(1));
    assert_ne!(before, own);
    ask(&world, 1_001, 1, "record_decision", usual("record_decision", &bob));
    assert_eq!(newest(0), before);
    assert_ne!(newest(1), own);
}

/// A search of knowledge lends relevance to the neighbours of what it finds, and the other group's items
/// stood between one's own.
#[test]
fn items_of_others_that_lie_between_ones_own_change_nothing_that_is_found() {
    super::try_one(14_535_995_839_358_614_659, &mut super::Reached::new());
}

//! Every tool, every field that takes an id: another's id is answered like one that nobody has.

use serde_json::{Value, json};
use tools::{Catalogue, Selection};

use super::asking::{self, fields, is_plain, named};
use super::furniture::{Things, furnish, unknown, usual};
use super::oracle::Plain;
use super::people::People;
use super::world::{Answer, Call, World};

/// An answer without the id that was asked for.
fn without(answer: &Answer, id: &Value) -> String {
    asking::without(&format!("{} {}", answer.is_error, answer.text()), id)
}

/// All that somebody sees.
fn view(world: &World, who: usize, has: &Things) -> Vec<String> {
    let looks = [
        ("memory_list", json!({"limit": 1000})),
        ("query_memories", json!({"limit": 100, "archived": true})),
        ("memory_inspect_graph", json!({"memory_id": has.memory})),
        ("validation_history", json!({"memory_id": has.memory})),
        ("get_decisions", json!({"namespace": has.ledger})),
        ("get_recent_events", json!({"namespace": has.ledger})),
        ("get_memory_object", json!({"name": has.thing})),
        ("get_index_stats", json!({})),
        ("get_memory_stats", json!({})),
        ("search", json!({"query": "staging", "n_results": 50})),
        ("knowledge_query", json!({"limit": 100})),
        ("grz_read_file", json!({"file_path": "notes.md"})),
        ("grz_execute_command", json!({"command": "ls -R"})),
    ];
    let look = |(tool, arguments): (&'static str, Value)| {
        world.call(9_000, who, &Call::Tool(tool, arguments)).text()
    };
    looks.into_iter().map(look).collect()
}

#[test]
fn an_id_of_another_is_answered_like_one_that_nobody_has() {
    let people = People::two();
    let open = || {
        let world = World::open(&people, |_| true);
        let has = [0, 1].map(|who| furnish(&world, 100 * (who as u64 + 1), who, &people.all[who]));
        (world, has)
    };
    // The same calls in two worlds: in the one with another's ids, in the other with nobody's.
    let ((one, [ada, bob]), (other, _)) = (open(), open());
    let nobody = unknown();
    assert_eq!(view(&one, 0, &ada), view(&other, 0, &ada));
    let (mut number, mut findings, mut swept) = (1_000, Vec::new(), 0);
    let (mut plain_one, mut plain_other) = (Plain::default(), Plain::default());
    let catalogue = Catalogue::new(Selection::all());
    for (_, tool) in catalogue.all() {
        let name = tool.spec.name;
        for (path, field) in fields(&tool.input) {
            let Some(foreign) = named(name, &field, &ada) else {
                let told = "say whether it names what somebody has";
                assert!(is_plain(&field), "{name} {path}: {told}");
                continue;
            };
            let unknown = named(name, &field, &nobody).expect("the same field");
            (number, swept) = (number + 1, swept + 1);
            let ask = |world: &World, plain: &mut Plain, id: &Value| {
                let call = Call::Tool(name, asking::asking(name, &path, &bob, id));
                without(&plain.of(&world.call(number, 1, &call)), id)
            };
            let (told, untold) =
                (ask(&one, &mut plain_one, &foreign), ask(&other, &mut plain_other, &unknown));
            if told != untold {
                findings.push(format!("{name} {path}\n  another's: {told}\n  nobody's:  {untold}"));
            }
        }
    }
    assert!(swept > 60, "only {swept} fields were tried");
    if view(&one, 0, &ada) != view(&other, 0, &ada) {
        findings.push("somebody else's calls changed what ada sees".to_owned());
    }
    crate::none(&findings);
}

#[test]
fn an_address_of_another_is_answered_like_one_that_nobody_has() {
    let people = People::two();
    let world = World::open(&people, |_| true);
    let [ada, _] = [0, 1].map(|who| furnish(&world, 100 * (who as u64 + 1), who, &people.all[who]));
    let nobody = unknown();
    let read =
        |uri: String, id: &str| without(&world.call(1_000, 1, &Call::Resource(uri)), &json!(id));
    for (kind, foreign, unknown) in [
        ("memory", &ada.memory, &nobody.memory),
        ("namespace", &ada.project, &nobody.project),
        ("tag", &ada.tag, &nobody.tag),
    ] {
        let at = |id: &String| read(format!("memory://{kind}/{id}"), id);
        assert_eq!(at(foreign), at(unknown), "{kind}");
    }
    let complete = |who| world.call(1_000, who, &Call::Complete("tag", "tag-".to_owned())).value;
    assert_eq!((complete(0), complete(1)), (json!(["tag-ada"]), json!(["tag-bob"])));
}

#[test]
fn what_is_usual_works_on_ones_own() {
    let people = People::two();
    let mut findings = Vec::new();
    let (mut world, mut number) = (World::open(&people, |_| true), 1_000);
    let mut has = furnish(&world, 100, 0, &people.all[0]);
    for (_, tool) in Catalogue::new(Selection::all()).all() {
        let (name, effect) = (tool.spec.name, tool.spec.effect);
        number += 1;
        let answer = world.call(number, 0, &Call::Tool(name, usual(name, &has)));
        if answer.is_error {
            findings.push(format!("{name}: {}", answer.value));
        }
        let spends = effect.destructive || matches!(name, "accept_proposal" | "supersede_decision");
        if spends || answer.is_error {
            world = World::open(&people, |_| true);
            has = furnish(&world, 100, 0, &people.all[0]);
        }
    }
    crate::none(&findings);
}

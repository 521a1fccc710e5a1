//! Records of the ledger, with git behind them.

use serde_json::{Value, json};

use crate::cost::{alone, assert_growth};
use crate::world::World;
use crate::{LARGE, SMALL};

/// How many calls a round has.
const CALLS: usize = 10;

/// The id of a decision that was written by hand; numbers count from 1.
fn decision_id(number: u64) -> String {
    format!("{:012x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16)
}

/// A decision by its number; no two are about the same target.
fn decision(world: &World, number: u64) -> Value {
    let sentence = world.sentences.sentence(number);
    let words: Vec<&str> = sentence.split_whitespace().take(8).collect();
    let title = format!("{} ({number})", words.join(" "));
    json!({"title": title, "target": format!("component_{number}"), "rationale": sentence})
}

/// A ledger of so many decisions, written as files by hand and taken in at once.
fn with_decisions(count: u64) -> World {
    let world = World::new();
    world.call("record_decision", &decision(&world, 0));
    let ledger = world.dir.path().join(engine::LEDGER);
    for number in 1..count {
        let id = decision_id(number);
        let folder = ledger.join("default").join(&id[..2]);
        std::fs::create_dir_all(&folder).expect("a folder");
        let (new, text) =
            (decision(&world, number), |value: &Value| value.as_str().unwrap().to_owned());
        let (title, target, why) =
            (text(&new["title"]), text(&new["target"]), text(&new["rationale"]));
        let file = format!(
            "---\nfid: {id}\nkind: decision\nstatus: active\ntarget: {}\n---\n\n# {title}\n\n## Rationale\n\n{why}\n",
            json!(target)
        );
        std::fs::write(folder.join(format!("decision_{id}.md")), file).expect("a file");
    }
    let synced = world.call("sync_git", &json!({}));
    let listed = world.call("get_decisions", &json!({"limit": 1}));
    assert_eq!(listed["total"], count, "{synced}");
    world.embed();
    world
}

#[test]
fn records_cost_the_same_in_a_large_ledger() {
    let _alone = alone();
    let (small, large) = (with_decisions(SMALL), with_decisions(LARGE));
    let record = |world: &World, round: usize| {
        for at in 0..CALLS {
            let number = 1_000_000 + (round * CALLS + at) as u64;
            world.call("record_decision", &decision(world, number));
        }
    };
    let growth = |what: &str, factor_max: f64, calls: &dyn Fn(&World, usize)| {
        assert_growth(what, factor_max, |round| calls(&small, round), |round| calls(&large, round));
    };
    growth("record_decision", 2.0, &record);
    growth("search_decisions", 2.0, &|world, round| {
        for at in 0..CALLS {
            let number = (round * CALLS + at) as u64 * 7919 % SMALL;
            world.call("search_decisions", &json!({"query": world.sentences.question(number)}));
        }
    });
    growth("get_decisions", 1.5, &|world, round| {
        for at in 0..CALLS {
            let id = decision_id((round * CALLS + at) as u64 + 1);
            world.call("get_decisions", &json!({"fid": id}));
        }
    });
}

#[test]
fn links_cost_the_same_in_a_large_ledger() {
    let _alone = alone();
    let of = |count| {
        let world = with_decisions(count);
        let event = world.call("bridge-record", &json!({"prompt": "zzqx", "response": "wwvk"}));
        (world, event["event_id"].clone())
    };
    let (small, large) = (of(SMALL), of(LARGE));
    // Each record once, since an event is linked with none twice.
    let link = |(world, event): &(World, Value), round: usize| {
        for at in 0..CALLS {
            let id = decision_id((round * CALLS + at) as u64 + 1);
            world.call("link_evidence", &json!({"event_id": event, "decision_ids": [id]}));
        }
    };
    // A link changes a file that is there: the ledger rewrites git's index, whose size grows with the files.
    assert_growth("link_evidence", 3.0, |round| link(&small, round), |round| link(&large, round));
}

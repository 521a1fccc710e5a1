//! Files checked against knowledge.

use std::fmt::Write as _;

use serde_json::json;

use crate::cost::{alone, assert_growth};
use crate::world::World;

/// How many items there are, each with two constraints, and how many lines a file has. The large form
/// has [`TIMES`] as many.
const ITEMS: usize = 50;
const LINES: usize = 2_000;
const TIMES: usize = 4;

/// So many times as much may cost as many times as much, and a little more; its square is 16.
const FACTOR_MAX: f64 = 1.5 * TIMES as f64;

fn with_items(count: usize) -> World {
    let world = World::new();
    let folder = world.dir.path().join(engine::knowledge::FOLDER).join("company/policies");
    std::fs::create_dir_all(&folder).expect("a folder");
    for at in 0..count {
        let item = format!(
            "---\nid: item-{at}\nstatus: accepted\nseverity: warn\nconstraints:\n\
             \x20 - operator: must_not_use\n    target: code\n    pattern: 'legacy_call_{at}\\('\n\
             \x20 - operator: must_not_match\n    target: code\n    pattern: 'vendor_{at}_v[0-9]+'\n---\n\
             # Rule {at}\n\nThe components talk to each other by their interfaces.\n"
        );
        std::fs::write(folder.join(format!("item-{at}.md")), item).expect("a file");
    }
    world
}

fn source(lines: usize) -> String {
    let line = |number: usize| format!("    let value_{number} = compute(value, {number});");
    (0..lines).fold(String::new(), |mut text, number| {
        writeln!(text, "{}", line(number)).expect("a text");
        text
    })
}

fn check(world: &World, lines: usize) {
    let files = json!([{"path": "src/one.rs", "content": source(lines)}]);
    world.call("knowledge_check", &json!({"files": files}));
}

#[test]
fn a_check_costs_no_more_than_what_is_checked() {
    let _alone = alone();
    let (few, many) = (with_items(ITEMS), with_items(TIMES * ITEMS));
    assert_growth(
        "knowledge_check of 4 × the lines",
        FACTOR_MAX,
        |_| check(&few, LINES),
        |_| check(&few, TIMES * LINES),
    );
    assert_growth(
        "knowledge_check against 4 × the rules",
        FACTOR_MAX,
        |_| check(&few, LINES),
        |_| check(&many, LINES),
    );
}

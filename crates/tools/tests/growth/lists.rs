//! Lists, counts and what hangs together.

use model::MemoryId;
use serde_json::{Value, json};

use crate::cost::{alone, assert_growth};
use crate::world::World;
use crate::{LARGE, SMALL};

/// How many calls a round has.
const CALLS: usize = 10;

/// How many edges lead from each memory, and how far is looked.
const EDGES: usize = 5;
const DEPTH: u64 = 2;

fn assert_same(factor_max: f64, tool: &str, given: &Value, small: &World, large: &World) {
    let calls = |world: &World| (0..CALLS).for_each(|_| _ = world.call(tool, given));
    let what = format!("{tool} {given}");
    assert_growth(&what, factor_max, |_| calls(small), |_| calls(large));
}

#[test]
fn a_page_costs_the_same_of_a_long_list() {
    let _alone = alone();
    let of = |count| {
        let world = World::new();
        world.add_memories(count);
        world
    };
    let (small, large) = (of(SMALL), of(LARGE));
    for order in ["created_at", "importance", "confidence", "last_accessed"] {
        let given = json!({"limit": 100, "order_by": order});
        assert_same(1.5, "memory_list", &given, &small, &large);
    }
    assert_same(1.5, "memory_count", &json!({"memory_type": "fact"}), &small, &large);
    assert_same(1.5, "query_memories", &json!({"limit": 100}), &small, &large);
}

#[test]
fn a_neighborhood_costs_the_same_in_a_large_graph() {
    let _alone = alone();
    let of = |count: u64| {
        let world = World::new();
        let ids = world.add_memories(count);
        world.add_edges(&ids, EDGES);
        (world, ids)
    };
    let (small, large) = (of(SMALL), of(LARGE));
    let inspect = |(world, ids): &(World, Vec<MemoryId>)| {
        for id in ids.iter().take(CALLS) {
            let given = json!({"memory_id": id.prefixed(), "max_depth": DEPTH});
            let nodes = world.call("memory_inspect_graph", &given);
            assert!(nodes["nodes"].as_array().is_some_and(|nodes| nodes.len() > 50), "{nodes}");
        }
    };
    assert_growth("memory_inspect_graph", 1.5, |_| inspect(&small), |_| inspect(&large));
}

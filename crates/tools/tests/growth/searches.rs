//! Searching and adding.

use serde_json::{Value, json};

use crate::cost::{alone, assert_growth};
use crate::world::World;
use crate::{LARGE, SMALL};

/// How many calls a round has.
const CALLS: usize = 20;

fn with_memories(count: u64) -> World {
    let world = World::new();
    world.add_memories(count);
    world
}

fn with_chunks(count: u64) -> World {
    let world = World::new();
    world.add_chunks(count);
    world
}

/// Asks other questions in each round, so that nothing is known from the round before.
fn ask(world: &World, round: usize, call: impl Fn(&World, String) -> Value) {
    for at in 0..CALLS {
        let number = (round * CALLS + at) as u64 * 7919 % SMALL;
        call(world, world.sentences.question(number));
    }
}

#[test]
fn memory_search_costs_the_same_in_a_large_store() {
    let _alone = alone();
    let search = |world: &World, query| world.call("memory_search", &json!({"query": query}));
    let (small, large) = (with_memories(SMALL), with_memories(LARGE));
    assert_growth(
        "memory_search",
        2.0,
        |round| ask(&small, round, search),
        |round| ask(&large, round, search),
    );
}

#[test]
fn search_with_budget_costs_the_same_in_a_large_index() {
    let _alone = alone();
    let search = |world: &World, query| {
        world.call("search_with_budget", &json!({"query": query, "max_tokens": 2_000}))
    };
    let (small, large) = (with_chunks(SMALL), with_chunks(LARGE));
    assert_growth(
        "search_with_budget",
        2.0,
        |round| ask(&small, round, search),
        |round| ask(&large, round, search),
    );
}

#[test]
fn memory_add_costs_the_same_in_a_large_store() {
    let _alone = alone();
    let add = |world: &World, round: usize| {
        for at in 0..CALLS {
            let number = 1_000_000 + (round * CALLS + at) as u64;
            let content = world.sentences.sentence(number);
            world.call("memory_add", &json!({"content": content, "layer": "user"}));
        }
    };
    let (small, large) = (with_memories(SMALL), with_memories(LARGE));
    assert_growth("memory_add", 1.5, |round| add(&small, round), |round| add(&large, round));
}

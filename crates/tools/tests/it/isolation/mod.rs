//! Nobody sees or changes what is not theirs.
//!
//! Programmes of calls over all tools, resources, prompts and completions are made by chance, by people
//! who share some layers and not others. Nothing in an answer may be a secret of somebody who is closed
//! to the caller ([`oracle`] says who is), and every answer must be the same, byte by byte, when what a
//! person may not see never happened: neither the calls nor the files of the other group, nor what was
//! refused, nor what somebody wrote for themselves alone. What fails is shown with as few steps as fail.
//!
//! `PROPTEST_CASES` says how many programmes are tried, `PROPTEST_RNG_SEED` chooses other ones, and
//! `ISOLATION_SEED` names one of them.

mod arguments;
mod asking;
mod chance;
mod furniture;
mod oracle;
mod people;
mod programme;
mod regressions;
mod sweep;
mod traces;
mod world;

use programme::{Programme, Reached, Step};

/// So many programmes are tried where nobody says otherwise: one of them has every tool.
const CASES: u64 = programme::COMPLETE_EVERY + 4;

/// A number that the environment gives.
fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// What is wrong with a programme that was made without a fault.
fn fault(programme: &Programme) -> Option<String> {
    let people = &programme.people.all;
    let whole = programme.run(|_| true, |_| true);
    // Who may go to every project is of both groups, so they are compared as if nobody came by.
    let stays = |step: &Step| !people[step.who].identity.has_all_projects();
    let is_visited = people.iter().any(|person| person.identity.has_all_projects());
    let unvisited = is_visited.then(|| programme.run(|_| true, stays));
    for group in 0..2 {
        let of = |step: &Step| people[step.who].group == group && stays(step);
        let with = unvisited.as_ref().unwrap_or(&whole);
        if let Err(why) = programme.compare(with, of, |present| present == group) {
            return Some(format!("the other group shows: {why}"));
        }
    }
    let allowed = |step: &Step| !programme.is_denied(step);
    if let Err(why) = programme.compare(&whole, allowed, |_| true) {
        return Some(format!("what was refused shows: {why}"));
    }
    let others = |step: &Step| programme.hermit != Some(step.who);
    programme.hermit?;
    let why = programme.compare(&whole, others, |_| true).err()?;
    Some(format!("what was kept alone shows: {why}"))
}

/// Tries the programme of one seed.
fn try_one(seed: u64, reached: &mut Reached) {
    let (programme, seen) = Programme::by(seed, reached);
    if let Err(why) = seen {
        panic!("ISOLATION_SEED={seed}: {why}");
    }
    if fault(&programme).is_some() {
        panic!("ISOLATION_SEED={seed}: {}", programme.shrunk(fault));
    }
}

#[test]
fn nobody_sees_or_changes_what_is_not_theirs() {
    let mut reached = Reached::new();
    if let Some(seed) = given("ISOLATION_SEED") {
        return try_one(seed, &mut reached);
    }
    let cases = given("PROPTEST_CASES");
    let first = given("PROPTEST_RNG_SEED").unwrap_or(0).wrapping_mul(programme::COMPLETE_EVERY);
    for number in 0..cases.unwrap_or(CASES) {
        try_one(first.wrapping_add(number), &mut reached);
    }
    let missed: Vec<_> = tools::Toolset::ALL
        .into_iter()
        .flat_map(|toolset| toolset.tools())
        .filter(|spec| !reached.contains_key(spec.name))
        .map(|spec| spec.name)
        .collect();
    let is_whole = cases.is_none_or(|cases| cases >= CASES);
    assert!(!is_whole || missed.is_empty(), "never succeeded: {missed:?}; {reached:?}");
}

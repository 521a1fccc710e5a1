//! Items without their secrets.
//!
//! A file is a person's and stays as it is; what is told and shown of it has a mark in a secret's
//! place. A rule's pattern is searched to the letter all the same: one that forbids a key which
//! leaked is worth having.

use std::sync::Arc;

use model::{Flawed, Item};
use rules::Finding;

use crate::secrets::{self, Policy};

/// Takes the secrets out of all texts of an item but the patterns of its rules; how many there were.
pub(super) fn texts(policy: Policy, item: &mut Item) -> usize {
    let Item { title, summary, content, tags, metadata, constraints, waivers, flaws, .. } = item;
    let messages = constraints.iter_mut().filter_map(|one| one.message.as_mut());
    let reasons = waivers.iter_mut().map(|one| &mut one.reason);
    let texts = [title, summary, content].into_iter().chain(tags).chain(messages).chain(reasons);
    let found: usize = texts.map(|text| secrets::take(policy, text)).sum();
    flaws.iter_mut().for_each(|one| flaw(policy, one));
    found + secrets::take_metadata(policy, metadata)
}

/// The same for the patterns of its rules and waivers; an item that has none stays the same.
pub(super) fn patterns(policy: Policy, item: &mut Arc<Item>) -> usize {
    let waived = item.waivers.iter().filter_map(|one| one.pattern.as_ref());
    let mut all = item.constraints.iter().map(|one| &one.pattern).chain(waived);
    if !all.any(|pattern| secrets::kind(policy, pattern).is_some()) {
        return 0;
    }
    let Item { constraints, waivers, .. } = Arc::make_mut(item);
    let waived = waivers.iter_mut().filter_map(|one| one.pattern.as_mut());
    let all = constraints.iter_mut().map(|one| &mut one.pattern).chain(waived);
    all.map(|pattern| secrets::take(policy, pattern)).sum()
}

/// What of an item cannot be followed is told with the value that cannot.
pub(super) fn flaw(policy: Policy, flaw: &mut Flawed) {
    let words = flaw.constraint.iter_mut().flatten();
    words.chain([&mut flaw.why]).for_each(|text| _ = secrets::take(policy, text));
}

/// What was found by a rule, as it is told: with the rule's pattern. What matched it is the caller's.
pub(super) fn finding(policy: Policy, mut finding: Finding) -> Finding {
    secrets::take(policy, &mut finding.pattern);
    secrets::take(policy, &mut finding.message);
    finding
}

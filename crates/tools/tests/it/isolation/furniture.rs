//! One of everything, for each of two people.

use serde_json::Value;

use super::asking::{self, Names};
pub(super) use super::asking::{Things, usual};
use super::people::{GROUPS, Person};
use super::world::{Call, DIR, World};

/// What nobody has.
pub(super) fn unknown() -> Things {
    Things::unknown(format!("{DIR}/work/nobody"))
}

/// Gives somebody one of everything; its steps have numbers from `first` on.
pub(super) fn furnish(world: &World, first: u64, who: usize, person: &Person) -> Things {
    let mut number = first;
    let group = &GROUPS[person.group];
    let names = Names {
        name: person.name.to_owned(),
        ledger: group.ledgers[0].to_owned(),
        folder: format!("{DIR}/work/{}", person.name),
        project: format!("project:{}", group.projects[0]),
        item: format!("adr-orgs-{}", group.orgs[0]),
    };
    asking::furnish(&names, |tool, arguments: Value| {
        number += 1;
        let answer = world.call(number, who, &Call::Tool(tool, arguments));
        assert!(!answer.is_error, "{tool}: {}", answer.value);
        answer.value
    })
}

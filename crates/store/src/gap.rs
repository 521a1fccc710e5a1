//! What a repair found missing in the audit log, told in the log itself: an entry at its end names the
//! entries, and from then on the log hangs together but for those.

use model::Actor;
use model::audit::{Deed, Entry, NewEntry};
use rusqlite::Connection;

use crate::archive::archived;
use crate::audit;
use crate::error::Result;
use crate::rolling;

/// Who tells it. No tool of an agent is named like that.
const TOOL: &str = "doctor --repair";

/// How what is told begins.
const BEGIN: &str = "entries lost in repair: ";

/// The numbers from the first to the last.
pub(crate) type Range = (i64, i64);

/// What repairs have told.
pub(crate) fn told(db: &Connection) -> Result<Vec<Range>> {
    let sql = "SELECT number, what FROM audit WHERE tool = ?1 AND who = ?1";
    let mut statement = db.prepare(sql)?;
    let told = statement.query_map([TOOL], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let told: Vec<(i64, String)> = told.collect::<rusqlite::Result<_>>()?;
    Ok(told.iter().flat_map(|(number, what)| ranges(*number, what)).collect())
}

/// What this entry tells, if it is a repair's.
pub(crate) fn told_by(entry: &Entry) -> Vec<Range> {
    let Actor { who, tool, .. } = &entry.noted.actor;
    let is_ours = who == TOOL && tool.as_deref() == Some(TOOL);
    if is_ours { ranges(entry.number, &entry.noted.what) } else { Vec::new() }
}

/// What an entry of this number tells. Of itself it cannot: else a forged one would pass for lost.
fn ranges(number: i64, what: &str) -> Vec<Range> {
    let named = what.strip_prefix(BEGIN).into_iter().flat_map(|named| named.split(", "));
    named.filter_map(range).filter(|(_, last)| *last < number).collect()
}

fn range(text: &str) -> Option<Range> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// Whether all of these numbers were told.
pub(crate) fn is_told(told: &[Range], (first, last): Range) -> bool {
    first <= last && told.iter().any(|(from, to)| *from <= first && last <= *to)
}

/// What lacks where this entry comes in the place of the next: itself, too, unless it follows from the
/// last that is there.
pub(crate) fn before(next: i64, number: i64, follows: bool) -> Range {
    (next, if follows { number - 1 } else { number })
}

/// How a range is shown.
pub(crate) fn shown((first, last): Range) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Tells in the log which of its entries are missing or not what was noted. What was told.
pub(crate) fn tell(db: &Connection) -> Result<Option<String>> {
    let told = told(db)?;
    let mut lost = lost(db)?;
    lost.retain(|range| !is_told(&told, *range));
    if lost.is_empty() {
        return Ok(None);
    }
    let named = lost.iter().map(|range| shown(*range)).collect::<Vec<_>>().join(", ");
    let actor = Actor::agent_of(TOOL).calling(TOOL);
    let (at, what) = (rolling::now(), format!("{BEGIN}{named}"));
    audit::note(db, &NewEntry { actor, at, deed: Deed::Written, what })?;
    Ok(Some(named))
}

/// The entries that are missing, and those that do not follow from the one before.
fn lost(db: &Connection) -> Result<Vec<Range>> {
    let mut statement = db.prepare("SELECT number, hash FROM audit ORDER BY number")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // What was moved to a file is not missing.
    let (last, mut before) = archived(db)?.pop().unwrap_or_default();
    let (mut lost, mut next): (Vec<Range>, i64) = (Vec::new(), last + 1);
    for row in rows {
        let (number, hash): (i64, [u8; 32]) = row?;
        let (first, last) = self::before(next, number, audit::follows(db, "main", number, &before));
        if first <= last {
            lost.push((first, last));
        }
        (next, before) = (number + 1, hash);
    }
    lost.extend(audit::given(db)?.filter(|given| *given >= next).map(|given| (next, given)));
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use model::{Change, Op};

    use super::*;
    use crate::tests::memory;
    use crate::verify::tests::guards;
    use crate::{Attribution, Beside, Store};

    #[test]
    fn what_a_repair_told_is_no_fault_and_what_is_lost_later_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let by = || Attribution { actor: Actor::agent_of("ada").into(), at: rolling::now() };
        for number in 0..9 {
            let change = Change::of(Op::Insert(memory(number, &format!("text {number}"))));
            store.apply_by(change, by()).unwrap();
        }
        let db = Connection::open(store.path()).unwrap();
        db.execute_batch(
            "DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted",
        )
        .unwrap();
        db.execute_batch(
            "DELETE FROM audit WHERE number IN (1, 2, 5, 9); UPDATE audit SET what = 'x' WHERE number = 7",
        )
        .unwrap();
        db.execute_batch(&guards()).unwrap();
        assert!(store.verify_audit(&Beside::default()).unwrap().fault.is_some());
        assert_eq!(tell(&db).unwrap().as_deref(), Some("1-3, 5-6, 7, 9"));
        assert_eq!(tell(&db).unwrap(), None, "once is enough");
        let verified = store.verify_audit(&Beside::default()).unwrap();
        assert_eq!(verified.fault, None);
        assert_eq!(verified.lost, [(1, 3), (5, 6), (7, 7), (9, 9)]);
        let change = Change::of(Op::Insert(memory(20, "later")));
        store.apply_by(change, by()).unwrap();
        assert_eq!(store.verify_audit(&Beside::default()).unwrap().head.unwrap().0, 11);
        let later = "DROP TRIGGER audit_is_never_deleted; DELETE FROM audit WHERE number = 8";
        db.execute_batch(later).unwrap();
        assert!(
            store.verify_audit(&Beside::default()).unwrap().fault.is_some(),
            "nobody told of this one"
        );
    }
}

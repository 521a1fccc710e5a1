//! Whether a database is an earlier state of what a backup holds: an older copy that was put in its place,
//! or a new one that was made where it was lost. Then the backup has all that is there, and more.

use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;
use crate::line::Lines;
use crate::repair::Repair;
use crate::rolling::Kept;
use crate::salvage::{self, Gap};
use crate::{mark, mend, migrate};

/// Whether nothing was ever written into a database: it was made where another was lost.
fn is_new(db: &Connection) -> bool {
    let reached_anew = || {
        let mut new = Connection::open_in_memory()?;
        migrate::run_to(&mut new, migrate::version(db)?)?;
        mark::reached(&new)
    };
    mark::reached(db).is_ok_and(|reached| reached_anew().is_ok_and(|anew| anew == reached))
}

/// The lines of a damaged database. A new one is on none: it must not shut out the backups of what was
/// lost.
pub(crate) fn lines(db: &Connection) -> Lines {
    if is_new(db) { Lines::default() } else { Lines::of(db) }
}

/// Whether the backup is what the database was to become.
pub(crate) fn is_behind(db: &Connection, backup: &Connection, kept: &Kept) -> bool {
    let is_same = is_new(db) || Lines::of(db).go_on_in(kept);
    // Where the counts cannot be read nobody can tell.
    is_same && is_less(db, backup).unwrap_or(false)
}

/// Whether no table has come further than in the backup, and some have come less far.
fn is_less(db: &Connection, backup: &Connection) -> Result<bool> {
    let (ours, is_whole) = salvage::counters(db);
    let (theirs, _) = salvage::counters(backup);
    let is_known = ours.iter().all(|(name, _)| theirs.iter().any(|(known, _)| known == name));
    if !is_whole || !is_known {
        return Ok(false);
    }
    let mut is_less = false;
    for (table, seq) in &theirs {
        let count = ours.iter().find(|(name, _)| name == table).map_or(0, |(_, seq)| *seq);
        // A row may be newer than a count that was damaged.
        let sql = format!("SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid DESC LIMIT 1");
        let last: Option<i64> = db.query_row(&sql, [], |row| row.get(0)).optional()?;
        if count.max(last.unwrap_or(0)) > *seq {
            return Ok(false);
        }
        is_less |= count < *seq;
    }
    Ok(is_less)
}

/// Takes everything from a backup: of the database nothing can be read, or nothing that is newer. What
/// is still to be looked for elsewhere.
pub(crate) fn take_all(
    target: &Connection,
    backup: &Connection,
    kept: &Kept,
    repair: &mut Repair,
) -> Result<Vec<Gap>> {
    let mut gaps = everything(target)?;
    for gap in &gaps {
        salvage::fill(backup, target, gap)?;
    }
    for (table, seq) in salvage::counters(backup).0 {
        salvage::count_from(target, &table, seq)?;
    }
    let from = format!("the backup {}, as it was at {}", kept.path.display(), kept.at);
    repair.restored.extend(mend::counted(target, &from)?);
    // Git may have newer ones.
    repair.records_lost = true;
    gaps.retain(|gap| gap.table == "record");
    Ok(gaps)
}

/// Nothing at all could be read.
pub(crate) fn everything(target: &Connection) -> Result<Vec<Gap>> {
    let tables = salvage::tables(target)?;
    for table in &tables {
        // A new database has rows of its own in some.
        target.execute(&format!("DELETE FROM {}", table.name), [])?;
    }
    let whole = |table: salvage::Table| Gap { table: table.name, from: i64::MIN, to: i64::MAX };
    Ok(tables.into_iter().map(whole).collect())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use model::Op;

    use crate::audit::tests::by;
    use crate::rolling::{self, Rhythm, Rolled};
    use crate::tests::{memory, write};
    use crate::{FILE_NAME, Store, StoreError, repair};

    /// A store with a backup of `backed` memories and `more` that are not in it; with an older copy that
    /// has one.
    fn store(backed: u32, more: u32) -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("store");
        let older = dir.path().join("older.db");
        let store = Store::open(&home).unwrap();
        write(&store, Op::Insert(memory(0, "note 0")));
        store.backup(&older).unwrap();
        for number in 1..backed {
            write(&store, Op::Insert(memory(number, &format!("note {number}"))));
        }
        let rolled = store.roll(&Rhythm::default(), rolling::now()).unwrap();
        assert!(matches!(rolled, Rolled::Made(_)), "{rolled:?}");
        for number in backed..backed + more {
            write(&store, Op::Insert(memory(number, &format!("note {number}"))));
        }
        (dir, home, older)
    }

    fn count(home: &Path) -> usize {
        let store = Store::open(home).unwrap();
        assert_eq!(store.damage(), None);
        let health = store.health().unwrap();
        assert!(health.problems.is_empty(), "{:?}", health.problems);
        usize::try_from(health.memories).unwrap()
    }

    #[test]
    fn no_empty_store_is_made_where_one_was_and_the_backup_is_put_there() {
        for is_empty in [false, true] {
            let (_dir, home, _) = store(5, 2);
            let path = home.join(FILE_NAME);
            std::fs::remove_file(&path).unwrap();
            if is_empty {
                std::fs::write(&path, "").unwrap();
            }
            for opened in [Store::open(&home), Store::open_read_only(&home)] {
                let refused = opened.unwrap_err();
                assert!(matches!(refused, StoreError::Lost { .. }), "{refused}");
                assert!(refused.to_string().contains("doctor --repair"), "{refused}");
            }
            assert_eq!(std::fs::metadata(&path).map_or(0, |data| data.len()), 0);
            let told = repair(&home, Some(&by("ada"))).unwrap().unwrap();
            assert!(told.restored[0].contains("5 memories, from the backup"), "{told:?}");
            assert!(told.lost[0].contains("of the last changes"), "{told:?}");
            assert_eq!(count(&home), 5);
            assert_eq!(repair(&home, Some(&by("ada"))).unwrap(), None);
            let store = Store::open(&home).unwrap();
            write(&store, Op::Insert(memory(100, "goes on")));
            drop(store);
            assert_eq!(count(&home), 6);
        }
    }

    #[test]
    fn an_older_copy_becomes_what_the_backup_is() {
        let (_dir, home, older) = store(5, 2);
        std::fs::copy(&older, home.join(FILE_NAME)).unwrap();
        let told = repair(&home, Some(&by("ada"))).unwrap().unwrap();
        assert!(told.restored[0].contains("5 memories, from the backup"), "{told:?}");
        assert_eq!(count(&home), 5);
    }

    #[test]
    fn a_store_that_was_made_where_one_was_lost_does_not_shut_its_backups_out() {
        let (dir, home, _) = store(5, 0);
        let new = dir.path().join("new");
        drop(Store::open(&new).unwrap());
        std::fs::copy(new.join(FILE_NAME), home.join(FILE_NAME)).unwrap();
        repair(&home, Some(&by("ada"))).unwrap().unwrap();
        assert_eq!(count(&home), 5);
    }

    #[test]
    fn a_folder_with_nothing_of_a_store_gets_a_new_one() {
        let (_dir, home, _) = store(5, 0);
        std::fs::remove_dir_all(&home).unwrap();
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join(FILE_NAME), "").unwrap();
        assert_eq!(count(&home), 0);
    }

    #[test]
    fn what_only_the_log_has_is_taken_from_it() {
        let (dir, home, _) = store(5, 0);
        let held = Store::open(&home).unwrap();
        write(&held, Op::Insert(memory(50, "in the log")));
        // As after a kill: whoever closes a database puts its log into it.
        let killed = dir.path().join("killed");
        std::fs::create_dir_all(killed.join(rolling::FOLDER)).unwrap();
        for file in ["lorekeep.db-wal", "lorekeep.mark"] {
            std::fs::copy(home.join(file), killed.join(file)).unwrap();
        }
        for entry in std::fs::read_dir(home.join(rolling::FOLDER)).unwrap() {
            let file = entry.unwrap().path();
            let to = killed.join(rolling::FOLDER).join(file.file_name().unwrap());
            std::fs::copy(file, to).unwrap();
        }
        let log = std::fs::read(killed.join("lorekeep.db-wal")).unwrap();
        assert!(Store::open(&killed).is_err());
        assert_eq!(std::fs::read(killed.join("lorekeep.db-wal")).unwrap(), log, "it is kept");
        let told = repair(&killed, Some(&by("ada"))).unwrap().unwrap();
        assert_eq!(count(&killed), 6, "{told:?}");
    }
}

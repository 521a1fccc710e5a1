//! Backups that are made as time goes by: which there are, when the next is due, which go.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use model::{Timestamp, hex, time};
use sha2::{Digest, Sha256};

use crate::backup::{BackupReport, part, sibling};
use crate::connection::{self, replace_private_file_synced};
use crate::error::{Result, StoreError, at};
use crate::line::Lines;
use crate::{Store, mark, migrate, text};

/// The folder of the backups in a data directory.
pub const FOLDER: &str = "backups";

/// What stands in the name of a backup that was made before a change of the schema.
const BEFORE: &str = "before-migration";

/// So many of those are kept.
const BEFORE_KEPT: usize = 3;

/// A backup of what seems not to have changed is made after so many times the usual.
const UNCHANGED_TIMES: u32 = 30;

/// So much room on the disk is left to others.
const ROOM_LEFT: u64 = 64 << 20;

/// How many are kept, how often one is made, and how old they get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// How many are kept; none are made with 0.
    pub keep: usize,
    /// How old the newest gets before the next is made.
    pub every: Duration,
    /// How old any gets; the newest stays. Zero is for ever.
    pub age_max: Duration,
}

impl Rhythm {
    /// No backups.
    pub const NEVER: Self =
        Self { keep: 0, every: Duration::from_secs(24 * 3_600), age_max: Duration::ZERO };
}

impl Default for Rhythm {
    fn default() -> Self {
        let day = Duration::from_secs(24 * 3_600);
        Self { keep: 7, every: day, age_max: 90 * day }
    }
}

/// A backup that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// When it was made.
    pub at: Timestamp,
    /// The schema of what is in it.
    pub schema: i64,
    /// Whether it was made because the schema was about to change.
    pub before_migration: bool,
    /// Its size.
    pub bytes: u64,
    /// How many memories are in it, if that was written down.
    pub memories: Option<u64>,
    /// How far the store had come, if that was written down.
    pub(crate) reached: Option<i64>,
    /// The line of time that the store was on, if that was written down.
    pub(crate) line: Option<String>,
    /// The SHA-256 of the file when it was made, if that was written down.
    sum: Option<String>,
}

impl Kept {
    /// Whether the file is still what it was when it was made.
    pub fn is_whole(&self) -> bool {
        self.sum.as_ref().is_some_and(|sum| sum_of(&self.path).is_ok_and(|now| now == *sum))
    }
}

/// What came of the thought of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rolled {
    /// It was made.
    Made(Kept),
    /// None is due, or nothing has changed since the newest.
    NotDue,
    /// Another process is making one.
    Elsewhere,
    /// There is too little room on the disk.
    NoRoom {
        /// What it would take.
        needed: u64,
        /// What there is.
        free: u64,
    },
}

/// The backups in a data directory, the newest first.
pub fn backups(dir: &Path) -> Result<Vec<Kept>> {
    let folder = dir.join(FOLDER);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if is_none(&error) => return Ok(Vec::new()),
        Err(error) => return Err(at(&folder)(error)),
    };
    let mut found: Vec<Kept> = entries.filter_map(|entry| kept(&entry.ok()?.path())).collect();
    found.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.path.cmp(&a.path)));
    Ok(found)
}

/// The newest backup of a store that has come along these lines, to compare it with.
pub(crate) fn measure(dir: &Path, lines: &Lines) -> Result<Option<Kept>> {
    let is_measure = |kept: &Kept| {
        kept.schema == migrate::SCHEMA_VERSION && lines.lead_from(kept) && kept.is_whole()
    };
    Ok(backups(dir)?.into_iter().find(is_measure))
}

/// Whether there is no folder: a file in its place holds no backup, and is no reason to repair nothing.
fn is_none(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// The backup of this name; none if it is not named like one.
fn kept(path: &Path) -> Option<Kept> {
    let name = path.file_name()?.to_str()?.strip_prefix("lorekeep-")?.strip_suffix(".db")?;
    let (moment, rest) = name.split_once('-')?;
    let (schema, why) = rest.split_once('-').unwrap_or((rest, ""));
    let noted = std::fs::read_to_string(part(path, ".sum")).unwrap_or_default();
    let mut noted = noted.split_whitespace();
    Some(Kept {
        at: Timestamp::strptime("%Y%m%dT%H%M%S%z", moment.replace('Z', "+0000")).ok()?,
        schema: schema.parse().ok()?,
        before_migration: why == BEFORE,
        bytes: std::fs::metadata(path).ok()?.len(),
        sum: noted.next().map(str::to_owned),
        memories: noted.next().and_then(|number| number.parse().ok()),
        reached: noted.next().and_then(|number| number.parse().ok()),
        line: noted.next().map(str::to_owned),
        path: path.to_owned(),
    })
}

/// The name of a backup that is made at this moment.
fn name(now: Timestamp, schema: i64, ending: &str) -> String {
    let moment = now.strftime("%Y%m%dT%H%M%SZ");
    format!("lorekeep-{moment}-{schema}{ending}.db")
}

impl Store {
    /// Makes a backup if one is due and something has changed, and lets go of old ones.
    pub fn roll(&self, rhythm: &Rhythm, now: Timestamp) -> Result<Rolled> {
        let Some(dir) = self.path().parent().filter(|_| rhythm.keep > 0) else {
            return Ok(Rolled::NotDue);
        };
        let (reached, lines) = self.read(|db| Ok((mark::reached(db)?, Lines::of(db))))?;
        let is_due = || -> Result<bool> {
            let mut ours = backups(dir)?;
            ours.retain(|kept| lines.lead_from(kept));
            Ok(is_due(reached, &ours, rhythm, now))
        };
        if !is_due()? {
            return Ok(Rolled::NotDue);
        }
        let schema = migrate::SCHEMA_VERSION;
        let folder = dir.join(FOLDER);
        let lock = lock_of(&folder)?;
        if lock.try_lock().is_err() {
            return Ok(Rolled::Elsewhere);
        }
        if !is_due()? {
            // Somebody was quicker.
            return Ok(Rolled::NotDue);
        }
        let made = make(&folder, self.path(), &name(now, schema, ""), &|to| self.backup(to))
            .map_err(|error| self.trouble.heed(error))?;
        if matches!(made, Rolled::Made(_)) {
            prune(backups(dir)?, rhythm, now);
        }
        Ok(made)
    }
}

/// Makes a backup of the database as it is before the schema changes. Skipped where there is no room.
pub(crate) fn before_migration(database: &Path, schema: i64) -> Result<Rolled> {
    let Some(dir) = database.parent() else { return Ok(Rolled::NotDue) };
    let folder = dir.join(FOLDER);
    let lock = lock_of(&folder)?;
    // Whoever comes second must not go on before the first has copied it.
    lock.lock().map_err(at(&folder))?;
    let source = connection::open_reader(database)?;
    if migrate::version(&source)? != schema {
        return Ok(Rolled::NotDue);
    }
    let name = name(now(), schema, &format!("-{BEFORE}"));
    let made = make(&folder, database, &name, &|to| crate::backup::into(&source, to))?;
    let before: Vec<Kept> =
        backups(dir)?.into_iter().filter(|kept| kept.before_migration).collect();
    before.iter().skip(BEFORE_KEPT).for_each(|kept| remove(&kept.path));
    Ok(made)
}

/// The time on this machine's clock, for who makes backups.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let micros = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
    time::from_micros(micros).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Whether the newest is old enough and something has changed since.
fn is_due(reached: i64, kept: &[Kept], rhythm: &Rhythm, now: Timestamp) -> bool {
    // Those that a clock dated ahead must not end all backups.
    let is_measure = |kept: &&Kept| !kept.before_migration && kept.at <= now;
    let Some(newest) = kept.iter().find(is_measure) else { return true };
    let age = now.duration_since(newest.at).unsigned_abs();
    // Some changes count nothing up, so one is made all the same some day.
    let is_stale = age >= rhythm.every.saturating_mul(UNCHANGED_TIMES);
    age >= rhythm.every && (newest.reached != Some(reached) || is_stale)
}

/// The file by which one process makes a backup for all.
fn lock_of(folder: &Path) -> Result<File> {
    connection::make_private_dir(folder)?;
    let path = folder.join("lock");
    connection::make_private_file(&path)?;
    File::open(&path).map_err(at(&path))
}

/// Makes a backup in the folder, whose lock is ours.
fn make(
    folder: &Path,
    database: &Path,
    name: &str,
    copy: &dyn Fn(&Path) -> Result<BackupReport>,
) -> Result<Rolled> {
    sweep(folder);
    if let Some(Room { needed, free }) = room(folder, database).filter(Room::is_small) {
        return Ok(Rolled::NoRoom { needed, free });
    }
    let path = folder.join(name);
    if kept(&path).is_some() {
        // Made this very second, by another.
        return Ok(Rolled::NotDue);
    }
    let made = copy(&path)?;
    // One that nothing is noted of is no backup, and would only take the place of another.
    note(&path, &made).inspect_err(|_| remove(&path))?;
    kept(&path).map(Rolled::Made).ok_or(StoreError::Closed)
}

/// Notes what is in a backup, once it was looked through.
fn note(path: &Path, made: &BackupReport) -> Result<()> {
    let copied = connection::open_read_only(path)?;
    if let Some(fault) = text::faults(&copied, 1)?.first() {
        // It would push out one that has the text as it was.
        return Err(StoreError::Altered(fault.to_string()));
    }
    let (sum, reached) = (sum_of(path)?, mark::reached(&copied)?);
    let lines = Lines::of(&copied);
    let line = lines.current().unwrap_or_default();
    let noted = format!("{sum} {} {reached} {line}\n", made.memories);
    replace_private_file_synced(&part(path, ".sum"), noted.as_bytes())
}

/// Removes what processes left that died while they made one. The lock is ours.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_left = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains(".unfinished-"))
    };
    let left = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_left);
    // What cannot be removed now is another time.
    left.for_each(|path| drop(std::fs::remove_file(path)));
}

/// Lets go of those that are too many or too old, never of the newest; and of those that nothing is noted
/// of: who made them was killed. The lock is ours, and a new one was made.
fn prune(kept: Vec<Kept>, rhythm: &Rhythm, now: Timestamp) {
    let (mut kept, unnoted): (Vec<Kept>, Vec<Kept>) =
        kept.into_iter().partition(|kept| kept.sum.is_some());
    unnoted.iter().for_each(|kept| remove(&kept.path));
    // Those that a clock dated ahead go before all others.
    kept.sort_by_key(|kept| kept.at > now);
    let is_old = |kept: &&Kept| {
        !rhythm.age_max.is_zero() && now.duration_since(kept.at).unsigned_abs() > rhythm.age_max
    };
    let usual: Vec<&Kept> = kept.iter().filter(|kept| !kept.before_migration).collect();
    usual.iter().skip(rhythm.keep).for_each(|kept| remove(&kept.path));
    let rest = usual.iter().take(rhythm.keep).skip(1).copied();
    let before = kept.iter().filter(|kept| kept.before_migration);
    rest.chain(before).filter(is_old).for_each(|kept| remove(&kept.path));
}

fn remove(path: &Path) {
    // One that stays is tried again with the next.
    let _ = std::fs::remove_file(path);
    let _ = std::fs::remove_file(part(path, ".sum"));
}

/// The room on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How many bytes are free.
    pub free: u64,
    /// How many a backup takes and leaves to others.
    pub needed: u64,
}

impl Room {
    /// Whether a backup has too little.
    pub fn is_small(&self) -> bool {
        self.free < self.needed
    }

    /// The room on the disk of a data directory, if the system says it.
    pub fn of(dir: &Path) -> Option<Self> {
        room(dir, &dir.join(crate::FILE_NAME))
    }
}

fn room(folder: &Path, database: &Path) -> Option<Room> {
    let size = |path: PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
    let needed = size(database.to_owned()) + size(part(database, "-wal")) + ROOM_LEFT;
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(Room { free: disk.f_bavail.saturating_mul(disk.f_frsize), needed })
}

pub(crate) fn sum_of(path: &Path) -> Result<String> {
    let mut file = File::open(path).map_err(at(path))?;
    let (mut hasher, mut bytes) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut bytes).map_err(at(path))? {
            0 => break,
            read => hasher.update(&bytes[..read]),
        }
    }
    Ok(hex(&hasher.finalize()))
}

/// A copy of a backup to work on, brought to this schema; none if it is not whole or newer.
pub(crate) fn at_schema(kept: &Kept, work: &Path, schema: i64) -> Result<Option<PathBuf>> {
    if kept.schema > schema || !kept.is_whole() {
        return Ok(None);
    }
    let copy = sibling(work, "backup");
    crate::backup::remove(&copy);
    connection::make_private_file(&copy)?;
    std::fs::copy(&kept.path, &copy).map_err(at(&copy))?;
    let mut db = rusqlite::Connection::open(&copy)?;
    match migrate::run_to(&mut db, schema) {
        Ok(()) => Ok(Some(copy)),
        // Its number was wrong when it was made.
        Err(error) if error.is_damage() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::tests::{by, filled};

    const DAY: i64 = 24 * 3_600;

    fn moment(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    /// Changes something; once for each moment.
    fn write(store: &Store, second: i64) {
        let number = 100 + u32::try_from(second / 600).unwrap();
        let new = crate::tests::memory(number, &format!("text {number}"));
        store.apply_by(model::Change::of(model::Op::Insert(new)), by("ada")).unwrap();
    }

    /// Makes one at each of these moments, each after a change; which there are then.
    fn rolled(store: &Store, seconds: &[i64], rhythm: &Rhythm) -> Vec<Timestamp> {
        let dir = store.path().parent().unwrap();
        for second in seconds {
            write(store, *second);
            store.roll(rhythm, moment(*second)).unwrap();
        }
        backups(dir).unwrap().into_iter().map(|kept| kept.at).collect()
    }

    #[test]
    fn one_that_is_dated_ahead_makes_none_more_often_and_goes_first() {
        let (_dir, store) = filled();
        let rhythm = Rhythm { keep: 3, age_max: Duration::ZERO, ..Rhythm::default() };
        let ahead = 300 * DAY;
        let there = rolled(&store, &[0, ahead, DAY, DAY + 600, DAY + 1_200], &rhythm);
        assert_eq!(there, [ahead, DAY, 0].map(moment));
        let (_dir, store) = filled();
        let there = rolled(&store, &[0, ahead, DAY, 2 * DAY], &rhythm);
        assert_eq!(there, [2 * DAY, DAY, 0].map(moment));
    }

    #[test]
    fn where_none_is_to_be_kept_none_is_made_and_those_that_are_there_stay() {
        let (_dir, store) = filled();
        let made = rolled(&store, &[0, DAY], &Rhythm::default());
        assert_eq!(made, [DAY, 0].map(moment));
        assert_eq!(rolled(&store, &[2 * DAY, 300 * DAY], &Rhythm::NEVER), made);
    }

    #[test]
    fn one_that_nothing_is_noted_of_takes_the_place_of_no_other() {
        let (_dir, store) = filled();
        let rhythm = Rhythm { keep: 2, ..Rhythm::default() };
        rolled(&store, &[0], &rhythm);
        let folder = store.path().parent().unwrap().join(FOLDER);
        let killed = folder.join(name(moment(DAY), migrate::SCHEMA_VERSION, ""));
        store.backup(&killed).unwrap();
        let there = rolled(&store, &[DAY + 600], &rhythm);
        assert_eq!(there, [DAY + 600, 0].map(moment));

        std::fs::create_dir(
            folder.join(format!("{}.sum.tmp", name(moment(3 * DAY), migrate::SCHEMA_VERSION, ""))),
        )
        .unwrap();
        write(&store, 3 * DAY);
        assert!(store.roll(&rhythm, moment(3 * DAY)).is_err(), "nothing can be noted of it");
        assert_eq!(rolled(&store, &[], &rhythm), there);
    }
}

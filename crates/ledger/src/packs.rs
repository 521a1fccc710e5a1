//! The files of our packs: written one a call, and made few again by and by.
//!
//! `.git/lorekeep.unsynced` names those that are not on disk for sure, `.git/lorekeep.packs` the
//! others, oldest first; what others packed is in neither. A pack is only removed when all that was
//! in it is on disk in another, and `.git/lorekeep.away` names it before. One that is not as we wrote it
//! any more is named in `.git/lorekeep.odd`: it stays as it is, for `doctor --repair`.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{LedgerError, Result, at, if_there};
use crate::merge::Merge;
use crate::oid::Oid;
use crate::pack::Finished;
use crate::private;
use crate::unpack::is_whole;

/// The packs that are not on disk for sure.
pub(crate) const UNSYNCED: &str = "lorekeep.unsynced";

/// Our packs that are.
const SYNCED: &str = "lorekeep.packs";

/// Packs that are to be removed.
const AWAY: &str = "lorekeep.away";

/// Packs that could not be taken into another.
const ODD: &str = "lorekeep.odd";

/// No more bytes than these are written again at once: the new pack is in memory until it is whole, and so is the
/// one it takes in.
const MERGED_BYTES_MAX: u64 = 16 << 20;

/// A pack is of the next size when it has so many times the objects.
const STEP: u64 = 8;

/// A pack of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ours {
    name: String,
    objects: u64,
    bytes: u64,
}

/// Writes a pack and its index, and notes that they are not on disk for sure.
pub(crate) fn write(git: &Path, finished: &Finished) -> Result<()> {
    place(git, finished, false)?;
    note(&git.join(UNSYNCED), finished.name)
}

/// Writes a pack and its index, and sees to it that they are on disk.
pub(crate) fn keep(git: &Path, finished: &Finished) -> Result<()> {
    // Before it is there, so that it is never there unknown.
    note(&git.join(SYNCED), finished.name)?;
    place(git, finished, true)
}

/// Puts a pack and then its index into their places. Each is a new file: whoever still has an old one mapped, as
/// git does for as long as it runs, must never see other bytes in it.
fn place(git: &Path, finished: &Finished, durably: bool) -> Result<()> {
    let folder = git.join("objects/pack");
    let name = finished.name.to_string();
    let mut files = Vec::with_capacity(2);
    for (end, content) in [("pack", &finished.pack), ("idx", &finished.index)] {
        // Git prunes what is left over under such a name.
        let temporary = folder.join(format!("tmp_{end}_lorekeep"));
        let file = match private::write(&temporary, content) {
            Err(LedgerError::File { .. }) => {
                private::create_dir(&folder)?;
                private::write(&temporary, content)?
            }
            written => written?,
        };
        if durably {
            file.sync_all().map_err(at(&temporary))?;
        }
        files.push((temporary, path(&folder, &name, end)));
    }
    for (temporary, path) in files {
        fs::rename(&temporary, &path).map_err(at(&path))?;
    }
    if durably {
        sync_folder(&folder)?;
    }
    Ok(())
}

#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

fn path(folder: &Path, name: &str, end: &str) -> PathBuf {
    folder.join(format!("pack-{name}.{end}"))
}

fn note(list: &Path, name: impl Display) -> Result<()> {
    let line = format!("{name}\n");
    private::append(list).and_then(|mut file| file.write_all(line.as_bytes())).map_err(at(list))
}

/// The names in a list. A line that was cut off is none.
fn names(list: &Path) -> Result<Vec<String>> {
    let bytes = if_there(fs::read(list), list)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.lines().filter(|line| line.parse::<Oid>().is_ok());
    Ok(whole.map(str::to_owned).collect())
}

/// The packs that are not on disk for sure, as far as that is noted.
pub(crate) fn unsynced(git: &Path) -> Result<Vec<String>> {
    names(&git.join(UNSYNCED))
}

/// Whether it is noted that all packs are on disk; a list that nobody can read any more says no.
pub(crate) fn is_all_synced(git: &Path) -> Result<bool> {
    let list = git.join(UNSYNCED);
    Ok(if_there(fs::metadata(&list), &list)?.is_none_or(|list| list.len() == 0))
}

/// Removes packs of ours that a power cut left without all of their bytes, whether or not they are noted
/// anywhere; whether there was one that may be missed. `thoroughly`, every byte is looked at.
pub(crate) fn drop_torn(git: &Path, thoroughly: bool) -> Result<bool> {
    let folder = git.join("objects/pack");
    let Some(entries) = if_there(fs::read_dir(&folder), &folder)? else { return Ok(false) };
    let mut safe: HashSet<String> = names(&git.join(SYNCED))?.into_iter().collect();
    // They are being removed, and nobody needs them.
    safe.extend(names(&git.join(AWAY))?);
    let listed: HashSet<String> = unsynced(git)?.into_iter().collect();
    let named = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let name = name.strip_prefix("pack-")?;
        name.strip_suffix(".idx").or_else(|| name.strip_suffix(".pack")).map(str::to_owned)
    };
    let found: HashSet<String> = entries.flatten().filter_map(named).collect();
    let mut is_torn = false;
    for name in found.difference(&safe).filter(|name| !is_gits(&folder, name)) {
        let [pack, index] = ["pack", "idx"].map(|end| path(&folder, name, end));
        if is_intact(&pack, &index, thoroughly)? {
            continue;
        }
        // Git, when it tidies, takes the index away first; a pack of ours that is not listed may not have got
        // its own yet, and nobody has read it then.
        let is_missed = index.exists() || listed.contains(name);
        is_torn |= is_missed;
        if is_missed || if_there(fs::read(&pack), &pack)?.is_some_and(|bytes| !is_whole(&bytes)) {
            if_there(fs::remove_file(&index), &index)?;
            if_there(fs::remove_file(&pack), &pack)?;
        }
    }
    Ok(is_torn)
}

/// Whether git made a pack. It gives it no name before it is whole and on disk: a broken one was damaged
/// since, and may be salvaged. Git's files are read-only, and have an index the other way round.
fn is_gits(folder: &Path, name: &str) -> bool {
    let is_fixed =
        |end| fs::metadata(path(folder, name, end)).is_ok_and(|file| file.permissions().readonly());
    is_fixed("pack") || is_fixed("idx") || path(folder, name, "rev").exists()
}

/// Whether a pack and its index are whole, and of each other.
fn is_intact(pack: &Path, index: &Path, thoroughly: bool) -> Result<bool> {
    let told = if_there(fs::read(index), index)?.unwrap_or_default();
    if !is_whole(&told) || told.len() < 40 {
        return Ok(false);
    }
    let sum = &told[told.len() - 40..told.len() - 20];
    if thoroughly {
        let bytes = if_there(fs::read(pack), pack)?.unwrap_or_default();
        return Ok(is_whole(&bytes) && bytes.ends_with(sum));
    }
    let end = |mut file: File| {
        let mut end = [0; 20];
        file.seek(SeekFrom::End(-20))?;
        file.read_exact(&mut end).map(|()| end == sum)
    };
    Ok(File::open(pack).and_then(end).unwrap_or(false))
}

/// Makes one pack of the latest of ours, where they are many, and removes those. What is not on
/// disk yet stays listed as such. The packs that are left; git must not be tidying.
pub(crate) fn gather(git: &Path) -> Result<Vec<String>> {
    take_away(git)?;
    let folder = git.join("objects/pack");
    let mut known = HashSet::new();
    let mut listed = names(&git.join(SYNCED))?;
    listed.extend(names(&git.join(UNSYNCED))?);
    let fresh = listed.into_iter().filter(|name| known.insert(name.clone()));
    let (indexed, odd) = (indexed(&folder)?, names(&git.join(ODD))?);
    let ours = fresh.filter_map(|name| look(&folder, name));
    // They must stay listed: a pack that is not whole and not listed would be taken for torn by a power cut.
    let (fixed, ours): (Vec<Ours>, Vec<Ours>) =
        ours.partition(|pack| contains(&indexed, pack.name.as_bytes()) || odd.contains(&pack.name));
    let from = worth(&ours);
    let bytes = ours[from..].iter().map(|pack| pack.bytes).sum();
    let from = fixed.len() + from;
    let mut stay: Vec<String> = fixed.into_iter().chain(ours).map(|pack| pack.name).collect();
    let mut go = stay.split_off(from);
    if go.is_empty() {
        return Ok(stay);
    }
    let mut merge = Merge::new(bytes);
    for name in &go {
        if add(&mut merge, &folder, name)?.is_none() {
            // It is not as we wrote it: we leave it alone, and the others wait for the next time.
            note(&git.join(ODD), name)?;
            stay.append(&mut go);
            return Ok(stay);
        }
    }
    let finished = merge.finish();
    keep(git, &finished)?;
    // The list must not get empty before the branch is on disk, too: who mends goes by it.
    note(&git.join(UNSYNCED), finished.name)?;
    let name = finished.name.to_string();
    go.retain(|gone| *gone != name);
    stay.push(name);
    write_list(git, AWAY, &go)?;
    take_away(git)?;
    Ok(stay)
}

/// Notes that our packs, which are these, are on disk.
pub(crate) fn synced(git: &Path, ours: &[String]) -> Result<()> {
    write_list(git, SYNCED, ours)?;
    let list = git.join(UNSYNCED);
    if_there(fs::OpenOptions::new().write(true).truncate(true).open(&list), &list).map(drop)
}

/// Removes the packs that are to be removed.
fn take_away(git: &Path) -> Result<()> {
    let away = git.join(AWAY);
    let go = names(&away)?;
    if go.is_empty() {
        return Ok(());
    }
    // A pack that is listed there and is not whole would be taken for broken.
    let gone: HashSet<&String> = go.iter().collect();
    let mut unsynced = names(&git.join(UNSYNCED))?;
    unsynced.retain(|name| !gone.contains(name));
    write_list(git, UNSYNCED, &unsynced)?;
    let folder = git.join("objects/pack");
    for name in &go {
        // Who finds the index goes for the pack.
        for end in ["idx", "rev", "pack"] {
            let path = path(&folder, name, end);
            if_there(fs::remove_file(&path), &path)?;
        }
    }
    if_there(fs::remove_file(&away), &away).map(drop)
}

fn write_list(git: &Path, list: &str, names: &[String]) -> Result<()> {
    let (temporary, path) = (git.join("lorekeep.list"), git.join(list));
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    private::write(&temporary, text.as_bytes())?;
    fs::rename(&temporary, &path).map_err(at(&path))
}

/// What git's index of several packs says; packs that it names must stay.
fn indexed(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join("multi-pack-index");
    Ok(if_there(fs::read(&path), &path)?.unwrap_or_default())
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    !bytes.is_empty() && bytes.windows(part.len()).any(|window| window == part)
}

/// How large a pack is; none if it is gone.
fn look(folder: &Path, name: String) -> Option<Ours> {
    let mut file = File::open(path(folder, &name, "pack")).ok()?;
    let bytes = file.metadata().ok()?.len();
    let mut header = [0; 12];
    file.read_exact(&mut header).ok()?;
    let objects = u32::from_be_bytes([header[8], header[9], header[10], header[11]]).into();
    Some(Ours { name, objects, bytes })
}

/// None if the pack cannot be understood.
fn add(merge: &mut Merge, folder: &Path, name: &str) -> Result<Option<()>> {
    let [pack, index] = ["pack", "idx"].map(|end| path(folder, name, end));
    let (bytes, index) = (if_there(fs::read(&pack), &pack)?, if_there(fs::read(&index), &index)?);
    Ok(bytes.zip(index).and_then(|(bytes, index)| merge.add(&bytes, &index)))
}

/// From which on packs are worth one: if that is of a size above each of theirs, so that an object
/// is written again only a few times in its life; or if one of them follows on a smaller one.
fn worth(ours: &[Ours]) -> usize {
    let size = |objects: u64| objects.max(1).ilog(STEP);
    let (mut from, mut bytes, mut objects, mut largest) = (ours.len(), 0, 0, 0);
    for (at, pack) in ours.iter().enumerate().rev() {
        bytes += pack.bytes;
        objects += pack.objects;
        if bytes > MERGED_BYTES_MAX {
            break;
        }
        let own = size(pack.objects);
        let is_smaller = own < largest;
        largest = largest.max(own);
        if is_smaller || size(objects) > largest {
            from = at;
        }
    }
    if ours.len() - from > 1 { from } else { ours.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settles `count` times after so many commits each; the most packs there were, and how often
    /// an object was written again.
    fn live(count: u64, commits: impl Fn(u64) -> u64) -> (usize, u64) {
        let (mut ours, mut most, mut again, mut all) = (Vec::new(), 0, 0, 0);
        for turn in 0..count {
            for _ in 0..commits(turn) {
                ours.push(Ours { name: String::new(), objects: 5, bytes: 12_000 });
                all += 5;
            }
            let go: Vec<Ours> = ours.split_off(worth(&ours));
            if !go.is_empty() {
                let objects = go.iter().map(|pack| pack.objects).sum();
                again += objects;
                ours.push(Ours { name: String::new(), objects, bytes: objects * 300 });
            }
            most = most.max(ours.len());
        }
        (most, again / all)
    }

    #[test]
    fn packs_stay_few_and_are_seldom_written_again() {
        for (what, (most, again)) in [
            ("one by one", live(100_000, |_| 1)),
            ("in a row", live(700, |_| 256)),
            ("mixed", live(3_000, |turn| [1, 3, 256, 20, 1, 0][turn as usize % 6])),
        ] {
            assert!(most <= 40 && again <= 8, "{what}: {most} packs, {again} times");
        }
    }
}

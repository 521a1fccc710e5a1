//! Whether the disk of the store takes more.

use std::fs::File;
use std::io::{Result, Write};
use std::path::Path;

use indicatif::HumanBytes;
use store::Room;

use super::{Finding, State, finding};
use crate::settings::Settings;

/// A disk that takes no more than this takes no change of a store either.
const TRIAL_BYTES: usize = 64 << 10;

pub(super) fn look(settings: &Settings) -> Option<Finding> {
    let dir = &settings.data_dir;
    if !dir.is_dir() {
        return None;
    }
    let room = Room::of(dir);
    let is_to_read = settings.selection.read_only;
    let trial = if is_to_read { Ok(()) } else { try_to_write(dir) };
    Some(describe(dir, room, &trial))
}

/// Writes a file that nobody sees and that goes by itself: a quota or a failing disk shows nowhere else.
fn try_to_write(dir: &Path) -> Result<()> {
    let mut file: File = tempfile::tempfile_in(dir)?;
    file.write_all(&[0; TRIAL_BYTES])?;
    file.sync_all()
}

fn describe(dir: &Path, room: Option<Room>, trial: &Result<()>) -> Finding {
    let shown = dir.display();
    let free = room.map_or_else(|| "?".to_owned(), |room| HumanBytes(room.free).to_string());
    let is_full = room.is_some_and(|room| room.free < TRIAL_BYTES as u64);
    if let Err(why) = trial {
        let text = format!(
            "nothing can be written to {shown} ({why}; {free} free): every change fails; mend: make room \
             on its disk, or see who may write there"
        );
        return finding("disk", State::Wrong, text);
    }
    if is_full {
        let text = format!(
            "the disk of {shown} is full ({free} free): every change fails; mend: make room on it"
        );
        return finding("disk", State::Wrong, text);
    }
    match room.filter(Room::is_small) {
        Some(room) => {
            let needed = HumanBytes(room.needed);
            let text = format!(
                "the disk of {shown} is nearly full ({free} free): no backup is made with less than \
                 {needed}; mend: make room on it"
            );
            finding("disk", State::Worth, text)
        }
        None => finding("disk", State::Good, format!("{free} free for {shown}")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    #[test]
    fn a_disk_that_takes_nothing_is_wrong_and_one_without_room_for_a_backup_is_worth_a_word() {
        let dir = Path::new("/data");
        let room = |free| Some(Room { free, needed: 100 << 20 });
        let full = || Err(Error::from(ErrorKind::StorageFull));
        for (room, trial, state, told) in [
            (room(1 << 30), Ok(()), State::Good, "1.00 GiB free for /data"),
            (None, Ok(()), State::Good, "? free for /data"),
            (
                room(1 << 20),
                Ok(()),
                State::Worth,
                "the disk of /data is nearly full (1.00 MiB free)",
            ),
            (room(4_096), Ok(()), State::Wrong, "the disk of /data is full (4.00 KiB free)"),
            (
                room(0),
                full(),
                State::Wrong,
                "nothing can be written to /data (no storage space; 0 B free)",
            ),
            // A quota: the disk itself has room.
            (room(1 << 30), full(), State::Wrong, "nothing can be written to /data"),
        ] {
            let found = describe(dir, room, &trial);
            assert!(found.state == state && found.text.contains(told), "{}", found.text);
        }
    }
}

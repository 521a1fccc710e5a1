//! The schema of a whole database put into the copy of a damaged one. Tables stay where they are in a
//! file once they are made, so a backup's list of them holds for the store it is of.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::Connection;

use crate::error::{Result, at};
use crate::salvage::Table;

const PAGE: usize = 4096;

/// Where the first page's own header ends.
const HEADER: usize = 100;

/// Whether a database knows these tables.
pub(crate) fn has_tables(db: &Connection, tables: &[Table]) -> bool {
    tables.iter().all(|table| {
        let columns = table.columns.join(", ");
        db.prepare(&format!("SELECT {columns} FROM {}", table.name)).is_ok()
    })
}

/// Takes the list of tables from `backup` into `damaged`, where it cannot be read.
pub(crate) fn schema_of(backup: &Path, damaged: &Path) -> Result<()> {
    let mut from = File::open(backup).map_err(at(backup))?;
    let mut to = File::options().write(true).open(damaged).map_err(at(damaged))?;
    let mut copy = || -> std::io::Result<()> {
        let first = page(&mut from, 1)?;
        to.seek(SeekFrom::Start(HEADER as u64))?;
        to.write_all(&first[HEADER..])?;
        for number in children(&first) {
            let child = page(&mut from, number)?;
            to.seek(SeekFrom::Start(u64::from(number - 1) * PAGE as u64))?;
            to.write_all(&child)?;
        }
        Ok(())
    };
    copy().map_err(at(damaged))
}

fn page(file: &mut File, number: u32) -> std::io::Result<[u8; PAGE]> {
    let mut bytes = [0; PAGE];
    file.seek(SeekFrom::Start(u64::from(number.saturating_sub(1)) * PAGE as u64))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The pages below the first one, if there are any.
fn children(first: &[u8; PAGE]) -> Vec<u32> {
    const INNER: u8 = 5;
    if first[HEADER] != INNER {
        return Vec::new();
    }
    let short = |at: usize| usize::from(u16::from_be_bytes([first[at], first[at + 1]]));
    let long = |at: usize| {
        let bytes = first.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_be_bytes)
    };
    let cells = (0..short(HEADER + 3)).filter_map(|cell| {
        let at = HEADER + 12 + 2 * cell;
        (at + 2 <= PAGE).then(|| short(at)).and_then(long)
    });
    cells.chain(long(HEADER + 8)).filter(|number| *number > 1).collect()
}

//! Memories in a table of SQLite's, as several systems keep them.

use std::path::Path;

use engine::import::{Foreign, ForeignRow, Incoming, IncomingMemory, Source};

use super::Format;

/// The table of the memories.
pub(super) const TABLE: &str = "memories";

/// Every memory of the table, read by `memory`; what it refuses is skipped with its reason.
pub(super) fn read(
    format: Format,
    path: &Path,
    memory: &dyn Fn(&str, &ForeignRow) -> Result<IncomingMemory, String>,
) -> Result<Source, String> {
    let name = path.display().to_string();
    let mut source = Source::new(format.name(), &name);
    let database = Foreign::open(path).map_err(|why| why.to_string())?;
    let mut at = 0;
    let read = database.rows(TABLE, &mut |row| {
        at += 1;
        let place = format!("{name}#{}", row.text("id").unwrap_or_else(|| at.to_string()));
        match memory(&place, &row) {
            Ok(memory) => source.incoming.push(Incoming::Memory(Box::new(memory))),
            Err(why) => source.skip(place, why),
        }
        true
    });
    read.map_err(|why| format!("{name}: {why}"))?;
    Ok(source)
}

//! What is meant by the first digits of an id.

use model::{MemoryId, RecordId};
use rusqlite::params;

use crate::Store;
use crate::error::Result;
use crate::record::record_id;
use crate::row::memory_id;

impl Store {
    /// The memories whose ids begin with these hex digits, so many at the most.
    pub fn memories_beginning(&self, digits: &str, max: u64) -> Result<Vec<MemoryId>> {
        let Some((first, last)) = bounds::<16>(digits) else { return Ok(Vec::new()) };
        self.read(|db| {
            let sql = "SELECT id FROM memory WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let ids = statement.query_map(params![first, last, max], |row| memory_id(row, 0))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The records whose ids begin with these hex digits, so many at the most.
    pub fn records_beginning(&self, digits: &str, max: u64) -> Result<Vec<RecordId>> {
        let Some((first, last)) = bounds::<6>(digits) else { return Ok(Vec::new()) };
        self.read(|db| {
            let sql = "SELECT id FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let ids = statement.query_map(params![first, last, max], |row| record_id(row, 0))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// The least and the greatest bytes whose hex digits begin so; none if they are no hex digits, or too
/// many.
fn bounds<const N: usize>(digits: &str) -> Option<([u8; N], [u8; N])> {
    let is_hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_hex || digits.len() > 2 * N {
        return None;
    }
    let filled = |with: char| {
        let all: String = digits.chars().chain(std::iter::repeat(with)).take(2 * N).collect();
        let mut bytes = [0; N];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(all.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(bytes)
    };
    Some((filled('0')?, filled('f')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_for_all_that_begin_with_them() {
        assert_eq!(bounds::<2>("a"), Some(([0xa0, 0], [0xaf, 0xff])));
        assert_eq!(bounds::<2>("0a1b"), Some(([0x0a, 0x1b], [0x0a, 0x1b])));
        assert_eq!(bounds::<2>(""), None);
        assert_eq!(bounds::<2>("0a1b2"), None);
        assert_eq!(bounds::<2>("xy"), None);
    }
}

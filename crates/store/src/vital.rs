//! Memories that may need somebody's attention: doubted, or not used for long.

use model::confidence::GOLDEN_FLOOR;
use model::{Kind, MemoryFilter, MemoryId, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::Store;
use crate::error::Result;
use crate::row::{memory_id, timestamp};
use crate::walk::{self, Cell};

/// What is read of a memory that may need attention.
#[derive(Debug, Clone, PartialEq)]
pub struct Vital {
    /// Which memory.
    pub id: MemoryId,
    /// The beginning of its text.
    pub text: String,
    /// How sure we are of it.
    pub confidence: f64,
    /// When it was last read.
    pub accessed_at: Timestamp,
    /// When its confidence was last found out.
    pub validated_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, substr(content, 1, 400), confidence, accessed_at, validated_at";

impl Store {
    /// At most `max` memories of less confidence than `ceiling`, the least sure first.
    pub fn doubted(&self, filter: &MemoryFilter, ceiling: f64, max: usize) -> Result<Vec<Vital>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM memory INDEXED BY memory_by_confidence
             WHERE scope = ? AND kind = ? AND archived = 0 AND confidence < ?
             ORDER BY confidence LIMIT ?"
        );
        let mut found =
            self.read(|db| each_cell(db, filter, &sql, &[Value::Real(ceiling)], max))?;
        found.sort_by(|a, b| a.confidence.total_cmp(&b.confidence));
        found.truncate(max);
        Ok(found)
    }

    /// At most `max` memories that nobody has read or validated since `since`, the longest unused
    /// first. Golden rules are left out.
    pub fn unused(
        &self,
        filter: &MemoryFilter,
        since: Timestamp,
        max: usize,
    ) -> Result<Vec<Vital>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM memory INDEXED BY memory_by_access
             WHERE scope = ? AND kind = ? AND archived = 0 AND accessed_at < ?
               AND coalesce(validated_at, accessed_at) < ? AND confidence < ?
             ORDER BY accessed_at LIMIT ?"
        );
        let since = Value::Integer(since.as_microsecond());
        let values = [since.clone(), since, Value::Real(GOLDEN_FLOOR)];
        let mut kinds =
            if filter.kinds.is_empty() { Kind::ALL.to_vec() } else { filter.kinds.clone() };
        kinds.retain(|kind| *kind != Kind::GoldenRule);
        let filter = MemoryFilter { kinds, ..filter.clone() };
        let mut found = self.read(|db| each_cell(db, &filter, &sql, &values, max))?;
        found.sort_by_key(|vital| vital.accessed_at);
        found.truncate(max);
        Ok(found)
    }
}

fn each_cell(
    db: &Connection,
    filter: &MemoryFilter,
    sql: &str,
    values: &[Value],
    max: usize,
) -> Result<Vec<Vital>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut found = Vec::new();
    for Cell { scope, kind, .. } in walk::cells(db, filter)? {
        let own = [Value::Integer(scope), Value::Text(kind.name().to_owned())];
        let max = [Value::Integer(i64::try_from(max).unwrap_or(i64::MAX))];
        let bound = params_from_iter(own.iter().chain(values).chain(&max));
        let rows = statement.query_map(bound, vital)?;
        found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(found)
}

fn vital(row: &Row<'_>) -> rusqlite::Result<Vital> {
    let validated: Option<i64> = row.get(4)?;
    Ok(Vital {
        id: memory_id(row, 0)?,
        text: row.get(1)?,
        confidence: row.get(2)?,
        accessed_at: timestamp(row, 3)?,
        validated_at: validated.map(|_| timestamp(row, 4)).transpose()?,
    })
}

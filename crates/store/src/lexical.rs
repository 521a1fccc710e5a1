//! The lexical index: which memories hold a term, and how well.

use model::{ContentHash, Layer, MemoryFilter, MemoryId};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use crate::Store;
use crate::error::Result;
use crate::filter::Where;
use crate::row::{memory_id, named};

/// A memory that holds a term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LexicalHit {
    /// Which memory.
    pub id: MemoryId,
    /// The layer it lies in.
    pub layer: Layer,
    /// The hash of its text.
    pub hash: ContentHash,
    /// When it came: later is greater.
    pub seq: i64,
}

/// One term of a query: how many memories of the whole store hold it, and which of those that the
/// filter lets through, with their BM25 scores (greater is better).
#[derive(Debug, Clone, PartialEq)]
pub struct TermHits {
    /// How many memories hold the term.
    pub holding: u64,
    /// Who holds it, of those the filter lets through.
    pub hits: Vec<(LexicalHit, f64)>,
}

/// A term shorter than this is not taken for the beginning of a longer one.
const PREFIX_CHARS_MIN: usize = 3;

impl Store {
    /// For each of `terms`, who holds it; and how many memories there have ever been. The filter works inside
    /// the search. A term that none of those it lets through holds is taken for the beginning of one.
    pub fn lexical_hits(
        &self,
        terms: &[String],
        filter: &MemoryFilter,
    ) -> Result<(Vec<TermHits>, u64)> {
        let Where { sql, values } = Where::of(filter);
        let search = format!(
            "SELECT m.id, s.layer, m.hash, m.seq, -bm25(memory_terms)
             FROM memory_terms JOIN memory m ON m.seq = memory_terms.rowid
             JOIN scope s ON s.id = m.scope
             WHERE memory_terms MATCH ? AND {sql}"
        );
        self.read(|db| {
            let all = db
                .prepare_cached("SELECT coalesce(max(seq), 0) FROM memory")?
                .query_row([], |row| row.get(0))?;
            let ask = |expression: String| -> Result<Vec<(LexicalHit, f64)>> {
                let bound = std::iter::once(Value::Text(expression)).chain(values.clone());
                let mut statement = db.prepare_cached(&search)?;
                let hits = statement.query_map(params_from_iter(bound), hit)?;
                Ok(hits.collect::<rusqlite::Result<_>>()?)
            };
            let found = |term: &String| {
                let quoted = quote(term);
                let mut hits = ask(quoted.clone())?;
                // Whether somebody else holds the very word is none of this caller's business.
                if hits.is_empty() && term.chars().count() >= PREFIX_CHARS_MIN {
                    hits = ask(format!("{quoted} *"))?;
                }
                Ok(TermHits { holding: holding(db, term)?, hits })
            };
            Ok((terms.iter().map(found).collect::<Result<_>>()?, all))
        })
    }
}

fn hit(row: &Row<'_>) -> rusqlite::Result<(LexicalHit, f64)> {
    let hit = LexicalHit {
        id: memory_id(row, 0)?,
        layer: named(row, 1, Layer::named)?,
        hash: ContentHash(row.get(2)?),
        seq: row.get(3)?,
    };
    Ok((hit, row.get(4)?))
}

fn holding(db: &Connection, term: &str) -> Result<u64> {
    let found = db
        .prepare_cached("SELECT doc FROM memory_vocabulary WHERE term = ?1")?
        .query_row([term], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// The term as a search expression: a quoted string, in which nothing is an operator.
fn quote(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

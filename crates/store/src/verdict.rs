//! What people said of texts that read like instructions.

use model::{ContentHash, Scope, Verdict};
use rusqlite::{Connection, OptionalExtension, params};

use crate::Store;
use crate::error::Result;
use crate::write::scope_id;

impl Store {
    /// Whether a person approved this text in this place; none if nobody has said a word.
    pub fn verdict(&self, scope: &Scope, hash: &ContentHash) -> Result<Option<bool>> {
        self.read(|db| {
            let sql = "SELECT v.approved FROM verdict v JOIN scope s ON s.id = v.scope
                       WHERE s.layer = ?1 AND s.owner = ?2 AND v.hash = ?3";
            let asked = params![scope.layer.name(), scope.owner, hash.0];
            Ok(db.prepare_cached(sql)?.query_row(asked, |row| row.get(0)).optional()?)
        })
    }
}

pub(crate) fn put(db: &Connection, verdict: &Verdict) -> Result<()> {
    let scope = scope_id(db, &verdict.scope)?;
    db.prepare_cached(
        "INSERT OR REPLACE INTO verdict (scope, hash, approved, who, at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        scope,
        verdict.hash.0,
        verdict.approved,
        verdict.by,
        verdict.at.as_microsecond()
    ])?;
    Ok(())
}

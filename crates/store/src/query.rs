//! What was asked: the latest queries of each person, so that a change of model can be tried on them.

use model::{NotedQuery, Scope, time};
use rusqlite::{Connection, params};

use crate::error::{Result, StoreError};
use crate::{Store, write};

/// So many distinct queries are kept in each place, the latest.
pub const QUERIES_KEPT: usize = 500;

impl Store {
    /// The queries that are kept of this place, the latest first.
    pub fn queries(&self, scope: &Scope) -> Result<Vec<NotedQuery>> {
        self.read(|db| {
            let sql = "SELECT q.text, q.asked_at, q.times FROM asked_query q JOIN scope s ON s.id = q.scope
                       WHERE s.layer = ?1 AND s.owner = ?2 ORDER BY q.asked_at DESC, q.text";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![scope.layer.name(), scope.owner])?;
            let mut noted = Vec::new();
            while let Some(row) = rows.next()? {
                let at = time::from_micros(row.get(1)?);
                let at = at.ok_or_else(|| StoreError::Damaged("the time of a query".into()))?;
                let (text, times) = (row.get(0)?, row.get(2)?);
                noted.push(NotedQuery { scope: scope.clone(), text, at, times });
            }
            Ok(noted)
        })
    }
}

/// Adds to what is noted, and lets the oldest go.
pub(crate) fn note(db: &Connection, noted: &[NotedQuery]) -> Result<()> {
    let mut add = db.prepare_cached(
        "INSERT INTO asked_query (scope, text, asked_at, times) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET times = times + excluded.times,
           asked_at = max(asked_at, excluded.asked_at)",
    )?;
    let mut let_go = db.prepare_cached(
        "DELETE FROM asked_query WHERE scope = ?1 AND text IN
           (SELECT text FROM asked_query WHERE scope = ?1
            ORDER BY asked_at DESC, text LIMIT -1 OFFSET ?2)",
    )?;
    let mut scopes = Vec::new();
    for NotedQuery { scope, text, at, times } in noted {
        let scope = write::scope_id(db, scope)?;
        add.execute(params![scope, text, at.as_microsecond(), times])?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    for scope in scopes {
        let_go.execute(params![scope, QUERIES_KEPT])?;
    }
    Ok(())
}

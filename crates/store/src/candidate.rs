//! Sentences that may be worth keeping.

use model::{
    Candidate, CandidateState, ContentHash, EpisodeId, Kind, NewCandidate, Outcome, Scope,
    Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::Store;
use crate::error::Result;
use crate::row::{named, scope as read_scope, timestamp};
use crate::write::scope_id;

/// No more than this wait in one place; who does not look at them needs no more.
pub const CANDIDATES_MAX: u64 = 500;

const CANDIDATE: &str =
    "SELECT c.id, s.layer, s.owner, c.text, c.hash, c.kind, c.project, c.client,
       c.session, c.episode, c.state, c.created_at, c.decided_at
     FROM candidate c JOIN scope s ON s.id = c.scope";

fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    let decided: Option<i64> = row.get(12)?;
    let found = NewCandidate {
        scope: read_scope(row, 1)?,
        text: row.get(3)?,
        hash: ContentHash(row.get(4)?),
        kind: named(row, 5, Kind::named)?,
        project: row.get(6)?,
        client: row.get(7)?,
        session: row.get(8)?,
        episode: EpisodeId(row.get(9)?),
        at: timestamp(row, 11)?,
    };
    Ok(Candidate {
        id: row.get(0)?,
        found,
        state: named(row, 10, CandidateState::named)?,
        decided_at: decided.map(|_| timestamp(row, 12)).transpose()?,
    })
}

impl Store {
    /// The candidates of a place that wait, oldest first.
    pub fn pending_candidates(&self, scope: &Scope) -> Result<Vec<Candidate>> {
        self.read(|db| {
            let sql = format!(
                "{CANDIDATE} WHERE s.layer = ?1 AND s.owner = ?2 AND c.state = ?3 ORDER BY c.id"
            );
            let mut statement = db.prepare_cached(&sql)?;
            let pending = CandidateState::Pending.name();
            let found = params![scope.layer.name(), scope.owner, pending];
            let found = statement.query_map(found, candidate)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The candidate of this number in a place, whatever became of it.
    pub fn candidate(&self, scope: &Scope, id: i64) -> Result<Option<Candidate>> {
        self.read(|db| {
            let sql = format!("{CANDIDATE} WHERE s.layer = ?1 AND s.owner = ?2 AND c.id = ?3");
            let found = params![scope.layer.name(), scope.owner, id];
            Ok(db.prepare_cached(&sql)?.query_row(found, candidate).optional()?)
        })
    }

    /// Whether a memory with this text lies in one of these places and is not archived.
    pub fn has_text(&self, scopes: &[Scope], hash: &ContentHash) -> Result<bool> {
        self.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT 1 FROM memory m JOIN scope s ON s.id = m.scope
                 WHERE s.layer = ?1 AND s.owner = ?2 AND m.hash = ?3 AND m.archived = 0",
            )?;
            for scope in scopes {
                if statement.exists(params![scope.layer.name(), scope.owner, hash.0])? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}

/// Puts a candidate in, unless the same was there before, whatever became of it, or too many wait.
pub(crate) fn put(db: &Connection, new: &NewCandidate) -> Result<()> {
    let scope = scope_id(db, &new.scope)?;
    let pending = CandidateState::Pending.name();
    db.prepare_cached(
        "INSERT INTO candidate
           (scope, text, hash, kind, project, client, session, episode, state, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
         WHERE (SELECT count(*) FROM candidate WHERE scope = ?1 AND state = ?9) < ?11
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        scope,
        new.text,
        new.hash.0,
        new.kind.name(),
        new.project,
        new.client,
        new.session,
        new.episode.0,
        pending,
        new.at.as_microsecond(),
        CANDIDATES_MAX,
    ])?;
    Ok(())
}

/// Says what became of one that waits.
pub(crate) fn decide(
    db: &Connection,
    id: i64,
    state: CandidateState,
    at: Timestamp,
) -> Result<Option<Outcome>> {
    let changed = db
        .prepare_cached(
            "UPDATE candidate SET state = ?2, decided_at = ?3 WHERE id = ?1 AND state = ?4",
        )?
        .execute(params![id, state.name(), at.as_microsecond(), CandidateState::Pending.name()])?;
    Ok((changed == 0).then_some(Outcome::Overtaken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{id as memory_number, memory, scope, write};
    use model::{Change, Op, time};

    fn new(number: u8) -> NewCandidate {
        NewCandidate {
            scope: scope(),
            text: format!("We use tool number {number}"),
            hash: ContentHash([number; 32]),
            kind: Kind::Pattern,
            project: Some("web".into()),
            client: "codex".into(),
            session: None,
            episode: EpisodeId([number; 8]),
            at: time::from_micros(1_800_000_000_000_000).unwrap(),
        }
    }

    fn suggest(store: &Store, number: u8) {
        write(store, Op::Suggest(Box::new(new(number))));
    }

    #[test]
    fn what_was_decided_never_comes_again() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        (1..=3).for_each(|number| suggest(&store, number));
        suggest(&store, 2);
        let pending = store.pending_candidates(&scope()).unwrap();
        assert_eq!(pending.iter().map(|one| one.id).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(pending[0].found, new(1));
        let at = new(1).at;
        let drop = Op::Decide { candidate: 2, state: CandidateState::Dropped, at };
        write(&store, drop.clone());
        suggest(&store, 2);
        assert_eq!(store.pending_candidates(&scope()).unwrap().len(), 2);
        assert_eq!(store.apply(Change::of(drop)).unwrap(), Outcome::Overtaken);
        let dropped = store.candidate(&scope(), 2).unwrap().unwrap();
        assert_eq!((dropped.state, dropped.decided_at), (CandidateState::Dropped, Some(at)));
        let other = Scope { owner: "bob".into(), ..scope() };
        assert_eq!(store.candidate(&other, 1).unwrap(), None);
        assert!(store.pending_candidates(&other).unwrap().is_empty());
    }

    #[test]
    fn a_text_that_is_a_memory_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let known = memory(1, "a boat on the lake");
        let hash = known.hash;
        write(&store, Op::Insert(known));
        assert!(store.has_text(&[scope()], &hash).unwrap());
        assert!(!store.has_text(&[], &hash).unwrap());
        write(&store, Op::Delete(memory_number(1)));
        assert!(!store.has_text(&[scope()], &hash).unwrap());
    }
}

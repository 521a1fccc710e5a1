//! Records that come from elsewhere, with their ids and times.

use model::{Caller, EpisodeKind, Namespace, Record, TrustLevel};

use super::{DECISIONS_MAX, Write, episode, overtaken, write_in};
use crate::{Engine, Result};

/// So many records are in one commit.
const AT_ONCE: usize = 200;

/// Keeps these records as they are, in the place of older ones with their ids; one commit a namespace and
/// batch.
pub(crate) fn take(
    engine: &Engine,
    caller: &Caller,
    records: &[Record],
    subject: &str,
) -> Result<()> {
    // What others recorded is no person's word, whoever brings it.
    let engine = &engine.acting(engine.actor().no_more_than(TrustLevel::Agent));
    let mut namespaces: Vec<Namespace> =
        records.iter().map(|record| record.namespace.clone()).collect();
    namespaces.sort();
    namespaces.dedup();
    for namespace in namespaces {
        write_in(caller, Some(namespace.clone()))?;
        let own: Vec<Record> =
            records.iter().filter(|record| record.namespace == namespace).cloned().collect();
        for batch in own.chunks(AT_ONCE) {
            put(engine, caller, &namespace, batch, subject)?;
        }
    }
    Ok(())
}

fn put(
    engine: &Engine,
    caller: &Caller,
    namespace: &Namespace,
    batch: &[Record],
    subject: &str,
) -> Result<()> {
    let Some(first) = batch.first() else { return Ok(()) };
    for _ in 0..DECISIONS_MAX {
        let (mut puts, mut guards) = (Vec::new(), Vec::new());
        for record in batch {
            let was = engine.store.record(record.id)?;
            if was.as_ref().is_some_and(|was| was.record.updated_at >= record.updated_at) {
                continue;
            }
            guards.extend(was.as_ref().map(super::write::unchanged));
            puts.push((record.clone(), was));
        }
        if puts.is_empty() {
            return Ok(());
        }
        let linked = puts.iter().map(|(record, _)| record.id).collect();
        let told = format!("Took in {} from elsewhere", puts.len());
        let happened = episode(engine, namespace, EpisodeKind::SystemEvent, told.clone(), linked);
        let write = Write {
            guards,
            puts,
            follows: None,
            delete: None,
            episode: happened,
            ops: Vec::new(),
            subject: subject.to_owned(),
            reason: told,
        };
        if write.commit(engine, caller)?.is_done() {
            return Ok(());
        }
    }
    Err(overtaken(first.id))
}

//! Taking in what another store of ours exported, with ids and times.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use model::knowledge::pointer_place;
use model::{
    Caller, Change, Guard, IndexedChunk, IndexedDocument, IndexedEntity, IndexedLink,
    IndexedMemory, Memory, Op, Record,
};
use serde_json::Value;
use store::{EdgesOf, Held};

use super::{Report, Skipped};
use crate::export::{self, json};
use crate::memory::{hash, overtaken};
use crate::secrets::{self, Policy};
use crate::{Engine, Error, ErrorKind, Result, record};

/// So many lines are one change.
const LINES_AT_ONCE: usize = 200;

/// A longer line is not read.
const LINE_BYTES_MAX: u64 = 1 << 30;

/// Takes in the lines of an export: what is not there comes, of two with the same id the newer stays.
/// The manifest is looked at first; a file that is not what was exported refuses the whole. `tell` hears
/// how many lines are done. The ledger and the knowledge are taken by [`take_ledger`] and
/// [`take_knowledge`].
pub fn take_back(
    engine: &Engine,
    dir: &Path,
    dry_run: bool,
    tell: &mut dyn FnMut(usize),
) -> Result<Report> {
    let manifest = export::checked_manifest(dir)?;
    let (mut report, mut done) = (Report::default(), 0);
    for name in export::LINES {
        if manifest["files"].get(name).is_none() {
            continue;
        }
        let path = dir.join(name);
        let file = File::open(&path).map_err(export::failed(&path))?;
        let mut reader = BufReader::new(file);
        let mut batch = Batch { engine, dry_run, change: Change::default(), report: &mut report };
        for line in 1.. {
            let mut text = String::new();
            let read = std::io::Read::take(&mut reader, LINE_BYTES_MAX).read_line(&mut text);
            if read.map_err(export::failed(&path))? == 0 {
                break;
            }
            let place = format!("{}:{line}", path.display());
            batch.line(name, &place, &text)?;
            done += 1;
            tell(done);
            if line % LINES_AT_ONCE == 0 {
                batch.apply()?;
            }
        }
        batch.apply()?;
    }
    Ok(report)
}

/// Takes in the decisions of an export: into a ledger without commits with all of their history, and
/// else, or if they hold secrets, those that are new or newer as they are now, for which the bundle is laid out in `scratch`, a folder that is not
/// there yet. How many records were looked at.
pub fn take_ledger(
    engine: &Engine,
    caller: &Caller,
    dir: &Path,
    scratch: &Path,
    report: &mut Report,
) -> Result<usize> {
    if !export::listed(dir)?.iter().any(|name| name == export::BUNDLE) {
        return Ok(0);
    }
    let bundle = dir.join(export::BUNDLE);
    let ledger = engine.delivery.ledger();
    ledger::check_out(&bundle, scratch).map_err(record::failed)?;
    let (records, secrets) = records_below(engine, scratch)?;
    report.secrets += secrets;
    // A history cannot be had without what was written in it.
    if secrets == 0 && ledger.head().map_err(record::failed)?.is_none() {
        ledger.unbundle(&bundle).map_err(record::failed)?;
        // The rows are made from the files below: nobody changed anything by hand.
        if let Some(head) = ledger.head().map_err(record::failed)? {
            let (commits, head) = (Vec::new(), head.to_string());
            engine.apply(Change::of(Op::MarkCommitted { commits, head }))?;
        }
        return Ok(record::rebuild(engine)?.0);
    }
    record::take(engine, caller, &records, "Import from lorekeep")?;
    Ok(records.len())
}

/// The records in the files of a folder, without their secrets, and how many there were.
fn records_below(engine: &Engine, dir: &Path) -> Result<(Vec<Record>, usize)> {
    let (mut records, mut secrets) = (Vec::new(), 0);
    for path in export::paths_below(dir)? {
        let Ok(text) = std::fs::read_to_string(dir.join(&path)) else { continue };
        if let Ok(mut record) = ledger::file::read(&path, &text) {
            secrets += secrets::take_record(engine.secrets, &mut record);
            records.push(record);
        }
    }
    Ok((records, secrets))
}

/// Copies the knowledge of an export to where there is none of that name; how many files came. What
/// holds a secret is left out and reported: a person's file is not altered.
pub fn take_knowledge(engine: &Engine, dir: &Path, report: &mut Report) -> Result<usize> {
    let prefix = format!("{}/", export::KNOWLEDGE);
    let listed = export::listed(dir)?;
    let paths = listed.iter().filter_map(|name| name.strip_prefix(&prefix).map(str::to_owned));
    let paths: Vec<String> = paths.collect();
    let from = dir.join(export::KNOWLEDGE);
    let is_clean = |path: &String| {
        let text = std::fs::read_to_string(from.join(path)).unwrap_or_default();
        engine.secrets == Policy::Keep || rank::keep::secrets::find(&text).is_empty()
    };
    let (clean, secret): (Vec<String>, Vec<String>) = paths.into_iter().partition(is_clean);
    let why = "it holds what looks like a secret, and was not taken; take the secret out first";
    for path in secret {
        report
            .skipped
            .push(Skipped { place: format!("{}/{path}", export::KNOWLEDGE), why: why.into() });
    }
    export::copy(&clean, &from, &engine.knowledge_dir)
}

/// Lines that are taken in together.
struct Batch<'a> {
    engine: &'a Engine,
    dry_run: bool,
    change: Change,
    report: &'a mut Report,
}

impl Batch<'_> {
    fn line(&mut self, name: &str, place: &str, line: &str) -> Result<()> {
        let mut value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(why) => return self.skip(place, format!("it is no JSON: {why}")),
        };
        self.report.secrets += secrets::take_all(self.engine.secrets, &mut value);
        let taken = match name {
            "memories.jsonl" => {
                json::memory(&value).map(|(memory, at)| self.memory(memory, at, place))
            }
            "edges.jsonl" => json::edge(&value).map(|edge| self.edge(edge, place)),
            "events.jsonl" => json::event(&value).map(|event| self.event(event, place)),
            "episodes.jsonl" => json::episode(&value).map(|episode| self.episode(episode)),
            "facts.jsonl" if value.get("entity").is_some() => {
                json::entity(&value).map(|(entity, mirror)| self.entity(entity, mirror))
            }
            "facts.jsonl" => {
                json::link(&value).map(|(scope, link, mirror)| self.link(scope, link, mirror))
            }
            _ => json::document(&value).map(|(document, chunks)| self.document(document, chunks)),
        };
        match taken {
            Ok(done) => done,
            Err(why) => self.skip(place, why),
        }
    }

    fn memory(
        &mut self,
        memory: Memory,
        validated: Option<model::Timestamp>,
        place: &str,
    ) -> Result<()> {
        let id = memory.id;
        if memory.scope.is_facts() || pointer_place(&memory.scope).is_some() {
            return self.skip(place, "it follows a fact or knowledge, and comes with that");
        }
        let op = match self.engine.store.find_memory(id)? {
            None => {
                self.report.new += 1;
                Op::Insert(self.indexed(memory))
            }
            Some(known) if memory.updated_at > known.updated_at => {
                self.report.updated += 1;
                self.change.guards.push(Guard::Unchanged { id, revision: known.revision });
                Op::Replace(self.indexed(memory))
            }
            Some(_) => {
                self.report.unchanged += 1;
                return Ok(());
            }
        };
        self.change.ops.push(op);
        self.change.ops.extend(validated.map(|at| Op::MarkValidated { id, at }));
        Ok(())
    }

    /// A memory with what its search needs; it is trusted no more than who brings it.
    fn indexed(&self, mut memory: Memory) -> Box<IndexedMemory> {
        let level = &mut memory.provenance.level;
        *level = self.engine.actor().level.min(*level);
        let vectors = self.engine.embedders.vectors(&memory.content);
        Box::new(IndexedMemory { hash: hash(&memory.content), vectors, memory })
    }

    fn edge(&mut self, edge: model::NewEdge, place: &str) -> Result<()> {
        let ends = [edge.source, edge.target];
        if !self.dry_run && self.engine.store.load_memories(&ends)?.len() < ends.len() {
            return self.skip(place, "a memory at its end is not there");
        }
        let known = self.engine.store.edges(EdgesOf::Between(edge.source, edge.target))?;
        if known.iter().any(|placed| placed.edge.relation == edge.relation) {
            self.report.unchanged += 1;
            return Ok(());
        }
        self.report.new += 1;
        self.change.ops.push(Op::Relate(edge));
        Ok(())
    }

    fn event(&mut self, event: model::NewEvent, place: &str) -> Result<()> {
        if !self.dry_run && self.engine.store.find_memory(event.memory)?.is_none() {
            return self.skip(place, "its memory is not there");
        }
        let known =
            self.engine.store.events(event.memory, Some(event.kind), u64::from(u32::MAX))?;
        let is_same = |known: &model::Event| {
            known.at == event.at && known.context == event.context && known.session == event.session
        };
        if known.iter().any(is_same) {
            self.report.unchanged += 1;
            return Ok(());
        }
        self.report.new += 1;
        self.change.ops.push(Op::Record(event));
        Ok(())
    }

    fn episode(&mut self, episode: model::Episode) -> Result<()> {
        match self.engine.store.episode(episode.id)? {
            Some(_) => self.report.unchanged += 1,
            None => self.report.new += 1,
        }
        self.change.ops.push(Op::Happen(Box::new(episode)));
        Ok(())
    }

    fn entity(&mut self, mut entity: model::Entity, mut mirror: Memory) -> Result<()> {
        match self.engine.store.entity(&entity.scope, &entity.name)? {
            None => self.report.new += 1,
            Some(known) if entity.updated_at > known.updated_at => {
                self.report.updated += 1;
                let (scope, name) = (entity.scope.clone(), entity.name.clone());
                let revision = Some(known.revision);
                self.change.guards.push(Guard::Entity { scope, name, revision });
                (entity.mirror, mirror.id) = (known.mirror, known.mirror);
            }
            Some(_) => {
                self.report.unchanged += 1;
                return Ok(());
            }
        }
        let mirror = *self.indexed(mirror);
        self.change.ops.push(Op::PutEntity(Box::new(IndexedEntity { entity, mirror })));
        Ok(())
    }

    fn link(&mut self, scope: model::Scope, link: model::Link, mirror: Memory) -> Result<()> {
        let found = self.engine.store.entity_with_links(
            &scope,
            &link.from,
            Held::Ever,
            u64::from(u32::MAX),
        )?;
        let known = found.map(|(_, links)| links.outgoing).unwrap_or_default();
        let says =
            |other: &&model::Link| (&other.relation, &other.to) == (&link.relation, &link.to);
        let same = known.iter().filter(says).find(|other| {
            other.valid_at == link.valid_at
                || (other.invalid_at.is_none() && link.invalid_at.is_none())
        });
        match (same.map(|same| same.invalid_at), link.invalid_at) {
            (Some(None), Some(at)) => {
                self.report.updated += 1;
                let link = [link.from, link.relation, link.to];
                self.change.ops.push(Op::CloseLink { scope, link, at });
            }
            (Some(_), _) => self.report.unchanged += 1,
            (None, _) => {
                self.report.new += 1;
                let mirror = *self.indexed(mirror);
                self.change.ops.push(Op::PutLink(Box::new(IndexedLink { scope, link, mirror })));
            }
        }
        Ok(())
    }

    fn document(&mut self, document: model::Document, chunks: Vec<model::Chunk>) -> Result<()> {
        match self.engine.store.document(&document.scope, &document.path)? {
            None => self.report.new += 1,
            Some(known)
                if known.hash != document.hash && known.indexed_at < document.indexed_at =>
            {
                self.report.updated += 1;
            }
            Some(_) => {
                self.report.unchanged += 1;
                return Ok(());
            }
        }
        let index = |chunk: model::Chunk| IndexedChunk {
            hash: hash(&chunk.content),
            vectors: self.engine.embedders.vectors(&chunk.searched()),
            chunk,
        };
        let chunks = chunks.into_iter().map(index).collect();
        self.change.ops.push(Op::PutDocument(Box::new(IndexedDocument { document, chunks })));
        Ok(())
    }

    fn apply(&mut self) -> Result<()> {
        let change = std::mem::take(&mut self.change);
        if self.dry_run || change.ops.is_empty() {
            return Ok(());
        }
        let first = change.ops.len();
        match self.engine.apply_texts(change)? {
            outcome if outcome.is_done() => Ok(()),
            model::Outcome::Stale(id) => Err(overtaken(id)),
            _ => Err(Error::new(
                ErrorKind::Conflict,
                format!("{first} changes met others; import again, what is in stays"),
            )),
        }
    }

    fn skip(&mut self, place: &str, why: impl Into<String>) -> Result<()> {
        self.report.skipped.push(Skipped { place: place.to_owned(), why: why.into() });
        Ok(())
    }
}
